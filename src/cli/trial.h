/* What bundles on trial would have otherwise, in words. */
#ifndef IL_CLI_TRIAL_H
#define IL_CLI_TRIAL_H

#include "cli/output.h"

/* One pair, "on trial", of the document of a run; nothing where nothing differs. */
void il__trial_show(struct il__out *out, struct il_str doc);
/* "denied instead of none, by new/rule line 3: because", of one phase of that document, or of a line of the report. */
void il__trial_words(struct il__text *text, struct il_str difference);

#endif
