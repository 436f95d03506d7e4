/* Callbacks of a host, written in Lua: clock, random, events, interrupt, log, and a runtime as a table of functions.
 * Each runs protected; the first error is kept and raised from the call that caused it. */
#include "luamod/luamod.h"

#include <string.h>

bool luamod_call(struct luamod_host *h, const char *name, int args, int results)
{
    lua_State *L = h->L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    lua_insert(L, -1 - args);
    h->calling++;
    int status = lua_pcall(L, args, results, 0);
    h->calling--;
    h->L = L; /* it may have used the host from a coroutine that is gone now */
    if (status == LUA_OK) return true;
    if (!h->failed) {
        h->failed = true;
        lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
        lua_insert(L, -2);
        lua_setfield(L, -2, "error");
    }
    lua_pop(L, 1);
    return false;
}

int luamod_leave(lua_State *L, struct luamod_host *h, int results)
{
    if (!h->failed) return results;
    h->failed = false;
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    lua_getfield(L, -1, "error");
    lua_pushnil(L);
    lua_setfield(L, -3, "error");
    return lua_error(L);
}

/* ---- the host's callbacks ---- */

static void on_clock(void *ctx, struct il_clock_reading *out)
{
    struct luamod_host *h = ctx;
    *out = h->clock;
    if (!luamod_call(h, "clock", 0, 3)) return;
    int sec_ok = 0, nsec_ok = 0, boot_ok = 0;
    lua_Integer sec = lua_tointegerx(h->L, -3, &sec_ok), nsec = lua_tointegerx(h->L, -2, &nsec_ok);
    lua_Integer boot = lua_tointegerx(h->L, -1, &boot_ok);
    lua_pop(h->L, 3);
    if (!sec_ok || !nsec_ok || !boot_ok || nsec < 0 || nsec > 999999999) return;
    *out = h->clock = (struct il_clock_reading){ sec, (int32_t)nsec, boot };
}

static int on_random(void *ctx, void *buf, size_t len)
{
    struct luamod_host *h = ctx;
    size_t got = 0;
    lua_pushinteger(h->L, (lua_Integer)len);
    if (!luamod_call(h, "random", 1, 1)) return -1;
    const char *bytes = lua_tolstring(h->L, -1, &got);
    bool ok = bytes && got == len;
    if (ok) memcpy(buf, bytes, len);
    lua_pop(h->L, 1);
    return ok ? 0 : -1;
}

static const char *const EVENT_NAMES[] = { "step", "request", "answer", "check", "policy", "waiting", "decision",
                                           "released", "log", "ended" };

static void on_event(void *ctx, const struct il_event *event)
{
    struct luamod_host *h = ctx;
    lua_State *L = h->L;
    lua_createtable(L, 0, 10);
    lua_pushstring(L, EVENT_NAMES[event->type]);
    lua_setfield(L, -2, "type");
    lua_pushboolean(L, event->ok);
    lua_setfield(L, -2, "ok");
    luamod_set_str(L, "run_id", event->run_id);
    luamod_set_str(L, "step", event->step);
    luamod_set_str(L, "object", event->object);
    luamod_set_str(L, "field", event->field);
    luamod_set_str(L, "expected", event->expected);
    luamod_set_str(L, "actual", event->actual);
    luamod_set_str(L, "text", event->text);
    luamod_set_str(L, "json", event->json);
    luamod_call(h, "event", 1, 0);
}

static void on_interrupt(void *ctx, struct il_str session_id, struct il_str reason)
{
    struct luamod_host *h = ctx;
    luamod_push_str(h->L, session_id);
    luamod_push_str(h->L, reason);
    luamod_call(h, "interrupt", 2, 0);
}

static void on_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct luamod_host *h = ctx;
    static const char *const names[] = { "debug", "info", "warn", "error" };
    lua_pushstring(h->L, names[level]);
    lua_pushlstring(h->L, line, len);
    luamod_call(h, "log", 2, 0);
}

static bool take(lua_State *L, int table, const char *name)
{
    int type = lua_getfield(L, table, name);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    if (type != LUA_TFUNCTION) luaL_error(L, "%s takes a function", name);
    lua_setfield(L, -2, name);
    return true;
}

