/* A connection that was lost and is made again: when, how often, and what the server then has to show before anything
 * of a run goes to it: the same name, the governed tools and no others, and the same principal, which only a session
 * tells. Uses the connecting of computer_use_connect.c.
 *
 * Must never send again what was sent before, never resume a session, and never go on with an action that was
 * previewed over a lost connection. */
#include "runtime/computer_use_inside.h"

#include "base/error.h"
#include "base/limits.h"
#include "contract/session.h"

enum { STOP_MS = 10000 };

/* ---- lost ---- */

/* True when one more try is within the limit; it is noted. */
static bool may_try(struct il__computer_use *cu)
{
    int64_t now = il__cu_now_ms(cu);
    uint32_t old = 0;
    while (old < cu->tried && now - cu->tried_ms[old] >= IL__LIMIT_RECONNECT_WINDOW_MS) old++;
    memmove(cu->tried_ms, cu->tried_ms + old, (cu->tried - old) * sizeof cu->tried_ms[0]);
    cu->tried -= old;
    if (cu->tried == IL__LIMIT_RECONNECTS) return false;
    cu->tried_ms[cu->tried] = now;
    cu->again_ms = now + ((int64_t)IL__LIMIT_RECONNECT_WAIT_MS << cu->tried);
    cu->tried++;
    return true;
}

static void give_up(struct il__computer_use *cu, const struct il_error *why)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail_at(&err, IL_TRANSPORT, "runtime", "connection",
                "lost, and not made again after %d tries in %d s (reconnects): %s", IL__LIMIT_RECONNECTS,
                IL__LIMIT_RECONNECT_WINDOW_MS / 1000, why->message);
    il__cu_dead(cu, false, &err);
}

/* What late answers would have granted is gone with the connection that they would have come over. */
static void forget_late(struct il__computer_use *cu)
{
    for (struct il__cu_call *call = cu->late; call; call = call->next) call->until_ms = 0;
}

void il__cu_broke(struct il__computer_use *cu, const struct il_error *err)
{
    bool ready = cu->connect == IL__CU_READY;
    if (cu->connect == IL__CU_DEAD || cu->connect == IL__CU_LOST) return;
    if (!cu->ever_ready || !cu->reopen) {
        il__cu_dead(cu, false, err);
        return;
    }
    il__log(cu->log, IL_LOG_WARN, "computer-use: the connection is lost: %s", err->message);
    if (ready) {
        cu->epoch++;
        cu->session_lost = true;
        il__cu_cursors_clear(cu);
        forget_late(cu);
    }
    cu->suspect_ms = 0;
    cu->error = *err;
    if (!may_try(cu)) {
        give_up(cu, err);
        return;
    }
    cu->connect = IL__CU_LOST;
    if (cu->mcp) il__mcp_shut(cu->mcp);
    if (ready) il__cu_lose_waiting(cu);
}

/* ---- again ---- */

/* The old engine goes first, and the process behind it with it: two servers never run side by side. */
static void reopen(struct il__computer_use *cu)
{
    struct il_error err = IL_ERROR_INIT;
    il__mcp_free(cu->mcp);
    cu->mcp = NULL;
    il__cu_unlist(cu);
    cu->connect = IL__CU_CONNECTING;
    cu->connect_begun_us = il__clock_us(cu->clock);
    cu->connect_until_ms = il__cu_now_ms(cu) + cu->connect_timeout_ms;
    if (cu->reopen(cu->reopen_ctx, &cu->mcp, &err)) il__cu_broke(cu, &err);
    else il__mcp_keep_one_session(cu->mcp);
}

static enum il_code check_name(struct il__computer_use *cu, struct il_error *err)
{
    struct il_str name = il__mcp_server_name(cu->mcp);
    if (name.len == cu->server_name.len && (!name.len || memcmp(name.ptr, cu->server_name.ptr, name.len) == 0))
        return IL_OK;
    return il__refuse(err, IL_IDENTITY_MISMATCH, "runtime", "server_name", cu->server_name, name);
}

