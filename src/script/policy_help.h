/* The helpers of policy files: `policy.glob`, `path`, `under`, `domain`, `domain_is`, `nfc` and `has`, over the pure
 * functions of src/check. Each pays for its work before it does it. What the author of a policy wrote wrong (a pattern,
 * a folder, a missing argument) is an error; what an action holds and cannot be read is nil or false.
 * Must never remember anything. */
#ifndef IL_SCRIPT_POLICY_HELP_H
#define IL_SCRIPT_POLICY_HELP_H

#include "script/sandbox.h"

int il__help_glob(lua_State *L);
int il__help_path(lua_State *L);
int il__help_under(lua_State *L);
int il__help_domain(lua_State *L);
int il__help_domain_is(lua_State *L);
int il__help_nfc(lua_State *L);
int il__help_has(lua_State *L);

#endif
