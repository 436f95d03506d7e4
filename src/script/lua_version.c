/* The version of the Lua inside (lua_version.h). */
#include "script/lua_version.h"

#include <lua.h>

const char *il__lua_version(void)
{
    return LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE;
}
