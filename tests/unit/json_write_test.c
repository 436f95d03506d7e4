/* The writer, and the text of doubles: against an ECMAScript engine (tests/vectors/canon/numbers.txt), and against the
 * C library's strtod for round trips, shortness and closeness. */
#include "wire/json_write.h"

#include "base/limits.h"
#include "wire/double.h"
#include "wire/json.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252U;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void documents(void)
{
    struct il__mem mem;
    struct il__buf buf;
    struct il__json_writer w;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&buf, &mem, 0);
    il__jw_init(&w, &buf);
    il__jw_object(&w);
    il__jw_member_str(&w, "a", IL_STR("x"));
    il__jw_member_str(&w, "absent", IL_STR_NONE);
    il__jw_member_z(&w, "absent", NULL);
    il__jw_member_z(&w, "z", "y");
    il__jw_member_int(&w, "min", INT64_MIN);
    il__jw_member_int(&w, "max", INT64_MAX);
    il__jw_member_bool(&w, "t", true);
    il__jw_key(&w, "list");
    il__jw_array(&w);
    il__jw_array(&w);
    il__jw_array_end(&w);
    il__jw_object(&w);
    il__jw_object_end(&w);
    il__jw_bool(&w, false);
    il__jw_null(&w);
    il__jw_str(&w, IL_STR_NONE);
    il__jw_z(&w, NULL);
    il__jw_double(&w, 80.5);
    il__jw_int(&w, 0);
    il__jw_raw(&w, IL_STR("{\"r\":[1]}"));
    il__jw_array_end(&w);
    il__jw_key_str(&w, (struct il_str){ "k\"\0", 3 });
    il__jw_str(&w, (struct il_str){ "\b\t\n\v\f\r\x1f\"\\/\x7f\xC3\xA9\xFF\xE2\x80\xA8\0", 18 });
    il__jw_object_end(&w);
    tap_str(il__buf_get(&buf),
            "{\"a\":\"x\",\"z\":\"y\",\"min\":-9223372036854775808,\"max\":9223372036854775807,\"t\":true,"
            "\"list\":[[],{},false,null,null,null,80.5,0,{\"r\":[1]}],"
            "\"k\\\"\\u0000\":\"\\b\\t\\n\\u000b\\f\\r\\u001f\\\"\\\\/\x7f\xC3\xA9\xEF\xBF\xBD\xE2\x80\xA8\\u0000\"}",
            "a document with everything");
    tap_int(il__buf_check(&buf, NULL), IL_OK, "no error");
    struct il__json doc = { .mem = NULL };
    tap_int(il__json_parse(&doc, &mem, il__buf_get(&buf), IL__JSON_CONTRACT, NULL), IL_OK,
            "the strict reader takes it");
    il__json_clear(&doc);
    il__buf_clear(&buf);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
}

/* One writer, one call; the code it leaves. */
static enum il_code after(void (*call)(struct il__json_writer *))
{
    struct il__mem mem;
    struct il__buf buf;
    struct il__json_writer w;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&buf, &mem, 0);
    il__jw_init(&w, &buf);
    call(&w);
    enum il_code code = il__buf_check(&buf, NULL);
    il__buf_clear(&buf);
    return code;
}

static void not_a_number(struct il__json_writer *w)
{
    il__jw_double(w, strtod("nan", NULL));
}

static void infinite(struct il__json_writer *w)
{
    il__jw_double(w, -strtod("inf", NULL));
}

static void deep(struct il__json_writer *w)
{
    for (int i = 0; i < 63; i++) il__jw_array(w);
}

static void too_deep(struct il__json_writer *w)
{
    for (int i = 0; i < 64; i++) il__jw_array(w);
}

static void one_end_too_many(struct il__json_writer *w)
{
    il__jw_array(w);
    il__jw_array_end(w);
    il__jw_object_end(w);
}

static void empty_raw(struct il__json_writer *w)
{
    il__jw_raw(w, IL_STR(""));
}

static void faults(void)
{
    tap_int(after(not_a_number), IL_LIMIT_EXCEEDED, "NaN is a sticky error");
    tap_int(after(infinite), IL_LIMIT_EXCEEDED, "infinity is one, too");
    tap_int(after(deep), IL_OK, "63 levels");
    tap_int(after(too_deep), IL_LIMIT_EXCEEDED, "64 levels are one too many");
    tap_int(after(one_end_too_many), IL_LIMIT_EXCEEDED, "an end without a beginning");
    tap_int(after(empty_raw), IL_LIMIT_EXCEEDED, "an empty raw value");
    bool clean = true;
    for (uint64_t n = 1; n < 20; n++) {
        struct il__mem mem;
        struct il__buf buf;
        struct il__json_writer w;
        il__mem_init(&mem, NULL, NULL, 0);
        mem.fail_at = n;
        il__buf_init(&buf, &mem, 0);
        il__jw_init(&w, &buf);
        il__jw_array(&w);
        for (int i = 0; i < 2000; i++) il__jw_z(&w, "some text\n");
        il__jw_array_end(&w);
        bool failed = n <= mem.calls;
        clean = clean && il__buf_check(&buf, NULL) == (failed ? IL_OUT_OF_MEMORY : IL_OK);
        il__buf_clear(&buf);
        clean = clean && mem.in_use_bytes == 0;
    }
    tap_ok(clean, "each failing allocation is clean");
}

