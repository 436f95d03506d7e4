/* Canonical text: RFC 8785 by vectors whose right side comes from an ECMAScript engine, the byte order of sealed
 * receipts, the runtime's digest text, refusals, and failing allocations. */
#include "wire/canon.h"

#include "base/error.h"
#include "base/limits.h"
#include "wire/digest.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum il_code (*canon_fn)(struct il__json *, uint32_t, struct il__buf *, struct il_error *);

static enum il_code canon_of(canon_fn fn, struct il__mem *mem, struct il_str text, struct il__buf *out,
                             struct il_error *err)
{
    struct il__json doc = { .mem = NULL };
    il__buf_init(out, mem, 0);
    enum il_code code = il__json_parse(&doc, mem, text, IL__JSON_PAYLOAD, err);
    if (code == IL_OK) code = fn(&doc, 0, out, err);
    il__json_clear(&doc);
    return code;
}

static void gives(canon_fn fn, const char *name, struct il_str text, const char *want)
{
    struct il__mem mem;
    struct il__buf out;
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    enum il_code code = canon_of(fn, &mem, text, &out, &err);
    tap_str(code == IL_OK ? il__buf_get(&out) : il__str(err.message), want, "%s", name);
    il__buf_clear(&out);
    if (mem.in_use_bytes != 0) tap_ok(false, "%s: %zu bytes left", name, mem.in_use_bytes);
}

static void refuses(canon_fn fn, const char *text, enum il_code want, const char *pointer)
{
    struct il__mem mem;
    struct il__buf out;
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&out, &mem, 0);
    il__buf_puts(&out, "before");
    enum il_code code = il__json_parse(&doc, &mem, il__str(text), IL__JSON_PAYLOAD, &err);
    if (code == IL_OK) code = fn(&doc, 0, &out, &err);
    tap_ok(code == want && strcmp(err.field, pointer) == 0, "%s has no such text: %s", text, err.message);
    tap_str(il__buf_get(&out), "before", "and nothing of it was written");
    il__json_clear(&doc);
    il__buf_clear(&out);
    tap_int((long long)mem.in_use_bytes, 0, "nor left");
}

/* Every allocation fails once. */
static bool failing(canon_fn fn, struct il_str text)
{
    for (uint64_t n = 1;; n++) {
        struct il__mem mem;
        struct il__buf out;
        struct il_error err = IL_ERROR_INIT;
        il__mem_init(&mem, NULL, NULL, 0);
        mem.fail_at = n;
        enum il_code code = canon_of(fn, &mem, text, &out, &err);
        size_t len = out.len;
        il__buf_clear(&out);
        if (mem.in_use_bytes != 0 || (code != IL_OK && (code != IL_OUT_OF_MEMORY || err.code != code || len != 0)))
            return false;
        if (code == IL_OK) return true;
    }
}

static void vector(void *ctx, const char *path, const char *bytes, size_t len)
{
    char out[300];
    struct il_str text = { bytes, len };
    int stem = (int)(strlen(path) - strlen(".in.json"));
    (void)ctx;
    snprintf(out, sizeof out, "%.*s.out.json", stem, path);
    char *want = tap_slurp(out, NULL);
    gives(il__canon, path, text, want);
    gives(il__canon, out, il__str(want), want); /* canonical text is its own canonical text */
    char bytewise[300];
    snprintf(bytewise, sizeof bytewise, "%.*s.bytes.json", stem, path);
    FILE *other = fopen(bytewise, "rb");
    char *want_bytes = other ? tap_slurp(bytewise, NULL) : NULL;
    if (other) fclose(other);
    gives(il__canon_bytes_order, bytewise, text, want_bytes ? want_bytes : want);
    tap_ok(failing(il__canon, text) && failing(il__canon_bytes_order, text), "%s: each failing allocation is clean",
           path);
    free(want);
    free(want_bytes);
}

static void refusals(void)
{
    refuses(il__canon, "{\"a\":[1,9007199254740992]}", IL_DECODE, "/a/1");
    refuses(il__canon, "-9007199254740992", IL_DECODE, "");
    refuses(il__canon, "18446744073709551616", IL_DECODE, "");
    refuses(il__canon, "1000000000000000000000", IL_DECODE, "");
    refuses(il__canon, "[9007199254740992.0]", IL_DECODE, "/0");
    refuses(il__canon, "-1e20", IL_DECODE, "");
    refuses(il__canon_bytes_order, "999999999999999900000.0", IL_DECODE, "");
    gives(il__canon, "past the integers' form", IL_STR("[9007199254740991.0,-1e21]"), "[9007199254740991,-1e+21]");
    refuses(il__canon, "{\"a\":\"x\\u0000\"}", IL_DECODE, "/a");
    refuses(il__canon, "{\"a\":\"x\\ud800\"}", IL_DECODE, "/a");
    refuses(il__canon, "{\"\\udfff\":1}", IL_DECODE, "/\xEF\xBF\xBD");
    refuses(il__canon_bytes_order, "[9007199254740992]", IL_DECODE, "/0");
    refuses(il__canon_bytes_order, "[\"\\u0000\"]", IL_DECODE, "/0");
    gives(il__canon, "the largest integers", IL_STR("[9007199254740991,-9007199254740991]"),
          "[9007199254740991,-9007199254740991]");
    struct il__mem mem;
    struct il__buf out;
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&out, &mem, 10);
    (void)!il__json_parse(&doc, &mem, IL_STR("[1,2,3,4,5,6]"), IL__JSON_PAYLOAD, &err);
    tap_int(il__canon(&doc, 0, &out, &err), IL_LIMIT_EXCEEDED, "a full buffer is an error");
    il__buf_reset(&out);
    tap_int(il__canon(&doc, 3, &out, NULL), IL_OK, "any node has its text");
    tap_str(il__buf_get(&out), "3", "the third element");
    il__buf_clear(&out);
    il__json_clear(&doc);
}

