/* The computer-use adapter: operations of the port, begun, retried, given up and ended (computer_use.h). All calls are
 * begun from `begin` and `tick`, never from an answer. Must complete each token exactly once. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"

enum { LEASE_TRY_MS = 2000, STEPS_MAX = 32, ROUNDS_MAX = 8, PINGS_WHEN_SUSPECT = 10 };

/* ---- small things ---- */

int64_t il__cu_now_ms(const struct il__computer_use *cu)
{
    return il__clock_now(cu->clock).boot_ms;
}

struct il_str il__cu_text(struct il__json *doc, uint32_t at, const char *name)
{
    struct il_str s;
    uint32_t node = il__json_get(doc, at, name);
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING) return IL_STR_NONE;
    return il__json_string(doc, node, &s, NULL) ? IL_STR_NONE : s;
}

enum il_code il__cu_uuid(struct il__computer_use *cu, char out[IL__CU_UUID], struct il_error *err)
{
    uint8_t b[16];
    char hex[33];
    if (cu->random(cu->random_ctx, b, sizeof b))
        return il__fail_at(err, IL_RUNTIME, "random", "bytes", "the random source failed");
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40); /* RFC 9562, version 4 */
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    il__hex(b, sizeof b, hex);
    for (int from = 0, to = 0; from < 32; from++) {
        if (from == 8 || from == 12 || from == 16 || from == 20) out[to++] = '-';
        out[to++] = hex[from];
    }
    out[IL__CU_UUID - 1] = '\0';
    return IL_OK;
}

/* ---- the end of an operation ---- */

static void op_free(struct il__cu_op *op)
{
    struct il__cu_op **link = &op->cu->ops;
    while (*link && *link != op) link = &(*link)->next;
    if (*link) *link = op->next;
    il__buf_clear(&op->args);
    il__buf_clear(&op->story.verified);
    il__arena_clear(&op->arena);
    il__mem_free(op->cu->mem, op, sizeof *op);
}

static void complete(struct il__cu_op *op, const struct il__answer_in *answer)
{
    struct il__computer_use *cu = op->cu;
    struct il_error err = IL_ERROR_INIT;
    uint64_t token = op->token;
    op->token = 0;
    if (token && cu->sink.complete(cu->sink.ctx, answer, &err)) {
        const struct il__answer_in failed = { .token = token, .code = IL_TRANSPORT,
                                              .reason = il__str(il_code_name(err.code)),
                                              .message = il__str(err.message) };
        if (answer->code || cu->sink.complete(cu->sink.ctx, &failed, NULL))
            il__log(cu->log, IL_LOG_WARN, "computer-use: an answer was not taken: %s", err.message);
    }
    op_free(op);
}

void il__cu_op_answer(struct il__cu_op *op, struct il_str body)
{
    const struct il__answer_in answer = { .token = op->token, .body = body };
    complete(op, &answer);
}

void il__cu_op_fail(struct il__cu_op *op, enum il_code code, struct il_str reason, struct il_str message)
{
    const struct il__answer_in answer = { .token = op->token, .code = code, .reason = reason, .message = message };
    complete(op, &answer);
}

void il__cu_op_lost(struct il__cu_op *op, const struct il__mcp_answer *answer)
{
    struct il__answer_in in = { .token = op->token, .code = answer->code, .message = answer->message };
    if (op->op == IL_OP_EXECUTE_ACTION) in.unsent = !answer->sent;
    if (in.code == IL_LIMIT_EXCEEDED) in.reason = IL_STR("limit_exceeded");
    bool named = in.code == IL_TRANSPORT || in.code == IL_TIMEOUT || in.code == IL_RUNTIME || in.code == IL_DECODE;
    if (!named && !in.unsent) in.code = IL_TRANSPORT;
    complete(op, &in);
}

void il__cu_op_again(struct il__cu_op *op, int64_t in_ms)
{
    op->due = true;
    op->due_ms = il__cu_now_ms(op->cu) + in_ms;
}

