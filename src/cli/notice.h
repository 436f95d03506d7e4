/* A notice that a run waits, posted over HTTPS: ids and counts, no word of what the action is.
 * Uses libcurl for one bounded request. Must never follow a redirect, nor change how the run goes on. */
#ifndef IL_CLI_NOTICE_H
#define IL_CLI_NOTICE_H

#include "cli/command.h"

#define IL__NOTICE_OPTIONS                                                                                             \
    { "notify", "URL", false,                                                                                          \
      "When the run waits, post a notice to this https:// address: store and run id, how many needs, how long it is "  \
      "open; nothing of the action." },                                                                                \
        { "notify-ca", "FILE", false, "Trust the authorities in FILE (PEM) for --notify, and no other." }

/* The options are usable. 0, or 2 after a report. */
int il__notice_check(struct il__io *io, const struct il__args *args);
/* Posts the notice of the waiting document `doc`; nothing without --notify. What goes wrong is one line on stderr. */
void il__notice_send(struct il__io *io, const struct il__args *args, il_store *store, struct il_str doc);

#endif
