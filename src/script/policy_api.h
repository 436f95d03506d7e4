/* The module "interlock.policy" for policy files: `policy { ... }` declares one, `policy.ask` and `policy.deny` are
 * the verdicts. Every option is checked where it is written. Uses the sandbox only. Must never accept anything but
 * a verdict of its own making. */
#ifndef IL_SCRIPT_POLICY_API_H
#define IL_SCRIPT_POLICY_API_H

#include "check/verdict.h"
#include "script/object.h"

extern const struct il__object il__policy_object;
/* The list of modules that holds "interlock.policy" alone. */
extern const struct il__modules il__policy_modules;

/* What a policy file must return. Raises a message that says what to write when the stack holds anything else than one
 * declaration; `last` is the last line of the file. `*phases` has a bit per phase; the name stays valid as long as the
 * value at 1. */
void il__policy_check_declared(lua_State *L, const char *label, int last, struct il_str *name, unsigned *phases);
/* Pushes the function of a phase of the declaration at `idx`; its first line, 0: not known. */
int il__policy_push_phase(lua_State *L, int idx, enum il__phase phase);

/* Reads what a phase function returned (the whole stack) into the verdict members of `out`; texts are copied to `arena`
 * and escaped. Raises when it is neither nothing nor a verdict. False: no memory. */
bool il__policy_take_verdict(lua_State *L, struct il__arena *arena, struct il__said *out);

#endif
