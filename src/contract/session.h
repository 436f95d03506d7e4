/* The runtime's session, its events and what follows them (SPEC §2). Uses the schema engine. An event's payload is
 * free-form. */
#ifndef IL_CONTRACT_SESSION_H
#define IL_CONTRACT_SESSION_H

#include "contract/schema.h"

struct il__event {
    int64_t schema_version;
    struct il_str event_id;
    int64_t sequence;
    struct il_str session_id, action_id, type, at, principal_id;
    struct il__any payload; /* any value, null included */
};
extern const struct il__schema il__event_schema;

struct il__follow_up {
    struct il_str follow_up_id;
    int64_t sequence;
    struct il_str session_id, principal_id, instruction, created_at;
};
extern const struct il__schema il__follow_up_schema;

struct il__follow_up_page {
    struct il__objects follow_ups; /* const struct il__follow_up * */
    int64_t next_sequence;
};
extern const struct il__schema il__follow_up_page_schema;

struct il__completed_postcondition {
    struct il_str description;
    bool satisfied;
    struct il_str evidence_hash;
};
extern const struct il__schema il__completed_postcondition_schema;

struct il__completion {
    struct il_str summary;
    struct il__objects postconditions; /* const struct il__completed_postcondition * */
    struct il_str last_app_id;
    struct il__window_id last_window_id;
    struct il__counts action_counts;
    struct il_str reason, completed_at;
};
extern const struct il__schema il__completion_schema;

struct il__session {
    struct il_str session_id, principal_id, execution_group_id, objective, state;
    int64_t revision;
    struct il_str created_at, updated_at, waiting_reason;
    struct il__opt_bool recovered;
    const struct il__completion *completion;
};
extern const struct il__schema il__session_schema;

struct il__deletion {
    struct il_str session_id;
    bool deleted;
    int64_t deleted_events, deleted_receipts, deleted_evidence_frames, revoked_grants, retained_events;
    struct il_str retention_marker_id;
};
extern const struct il__schema il__deletion_schema;

#endif
