/* Who a run is for and who decides on it, in Lua: tokens and their keys, the approvers file, signed decisions. */
#include "luamod/luamod.h"

static int done(lua_State *L, struct luamod_host *h, enum il_code code, const struct il_error *err)
{
    if (code) return luamod_leave(L, h, luamod_fail(L, err));
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}

/* host:set_jwks { jwks =, issuer =, audience =, tenant_claim = } */
int luamod_set_jwks(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_jwks_options o = IL_JWKS_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    luaL_checktype(L, 2, LUA_TTABLE);
    o.jwks = luamod_field_str(L, 2, "jwks");
    o.issuer = luamod_field_str(L, 2, "issuer");
    o.audience = luamod_field_str(L, 2, "audience");
    o.tenant_claim = luamod_field_str(L, 2, "tenant_claim");
    return done(L, h, il_host_set_jwks(h->host, &o, &err), &err);
}

/* host:identity(token) -> JSON text */
int luamod_identity(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    if (il_host_identity(h->host, luamod_arg_str(L, 2), &out, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    luamod_push_str(L, out);
    return luamod_leave(L, h, 1);
}

/* host:set_approvers_json(text) */
int luamod_set_approvers_json(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    return done(L, h, il_host_set_approvers_json(h->host, luamod_arg_str(L, 2), &err), &err);
}

/* host:sign_decision { key_pem = or key_file =, waiting =, approver =, decision =, reason =, expires_at = } -> JSON
 * text */
int luamod_sign_decision(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_sign_options o = IL_SIGN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str out;
    luaL_checktype(L, 2, LUA_TTABLE);
    o.key_pem = luamod_field_str(L, 2, "key_pem");
    o.key_file = luamod_field_str(L, 2, "key_file");
    o.waiting = luamod_field_str(L, 2, "waiting");
    o.approver = luamod_field_str(L, 2, "approver");
    o.decision = luamod_field_str(L, 2, "decision");
    o.reason = luamod_field_str(L, 2, "reason");
    o.expires_at = luamod_field_str(L, 2, "expires_at");
    if (il_host_sign_decision(h->host, &o, &out, &err)) return luamod_leave(L, h, luamod_fail(L, &err));
    luamod_push_str(L, out);
    return luamod_leave(L, h, 1);
}
