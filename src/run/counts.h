/* What is counted over runs, for policies (SPEC §5, I2 (b)): the units of limits that a run claims and consumes, and
 * what became of runs that reached execute. Kept with the store, or by the engine without one. Uses the store port and
 * base/tally.h. Must never let a run send without its units. */
#ifndef IL_RUN_COUNTS_H
#define IL_RUN_COUNTS_H

#include "run/engine.h"

/* The two functions of a scene whose `ctx` is a run. A store that cannot be asked is an error, never "nothing used". */
enum il_code il__counts_history(const struct il__scene *scene, const struct il__history_query *query,
                                struct il__history_seen *out, struct il_error *err);
enum il_code il__counts_limit(const struct il__scene *scene, const struct il__claim *claim, struct il__limit_seen *out,
                              struct il_error *err);
/* Keeps what a policy claimed, each limit of it once. With `told`, people are asked to override those of it that have
 * no unit left. IL_LIMIT_EXCEEDED: limit_claims. */
enum il_code il__counts_claim(struct il_run *run, const struct il__said *said, bool told,
                              struct il_error *err) IL_MUST_USE;
/* Consumes one unit of every key that was claimed, in front of the intent that names them. IL_POLICY_DENIED: another
 * run took the last one; noted as a verdict of the policy that claimed it. */
enum il_code il__counts_spend(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* Notes the run as indeterminate, behind its intent. */
enum il_code il__counts_sent(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* Notes what became of it, behind the record of its end. Nothing for a run that never had an intent. */
void il__counts_ended(struct il_run *run);

#endif
