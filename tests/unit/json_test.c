/* The strict reader against SPEC §2 "Decoding, everywhere": vectors, the place of each fault, every truncation before
 * a guard page, failing allocations, reading the tape, and work that stays linear. */
#include "wire/json.h"

#include "base/error.h"
#include "base/limits.h"
#include "wire/double.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A copy of some bytes whose end touches a page that cannot be read. */
struct guarded {
    char *map;
    size_t size;
    char *text;
};

static struct guarded guard(const char *bytes, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g;
    g.size = (len / page + 2) * page;
    g.map = mmap(NULL, g.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || mprotect(g.map + g.size - page, page, PROT_NONE) != 0) abort();
    g.text = g.map + g.size - page - len;
    if (len > 0) memcpy(g.text, bytes, len);
    return g;
}

static void unguard(struct guarded *g)
{
    munmap(g->map, g->size);
}

struct vectors {
    struct il__mem mem;
    bool (*check)(struct vectors *v, struct il_str text);
    const char *what;
};

static enum il_code parse(struct il__mem *mem, struct il__json *doc, struct il_str text, struct il_error *err)
{
    *doc = (struct il__json){ .mem = NULL };
    il__error_clear(err);
    return il__json_parse(doc, mem, text, IL__JSON_PAYLOAD, err);
}

static bool accepted(struct vectors *v, struct il_str text)
{
    struct il__json doc;
    struct il_error err;
    bool good = parse(&v->mem, &doc, text, &err) == IL_OK && il__json_strict(&doc, 0, NULL, &err) == IL_OK;
    if (!good) tap_note("%s", err.message);
    il__json_clear(&doc);
    return good;
}

static bool refused(struct vectors *v, struct il_str text)
{
    struct il__json doc;
    struct il_error err;
    bool good = parse(&v->mem, &doc, text, &err) == IL_DECODE && err.code == IL_DECODE && err.message[0] && !doc.nodes;
    il__json_clear(&doc);
    return good;
}

static bool only_free(struct vectors *v, struct il_str text)
{
    struct il__json doc;
    struct il_error err;
    bool good = parse(&v->mem, &doc, text, &err) == IL_OK && il__json_strict(&doc, 0, NULL, &err) == IL_DECODE;
    il__json_clear(&doc);
    return good;
}

/* A truncation of a valid document is refused, unless it is a shorter number or only lost blanks. */
static bool truncations(struct vectors *v, struct il_str text)
{
    struct il_error err;
    bool good = true;
    bool number = memchr("-0123456789", text.ptr[0], 11) != NULL;
    size_t end = text.len;
    while (end > 0 && memchr(" \t\r\n", text.ptr[end - 1], 4)) end--;
    for (size_t n = 0; n < end && good; n++) {
        struct guarded g = guard(text.ptr, n);
        struct il__json doc;
        enum il_code code = parse(&v->mem, &doc, (struct il_str){ g.text, n }, &err);
        if (code != IL_DECODE && !number) good = false;
        il__json_clear(&doc);
        unguard(&g);
    }
    return good && v->mem.in_use_bytes == 0;
}

/* Each allocation fails once: out of memory, nothing left. */
static bool failing(struct vectors *v, struct il_str text)
{
    for (uint64_t n = 1;; n++) {
        struct il__mem mem;
        struct il__json doc = { .mem = NULL };
        struct il_error err = IL_ERROR_INIT;
        il__mem_init(&mem, NULL, NULL, 0);
        mem.fail_at = n;
        enum il_code code = il__json_parse_copy(&doc, &mem, text, IL__JSON_PAYLOAD, &err);
        for (uint32_t at = 0; code == IL_OK && at < doc.count; at++) {
            struct il_str s;
            if (doc.nodes[at].kind == IL__JSON_STRING) code = il__json_string(&doc, at, &s, &err);
        }
        il__json_clear(&doc);
        if (mem.in_use_bytes != 0 || (code != IL_OK && (code != IL_OUT_OF_MEMORY || err.code != code))) return false;
        if (code == IL_OK) return mem.calls < n;
    }
    (void)v;
}

static void vector(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct vectors *v = ctx;
    struct guarded g = guard(bytes, len);
    tap_ok(v->check(v, (struct il_str){ g.text, len }) && v->mem.in_use_bytes == 0, "%s: %s", v->what, path);
    unguard(&g);
}

