/* The table of options of a function of the script API: `f { key = ..., max = ... }`. */
#ifndef IL_SCRIPT_OPTIONS_H
#define IL_SCRIPT_OPTIONS_H

#include "script/sandbox.h"

/* Refuses a key of the table at `idx` that is not in `known` (NULL-terminated); the smallest one, so that the message
 * is the same in every process. Raises "WHAT: there is no "kye"; did you mean "key"?". */
void il__options_check(lua_State *L, int idx, const char *const *known, const char *what);
/* Raises the same for one name that is not among `known`: what was meant, or what there is. Does not return. */
void il__refuse_name(lua_State *L, struct il_str name, const char *const *known, const char *what);

#endif
