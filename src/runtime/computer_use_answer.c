/* Answers of the server become the documents of the port: {lease: …} a lease, {receipt, …} a receipt. Both failure
 * shapes become one. Must never take an answer that was stored before for the answer to a first send. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"

enum { LEASE_PAUSE_MS = 20, LEASE_LEAST_MS = 100 };

struct il_str il__cu_reason(const struct il__mcp_tool_result *result)
{
    return result->reason.len ? result->reason : IL_STR("refused");
}

/* The member of the answer that is the document; 0: fails the operation. */
static uint32_t part(struct il__cu_op *op, const struct il__mcp_tool_result *r, const char *name)
{
    uint32_t node = r->content ? il__json_get(r->doc, r->content, name) : 0;
    if (node && il__json_kind(r->doc, node) == IL__JSON_OBJECT) return node;
    char message[120];
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, IL_DECODE, "the answer to %s has no %s", op->tool, name);
    memcpy(message, err.message, sizeof message - 1);
    message[sizeof message - 1] = '\0';
    il__cu_op_fail(op, IL_DECODE, IL_STR_NONE, il__str(message));
    return 0;
}

static void answer_part(struct il__cu_op *op, const struct il__mcp_tool_result *r, const char *name)
{
    uint32_t node = part(op, r, name);
    if (node) il__cu_op_answer(op, il__json_raw(r->doc, node));
}

static void answer_all(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    if (r->content) il__cu_op_answer(op, il__json_raw(r->doc, r->content));
    else il__cu_op_fail(op, IL_DECODE, IL_STR_NONE, IL_STR("the answer has no content"));
}

/* ---- preview ---- */

static void previewed(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    struct il_error err = IL_ERROR_INIT;
    uint32_t envelope = part(op, r, "envelope");
    if (!envelope) return;
    if (il__cu_keep(op->cu, op->action_id, r->doc, envelope, &err))
        il__cu_op_fail(op, err.code, IL_STR_NONE, il__str(err.message));
    else answer_all(op, r);
}

/* ---- execute and observe ---- */

/* 1: true, 0: false, -1: absent or of another type. */
static int flag(const struct il__mcp_tool_result *r, const char *name)
{
    uint32_t node = il__json_get(r->doc, r->content, name);
    if (!node) return -1;
    enum il__json_kind kind = il__json_kind(r->doc, node);
    return kind == IL__JSON_TRUE ? 1 : kind == IL__JSON_FALSE ? 0 : -1;
}

static void executed(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    uint32_t receipt = part(op, r, "receipt");
    if (!receipt) return;
    int replay = flag(r, "replay");
    if (replay < 0)
        il__cu_op_fail(op, IL_DECODE, IL_STR_NONE, IL_STR("the answer does not say whether it is a replay"));
    else if (replay && op->attempt <= 1)
        il__cu_op_fail(op, IL_RUNTIME, IL_STR("replayed"),
                       IL_STR("an older receipt was answered to a first send"));
    else il__cu_op_answer(op, il__json_raw(r->doc, receipt));
}

static void observed(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    uint32_t receipt = part(op, r, "receipt");
    if (!receipt) return;
    uint32_t output = il__json_get(r->doc, r->content, "output");
    uint32_t result = il__json_get(r->doc, receipt, "result");
    bool own = il__str_eq(il__cu_text(r->doc, receipt, "actionId"), op->action_id) &&
               il__str_eq(il__cu_text(r->doc, receipt, "sessionId"), op->session_id) && flag(r, "replay") == 0;
    if (!own)
        il__cu_op_fail(op, IL_RUNTIME, IL_STR("foreign_receipt"), IL_STR("the receipt is of another observation"));
    else if (!il__str_eq(il__cu_text(r->doc, receipt, "status"), IL_STR("committed")))
        il__cu_op_fail(op, IL_RUNTIME, IL_STR("not_committed"), IL_STR("the observation was not made"));
    else if (result && il__json_kind(r->doc, result) != IL__JSON_NULL)
        il__cu_op_answer(op, il__json_raw(r->doc, result));
    else if (output && il__json_kind(r->doc, output) != IL__JSON_NULL)
        il__cu_op_answer(op, il__json_raw(r->doc, output));
    else
        il__cu_op_fail(op, IL_RUNTIME, IL_STR("no_result"),
                       IL_STR("the observation came back without its result: this server keeps durable receipts, "
                              "and those leave results out"));
}