static void run(const char *dir, const char *what, bool (*check)(struct vectors *, struct il_str))
{
    struct vectors v = { .check = check, .what = what };
    il__mem_init(&v.mem, NULL, NULL, 0);
    tap_each(dir, ".json", vector, &v);
}

/* ---- places ---- */

static void place(const char *text, const char *pointer, const char *why)
{
    struct il__mem mem;
    struct il__json doc;
    struct il_error err;
    il__mem_init(&mem, NULL, NULL, 0);
    enum il_code code = parse(&mem, &doc, il__str(text), &err);
    if (code == IL_OK) code = il__json_strict(&doc, 0, NULL, &err);
    il__json_clear(&doc);
    tap_ok(code == IL_DECODE && strcmp(err.field, pointer) == 0 && strstr(err.message, why), "%s: at \"%s\": %s", text,
           err.field, err.message);
}

static void places(void)
{
    place("", "", "(byte 0)");
    place("tru", "", "not a value (byte 0)");
    place("[1,2,x]", "/2", "not a value (byte 5)");
    place("[1,[2,[x]]]", "/1/1/0", "(byte 7)");
    place("{\"a\":{\"b\":nul}}", "/a/b", "(byte 10)");
    place("{\"a\":1,\"b\":[{\"c\":1},{\"c\":01}]}", "/b/1/c", "leading zero");
    place("{\"a\":1,\"b\" 2}", "/b", "no colon");
    place("{\"a\":1,b:2}", "", "not a member name");
    place("{\"x\":{\"a\":1,}}", "/x", "a comma before the closing brace (byte 12)");
    place("{\"x\":[1,]}", "/x/1", "a comma before the closing bracket (byte 8)");
    place("{\"x\":[1 2]}", "/x", "neither comma nor closing bracket (byte 8)");
    place("{\"x\":[1,2", "/x", "the document ends in an array");
    place("{\"x\":", "/x", "the document ends");
    place("{\"x\"", "/x", "the document ends");
    place("{\"x", "", "the string does not end");
    place("[\"a\",\"b", "/1", "the string does not end");
    place("[1e999]", "/0", "too large for a double");
    place("{\"a/b\":{\"c~d\":{\"\":[x]}}}", "/a~1b/c~0d//0", "not a value");
    place("{\"\\u0061\\/\":x}", "/a~1", "not a value");
    place("{\"a\":{\"k\":1,\"\\u006b\":2}}", "/a/k", "stands twice (byte 13)");
    place("[0,{\"k\":{\"z\":1,\"y\":2,\"z\":3}}]", "/1/k/z", "stands twice");
    place("{} {}", "", "after the document (byte 3)");
    place("{\"a\":[\"x\\u0000\"]}", "/a/0", "NUL");
    place("{\"a\":{\"\\u0000\":1}}", "/a/\xEF\xBF\xBD", "NUL");
    place("{\"a\":[\"\\udfff\"]}", "/a/0", "surrogate");
    place("{\"a\":[1,99999999999999999999]}", "/a/1", "64 bits");
    place("\xEF\xBB\xBF{}", "", "byte order mark");
    place("{\"a\xE2\x80\xAE\":x}", "/a\\u{202E}", "not a value");
    char deep[400];
    memset(deep, '[', 65);
    memset(deep + 65, ']', 65);
    deep[130] = 0;
    char pointer[400] = "";
    for (int i = 0; i < 64; i++) memcpy(pointer + 2 * i, "/0", 3);
    place(deep, pointer, "deeper than 64");
}

/* Control characters at every place of a string, so that the scan by eight bytes meets them at each of its places. */
static void controls(void)
{
    struct il__mem mem;
    bool good = true;
    il__mem_init(&mem, NULL, NULL, 0);
    for (int c = 0; c < 0x100; c++) {
        for (size_t at = 1; at < 25; at++) {
            char text[26];
            struct il__json doc;
            struct il_error err;
            memset(text, ' ', sizeof text); /* the least byte that is plain */
            text[0] = text[25] = '"';
            text[at] = (char)c;
            bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            enum il_code code = parse(&mem, &doc, (struct il_str){ text, sizeof text }, &err);
            good = good && code == (plain ? IL_OK : IL_DECODE);
            il__json_clear(&doc);
        }
    }
    tap_ok(good, "each byte at each place of a string");
}

