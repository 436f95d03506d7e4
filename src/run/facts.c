/* What scripts may see of a run (facts.h). Must never hand out an id of a lease or grant. */
#include "run/facts.h"

#include "run/approval.h"
#include "run/engine.h"
#include "run/record.h"

struct il__any il__facts_observed(const struct il_run *run, unsigned see)
{
    unsigned i = see == IL__SEE_CAPABILITIES ? 0 : see == IL__SEE_VISUAL ? 1 : 2;
    if (!run->observed_set[i]) return (struct il__any){ NULL, 0 };
    return (struct il__any){ (struct il__json *)(uintptr_t)&run->observed[i], 0 };
}

const struct il__proposal *il__facts_proposal(const struct il_run *run)
{
    return &run->proposal;
}

const struct il__preview *il__facts_preview(const struct il_run *run)
{
    return run->done & IL__DID_PREVIEW ? &run->preview : NULL;
}

enum il__route il__facts_route(const struct il_run *run)
{
    return run->route;
}

bool il__facts_blocked(const struct il_run *run)
{
    return run->policy_blocked || run->route == IL__ROUTE_BLOCKED;
}

struct il_str il__facts_block_reason(const struct il_run *run)
{
    return il__facts_blocked(run) ? run->block_reason : IL_STR_NONE;
}

bool il__facts_waits(const struct il_run *run)
{
    return (run->done & IL__DID_PREVIEW) && il__needs_any(run);
}

const struct il__reservation *il__facts_reservation(const struct il_run *run)
{
    return run->has_reservation ? &run->reservation : NULL;
}

const struct il__lease *il__facts_lease(const struct il_run *run)
{
    return run->has_lease ? &run->lease_shown : NULL;
}

const struct il__receipt *il__facts_receipt(const struct il_run *run)
{
    return run->done & IL__DID_RECEIPT ? &run->receipt : NULL;
}

const struct il__outcome_detail *il__facts_outcome(const struct il_run *run)
{
    return run->done & IL__DID_OUTCOME ? &run->outcome : NULL;
}

struct il_str il__facts_id(const struct il_run *run)
{
    return il__str(run->id);
}

struct il_str il__facts_action_id(const struct il_run *run)
{
    return il__str(run->action_id);
}

struct il_str il__facts_session_id(const struct il_run *run)
{
    return run->session_id;
}

struct il_str il__facts_principal(const struct il_run *run)
{
    return run->identity.principal;
}

struct il_str il__facts_agent(const struct il_run *run)
{
    return run->agent_id;
}

struct il__instant il__facts_now(const struct il_run *run)
{
    return il__clock_now(&run->engine->clock).wall;
}

void il__facts_log(struct il_run *run, struct il_str line)
{
    const struct il__tell told = { .text = line };
    il__run_tell(run, IL_EVENT_LOG, &told);
}
