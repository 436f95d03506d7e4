/* Fixed offsets and POSIX TZ rules (zone.h). One reader over the text, and for an instant the latest of the changes of
 * the three years around it. */
#include "base/zone.h"

#include "base/date.h"
#include "base/limits.h"

enum { STANDARD, SUMMER };

struct reader {
    const char *at, *end;
    const char *why;
};

static bool fail(struct reader *r, const char *why)
{
    if (!r->why) r->why = why;
    return false;
}

static bool take(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* 1 to `most_digits` digits with a value of `least` to `most`. */
static bool number(struct reader *r, int most_digits, int least, int most, int *out, const char *why)
{
    int value = 0, n = 0;
    for (; r->at < r->end && is_digit(*r->at) && n < most_digits; n++, r->at++) value = value * 10 + (*r->at - '0');
    if (n == 0 || value < least || value > most || (r->at < r->end && is_digit(*r->at))) return fail(r, why);
    *out = value;
    return true;
}

/* [+-]h[:mm[:ss]] as seconds. */
static bool hours(struct reader *r, int most_digits, int most, int64_t *out, const char *why)
{
    int64_t sign = take(r, '-') ? -1 : 1;
    if (sign > 0) (void)take(r, '+');
    int h = 0, m = 0, s = 0;
    if (!number(r, most_digits, 0, most, &h, why)) return false;
    if (take(r, ':')) {
        if (!number(r, 2, 0, 59, &m, why)) return false;
        if (take(r, ':') && !number(r, 2, 0, 59, &s, why)) return false;
    }
    *out = sign * (h * INT64_C(3600) + m * 60 + s);
    return true;
}

/* Three letters or more, or `<+03>`. */
static bool name(struct reader *r, char out[IL__ZONE_NAME_MAX])
{
    bool quoted = take(r, '<');
    size_t n = 0;
    for (; r->at < r->end; r->at++) {
        char c = *r->at;
        if (!is_letter(c) && !(quoted && (is_digit(c) || c == '+' || c == '-'))) break;
        if (n == IL__ZONE_NAME_MAX - 1) return fail(r, "a name has at most 15 characters");
        out[n++] = c;
    }
    out[n] = '\0';
    if (quoted && !take(r, '>')) return fail(r, "a name in < > holds letters, digits, + and - only");
    if (n < 3) return fail(r, "a name has at least three letters, as in CET-1, or is quoted, as in <+03>-3");
    return true;
}

static bool weekday_change(struct reader *r, struct il__zone_change *out)
{
    static const char why[] = "a change by weekday is Mm.w.d: month 1 to 12, week 1 to 5, day 0 to 6";
    out->kind = IL__ZONE_WEEKDAY;
    if (!number(r, 2, 1, 12, &out->month, why)) return false;
    if (!take(r, '.') || !number(r, 1, 1, 5, &out->week, why)) return fail(r, why);
    if (!take(r, '.') || !number(r, 1, 0, 6, &out->day, why)) return fail(r, why);
    return true;
}

static bool change(struct reader *r, struct il__zone_change *out)
{
    *out = (struct il__zone_change){ .seconds = 7200 };
    if (!take(r, ',')) return fail(r, "a summer time needs the days of both changes: ,M3.5.0,M10.5.0/3");
    if (take(r, 'M')) {
        if (!weekday_change(r, out)) return false;
    } else if (take(r, 'J')) {
        out->kind = IL__ZONE_JULIAN;
        if (!number(r, 3, 1, 365, &out->day, "a change by day is J1 to J365")) return false;
    } else {
        out->kind = IL__ZONE_DAY;
        if (!number(r, 3, 0, 365, &out->day, "a change is Mm.w.d, J1 to J365, or 0 to 365")) return false;
    }
    if (!take(r, '/')) return true;
    return hours(r, 3, 167, &out->seconds, "the time of a change is hh[:mm[:ss]], from -167 to 167 hours");
}

static bool rule(struct reader *r, struct il__zone *out)
{
    static const char why[] = "the offset behind a name is hh[:mm[:ss]], at most 24 hours, west of Greenwich: CET-1";
    int64_t west = 0;
    if (!name(r, out->name[STANDARD])) return false;
    if (r->at == r->end) return fail(r, "a name alone is no rule: write its offset, as in CET-1");
    if (!hours(r, 2, 24, &west, why)) return false;
    out->offset[STANDARD] = (int)-west;
    if (r->at == r->end) return true;
    if (!name(r, out->name[SUMMER])) return false;
    out->offset[SUMMER] = out->offset[STANDARD] + 3600;
    if (r->at < r->end && *r->at != ',') {
        if (!hours(r, 2, 24, &west, why)) return false;
        out->offset[SUMMER] = (int)-west;
    }
    return change(r, &out->change[0]) && change(r, &out->change[1]);
}

static char *two(char *to, int value)
{
    to[0] = (char)('0' + value / 10 % 10);
    to[1] = (char)('0' + value % 10);
    return to + 2;
}

/* "+02:00"; with the seconds when there are some. */
static char *put_offset(char *to, int offset)
{
    int west = offset < 0 ? -offset : offset;
    *to++ = offset < 0 ? '-' : '+';
    to = two(to, west / 3600);
    *to++ = ':';
    to = two(to, west / 60 % 60);
    if (west % 60) {
        *to++ = ':';
        to = two(to, west % 60);
    }
    *to = '\0';
    return to;
}

/* +hh, +hhmm, +hh:mm. */
static bool fixed(struct reader *r, struct il__zone *out)
{
    static const char why[] = "a fixed offset is +hh:mm, +hhmm or +hh, within 23:59";
    bool minus = *r->at++ == '-';
    int digits[4] = { 0, 0, 0, 0 }, n = 0;
    for (; r->at < r->end && n < 4; r->at++) {
        if (n == 2 && *r->at == ':' && r->end - r->at == 3) continue;
        if (!is_digit(*r->at)) return fail(r, why);
        digits[n++] = *r->at - '0';
    }
    int h = digits[0] * 10 + digits[1], m = digits[2] * 10 + digits[3];
    if ((n != 2 && n != 4) || r->at != r->end || h > 23 || m > 59) return fail(r, why);
    out->offset[STANDARD] = (h * 3600 + m * 60) * (minus ? -1 : 1);
    (void)put_offset(out->name[STANDARD], out->offset[STANDARD]);
    return true;
}

/* ":Europe/Berlin" and its like: a rule has no slash in front of its changes. */
static bool is_system_zone(const struct reader *r)
{
    if (*r->at == ':') return true;
    const char *p = r->at;
    while (p < r->end && *p != ',' && *p != '/') p++;
    return p < r->end && *p == '/';
}

static bool read_zone(struct reader *r, struct il__zone *out)
{
    if (r->at == r->end) return fail(r, "it is empty");
    if (r->end - r->at > IL__LIMIT_ZONE_BYTES) return fail(r, "it is longer than 128 bytes (zone_bytes)");
    if (r->end - r->at == 1 && *r->at == 'Z') {
        memcpy(out->name[STANDARD], "UTC", 4);
        return true;
    }
    if (*r->at == '+' || *r->at == '-') return fixed(r, out);
    if (is_system_zone(r)) {
        return fail(r, "zones of the system are not read; write the rule itself, as in CET-1CEST,M3.5.0,M10.5.0/3");
    }
    if (!rule(r, out)) return false;
    return r->at == r->end || fail(r, "something stands behind the rule");
}

bool il__zone_parse(struct il_str text, struct il__zone *out, const char **why)
{
    struct reader r = { text.ptr, text.ptr + text.len, NULL };
    memset(out, 0, sizeof *out);
    if (!read_zone(&r, out)) {
        *why = r.why;
        return false;
    }
    return true;
}

/* ---- local time -------------------------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t day_of_change(const struct il__zone_change *c, int64_t year)
{
    int64_t first = il__days_from_date(year, 1, 1);
    switch (c->kind) {
    case IL__ZONE_JULIAN: return first + c->day - 1 + (il__is_leap_year(year) && c->day >= 60);
    case IL__ZONE_DAY: return first + c->day;
    case IL__ZONE_WEEKDAY: break;
    }
    int64_t month = il__days_from_date(year, c->month, 1);
    int64_t day = (c->day - il__weekday(month) + 7) % 7 + (c->week - 1) * 7;
    return month + (day < il__days_in_month(year, c->month) ? day : day - 7);
}

/* The time that holds at `sec`: what the latest change up to then began. Where a summer ends as the next begins, it is
 * summer. */
static int which(const struct il__zone *z, int64_t sec)
{
    if (!z->name[SUMMER][0]) return STANDARD;
    int64_t year = il__date_from_days(floor_div(sec + z->offset[STANDARD], 86400)).year;
    int64_t latest = INT64_MIN;
    int found = STANDARD;
    for (int64_t y = year - 1; y <= year + 1; y++) {
        for (int to = SUMMER; to >= STANDARD; to--) {
            const struct il__zone_change *c = &z->change[to == SUMMER ? 0 : 1];
            int64_t at = day_of_change(c, y) * 86400 + c->seconds - z->offset[1 - to];
            if (at > sec || at < latest || (at == latest && to == STANDARD)) continue;
            latest = at;
            found = to;
        }
    }
    return found;
}

/* Seconds for which years and sums stay far from the ends of their types. */
static int64_t within(int64_t sec, int64_t least, int64_t most)
{
    return sec < least ? least : sec > most ? most : sec;
}

void il__zone_local(const struct il__zone *zone, struct il__instant at, struct il__local *out)
{
    int64_t sec = within(at.sec, INT64_MIN / 4, INT64_MAX / 4);
    int now = which(zone, sec);
    int64_t local = sec + zone->offset[now], days = floor_div(local, 86400), rest = local - days * 86400;
    struct il__date d = il__date_from_days(days);
    *out = (struct il__local){
        .year = d.year, .month = d.month, .day = d.day, .hour = (int)(rest / 3600), .minute = (int)(rest / 60 % 60),
        .second = (int)(rest % 60), .weekday = il__weekday(days), .offset = zone->offset[now], .name = zone->name[now],
    };
}

size_t il__local_format(const struct il__zone *zone, struct il__instant at, char buf[IL__LOCAL_TEXT_MAX])
{
    const int64_t first = -62167219200 + 90000, last = 253402300799 - 90000; /* 0000 to 9999, at any offset */
    struct il__local l;
    il__zone_local(zone, (struct il__instant){ within(at.sec, first, last), at.nsec }, &l);
    struct il__instant shown = { within(at.sec, first, last) + l.offset, at.nsec };
    size_t len = il__rfc3339_format(shown, buf) - 1; /* without its Z */
    if (l.offset == 0) {
        buf[len] = 'Z';
        return len + 1;
    }
    return (size_t)(put_offset(buf + len, l.offset) - buf);
}
