/* The rows of grant and answer, the rules of a grant, and the two forms of an answer. Uses the schema engine. Must
 * never decide whether an answer is good: that is src/check. */
#include "contract/approval.h"

#include "base/error.h"
#include "contract/action.h"
#include "contract/rows.h"

#include <inttypes.h>
#include <stdio.h>

const char *const il__grant_scope_names[] = { "exact_action", "session_operation", NULL };
IL__NAMES_MATCH(il__grant_scope_names, IL__GRANT_SCOPE_COUNT);
const char *const il__decision_names[] = { "approve", "deny", "defer", "re-observe", NULL };
IL__NAMES_MATCH(il__decision_names, IL__DECISION_COUNT);

enum { GRANT_LIST_MAX = 100, SESSION_USES_MAX = 20 };

static enum il_code exact_rules(const struct il__grant *g, const struct il__where *where)
{
    if (!il__str_eq(g->scope_digest, g->action_digest))
        return il__broken(where, IL_DECODE, "scopeDigest", "the actionDigest, for exact_action", "another digest");
    if (g->remaining_uses > 1)
        return il__broken(where, IL_DECODE, "remainingUses", "at most 1, for exact_action", "more");
    if (g->consumed_by_action_ids.count > 1)
        return il__broken(where, IL_DECODE, "consumedByActionIds", "at most 1, for exact_action", "more");
    return IL_OK;
}

static enum il_code session_rules(const struct il__grant *g, const struct il__where *where)
{
    if (!il__str_eq(g->tool, IL_STR("set_value")) && !il__str_eq(g->tool, IL_STR("fill_form")))
        return il__broken(where, IL_DECODE, "tool", "set_value or fill_form, for session_operation", "another tool");
    if (g->action_class != IL__CLASS_EDIT_REVERSIBLE)
        return il__broken(where, IL_DECODE, "actionClass", "edit_reversible, for session_operation",
                          il__class_names[g->action_class]);
    if (g->operation.len == 0)
        return il__broken(where, IL_DECODE, "operation", "a text that is not empty, for session_operation",
                          "an empty text");
    int64_t uses = g->remaining_uses + (int64_t)g->consumed_by_action_ids.count;
    if (uses <= SESSION_USES_MAX) return IL_OK;
    char actual[32];
    (void)snprintf(actual, sizeof(actual), "%" PRId64, uses);
    return il__broken(where, IL_DECODE, "remainingUses", "at most 20 with the consumed ones, for session_operation",
                      actual);
}

static enum il_code grant_rules(const void *obj, const struct il__where *where)
{
    const struct il__grant *g = obj;
    return g->scope == IL__GRANT_EXACT_ACTION ? exact_rules(g, where) : session_rules(g, where);
}

static const struct il__field grant_fields[] = {
    IL__STR_ROW(il__grant, grant_id, "grantId", IL__F_NONEMPTY, "The grant: a ticket to whoever holds it."),
    IL__ENUM_ROW(il__grant, scope, "scope", 0, il__grant_scope_names, "One action, or one operation of a session."),
    IL__STR_ROW(il__grant, principal_id, "principalId", IL__F_NONEMPTY, "Whom it was given to."),
    IL__STR_ROW(il__grant, session_id, "sessionId", IL__F_NONEMPTY, "The runtime's session."),
    IL__STR_ROW(il__grant, action_digest, "actionDigest", IL__F_HEX64, "Digest of the action that was approved."),
    IL__STR_ROW(il__grant, scope_digest, "scopeDigest", IL__F_HEX64, "Digest of what the grant covers."),
    IL__STR_ROW(il__grant, policy_digest, "policyDigest", IL__F_NONEMPTY, "The policy under which it was given."),
    IL__STR_ROW(il__grant, tool, "tool", 0, "The tool it is good for."),
    IL__STR_ROW(il__grant, operation, "operation", 0, "The operation it is good for."),
    IL__ENUM_ROW(il__grant, action_class, "actionClass", 0, il__class_names, "How grave the action is."),
    IL__ENUM_ROW(il__grant, mode, "mode", 0, il__mode_names, "The mode it is good for."),
    IL__STR_ROW(il__grant, issued_at, "issuedAt", IL__F_NONEMPTY | IL__F_TIME, "When it was given."),
    IL__STR_ROW(il__grant, expires_at, "expiresAt", IL__F_NONEMPTY | IL__F_TIME, "When it is void."),
    IL__INT_ROW(il__grant, remaining_uses, "remainingUses", 0, 0, GRANT_LIST_MAX, "How many uses are left."),
    IL__ROW(il__grant, consumed_by_action_ids, "consumedByActionIds", IL__F_STRS, IL__F_UNIQUE | IL__F_ITEMS_NONEMPTY,
            NULL, NULL, 0, GRANT_LIST_MAX, "The actions that used it."),
    IL__END_ROW,
};
const struct il__schema il__grant_schema = {
    .object = "approval grant", .size = sizeof(struct il__grant), .closed = true, .fields = grant_fields,
    .rules = grant_rules,
};

static const struct il__field answer_fields[] = {
    IL__STR_ROW(il__answer, request_id, "requestId", IL__F_OPT, "The request that is answered."),
    IL__STR_ROW(il__answer, action_digest, "actionDigest", IL__F_OPT, "The action shown; null before a preview."),
    IL__STR_ROW(il__answer, policy_digest, "policyDigest", IL__F_OPT, "The policy shown; null before a preview."),
    IL__STR_ROW(il__answer, proposal_digest, "proposalDigest", IL__F_OPT, "The proposal that was shown."),
    IL__STR_ROW(il__answer, grant_id, "grantId", IL__F_OPT, "The runtime's grant."),
    IL__BOOL_ROW(il__answer, runtime_approved, "runtimeApproved", IL__F_OPT,
                 "Whether the runtime holds the approval itself."),
    IL__OBJECT_ROW(il__answer, grant, "grant", IL__F_OPT, il__grant_schema, "The grant in full."),
    IL__ENUM_ROW(il__answer, decision, "decision", IL__F_OPT, il__decision_names, "What the approver decided."),
    IL__STR_ROW(il__answer, reason, "reason", IL__F_OPT, "Why."),
    IL__END_ROW,
};
const struct il__schema il__answer_schema = {
    .object = "approval", .size = sizeof(struct il__answer), .closed = true, .fields = answer_fields,
};

static const struct il__field answer_file_fields[] = {
    IL__OBJECT_ROW(il__answer_file, approval, "approval", 0, il__answer_schema, "The answer."),
    IL__ANY_ROW(il__answer_file, preview, "preview", IL__F_OPT, "A second entry for the preview channel."),
    IL__END_ROW,
};
const struct il__schema il__answer_file_schema = {
    .object = "approval", .size = sizeof(struct il__answer_file), .closed = true, .fields = answer_file_fields,
};

enum il_code il__answer_decode(struct il__json *doc, uint32_t at, struct il__answer_file *out, struct il_error *err)
{
    *out = (struct il__answer_file){ NULL, { NULL, 0 } };
    if (il__json_get(doc, at, "approval") || il__json_get(doc, at, "preview"))
        return il__decode(&il__answer_file_schema, doc, at, out, err);
    struct il__answer *answer = il__arena_alloc(&doc->arena, sizeof(*answer));
    if (!answer) return il__fail(err, IL_OUT_OF_MEMORY, "out of memory while decoding");
    enum il_code code = il__decode(&il__answer_schema, doc, at, answer, err);
    if (!code) out->approval = answer;
    return code;
}
