/* The furnishing of a new state: libraries behind read-only proxies, environments, modules by name.
 * Uses state.h. Must never let a script reach a table that another file of the state relies on. */
#include "base/error.h"
#include "script/state.h"

#include <string.h>

const char il__key_base, il__key_env_meta, il__key_loaded, il__key_array_meta, il__key_view_meta, il__key_null;
static const char loading;

/* ---- read-only tables -------------------------------------------------------------------------------------------- */

static int refuse_write(lua_State *L)
{
    return luaL_error(L, "%s is read-only", lua_tostring(L, lua_upvalueindex(1)));
}

void il__sandbox_protect(lua_State *L, const char *name)
{
    luaL_checkstack(L, 4, "library");
    lua_newuserdatauv(L, 0, 0);
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, name);
    lua_pushcclosure(L, refuse_write, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

void il__sandbox_push_library(lua_State *L, const char *name, const luaL_Reg *functions)
{
    lua_newtable(L);
    luaL_setfuncs(L, functions, 0);
    il__sandbox_protect(L, name);
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static const struct il__module *find_module(const struct il__modules *list, struct il_str name)
{
    for (; list; list = list->next)
        for (size_t i = 0; i < list->count; i++)
            if (il__str_eq(list->items[i].name, name)) return &list->items[i];
    return NULL;
}

static int no_module(lua_State *L, const char *name)
{
    luaL_Buffer b;
    const char *before = "";
    char shown[96];
    il__escape(shown, sizeof shown, il__str(name));
    luaL_buffinit(L, &b);
    luaL_addstring(&b, "no module '");
    luaL_addstring(&b, shown);
    luaL_addstring(&b, "'; there are: ");
    for (const struct il__modules *list = il__state(L)->options.modules; list; list = list->next) {
        for (size_t i = 0; i < list->count && luaL_bufflen(&b) < IL__LIMIT_SCRIPT_ERROR_BYTES; i++) {
            luaL_addstring(&b, before);
            luaL_addlstring(&b, list->items[i].name.ptr, list->items[i].name.len);
            before = ", ";
        }
    }
    if (find_module(il__state(L)->options.modules, IL_STR("interlock.policy")))
        luaL_addstring(&b, "; a bundle's own modules are the .lua files that \"files\" of bundle.json lists");
    luaL_pushresult(&b);
    return luaL_error(L, "%s", lua_tostring(L, -1));
}

/* (module): its value. */
static int run_module(lua_State *L)
{
    const struct il__module *module = lua_touserdata(L, 1);
    if (module->open) lua_pushcfunction(L, module->open);
    else il__call_load(L, module->file, module->source);
    lua_pushlstring(L, module->name.ptr, module->name.len);
    lua_call(L, 1, 1);
    return 1;
}

/* Leaves the module's value on top; a module that fails may be tried again. */
static void open_module(lua_State *L, const struct il__module *module)
{
    int top = lua_gettop(L);
    lua_pushcfunction(L, run_module);
    lua_pushlightuserdata(L, (void *)(uintptr_t)module);
    if (il__call_protected(L, 1, 0, 0, NULL) != LUA_OK) {
        lua_pushvalue(L, 1);
        lua_pushnil(L);
        lua_rawset(L, 2);
        lua_error(L);
    }
    lua_settop(L, top + 1);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
}

static int base_require(lua_State *L)
{
    struct il_str name;
    luaL_checktype(L, 1, LUA_TSTRING);
    lua_settop(L, 1);
    name.ptr = lua_tolstring(L, 1, &name.len);
    il__charge(il__state(L), 20 + name.len / 32);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_loaded);
    lua_pushvalue(L, 1);
    int type = lua_rawget(L, 2);
    if (type == LUA_TLIGHTUSERDATA && lua_touserdata(L, -1) == &loading)
        return luaL_error(L, "module '%s' requires itself", name.ptr);
    if (type != LUA_TNIL) return 1;
    const struct il__module *module = find_module(il__state(L)->options.modules, name);
    if (!module) return no_module(L, name.ptr);
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, (void *)(uintptr_t)&loading);
    lua_rawset(L, 2);
    open_module(L, module);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_rawset(L, 2);
    return 1;
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

struct library {
    const char *name;
    void (*push)(lua_State *L);
};

static const struct library libraries[] = {
    { "string", il__lib_string }, { "table", il__lib_table },         { "math", il__lib_math },
    { "utf8", il__lib_utf8 },     { "coroutine", il__lib_coroutine }, { "json", il__lib_json },
    { "log", il__lib_log }
};

/* String values have the functions of `string`, on top; there is no arithmetic on strings. */
static void set_string_methods(lua_State *L)
{
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

static void push_meta(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
}

void il__sandbox_furnish(lua_State *L)
{
    lua_createtable(L, 0, 32);
    il__lib_base(L);
    if (il__state(L)->options.modules) {
        lua_pushcfunction(L, base_require);
        lua_setfield(L, -2, "require");
    }
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        libraries[i].push(L);
        if (i == 0) set_string_methods(L);
        il__sandbox_protect(L, libraries[i].name);
        lua_setfield(L, -2, libraries[i].name);
    }
    push_meta(L);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "__index");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &il__key_env_meta);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &il__key_base);
    push_meta(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &il__key_array_meta);
    il__view_metatable(L);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &il__key_loaded);
}
