/* Reading members of a scenario's JSON, leniently typed: what is absent or of another kind is the fallback. */
#ifndef IL_HOST_PLAYER_ARGS_H
#define IL_HOST_PLAYER_ARGS_H

#include "wire/json.h"

struct il__args { struct il__json *doc; uint32_t at; }; /* doc NULL: nothing there */

struct il__args il__args_sub(const struct il__args *a, const char *name); /* an object, or nothing */
struct il_str il__args_str(const struct il__args *a, const char *name, struct il_str fallback);
int64_t il__args_int(const struct il__args *a, const char *name, int64_t fallback);
bool il__args_bool(const struct il__args *a, const char *name, bool fallback);
struct il_str il__args_raw(const struct il__args *a, const char *name); /* absent: not there */
/* A list of strings; false when there is none. */
bool il__args_strs(const struct il__args *a, const char *name, struct il_str *out, size_t cap, size_t *count);
/* "45s", "250ms", "5m", "2h", "1d", or a number of seconds; a minus in front is allowed. */
enum il_code il__args_ms(const struct il__args *a, const char *name, int64_t *ms, struct il_error *err) IL_MUST_USE;

#endif
