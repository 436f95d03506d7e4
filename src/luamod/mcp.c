/* A computer-use server as the runtime of a host, in Lua: setting it, what to wait for, facts, session commands. */
#include "luamod/luamod.h"

#include <string.h>

enum { ACCEPT_MAX = 64, FDS_MAX = 64 };

/* host:set_runtime_mcp { endpoint =, token =, ca_file =, session =, accept_tools = { ... }, connect_timeout_ms =,
 * visual_tool =, semantic_tool =, read_back =, commands_only = } */
int luamod_set_runtime_mcp(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_mcp_options o = IL_MCP_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str accept[ACCEPT_MAX];
    luaL_checktype(L, 2, LUA_TTABLE);
    o.endpoint = luamod_field_str(L, 2, "endpoint");
    o.token = luamod_field_str(L, 2, "token");
    o.ca_file = luamod_field_str(L, 2, "ca_file");
    o.session_id = luamod_field_str(L, 2, "session");
    o.visual_tool = luamod_field_str(L, 2, "visual_tool");
    o.semantic_tool = luamod_field_str(L, 2, "semantic_tool");
    o.accept_count = luamod_field_strs(L, 2, "accept_tools", accept, ACCEPT_MAX);
    o.accept_tools = accept;
    lua_getfield(L, 2, "read_back");
    o.read_back = lua_toboolean(L, -1);
    lua_getfield(L, 2, "connect_timeout_ms");
    lua_Integer ms = luaL_optinteger(L, -1, 0);
    luaL_argcheck(L, ms >= 0 && ms <= UINT32_MAX, 2, "connect_timeout_ms in milliseconds");
    o.connect_timeout_ms = (uint32_t)ms;
    lua_getfield(L, 2, "commands_only");
    o.commands_only = lua_toboolean(L, -1);
    if (il_host_set_runtime_mcp(h->host, &o, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}

/* host:descriptors() -> { { fd =, events = }, ... } */
int luamod_descriptors(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    int fds[FDS_MAX];
    short events[FDS_MAX];
    size_t count = il_host_descriptors(h->host, fds, events, FDS_MAX);
    if (count > FDS_MAX) count = FDS_MAX;
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 2);
        lua_pushinteger(L, fds[i]);
        lua_setfield(L, -2, "fd");
        lua_pushinteger(L, events[i]);
        lua_setfield(L, -2, "events");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* host:runtime_facts() -> JSON text */
int luamod_runtime_facts(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    if (il_host_runtime_facts(h->host, &out, &err)) return luamod_fail(L, &err);
    luamod_push_str(L, out);
    return 1;
}

/* One command under way: a userdata that stands in the callbacks' table, with its function, until it has ended. */
struct waiting { struct luamod_host *h; };

static void take_out(struct waiting *w)
{
    lua_State *L = w->h->L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->h->callbacks);
    lua_pushnil(L);
    lua_rawsetp(L, -2, w);
    lua_pop(L, 1);
}

static void on_session(void *ctx, struct il_str json, const struct il_error *err)
{
    struct waiting *w = ctx;
    struct luamod_host *h = w->h;
    lua_State *L = h->L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    lua_rawgetp(L, -1, w);
    lua_getiuservalue(L, -1, 1);
    lua_setfield(L, -3, "session");
    lua_pop(L, 2);
    take_out(w);
    luamod_push_str(L, json);
    if (err->code) luamod_push_error(L, err);
    else lua_pushnil(L);
    luamod_call(h, "session", 2, 0);
}

/* host:session(verb [, args_json], function(json, err) end) */
int luamod_session(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str verb = luamod_arg_str(L, 2), args = luamod_opt_str(L, 3);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    struct waiting *w = lua_newuserdatauv(L, sizeof *w, 1);
    w->h = h;
    lua_pushvalue(L, 4);
    lua_setiuservalue(L, -2, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->callbacks);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, w);
    lua_pop(L, 1);
    if (il_host_session(h->host, verb, args, on_session, w, &err)) {
        take_out(w);
        return luamod_leave(L, h, luamod_fail(L, &err));
    }
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}
