/* approve_action over MCP (approver_mcp.h). Asks in flight stand in fixed places, so that a late answer always finds
 * its place or none. Must never ask for more than one exact action, and never ask twice. */
#include "runtime/approver_mcp.h"

#include "base/error.h"
#include "base/limits.h"

enum { LATE_KEEP_MS = 60000, AFTER_MS = 2000, PING_TIMEOUT_MS = 10000 };

enum state { CONNECTING, LISTING, READY, DEAD };

struct approver;

struct ask {
    struct approver *owner;
    uint64_t token;       /* 0: the place is free */
    uint64_t id;          /* of the message; 0: not begun */
    bool given_up;        /* nobody waits: a late grant is told, and nothing else */
    int64_t until_ms;     /* given up: the place is kept until then; else the core's deadline */
    struct il__buf args;
};

struct approver {
    struct il__mem *mem;
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__approver_sink sink;
    struct il__mcp *mcp;
    struct il__buf address, params;
    enum state state;
    bool listed, offers;
    struct il_error error;
    int64_t connect_until_ms, said_ms;
    uint32_t ping_ms;
    struct ask asks[IL__LIMIT_APPROVER_ASKS];
};

static int64_t now_ms(const struct approver *a)
{
    return il__clock_now(a->clock).boot_ms;
}

/* ---- the end of an ask ---- */

static void clear_ask(struct ask *ask)
{
    ask->token = ask->id = 0;
    ask->given_up = false;
    il__buf_reset(&ask->args);
}

static void complete(struct ask *ask, enum il_code code, struct il_str body, struct il_str reason,
                     struct il_str message)
{
    struct approver *a = ask->owner;
    struct il_error err = IL_ERROR_INIT;
    const struct il__answer_in answer = { .token = ask->token, .code = code, .body = body, .reason = reason,
                                          .message = message };
    clear_ask(ask);
    if (!a->sink.complete(a->sink.ctx, &answer, &err)) return;
    /* What could not be handed over may be a grant: then it is one that nobody looked at. */
    const struct il__answer_in lost = { .token = answer.token, .code = code ? code : IL_DECODE,
                                        .message = il__str(err.message) };
    if (err.code == IL_CONFLICT || a->sink.complete(a->sink.ctx, &lost, NULL))
        il__log(a->log, IL_LOG_WARN, "approver: an answer was not taken: %s", err.message);
}

static void complete_from(struct ask *ask, struct il__json *doc, uint32_t node)
{
    struct approver *a = ask->owner;
    struct il__mcp_tool_result result = { 0 };
    struct il_error err = IL_ERROR_INIT;
    if (il__mcp_tool_result(a->mem, doc, node, &result, &err)) {
        complete(ask, IL_DECODE, IL_STR_NONE, IL_STR_NONE, il__str(err.message));
        return;
    }
    uint32_t grant = result.content ? il__json_get(result.doc, result.content, "grant") : 0;
    if (!result.ok)
        complete(ask, IL_RUNTIME, IL_STR_NONE, result.reason.len ? result.reason : IL_STR("refused"), result.message);
    else if (!grant)
        complete(ask, IL_DECODE, IL_STR_NONE, IL_STR_NONE, IL_STR("the answer to approve_action has no grant"));
    else complete(ask, IL_OK, il__json_raw(result.doc, grant), IL_STR_NONE, IL_STR_NONE);
    il__mcp_tool_result_clear(&result);
}

/* ---- asking ---- */

static void heard(void *ctx, const struct il__mcp_answer *answer)
{
    struct ask *ask = ctx;
    if (!ask->token) return;
    if (!answer->code) {
        complete_from(ask, answer->doc, answer->result);
    } else if (ask->given_up && answer->sent) {
        ask->until_ms = now_ms(ask->owner) + LATE_KEEP_MS;
    } else {
        bool unread = answer->code == IL_LIMIT_EXCEEDED && answer->sent; /* it may have been a grant */
        enum il_code code = unread ? IL_DECODE : answer->code;
        complete(ask, code, IL_STR_NONE, IL_STR_NONE, answer->message);
    }
}

/* The place may be another's by now: the message's id tells. */
static void heard_late(void *ctx, const struct il__mcp_answer *answer)
{
    struct ask *ask = ctx;
    int64_t id = 0;
    uint32_t at = answer->code || !answer->doc ? 0 : il__json_get(answer->doc, 0, "id");
    if (!at || !il__json_int(answer->doc, at, &id) || id <= 0) return;
    if (ask->token && (uint64_t)id == ask->id) complete_from(ask, answer->doc, answer->result);
}