static void long_places(void)
{
    struct il__mem mem;
    struct il__json doc;
    struct il_error err;
    char text[1200];
    int n = snprintf(text, sizeof text, "{\"%0*d~\":{\"%0*d\":[1,2,3]}}", 100, 0, 500, 0);
    il__mem_init(&mem, NULL, NULL, 0);
    tap_int(parse(&mem, &doc, (struct il_str){ text, (size_t)n }, &err), IL_OK, "long names");
    uint32_t at = doc.count - 1;
    bool good = true;
    char whole[1000];
    il__json_pointer(&doc, at, whole, sizeof whole);
    size_t full = strlen(whole);
    for (size_t cap = 1; cap < full + 3; cap++) {
        char *buf = malloc(cap);
        if (!buf) abort();
        il__json_pointer(&doc, at, buf, cap);
        size_t len = strlen(buf);
        size_t dots = cap - 1 < 3 ? cap - 1 : 3;
        bool cut = cap <= full;
        size_t kept = cut ? len - dots : len;
        good = good && len < cap && memcmp(buf, whole, kept) == 0 && (!cut || memcmp(buf + kept, "...", dots) == 0);
        good = good && (kept == 0 || buf[kept - 1] != '~');
        free(buf);
    }
    tap_ok(good, "a pointer is cut at any capacity, never within ~0");
    il__json_clear(&doc);
}

/* ---- reading ---- */

static void reading(void)
{
    struct il__mem mem;
    struct il__json doc;
    struct il_error err;
    struct il_str s;
    int64_t i = 7;
    double d = 7;
    il__mem_init(&mem, NULL, NULL, 0);
    const char *text =
        "{\"a\":[1,-2.5,\"x\\u0000\\ud800y\\n\",null,true],\"\\u0062\":{\"c\":{}},\"big\":18446744073709551616,"
        "\"min\":-9223372036854775808,\"z\":-0,\"one\":1.0,\"exp\":1e2,\"empty\":[],\"s\":\"plain\"}";
    if (!tap_int(parse(&mem, &doc, il__str(text), &err), IL_OK, "reads")) return;
    tap_int(doc.nodes[0].count, 9, "members");
    tap_int(doc.depth, 3, "depth");
    tap_int(doc.flags, IL__JSON_NUL | IL__JSON_SURROGATE | IL__JSON_BIG, "flags of the whole document");
    uint32_t a = il__json_get(&doc, 0, "a");
    tap_int(doc.nodes[a].count, 5, "elements");
    uint32_t e = il__json_first(&doc, a);
    tap_ok(il__json_int(&doc, e, &i) && i == 1, "an integer");
    tap_ok(il__json_double(&doc, e, &d) && d == 1, "as a double");
    e = il__json_next(&doc, a, e);
    tap_ok(!il__json_int(&doc, e, &i) && il__json_double(&doc, e, &d) && d == -2.5, "a double is no integer");
    e = il__json_next(&doc, a, e);
    tap_int(il__json_string(&doc, e, &s, &err), IL_OK, "a string");
    tap_str(s, "x\xEF\xBF\xBD\xEF\xBF\xBDy\n", "NUL and lone surrogate are U+FFFD");
    tap_str(il__json_raw(&doc, e), "\"x\\u0000\\ud800y\\n\"", "raw as received");
    tap_ok(!il__json_double(&doc, e, &d), "a string is no number");
    e = il__json_next(&doc, a, e);
    tap_int(il__json_kind(&doc, e), IL__JSON_NULL, "null");
    tap_int(il__json_string(&doc, e, &s, &err), IL_DECODE, "null is no string");
    tap_str(il__str(err.field), "/a/3", "and the place is named");
    e = il__json_next(&doc, a, e);
    tap_int(il__json_kind(&doc, e), IL__JSON_TRUE, "true");
    tap_int(il__json_next(&doc, a, e), 0, "the end of the array");
    uint32_t b = il__json_get(&doc, 0, "b");
    tap_int(il__json_kind(&doc, b), IL__JSON_OBJECT, "a member found by its unescaped name");
    tap_int(il__json_next(&doc, 0, b), il__json_get(&doc, 0, "big") - 1, "after a value comes the next name");
    tap_int(doc.nodes[b - 1].flags, IL__JSON_KEY | IL__JSON_ESCAPED, "a name is marked");
    tap_int(il__json_get(&doc, 0, "c"), 0, "members of members are not found");
    tap_int(il__json_get(&doc, a, "c"), 0, "an array has no members");
    tap_int(il__json_get_str(&doc, 0, IL_STR_NONE), 0, "no name, no member");
    tap_int(il__json_first(&doc, il__json_get(&doc, 0, "empty")), 0, "an empty array has no first");
    tap_int(il__json_first(&doc, il__json_get(&doc, b, "c")), 0, "nor has an empty object");
    tap_int(il__json_first(&doc, il__json_get(&doc, 0, "s")), 0, "nor a string");
    uint32_t big = il__json_get(&doc, 0, "big");
    tap_ok(!il__json_int(&doc, big, &i) && il__json_double(&doc, big, &d) && d == 18446744073709551616.0,
           "a big integer");
    tap_ok(il__json_int(&doc, il__json_get(&doc, 0, "min"), &i) && i == INT64_MIN, "the least integer");
    tap_ok(il__json_int(&doc, il__json_get(&doc, 0, "z"), &i) && i == 0, "-0 is the integer 0");
    tap_int(il__json_kind(&doc, il__json_get(&doc, 0, "one")), IL__JSON_DOUBLE, "1.0 is a double");
    tap_int(il__json_kind(&doc, il__json_get(&doc, 0, "exp")), IL__JSON_DOUBLE, "1e2 is a double");
    uint32_t plain = il__json_get(&doc, 0, "s");
    (void)!il__json_string(&doc, plain, &s, &err);
    tap_ok(s.ptr >= text && s.ptr < text + strlen(text), "a plain string is a slice of the document");
    tap_str(il__json_raw(&doc, b), "{\"c\":{}}", "raw container");
    char buf[64];
    il__json_pointer(&doc, 0, buf, sizeof buf);
    tap_str(il__str(buf), "", "the root");
    il__json_pointer(&doc, doc.count + 5, buf, sizeof buf);
    tap_str(il__str(buf), "", "no such node");
    il__json_clear(&doc);
    il__json_clear(&doc);
    il__json_clear(NULL);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
}

