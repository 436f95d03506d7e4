/* The evaluator against its vectors (tests/vectors/evaluate): a case is {events, trajectory, result}, where a text
 * stands for a document as it is. Then its limits, failing allocations, and a trajectory held against a plain second
 * way to find the longest common subsequence. */
#include "evidence/evaluate.h"

#include "base/limits.h"
#include "evidence/trajectory.h"
#include "tap.h"
#include "wire/canon.h"

#include <stdio.h>
#include <stdlib.h>

static struct il__mem mem;

/* The document at `name`: a text holds it escaped, anything else is it. */
static struct il_str part(struct il__json *doc, const char *name)
{
    const uint32_t at = il__json_get(doc, 0, name);
    struct il_str out = IL_STR_NONE;
    const bool escaped = at && il__json_kind(doc, at) == IL__JSON_STRING && il__json_at(doc, at)->flags != 0;
    if (escaped && il__json_string(doc, at, &out, NULL) != IL_OK) abort();
    return escaped ? out : il__json_raw(doc, at);
}

/* Short texts without escapes hold documents, too: "[]". */
static struct il_str unquoted(struct il_str s)
{
    const bool holds = s.len > 2 && s.ptr[0] == '"' && (s.ptr[1] == '[' || s.ptr[1] == '{');
    return holds ? (struct il_str){ s.ptr + 1, s.len - 2 } : s;
}

static void canonical(struct il__json *doc, uint32_t at, struct il__buf *out)
{
    il__buf_init(out, &mem, 0);
    if (il__canon(doc, at, out, NULL) != IL_OK) abort();
}

/* Each member of the vector's result is the result's. */
static void compare(struct il__json *doc, struct il_str got, const char *path)
{
    struct il__json result = { .mem = NULL };
    const uint32_t want = il__json_get(doc, 0, "result");
    if (il__json_parse(&result, &mem, got, IL__JSON_PAYLOAD, NULL) != IL_OK) abort();
    for (uint32_t key = il__json_first(doc, want); key; key = il__json_next(doc, want, key + 1)) {
        struct il_str name;
        struct il__buf a, b;
        if (il__json_string(doc, key, &name, NULL) != IL_OK) abort();
        canonical(doc, key + 1, &a);
        canonical(&result, il__json_get_str(&result, 0, name), &b);
        tap_str(il__buf_get(&b), a.ptr, "%s: %.*s", path, IL_STR_FMT(name));
        il__buf_clear(&a);
        il__buf_clear(&b);
    }
    const uint32_t violations = il__json_get(&result, 0, "violations"), findings = il__json_get(&result, 0, "findings");
    tap_int(il__json_at(&result, findings)->count, il__json_at(&result, violations)->count, "%s: one finding each",
            path);
    il__json_clear(&result);
}

static void valid(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    struct il__buf out;
    bool passed = false;
    (void)ctx;
    if (il__json_parse(&doc, &mem, (struct il_str){ bytes, len }, IL__JSON_PAYLOAD, &err) != IL_OK) abort();
    il__buf_init(&out, &mem, 0);
    const enum il_code code =
        il__evaluate(&mem, unquoted(part(&doc, "events")), unquoted(part(&doc, "trajectory")), &passed, &out, &err);
    if (tap_int(code, IL_OK, "%s: %s", path, err.message)) compare(&doc, il__buf_get(&out), path);
    const uint32_t want = il__json_get(&doc, il__json_get(&doc, 0, "result"), "passed");
    tap_int(passed, il__json_kind(&doc, want) == IL__JSON_TRUE, "%s: the verdict", path);
    il__buf_clear(&out);
    il__json_clear(&doc);
}

static void invalid(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    struct il__buf out;
    bool passed = false;
    char name[256], got[256];
    (void)ctx;
    snprintf(name, sizeof name, "%.*s.expect", (int)strlen(path) - 5, path);
    char *want = tap_slurp(name, NULL);
    want[strcspn(want, "\n")] = '\0';
    if (il__json_parse(&doc, &mem, (struct il_str){ bytes, len }, IL__JSON_PAYLOAD, &err) != IL_OK) abort();
    il__buf_init(&out, &mem, 0);
    (void)!il__evaluate(&mem, unquoted(part(&doc, "events")), unquoted(part(&doc, "trajectory")), &passed, &out, &err);
    snprintf(got, sizeof got, "%s%s%s", il_code_name(err.code), err.field[0] ? " " : "", err.field);
    tap_str(il__str(got), want, "%s: %s", path, err.message);
    tap_ok(err.object[0] != '\0', "%s: the message says of what", path);
    tap_ok(out.len == 0 && !passed, "%s: nothing comes out", path);
    il__buf_clear(&out);
    il__json_clear(&doc);
    free(want);
}