static enum il_code ask(struct il__computer_use *cu, const char *tool, const char *name, struct il_str value,
                        il__cu_heard heard, struct il_error *err)
{
    struct il__json_writer w;
    int64_t left = cu->connect_until_ms - il__cu_now_ms(cu);
    if (left > STOP_MS) left = STOP_MS;
    cu->connect = IL__CU_STARTING;
    il__buf_reset(&cu->body);
    il__jw_init(&w, &cu->body);
    il__jw_object(&w);
    il__jw_member_str(&w, name, value);
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&cu->body, err);
    const struct il__cu_ask call = { .tool = tool, .args = il__buf_get(&cu->body),
                                     .timeout_ms = left < 1 ? 1 : (uint32_t)left, .heard = heard, .ctx = cu };
    return code ? code : il__cu_call_tool(cu, &call, NULL, err);
}

/* The session of an answer; `*none`: the answer is an error of the server, with its reason in `reason`. */
static enum il_code read_session(struct il__computer_use *cu, const struct il__mcp_answer *answer,
                                 struct il__mcp_tool_result *result, struct il__session *session, bool *none,
                                 struct il_error *err)
{
    *none = false;
    enum il_code code = il__mcp_tool_result(cu->mem, answer->doc, answer->result, result, err);
    if (code) return code;
    uint32_t node = result->ok && result->content ? il__json_get(result->doc, result->content, "session") : 0;
    *none = node == 0;
    return node ? il__decode(&il__session_schema, result->doc, node, session, err) : IL_OK;
}

static enum il_code check_principal(struct il__computer_use *cu, struct il_str got, struct il_error *err)
{
    if (il__str_eq(cu->principal_id, got)) return IL_OK;
    return il__refuse(err, IL_IDENTITY_MISMATCH, "runtime session", "principal_id", cu->principal_id, got);
}

/* A session that is started, only for whose it is. A server that was started again has by then paused what it
 * recovered: until it answers this, an old session may look as if it ran. */
static void started(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    struct il__mcp_tool_result result = { 0 };
    struct il__session session;
    struct il_error err = IL_ERROR_INIT;
    bool none = false;
    if (cu->connect != IL__CU_STARTING) return;
    if (answer->code) {
        il__cu_connect_failed(cu, answer, "start_session");
        return;
    }
    enum il_code code = read_session(cu, answer, &result, &session, &none, &err);
    if (!code && none)
        code = il__fail_at(&err, IL_RUNTIME, "runtime", "start_session", "the server does not tell whose this is");
    if (!code) code = check_principal(cu, session.principal_id, &err);
    if (!code) code = il__arena_str(&cu->told, session.session_id, &cu->again_id);
    il__mcp_tool_result_clear(&result);
    if (code == IL_IDENTITY_MISMATCH) il__cu_dead(cu, true, &err);
    else if (code) il__cu_broke(cu, &err);
    else cu->connect = IL__CU_AGAIN_STARTED;
}

static void stopped(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    if (cu->connect != IL__CU_STARTING) return;
    if (answer->code) il__log(cu->log, IL_LOG_WARN, "computer-use: a session was left behind at the server");
    cu->connect = IL__CU_AGAIN_STOPPED;
}

static bool runs_on(const struct il__session *session)
{
    bool running = il__str_eq(session->state, IL_STR("running"));
    return running && !(session->recovered.has && session->recovered.value);
}

