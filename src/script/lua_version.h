/* The version of the Lua inside. */
#ifndef IL_SCRIPT_LUA_VERSION_H
#define IL_SCRIPT_LUA_VERSION_H

/* "5.4.4". Static. */
const char *il__lua_version(void);

#endif
