/* Instants and their text form: RFC 3339 §5.6 with the narrowings of the wire contract (years 0000-9999, fraction of
 * 1 to 9 digits, second 60 only at 23:59:60 UTC on 30 June or 31 December, read as the next second). No locale, no
 * time zone of the machine. */
#ifndef IL_BASE_RFC3339_H
#define IL_BASE_RFC3339_H

#include "base/str.h"

#include <stdint.h>

/* Seconds since 1970-01-01T00:00:00Z (may be negative) and nanoseconds 0..999999999. */
struct il__instant {
    int64_t sec;
    int32_t nsec;
};

enum { IL__RFC3339_MAX = 40 }; /* a buffer of this size holds any formatted instant and its NUL */

/* True and `*out` when `text` is a readable instant; otherwise false and `*out` unchanged. `why` (may be NULL) gets a
 * static text that says what is wrong. */
bool il__rfc3339_parse(struct il_str text, struct il__instant *out, const char **why);
/* "2026-11-30T18:00:27.381Z": always UTC; milliseconds, or nine digits when the instant is finer. Returns the length.
 * An instant outside years 0000-9999 is clamped. */
size_t il__rfc3339_format(struct il__instant at, char buf[IL__RFC3339_MAX]);
/* <0, 0, >0. */
int il__instant_cmp(struct il__instant a, struct il__instant b);
/* `at` plus milliseconds (may be negative); saturates at the ends of the range. */
struct il__instant il__instant_add_ms(struct il__instant at, int64_t ms);
/* a - b in milliseconds, rounded down, saturating. */
int64_t il__instant_diff_ms(struct il__instant a, struct il__instant b);

#endif