/* The session from before: taken up only when the server never let it go. */
static void looked(void *ctx, const struct il__mcp_answer *answer)
{
    struct il__computer_use *cu = ctx;
    struct il__mcp_tool_result result = { 0 };
    struct il__session session;
    struct il_error err = IL_ERROR_INIT;
    bool none = false;
    if (cu->connect != IL__CU_STARTING) return;
    if (answer->code) {
        il__cu_connect_failed(cu, answer, "get_session");
        return;
    }
    enum il_code code = read_session(cu, answer, &result, &session, &none, &err);
    bool foreign = none && il__str_eq(il__cu_reason(&result), IL_STR("principal_mismatch"));
    if (!code && foreign)
        code = il__fail_at(&err, IL_IDENTITY_MISMATCH, "runtime session", "principal_id",
                           "the session belongs to another principal now");
    if (!code && !none) code = check_principal(cu, session.principal_id, &err);
    if (!code && !none) cu->session_lost = !il__str_eq(session.session_id, cu->session_id) || !runs_on(&session);
    il__mcp_tool_result_clear(&result);
    if (code == IL_IDENTITY_MISMATCH) {
        il__cu_dead(cu, true, &err);
        return;
    }
    if (code || none) cu->session_lost = true;
    il__log(cu->log, IL_LOG_WARN, "computer-use: connected again; the session %s",
            cu->session_lost ? "is lost: another one has to be started" : "goes on");
    il__cu_now_ready(cu);
}

bool il__cu_again_tick(struct il__computer_use *cu)
{
    struct il_error err = IL_ERROR_INIT;
    enum il__cu_connect before = cu->connect;
    enum il_code code = IL_OK;
    if (before == IL__CU_LOST) {
        bool over = !cu->mcp || il__mcp_state(cu->mcp) == IL__MCP_CLOSED;
        if (over && il__cu_now_ms(cu) >= cu->again_ms) reopen(cu);
        return cu->connect != before;
    }
    if (before == IL__CU_READ_DONE) {
        code = check_name(cu, &err);
        if (code) il__cu_dead(cu, true, &err);
        else code = ask(cu, "start_session", "objective", IL_STR("whose connection is this?"), started, &err);
    } else if (before == IL__CU_AGAIN_STARTED) {
        code = ask(cu, "stop_session", "session_id", cu->again_id, stopped, &err);
    } else if (before == IL__CU_AGAIN_STOPPED) {
        code = ask(cu, "get_session", "session_id", cu->session_id, looked, &err);
    }
    if (code) il__cu_broke(cu, &err);
    return cu->connect != before;
}

/* ---- what goes over it ---- */

enum il_code il__cu_again_serves(const struct il__cu_op *op, struct il_error *err)
{
    const struct il__computer_use *cu = op->cu;
    bool lost = cu->session_lost && il__str_eq(op->session_id, cu->session_id);
    switch (op->op) {
    case IL_OP_DISCOVER_CAPABILITIES:
    case IL_OP_OBSERVE_VISUAL:
    case IL_OP_OBSERVE_SEMANTIC:
    case IL_OP_PREVIEW_ACTION:
    case IL_OP_RESERVE_TARGET:
    case IL_OP_ACQUIRE_LEASE:
    case IL_OP_EXECUTE_ACTION:
        if (!lost || cu->connect != IL__CU_READY) return IL_OK; /* otherwise asked again when it is known */
        return il__fail_at(err, IL_TRANSPORT, "runtime", "session",
                           "the session was lost with the connection; start another one (session_lost)");
    case IL_OP_VERIFY:
        if (cu->connect == IL__CU_READY || !cu->epoch) return IL_OK;
        return il__fail_at(err, IL_TRANSPORT, "runtime", "verify", "the connection is lost: %s", cu->error.message);
    case IL_OP_RELEASE_TARGET:
    case IL_OP_RELEASE_LEASE:
    case IL_OP_RECOVER:
    case IL_OP_PAUSE_SESSION:
    case IL_OP_STOP_SESSION:
    case IL_OP_EMERGENCY_STOP:
    case IL_OP_COUNT: break;
    }
    return IL_OK;
}

enum il_code il__cu_again_session(struct il__computer_use *cu, struct il_str session_id, bool started_one,
                                  bool running)
{
    if (!cu->session_lost || !running) return IL_OK;
    if (started_one) {
        enum il_code code = il__arena_str(&cu->arena, session_id, &cu->session_id);
        if (code) return code;
        cu->started_session = true;
    } else if (!il__str_eq(session_id, cu->session_id)) {
        return IL_OK;
    }
    cu->session_lost = false;
    return IL_OK;
}
