/* The arguments of each tool, from the body that the core built: snake_case, from an allow-list, nulls left out (the
 * server refuses them), times to live at most five minutes. Must never copy a member that no table names. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"

enum { TTL_MAX_MS = 300000, AHEAD_MS = 30000 };

struct rename { const char *from, *to; const struct rename *inside; };

static const struct rename TARGET[] = {
    { "platform", "platform", NULL }, { "appId", "app_id", NULL }, { "pid", "pid", NULL },
    { "windowId", "window_id", NULL }, { "windowTitleDigest", "window_title_digest", NULL },
    { "displayId", "display_id", NULL }, { "role", "role", NULL }, { "labelDigest", "label_digest", NULL },
    { "bounds", "bounds", NULL }, { "observationId", "observation_id", NULL },
    { "screenshotHash", "screenshot_hash", NULL }, { "uiTreeRevision", "ui_tree_revision", NULL },
    { "confidence", "confidence", NULL }, { "capturedAt", "captured_at", NULL }, { NULL, NULL, NULL },
};
static const struct rename POSTCONDITION[] = {
    { "kind", "kind", NULL }, { "role", "role", NULL }, { "label", "label", NULL }, { "path", "path", NULL },
    { "name", "name", NULL }, { "exists", "exists", NULL }, { "valueDigest", "value_digest", NULL },
    { "contentDigest", "content_digest", NULL }, { "pid", "pid", NULL }, { "running", "running", NULL },
    { "windowId", "window_id", NULL }, { NULL, NULL, NULL },
};
static const struct rename PROVENANCE[] = {
    { "untrustedInstruction", "untrusted_instruction", NULL },
    { "sourceObservationIds", "source_observation_ids", NULL },
    { "crossesDataBoundary", "crosses_data_boundary", NULL }, { NULL, NULL, NULL },
};
/* The action itself: what preview and execute share. `expiresInMs` is written apart. */
static const struct rename ACTION[] = {
    { "sessionId", "session_id", NULL }, { "actionId", "action_id", NULL },
    { "executionGroupId", "execution_group_id", NULL }, { "agentId", "agent_id", NULL }, { "tool", "tool", NULL },
    { "operation", "operation", NULL }, { "arguments", "arguments", NULL }, { "mode", "mode", NULL },
    { "target", "target", TARGET }, { "postcondition", "postcondition", POSTCONDITION },
    { "dataLabels", "data_labels", NULL }, { "provenance", "provenance", PROVENANCE }, { NULL, NULL, NULL },
};
/* What an observation takes of the proposal: neither its id nor its tool, arguments or mode. */
static const struct rename OBSERVED[] = {
    { "sessionId", "session_id", NULL }, { "executionGroupId", "execution_group_id", NULL },
    { "agentId", "agent_id", NULL }, { "dataLabels", "data_labels", NULL }, { NULL, NULL, NULL },
};
static const struct rename LEASE[] = {
    { "sessionId", "session_id", NULL }, { "agentId", "agent_id", NULL }, { "mode", "mode", NULL },
    { "appIds", "app_ids", NULL }, { "windowIds", "window_ids", NULL }, { "displayIds", "display_ids", NULL },
    { NULL, NULL, NULL },
};
static const struct rename CONTROL[] = {
    { "sessionId", "session_id", NULL }, { "reason", "reason", NULL }, { NULL, NULL, NULL },
};

void il__cu_put_raw(struct il__json_writer *w, struct il_str json)
{
    bool text = false;
    size_t from = 0;
    il__jw_raw(w, (struct il_str){ json.ptr, 1 });
    from = 1;
    text = json.ptr[0] == '"';
    for (size_t i = 1; i < json.len; i++) {
        char c = json.ptr[i];
        if (text && c == '\\') i++;
        else if (c == '"') text = !text;
        else if (!text && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
            il__buf_add(w->buf, json.ptr + from, i - from);
            from = i + 1;
        }
    }
    il__buf_add(w->buf, json.ptr + from, json.len - from);
}

/* A member that is there and not null; 0: none. */
static uint32_t member(const struct il__json *doc, uint32_t at, const char *name)
{
    uint32_t node = at || name ? il__json_get(doc, at, name) : 0;
    return node && il__json_kind(doc, node) != IL__JSON_NULL ? node : 0;
}

static void put_flat(struct il__json_writer *w, const struct il__json *doc, uint32_t at, const struct rename *names)
{
    for (; names->from; names++) {
        uint32_t node = member(doc, at, names->from);
        if (!node) continue;
        il__jw_key(w, names->to);
        il__cu_put_raw(w, il__json_raw(doc, node));
    }
}

static void put_members(struct il__json_writer *w, const struct il__json *doc, uint32_t at, const struct rename *names)
{
    for (; names->from; names++) {
        const struct rename one[] = { *names, { NULL, NULL, NULL } };
        uint32_t node = names->inside ? member(doc, at, names->from) : 0;
        if (!names->inside) put_flat(w, doc, at, one);
        if (!node) continue;
        il__jw_key(w, names->to);
        il__jw_object(w);
        put_flat(w, doc, node, names->inside);
        il__jw_object_end(w);
    }
}

