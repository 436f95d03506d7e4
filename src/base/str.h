/* Length-counted strings: compare whole lengths, never by NUL.
 * Uses only the public `struct il_str`. Owns nothing, allocates nothing. */
#ifndef IL_BASE_STR_H
#define IL_BASE_STR_H

#include "include/interlock.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A literal as a string: IL_STR("lease"). */
#define IL_STR(lit) ((struct il_str){ "" lit "", sizeof(lit) - 1 })
/* Absent: distinct from the empty string. */
#define IL_STR_NONE ((struct il_str){ NULL, 0 })
/* For printf: printf("%.*s", IL_STR_FMT(s)). */
#define IL_STR_FMT(s) (int)(s).len, (s).ptr ? (s).ptr : ""

static inline struct il_str il__str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

static inline bool il__str_present(struct il_str s)
{
    return s.ptr != NULL;
}

/* Same presence, same length, same bytes. */
static inline bool il__str_eq(struct il_str a, struct il_str b)
{
    if (!a.ptr || !b.ptr) return a.ptr == b.ptr;
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* Equal but for the case of ASCII letters; no locale. */
bool il__str_eq_nocase(struct il_str a, struct il_str b);
/* Bytewise order (shorter first on a common prefix): <0, 0, >0. */
int il__str_cmp(struct il_str a, struct il_str b);
/* True when `s` is exactly `len` lowercase hex digits. */
bool il__str_is_hex(struct il_str s, size_t len);

#endif