static void strictness(void)
{
    static const char *const result[] = { "result", "error", NULL };
    struct il__mem mem;
    struct il__json doc;
    struct il_error err;
    char text[2000];
    il__mem_init(&mem, NULL, NULL, 0);
    tap_int(parse(&mem, &doc,
                  IL_STR("{\"id\":\"x\",\"result\":[\"\\u0000\",99999999999999999999],\"error\":\"\\ud800\"}"), &err),
            IL_OK, "free-form content");
    tap_int(il__json_strict(&doc, 0, result, &err), IL_OK, "is fine in free-form members");
    tap_int(il__json_strict(&doc, 0, NULL, &err), IL_DECODE, "and nowhere else");
    il__error_clear(&err);
    tap_int(il__json_strict(&doc, il__json_get(&doc, 0, "error"), NULL, &err), IL_DECODE, "also asked of one value");
    il__json_clear(&doc);
    (void)!parse(&mem, &doc, IL_STR("{\"in\":{\"result\":\"\\u0000\"},\"result\":1}"), &err);
    tap_int(il__json_strict(&doc, 0, result, &err), IL_DECODE, "a free-form name counts at its own level only");
    tap_str(il__str(err.field), "/in/result", "the place");
    il__json_clear(&doc);
    (void)!parse(&mem, &doc, IL_STR("{\"result\\u0000\":1}"), &err);
    tap_int(il__json_strict(&doc, 0, result, &err), IL_DECODE, "a name is never free-form");
    il__json_clear(&doc);
    int n = snprintf(text, sizeof text, "{\"result\":");
    memset(text + n, '[', 200);
    memset(text + n + 200, ']', 200);
    n += 400;
    n += snprintf(text + n, 20, ",\"id\":1}");
    tap_int(parse(&mem, &doc, (struct il_str){ text, (size_t)n }, &err), IL_OK, "deep free-form content");
    tap_int(il__json_strict(&doc, 0, result, &err), IL_OK, "is fine below a free-form member");
    tap_int(il__json_strict(&doc, 0, NULL, &err), IL_DECODE, "and nowhere else");
    uint32_t at = il__json_get(&doc, 0, "result");
    for (int i = 0; i < 200 - 64; i++) at = il__json_first(&doc, at);
    tap_int(il__json_strict(&doc, at, NULL, &err), IL_OK, "64 levels from a node are allowed");
    tap_int(il__json_strict(&doc, at - 1, NULL, &err), IL_DECODE, "65 are not");
    il__json_clear(&doc);
}

