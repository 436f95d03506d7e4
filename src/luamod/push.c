/* Values between the API and Lua (luamod.h). */
#include "luamod/luamod.h"

void luamod_push_str(lua_State *L, struct il_str s)
{
    if (s.ptr) lua_pushlstring(L, s.ptr, s.len);
    else lua_pushnil(L);
}

void luamod_set_str(lua_State *L, const char *name, struct il_str s)
{
    luamod_push_str(L, s);
    lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text)
{
    if (!*text) return;
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

void luamod_push_error(lua_State *L, const struct il_error *err)
{
    lua_createtable(L, 0, 8);
    set_text(L, "code", il_code_name(err->code));
    set_text(L, "step", err->step);
    set_text(L, "object", err->object);
    set_text(L, "field", err->field);
    set_text(L, "expected", err->expected);
    set_text(L, "actual", err->actual);
    set_text(L, "message", err->message);
    if (!err->cleanup_code) return;
    lua_createtable(L, 0, 3);
    set_text(L, "code", il_code_name(err->cleanup_code));
    set_text(L, "step", err->cleanup_step);
    set_text(L, "message", err->cleanup_message);
    lua_setfield(L, -2, "cleanup");
}

int luamod_fail(lua_State *L, const struct il_error *err)
{
    lua_pushnil(L);
    luamod_push_error(L, err);
    return 2;
}

struct il_str luamod_arg_str(lua_State *L, int idx)
{
    size_t len;
    luaL_checktype(L, idx, LUA_TSTRING);
    const char *ptr = lua_tolstring(L, idx, &len);
    return (struct il_str){ ptr, len };
}

struct il_str luamod_opt_str(lua_State *L, int idx)
{
    if (lua_isnoneornil(L, idx)) return (struct il_str){ NULL, 0 };
    return luamod_arg_str(L, idx);
}

struct il_str luamod_field_str(lua_State *L, int table, const char *name)
{
    int type = lua_getfield(L, table, name);
    if (type == LUA_TNIL) return (struct il_str){ NULL, 0 };
    if (type != LUA_TSTRING) luaL_error(L, "%s takes a string, not a %s", name, lua_typename(L, type));
    return luamod_arg_str(L, -1);
}

size_t luamod_field_strs(lua_State *L, int table, const char *name, struct il_str *out, size_t cap)
{
    int type = lua_getfield(L, table, name);
    if (type == LUA_TNIL) return 0;
    if (type != LUA_TTABLE) luaL_error(L, "%s takes a list of strings", name);
    int list = lua_gettop(L);
    size_t count = lua_rawlen(L, list);
    if (count > cap) luaL_error(L, "%s has more than %d entries", name, (int)cap);
    luaL_checkstack(L, (int)count + 2 * LUA_MINSTACK, name); /* and room for the callbacks of the call */
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        out[i] = luamod_arg_str(L, -1);
    }
    return count;
}
