/* interlock.host: a host as a Lua object. */
#include "luamod/luamod.h"

#include <string.h>

struct luamod_host *luamod_check_host(lua_State *L, int idx)
{
    struct luamod_host *h = luaL_checkudata(L, idx, IL_LUAMOD_HOST);
    if (!h->host) luaL_error(L, "this host was closed");
    h->L = L;
    return h;
}

static uint32_t field_u32(lua_State *L, int table, const char *name)
{
    int ok = 0;
    if (lua_getfield(L, table, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return 0;
    }
    lua_Integer v = lua_tointegerx(L, -1, &ok);
    if (!ok || v < 0 || v > UINT32_MAX) luaL_error(L, "%s takes a whole number", name);
    lua_pop(L, 1);
    return (uint32_t)v;
}

static bool field_bool(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    bool v = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return v;
}

/* interlock.host { clock =, random =, event =, interrupt =, log =, trace =, lease_wait_ms =, ... } */
int luamod_host_new(lua_State *L)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    struct luamod_host *h = lua_newuserdatauv(L, sizeof *h, 0);
    memset(h, 0, sizeof *h);
    h->callbacks = LUA_NOREF;
    luaL_setmetatable(L, IL_LUAMOD_HOST);
    h->L = L;
    lua_newtable(L);
    h->callbacks = luaL_ref(L, LUA_REGISTRYINDEX);
    luamod_set_callbacks(L, h, 1, &o);
    o.max_moving_runs = field_u32(L, 1, "max_moving_runs");
    o.lease_wait_ms = field_u32(L, 1, "lease_wait_ms");
    o.request_timeout_ms = field_u32(L, 1, "request_timeout_ms");
    o.envelope_ttl_ms = field_u32(L, 1, "envelope_ttl_ms");
    o.lease_ttl_ms = field_u32(L, 1, "lease_ttl_ms");
    o.reservation_ttl_ms = field_u32(L, 1, "reservation_ttl_ms");
    o.execute_margin_ms = field_u32(L, 1, "execute_margin_ms");
    o.approval_timeout_ms = field_u32(L, 1, "approval_timeout_ms");
    o.memory_bytes = field_u32(L, 1, "memory_bytes");
    o.accept_standing_grants = field_bool(L, 1, "accept_standing_grants");
    o.accept_server_verification = field_bool(L, 1, "accept_server_verification");
    o.trace = field_bool(L, 1, "trace");
    o.host_name = luamod_field_str(L, 1, "host_name");
    o.boot_id = luamod_field_str(L, 1, "boot_id");
    o.kill_switch = luamod_field_str(L, 1, "kill_switch");
    if (il_host_new(&o, &h->host, &err)) return luamod_fail(L, &err);
    lua_settop(L, 2);
    return luamod_leave(L, h, 1);
}

static int host_close(lua_State *L)
{
    struct luamod_host *h = luaL_checkudata(L, 1, IL_LUAMOD_HOST);
    h->L = L;
    if (h->calling) return luaL_error(L, "a host is not closed from its own callback");
    il_host_free(h->host);
    h->host = NULL;
    luamod_store_let_go(h);
    luaL_unref(L, LUA_REGISTRYINDEX, h->callbacks);
    h->callbacks = LUA_NOREF;
    return 0;
}

/* nil and an error, or true. */
static int done(lua_State *L, struct luamod_host *h, enum il_code code, const struct il_error *err)
{
    if (code) return luamod_leave(L, h, luamod_fail(L, err));
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}

static int host_set_runtime_lua(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str name = luamod_arg_str(L, 2), source = luamod_arg_str(L, 3);
    return done(L, h, il_host_set_runtime_lua(h->host, name, source, luamod_opt_str(L, 4), &err), &err);
}

static int host_set_runtime_simulated(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, h, il_host_set_runtime_simulated(h->host, luamod_opt_str(L, 2), &err), &err);
}