static void succeeded(struct il__cu_op *op, const struct il__mcp_tool_result *r)
{
    switch (op->op) {
    case IL_OP_PREVIEW_ACTION: previewed(op, r); break;
    case IL_OP_RESERVE_TARGET: answer_part(op, r, "reservation"); break;
    case IL_OP_ACQUIRE_LEASE: answer_part(op, r, "lease"); break;
    case IL_OP_EXECUTE_ACTION: executed(op, r); break;
    case IL_OP_OBSERVE_VISUAL:
    case IL_OP_OBSERVE_SEMANTIC: observed(op, r); break;
    case IL_OP_EMERGENCY_STOP:
        if (r->content && flag(r, "stopped") == 1) answer_all(op, r);
        else il__cu_op_fail(op, IL_DECODE, IL_STR_NONE, IL_STR("the answer does not say that all is stopped"));
        break;
    case IL_OP_PAUSE_SESSION:
    case IL_OP_STOP_SESSION: answer_part(op, r, "session"); break;
    case IL_OP_DISCOVER_CAPABILITIES:
    case IL_OP_RELEASE_TARGET:
    case IL_OP_RELEASE_LEASE:
    case IL_OP_VERIFY:
    case IL_OP_RECOVER:
    case IL_OP_COUNT: answer_all(op, r); break;
    }
}

/* ---- every answer ---- */

/* Somebody else has the lease: another try while there is time. */
static bool try_again(struct il__cu_op *op, const struct il__mcp_answer *answer)
{
    if (op->op != IL_OP_ACQUIRE_LEASE || answer->code != IL_TIMEOUT || !op->token) return false;
    if (op->deadline_ms - il__cu_now_ms(op->cu) >= LEASE_LEAST_MS) {
        il__cu_op_again(op, LEASE_PAUSE_MS);
        return true;
    }
    il__cu_op_fail(op, IL_TIMEOUT, IL_STR("lease_conflict"), IL_STR("the one lease of the server stayed taken"));
    return true;
}

/* Elsewhere this means that it is over; here the server that granted it may be gone, or still there beside this one. */
static bool is_unknown(const struct il__cu_op *op, const struct il__mcp_tool_result *result)
{
    if (op->op != IL_OP_RELEASE_LEASE && op->op != IL_OP_RELEASE_TARGET) return false;
    return il__str_eq(result->reason, IL_STR("lease_not_active")) ||
           il__str_eq(result->reason, IL_STR("reservation_not_active"));
}

static void read_result(struct il__cu_op *op, const struct il__mcp_answer *answer)
{
    struct il__mcp_tool_result result = { 0 };
    struct il_error err = IL_ERROR_INIT;
    if (il__mcp_tool_result(op->cu->mem, answer->doc, answer->result, &result, &err))
        il__cu_op_fail(op, err.code, IL_STR_NONE, il__str(err.message));
    else if (result.ok) succeeded(op, &result);
    else if (op->crossed && is_unknown(op, &result))
        il__cu_op_fail(op, IL_RUNTIME, IL_STR("not_known"),
                       IL_STR("it was granted over a connection that is lost, and the server knows nothing of it now"));
    else il__cu_op_fail(op, IL_RUNTIME, il__cu_reason(&result), result.message);
    il__mcp_tool_result_clear(&result);
}

void il__cu_op_heard(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__cu_op *op = ctx;
    op->call = NULL;
    if (try_again(op, answer)) return;
    if (op->op == IL_OP_VERIFY || op->op == IL_OP_RECOVER) il__cu_recover_heard(op, answer);
    else if (answer->code) il__cu_op_lost(op, answer);
    else read_result(op, answer);
}