/* ---- the calls of an operation ---- */

/* The lease is asked for in short tries: a queued request is granted to nobody once we are gone, and the next try is
 * what makes the server notice that the last holder's time is over. */
static uint32_t time_of(const struct il__cu_op *op)
{
    int64_t left = op->deadline_ms - il__cu_now_ms(op->cu);
    if (op->op == IL_OP_ACQUIRE_LEASE && left > LEASE_TRY_MS) left = LEASE_TRY_MS;
    if (op->stage >= IL__CU_FIND) left = left / 2 < IL__LIMIT_READ_BACK_MS ? left / 2 : IL__LIMIT_READ_BACK_MS;
    return left < 1 ? 1 : (uint32_t)left;
}

static enum il_code op_call(struct il__cu_op *op, struct il_error *err)
{
    op->due = false;
    enum il_code code = il__cu_again_serves(op, err);
    if (code) return code;
    const struct il__cu_ask ask = { .tool = op->tool, .args = il__buf_get(&op->args), .run_id = op->run_id,
                                    .session_id = op->session_id, .timeout_ms = time_of(op),
                                    .permit = op->has_permit ? &op->permit : NULL,
                                    .heard = il__cu_op_heard, .ctx = op };
    return il__cu_call_tool(op->cu, &ask, &op->call, err);
}

/* True when one was begun or ended. */
static bool take_due(struct il__computer_use *cu)
{
    int64_t now = il__cu_now_ms(cu);
    for (struct il__cu_op *op = cu->ops; op; op = op->next) {
        struct il_error err = IL_ERROR_INIT;
        if (!op->due || op->due_ms > now) continue;
        if (op_call(op, &err)) {
            const struct il__answer_in in = { .token = op->token, .code = err.code, .message = il__str(err.message),
                                              .unsent = op->op == IL_OP_EXECUTE_ACTION };
            complete(op, &in);
        }
        return true;
    }
    return false;
}

static int64_t next_due_ms(const struct il__computer_use *cu)
{
    int64_t now = il__cu_now_ms(cu), next = -1;
    for (const struct il__cu_op *op = cu->ops; op; op = op->next) {
        if (!op->due) continue;
        int64_t left = op->due_ms > now ? op->due_ms - now : 0;
        if (next < 0 || left < next) next = left;
    }
    return next;
}

/* ---- the port ---- */

static enum il_code op_new(struct il__computer_use *cu, const struct il_request *request, struct il__permit *permit,
                           struct il__cu_op **out, struct il_error *err)
{
    struct il__cu_op *op = il__mem_zalloc(cu->mem, 1, sizeof *op);
    if (!op) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an operation");
    op->cu = cu;
    op->op = request->op;
    op->deadline_ms = il__cu_now_ms(cu) + request->timeout_ms;
    il__arena_init(&op->arena, cu->mem);
    il__buf_init(&op->args, cu->mem, IL__LIMIT_RESULT_BYTES);
    il__buf_init(&op->story.verified, cu->mem, IL__LIMIT_CONTRACT_BYTES);
    if (permit) op->permit = *permit;
    op->has_permit = permit != NULL;
    op->next = cu->ops;
    cu->ops = op;
    enum il_code code = il__arena_str(&op->arena, request->run_id, &op->run_id);
    if (!code) code = il__arena_str(&op->arena, request->session_id, &op->session_id);
    *out = op;
    return code ? il__fail(err, code, "no memory for an operation") : IL_OK;
}

