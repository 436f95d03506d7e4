/* The `json` helpers of scripts: what a Lua value cannot say by itself (an empty list, a null). Uses value.h. */
#include "script/state.h"
#include "script/value.h"
#include "script/view.h"

static int json_array(lua_State *L)
{
    if (lua_isnoneornil(L, 1)) lua_newtable(L);
    else luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    if (il__value_is_array(L, 1)) return 1;
    if (lua_getmetatable(L, 1)) return luaL_error(L, "json.array: this table cannot be a list");
    il__value_mark_array(L, 1);
    return 1;
}

static int json_kind(lua_State *L)
{
    const char *label = il__view_label(L, 1);
    const char *kind = luaL_typename(L, 1);
    luaL_checkany(L, 1);
    if (lua_isnil(L, 1) || il__value_is_null(L, 1)) kind = "null";
    else if (label) kind = il__view_is_list(L, 1) ? "array" : "object";
    else if (lua_istable(L, 1)) kind = il__value_is_array(L, 1) || lua_rawlen(L, 1) > 0 ? "array" : "object";
    lua_pushstring(L, kind);
    return 1;
}

static const luaL_Reg functions[] = {
    { "array", json_array }, /* (t or nothing): marks t as a list, also when empty */
    { "kind", json_kind },   /* "null", "boolean", "number", "string", "array", "object" */
    { NULL, NULL }
};

void il__lib_json(lua_State *L)
{
    luaL_newlib(L, functions);
    il__value_push_null(L);
    lua_setfield(L, -2, "null"); /* an explicit null; it is true in a condition */
}