/* ---- limits ---- */

static void repeat(struct il__buf *out, const char *item, size_t count)
{
    il__buf_putc(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) il__buf_putc(out, ',');
        il__buf_puts(out, item);
    }
    il__buf_putc(out, ']');
}

static enum il_code evaluate(const struct il__buf *events, const char *trajectory, struct il_error *err)
{
    struct il__buf out;
    bool passed = false;
    *err = (struct il_error)IL_ERROR_INIT;
    il__buf_init(&out, &mem, 0);
    enum il_code code = il__evaluate(&mem, events ? il__buf_get(events) : IL_STR("[]"), il__str(trajectory), &passed,
                                     &out, err);
    il__buf_clear(&out);
    return code;
}

static const char plain[] = "{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":1,\"sessionId\":\"s\",\"type\":\"t\","
                            "\"at\":\"t\",\"payload\":0}";

static void limits(void)
{
    struct il__buf text;
    struct il_error err;
    il__buf_init(&text, &mem, 0);
    repeat(&text, plain, IL__LIMIT_EVALUATED_EVENTS);
    tap_int(evaluate(&text, "[]", &err), IL_OK, "evaluated_events: at the limit");
    il__buf_reset(&text);
    repeat(&text, plain, IL__LIMIT_EVALUATED_EVENTS + 1);
    tap_int(evaluate(&text, "[]", &err), IL_LIMIT_EXCEEDED, "evaluated_events: one more");
    tap_ok(strcmp(err.field, "evaluated_events") == 0 && strstr(err.message, "100000"), "it says so: %s", err.message);
    il__buf_reset(&text);
    repeat(&text, "{\"tool\":\"a\"}", IL__LIMIT_TRAJECTORY_STEPS);
    tap_int(evaluate(NULL, text.ptr, &err), IL_OK, "trajectory_steps: at the limit");
    il__buf_reset(&text);
    repeat(&text, "{\"tool\":\"a\"}", IL__LIMIT_TRAJECTORY_STEPS + 1);
    tap_int(evaluate(NULL, text.ptr, &err), IL_LIMIT_EXCEEDED, "trajectory_steps: one more");
    tap_ok(strcmp(err.field, "trajectory_steps") == 0 && strstr(err.message, "1000 steps"), "it says so: %s",
           err.message);
    for (int more = 0; more < 2; more++) {
        il__buf_reset(&text);
        il__buf_puts(&text, "[{\"tool\":\"a\",\"arguments\":{");
        for (int i = 0; i < IL__LIMIT_TRAJECTORY_ARGUMENTS + more; i++)
            il__buf_printf(&text, "%s\"a%d\":%d", i ? "," : "", i, i);
        il__buf_puts(&text, "}}]");
        tap_int(evaluate(NULL, text.ptr, &err), more ? IL_LIMIT_EXCEEDED : IL_OK, "trajectory_arguments: %s",
                more ? "one more" : "at the limit");
    }
    tap_ok(strcmp(err.field, "trajectory_arguments") == 0 && strstr(err.message, "32 arguments"), "it says so: %s",
           err.message);
    il__buf_clear(&text);
}

/* ---- allocations ---- */

static const char mixed[] =
    "[{\"schemaVersion\":1,\"eventId\":\"e1\",\"sequence\":1,\"sessionId\":\"s\",\"actionId\":\"a\\u00e9\",\"type\":"
    "\"action.started\",\"at\":\"t\",\"payload\":{\"tool\":\"a\",\"arguments\":{\"x\":{\"b\":1,\"a\":[1.0]}}}},"
    "{\"schemaVersion\":1,\"eventId\":\"e2\",\"sequence\":2,\"sessionId\":\"s\",\"type\":\"action.committed\",\"at\":"
    "\"t\",\"payload\":{\"receiptId\":\"r\"}}]";
