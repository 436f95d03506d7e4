/* The rows of a control lease and its boundaries. Uses the schema engine. */
#include "contract/lease.h"

#include "contract/action.h"
#include "contract/rows.h"

static const struct il__field boundaries_fields[] = {
    IL__STRS_ROW(il__boundaries, app_ids, "appIds", IL__F_OPT | IL__F_DEFAULT, "Applications; empty: any."),
    IL__ROW(il__boundaries, window_ids, "windowIds", IL__F_WINDOWS, IL__F_OPT | IL__F_DEFAULT, NULL, NULL, 0, 0,
            "Windows; empty: any."),
    IL__STRS_ROW(il__boundaries, display_ids, "displayIds", IL__F_OPT | IL__F_DEFAULT, "Displays; empty: any."),
    IL__END_ROW,
};
const struct il__schema il__boundaries_schema = {
    .object = "lease boundaries", .size = sizeof(struct il__boundaries), .fields = boundaries_fields,
};

static const struct il__field lease_fields[] = {
    IL__STR_ROW(il__lease, lease_id, "leaseId", IL__F_NONEMPTY, "The lease: a ticket to whoever holds it."),
    IL__COUNT_ROW(il__lease, revision, "revision", "How often it has changed."),
    IL__STR_ROW(il__lease, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__lease, principal_id, "principalId", IL__F_NONEMPTY, "On whose authority it was given."),
    IL__STR_ROW(il__lease, agent_id, "agentId", IL__F_OPT | IL__F_NONEMPTY, "The agent it was given to."),
    IL__STR_ROW(il__lease, kind, "kind", 0, "Exclusive or cooperative."),
    IL__ENUM_ROW(il__lease, execution_mode, "executionMode", 0, il__mode_names, "The mode it is good for."),
    IL__STR_ROW(il__lease, state, "state", 0, "Whether it is active."),
    IL__STR_ROW(il__lease, acquired_at, "acquiredAt", IL__F_OPT | IL__F_NONEMPTY | IL__F_TIME, "When it was given."),
    IL__STR_ROW(il__lease, expires_at, "expiresAt", IL__F_NONEMPTY | IL__F_TIME, "When it is void."),
    IL__U32_ROW(il__lease, action_budget, "actionBudget", 0, "How many actions it is good for."),
    IL__U32_ROW(il__lease, actions_used, "actionsUsed", 0, "How many it has been used for."),
    IL__OBJECT_ROW(il__lease, boundaries, "boundaries", IL__F_OPT, il__boundaries_schema, "What it is confined to."),
    IL__END_ROW,
};
const struct il__schema il__lease_schema = {
    .object = "control lease", .size = sizeof(struct il__lease), .fields = lease_fields,
};
