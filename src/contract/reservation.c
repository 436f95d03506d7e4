/* The rows of a target reservation. Uses the schema engine. */
#include "contract/reservation.h"

#include "contract/rows.h"

static const struct il__field scope_fields[] = {
    IL__STR_ROW(il__reservation_scope, app_id, "appId", 0, "The application."),
    IL__WINDOW_ROW(il__reservation_scope, window_id, "windowId", IL__F_OPT, "The window; absent: all of it."),
    IL__END_ROW,
};
const struct il__schema il__reservation_scope_schema = {
    .object = "reservation scope", .size = sizeof(struct il__reservation_scope), .fields = scope_fields,
};

static const struct il__field reservation_fields[] = {
    IL__STR_ROW(il__reservation, reservation_id, "reservationId", IL__F_NONEMPTY, "The reservation."),
    IL__COUNT_ROW(il__reservation, revision, "revision", "How often it has changed."),
    IL__STR_ROW(il__reservation, intent_id, "intentId", IL__F_NONEMPTY, "The action it was made for."),
    IL__STR_ROW(il__reservation, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__reservation, principal_id, "principalId", IL__F_NONEMPTY, "On whose authority it was made."),
    IL__STR_ROW(il__reservation, execution_group_id, "executionGroupId", IL__F_OPT | IL__F_NONEMPTY,
                "The group it was made for."),
    IL__STR_ROW(il__reservation, agent_id, "agentId", IL__F_OPT | IL__F_NONEMPTY, "The agent it was made for."),
    IL__OBJECT_ROW(il__reservation, scope, "scope", 0, il__reservation_scope_schema, "What is kept free."),
    IL__STR_ROW(il__reservation, state, "state", 0, "Whether it is active."),
    IL__STR_ROW(il__reservation, acquired_at, "acquiredAt", IL__F_NONEMPTY | IL__F_TIME, "When it was made."),
    IL__STR_ROW(il__reservation, expires_at, "expiresAt", IL__F_NONEMPTY | IL__F_TIME, "When it is void."),
    IL__STR_ROW(il__reservation, terminal_reason, "terminalReason", IL__F_OPT, "Why it ended."),
    IL__END_ROW,
};
const struct il__schema il__reservation_schema = {
    .object = "target reservation", .size = sizeof(struct il__reservation), .fields = reservation_fields,
};
