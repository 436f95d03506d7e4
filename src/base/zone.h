/* Time zones that carry their own rule: a fixed offset, or a POSIX.1-2017 §8.3 TZ rule with the hours of RFC 8536
 * §3.3.1. Pure arithmetic on base/date.h. Must never read a zone of the system: what a rule says is the same on every
 * machine and in every year. */
#ifndef IL_BASE_ZONE_H
#define IL_BASE_ZONE_H

#include "base/rfc3339.h"

enum { IL__ZONE_NAME_MAX = 16 }; /* a name of 15 characters and its NUL */

/* When one of the two changes of a year happens, on the clock that holds until then. */
struct il__zone_change {
    enum { IL__ZONE_JULIAN, IL__ZONE_DAY, IL__ZONE_WEEKDAY } kind;
    int day;         /* JULIAN: 1..365 without 29 February; DAY: 0..365 with it; WEEKDAY: 0 (Sunday) to 6 */
    int month, week; /* WEEKDAY: 1..12, and 1..5 where 5 is the last */
    int64_t seconds; /* from the midnight that begins the day; may be negative, or past the day's end */
};

struct il__zone {
    char name[2][IL__ZONE_NAME_MAX]; /* standard time, and summer time ("": none) */
    int offset[2];                   /* seconds east of Greenwich */
    struct il__zone_change change[2]; /* to summer time, and back */
};

/* A moment as its clock and calendar show it. */
struct il__local {
    int64_t year;
    int month, day, hour, minute, second;
    int weekday;      /* 0 is Sunday */
    int offset;       /* seconds east of Greenwich */
    const char *name; /* "CEST", "+02:00", "UTC"; lives as long as the zone */
};

/* Z, +hh, +hhmm, +hh:mm (or with -), or a TZ rule: "CET-1CEST,M3.5.0,M10.5.0/3". False: `*why` is a static text that
 * says what is wrong, and `*out` holds nothing useful. Mind that a TZ rule counts west: "UTC+2" is two hours behind. */
bool il__zone_parse(struct il_str text, struct il__zone *out, const char **why);
void il__zone_local(const struct il__zone *zone, struct il__instant at, struct il__local *out);

enum { IL__LOCAL_TEXT_MAX = 48 };
/* "2026-11-30T19:00:27.381+01:00": RFC 3339 with the offset (and its seconds, in the rare zone that has some). An
 * instant outside years 0000-9999 is clamped. Returns the length. */
size_t il__local_format(const struct il__zone *zone, struct il__instant at, char buf[IL__LOCAL_TEXT_MAX]);

#endif
