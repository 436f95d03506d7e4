/* Length-counted texts, constant-time comparison, wiping, UTF-8, log lines and the limit table. */
#include "base/str.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/utf8.h"

#include "tap.h"

#include <stdlib.h>

static void equality(void)
{
    tap_ok(il__str_eq(IL_STR("a"), IL_STR("a")), "equal");
    tap_ok(!il__str_eq(IL_STR("a"), IL_STR("b")), "different");
    tap_ok(!il__str_eq(IL_STR("a"), IL_STR("ab")), "a prefix is not equal");
    tap_ok(!il__str_eq((struct il_str){ "a\0x", 3 }, (struct il_str){ "a\0y", 3 }), "what follows a NUL counts");
    tap_ok(!il__str_eq(IL_STR_NONE, IL_STR("")), "absent is not empty");
    tap_ok(il__str_eq(IL_STR_NONE, IL_STR_NONE), "absent equals absent");
    tap_ok(il__str_eq_nocase(IL_STR("Active"), IL_STR("aCTIVE")), "ASCII case does not matter");
    tap_ok(!il__str_eq_nocase(IL_STR("\xC3\x84"), IL_STR("\xC3\xA4")), "only ASCII folds");
    tap_ok(!il__str_eq_nocase(IL_STR("@[`{"), IL_STR("`{@[")), "only letters fold");
    tap_ok(!il__str_eq_nocase(IL_STR("active"), IL_STR("active ")), "whole lengths");
    tap_ok(!il__str_eq_nocase(IL_STR_NONE, IL_STR("")), "absent is not empty here either");
    tap_ok(il__str_cmp(IL_STR("a"), IL_STR("ab")) < 0, "shorter first");
    tap_ok(il__str_cmp(IL_STR("b"), IL_STR("ab")) > 0, "by bytes");
    tap_ok(il__str_cmp(IL_STR("\x7f"), IL_STR("\x80")) < 0, "bytes are unsigned");
    tap_int(il__str_cmp(IL_STR_NONE, IL_STR("")), 0, "absent sorts like empty");
    tap_ok(il__str_is_hex(IL_STR("09af"), 4), "hex");
    tap_ok(!il__str_is_hex(IL_STR("09aF"), 4), "no capitals");
    tap_ok(!il__str_is_hex(IL_STR("09a"), 4), "exact length");
    tap_ok(!il__str_is_hex(IL_STR("09ag"), 4) && !il__str_is_hex(IL_STR("09a/"), 4) &&
               !il__str_is_hex(IL_STR("09a:"), 4),
           "digits only");
    tap_ok(!il__str_is_hex(IL_STR_NONE, 0), "absent is no hex");
}

static void secrets(void)
{
    char word[] = "hunter2";
    tap_ok(il__secret_eq(IL_STR("abc"), IL_STR("abc")), "equal secrets");
    tap_ok(!il__secret_eq(IL_STR("abc"), IL_STR("abd")) && !il__secret_eq(IL_STR("xbc"), IL_STR("abc")), "different");
    tap_ok(!il__secret_eq(IL_STR("abc"), IL_STR("ab")), "other length");
    tap_ok(!il__secret_eq(IL_STR_NONE, IL_STR_NONE), "absent equals nothing");
    il__secret_wipe(word, sizeof word);
    tap_ok(word[0] == 0 && word[6] == 0, "wiped");
    il__secret_wipe(NULL, 5);
}

/* Against the definition: a code point is valid when writing it gives the bytes back. */
static void utf8(void)
{
    bool good = true;
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        char bytes[4];
        uint32_t back = 0;
        size_t n = il__utf8_write(cp, bytes);
        size_t got = il__utf8_read((const unsigned char *)bytes, n, &back);
        bool surrogate = cp >= 0xD800 && cp <= 0xDFFF;
        if (surrogate ? got != 0 : (got != n || back != cp)) good = false;
        if (n > 1 && il__utf8_read((const unsigned char *)bytes, n - 1, &back) != 0) good = false;
    }
    tap_ok(good, "every code point, whole and cut short");
    unsigned accepted = 0;
    for (unsigned a = 0x80; a < 0x100; a++) {
        for (unsigned b = 0; b < 0x100; b++) {
            unsigned char two[2] = { (unsigned char)a, (unsigned char)b };
            if (il__utf8_read(two, 2, NULL) != 0) accepted++;
        }
    }
    tap_int(accepted, 30 * 64, "exactly the two-byte sequences C2..DF 80..BF");
    static const char *const bad[] = { "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                                       "\xF5\x80\x80\x80", "\xE2\x28\xA1", "\xE2\x82\x28", "\xF0\x90\x80\x28", "\xFE" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tap_int((long long)il__utf8_read((const unsigned char *)bad[i], strlen(bad[i]), NULL), 0,
                "invalid sequence %zu", i);
    }
    tap_int((long long)il__utf8_read((const unsigned char *)"", 0, NULL), 0, "nothing there");
}

struct heard {
    int calls;
    enum il_log_level level;
    size_t len;
    char line[IL__LOG_LINE_MAX + 1];
};

static void hear(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct heard *h = ctx;
    h->calls++;
    h->level = level;
    h->len = len;
    memcpy(h->line, line, len);
    h->line[len] = 0;
}

static void log_lines(void)
{
    struct heard h = { 0, IL_LOG_DEBUG, 0, "" };
    struct il__log log = { hear, &h };
    char text[3000];
    il__log(&log, IL_LOG_WARN, "run %d", 7);
    tap_ok(h.calls == 1 && h.level == IL_LOG_WARN, "one call with its level");
    tap_str((struct il_str){ h.line, h.len }, "run 7", "the formatted line");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    il__log(&log, IL_LOG_INFO, "%s", text);
    tap_int((long long)h.len, IL__LOG_LINE_MAX - 1, "a long line is cut");
    il__log(NULL, IL_LOG_INFO, "x");
    il__log(&(struct il__log){ NULL, NULL }, IL_LOG_INFO, "x");
    tap_int(h.calls, 2, "silent without a callback");
}

static void limits(void)
{
    size_t n = 0;
    bool good = true;
    for (; il_limit_at(n); n++) {
        const struct il_limit *a = il_limit_at(n);
        good = good && a->name[0] && a->unit[0] && a->about[0] && a->value > 0;
        for (size_t k = 0; k < n; k++) good = good && strcmp(a->name, il_limit_at(k)->name) != 0;
    }
    tap_ok(good && n > 30, "every limit has a name of its own, a unit, a number and a meaning");
    tap_ok(il_limit_at(n) == NULL && il_limit_at(SIZE_MAX) == NULL, "NULL past the end");
    tap_str(il__str(il_limit_at(0)->name), "contract_bytes", "in the order of the table");
    tap_int((long long)il_limit_at(0)->value, IL__LIMIT_CONTRACT_BYTES, "with its number");
}

int main(void)
{
    equality();
    secrets();
    utf8();
    log_lines();
    limits();
    return tap_done();
}
