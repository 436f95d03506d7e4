/* Globs: the rows of tests/vectors/rules/glob.txt, and random ones against a matcher that tries everything. */
#include "check/glob.h"

#include "base/limits.h"
#include "rule_rows.h"
#include "tap.h"

#include <time.h>

static void play(const struct rule_row *row)
{
    const char *why = NULL;
    struct il_str want = row->cells[2];
    enum il__glob got = il__glob_match(row->cells[0], row->cells[1], &why);
    bool right = rule_is_refusal(want) ? got == IL__GLOB_MALFORMED && rule_refused(want, why)
                                       : got == (want.ptr[0] == 'y' ? IL__GLOB_MATCHES : IL__GLOB_DIFFERS);
    tap_ok(right, "%s:%d: %.*s", row->file, row->line, IL_STR_FMT(row->cells[3]));
    if (!right) tap_note("got %d (%s)", got, why ? why : "");
}

/* The meaning of a glob, by trying every way; for short ones only. */
static bool tries(const char *p, const char *t, bool start)
{
    if (!*p) return !*t;
    if (start && strncmp(p, "**/", 3) == 0 && tries(p + 3, t, true)) return true;
    if (p[0] == '*') {
        bool deep = p[1] == '*';
        const char *rest = p + (deep ? 2 : 1);
        if (tries(rest, t, false)) return true;
        return *t && (deep || *t != '/') && tries(p, t + 1, false);
    }
    if (!*t || (*p == '?' ? *t == '/' : *p != *t)) return false;
    return tries(p + 1, t + 1, *p == '/');
}

static void test_random(void)
{
    unsigned seed = 7;
    int wrong = 0, matches = 0;
    for (int i = 0; i < 200000; i++) {
        char p[9], t[9];
        size_t plen = 0, tlen = 0;
        for (seed = seed * 1103515245u + 12345u; plen < (seed >> 16) % 9; plen++) p[plen] = 0;
        for (size_t k = 0; k < plen; k++) {
            seed = seed * 1103515245u + 12345u;
            p[k] = "ab/**?"[(seed >> 16) % 6];
            if (k >= 2 && p[k] == '*' && p[k - 1] == '*' && p[k - 2] == '*') p[k] = 'a';
        }
        for (seed = seed * 1103515245u + 12345u; tlen < (seed >> 16) % 9; tlen++) t[tlen] = 0;
        for (size_t k = 0; k < tlen; k++) {
            seed = seed * 1103515245u + 12345u;
            t[k] = "ab/"[(seed >> 16) % 3];
        }
        p[plen] = t[tlen] = '\0';
        const char *why = NULL;
        bool got = il__glob_match(il__str(p), il__str(t), &why) == IL__GLOB_MATCHES, want = tries(p, t, true);
        if (got != want && wrong++ < 5) tap_note("%s against %s: %d", p, t, got);
        matches += got;
    }
    tap_int(wrong, 0, "200000 random globs mean what trying everything says");
    tap_ok(matches > 5000, "%d of them match", matches);
}

int main(void)
{
    clock_t begun = clock();
    int rows = rule_rows("tests/vectors/rules/glob.txt", 4, play);
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    tap_ok(rows >= 80, "%d rows", rows);
    tap_ok(seconds < 20, "none of them runs wild (%.2f s)", seconds);
    tap_int(IL__LIMIT_RULE_PATTERN_BYTES, 1024, "rule_pattern_bytes, as the rows have it");
    tap_int(IL__LIMIT_RULE_TEXT_BYTES, 65536, "rule_text_bytes");
    test_random();
    return tap_done();
}
