/* Equality that is never generous, what the rows can say beside what the wire types use, and lists of any length. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "contract/action.h"
#include "contract/evaluation.h"
#include "contract/lease.h"
#include "contract/session.h"
#include "tap.h"

#include <stdlib.h>

#define SHA256 "sha256:02e1a1344fb7c50c7db6a10b24c3d36ad2f6dfd44a2c4a1cb0f1ba6e59e7f3c1"

static struct il__mem mem;

struct doc {
    struct il__json json;
    struct il_error err;
    _Alignas(16) unsigned char obj[1024];
};

static enum il_code read_text(const struct il__schema *schema, struct il_str text, struct doc *d)
{
    memset(&d->json, 0, sizeof(d->json));
    il__error_clear(&d->err);
    return il__decode_text(schema, &mem, text, &d->json, d->obj, &d->err);
}

/* ---- equality --------------------------------------------------------------------------------------------------- */

static bool any_equal(const char *a, const char *b)
{
    struct il__json x = { .text = IL_STR_NONE }, y = { .text = IL_STR_NONE };
    bool ok = il__json_parse(&x, &mem, il__str(a), IL__JSON_PAYLOAD, NULL) == IL_OK &&
              il__json_parse(&y, &mem, il__str(b), IL__JSON_PAYLOAD, NULL) == IL_OK;
    bool equal = il__any_equal((struct il__any){ &x, 0 }, (struct il__any){ &y, 0 });
    il__json_clear(&x);
    il__json_clear(&y);
    return ok && equal;
}

static bool texts_equal(const struct il__schema *schema, const char *a, const char *b)
{
    struct doc x, y;
    bool ok = read_text(schema, il__str(a), &x) == IL_OK && read_text(schema, il__str(b), &y) == IL_OK;
    bool equal = ok && il__equal(schema, x.obj, y.obj);
    if (!ok) tap_note("could not read: %s", x.err.code ? x.err.message : y.err.message);
    il__json_clear(&x.json);
    il__json_clear(&y.json);
    return equal;
}

#define EVENT(payload)                                                                                                 \
    "{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":1,\"sessionId\":\"s\",\"type\":\"t\",\"at\":\"t\","           \
    "\"payload\":" payload "}"

static void equality(void)
{
    const struct il__window_id none = { .kind = IL__WINDOW_NONE }, token = { IL__WINDOW_TOKEN, IL_STR_NONE, 42 },
                               text = { IL__WINDOW_TEXT, IL_STR("42"), 42 };
    tap_ok(il__window_equal(token, token) && il__window_equal(text, text) && il__window_equal(none, none), "same ids");
    tap_ok(!il__window_equal(token, text) && !il__window_equal(none, token) && !il__window_equal(text, none),
           "42, \"42\" and no id are three");
    tap_ok(any_equal("{\"a\":1,\"b\":[2]}", " {\"b\":[2.0],\"\\u0061\":1e0} "), "the same canonical text");
    tap_ok(!any_equal("{\"a\":1}", "{\"a\":2}") && !any_equal("1", "\"1\"") && !any_equal("[1,2]", "[2,1]"), "others");
    tap_ok(any_equal("9007199254740993", "9007199254740993"), "without canonical text the bytes decide");
    tap_ok(!any_equal("[9007199254740993]", "[ 9007199254740993]"), "and doubt is no equality");
    tap_ok(!any_equal("9007199254740993", "9007199254740992"), "nor are two integers with one double");
    tap_ok(il__equal(&il__target_schema, NULL, NULL), "nothing equals nothing");
    struct il__target target = { .platform = IL_STR("linux") };
    tap_ok(!il__equal(&il__target_schema, &target, NULL) && !il__equal(&il__target_schema, NULL, &target),
           "and nothing else");
    tap_ok(il__any_equal((struct il__any){ NULL, 0 }, (struct il__any){ NULL, 0 }), "absent equals absent");
    tap_ok(!texts_equal(&il__resource_schema, "{\"processName\":\"\"}", "{}"), "empty is not absent");
    tap_ok(!texts_equal(&il__resource_schema, "{\"processId\":0}", "{}"), "nor is 0");
    tap_ok(texts_equal(&il__resource_schema, "{\"processId\":null}", "{\"x\":1}"),
           "null is; what is unknown is not seen");
    tap_ok(!texts_equal(&il__proposal_schema, "{\"tool\":\"t\",\"dataLabels\":[]}", "{\"tool\":\"t\"}"),
           "an empty list is not an absent one");
    tap_ok(!texts_equal(&il__proposal_schema, "{\"tool\":\"t\",\"dataLabels\":[\"a\",\"b\"]}",
                        "{\"tool\":\"t\",\"dataLabels\":[\"b\",\"a\"]}"),
           "lists have an order");
    tap_ok(texts_equal(&il__event_schema, EVENT("null"), EVENT("null")), "a payload of null is one");
    tap_ok(!texts_equal(&il__event_schema, EVENT("null"), EVENT("false")), "and another than false");
    static const struct il_str one[] = { { "a", 1 } };
    tap_ok(il__strs_has((struct il__strs){ one, 1 }, IL_STR("a")), "what a list holds");
    tap_ok(!il__strs_has((struct il__strs){ one, 1 }, IL_STR("A")) &&
               !il__strs_has((struct il__strs){ NULL, 0 }, one[0]),
           "and what not");
}

