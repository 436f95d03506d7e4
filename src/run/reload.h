/* Who judges a run, and other bundles than before (SPEC §5). A run is judged by the bundles of its host as they were
 * when it began; while it moves that stays so, whatever the host reloads. When it waits, or is taken over, those of now
 * are asked, and what they say is joined with what was said: kept, asked again, or voided. Must never make anything
 * laxer. */
#ifndef IL_RUN_RELOAD_H
#define IL_RUN_RELOAD_H

#include "run/engine.h"

/* The policies of the host as they are now judge the run, until it is given others or has ended. */
void il__run_hold_policies(struct il_run *run);
/* Nobody judges it any more. Allowed twice. */
void il__run_drop_policies(struct il_run *run);
/* The run judged last by bundles other than those that judge it now, or those of now are stricter than its journal. */
bool il__run_stricter(struct il_run *run);
/* Other bundles than before, for a run that is taken over. A conflict when there are none any more. */
enum il_code il__run_reload(struct il_run *run, struct il_error *err) IL_MUST_USE;
/* Suspends the run at a request of its own, under the policies of now: it may be queued or over when this returns. */
enum il_code il__run_wait(struct il_run *run, bool propose, struct il_error *err) IL_MUST_USE;
/* From now on these are the host's. Runs that wait or stand in line to move are judged again at once, by them alone; a
 * run that moves, when it waits. Each run that cannot be judged again fails. Cannot fail itself. */
void il__engine_reload(struct il__engine *e, const struct il__policies *policies);

#endif