static int host_set_workflow(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str name = luamod_arg_str(L, 2), source = luamod_arg_str(L, 3);
    return done(L, h, il_host_set_workflow(h->host, name, source, &err), &err);
}

enum { FILES_MAX = 256 };

typedef enum il_code (*add_fn)(il_host *host, const struct il_file *files, size_t count, struct il_str params_json,
                              struct il_error *err);

static int add_files(lua_State *L, add_fn add)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_file files[FILES_MAX];
    size_t count = 0;
    luaL_checktype(L, 2, LUA_TTABLE);
    struct il_str params = luamod_opt_str(L, 3);
    luaL_checkstack(L, 2 * FILES_MAX + 8, "too many files");
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        if (count == FILES_MAX) return luaL_error(L, "more than %d files", FILES_MAX);
        files[count].path = luamod_arg_str(L, -2);
        files[count].bytes = luamod_arg_str(L, -1);
        count++;
        lua_pushvalue(L, -2); /* key and value stay on the stack as long as the call */
    }
    return done(L, h, add(h->host, files, count, params, &err), &err);
}

/* host:add_bundle { ["bundle.json"] = "...", ["p.lua"] = "..." } [, params_json] */
static int host_add_bundle(lua_State *L)
{
    return add_files(L, il_host_add_bundle);
}

static int host_add_trial_bundle(lua_State *L)
{
    return add_files(L, il_host_add_trial_bundle);
}

static int host_add_bundle_dir(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str path = luamod_arg_str(L, 2), params = luamod_opt_str(L, 3);
    return done(L, h, il_host_add_bundle_dir(h->host, path, params, &err), &err);
}

static int host_add_trial_bundle_dir(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str path = luamod_arg_str(L, 2), params = luamod_opt_str(L, 3);
    return done(L, h, il_host_add_trial_bundle_dir(h->host, path, params, &err), &err);
}

static int host_trial_digest(lua_State *L)
{
    luamod_push_str(L, il_host_trial_digest(luamod_check_host(L, 1)->host));
    return 1;
}

static int host_policy_digest(lua_State *L)
{
    luamod_push_str(L, il_host_policy_digest(luamod_check_host(L, 1)->host));
    return 1;
}

static int host_check_kill_switch(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, h, il_host_check_kill_switch(h->host, &err), &err);
}

/* host:add_approver(id [, { "role", ... }]) */
static int host_add_approver(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str roles[64];
    struct il_str id = luamod_arg_str(L, 2);
    size_t count = 0;
    if (!lua_isnoneornil(L, 3)) {
        lua_createtable(L, 0, 1);
        lua_pushvalue(L, 3);
        lua_setfield(L, -2, "roles");
        count = luamod_field_strs(L, lua_gettop(L), "roles", roles, 64);
    }
    return done(L, h, il_host_add_approver(h->host, id, roles, count, &err), &err);
}

