/* Runs that are taken over from a store: one, or all that can move. Uses run.h. */
#ifndef IL_CLI_RESUME_H
#define IL_CLI_RESUME_H

#include "cli/run.h"

/* Takes the run of `row` over, goes on with it and tells how it ended. `in` was read, and its store is open. The exit
 * status. */
int il__resume_row(struct il__io *io, struct il__run_input *in, const struct il__shelf_row *row);
/* The same, a line each, for every run of the principal that can move. */
int il__resume_all(struct il__io *io, struct il__run_input *in);

#endif
