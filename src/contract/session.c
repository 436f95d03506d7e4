/* The rows of session, completion, event, follow-up and deletion. Uses the schema engine. */
#include "contract/session.h"

#include "contract/rows.h"

static const struct il__field event_fields[] = {
    IL__COUNT_ROW(il__event, schema_version, "schemaVersion", "The version of the event's form."),
    IL__STR_ROW(il__event, event_id, "eventId", IL__F_NONEMPTY, "The event."),
    IL__COUNT_ROW(il__event, sequence, "sequence", "Its place in the session."),
    IL__STR_ROW(il__event, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__event, action_id, "actionId", IL__F_OPT | IL__F_NONEMPTY, "The action it is about."),
    IL__STR_ROW(il__event, type, "type", 0, "What happened."),
    IL__STR_ROW(il__event, at, "at", IL__F_NONEMPTY | IL__F_TIME, "When."),
    IL__STR_ROW(il__event, principal_id, "principalId", IL__F_OPT | IL__F_NONEMPTY, "On whose authority."),
    IL__ANY_ROW(il__event, payload, "payload", IL__F_NULLABLE, "The details, as received."),
    IL__END_ROW,
};
const struct il__schema il__event_schema = {
    .object = "session event", .size = sizeof(struct il__event), .fields = event_fields,
};

static const struct il__field follow_up_fields[] = {
    IL__STR_ROW(il__follow_up, follow_up_id, "followUpId", IL__F_NONEMPTY, "The follow-up."),
    IL__COUNT_ROW(il__follow_up, sequence, "sequence", "Its place in the session."),
    IL__STR_ROW(il__follow_up, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__follow_up, principal_id, "principalId", IL__F_NONEMPTY, "Who gave it."),
    IL__STR_ROW(il__follow_up, instruction, "instruction", 0, "What is asked."),
    IL__STR_ROW(il__follow_up, created_at, "createdAt", IL__F_NONEMPTY | IL__F_TIME, "When."),
    IL__END_ROW,
};
const struct il__schema il__follow_up_schema = {
    .object = "session follow-up", .size = sizeof(struct il__follow_up), .fields = follow_up_fields,
};

static const struct il__field follow_up_page_fields[] = {
    IL__OBJECTS_ROW(il__follow_up_page, follow_ups, "follow_ups", 0, il__follow_up_schema, 0, "The follow-ups."),
    IL__COUNT_ROW(il__follow_up_page, next_sequence, "next_sequence", "Where the next page begins."),
    IL__END_ROW,
};
const struct il__schema il__follow_up_page_schema = {
    .object = "follow-up page", .size = sizeof(struct il__follow_up_page), .fields = follow_up_page_fields,
};

static const struct il__field completed_postcondition_fields[] = {
    IL__STR_ROW(il__completed_postcondition, description, "description", 0, "What had to hold."),
    IL__BOOL_ROW(il__completed_postcondition, satisfied, "satisfied", 0, "Whether it held."),
    IL__STR_ROW(il__completed_postcondition, evidence_hash, "evidenceHash", IL__F_OPT, "Digest of the evidence."),
    IL__END_ROW,
};
const struct il__schema il__completed_postcondition_schema = {
    .object = "completed postcondition", .size = sizeof(struct il__completed_postcondition),
    .fields = completed_postcondition_fields,
};

static const struct il__field completion_fields[] = {
    IL__STR_ROW(il__completion, summary, "summary", 0, "What was achieved."),
    IL__OBJECTS_ROW(il__completion, postconditions, "postconditions", 0, il__completed_postcondition_schema, 0,
                    "What had to hold, and whether it did."),
    IL__STR_ROW(il__completion, last_app_id, "lastAppId", IL__F_OPT, "The application last used."),
    IL__WINDOW_ROW(il__completion, last_window_id, "lastWindowId", IL__F_OPT, "The window last used."),
    IL__ROW(il__completion, action_counts, "actionCounts", IL__F_COUNTS, 0, NULL, NULL, 0, 0,
            "How many actions of each kind."),
    IL__STR_ROW(il__completion, reason, "reason", IL__F_OPT, "Why the session ended."),
    IL__STR_ROW(il__completion, completed_at, "completedAt", IL__F_NONEMPTY | IL__F_TIME, "When."),
    IL__END_ROW,
};
const struct il__schema il__completion_schema = {
    .object = "session completion", .size = sizeof(struct il__completion), .fields = completion_fields,
};

static const struct il__field session_fields[] = {
    IL__STR_ROW(il__session, session_id, "sessionId", IL__F_NONEMPTY, "The session."),
    IL__STR_ROW(il__session, principal_id, "principalId", IL__F_NONEMPTY, "Whose it is."),
    IL__STR_ROW(il__session, execution_group_id, "executionGroupId", IL__F_OPT | IL__F_NONEMPTY,
                "The group that acts in it."),
    IL__STR_ROW(il__session, objective, "objective", IL__F_OPT, "What it is for."),
    IL__STR_ROW(il__session, state, "state", 0, "Running, paused, stopped, and so on."),
    IL__COUNT_ROW(il__session, revision, "revision", "How often it has changed."),
    IL__STR_ROW(il__session, created_at, "createdAt", IL__F_NONEMPTY | IL__F_TIME, "When it began."),
    IL__STR_ROW(il__session, updated_at, "updatedAt", IL__F_NONEMPTY | IL__F_TIME, "When it last changed."),
    IL__STR_ROW(il__session, waiting_reason, "waitingReason", IL__F_OPT, "What it waits for."),
    IL__BOOL_ROW(il__session, recovered, "recovered", IL__F_OPT, "Whether the runtime restarted in between."),
    IL__OBJECT_ROW(il__session, completion, "completion", IL__F_OPT, il__completion_schema, "How it ended."),
    IL__END_ROW,
};
const struct il__schema il__session_schema = {
    .object = "runtime session", .size = sizeof(struct il__session), .fields = session_fields,
};

static const struct il__field deletion_fields[] = {
    IL__STR_ROW(il__deletion, session_id, "sessionId", IL__F_NONEMPTY, "The session."),
    IL__BOOL_ROW(il__deletion, deleted, "deleted", 0, "Whether it is gone."),
    IL__COUNT_ROW(il__deletion, deleted_events, "deletedEvents", "Events deleted with it."),
    IL__COUNT_ROW(il__deletion, deleted_receipts, "deletedReceipts", "Receipts deleted with it."),
    IL__COUNT_ROW(il__deletion, deleted_evidence_frames, "deletedEvidenceFrames", "Frames deleted with it."),
    IL__COUNT_ROW(il__deletion, revoked_grants, "revokedGrants", "Grants revoked with it."),
    IL__COUNT_ROW(il__deletion, retained_events, "retainedEvents", "Events that stay."),
    IL__STR_ROW(il__deletion, retention_marker_id, "retentionMarkerId", IL__F_OPT | IL__F_NONEMPTY,
                "What marks the gap."),
    IL__END_ROW,
};
const struct il__schema il__deletion_schema = {
    .object = "session deletion", .size = sizeof(struct il__deletion), .fields = deletion_fields,
};