static void caps(void)
{
    struct il__mem mem;
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    struct il__json_limits limits = { 8, 2 };
    il__mem_init(&mem, NULL, NULL, 0);
    tap_int(il__json_parse(&doc, &mem, IL_STR("\"123456\""), limits, &err), IL_OK, "exactly the size cap");
    il__json_clear(&doc);
    tap_int(il__json_parse(&doc, &mem, IL_STR("\"1234567\""), limits, &err), IL_DECODE,
            "one byte more is a decode error");
    tap_ok(strstr(err.message, "9 bytes") && strstr(err.message, "8"), "%s", err.message);
    tap_int(il__json_parse_copy(&doc, &mem, IL_STR("\"1234567\""), limits, NULL), IL_DECODE, "for a copy, too");
    il__error_clear(&err);
    tap_int(il__json_parse(&doc, &mem, IL_STR("[[1]]"), limits, &err), IL_OK, "exactly the depth cap");
    il__json_clear(&doc);
    tap_int(il__json_parse(&doc, &mem, IL_STR("[0,[[]]]"), limits, &err), IL_DECODE,
            "one level more is a decode error");
    tap_str(il__str(err.field), "/1/0", "with its place");
    tap_int(il__json_parse(&doc, &mem, IL_STR_NONE, limits, NULL), IL_DECODE, "an absent document");
    tap_int(il__json_parse(&doc, &mem, IL_STR("{\"a\":[x"), limits, NULL), IL_DECODE,
            "no error to fill in is accepted");
    limits = (struct il__json_limits){ 100000, 60000 };
    char *deep = malloc(1026);
    if (!deep) abort();
    memset(deep, '[', 513);
    memset(deep + 513, ']', 513);
    tap_int(il__json_parse(&doc, &mem, (struct il_str){ deep, 1026 }, limits, NULL), IL_DECODE,
            "512 is the end of any depth cap");
    tap_int(il__json_parse(&doc, &mem, (struct il_str){ deep + 1, 1024 }, limits, NULL), IL_OK, "and is allowed");
    il__json_clear(&doc);
    free(deep);
    char *text = strdup("{\"k\":\"v\"}");
    if (!text) abort();
    tap_int(il__json_parse_copy(&doc, &mem, il__str(text), limits, NULL), IL_OK, "a copy");
    memset(text, 'x', 9);
    free(text);
    tap_str(il__json_raw(&doc, 0), "{\"k\":\"v\"}", "outlives its source");
    il__json_clear(&doc);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
}

/* ---- work ---- */

/* A name that stands twice, far apart among very many. */
static void far_duplicates(void)
{
    enum { MANY = 100000, ROW = 40 };
    struct il__mem mem;
    struct il__json doc;
    struct il_error err;
    char *text = malloc((size_t)(MANY + 1) * ROW);
    if (!text) abort();
    bool good = true;
    il__mem_init(&mem, NULL, NULL, 0);
    for (unsigned again = 0; again <= MANY; again += MANY / 20) {
        size_t n = 0;
        text[n++] = '{';
        for (unsigned i = 0; i < MANY; i++) n += (size_t)snprintf(text + n, ROW, "\"m%u\":1,", i);
        n += (size_t)snprintf(text + n, ROW, "\"\\u006d%u\":2}", again);
        enum il_code code = parse(&mem, &doc, (struct il_str){ text, n }, &err);
        char pointer[ROW];
        snprintf(pointer, sizeof pointer, "/m%u", again);
        good = good && (again == MANY ? code == IL_OK : code == IL_DECODE && strcmp(err.field, pointer) == 0);
        il__json_clear(&doc);
    }
    tap_ok(good, "a duplicate among %d members is found, and named", MANY);
    free(text);
}

static double cpu_ms(void)
{
    return (double)clock() * 1000.0 / CLOCKS_PER_SEC;
}