/* host:tick([budget_us]) -> { moving, queued, waiting, in_flight, more, next_deadline_ms } */
static int host_tick(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_tick tick = { .size = sizeof tick };
    struct il_error err = IL_ERROR_INIT;
    lua_Integer budget = luaL_optinteger(L, 2, 0);
    luaL_argcheck(L, budget >= 0 && budget <= UINT32_MAX, 2, "a budget in microseconds");
    if (il_host_tick(h->host, (uint32_t)budget, &tick, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    lua_createtable(L, 0, 6);
    const struct { const char *name; lua_Integer value; } counts[] = {
        { "moving", tick.moving }, { "queued", tick.queued }, { "waiting", tick.waiting },
        { "in_flight", tick.in_flight }, { "next_deadline_ms", tick.next_deadline_ms },
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        lua_pushinteger(L, counts[i].value);
        lua_setfield(L, -2, counts[i].name);
    }
    lua_pushboolean(L, tick.more);
    lua_setfield(L, -2, "more");
    return luamod_leave(L, h, 1);
}

static int host_complete(lua_State *L)
{
    struct luamod_host *h = luaL_checkudata(L, 1, IL_LUAMOD_HOST);
    struct il_error err = IL_ERROR_INIT;
    if (!h->host) return luaL_error(L, "this host was closed");
    uint64_t token = (uint64_t)luaL_checkinteger(L, 2);
    if (il_host_complete(h->host, token, luamod_arg_str(L, 3), &err)) return luamod_fail(L, &err);
    lua_pushboolean(L, 1);
    return 1;
}

/* host:fail(token, "transport" | "timeout" | "runtime" [, reason [, message]]) */
static int host_fail(lua_State *L)
{
    static const char *const names[] = { "transport", "timeout", "runtime", NULL };
    static const enum il_code codes[] = { IL_TRANSPORT, IL_TIMEOUT, IL_RUNTIME };
    struct luamod_host *h = luaL_checkudata(L, 1, IL_LUAMOD_HOST);
    struct il_error err = IL_ERROR_INIT;
    if (!h->host) return luaL_error(L, "this host was closed");
    uint64_t token = (uint64_t)luaL_checkinteger(L, 2);
    enum il_code code = codes[luaL_checkoption(L, 3, NULL, names)];
    if (il_host_fail(h->host, token, code, luamod_opt_str(L, 4), luamod_opt_str(L, 5), &err))
        return luamod_fail(L, &err);
    lua_pushboolean(L, 1);
    return 1;
}

/* ---- stops ---- */

void luamod_heard(void *ctx, const struct il_error *err)
{
    struct luamod_listener *l = ctx;
    struct luamod_host *h = l->h;
    lua_State *L = h->L;
    int top = lua_gettop(L), self = l->self;
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    lua_rawgeti(L, LUA_REGISTRYINDEX, self);
    lua_getiuservalue(L, -1, 1);
    lua_setfield(L, top + 1, "done");
    l->self = LUA_NOREF;
    luaL_unref(L, LUA_REGISTRYINDEX, self);
    if (err->code) luamod_push_error(L, err);
    else lua_pushnil(L);
    luamod_call(h, "done", 1, 0);
    lua_settop(L, top);
}

struct luamod_listener *luamod_listen(lua_State *L, struct luamod_host *h, int idx)
{
    if (lua_isnoneornil(L, idx)) return NULL;
    luaL_checktype(L, idx, LUA_TFUNCTION);
    struct luamod_listener *l = lua_newuserdatauv(L, sizeof *l, 1);
    l->h = h;
    lua_pushvalue(L, idx);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, -1);
    l->self = luaL_ref(L, LUA_REGISTRYINDEX);
    return l;
}

int luamod_listened(lua_State *L, struct luamod_host *h, struct luamod_listener *l, enum il_code code,
                    const struct il_error *err)
{
    if (code && l && l->self != LUA_NOREF) luaL_unref(L, LUA_REGISTRYINDEX, l->self); /* refused before it began */
    return done(L, h, code, err);
}

static int host_pause_session(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str session = luamod_arg_str(L, 2), reason = luamod_opt_str(L, 3);
    struct luamod_listener *l = luamod_listen(L, h, 4);
    enum il_code code = il_host_pause_session(h->host, session, reason, l ? luamod_heard : NULL, l, &err);
    return luamod_listened(L, h, l, code, &err);
}

static int host_stop_session(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str session = luamod_arg_str(L, 2), reason = luamod_opt_str(L, 3);
    struct luamod_listener *l = luamod_listen(L, h, 4);
    enum il_code code = il_host_stop_session(h->host, session, reason, l ? luamod_heard : NULL, l, &err);
    return luamod_listened(L, h, l, code, &err);
}

static int host_emergency_stop(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str reason = luamod_opt_str(L, 2);
    struct luamod_listener *l = luamod_listen(L, h, 3);
    return luamod_listened(L, h, l, il_host_emergency_stop(h->host, reason, l ? luamod_heard : NULL, l, &err), &err);
}

static int host_lift_stop(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, h, il_host_lift_stop(h->host, luamod_opt_str(L, 2), &err), &err);
}