#define SESSION(counts)                                                                                                \
    "{\"sessionId\":\"s\",\"principalId\":\"p\",\"state\":\"completed\",\"revision\":1,\"createdAt\":\"t\","           \
    "\"updatedAt\":\"t\",\"completion\":{\"summary\":\"\",\"postconditions\":[],\"actionCounts\":" counts              \
    ",\"completedAt\":\"t\"}}"

static void equality_of_counts(void)
{
    const struct il__schema *schema = &il__session_schema;
    const char *both = SESSION("{\"x\":1,\"y\":2}"), *one = SESSION("{\"x\":1}");
    tap_ok(texts_equal(schema, both, SESSION("{\"y\":2,\"x\":1}")), "counts have no order");
    tap_ok(!texts_equal(schema, both, SESSION("{\"y\":1,\"x\":2}")), "but values");
    tap_ok(!texts_equal(schema, both, one) && !texts_equal(schema, one, both), "and a number of them");
}

/* What no wire type uses today, but the rows can say. */
struct probe {
    struct il__opt_num ratio;
    bool first, second;
    struct il__strs names;
    struct il__objects parts;
};
static const struct il__field probe_fields[] = {
    { .wire = "ratio",
      .lua = "ratio",
      .kind = IL__F_NUM,
      .flags = IL__F_OPT,
      .offset = offsetof(struct probe, ratio),
      .least = 0,
      .most = 1,
      .about = "A number." },
    { .wire = "first", .lua = "first", .kind = IL__F_BOOL, .offset = offsetof(struct probe, first), .about = "One." },
    { .wire = "second",
      .lua = "second",
      .kind = IL__F_BOOL,
      .offset = offsetof(struct probe, second),
      .about = "Two." },
    { .wire = "names",
      .lua = "names",
      .kind = IL__F_STRS,
      .flags = IL__F_NONEMPTY,
      .offset = offsetof(struct probe, names),
      .about = "Names." },
    { .wire = "parts",
      .lua = "parts",
      .kind = IL__F_OBJECTS,
      .flags = IL__F_OPT | IL__F_NONEMPTY,
      .offset = offsetof(struct probe, parts),
      .sub = &il__bounds_schema,
      .about = "Parts." },
    { .wire = NULL },
};
static const struct il__schema probe_schema = { .object = "probe",
                                                .size = sizeof(struct probe),
                                                .fields = probe_fields };

