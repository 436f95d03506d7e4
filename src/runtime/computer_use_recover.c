/* Verify and recover (SPEC §7, §10): read from the session's events, and where those do not decide, from the lease-less
 * probe: the same execute without a lease, which a mutating tool can only have answered from a stored receipt, or
 * rejected. Must never probe with a lease, nor a tool that changes nothing; must never answer `not_started`. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"

enum { ASK_AGAIN_MS = 250, TIME_LEAST_MS = 600 };

static void unknown(struct il__cu_op *op)
{
    il__cu_op_answer(op, IL_STR("\"unknown\""));
}

static void goes_on(struct il__cu_op *op, enum il_code code, const struct il_error *err)
{
    if (!code) il__cu_op_again(op, 0);
    else if (op->op == IL_OP_RECOVER) unknown(op);
    else il__cu_op_fail(op, code, IL_STR_NONE, il__str(err->message));
}

enum il_code il__cu_recover_begin(struct il__cu_op *op, struct il_error *err)
{
    return il__cu_read_begin(op, op->op == IL_OP_RECOVER, err);
}

/* ---- verify ---- */

/* The positive events are quoted, not believed: what they are worth is for the core to say; likewise what was read
 * back. */
void il__cu_verify_answer(struct il__cu_op *op)
{
    const struct il__cu_look *look = &op->look;
    struct il__buf *body = &op->cu->body;
    struct il__json_writer w;
    struct il_error err = IL_ERROR_INIT;
    if (!op->story.verified.len && !look->why) {
        il__cu_op_answer(op, IL_STR("null"));
        return;
    }
    il__buf_reset(body);
    il__jw_init(&w, body);
    il__jw_object(&w);
    if (op->story.denied || look->contradicted) il__jw_member_bool(&w, "satisfied", false);
    else if (look->proved) il__jw_member_bool(&w, "satisfied", true);
    if (look->digest[0]) il__jw_member_z(&w, "observedDigest", look->digest);
    if (look->why) il__jw_member_z(&w, "readBack", look->why);
    if (op->story.verified.len) {
        il__jw_key(&w, "events");
        il__jw_array(&w);
        il__jw_raw(&w, il__buf_get(&op->story.verified));
        il__jw_array_end(&w);
    }
    il__jw_object_end(&w);
    if (il__buf_check(body, &err)) il__cu_op_fail(op, err.code, IL_STR_NONE, il__str(err.message));
    else il__cu_op_answer(op, il__buf_get(body));
}

static void verified(struct il__cu_op *op)
{
    struct il_error err = IL_ERROR_INIT;
    if (!op->story.verified.len && !op->story.end && !op->story.from_start)
        goes_on(op, il__cu_read_begin(op, true, &err), &err);
    else if (op->story.denied) il__cu_verify_answer(op); /* nothing outweighs that */
    else il__cu_look_begin(op);
}

/* ---- recover ---- */

/* The receipt that the events name. Its digest is that of the one envelope ever sent with this id. */
static void from_events(struct il__cu_op *op)
{
    struct il__cu_kept *kept = il__cu_kept_of(op->cu, op->action_id);
    struct il__cu_story *story = &op->story;
    struct il__json_writer w;
    if (!kept || !story->receipt_id.len || (story->digest.len && !il__str_eq(story->digest, kept->args_digest))) {
        unknown(op);
        return;
    }
    il__buf_reset(&op->cu->body);
    il__jw_init(&w, &op->cu->body);
    il__jw_object(&w);
    il__jw_member_str(&w, "receiptId", story->receipt_id);
    il__jw_member_str(&w, "sessionId", op->session_id);
    il__jw_member_str(&w, "actionId", op->action_id);
    il__jw_member_str(&w, "actionDigest", kept->args_digest);
    il__jw_member_int(&w, "attempt", kept->attempt > 0 ? kept->attempt : 1);
    il__jw_member_z(&w, "status", story->end);
    il__jw_member_str(&w, "updatedAt", story->at);
    if (story->code.len) {
        il__jw_key(&w, "error");
        il__jw_object(&w);
        il__jw_member_str(&w, "code", story->code);
        il__jw_member_z(&w, "message", "told by the session's events");
        il__jw_object_end(&w);
    }
    il__jw_object_end(&w);
    if (il__buf_check(&op->cu->body, NULL)) unknown(op);
    else il__cu_op_answer(op, il__buf_get(&op->cu->body));
}

static bool may_probe(const struct il__cu_op *op)
{
    const struct il__cu_kept *kept = il__cu_kept_of(op->cu, op->action_id);
    return kept && kept->mutates && kept->sent.len && !op->probed;
}

/* The arguments of the send, the next attempt, and no lease. */
static enum il_code ask_probe(struct il__cu_op *op, struct il_error *err)
{
    struct il__cu_kept *kept = il__cu_kept_of(op->cu, op->action_id);
    op->tool = "execute_action";
    op->stage = IL__CU_PROBE;
    op->probed = true;
    il__buf_reset(&op->args);
    il__buf_str(&op->args, il__buf_get(&kept->sent));
    il__buf_printf(&op->args, ",\"attempt\":%lld}", (long long)kept->attempt + 1);
    return il__buf_check(&op->args, err);
}