static double from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void number_vectors(void)
{
    size_t len = 0;
    int rows = 0;
    int wrong = 0;
    char *text = tap_slurp("tests/vectors/canon/numbers.txt", &len);
    for (char *line = text; *line;) {
        char *stop = strchr(line, '\n');
        if (!stop) break;
        *stop = 0;
        if (*line != '#') {
            char got[32];
            double v = from_bits(strtoull(line, NULL, 16));
            size_t n = il__double_text(v, got);
            rows++;
            if (n == strlen(got) && strcmp(got, line + 17) == 0) goto next;
            if (wrong++ < 10) tap_note("%s gives %s", line, got);
        }
    next:
        line = stop + 1;
    }
    free(text);
    tap_ok(rows > 1000 && wrong == 0, "%d doubles as an ECMAScript engine writes them", rows);
}

/* Copies the significant digits; returns how many. */
static int significant(const char *text, char *digits)
{
    int n = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0')) digits[n++] = *text;
    }
    while (n > 0 && digits[n - 1] == '0') n--;
    digits[n] = 0;
    return n;
}

/* The C library's nearest decimal of fewest digits that reads back; it is not the answer where the gaps below and above
 * differ (powers of two) or two decimals are equally close. */
static bool as_short_as_possible(double v, const char *text)
{
    char mine[64];
    char theirs[64];
    char printed[64];
    int n = significant(text, mine);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(printed, sizeof printed, "%.*e", digits - 1, v);
        if (strtod(printed, NULL) != v) continue;
        return n <= significant(printed, theirs);
    }
    return false;
}

static void random_texts(void)
{
    int bad = 0;
    int count = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random();
        char text[32];
        if (i % 4 == 1) bits = (bits & 0x800fffffffffffffU) | ((1000 + next_random() % 60) << 52);
        if (i % 50 == 2) bits &= 0x800fffffffffffffU;
        if (i % 50 == 3) bits &= 0xfff0000000000000U;
        double v = from_bits(bits);
        if (v - v != 0) continue;
        size_t len = il__double_text(v, text);
        count++;
        bool good = len < sizeof text && strtod(text, NULL) == v && il__double_read((struct il_str){ text, len }) == v;
        if (i % 64 == 0) good = good && as_short_as_possible(v, text);
        if (!good && bad++ < 10) tap_note("%a gives %s", v, text);
    }
    tap_ok(bad == 0, "%d random doubles read back from their text, which is short", count);
}

static int random_number(char *text)
{
    int n = 0;
    int digits = 1 + (int)(next_random() % (next_random() % 10 == 0 ? 60 : 22));
    int point = (int)(next_random() % (unsigned)(digits + 3));
    if (next_random() & 1) text[n++] = '-';
    text[n++] = (char)('1' + next_random() % 9);
    for (int i = 1; i < digits; i++) {
        if (i == point) text[n++] = '.';
        text[n++] = (char)('0' + next_random() % 10);
    }
    if (next_random() % 3) n += sprintf(text + n, "e%d", (int)(next_random() % 700) - 350);
    text[n] = 0;
    return n;
}

static bool reads_like_strtod(const char *text, size_t len)
{
    double theirs = strtod(text, NULL);
    double mine = il__double_read((struct il_str){ text, len });
    if (memcmp(&theirs, &mine, sizeof mine) == 0) return true;
    tap_note("%s: %a, the C library says %a", text, mine, theirs);
    return false;
}

static void random_reads(void)
{
    bool good = true;
    char text[1200];
    for (int i = 0; i < 200000 && good; i++) {
        int n = random_number(text);
        good = reads_like_strtod(text, (size_t)n);
    }
    tap_ok(good, "200000 random numbers are read as the C library reads them");
    for (int i = 0; i < 5000 && good; i++) { /* exactly between two doubles, and a little above */
        uint64_t bits = next_random() >> 1;
        if (i % 3 == 0) bits &= 0xfffffffffffffU;
        if (i % 3 == 1) bits = (bits & 0xfffffffffffffU) | ((823 + next_random() % 400) << 52);
        long double low = from_bits(bits);
        long double high = from_bits(bits + 1);
        if (high - high != 0) continue;
        int n = snprintf(text, sizeof text, "%.*Le", 780, (low + high) / 2);
        good = reads_like_strtod(text, (size_t)n);
        char *e = strchr(text, 'e');
        e[-1] = '1';
        good = good && reads_like_strtod(text, (size_t)n);
        n = snprintf(text, sizeof text, "%.*Le", 18 + (int)(next_random() % 6), (low + high) / 2);
        good = good && reads_like_strtod(text, (size_t)n);
    }
    tap_ok(good, "and those midway between two doubles");
    static const char *const hard[] = {
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "179769313486231580793e289",
        "9007199254740993",
        "9007199254740992.99999999999999999999999999999999",
        "18014398509481985e0",
        "1e23",
        "8.5e22",
        "6.929495644600919e-310",
        "3.7291e-320",
        "0.000000e5",
        "1e-1000",
        "123456789012345678901234567890e-400",
        "7.2057594037927933e16",
        "1448997445238699",
        "10000000000000000000000000000000000000000000000000000000000000",
    };
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
        tap_ok(reads_like_strtod(hard[i], strlen(hard[i])), "%s", hard[i]);
    }
}

/* A digit far behind decides: exactly between two doubles, then zeros, then a one. */
static void far_digits(void)
{
    static const char *const starts[] = { "9007199254740993.", "4503599627370497.5" };
    char text[1200];
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(starts[i]);
        memset(text, '0', sizeof text);
        memcpy(text, starts[i], n);
        text[1100] = 0;
        tap_ok(reads_like_strtod(text, 1100), "%s and a thousand zeros", starts[i]);
        text[1099] = '1';
        tap_ok(reads_like_strtod(text, 1100), "%s, a thousand zeros and a one", starts[i]);
    }
}

int main(void)
{
    documents();
    faults();
    number_vectors();
    random_texts();
    random_reads();
    far_digits();
    return tap_done();
}
