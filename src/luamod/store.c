/* interlock.store: a store as a Lua object; the host's and the run's side of it. */
#include "luamod/luamod.h"

#include <string.h>

#define STORE "interlock.store"

il_store *luamod_check_store(lua_State *L, int idx)
{
    struct luamod_store *s = luaL_checkudata(L, idx, STORE);
    if (!s->store) luaL_error(L, "this store was closed");
    return s->store;
}

static bool flag(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    bool on = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return on;
}

static int done(lua_State *L, enum il_code code, const struct il_error *err)
{
    if (code) return luamod_fail(L, err);
    lua_pushboolean(L, 1);
    return 1;
}

/* interlock.store { path = [, create = true] [, read_only = true] }; without a path it is in memory */
int luamod_store_open(lua_State *L)
{
    struct il_store_options o = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    luaL_checktype(L, 1, LUA_TTABLE);
    struct luamod_store *s = lua_newuserdatauv(L, sizeof *s, 0);
    memset(s, 0, sizeof *s);
    luaL_setmetatable(L, STORE);
    int handle = lua_gettop(L);
    o.create = flag(L, 1, "create");
    o.read_only = flag(L, 1, "read_only");
    o.path = luamod_field_str(L, 1, "path");
    if (il_store_open(&o, &s->store, &err)) return luamod_fail(L, &err);
    lua_pushvalue(L, handle);
    return 1;
}

static void close_store(struct luamod_store *s)
{
    il_store_close(s->store);
    s->store = NULL;
}

/* Hosts that use it are closed before. */
static int store_close(lua_State *L)
{
    struct luamod_store *s = luaL_checkudata(L, 1, STORE);
    if (s->hosts) return luaL_error(L, "a host uses this store: close the host first");
    close_store(s);
    return 0;
}

/* At the end of a state the store may be collected before its hosts, which write to it still. */
static int store_gc(lua_State *L)
{
    struct luamod_store *s = luaL_checkudata(L, 1, STORE);
    s->collected = true;
    if (!s->hosts) close_store(s);
    return 0;
}

void luamod_store_let_go(struct luamod_host *h)
{
    struct luamod_store *s = h->store;
    h->store = NULL;
    if (s && --s->hosts == 0 && s->collected) close_store(s);
}

static int store_id(lua_State *L)
{
    luamod_push_str(L, il_store_id(luamod_check_store(L, 1)));
    return 1;
}

static int store_changed(lua_State *L)
{
    lua_pushboolean(L, il_store_changed(luamod_check_store(L, 1)));
    return 1;
}

/* store:submit(run_id, kind, json) */
static int store_submit(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str run = luamod_arg_str(L, 2), kind = luamod_arg_str(L, 3);
    return done(L, il_store_submit(store, run, kind, luamod_arg_str(L, 4), &err), &err);
}

static int store_stop(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, il_store_stop(store, luamod_opt_str(L, 2), &err), &err);
}

static int store_lift(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, il_store_lift(store, luamod_opt_str(L, 2), &err), &err);
}

/* ---- lists: what a C callback sees is added to the table on top ---- */

static const char *const STATES[] = { "moving", "waiting", "ended" };

static bool add_row(void *ctx, const struct il_store_row *row)
{
    lua_State *L = ctx;
    lua_createtable(L, 0, 14);
    luamod_set_str(L, "run_id", row->run_id);
    luamod_set_str(L, "status", row->status);
    luamod_set_str(L, "request_id", row->request_id);
    luamod_set_str(L, "tool", row->tool);
    luamod_set_str(L, "mode", row->mode);
    luamod_set_str(L, "session", row->session_id);
    luamod_set_str(L, "principal", row->principal);
    luamod_set_str(L, "tenant", row->tenant);
    lua_pushstring(L, STATES[row->state]);
    lua_setfield(L, -2, "state");
    lua_pushinteger(L, (lua_Integer)row->created_ms);
    lua_setfield(L, -2, "created_ms");
    lua_pushinteger(L, (lua_Integer)row->expires_ms);
    lua_setfield(L, -2, "expires_ms");
    lua_pushinteger(L, (lua_Integer)row->records);
    lua_setfield(L, -2, "records");
    lua_pushinteger(L, (lua_Integer)row->letters);
    lua_setfield(L, -2, "letters");
    lua_pushboolean(L, row->owned);
    lua_setfield(L, -2, "owned");
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    return true;
}

/* store:list([{ state =, expires_before_ms =, after =, most = }]) -> rows */
static int store_list(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_store_filter f = IL_STORE_FILTER_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (lua_istable(L, 2)) {
        struct il_str state = luamod_field_str(L, 2, "state");
        for (int i = 0; state.ptr && i < 3; i++) {
            if (strcmp(state.ptr, STATES[i]) != 0) continue;
            f.by_state = true;
            f.state = (enum il_row_state)i;
        }
        if (state.ptr && !f.by_state) return luaL_error(L, "state is moving, waiting or ended");
        lua_getfield(L, 2, "expires_before_ms");
        f.expires_before_ms = luaL_optinteger(L, -1, 0);
        lua_getfield(L, 2, "most");
        f.most = (uint32_t)luaL_optinteger(L, -1, 0);
        f.after = luamod_field_str(L, 2, "after");
    }
    lua_newtable(L);
    enum il_code code = il_store_list(store, &f, add_row, L, &err);
    return code ? luamod_fail(L, &err) : 1;
}

