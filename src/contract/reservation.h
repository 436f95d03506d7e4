/* A target kept free for one action (SPEC §2 TargetReservation). Uses the schema engine. Never trusted before
 * src/check has bound it. */
#ifndef IL_CONTRACT_RESERVATION_H
#define IL_CONTRACT_RESERVATION_H

#include "contract/schema.h"

struct il__reservation_scope {
    struct il_str app_id;
    struct il__window_id window_id;
};
extern const struct il__schema il__reservation_scope_schema;

struct il__reservation {
    struct il_str reservation_id;
    int64_t revision;
    struct il_str intent_id, session_id, principal_id, execution_group_id, agent_id;
    const struct il__reservation_scope *scope; /* never NULL */
    struct il_str state, acquired_at, expires_at, terminal_reason;
};
extern const struct il__schema il__reservation_schema;

#endif
