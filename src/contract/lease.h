/* The right to move the desktop for a while (SPEC §2 ControlLease). Uses the schema engine. A decoded lease is only a
 * claim: src/check binds it to an envelope before anything trusts it. */
#ifndef IL_CONTRACT_LEASE_H
#define IL_CONTRACT_LEASE_H

#include "contract/schema.h"

/* Empty lists mean: not scoped. */
struct il__boundaries {
    struct il__strs app_ids;
    struct il__windows window_ids;
    struct il__strs display_ids;
};
extern const struct il__schema il__boundaries_schema;

struct il__lease {
    struct il_str lease_id;
    int64_t revision;
    struct il_str session_id, principal_id, agent_id, kind;
    int execution_mode; /* enum il__mode */
    struct il_str state, acquired_at, expires_at;
    int64_t action_budget, actions_used; /* u32 */
    const struct il__boundaries *boundaries;
};
extern const struct il__schema il__lease_schema;

#endif