static bool add_record(void *ctx, const struct il_record *record)
{
    lua_State *L = ctx;
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, (lua_Integer)record->seq);
    lua_setfield(L, -2, "seq");
    luamod_set_str(L, "text", record->text);
    luamod_set_str(L, "payload", record->payload);
    lua_pushstring(L, record->hash_hex);
    lua_setfield(L, -2, "hash");
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    return true;
}

/* store:records(run_id) -> records as they are stored, unchecked */
static int store_records(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str run = luamod_arg_str(L, 2);
    lua_newtable(L);
    return il_store_records(store, run, add_record, L, &err) ? luamod_fail(L, &err) : 1;
}

static bool add_limit(void *ctx, const struct il_limit_row *row)
{
    lua_State *L = ctx;
    const struct { const char *name; int64_t value; } numbers[] = {
        { "hour", row->hour }, { "day", row->day }, { "kept", row->kept }, { "latest_ms", row->latest_ms },
    };
    lua_createtable(L, 0, 5);
    luamod_set_str(L, "key", row->key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lua_pushinteger(L, (lua_Integer)numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    return true;
}

/* store:limits([now_ms]) -> what was consumed of each limit */
static int store_limits(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_error err = IL_ERROR_INIT;
    int64_t now_ms = luaL_optinteger(L, 2, 0);
    lua_newtable(L);
    return il_store_limits(store, now_ms, add_limit, L, &err) ? luamod_fail(L, &err) : 1;
}

/* ---- the host's side ---- */

/* host:set_store(store); the host keeps the store alive */
int luamod_set_store(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il_host_set_store(h->host, luamod_check_store(L, 2), &err);
    if (code) return luamod_leave(L, h, luamod_fail(L, &err));
    h->store = lua_touserdata(L, 2);
    h->store->hosts++;
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "store");
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}

enum { SCOPES_MAX = 64 };

/* host:resume { run =, principal =, scopes = { ... }, tenant =, workflow =, renew =, session =, identity_token =,
 * ... } */
int luamod_host_resume(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str scopes[SCOPES_MAX];
    luaL_checktype(L, 2, LUA_TTABLE);
    struct luamod_run *r = luamod_new_run(L, h, 1);
    int handle = lua_gettop(L);
    o.renew = flag(L, 2, "renew");
    o.run_id = luamod_field_str(L, 2, "run");
    o.principal = luamod_field_str(L, 2, "principal");
    o.tenant = luamod_field_str(L, 2, "tenant");
    o.session_id = luamod_field_str(L, 2, "session");
    o.workflow_source = luamod_field_str(L, 2, "workflow");
    o.workflow_name = luamod_field_str(L, 2, "workflow_name");
    o.identity_expires_at = luamod_field_str(L, 2, "identity_expires_at");
    o.identity_token = luamod_field_str(L, 2, "identity_token");
    o.scope_count = luamod_field_strs(L, 2, "scopes", scopes, SCOPES_MAX);
    o.scopes = scopes;
    if (il_host_resume(h->host, &o, &r->run, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    lua_pushvalue(L, handle);
    return luamod_leave(L, h, 1);
}

/* host:show(run_id) -> the document of a run in the store */
int luamod_host_show(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    if (il_host_show(h->host, luamod_arg_str(L, 2), &out, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    luamod_push_str(L, out);
    return luamod_leave(L, h, 1);
}

/* run:leave(): the handle is given back, the run waits on in the store */
int luamod_run_leave(lua_State *L)
{
    struct luamod_run *r = luamod_check_run(L, 1);
    struct il_error err = IL_ERROR_INIT;
    if (il_run_leave(r->run, &err)) return luamod_leave(L, r->owner, luamod_fail(L, &err));
    r->run = NULL;
    lua_pushboolean(L, 1);
    return luamod_leave(L, r->owner, 1);
}

static const luaL_Reg METHODS[] = {
    { "id", store_id },
    { "list", store_list },       /* rows of runs */
    { "records", store_records }, /* the journal of a run */
    { "case", luamod_store_case },   /* a run as a case for policies */
    { "cases", luamod_store_cases }, /* all phases that it reached */
    { "limits", store_limits },   /* units that runs have consumed */
    { "scenario", luamod_store_scenario }, /* a run as a scenario file */
    { "trial_report", luamod_store_trial_report }, /* what bundles on trial would have changed */
    { "submit", store_submit },   /* a letter to a run's owner */
    { "stop", store_stop },       /* a durable stop of a session, or of everything */
    { "lift", store_lift },
    { "changed", store_changed },
    { "close", store_close },
    { NULL, NULL },
};

void luamod_open_store(lua_State *L)
{
    luaL_newmetatable(L, STORE);
    luaL_newlib(L, METHODS);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, store_gc);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
}
