/* require "interlock": the module table. */
#include "luamod/luamod.h"

/* interlock.sha256(text) -> lowercase hex */
static int module_sha256(lua_State *L)
{
    char hex[65];
    il_sha256_hex(luamod_arg_str(L, 1), hex);
    lua_pushstring(L, hex);
    return 1;
}

/* interlock.time(text) -> seconds since 1970, nanoseconds; nil when it is no RFC 3339 instant */
static int module_time(lua_State *L)
{
    int64_t sec;
    int32_t nsec;
    if (!il_time_parse(luamod_arg_str(L, 1), &sec, &nsec)) return 0;
    lua_pushinteger(L, sec);
    lua_pushinteger(L, nsec);
    return 2;
}

/* interlock.limits() -> { name = { value =, unit =, about = } } */
static int module_limits(lua_State *L)
{
    lua_newtable(L);
    const struct il_limit *limit;
    for (size_t i = 0; (limit = il_limit_at(i)); i++) {
        lua_createtable(L, 0, 3);
        lua_pushinteger(L, (lua_Integer)limit->value);
        lua_setfield(L, -2, "value");
        lua_pushstring(L, limit->unit);
        lua_setfield(L, -2, "unit");
        lua_pushstring(L, limit->about);
        lua_setfield(L, -2, "about");
        lua_setfield(L, -2, limit->name);
    }
    return 1;
}

/* interlock.kinds() -> the kinds of documents that host:check knows */
static int module_kinds(lua_State *L)
{
    const char *kind;
    lua_newtable(L);
    for (size_t i = 0; (kind = il_check_kind_at(i)); i++) {
        lua_pushstring(L, kind);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static const luaL_Reg FUNCTIONS[] = {
    { "host", luamod_host_new },  /* makes a host */
    { "store", luamod_store_open }, /* opens a store */
    { "sha256", module_sha256 },
    { "time", module_time },
    { "limits", module_limits },
    { "kinds", module_kinds },
    { "play", luamod_play },      /* runs the scenarios of a file */
    { "evaluate", luamod_evaluate }, /* (events, trajectory) -> passed, result */
    { NULL, NULL },
};

/* Called by Lua's package searcher. */
LUAMOD_API int luaopen_interlock(lua_State *L);
LUAMOD_API int luaopen_interlock(lua_State *L)
{
    luamod_open_host(L);
    luamod_open_run(L);
    luamod_open_store(L);
    luaL_newlib(L, FUNCTIONS);
    luamod_open_evidence(L);
    lua_pushstring(L, il_version());
    lua_setfield(L, -2, "version");
    return 1;
}