/* A time to live that was asked, within what the server takes. */
static int64_t ttl_of(const struct il__json *doc, uint32_t at, const char *name)
{
    int64_t ms = TTL_MAX_MS;
    uint32_t node = member(doc, at, name);
    if (node && !il__json_int(doc, node, &ms)) ms = TTL_MAX_MS;
    return ms < 1 ? 1 : ms > TTL_MAX_MS ? TTL_MAX_MS : ms;
}

static void put_action(struct il__json_writer *w, const struct il__json *doc, uint32_t proposal)
{
    put_members(w, doc, proposal, ACTION);
    il__jw_member_int(w, "expires_in_ms", ttl_of(doc, proposal, "expiresInMs"));
}

/* The server takes any text for the time of evidence, and what is never old for what is fresh. */
static enum il_code check_evidence(const struct il__cu_op *op, struct il__json *body, uint32_t proposal,
                                   struct il_error *err)
{
    uint32_t target = member(body, proposal, "target");
    struct il__instant at, now = il__clock_now(op->cu->clock).wall;
    if (!target) return IL_OK;
    if (!il__rfc3339_parse(il__cu_text(body, target, "capturedAt"), &at, NULL))
        return il__fail_at(err, IL_INVALID_REQUEST, "target", "captured_at", "the time of the evidence cannot be read");
    if (il__instant_diff_ms(at, now) > AHEAD_MS)
        return il__fail_at(err, IL_INVALID_REQUEST, "target", "captured_at", "the evidence is from the future");
    return IL_OK;
}

/* ---- by operation ---- */

static enum il_code discover(struct il__cu_op *op, struct il__json *body, uint32_t proposal, struct il__json_writer *w)
{
    uint32_t target = member(body, proposal, "target");
    op->tool = "get_execution_capabilities";
    il__jw_member_str(w, "tool", il__cu_text(body, proposal, "tool"));
    if (target) il__jw_member_str(w, "app_id", il__cu_text(body, target, "appId"));
    return IL_OK;
}

/* Observations are actions of their own in mode shadow: another id, and never a lease. */
static enum il_code observe(struct il__cu_op *op, struct il__json *body, uint32_t proposal, struct il__json_writer *w,
                            struct il_error *err)
{
    char id[IL__CU_UUID];
    bool visual = op->op == IL_OP_OBSERVE_VISUAL;
    uint32_t target = member(body, proposal, "target");
    uint32_t window = target ? member(body, target, "windowId") : 0;
    bool tree = !visual && window && il__json_kind(body, window) == IL__JSON_INT;
    struct il_str tool = visual ? op->cu->visual_tool : op->cu->semantic_tool;
    struct il_str app = target ? il__cu_text(body, target, "appId") : IL_STR_NONE;
    enum il_code code = il__cu_uuid(op->cu, id, err);
    if (!code) code = il__arena_str(&op->arena, il__str(id), &op->action_id);
    if (code) return code;
    op->tool = "execute_action";
    if (!il__str_present(tool)) tool = tree ? IL_STR("get_ui_tree") : IL_STR("snapshot");
    put_members(w, body, proposal, OBSERVED);
    il__jw_member_z(w, "action_id", id);
    il__jw_member_str(w, "tool", tool);
    il__jw_member_z(w, "mode", "shadow");
    il__jw_key(w, "arguments");
    il__jw_object(w);
    if (tree) {
        il__jw_key(w, "window_id");
        il__cu_put_raw(w, il__json_raw(body, window));
    } else {
        il__jw_member_bool(w, "use_vision", visual);
        if (app.len) il__jw_member_str(w, "target_app", app);
    }
    il__jw_object_end(w);
    return IL_OK;
}

static void reserve(struct il__cu_op *op, struct il__json *body, struct il__json_writer *w, bool *none)
{
    uint32_t envelope = member(body, 0, "envelope");
    uint32_t target = envelope ? member(body, envelope, "target") : 0;
    uint32_t window = target ? member(body, target, "windowId") : 0;
    op->tool = "reserve_target";
    *none = !target; /* a reservation is of an app */
    if (*none) return;
    il__jw_member_str(w, "session_id", op->session_id);
    il__jw_member_str(w, "intent_id", op->action_id);
    il__jw_member_str(w, "execution_group_id", il__cu_text(body, envelope, "executionGroupId"));
    il__jw_member_str(w, "agent_id", il__cu_text(body, envelope, "agentId"));
    il__jw_member_str(w, "app_id", il__cu_text(body, target, "appId"));
    if (window) {
        il__jw_key(w, "window_id");
        il__cu_put_raw(w, il__json_raw(body, window));
    }
    il__jw_member_int(w, "ttl_ms", ttl_of(body, 0, "ttlMs"));
}

