/* Grants obtained at the server for a run that waits (SPEC §6): asked for over the approver port, checked, and then
 * delivered through the door of every answer. One that does not match is dropped and the session is paused. */
#ifndef IL_RUN_GRANT_H
#define IL_RUN_GRANT_H

#include "run/engine.h"

/* Takes one grant that arrived; false: there is none. */
bool il__grants_take(struct il__engine *e);
/* Gives up one that is past its deadline; false: there is none. */
bool il__grants_overdue(struct il__engine *e, int64_t boot_ms);
/* Milliseconds until the next deadline; -1: none. */
int64_t il__grants_next_ms(const struct il__engine *e, int64_t boot_ms);
/* Who waits hears that it is over. Before the runs are destroyed. */
void il__grants_clear(struct il__engine *e);

#endif