static const char wanted[] = "[{\"tool\":\"b\"},"
                             "{\"tool\":\"a\",\"arguments\":{\"x\":{\"a\":[1],\"b\":1}}},{\"tool\":\"c\"}]";

static void failing_allocations(void)
{
    const size_t before = mem.in_use_bytes;
    const uint64_t from = mem.calls;
    struct il__buf events;
    struct il_error err;
    unsigned failures = 0;
    il__buf_init(&events, &mem, 0);
    il__buf_puts(&events, mixed);
    tap_int(evaluate(&events, wanted, &err), IL_OK, "a case that needs every kind of memory");
    const uint64_t calls = mem.calls - from;
    for (uint64_t n = 1; n <= calls; n++) {
        mem.fail_at = mem.calls + n;
        const enum il_code code = evaluate(&events, wanted, &err);
        mem.fail_at = 0;
        if (code == IL_OUT_OF_MEMORY && err.code == code) failures++;
        else if (code != IL_OK) tap_ok(false, "allocation %d failing ends with %s", (int)n, err.message);
    }
    tap_ok(failures > 10, "each allocation failing is out_of_memory (%u of %u)", failures, (unsigned)calls);
    il__buf_clear(&events);
    tap_int((long long)mem.in_use_bytes, (long long)before, "and leaves nothing behind");
}

/* ---- the longest common subsequence, another way ---- */

enum { LONG = 24 };

static size_t plainly(const char *a, size_t n, const char *b, size_t m)
{
    static size_t table[LONG + 1][LONG + 1];
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) table[i][j] = 0;
            else if (a[i - 1] == b[j - 1]) table[i][j] = table[i - 1][j - 1] + 1;
            else table[i][j] = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
        }
    }
    return table[n][m];
}

static size_t ours(const char *a, size_t n, const char *b, size_t m)
{
    struct il__ranks ranks;
    struct il__trajectory x, y;
    size_t common = 99;
    il__ranks_init(&ranks, &mem);
    il__trajectory_init(&x, &mem);
    il__trajectory_init(&y, &mem);
    for (size_t i = 0; i < n; i++) il__trajectory_use(&x, &ranks, (struct il_str){ a + i, 1 });
    for (size_t i = 0; i < m; i++) il__trajectory_use(&y, &ranks, (struct il_str){ b + i, 1 });
    if (!il__ranks_settle(&ranks) || !il__trajectory_settle(&x, &ranks) || !il__trajectory_settle(&y, &ranks)) abort();
    if (il__trajectory_common(&x, &y, &common, NULL) != IL_OK) abort();
    il__trajectory_clear(&x);
    il__trajectory_clear(&y);
    il__ranks_clear(&ranks);
    return common;
}

static void subsequences(void)
{
    uint32_t state = 20261130;
    unsigned wrong = 0;
    for (int round = 0; round < 3000; round++) {
        char a[LONG], b[LONG];
        state = state * 1664525 + 1013904223;
        const size_t n = (state >> 8) % (LONG + 1), m = (state >> 16) % (LONG + 1), letters = 1 + (state >> 24) % 5;
        for (size_t i = 0; i < LONG; i++) {
            state = state * 1664525 + 1013904223;
            a[i] = (char)('a' + (state >> 20) % letters);
            b[i] = (char)('a' + (state >> 26) % letters);
        }
        wrong += plainly(a, n, b, m) != ours(a, n, b, m);
    }
    tap_int(wrong, 0, "3000 pairs have the length that the plain table gives");
}

static void without_a_tool(void)
{
    struct il__ranks ranks;
    struct il__trajectory t;
    size_t common = 99;
    il__ranks_init(&ranks, &mem);
    il__trajectory_init(&t, &mem);
    il__trajectory_use(&t, &ranks, IL_STR_NONE);
    if (!il__ranks_settle(&ranks) || !il__trajectory_settle(&t, &ranks)) abort();
    tap_int(il__trajectory_common(&t, &t, &common, NULL), IL_OK, "a use without a tool");
    tap_int((long long)common, 0, "matches nothing, not even itself");
    il__trajectory_clear(&t);
    il__ranks_clear(&ranks);
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    tap_each("tests/vectors/evaluate/valid", ".json", valid, NULL);
    tap_each("tests/vectors/evaluate/invalid", ".json", invalid, NULL);
    limits();
    failing_allocations();
    subsequences();
    without_a_tool();
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
    return tap_done();
}