static void lease(struct il__cu_op *op, struct il__json *body, struct il__json_writer *w)
{
    op->tool = "acquire_control_lease";
    put_members(w, body, 0, LEASE);
    il__jw_member_z(w, "kind", "cooperative"); /* the only kind that a person's hand on the mouse revokes */
    il__jw_member_int(w, "action_budget", 1);
    il__jw_member_int(w, "ttl_ms", ttl_of(body, 0, "ttlMs"));
}

/* The action as it was previewed goes into what is kept of it; then what only this send has. */
static enum il_code execute(struct il__cu_op *op, struct il__json *body, struct il__json_writer *w,
                            struct il_error *err)
{
    uint32_t proposal = member(body, 0, "proposal"), given = member(body, 0, "lease");
    uint32_t envelope = member(body, 0, "envelope"), attempt = member(body, 0, "attempt");
    enum il_code code = il__cu_keep_check(op->cu, op->action_id, body, envelope, err);
    if (code) return code;
    struct il__cu_kept *kept = il__cu_kept_of(op->cu, op->action_id);
    if (!proposal || !given)
        return il__fail_at(err, IL_INVALID_REQUEST, "runtime", "execute_action", "an execute has proposal and lease");
    if (!il__str_eq(il__cu_text(body, proposal, "actionId"), op->action_id) ||
        !il__str_eq(il__cu_text(body, proposal, "sessionId"), op->session_id))
        return il__fail_at(err, IL_INVARIANT, "runtime", "execute_action", "the proposal is of another action");
    if (!attempt || !il__json_int(body, attempt, &op->attempt)) op->attempt = 1;
    op->tool = "execute_action";
    put_action(w, body, proposal);
    struct il_str grant = il__cu_text(body, 0, "grantId");
    if (grant.len) il__jw_member_str(w, "approval_grant_id", grant);
    if ((code = il__cu_keep_sent(op->cu, kept, il__buf_get(&op->args), err))) return code;
    kept->attempt = op->attempt;
    if (op->attempt > 1) il__jw_member_int(w, "attempt", op->attempt);
    il__jw_member_str(w, "lease_id", il__cu_text(body, given, "leaseId"));
    return IL_OK;
}

static void control(struct il__cu_op *op, struct il__json *body, const char *tool, struct il__json_writer *w)
{
    op->tool = tool;
    if (op->op == IL_OP_EMERGENCY_STOP) il__jw_member_str(w, "reason", il__cu_text(body, 0, "reason"));
    else put_members(w, body, 0, CONTROL);
}

static enum il_code by_operation(struct il__cu_op *op, struct il__json *body, struct il__json_writer *w, bool *none,
                                 struct il_error *err)
{
    uint32_t proposal = member(body, 0, "proposal");
    switch (op->op) {
    case IL_OP_DISCOVER_CAPABILITIES: return discover(op, body, proposal, w);
    case IL_OP_OBSERVE_VISUAL:
    case IL_OP_OBSERVE_SEMANTIC: return observe(op, body, proposal, w, err);
    case IL_OP_PREVIEW_ACTION:
        op->tool = "preview_action";
        put_action(w, body, proposal);
        return check_evidence(op, body, proposal, err);
    case IL_OP_RESERVE_TARGET:
        reserve(op, body, w, none);
        return IL_OK;
    case IL_OP_RELEASE_TARGET:
        op->tool = "release_target_reservation";
        il__jw_member_str(w, "session_id", op->session_id);
        il__jw_member_str(w, "reservation_id", il__cu_text(body, 0, "reservationId"));
        return IL_OK;
    case IL_OP_ACQUIRE_LEASE:
        lease(op, body, w);
        return IL_OK;
    case IL_OP_RELEASE_LEASE:
        op->tool = "release_control_lease";
        il__jw_member_str(w, "lease_id", il__cu_text(body, 0, "leaseId"));
        return IL_OK;
    case IL_OP_EXECUTE_ACTION: return execute(op, body, w, err);
    case IL_OP_PAUSE_SESSION:
        control(op, body, "pause_session", w);
        return IL_OK;
    case IL_OP_STOP_SESSION:
        control(op, body, "stop_session", w);
        return IL_OK;
    case IL_OP_EMERGENCY_STOP:
        control(op, body, "emergency_stop", w);
        return IL_OK;
    case IL_OP_VERIFY:
    case IL_OP_RECOVER:
    case IL_OP_COUNT: break;
    }
    return IL_OK; /* their calls are made one by one */
}

enum il_code il__cu_args(struct il__cu_op *op, struct il__json *body, bool *none, struct il_error *err)
{
    struct il__json_writer w;
    *none = false;
    il__buf_reset(&op->args);
    il__jw_init(&w, &op->args);
    il__jw_object(&w);
    enum il_code code = by_operation(op, body, &w, none, err);
    il__jw_object_end(&w);
    return code ? code : il__buf_check(&op->args, err);
}
