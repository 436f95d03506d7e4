/* A wait as a person sees it: the card that the core made, who must grant what, the request and how long it is open.
 * Uses the waiting document of the library. Must never state more than it does. */
#ifndef IL_CLI_WAIT_SHOW_H
#define IL_CLI_WAIT_SHOW_H

#include "cli/output.h"

/* The needs, digests and expiry of the waiting document `doc`, with its card. `now`: ms since 1970, for the time that
 * is left; 0: it is not told. */
void il__wait_show(struct il__out *out, struct il_str doc, int64_t now);
/* The answer that would approve what `doc` waits for, as a line to copy. */
void il__wait_show_answer(struct il__out *out, struct il_str doc);
/* A member of a document as a pair; nothing when it is absent. */
void il__wait_show_member(struct il__out *out, const char *name, struct il_str doc, const char *path);

#endif
