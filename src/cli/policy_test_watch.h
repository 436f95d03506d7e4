/* Running tests again whenever a file of their folders changes. Uses sizes and times of files, looked at several times
 * a second. Must never write. */
#ifndef IL_CLI_POLICY_TEST_WATCH_H
#define IL_CLI_POLICY_TEST_WATCH_H

#include "cli/command.h"

/* Calls `once` now and after each change, until q, Ctrl-C or the end of standard input where that is a terminal. The
 * status of the last run. */
int il__policy_test_watch(const struct il__args *args, struct il__io *io,
                          int (*once)(void *ctx, const struct il__args *args, struct il__io *io), void *ctx);

#endif
