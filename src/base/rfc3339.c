/* Instants: RFC 3339 §5.6 text to UTC seconds and back, on the proleptic Gregorian calendar. Pure arithmetic: no C
 * library time function, no locale, no time zone of the machine, no allocation. */
#include "base/rfc3339.h"

#include "base/date.h"

/* Exactly `n` digits at `*at`; -1 when there are fewer. */
static int digits(struct il_str text, size_t *at, int n)
{
    int value = 0;
    for (int i = 0; i < n; i++, (*at)++) {
        if (*at >= text.len || text.ptr[*at] < '0' || text.ptr[*at] > '9') return -1;
        value = value * 10 + (text.ptr[*at] - '0');
    }
    return value;
}

static bool one_of(struct il_str text, size_t *at, char a, char b)
{
    if (*at >= text.len || (text.ptr[*at] != a && text.ptr[*at] != b)) return false;
    (*at)++;
    return true;
}

struct fields {
    int year, month, day, hour, minute, second, offset_minutes;
    int32_t nsec;
};

static const char *read_date(struct il_str text, size_t *at, struct fields *f)
{
    f->year = digits(text, at, 4);
    if (f->year < 0 || !one_of(text, at, '-', '-')) return "the date is not YYYY-MM-DD";
    f->month = digits(text, at, 2);
    if (f->month < 0 || !one_of(text, at, '-', '-')) return "the date is not YYYY-MM-DD";
    f->day = digits(text, at, 2);
    if (f->day < 0) return "the date is not YYYY-MM-DD";
    if (f->month < 1 || f->month > 12) return "the month is not 01 to 12";
    if (f->day < 1 || f->day > il__days_in_month(f->year, f->month)) return "the month has no such day";
    return NULL;
}

static const char *read_time(struct il_str text, size_t *at, struct fields *f)
{
    f->hour = digits(text, at, 2);
    if (f->hour < 0 || !one_of(text, at, ':', ':')) return "the time is not hh:mm:ss";
    f->minute = digits(text, at, 2);
    if (f->minute < 0 || !one_of(text, at, ':', ':')) return "the time is not hh:mm:ss";
    f->second = digits(text, at, 2);
    if (f->second < 0) return "the time is not hh:mm:ss";
    if (f->hour > 23) return "the hour is not 00 to 23";
    if (f->minute > 59) return "the minute is not 00 to 59";
    if (f->second > 60) return "the second is not 00 to 60";
    if (!one_of(text, at, '.', '.')) return NULL;
    int n = 0;
    for (; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; (*at)++, n++) {
        if (n == 9) return "the fraction has more than nine digits";
        f->nsec = f->nsec * 10 + (text.ptr[*at] - '0');
    }
    if (n == 0) return "the fraction has no digits";
    for (; n < 9; n++) f->nsec *= 10;
    return NULL;
}

static const char *read_offset(struct il_str text, size_t *at, struct fields *f)
{
    if (one_of(text, at, 'Z', 'z')) return NULL;
    bool minus = *at < text.len && text.ptr[*at] == '-';
    if (!one_of(text, at, '+', '-')) return "the offset is not Z or +hh:mm or -hh:mm";
    int hours = digits(text, at, 2);
    if (hours < 0 || !one_of(text, at, ':', ':')) return "the offset is not Z or +hh:mm or -hh:mm";
    int minutes = digits(text, at, 2);
    if (minutes < 0) return "the offset is not Z or +hh:mm or -hh:mm";
    if (hours > 23 || minutes > 59) return "the offset is not within 23:59";
    f->offset_minutes = (hours * 60 + minutes) * (minus ? -1 : 1);
    return NULL;
}

