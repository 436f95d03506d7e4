/* Time texts by tests/vectors/rfc3339: each rule of SPEC §2 Time, both sides of each bound. A valid row is the text, a
 * tab and the instant in UTC as the formatter writes it; an invalid row is the text between bars. */
#include "base/rfc3339.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static struct il_str next_line(struct il_str *rest)
{
    const char *nl = memchr(rest->ptr, '\n', rest->len);
    size_t len = nl ? (size_t)(nl - rest->ptr) : rest->len;
    struct il_str line = { rest->ptr, len };
    size_t used = nl ? len + 1 : len;
    rest->ptr += used;
    rest->len -= used;
    return line;
}

static int valid_rows(void)
{
    size_t len = 0;
    int rows = 0;
    char *text = tap_slurp("tests/vectors/rfc3339/valid.txt", &len);
    struct il_str rest = { text, len };
    while (rest.len > 0) {
        struct il_str line = next_line(&rest);
        if (line.len == 0 || line.ptr[0] == '#') continue;
        const char *tab = memchr(line.ptr, '\t', line.len);
        if (!tab) abort();
        struct il_str input = { line.ptr, (size_t)(tab - line.ptr) };
        char want[64];
        snprintf(want, sizeof want, "%.*s", (int)(line.len - input.len - 1), tab + 1);
        struct il__instant at = { 0, 0 };
        const char *why = NULL;
        bool read = il__rfc3339_parse(input, &at, &why);
        char got[IL__RFC3339_MAX];
        size_t n = il__rfc3339_format(at, got);
        tap_str(read ? (struct il_str){ got, n } : il__str(why), want, "%.*s is read", IL_STR_FMT(input));
        struct il__instant again = { 0, 0 };
        bool same = il__rfc3339_parse((struct il_str){ got, n }, &again, NULL) && il__instant_cmp(at, again) == 0;
        /* an offset may carry the instant out of the years that a text can name */
        if (at.sec >= -62167219200 && at.sec <= 253402300799) tap_ok(same, "%s reads back as the same instant", got);
        rows++;
    }
    free(text);
    return rows;
}

static int invalid_rows(void)
{
    size_t len = 0;
    int rows = 0;
    char *text = tap_slurp("tests/vectors/rfc3339/invalid.txt", &len);
    struct il_str rest = { text, len };
    while (rest.len > 0) {
        struct il_str line = next_line(&rest);
        if (line.len < 2 || line.ptr[0] != '|') continue;
        struct il_str input = { line.ptr + 1, line.len - 2 };
        struct il__instant at = { 42, 43 };
        const char *why = NULL;
        bool read = il__rfc3339_parse(input, &at, &why);
        tap_ok(!read && why && at.sec == 42 && at.nsec == 43, "%.*s is refused: %s", IL_STR_FMT(line), why ? why : "?");
        rows++;
    }
    free(text);
    return rows;
}

static void edges(void)
{
    int64_t sec = 7;
    int32_t nsec = 8;
    struct il__instant at = { 1, 2 };
    tap_ok(!il__rfc3339_parse(IL_STR_NONE, &at, NULL), "an absent time is not readable");
    tap_ok(!il__rfc3339_parse((struct il_str){ "2026-11-30T18:00:00Z\0", 21 }, &at, NULL), "a NUL behind it");
    tap_ok(!il__rfc3339_parse((struct il_str){ "2026-11-30T18:00:00\0Z", 21 }, &at, NULL), "a NUL within it");
    tap_ok(!il_time_parse(IL_STR("never"), &sec, &nsec) && sec == 7 && nsec == 8, "outputs unchanged");
    tap_ok(il_time_parse(IL_STR("1970-01-01T00:00:01.000000002Z"), &sec, &nsec) && sec == 1 && nsec == 2,
           "public form");
    tap_ok(il_time_parse(IL_STR("1970-01-01T00:00:01Z"), NULL, NULL), "outputs may be NULL");
    static const char whole[] = "2026-11-30T18:00:27.381+01:30";
    bool refused = true;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        refused = refused && !il__rfc3339_parse((struct il_str){ whole, n }, &at, NULL);
    }
    tap_ok(refused, "every truncation is refused");
}