static enum il_code prepare(struct il__cu_op *op, struct il_str body, bool *none, struct il_error *err)
{
    struct il__json doc = { 0 };
    enum il_code code = il__json_parse(&doc, op->cu->mem, body, IL__JSON_PAYLOAD, err);
    if (code) return code;
    struct il_str action = il__cu_text(&doc, 0, "actionId"), session = il__cu_text(&doc, 0, "sessionId");
    code = il__arena_str(&op->arena, action, &op->action_id);
    if (!code && !il__str_present(op->session_id)) code = il__arena_str(&op->arena, session, &op->session_id);
    if (!code && op->op == IL_OP_VERIFY) il__cu_look_plan(op, &doc);
    if (code) (void)il__fail(err, code, "no memory for an operation");
    else if (op->op == IL_OP_VERIFY || op->op == IL_OP_RECOVER) code = il__cu_recover_begin(op, err);
    else code = il__cu_args(op, &doc, none, err);
    il__json_clear(&doc);
    return code;
}

/* A connection for commands serves stops and nothing else. */
static enum il_code serves(const struct il__computer_use *cu, enum il_op op, struct il_error *err)
{
    bool stop = op == IL_OP_PAUSE_SESSION || op == IL_OP_STOP_SESSION || op == IL_OP_EMERGENCY_STOP;
    if (!cu->commands_only || stop) return IL_OK;
    return il__fail_at(err, IL_UNSUPPORTED, "runtime", il_op_name(op), "this connection is for commands only");
}

static enum il_code begin(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    struct il__computer_use *cu = self;
    struct il__cu_op *op = NULL;
    bool none = false;
    if (cu->connect == IL__CU_DEAD) {
        if (err) *err = cu->error;
        return cu->error.code;
    }
    enum il_code code = serves(cu, request->op, err);
    if (!code) code = op_new(cu, request, permit, &op, err);
    if (!code) code = prepare(op, request->body, &none, err);
    if (!code) code = il__cu_again_serves(op, err);
    if (!code && !none && cu->connect == IL__CU_READY) code = op_call(op, err);
    else if (!code && !none) il__cu_op_again(op, 0); /* once the connection is ready */
    if (code) {
        if (op) op_free(op);
        return code;
    }
    op->token = request->token;
    const struct il__cu_kept *kept = il__cu_kept_of(cu, op->action_id);
    op->crossed = cu->epoch && (cu->connect != IL__CU_READY || (kept && kept->epoch != cu->epoch));
    if (none) il__cu_op_answer(op, IL_STR("null"));
    return IL_OK;
}

static void cancel(void *self, uint64_t token)
{
    struct il__computer_use *cu = self;
    struct il__cu_op *op = cu->ops;
    while (op && op->token != token) op = op->next;
    if (!op || !token) return;
    const struct il__answer_in gone = { .token = token, .code = IL_CANCELLED };
    op->token = 0;
    if (op->call && op->op == IL_OP_EXECUTE_ACTION) {
        op->call->late_token = token; /* its receipt may still come, and is told then */
    } else {
        (void)cu->sink.complete(cu->sink.ctx, &gone, NULL);
    }
    if (op->call) il__cu_call_cancel(op->call, "nobody waits any more");
    else op_free(op);
}

/* ---- time ---- */

void il__cu_dead(struct il__computer_use *cu, bool refused, const struct il_error *err)
{
    if (cu->connect == IL__CU_DEAD) return;
    cu->connect = IL__CU_DEAD;
    cu->refused = refused;
    cu->error = *err;
    if (cu->mcp) il__mcp_shut(cu->mcp);
}

/* Nothing is begun any more; what waits for its turn ends here, what is in flight is told by the engine. */
void il__cu_lose_waiting(struct il__computer_use *cu)
{
    for (struct il__cu_op *op = cu->ops, *next; op; op = next) {
        next = op->next;
        if (op->call) continue;
        const struct il__answer_in in = { .token = op->token, .code = cu->error.code,
                                          .message = il__str(cu->error.message),
                                          .unsent = op->op == IL_OP_EXECUTE_ACTION };
        complete(op, &in);
    }
    il__cu_commands_lose(cu, &cu->error);
}