static enum il_code send(struct ask *ask, struct il_error *err)
{
    struct approver *a = ask->owner;
    struct il__json_writer w;
    int64_t left = ask->until_ms - now_ms(a) + AFTER_MS; /* the core's deadline comes first */
    uint32_t ms = left < 1 ? 1 : (uint32_t)left;
    il__buf_reset(&a->params);
    il__jw_init(&w, &a->params);
    il__jw_object(&w);
    il__jw_member_z(&w, "name", "approve_action");
    il__jw_key(&w, "arguments");
    il__jw_raw(&w, il__buf_get(&ask->args));
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&a->params, err);
    const struct il__mcp_request request = { .method = "tools/call", .params = il__buf_get(&a->params), .soft_ms = ms,
                                             .hard_ms = ms, .done = heard, .late = heard_late, .ctx = ask };
    a->said_ms = now_ms(a);
    return code ? code : il__mcp_begin(a->mcp, &request, &ask->id, err);
}

static enum il_code write_args(struct ask *ask, const struct il__grant_ask *wanted, struct il_error *err)
{
    struct il__json_writer w;
    il__jw_init(&w, &ask->args);
    il__jw_object(&w);
    il__jw_member_str(&w, "session_id", wanted->session_id);
    il__jw_member_str(&w, "action_id", wanted->action_id);
    il__jw_member_z(&w, "scope", "exact_action");
    il__jw_member_int(&w, "ttl_ms", wanted->ttl_ms);
    il__jw_object_end(&w);
    return il__buf_check(&ask->args, err);
}

static enum il_code begin(void *self, const struct il__grant_ask *wanted, struct il_error *err)
{
    struct approver *a = self;
    struct ask *ask = NULL;
    if (a->state == DEAD) return il__fail_at(err, a->error.code, "approver", "connection", "%s", a->error.message);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS && !ask; i++)
        if (!a->asks[i].token) ask = &a->asks[i];
    if (!ask)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "approver", "approver_asks", "at most %d grants at once",
                           IL__LIMIT_APPROVER_ASKS);
    ask->token = wanted->token;
    ask->until_ms = now_ms(a) + wanted->timeout_ms;
    enum il_code code = write_args(ask, wanted, err);
    if (!code && a->state == READY) code = send(ask, err);
    if (code) clear_ask(ask);
    return code;
}

static void cancel(void *self, uint64_t token)
{
    struct approver *a = self;
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        struct ask *ask = &a->asks[i];
        if (!ask->token || ask->token != token) continue;
        ask->given_up = true;
        if (ask->id) il__mcp_cancel(a->mcp, ask->id, "nobody waits any more");
        else complete(ask, IL_CANCELLED, IL_STR_NONE, IL_STR_NONE, IL_STR("the connection was not ready in time"));
        return;
    }
}

/* ---- connecting ---- */

static void die(struct approver *a, const struct il_error *err)
{
    if (a->state == DEAD) return;
    a->state = DEAD;
    a->error = *err;
    il__mcp_shut(a->mcp);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++)
        if (a->asks[i].token && !a->asks[i].id)
            complete(&a->asks[i], IL_TRANSPORT, IL_STR_NONE, IL_STR_NONE, il__str(err->message));
}

static void see_tool(void *ctx, struct il_str name, struct il__json *doc, uint32_t tool)
{
    struct approver *a = ctx;
    (void)doc;
    (void)tool;
    if (il__str_eq(name, IL_STR("approve_action"))) a->offers = true;
}

static void tools_listed(void *ctx, const struct il__mcp_answer *answer)
{
    struct approver *a = ctx;
    struct il_error err = IL_ERROR_INIT;
    char message[240];
    if (a->state != LISTING) return;
    il__escape(message, sizeof message, answer->message);
    if (answer->code) il__fail(&err, answer->code, "%s", message);
    else if (!a->offers)
        il__fail(&err, IL_UNSUPPORTED, "this connection offers no approve_action");
    a->error = err;
    a->listed = true; /* the rest is for the tick: nothing is shut from inside an answer */
}

static void get_ready(struct approver *a)
{
    a->state = READY;
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        struct il_error err = IL_ERROR_INIT;
        struct ask *ask = &a->asks[i];
        if (ask->token && !ask->id && send(ask, &err))
            complete(ask, err.code, IL_STR_NONE, IL_STR_NONE, il__str(err.message));
    }
}

static void step(struct approver *a)
{
    struct il_error err = IL_ERROR_INIT;
    enum il__mcp_state state = il__mcp_state(a->mcp);
    if (a->state == DEAD) return;
    if (state == IL__MCP_CLOSED) {
        const struct il_error *why = il__mcp_error(a->mcp);
        il__fail(&err, why->code ? why->code : IL_TRANSPORT, "%s", why->message);
    } else if (a->state != READY && now_ms(a) >= a->connect_until_ms) {
        il__fail(&err, IL_TIMEOUT, "the server was not ready in time");
    } else if (a->state == CONNECTING && state == IL__MCP_READY) {
        a->state = LISTING;
        (void)!il__mcp_list_tools(a->mcp, see_tool, tools_listed, a, &err);
    } else if (a->state == LISTING && a->listed) {
        err = a->error;
        if (!err.code) get_ready(a);
    }
    if (err.code) die(a, &err);
}