/* Each day of the calendar follows the one before. */
static void every_day(void)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t want = -62167219200;
    bool good = true;
    for (int y = 0; y <= 9999; y++) {
        bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
        for (int m = 1; m <= 12; m++) {
            int n = days[m - 1] + (m == 2 && leap ? 1 : 0);
            for (int d = 1; d <= n + 1; d++) {
                char text[64];
                char back[IL__RFC3339_MAX];
                struct il__instant at = { 0, 0 };
                if (d > 1 && d < n && y % 50 != 0) { /* inner days only of every fiftieth year */
                    want += 86400;
                    continue;
                }
                int len = snprintf(text, sizeof text, "%04d-%02d-%02dT00:00:00.000Z", y, m, d);
                bool read = il__rfc3339_parse((struct il_str){ text, (size_t)len }, &at, NULL);
                if (d > n) {
                    good = good && !read;
                    continue;
                }
                il__rfc3339_format(at, back);
                good = good && read && at.sec == want && strcmp(text, back) == 0;
                want += 86400;
            }
        }
    }
    tap_ok(good, "every month of the years 0000 to 9999 has its days and no more");
}

static void arithmetic(void)
{
    struct il__instant a = { 10, 500000000 };
    struct il__instant b = il__instant_add_ms(a, 1500);
    tap_ok(b.sec == 12 && b.nsec == 0, "adding carries");
    b = il__instant_add_ms(a, -501);
    tap_ok(b.sec == 9 && b.nsec == 999000000, "subtracting borrows");
    b = il__instant_add_ms((struct il__instant){ INT64_MAX - 1, 0 }, INT64_MAX);
    tap_ok(b.sec == INT64_MAX && b.nsec == 999999999, "saturates above");
    b = il__instant_add_ms((struct il__instant){ INT64_MIN + 1, 0 }, INT64_MIN);
    tap_ok(b.sec == INT64_MIN && b.nsec == 0, "saturates below");
    tap_int(il__instant_diff_ms(a, (struct il__instant){ 10, 0 }), 500, "difference");
    tap_int(il__instant_diff_ms((struct il__instant){ 10, 1 }, (struct il__instant){ 10, 2 }), -1, "rounded down");
    tap_int(il__instant_diff_ms((struct il__instant){ 10, 2 }, (struct il__instant){ 10, 1 }), 0, "rounded down to 0");
    tap_int(il__instant_diff_ms((struct il__instant){ 11, 0 }, (struct il__instant){ 10, 1 }), 999, "across a second");
    tap_ok(il__instant_diff_ms((struct il__instant){ INT64_MAX, 0 }, (struct il__instant){ -5, 0 }) == INT64_MAX,
           "saturates");
    tap_ok(il__instant_diff_ms((struct il__instant){ INT64_MIN, 0 }, (struct il__instant){ 5, 0 }) == INT64_MIN,
           "below, too");
    tap_ok(il__instant_cmp(a, a) == 0 && il__instant_cmp(a, b) > 0 && il__instant_cmp(b, a) < 0, "order by seconds");
    tap_ok(il__instant_cmp((struct il__instant){ 1, 1 }, (struct il__instant){ 1, 2 }) < 0, "then by nanoseconds");
    char buf[IL__RFC3339_MAX];
    il__rfc3339_format((struct il__instant){ INT64_MAX, 0 }, buf);
    tap_str(il__str(buf), "9999-12-31T23:59:59.999999999Z", "an instant too late is clamped");
    il__rfc3339_format((struct il__instant){ INT64_MIN, 5 }, buf);
    tap_str(il__str(buf), "0000-01-01T00:00:00.000Z", "one too early as well");
}

int main(void)
{
    int rows = valid_rows();
    rows += invalid_rows();
    tap_ok(rows >= 80, "%d rows", rows);
    edges();
    every_day();
    arithmetic();
    return tap_done();
}