/* Fills `text` with `len` bytes of one shape and returns the length used. */
typedef size_t (*shape_fn)(char *text, size_t len);

static size_t shape_flat(char *text, size_t len)
{
    size_t n = 0;
    text[n++] = '[';
    while (n + 3 < len) {
        text[n++] = '1';
        text[n++] = ',';
    }
    text[n++] = '1';
    text[n++] = ']';
    return n;
}

static size_t shape_deep(char *text, size_t len)
{
    size_t n = 0;
    text[n++] = '[';
    while (n + 1100 < len) {
        memset(text + n, '[', 500);
        memset(text + n + 500, ']', 500);
        text[n + 1000] = ',';
        n += 1001;
    }
    text[n++] = '1';
    text[n++] = ']';
    return n;
}

static size_t members(char *text, size_t len, const char *format)
{
    size_t n = 0;
    text[n++] = '{';
    for (unsigned i = 0; n + 100 < len; i++) n += (size_t)snprintf(text + n, 100, format, i);
    text[n - 1] = '}';
    return n;
}

static size_t shape_members(char *text, size_t len)
{
    return members(text, len, "\"%x\":1,");
}

/* All names of one length, with the same first and last bytes: every hash is equal. */
static size_t shape_collisions(char *text, size_t len)
{
    return members(text, len, "\"the same %08x the same\":1,");
}

static size_t shape_escaped_names(char *text, size_t len)
{
    return members(text, len, "\"\\u0074he same %08x the \\u0073ame\":1,");
}

static size_t shape_string(char *text, size_t len)
{
    memset(text, 'A', len);
    text[0] = text[len - 1] = '"';
    return len;
}

static size_t shape_non_ascii(char *text, size_t len)
{
    size_t n = 0;
    text[n++] = '"';
    for (; n + 3 < len; n += 2) memcpy(text + n, "\xC3\xA9", 2);
    text[n++] = '"';
    return n;
}

static double time_of(shape_fn shape, size_t len, bool *read)
{
    struct il__mem mem;
    struct il__json doc = { .mem = NULL };
    double best = 1e9;
    char *text = malloc(len);
    if (!text) abort();
    size_t used = shape(text, len);
    for (int round = 0; round < 3; round++) {
        il__mem_init(&mem, NULL, NULL, 0);
        double start = cpu_ms();
        *read = il__json_parse(&doc, &mem, (struct il_str){ text, used }, IL__JSON_PAYLOAD, NULL) == IL_OK;
        double took = cpu_ms() - start;
        if (took < best) best = took;
        il__json_clear(&doc);
        if (best > 100) break;
    }
    free(text);
    return best;
}

/* Sixteen times the input: quadratic work would take 256 times as long, linear work 16 and what noise adds. Small times
 * say nothing and pass. */
static void linear(const char *name, shape_fn shape, size_t len)
{
    bool small_read = false;
    bool large_read = false;
    double small = time_of(shape, len / 16, &small_read);
    double large = time_of(shape, len, &large_read);
    tap_ok(small_read && large_read, "%s: %zu bytes are read", name, len);
    tap_ok(large < 100 || large < 80 * small, "%s: %.1f ms for a sixteenth, %.1f ms for all", name, small, large);
}

static void work(void)
{
    const size_t all = IL__LIMIT_RESULT_BYTES;
    linear("elements", shape_flat, all / 5); /* two million nodes at most */
    linear("nesting", shape_deep, all / 5);
    linear("members", shape_members, all / 2);
    linear("members with equal hashes", shape_collisions, all / 2);
    linear("escaped members with equal hashes", shape_escaped_names, all / 8);
    linear("one string", shape_string, all);
    linear("one string beyond ASCII", shape_non_ascii, all);
}

int main(void)
{
    run("tests/vectors/json/valid", "is accepted", accepted);
    run("tests/vectors/json/invalid", "is refused", refused);
    run("tests/vectors/json/free", "is free-form only", only_free);
    run("tests/vectors/json/valid", "each truncation is refused", truncations);
    run("tests/vectors/json/free", "each truncation is refused", truncations);
    run("tests/vectors/json/valid", "each failing allocation is clean", failing);
    places();
    long_places();
    controls();
    reading();
    strictness();
    caps();
    far_duplicates();
    work();
    return tap_done();
}
