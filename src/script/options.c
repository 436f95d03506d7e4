/* Options by name (options.h). */
#include "script/options.h"

#include "base/error.h"
#include "contract/schema.h"
#include "script/near.h"

#include <lauxlib.h>

void il__options_check(lua_State *L, int idx, const char *const *known, const char *what)
{
    struct il_str worst = IL_STR_NONE;
    lua_pushnil(L);
    while (lua_next(L, idx)) {
        il__sandbox_charge(L, 2);
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING) {
            luaL_error(L, "%s: options are written by name, as in { %s = ... }", what, known[0]);
        }
        struct il_str key;
        key.ptr = lua_tolstring(L, -1, &key.len);
        if (il__name_index(known, key) < 0 && (!worst.ptr || il__str_cmp(key, worst) < 0)) worst = key;
    }
    if (worst.ptr) il__refuse_name(L, worst, known, what);
}

void il__refuse_name(lua_State *L, struct il_str name, const char *const *known, const char *what)
{
    struct il__near near = il__near_start(name);
    for (size_t i = 0; known[i]; i++) il__near_try(&near, il__str(known[i]));
    char shown[80];
    il__escape(shown, sizeof shown, name);
    if (near.best.ptr) luaL_error(L, "%s: there is no \"%s\"; did you mean \"%s\"?", what, shown, near.best.ptr);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (size_t i = 0; known[i]; i++) {
        if (i) luaL_addstring(&b, ", ");
        luaL_addstring(&b, known[i]);
    }
    luaL_pushresult(&b);
    luaL_error(L, "%s: there is no \"%s\"; there are: %s", what, shown, lua_tostring(L, -1));
}