static void rows_of_a_probe(void)
{
    static const struct {
        const char *text, *field;
    } rows[] = {
        { "{\"first\":false,\"second\":false,\"names\":[\"a\"]}", NULL },
        { "{\"first\":false,\"second\":true,\"names\":[\"a\"]}", NULL },
        { "{\"first\":true,\"second\":false,\"names\":[\"a\"]}", NULL },
        { "{\"ratio\":0,\"first\":false,\"second\":false,\"names\":[\"a\"]}", NULL },
        { "{\"ratio\":1,\"first\":false,\"second\":false,\"names\":[\"a\"]}", NULL },
        { "{\"ratio\":0.5,\"first\":false,\"second\":false,\"names\":[\"a\"]}", NULL },
        { "{\"ratio\":0.5,\"first\":false,\"second\":false,\"names\":[\"a\",\"b\"]}", NULL },
        { "{\"ratio\":1.5,\"first\":false,\"second\":false,\"names\":[\"a\"]}", "/ratio" },
        { "{\"ratio\":-1,\"first\":false,\"second\":false,\"names\":[\"a\"]}", "/ratio" },
        { "{\"first\":false,\"second\":false,\"names\":[]}", "/names" },
        { "{\"first\":false,\"second\":false,\"names\":[\"a\"],\"parts\":[]}", "/parts" },
        { "{\"first\":false,\"second\":false,\"names\":[\"a\"],\"parts\":[7]}", "/parts/0" },
    };
    struct doc d;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_int(read_text(&probe_schema, il__str(rows[i].text), &d), rows[i].field ? IL_DECODE : IL_OK, "%s",
                rows[i].text);
        tap_str(il__str(d.err.field), rows[i].field ? rows[i].field : "", "at its place");
        il__json_clear(&d.json);
        for (size_t k = 0; !rows[i].field && k < sizeof(rows) / sizeof(rows[0]) && !rows[k].field; k++)
            tap_ok(texts_equal(&probe_schema, rows[i].text, rows[k].text) == (i == k), "probes %zu and %zu", i, k);
    }
}

/* Lists that get arena blocks of their own, with each of those failing. */
static void long_lists_of(const struct il__schema *schema, const char *head, const char *item, const char *tail)
{
    struct il__buf text;
    il__buf_init(&text, &mem, 0);
    il__buf_puts(&text, head);
    for (unsigned i = 0; i < 6000; i++) {
        il__buf_puts(&text, i ? "," : "");
        for (const char *p = item; *p; p++) *p == '#' ? il__buf_printf(&text, "%u", i) : il__buf_putc(&text, *p);
    }
    il__buf_puts(&text, tail);
    enum il_code code = IL_OUT_OF_MEMORY;
    bool clean = true;
    uint64_t n = 0;
    while (code == IL_OUT_OF_MEMORY && clean && ++n < 10000) {
        struct il__mem small;
        struct doc d;
        il__mem_init(&small, NULL, NULL, 0);
        small.fail_at = n;
        memset(&d.json, 0, sizeof(d.json));
        il__error_clear(&d.err);
        code = il__decode_text(schema, &small, il__buf_get(&text), &d.json, d.obj, &d.err);
        il__json_clear(&d.json);
        clean = small.in_use_bytes == 0 && d.err.code == code;
    }
    tap_ok(code == IL_OK && clean && n > 2, "%s of 6000: each of %d allocations may fail", item, (int)n - 1);
    il__buf_clear(&text);
}

#define LEASE(boundaries)                                                                                              \
    "{\"leaseId\":\"l\",\"revision\":1,\"sessionId\":\"s\",\"principalId\":\"p\",\"kind\":\"k\",\"executionMode\":"    \
    "\"shadow\","                                                                                                      \
    "\"state\":\"active\",\"expiresAt\":\"t\",\"actionBudget\":1,\"actionsUsed\":0,\"boundaries\":{" boundaries

