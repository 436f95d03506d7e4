/* What ties runs to the store: records are noted as they happen, written before every request, flushed where SPEC §10
 * says so, many runs with one flush. Without a store everything here is a no-op that succeeds.
 * Must never let a request or a report go ahead of what it rests on. */
#ifndef IL_RUN_DURABLE_H
#define IL_RUN_DURABLE_H

#include "run/engine.h"

/* Notes the last record of the run's journal; with record 0 the run itself. */
enum il_code il__durable_append(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* Notes what lists show of the run now. A failure is not the run's: its journal is the truth. */
void il__durable_index(struct il_run *run);
/* Everything noted survives SIGKILL when this returns IL_OK. */
enum il_code il__durable_write(struct il__engine *e, struct il_error *err) IL_MUST_USE;
/* Everything noted survives power loss when this returns IL_OK. */
enum il_code il__durable_flush(struct il__engine *e, struct il_error *err) IL_MUST_USE;
/* Goes on with `then` once everything noted survives power loss; runs that want it in one tick share one flush. Without
 * a store `then` is called before this returns. A run that is stopped meanwhile does not go on. */
void il__durable_then(struct il_run *run, il__then_fn then);
/* The flush that runs wait for; false when none does. Called by the tick. */
bool il__durable_take(struct il__engine *e);
/* Takes the run off the line of those that wait for the disk: its memory is about to go. */
void il__durable_leave(struct il_run *run);
/* Nothing goes on for the run when the disk holds what it waited for. */
void il__durable_forget(struct il_run *run);
/* Is this process still the owner (SPEC I2, §10)? */
enum il_code il__durable_owns(const struct il_run *run, struct il_error *err) IL_MUST_USE;
/* Has this session, or everything, been stopped by any process (SPEC §8)? A store that cannot be asked says stopped. */
enum il_code il__durable_latch(const struct il_run *run, struct il_error *err) IL_MUST_USE;

#endif