static void runtime(void)
{
    gives(il__canon_runtime, "members by bytes", IL_STR("{\"b\":1,\"a_\":2,\"a\":3,\"_\":4}"),
          "{\"_\":4,\"a\":3,\"a_\":2,\"b\":1}");
    gives(il__canon_runtime, "integers become doubles there",
          IL_STR("[9007199254740993,-9007199254740993,18446744073709551616,123456789012345678901234567890,"
                 "9007199254740991]"),
          "[9007199254740992,-9007199254740992,18446744073709552000,1.2345678901234568e+29,9007199254740991]");
    gives(il__canon_runtime, "numbers", IL_STR("[-0,1e21,1e-7,1.50,100.0]"), "[0,1e+21,1e-7,1.5,100]");
    gives(il__canon_runtime, "strings", IL_STR("\"\\u0000\\u0007\\b\\ud800\\u00e9\\uDFFF\\ud83d\\ude00\\/\\u2028\""),
          "\"\\u0000\\u0007\\b\\ud800\xC3\xA9\\udfff\xF0\x9F\x98\x80/\xE2\x80\xA8\"");
    gives(il__canon_runtime, "an escaped plain name", IL_STR("{\"\\u0062\":1,\"a\":2}"), "{\"a\":2,\"b\":1}");
    refuses(il__canon_runtime, "{\"a\":{\"aB\":1}}", IL_UNSUPPORTED, "/a/aB");
    refuses(il__canon_runtime, "{\"a1\":1}", IL_UNSUPPORTED, "/a1");
    refuses(il__canon_runtime, "{\"a-b\":1}", IL_UNSUPPORTED, "/a-b");
    refuses(il__canon_runtime, "{\"\":1}", IL_UNSUPPORTED, "/");
    refuses(il__canon_runtime, "[{\"\xC3\xA9\":1}]", IL_UNSUPPORTED, "/0/\xC3\xA9");
    refuses(il__canon_runtime, "{\"`\":1}", IL_UNSUPPORTED, "/`");
    refuses(il__canon_runtime, "{\"{\":1}", IL_UNSUPPORTED, "/{");
    tap_ok(failing(il__canon_runtime, IL_STR("{\"b\":[{\"d\":1,\"c\":\"\\u00e9\"}],\"a\":1}")),
           "each failing allocation is clean");
}

/* What a runtime digested: the arguments' part of its text, and the digest of all of it. */
static void recorded(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il__mem mem;
    struct il__json doc = { .mem = NULL };
    struct il__buf out;
    struct il_str text;
    struct il_str digest;
    char hex[65];
    if (!strstr(path, "recorded_")) return;
    ++*(int *)ctx;
    il__mem_init(&mem, NULL, NULL, 0);
    il__buf_init(&out, &mem, 0);
    if (il__json_parse(&doc, &mem, (struct il_str){ bytes, len }, IL__JSON_PAYLOAD, NULL) != IL_OK ||
        il__json_string(&doc, il__json_get(&doc, 0, "text"), &text, NULL) != IL_OK ||
        il__json_string(&doc, il__json_get(&doc, 0, "argsDigest"), &digest, NULL) != IL_OK) abort();
    tap_int(il__canon_runtime(&doc, il__json_get(&doc, 0, "arguments"), &out, NULL), IL_OK, "%s has a text", path);
    struct il_str args = il__buf_get(&out);
    bool same = text.len > args.len + 9 && memcmp(text.ptr, "{\"args\":", 8) == 0 &&
                memcmp(text.ptr + 8, args.ptr, args.len) == 0 && text.ptr[8 + args.len] == ',';
    tap_ok(same, "%s: arguments as the runtime wrote them", path);
    il_sha256_hex(text, hex);
    tap_ok(il__str_eq(il__str(hex), digest), "%s: the digest of its text", path);
    il__buf_clear(&out);
    il__json_clear(&doc);
}

int main(void)
{
    tap_each("tests/vectors/canon", ".in.json", vector, NULL);
    refusals();
    runtime();
    int count = 0;
    tap_each("tests/vectors/argsdigest", ".json", recorded, &count);
    tap_ok(count >= 9, "%d recorded digests", count);
    return tap_done();
}