static const char *read_instant(struct il_str text, struct il__instant *out)
{
    struct fields f = { 0, 0, 0, 0, 0, 0, 0, 0 };
    size_t at = 0;
    if (!text.ptr || text.len == 0) return "the time is empty";
    const char *why = read_date(text, &at, &f);
    if (why) return why;
    if (!one_of(text, &at, 'T', 't')) return "no T between date and time";
    why = read_time(text, &at, &f);
    if (!why) why = read_offset(text, &at, &f);
    if (why) return why;
    if (at != text.len) return "something stands after the time";
    int second = f.second == 60 ? 59 : f.second;
    int64_t sec = il__days_from_date(f.year, f.month, f.day) * 86400 + f.hour * 3600 + f.minute * 60 + second -
                  (int64_t)f.offset_minutes * 60;
    if (f.second == 60) {
        int64_t next = sec + 1;
        struct il__date d = il__date_from_days((next >= 0 ? next : next - 86399) / 86400);
        bool midnight = next % 86400 == 0 && d.day == 1 && (d.month == 1 || d.month == 7);
        if (!midnight) return "second 60 exists only at 23:59:60 UTC on 30 June or 31 December";
        sec = next;
    }
    *out = (struct il__instant){ sec, f.nsec };
    return NULL;
}

bool il__rfc3339_parse(struct il_str text, struct il__instant *out, const char **why)
{
    const char *fault = read_instant(text, out);
    if (fault && why) *why = fault;
    return fault == NULL;
}

bool il_time_parse(struct il_str text, int64_t *sec, int32_t *nsec)
{
    struct il__instant at;
    if (!il__rfc3339_parse(text, &at, NULL)) return false;
    if (sec) *sec = at.sec;
    if (nsec) *nsec = at.nsec;
    return true;
}

static char *put(char *to, int64_t value, int width)
{
    for (int i = width - 1; i >= 0; i--) {
        to[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return to + width;
}

size_t il__rfc3339_format(struct il__instant at, char buf[IL__RFC3339_MAX])
{
    const int64_t first = -62167219200; /* 0000-01-01T00:00:00Z */
    const int64_t last = 253402300799;  /* 9999-12-31T23:59:59Z */
    if (at.sec < first) at = (struct il__instant){ first, 0 };
    if (at.sec > last) at = (struct il__instant){ last, 999999999 };
    int64_t days = (at.sec >= 0 ? at.sec : at.sec - 86399) / 86400;
    int64_t rest = at.sec - days * 86400;
    struct il__date d = il__date_from_days(days);
    char *to = put(buf, d.year, 4);
    *to++ = '-';
    to = put(to, d.month, 2);
    *to++ = '-';
    to = put(to, d.day, 2);
    *to++ = 'T';
    to = put(to, rest / 3600, 2);
    *to++ = ':';
    to = put(to, rest / 60 % 60, 2);
    *to++ = ':';
    to = put(to, rest % 60, 2);
    *to++ = '.';
    to = at.nsec % 1000000 == 0 ? put(to, at.nsec / 1000000, 3) : put(to, at.nsec, 9);
    *to++ = 'Z';
    *to = 0;
    return (size_t)(to - buf);
}

int il__instant_cmp(struct il__instant a, struct il__instant b)
{
    if (a.sec != b.sec) return a.sec < b.sec ? -1 : 1;
    return (a.nsec > b.nsec) - (a.nsec < b.nsec);
}

struct il__instant il__instant_add_ms(struct il__instant at, int64_t ms)
{
    int64_t sec = ms / 1000;
    int32_t nsec = at.nsec + (int32_t)(ms % 1000) * 1000000;
    if (nsec < 0) {
        nsec += 1000000000;
        sec--;
    } else if (nsec >= 1000000000) {
        nsec -= 1000000000;
        sec++;
    }
    if (__builtin_add_overflow(at.sec, sec, &sec)) {
        return ms < 0 ? (struct il__instant){ INT64_MIN, 0 } : (struct il__instant){ INT64_MAX, 999999999 };
    }
    return (struct il__instant){ sec, nsec };
}

int64_t il__instant_diff_ms(struct il__instant a, struct il__instant b)
{
    int64_t sec = 0;
    int64_t ms = 0;
    if (__builtin_sub_overflow(a.sec, b.sec, &sec) || __builtin_mul_overflow(sec, 1000, &ms)) {
        return a.sec < b.sec ? INT64_MIN : INT64_MAX;
    }
    int64_t nsec = (int64_t)a.nsec - b.nsec;
    int64_t part = (nsec >= 0 ? nsec : nsec - 999999) / 1000000;
    if (__builtin_add_overflow(ms, part, &ms)) return part < 0 ? INT64_MIN : INT64_MAX;
    return ms;
}
