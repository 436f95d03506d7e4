/* The one door to mutation (SPEC I2, I3) and what follows when its answer does not come. */
#ifndef IL_RUN_EXECUTE_H
#define IL_RUN_EXECUTE_H

#include "run/engine.h"

/* The answer to execute, or to recover. */
void il__execute_answer(struct il_run *run, const struct il__answer_in *answer);
void il__recover_answer(struct il_run *run, const struct il__answer_in *answer);
/* A receipt that arrives when nobody waits any more: an amendment, it may raise the effect, never the status. */
void il__receipt_late(struct il_run *run, struct il_str body);
/* Binds and journals a receipt. */
enum il_code il__receipt_accept(struct il_run *run, struct il_str body, struct il_error *err) IL_MUST_USE;
/* The run is stopped while its intent is on the way to the disk: recorded as not sent. */
void il__execute_abandon(struct il_run *run);
/* Goes on with a run whose journal holds an intent: recovery, or with a receipt verify and release (SPEC §10). */
void il__execute_resume(struct il_run *run);
/* Whether anything was sent is not known to anybody who could be asked: ends as indeterminate, effect unknown. */
void il__execute_lost(struct il_run *run, const struct il_error *why);

#endif
