/* Values that cross the border between a script and the core: bounded copies, both ways. A copy out is JSON text with
 * members in sorted order, integers and floats kept apart; it is made iteratively, reads each field once and raw, and
 * refuses functions, coroutines, foreign userdata, cycles, NaN and infinities, mixed keys and lists with holes.
 * Uses wire/json. Must never recurse on its input. */
#ifndef IL_SCRIPT_VALUE_H
#define IL_SCRIPT_VALUE_H

#include "base/buf.h"
#include "script/sandbox.h"
#include "wire/json.h"

/* Appends the value at `idx` as JSON text. Refused (nothing useful is in `out` then): `err` is invalid_request with the
 * place as a JSON pointer in `field`, or limit_exceeded naming the limit. Views write themselves. `out` must hang on
 * the caller's ctx: the call may be left by a kill. Does not raise. */
enum il_code il__value_to_json(lua_State *L, int idx, struct il__buf *out, struct il_error *err);
/* The same, raising "WHAT: /place: reason" as an error of the script. */
void il__value_check_json(lua_State *L, int idx, struct il__buf *out, const char *what);

/* Pushes a deep copy of node `at`: objects and lists as tables (lists marked, so that an empty one stays a list), null
 * as json.null, integers outside int64 as floats. Raises when it is over the bounds of a value. */
void il__value_push_json(lua_State *L, struct il__json *doc, uint32_t at);

/* Pushes the scalar at node `at` (json.null for null and containers). */
void il__value_push_scalar(lua_State *L, struct il__json *doc, uint32_t at);

/* Arguments read once, raw and exactly typed; each raises an error that says what was expected. */
struct il_str il__arg_str(lua_State *L, int idx, const char *what);              /* a string without NUL */
struct il_str il__arg_opt_str(lua_State *L, int idx, const char *what);          /* absent for nil */
int64_t il__arg_int(lua_State *L, int idx, const char *what, int64_t min, int64_t max); /* no "50", no 5.0 */
bool il__arg_bool(lua_State *L, int idx, const char *what);
/* Field `name` of the table at `idx` by a raw read, left on the stack; returns its type. */
int il__arg_field(lua_State *L, int idx, const char *name);

/* Marks the table at `idx` as a list (json.array). */
void il__value_mark_array(lua_State *L, int idx);
/* Pushes json.null. */
void il__value_push_null(lua_State *L);
bool il__value_is_null(lua_State *L, int idx);

#endif
