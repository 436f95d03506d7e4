/* What src/script may show of a run, one accessor per fact: never ids of leases or grants, never what is not accepted.
 */
#ifndef IL_RUN_FACTS_H
#define IL_RUN_FACTS_H

#include "run/run.h"

/* IL__SEE_* bit; doc NULL when not observed. */
struct il__any il__facts_observed(const struct il_run *run, unsigned see);
const struct il__proposal *il__facts_proposal(const struct il_run *run);
/* NULL before a preview was accepted. */
const struct il__preview *il__facts_preview(const struct il_run *run);
enum il__route il__facts_route(const struct il_run *run);      /* the runtime's own */
bool il__facts_blocked(const struct il_run *run);              /* by the runtime or a policy */
struct il_str il__facts_block_reason(const struct il_run *run);
bool il__facts_waits(const struct il_run *run);                /* the preview left needs (met or not) */
const struct il__reservation *il__facts_reservation(const struct il_run *run); /* NULL: none */
/* NULL before it was bound. `lease_id` is masked. */
const struct il__lease *il__facts_lease(const struct il_run *run);
/* NULL before it was bound. */
const struct il__receipt *il__facts_receipt(const struct il_run *run);
const struct il__outcome_detail *il__facts_outcome(const struct il_run *run); /* NULL before it was computed */
struct il_str il__facts_id(const struct il_run *run);
struct il_str il__facts_action_id(const struct il_run *run);
struct il_str il__facts_session_id(const struct il_run *run);
struct il_str il__facts_principal(const struct il_run *run);
struct il_str il__facts_agent(const struct il_run *run);
/* Wall time of the engine now, and the mode by name. */
struct il__instant il__facts_now(const struct il_run *run);
/* A line that a script logged. */
void il__facts_log(struct il_run *run, struct il_str line);

#endif
