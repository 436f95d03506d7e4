/* Time zones: the rows of tests/vectors/rules/zone.txt, and the C library of Python as another reader of the same rules
 * (tests/tools/zones.py), over many years. */
#include "base/zone.h"

#include "base/limits.h"
#include "rule_rows.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static void play(const struct rule_row *row)
{
    struct il__zone zone;
    struct il__instant at;
    struct il__local l;
    const char *why = NULL;
    char text[IL__LOCAL_TEXT_MAX], got[100];
    struct il_str want = row->cells[2];
    if (!il__rfc3339_parse(row->cells[1], &at, &why)) abort();
    bool read = il__zone_parse(row->cells[0], &zone, &why);
    if (read) {
        il__zone_local(&zone, at, &l);
        size_t len = il__local_format(&zone, at, text);
        snprintf(got, sizeof got, "%.*s %d %s", (int)len, text, l.weekday, l.name);
    } else {
        snprintf(got, sizeof got, "%s", why);
    }
    bool right = rule_is_refusal(want) ? !read && rule_refused(want, why) : read && il__str_eq(il__str(got), want);
    tap_ok(right, "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[3]));
    if (!right) tap_note("got %s", got);
}

/* Lines "RULE SECONDS YYYY-MM-DD hh:mm:ss OFFSET NAME" of the other reader. */
static void test_oracle(void)
{
    char line[200], rule[80], want[80], got[80];
    long long sec;
    int lines = 0, wrong = 0;
    FILE *f = popen("python3 tests/tools/zones.py", "r");
    while (f && fgets(line, sizeof line, f)) {
        struct il__zone zone;
        struct il__local l;
        const char *why = "";
        if (sscanf(line, "%79s %lld %79[^\n]", rule, &sec, want) != 3) abort();
        if (!il__zone_parse(il__str(rule), &zone, &why)) {
            tap_ok(false, "%s: %s", rule, why);
            break;
        }
        il__zone_local(&zone, (struct il__instant){ sec, 0 }, &l);
        snprintf(got, sizeof got, "%04lld-%02d-%02d %02d:%02d:%02d %d %d %s", (long long)l.year, l.month, l.day, l.hour,
                 l.minute, l.second, l.weekday, l.offset, l.name);
        if (strcmp(got, want) != 0 && wrong++ < 5) tap_note("%s %lld: %s, not %s", rule, sec, got, want);
        lines++;
    }
    tap_ok(f && pclose(f) == 0 && lines >= 20000, "%d moments of another reader", lines);
    tap_int(wrong, 0, "none of them differs");
}

static void test_ends(void)
{
    struct il__zone zone;
    struct il__local l;
    const char *why;
    char text[IL__LOCAL_TEXT_MAX];
    int64_t ends[] = { INT64_MIN, INT64_MAX, -62167219200, 253402300799 };
    tap_ok(il__zone_parse(IL_STR("AAA-24:59:59BBB-23,M1.1.0/-167,M12.5.6/167"), &zone, &why), "a wild rule");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        il__zone_local(&zone, (struct il__instant){ ends[i], 0 }, &l);
        size_t len = il__local_format(&zone, (struct il__instant){ ends[i], 999999999 }, text);
        tap_ok(l.month >= 1 && l.month <= 12 && len < sizeof text && text[4] == '-', "the ends of time: %.*s", (int)len,
               text);
    }
}

int main(void)
{
    int rows = rule_rows("tests/vectors/rules/zone.txt", 4, play);
    tap_ok(rows >= 70, "%d rows", rows);
    tap_int(IL__LIMIT_ZONE_BYTES, 128, "zone_bytes, as the message has it");
    test_ends();
    test_oracle();
    return tap_done();
}