static void long_lists(void)
{
    long_lists_of(&il__lease_schema, LEASE("\"windowIds\":["), "#", "]}}");
    long_lists_of(&il__lease_schema, LEASE("\"appIds\":["), "\"\\u0061 name that is escaped, and quite long, #\"",
                  "]}}");
    long_lists_of(
        &il__follow_up_page_schema, "{\"next_sequence\":1,\"follow_ups\":[",
        "{\"followUpId\":\"f\",\"sequence\":#,\"sessionId\":\"s\",\"principalId\":\"p\",\"instruction\":\"i\","
        "\"createdAt\":\"t\"}",
        "]}");
    long_lists_of(
        &il__session_schema,
        "{\"sessionId\":\"s\",\"principalId\":\"p\",\"state\":\"completed\",\"revision\":1,\"createdAt\":\"t\","
        "\"updatedAt\":\"t\",\"completion\":{\"summary\":\"\",\"postconditions\":[],\"completedAt\":\"t\","
        "\"actionCounts\":{",
        "\"\\u0061 name that is escaped, and quite long, #\":#", "}}}");
}

/* ---- sizes and words -------------------------------------------------------------------------------------------- */

/* Many assertions, all different but perhaps the last; they must cost n log n. */
static enum il_code many_assertions(unsigned count, bool repeat, struct doc *d)
{
    struct il__buf buf;
    il__buf_init(&buf, &mem, 0);
    il__buf_puts(&buf,
                 "{\"schemaVersion\":1,\"protocol\":\"" IL__EVALUATION_PROTOCOL "\",\"subjectVersion\":\"1\","
                 "\"generatedAt\":\"t\",\"commands\":[\"a\",\"b\"],\"claims\":{\"testsPassed\":true,\"authBound\":true,"
                 "\"multimodalEvidence\":true,\"duplicateMutations\":0,\"crashPointsCovered\":2,\"testCount\":1},"
                 "\"sources\":[{\"path\":\"p\",\"digest\":\"" SHA256 "\"}],\"sourceDigest\":\"" SHA256 "\","
                 "\"outputDigest\":\"" SHA256 "\",\"receiptDigest\":\"" SHA256 "\",\"assertions\":[");
    for (unsigned i = 0; i < count; i++) il__buf_printf(&buf, "%s\"%x\"", i ? "," : "", i);
    if (repeat) il__buf_printf(&buf, ",\"%x\"", count / 2);
    il__buf_puts(&buf, "]}");
    enum il_code code = read_text(&il__evaluation_schema, il__buf_get(&buf), d);
    il__buf_clear(&buf);
    return code;
}

static void sizes(void)
{
    struct doc d;
    tap_int(many_assertions(100000, false, &d), IL_OK, "a hundred thousand different assertions");
    il__json_clear(&d.json);
    tap_int(many_assertions(100000, true, &d), IL_DECODE, "one of them twice");
    tap_str(il__str(d.err.field), "/assertions/100000", "is named");
    char *text = malloc(IL__LIMIT_CONTRACT_BYTES + 64);
    memset(text, ' ', IL__LIMIT_CONTRACT_BYTES + 64);
    memcpy(text, "{\"tool\":\"t\"}", 12);
    tap_int(read_text(&il__proposal_schema, (struct il_str){ text, IL__LIMIT_CONTRACT_BYTES }, &d), IL_OK, "1 MiB");
    il__json_clear(&d.json);
    tap_ok(read_text(&il__proposal_schema, (struct il_str){ text, IL__LIMIT_CONTRACT_BYTES + 1 }, &d) != IL_OK,
           "and a byte more");
    memcpy(text, EVENT("0"), strlen(EVENT("0")));
    tap_int(read_text(&il__event_schema, (struct il_str){ text, IL__LIMIT_CONTRACT_BYTES + 1 }, &d), IL_OK,
            "a document with a free-form value may be larger");
    il__json_clear(&d.json);
    free(text);
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    equality();
    equality_of_counts();
    rows_of_a_probe();
    long_lists();
    sizes();
    tap_int((long long)mem.in_use_bytes, 0, "all memory was given back");
    return tap_done();
}