/* ---- documents ---- */

/* host:check { kind =, document =, envelope =, preview =, now = } -> canonical text */
static int host_check(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_check_options o = IL_CHECK_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    luaL_checktype(L, 2, LUA_TTABLE);
    o.kind = luamod_field_str(L, 2, "kind");
    o.document = luamod_field_str(L, 2, "document");
    o.envelope = luamod_field_str(L, 2, "envelope");
    o.preview = luamod_field_str(L, 2, "preview");
    o.now = luamod_field_str(L, 2, "now");
    if (il_host_check(h->host, &o, &out, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    luamod_push_str(L, out);
    return luamod_leave(L, h, 1);
}

static int host_canonical(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    if (il_host_canonical(h->host, luamod_arg_str(L, 2), &out, &err)) return luamod_fail(L, &err);
    luamod_push_str(L, out);
    return 1;
}

static const luaL_Reg METHODS[] = {
    { "set_runtime", luamod_set_runtime },                   /* a table of functions acts */
    { "set_runtime_lua", host_set_runtime_lua },             /* a file in the sandbox acts */
    { "set_runtime_simulated", host_set_runtime_simulated }, /* the stand-in acts on nothing */
    { "set_runtime_mcp", luamod_set_runtime_mcp },           /* a computer-use server acts */
    { "descriptors", luamod_descriptors },                   /* what to wait for between ticks */
    { "runtime_facts", luamod_runtime_facts },               /* what is known of the runtime */
    { "session", luamod_session },                           /* a command to the server's session */
    { "set_approver", luamod_set_approver },                 /* where approvals are made at the server */
    { "approver_facts", luamod_approver_facts },             /* what is known of that connection */
    { "set_store", luamod_set_store },
    { "resume", luamod_host_resume },
    { "show", luamod_host_show },
    { "set_workflow", host_set_workflow },                   /* the default workflow */
    { "add_bundle", host_add_bundle },                       /* policies from memory */
    { "add_bundle_dir", host_add_bundle_dir },               /* policies from a folder */
    { "trust_bundles", luamod_trust_bundles },               /* only what these keys have signed is loaded */
    { "reload_bundles", luamod_reload_bundles },             /* others in place of all, or nothing changes */
    { "policy_digest", host_policy_digest },                 /* over all bundles */
    { "check_kill_switch", host_check_kill_switch },         /* true while it is off */
    { "add_trial_bundle", host_add_trial_bundle },           /* policies that are asked and not heard, from memory */
    { "add_trial_bundle_dir", host_add_trial_bundle_dir },   /* and from a folder */
    { "trial_digest", host_trial_digest },                   /* over these */
    { "add_approver", host_add_approver },                   /* somebody whom the embedder verifies */
    { "set_approvers_json", luamod_set_approvers_json },     /* the file of those who sign */
    { "sign_decision", luamod_sign_decision },               /* what one of them signs */
    { "set_jwks", luamod_set_jwks },                         /* identities come from tokens */
    { "identity", luamod_identity },                         /* whom a token names */
    { "run", luamod_host_run },                              /* starts a run */
    { "tick", host_tick },                                   /* bounded work */
    { "complete", host_complete },                           /* an operation of the runtime is done */
    { "fail", host_fail },                                   /* or failed */
    { "pause_session", host_pause_session },                 /* latch, revoke, interrupt */
    { "stop_session", host_stop_session },
    { "emergency_stop", host_emergency_stop },
    { "lift_stop", host_lift_stop },                         /* an operator's resume */
    { "check", host_check },                                 /* one document */
    { "canonical", host_canonical },                         /* RFC 8785 */
    { "close", host_close },                                 /* ends and frees all */
    { NULL, NULL },
};

void luamod_open_host(lua_State *L)
{
    luaL_newmetatable(L, IL_LUAMOD_HOST);
    luaL_newlib(L, METHODS);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, host_close);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, host_close);
    lua_setfield(L, -2, "__close");
    lua_pop(L, 1);
}
