/* The rows of a signed decision. Uses the schema engine. Every member must be in the document, null included: what was
 * signed leaves nothing to be filled in. */
#include "contract/decision.h"

#include "contract/rows.h"

static const struct il__field decided_fields[] = {
    IL__STR_ROW(il__decided, type, "type", IL__F_NONEMPTY, "The form and version of what is signed."),
    IL__STR_ROW(il__decided, host, "host", IL__F_NONEMPTY, "The host that asks."),
    IL__STR_ROW(il__decided, run, "run", IL__F_NONEMPTY, "The run that waits."),
    IL__STR_ROW(il__decided, request, "request", IL__F_NONEMPTY, "The request that is decided."),
    IL__STR_ROW(il__decided, action_digest, "actionDigest", IL__F_OPT, "The action shown; null before a preview."),
    IL__STR_ROW(il__decided, policy_digest, "policyDigest", IL__F_OPT, "The runtime's policy; null before a preview."),
    IL__STR_ROW(il__decided, host_policy_digest, "hostPolicyDigest", IL__F_OPT, "The host's policies; null: none."),
    IL__STR_ROW(il__decided, proposal_digest, "proposalDigest", IL__F_NONEMPTY, "The proposal that was shown."),
    IL__STR_ROW(il__decided, card_digest, "cardDigest", IL__F_NONEMPTY, "The card that was shown."),
    IL__ENUM_ROW(il__decided, decision, "decision", 0, il__decision_names, "What was decided."),
    IL__STR_ROW(il__decided, reason, "reason", IL__F_OPT, "Why; null: not said."),
    IL__STR_ROW(il__decided, approver, "approver", IL__F_NONEMPTY, "Who decided."),
    IL__STR_ROW(il__decided, issued_at, "issuedAt", IL__F_NONEMPTY | IL__F_TIME, "When."),
    IL__STR_ROW(il__decided, expires_at, "expiresAt", IL__F_NONEMPTY | IL__F_TIME, "Until when it may be delivered."),
    IL__END_ROW,
};
const struct il__schema il__decided_schema = {
    .object = "signed decision", .size = sizeof(struct il__decided), .closed = true, .fields = decided_fields,
};

static const struct il__field signed_fields[] = {
    IL__OBJECT_ROW(il__signed_decision, decision, "decision", 0, il__decided_schema, "What is signed."),
    IL__STR_ROW(il__signed_decision, signature, "signature", IL__F_NONEMPTY, "Ed25519, base64."),
    IL__STR_ROW(il__signed_decision, key_id, "keyId", IL__F_NONEMPTY, "The key: 16 hex digits of its SHA-256."),
    IL__END_ROW,
};
const struct il__schema il__signed_decision_schema = {
    .object = "signed decision", .size = sizeof(struct il__signed_decision), .closed = true, .fields = signed_fields,
};