/* A rejection for want of a lease is a probe's own doing: it proves that nothing ran only as long as the events go back
 * to our preview, without a restart that could have lost an earlier receipt. */
static void rejected_by_probe(struct il__cu_op *op)
{
    const struct il__cu_story *story = &op->story;
    if (op->known_before && story->previewed && !story->recovered && !story->started) from_events(op);
    else unknown(op);
}

static void recovered(struct il__cu_op *op)
{
    struct il__cu_story *story = &op->story;
    struct il_error err = IL_ERROR_INIT;
    bool time_left = op->deadline_ms - il__cu_now_ms(op->cu) > TIME_LEAST_MS;
    if (!op->probed) op->known_before = story->previewed && !story->recovered;
    if (story->end) {
        bool committed = il__str_eq(il__str(story->end), IL_STR("committed"));
        bool no_lease = il__str_eq(story->code, IL_STR("lease_conflict"));
        if (committed && may_probe(op)) goes_on(op, ask_probe(op, &err), &err); /* for the receipt with its result */
        else if (no_lease && !committed) rejected_by_probe(op);
        else from_events(op);
    } else if (story->started && time_left) {
        enum il_code code = il__cu_read_begin(op, true, &err);
        if (code) unknown(op);
        else il__cu_op_again(op, ASK_AGAIN_MS); /* it may still end */
    } else if (!story->started && may_probe(op)) {
        goes_on(op, ask_probe(op, &err), &err);
    } else {
        unknown(op);
    }
}

/* ---- the probe's answer ---- */

static bool is_ours(struct il__cu_op *op, struct il__json *doc, uint32_t receipt)
{
    return il__str_eq(il__cu_text(doc, receipt, "actionId"), op->action_id) &&
           il__str_eq(il__cu_text(doc, receipt, "sessionId"), op->session_id);
}

/* True when the receipt answers the operation. */
static bool stored_receipt(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    uint32_t receipt = r->content ? il__json_get(r->doc, r->content, "receipt") : 0;
    uint32_t replay = r->content ? il__json_get(r->doc, r->content, "replay") : 0;
    if (!receipt || !is_ours(op, r->doc, receipt)) return false;
    if (r->ok && (!replay || il__json_kind(r->doc, replay) != IL__JSON_TRUE)) return false;
    uint32_t error = il__json_get(r->doc, receipt, "error");
    if (error && il__str_eq(il__cu_text(r->doc, error, "code"), IL_STR("lease_conflict"))) return false;
    bool committed = il__str_eq(il__cu_text(r->doc, receipt, "status"), IL_STR("committed"));
    if (op->story.end && !committed) return false; /* the events said that it was */
    il__cu_op_answer(op, il__json_raw(r->doc, receipt));
    return true;
}

static void probed(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    struct il_error err = IL_ERROR_INIT;
    if (stored_receipt(op, r)) return;
    if (op->story.end) {
        from_events(op);
        return;
    }
    /* Rejected just now, or still running: the events tell. */
    enum il_code code = il__cu_read_begin(op, true, &err);
    if (code) unknown(op);
    else il__cu_op_again(op, 0);
}

/* ---- every answer ---- */

static void took_page(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    struct il_error err = IL_ERROR_INIT;
    bool more = false;
    enum il_code code = il__cu_read_page(op, r->doc, r->content, &more, &err);
    if (code || more) goes_on(op, code, &err);
    else if (op->op == IL_OP_VERIFY) verified(op);
    else recovered(op);
}

static void failed(struct il__cu_op *op, const struct il__mcp_answer *answer)
{
    if (op->op == IL_OP_VERIFY) il__cu_op_lost(op, answer);
    else if (op->stage == IL__CU_PROBE && op->story.end) from_events(op);
    else unknown(op);
}

void il__cu_recover_heard(struct il__cu_op *op, const struct il__mcp_answer *answer)
{
    struct il__mcp_tool_result result = { 0 };
    struct il_error err = IL_ERROR_INIT;
    if (op->token && op->stage >= IL__CU_FIND) {
        il__cu_look_heard(op, answer);
        return;
    }
    if (answer->code || !op->token) {
        failed(op, answer);
        return;
    }
    if (il__mcp_tool_result(op->cu->mem, answer->doc, answer->result, &result, &err))
        goes_on(op, err.code, &err);
    else if (op->stage == IL__CU_PROBE) probed(op, &result);
    else if (result.ok) took_page(op, &result);
    else if (op->op == IL_OP_VERIFY) il__cu_op_fail(op, IL_RUNTIME, il__cu_reason(&result), result.message);
    else unknown(op);
    il__mcp_tool_result_clear(&result);
}