void luamod_set_callbacks(lua_State *L, struct luamod_host *h, int table, struct il_host_options *o)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    if (take(L, table, "clock")) {
        o->clock = on_clock;
        o->clock_ctx = h;
    }
    if (take(L, table, "random")) {
        o->random = on_random;
        o->random_ctx = h;
    }
    if (take(L, table, "event")) {
        o->event = on_event;
        o->event_ctx = h;
    }
    if (take(L, table, "interrupt")) {
        o->interrupt = on_interrupt;
        o->interrupt_ctx = h;
    }
    if (take(L, table, "log")) {
        o->log = on_log;
        o->log_ctx = h;
    }
    lua_pop(L, 1);
}

/* ---- a runtime as a table of functions ---- */

static void push_request(lua_State *L, const struct il_request *request)
{
    lua_createtable(L, 0, 6);
    lua_pushstring(L, il_op_name(request->op));
    lua_setfield(L, -2, "op");
    lua_pushinteger(L, (lua_Integer)request->token);
    lua_setfield(L, -2, "token");
    lua_pushinteger(L, (lua_Integer)request->timeout_ms);
    lua_setfield(L, -2, "timeout_ms");
    luamod_set_str(L, "run_id", request->run_id);
    luamod_set_str(L, "session_id", request->session_id);
    luamod_set_str(L, "body", request->body);
}

static struct il_str text_at(lua_State *L, int idx)
{
    size_t len = 0;
    const char *ptr = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &len) : NULL;
    return (struct il_str){ ptr, len };
}

/* What the function returned: a JSON text completes at once; nil, reason, message fails; true completes later. */
static enum il_code returned(struct luamod_host *h, uint64_t token, struct il_error *err)
{
    lua_State *L = h->L;
    enum il_code code = IL_OK;
    if (lua_type(L, -3) == LUA_TSTRING) code = il_host_complete(h->host, token, text_at(L, -3), err);
    else if (!lua_toboolean(L, -3))
        code = il_host_fail(h->host, token, IL_RUNTIME, text_at(L, -2), text_at(L, -1), err);
    lua_pop(L, 3);
    return code;
}

static enum il_code on_begin(void *ctx, const struct il_request *request, struct il_error *err)
{
    struct luamod_host *h = ctx;
    push_request(h->L, request);
    if (luamod_call(h, il_op_name(request->op), 1, 3)) return returned(h, request->token, err);
    return IL_RUNTIME;
}

static void on_cancel(void *ctx, uint64_t token)
{
    struct luamod_host *h = ctx;
    lua_pushinteger(h->L, (lua_Integer)token);
    luamod_call(h, "cancel", 1, 0);
}

static enum il_code on_retain(void *ctx, struct il_str action_id, struct il_str preview, struct il_error *err)
{
    struct luamod_host *h = ctx;
    (void)err; /* what it raised is raised by the call that it is part of */
    lua_pushlstring(h->L, action_id.ptr, action_id.len);
    lua_pushlstring(h->L, preview.ptr, preview.len);
    return luamod_call(h, "retain", 2, 0) ? IL_OK : IL_RUNTIME;
}

/* host:set_runtime { preview_action = function(request) ... end, ..., cancel = function(token) end,
 * retain = function(action_id, preview) end, address = "..." } */
int luamod_set_runtime(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_runtime runtime = IL_RUNTIME_INIT;
    struct il_error err = IL_ERROR_INIT;
    luaL_checktype(L, 2, LUA_TTABLE);
    runtime.ops = 0;
    runtime.begin = on_begin;
    runtime.ctx = h;
    lua_getfield(L, 2, "address");
    runtime.address = lua_tostring(L, -1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    for (int op = 0; op < IL_OP_COUNT; op++)
        if (take(L, 2, il_op_name((enum il_op)op))) runtime.ops |= 1u << op;
    if (take(L, 2, "cancel")) runtime.cancel = on_cancel;
    if (take(L, 2, "retain")) runtime.retain = on_retain;
    if (il_host_set_runtime(h->host, &runtime, &err)) return luamod_fail(L, &err);
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}
