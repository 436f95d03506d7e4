/* Lengths of time as scripts write them: "250ms", "90s", "10m", "24h", "7d". Pure text work, and one reader of script
 * arguments. */
#ifndef IL_SCRIPT_DURATION_H
#define IL_SCRIPT_DURATION_H

#include "script/sandbox.h"

/* True and `*ms` when `text` is digits and a unit. A sign is accepted where `sign` is true ("+30s", "-5m"). */
bool il__duration_parse(struct il_str text, bool sign, int64_t *ms);
/* Reads the duration at `idx`, at least `least_ms`: a text as above, or an integer of seconds. Raises "WHAT must be..."
 * otherwise. */
int64_t il__arg_duration(lua_State *L, int idx, const char *what, int64_t least_ms, int64_t most_ms);

#endif
