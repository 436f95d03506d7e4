/* Moments of the wall clock in milliseconds since 1970, and spans of time, as text for people.
 * Uses CLOCK_REALTIME and no locale. Must never decide whether something has expired: the library does. */
#ifndef IL_CLI_MOMENT_H
#define IL_CLI_MOMENT_H

#include "cli/text.h"

/* Milliseconds since 1970, by the wall clock. */
int64_t il__wall_ms(void);
/* The time that RFC 3339 text stands for, in ms since 1970; 0 when it is none. */
int64_t il__wall_read(struct il_str text);
/* "4m 12s", "3h 05m", "2d 04h": at most two units; `ms` below 0 counts as 0. */
void il__span_text(struct il__text *text, int64_t ms);
/* "in 4m 12s", or "expired 3m 02s ago". */
void il__countdown_text(struct il__text *text, int64_t expires_ms, int64_t now_ms);

/* "2026-01-31T09:30:00.000Z". */
void il__wall_text(struct il__text *text, int64_t ms);

#endif