static bool step(struct il__computer_use *cu)
{
    if (cu->mcp && il__mcp_state(cu->mcp) == IL__MCP_CLOSED) il__cu_broke(cu, il__mcp_error(cu->mcp));
    if (cu->connect == IL__CU_DEAD) {
        bool had = cu->ops != NULL;
        il__cu_lose_waiting(cu);
        return had && !cu->ops;
    }
    if (cu->connect != IL__CU_READY) return il__cu_connect_tick(cu);
    return take_due(cu) || il__cu_commands_tick(cu);
}

static bool steps(struct il__computer_use *cu)
{
    int count = 0;
    while (count < STEPS_MAX && step(cu)) count++;
    return count > 0;
}

/* An answer of the last round asks for a step of ours. */
static bool waits(const struct il__computer_use *cu)
{
    return cu->connect == IL__CU_LISTED || cu->connect == IL__CU_READ_DONE ||
           cu->connect == IL__CU_AGAIN_STARTED || cu->connect == IL__CU_AGAIN_STOPPED ||
           (cu->connect == IL__CU_CONNECTING && cu->mcp && il__mcp_state(cu->mcp) == IL__MCP_READY);
}

static int64_t least(int64_t a, int64_t b)
{
    if (a < 0) return b;
    return b < 0 || a < b ? a : b;
}

/* Returns ms to the next one; -1: none. Sooner while the server may be gone: that it came back, without what it knew,
 * is told by its answer to the first request. */
static int64_t ping(struct il__computer_use *cu)
{
    if (!cu->ping_ms) return -1;
    uint32_t every = cu->suspect_ms ? cu->ping_ms / PINGS_WHEN_SUSPECT : cu->ping_ms;
    int64_t left = cu->asked_ms + every - il__cu_now_ms(cu);
    if (left > 0) return left;
    il__cu_call_ping(cu);
    return 0;
}

static int64_t tick_engine(struct il__computer_use *cu, uint32_t budget_us)
{
    return cu->mcp ? il__mcp_tick(cu->mcp, budget_us) : -1;
}

static int64_t tick(void *self, uint32_t budget_us)
{
    struct il__computer_use *cu = self;
    int64_t next = tick_engine(cu, budget_us);
    for (int i = 0; i < ROUNDS_MAX && steps(cu); i++) next = tick_engine(cu, 0); /* what was begun leaves */
    if (waits(cu)) next = 0;
    il__cu_keep_tick(cu);
    int64_t calls = il__cu_calls_tick(cu);
    next = least(next, calls);
    if (cu->connect == IL__CU_READY) return least(next, least(next_due_ms(cu), ping(cu)));
    if (cu->connect == IL__CU_DEAD) return next;
    int64_t left = (cu->connect == IL__CU_LOST ? cu->again_ms : cu->connect_until_ms) - il__cu_now_ms(cu);
    if (left <= 0 && cu->connect == IL__CU_LOST && cu->mcp && il__mcp_state(cu->mcp) != IL__MCP_CLOSED)
        return next; /* the old connection is still ending */
    return least(next, left > 0 ? left : 0);
}

/* ---- new and free ---- */

/* What was asked for, the release of a lease above all, may still be answered; and the server is told that this is the
 * end: it suspends all sessions of somebody it merely does not hear from any more. */
static void release(void *self)
{
    struct il__computer_use *cu = self;
    il__cu_calls_mute(cu);
    if (cu->mcp) il__mcp_goodbye(cu->mcp);
    il__mcp_free(cu->mcp);
    while (cu->ops) {
        cu->ops->token = 0;
        op_free(cu->ops);
    }
    il__cu_commands_clear(cu);
    il__cu_calls_clear(cu);
    il__cu_keep_clear(cu);
    il__cu_cursors_clear(cu);
    struct il__buf *bufs[] = { &cu->acting, &cu->refusing, &cu->listing, &cu->params, &cu->body, &cu->facts };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) il__buf_clear(bufs[i]);
    il__arena_clear(&cu->arena);
    il__arena_clear(&cu->told);
    il__mem_free(cu->mem, cu, sizeof *cu);
}