/* ---- time ---- */

static void no_matter(void *ctx, const struct il__mcp_answer *answer)
{
    (void)ctx;
    (void)answer;
}

/* Returns ms to the next ping. */
static int64_t ping(struct approver *a)
{
    struct il_error err = IL_ERROR_INIT;
    uint64_t id;
    int64_t left = a->said_ms + a->ping_ms - now_ms(a);
    const struct il__mcp_request request = { .method = "ping", .soft_ms = PING_TIMEOUT_MS, .hard_ms = PING_TIMEOUT_MS,
                                             .done = no_matter, .ctx = a };
    if (left > 0) return left;
    a->said_ms = now_ms(a);
    if (il__mcp_begin(a->mcp, &request, &id, &err)) il__log(a->log, IL_LOG_WARN, "approver: no ping could be sent");
    return 0;
}

static int64_t least(int64_t a, int64_t b)
{
    if (a < 0) return b;
    return b < 0 || a < b ? a : b;
}

static int64_t tick(void *self, uint32_t budget_us)
{
    struct approver *a = self;
    int64_t next = il__mcp_tick(a->mcp, budget_us), now = now_ms(a);
    enum state before = a->state;
    step(a);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        struct ask *ask = &a->asks[i];
        if (!ask->token || !ask->given_up) continue;
        if (ask->until_ms <= now)
            complete(ask, IL_TIMEOUT, IL_STR_NONE, IL_STR_NONE, IL_STR("no answer came late either"));
        else next = least(next, ask->until_ms - now);
    }
    if (a->state != before || (a->state == LISTING && a->listed)) return 0;
    if (a->state == DEAD) return next;
    if (a->state == CONNECTING && il__mcp_state(a->mcp) == IL__MCP_READY) return 0;
    if (a->state != READY) return least(next, a->connect_until_ms > now ? a->connect_until_ms - now : 0);
    return a->ping_ms ? least(next, ping(a)) : next;
}

static size_t descriptors(void *self, int *fds, short *events, size_t cap)
{
    const struct approver *a = self;
    return il__mcp_descriptors(a->mcp, fds, events, cap);
}

static void facts(void *self, struct il__json_writer *w)
{
    static const char *const names[] = { "connecting", "connecting", "ready", "closed" };
    const struct approver *a = self;
    bool refused = a->state == DEAD && a->error.code == IL_UNSUPPORTED;
    il__jw_member_z(w, "kind", "mcp");
    il__jw_member_str(w, "address", il__buf_get(&a->address));
    il__jw_member_z(w, "state", refused ? "refused" : names[a->state]);
    if (a->state != DEAD) return;
    il__jw_key(w, "error");
    il__jw_object(w);
    il__jw_member_z(w, "code", il_code_name(a->error.code));
    il__jw_member_z(w, "message", a->error.message);
    il__jw_object_end(w);
}

/* ---- new and free ---- */

static void release(void *self)
{
    struct approver *a = self;
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) a->asks[i].token = 0; /* nobody hears any more */
    /* A session that is left behind would run into the server's idle time, and take the agent's along. Shut first: no
     * grant is asked for any more. */
    il__mcp_shut(a->mcp);
    il__mcp_goodbye(a->mcp);
    il__mcp_free(a->mcp);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) il__buf_clear(&a->asks[i].args);
    il__buf_clear(&a->address);
    il__buf_clear(&a->params);
    il__mem_free(a->mem, a, sizeof *a);
}

static const struct il__approver_ops OPS = { begin, cancel, tick, descriptors, facts, release };

enum il_code il__approver_mcp_new(const struct il__approver_mcp_options *o, struct il__approver_port *out,
                                  struct il_error *err)
{
    struct approver *a = il__mem_zalloc(o->mem, 1, sizeof *a);
    if (!a) {
        il__mcp_free(o->mcp);
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an approver connection");
    }
    a->mem = o->mem;
    a->clock = o->clock;
    a->log = o->log;
    a->sink = o->sink;
    a->mcp = o->mcp;
    a->ping_ms = o->ping_ms;
    a->said_ms = now_ms(a);
    a->connect_until_ms = a->said_ms + (o->connect_timeout_ms ? o->connect_timeout_ms : IL__LIMIT_CONNECT_TIMEOUT_MS);
    il__buf_init(&a->address, a->mem, 0);
    il__buf_init(&a->params, a->mem, IL__LIMIT_CONTRACT_BYTES);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        a->asks[i].owner = a;
        il__buf_init(&a->asks[i].args, a->mem, IL__LIMIT_CONTRACT_BYTES);
    }
    il__buf_str(&a->address, o->address);
    enum il_code code = il__buf_check(&a->address, err);
    if (code) release(a);
    else *out = (struct il__approver_port){ &OPS, a };
    return code;
}
