/* The approver connection in Lua: setting it, what is known of it, and the grant of a run that waits. */
#include "luamod/luamod.h"

/* host:set_approver { endpoint = "unix:PATH", token =, ca_file =, connect_timeout_ms = } */
int luamod_set_approver(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_mcp_options o = IL_MCP_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    luaL_checktype(L, 2, LUA_TTABLE);
    o.endpoint = luamod_field_str(L, 2, "endpoint");
    o.token = luamod_field_str(L, 2, "token");
    o.ca_file = luamod_field_str(L, 2, "ca_file");
    lua_getfield(L, 2, "connect_timeout_ms");
    lua_Integer ms = luaL_optinteger(L, -1, 0);
    luaL_argcheck(L, ms >= 0 && ms <= UINT32_MAX, 2, "connect_timeout_ms in milliseconds");
    o.connect_timeout_ms = (uint32_t)ms;
    if (il_host_set_approver(h->host, &o, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}

/* host:approver_facts() -> JSON text */
int luamod_approver_facts(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    if (il_host_approver_facts(h->host, &out, &err)) return luamod_fail(L, &err);
    luamod_push_str(L, out);
    return 1;
}

/* run:obtain_grant(request_id, action_digest, policy_digest [, function(err) end]) */
int luamod_obtain_grant(lua_State *L)
{
    struct luamod_run *r = luamod_check_run(L, 1);
    struct luamod_host *h = r->owner;
    struct il_error err = IL_ERROR_INIT;
    struct il_str request = luamod_arg_str(L, 2), action = luamod_arg_str(L, 3), policy = luamod_arg_str(L, 4);
    struct luamod_listener *l = luamod_listen(L, h, 5);
    enum il_code code = il_run_obtain_grant(r->run, request, action, policy, l ? luamod_heard : NULL, l, &err);
    return luamod_listened(L, h, l, code, &err);
}