static enum il_code retain(void *self, struct il_str action_id, struct il_str preview, struct il_error *err)
{
    return il__computer_use_retain(self, action_id, preview, err);
}

static const struct il__runtime_ops OPS = { begin, cancel, tick, release, retain };

static enum il_code copy_options(struct il__computer_use *cu, const struct il__computer_use_options *o)
{
    enum il_code code = il__arena_str(&cu->arena, o->address, &cu->address);
    if (!code) code = il__arena_str(&cu->arena, o->session_id, &cu->session_id);
    if (!code) code = il__arena_str(&cu->arena, o->visual_tool, &cu->visual_tool);
    if (!code) code = il__arena_str(&cu->arena, o->semantic_tool, &cu->semantic_tool);
    cu->accept_tools = il__arena_alloc(&cu->arena, (o->accept_count + 1) * sizeof *cu->accept_tools);
    if (!cu->accept_tools) return IL_OUT_OF_MEMORY;
    cu->accept_count = o->accept_count;
    for (size_t i = 0; i < o->accept_count && !code; i++)
        code = il__arena_str(&cu->arena, o->accept_tools[i], &cu->accept_tools[i]);
    return code;
}

static struct il__computer_use *cu_new(const struct il__computer_use_options *o)
{
    struct il__computer_use *cu = il__mem_zalloc(o->mem, 1, sizeof *cu);
    if (!cu) return NULL;
    cu->mem = o->mem;
    cu->clock = o->clock;
    cu->log = o->log;
    cu->digest = o->digest;
    cu->random = o->random;
    cu->random_ctx = o->random_ctx;
    cu->sink = o->sink;
    cu->mcp = o->mcp;
    cu->ping_ms = o->ping_ms;
    cu->commands_only = o->commands_only;
    cu->read_back = o->read_back;
    il__arena_init(&cu->arena, cu->mem);
    il__arena_init(&cu->told, cu->mem);
    struct il__buf *bufs[] = { &cu->acting, &cu->refusing, &cu->listing, &cu->params, &cu->body, &cu->facts };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) il__buf_init(bufs[i], cu->mem, IL__LIMIT_RESULT_BYTES);
    cu->connect_begun_us = il__clock_us(cu->clock);
    cu->connect_timeout_ms = o->connect_timeout_ms ? o->connect_timeout_ms : IL__LIMIT_CONNECT_TIMEOUT_MS;
    cu->connect_until_ms = il__cu_now_ms(cu) + cu->connect_timeout_ms;
    if (!o->commands_only) cu->reopen = o->reopen;
    cu->reopen_ctx = o->reopen_ctx;
    if (cu->reopen) il__mcp_keep_one_session(cu->mcp);
    return cu;
}

enum il_code il__computer_use_new(const struct il__computer_use_options *o, struct il__runtime *out,
                                  struct il_error *err)
{
    struct il__computer_use *cu = cu_new(o);
    if (!cu) {
        il__mcp_free(o->mcp);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a runtime");
    }
    enum il_code code = copy_options(cu, o);
    if (code) {
        release(cu);
        return il__fail(err, code, "no memory for a runtime");
    }
    memset(out, 0, sizeof *out);
    out->ops = &OPS;
    out->self = cu;
    out->kind = "mcp";
    out->offers = (1u << IL_OP_COUNT) - 1;
    il__escape(out->address, sizeof out->address, cu->address);
    return IL_OK;
}

size_t il__computer_use_descriptors(struct il__computer_use *cu, int *fds, short *events, size_t cap)
{
    return cu->mcp ? il__mcp_descriptors(cu->mcp, fds, events, cap) : 0;
}

const char *il__computer_use_state(const struct il__computer_use *cu)
{
    if (cu->connect == IL__CU_READY) return "ready";
    if (cu->connect == IL__CU_DEAD) return cu->refused ? "refused" : "closed";
    return "connecting";
}
