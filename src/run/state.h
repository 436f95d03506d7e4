/* The one setter of where a run stands, with what happens on entering each state; the line for the lease; the heap of
 * deadlines; the ways a run ends. */
#ifndef IL_RUN_STATE_H
#define IL_RUN_STATE_H

#include "run/engine.h"

/* Sets the state and does what entering it asks for. Setting the state it has is allowed and does nothing. */
void il__run_set_state(struct il_run *run, enum il__state state);
/* For a run that is only shown: says where it stands, and nothing follows. */
void il__run_set_state_shown(struct il_run *run, enum il__state state);
/* Wakes the run at `boot_ms` (INT64_MAX: not by time). */
void il__run_wake_at(struct il_run *run, int64_t boot_ms);
/* The run whose time has come, or NULL. */
struct il_run *il__engine_due(struct il__engine *e, int64_t boot_ms);

/* Ends a run that has not sent anything with `end` and `err` (NULL: no error), or, after the send, only keeps `err` as
 * the first failure; either way the core takes over: verify, release, end. */
void il__run_stop(struct il_run *run, enum il__end end, const struct il_error *err);
/* The same, the end chosen by the code of the failure (SPEC §7 "Other ends"). */
void il__run_fail(struct il_run *run, const struct il_error *err);
enum il__end il__end_of_code(const struct il_error *err);

/* The lease of the host: true when this run may ask now; false when it stands in line (state IN_LINE). */
bool il__line_enter(struct il_run *run);
/* Leaves the line or gives up the place; the next in line becomes READY to ask. */
void il__line_leave(struct il_run *run);

/* Cancels runs that were freed by their owner, and frees those of them that ended and have nothing in flight. */
void il__engine_sweep(struct il__engine *e);

#endif
