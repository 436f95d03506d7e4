/* What the vectors cannot say about the wire types: tables that are sound, encode that refuses what decode would,
 * defaults, places inside larger documents, and words that hold no secret. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "contract/action.h"
#include "contract/approval.h"
#include "contract/evaluation.h"
#include "contract/field.h"
#include "contract/lease.h"
#include "contract/receipt.h"
#include "contract/reservation.h"
#include "contract/session.h"
#include "contract/target.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

#define HEX64 "02e1a1344fb7c50c7db6a10b24c3d36ad2f6dfd44a2c4a1cb0f1ba6e59e7f3c1"
#define SHA256 "sha256:" HEX64

static struct il__mem mem;

/* ---- the tables ------------------------------------------------------------------------------------------------- */

static bool is_snake(const char *name)
{
    for (; *name; name++) {
        if (!(*name >= 'a' && *name <= 'z') && *name != '_') return false;
    }
    return true;
}

/* "actionId" and "action_id" are one name. */
static bool same_words(const char *wire, const char *lua)
{
    for (; *wire && *lua; wire++, lua++) {
        if (*wire == *lua) continue;
        if (*lua != '_' || lua[1] != *wire + ('a' - 'A')) return false;
        lua++;
    }
    return !*wire && !*lua;
}

static bool row_is_sound(const struct il__schema *schema, const struct il__field *f)
{
    size_t about = strlen(f->about);
    bool sub = f->kind == IL__F_OBJECT || f->kind == IL__F_OBJECTS;
    bool names = f->kind == IL__F_ENUM || f->kind == IL__F_ENUMS;
    if (!is_snake(f->lua) || !same_words(f->wire, f->lua) || about < 4 || f->about[about - 1] != '.') return false;
    if (f->offset >= schema->size || sub != (f->sub != NULL) || names != (f->names != NULL)) return false;
    if ((f->flags & IL__F_DEFAULT) && !(f->flags & IL__F_OPT)) return false;
    return !f->when || schema->fields[0].kind == IL__F_ENUM;
}

static void tables_of(const struct il__schema *schema)
{
    bool sound = true;
    size_t n = il__field_count(schema);
    for (size_t i = 0; i < n; i++) {
        const struct il__field *f = &schema->fields[i];
        if (!row_is_sound(schema, f)) {
            sound = false;
            tap_note("%s: row %s", schema->object, f->wire);
        }
        sound = sound && il__field_lua(schema, il__str(f->lua)) == f;
        for (size_t k = 0; k < i; k++) sound = sound && strcmp(schema->fields[k].wire, f->wire) != 0;
        if (f->sub) tables_of(f->sub);
    }
    tap_ok(sound && n > 0 && n <= IL__FIELDS_MAX, "the %zu rows of %s are sound", n, schema->object);
}

static void tables(void)
{
    size_t kinds = 0;
    for (; il__schema_kind_at(kinds); kinds++) tables_of(il__schema_by_kind(il__str(il__schema_kind_at(kinds))));
    tap_int((long long)kinds, 23, "number of kinds");
    tap_ok(!il__schema_by_kind(IL_STR("")) && !il__schema_by_kind(IL_STR("leas")) && !il__schema_by_kind(IL_STR_NONE),
           "what is no kind has no schema");
    tap_ok(!il__field_lua(&il__lease_schema, IL_STR("leaseId")) && !il__field_lua(&il__lease_schema, IL_STR("lease")),
           "a row is found by its name in Lua alone");
    tap_int(il__name_index(il__mode_names, IL_STR("foreground")), IL__MODE_FOREGROUND, "a mode by its name");
    tap_int(il__name_index(il__class_names, IL_STR("secret_access")), IL__CLASS_SECRET_ACCESS, "a class by its name");
    tap_int(il__name_index(il__mode_names, IL_STR("fore")), -1, "a part of a name is none");
    tap_str(il__str(il__decision_names[IL__DECISION_REOBSERVE]), "re-observe", "a decision has its name");
    tap_str(il__str(il__pc_kind_names[IL__PC_WINDOW]), "window", "a kind has its name");
}

/* ---- encode ----------------------------------------------------------------------------------------------------- */

static enum il_code encode(const struct il__schema *schema, const void *obj, struct il__buf *buf)
{
    struct il__json_writer w;
    il__buf_init(buf, &mem, 0);
    il__jw_init(&w, buf);
    il__encode(schema, obj, &w);
    return il__buf_check(buf, NULL);
}

static void encodes(const struct il__schema *schema, const void *obj, const char *want, const char *name)
{
    struct il__buf buf;
    tap_int(encode(schema, obj, &buf), IL_OK, "%s is written", name);
    tap_str(il__buf_get(&buf), want, "%s as it should be", name);
    il__buf_clear(&buf);
}

static void refuses(const struct il__schema *schema, const void *obj, const char *name)
{
    struct il__buf buf;
    tap_int(encode(schema, obj, &buf), IL_INVALID_REQUEST, "not written: %s", name);
    il__buf_clear(&buf);
}

static void encode_postconditions(void)
{
    struct il__postcondition pc = { .kind = IL__PC_PROCESS, .pid = 7, .running = false };
    encodes(&il__postcondition_schema, &pc, "{\"kind\":\"process\",\"pid\":7,\"running\":false}", "an ended process");
    pc.running = true;
    refuses(&il__postcondition_schema, &pc, "a process that should run");
    pc = (struct il__postcondition){ .kind = IL__PC_PROCESS };
    refuses(&il__postcondition_schema, &pc, "process 0");
    pc = (struct il__postcondition){ .kind = IL__PC_FILESYSTEM,
                                     .path = IL_STR("/x"),
                                     .exists = false,
                                     .content_digest = IL_STR(SHA256),
                                     .value_digest = IL_STR("not a member here") };
    refuses(&il__postcondition_schema, &pc, "a digest of a file that is not there");
    pc.value_digest = IL_STR_NONE;
    refuses(&il__postcondition_schema, &pc, "the same without a member of another kind");
    pc.exists = true;
    encodes(&il__postcondition_schema, &pc,
            "{\"kind\":\"filesystem\",\"path\":\"/x\",\"exists\":true,\"contentDigest\":\"" SHA256 "\"}", "a file");
    tap_str(il__postcondition_digest(&pc), SHA256, "its digest");
    pc.content_digest = IL_STR(HEX64);
    refuses(&il__postcondition_schema, &pc, "a digest without its prefix");
    pc = (struct il__postcondition){ .kind = IL__PC_UI_ELEMENT, .exists = true };
    refuses(&il__postcondition_schema, &pc, "an element without role and label");
    pc.label = IL_STR("Save");
    encodes(&il__postcondition_schema, &pc, "{\"kind\":\"ui_element\",\"label\":\"Save\",\"exists\":true}",
            "an element");
    pc = (struct il__postcondition){ .kind = IL__PC_WINDOW, .window_id = -1 };
    refuses(&il__postcondition_schema, &pc, "window -1");
    pc.kind = -1;
    refuses(&il__postcondition_schema, &pc, "no kind");
    pc.kind = IL__PC_COUNT;
    refuses(&il__postcondition_schema, &pc, "a kind past the last");
}

static void encode_objects(void)
{
    static const struct il_str signals[] = { { "secure_role", 11 }, { "secure_role", 11 } };
    struct il__reservation_scope scope = { .app_id = IL_STR("app"),
                                           .window_id = { IL__WINDOW_TOKEN, IL_STR_NONE, 42 } };
    encodes(&il__reservation_scope_schema, &scope, "{\"appId\":\"app\",\"windowId\":42}", "a window by number");
    scope.window_id = (struct il__window_id){ IL__WINDOW_TEXT, IL_STR("42"), 0 };
    encodes(&il__reservation_scope_schema, &scope, "{\"appId\":\"app\",\"windowId\":\"42\"}", "a window by text");
    scope.window_id = (struct il__window_id){ IL__WINDOW_TOKEN, IL_STR_NONE, INT64_C(1) << 53 };
    refuses(&il__reservation_scope_schema, &scope, "a window number past 2^53-1");
    scope = (struct il__reservation_scope){ .app_id = IL_STR_NONE };
    refuses(&il__reservation_scope_schema, &scope, "a required text that is absent");
    refuses(&il__reservation_scope_schema, NULL, "nothing");
    struct il__sensitivity s = { .assessment = IL__ASSESSMENT_SENSITIVE,
                                 .source = IL__SOURCE_ACCESSIBILITY,
                                 .signals = { signals, 1 },
                                 .fields_checked = 1,
                                 .observed_at = IL_STR("t") };
    encodes(&il__sensitivity_schema, &s,
            "{\"assessment\":\"sensitive\",\"source\":\"accessibility\",\"signals\":[\"secure_role\"],"
            "\"fieldsChecked\":1,\"observedAt\":\"t\"}",
            "a sensitivity");
    s.signals.count = 2;
    refuses(&il__sensitivity_schema, &s, "the same signal twice");
    s.signals.count = 0;
    refuses(&il__sensitivity_schema, &s, "sensitive without a signal");
    s.assessment = IL__ASSESSMENT_UNKNOWN;
    s.fields_checked = 101;
    refuses(&il__sensitivity_schema, &s, "101 fields");
    s.fields_checked = 0;
    s.observed_at = IL_STR(" \t\n\v\f\r\xC2\xA0\xE2\x80\x8A\xE3\x80\x80\xE1\x9A\x80");
    refuses(&il__sensitivity_schema, &s, "a blank time");
    s.observed_at = IL_STR("\xE2\x80\x8B");
    struct il__buf buf;
    tap_int(encode(&il__sensitivity_schema, &s, &buf), IL_OK, "a zero width space is no blank");
    il__buf_clear(&buf);
}

/* ---- documents -------------------------------------------------------------------------------------------------- */

struct doc {
    struct il__json json;
    struct il_error err;
    union {
        struct il__proposal proposal;
        struct il__preview preview;
        struct il__lease lease;
        struct il__receipt receipt;
        struct il__event event;
        struct il__evaluation evaluation;
        struct il__target target;
        struct il__sensitivity sensitivity;
        struct il__session session;
        struct il__resource resource;
        struct il__grant grant;
        struct il__follow_up_page page;
        unsigned char any[1024];
    } u;
};

static enum il_code read_text(const struct il__schema *schema, struct il_str text, struct doc *d)
{
    memset(&d->json, 0, sizeof(d->json));
    il__error_clear(&d->err);
    return il__decode_text(schema, &mem, text, &d->json, &d->u, &d->err);
}

static void encode_seal(void)
{
    size_t len;
    char *text = tap_slurp("tests/vectors/evaluation/valid/sealed.json", &len);
    struct doc d;
    struct il__buf buf;
    if (tap_int(read_text(&il__evaluation_schema, (struct il_str){ text, len }, &d), IL_OK, "a sealed receipt")) {
        d.u.evaluation.receipt_digest = IL_STR("");
        tap_int(encode(&il__evaluation_schema, &d.u.evaluation, &buf), IL_OK, "is written under an open seal");
        struct doc again;
        tap_int(read_text(&il__evaluation_schema, il__buf_get(&buf), &again), IL_DECODE, "but not read so");
        tap_str(il__str(again.err.field), "/receiptDigest", "and the seal is what is missed");
        il__buf_clear(&buf);
        d.u.evaluation.output_digest = IL_STR("");
        refuses(&il__evaluation_schema, &d.u.evaluation, "any other digest that is empty");
    }
    il__json_clear(&d.json);
    free(text);
}

static void defaults(void)
{
    struct doc d, e;
    tap_int(read_text(&il__proposal_schema, IL_STR("{\"tool\":\"t\"}"), &d), IL_OK, "a tool alone");
    const struct il__proposal *p = &d.u.proposal;
    tap_int(p->mode, IL__MODE_BACKGROUND, "is meant for the background");
    tap_str(il__json_raw(p->arguments.doc, p->arguments.at), "{}", "with no arguments");
    tap_int(il__json_get(p->arguments.doc, p->arguments.at, "mode"), 0, "that can be asked for");
    tap_ok(!p->operation.ptr && !p->target && !p->data_labels.items && !p->provenance, "and nothing else");
    tap_int(read_text(&il__proposal_schema, IL_STR("{\"tool\":\"t\",\"arguments\":{ },\"mode\":\"background\"}"), &e),
            IL_OK, "the same, written out");
    tap_ok(il__equal(&il__proposal_schema, &d.u, &e.u), "is equal");
    il__json_clear(&d.json);
    il__json_clear(&e.json);
    const char *lease = "{\"leaseId\":\"l\",\"revision\":1,\"sessionId\":\"s\",\"principalId\":\"p\",\"kind\":\"k\","
                        "\"executionMode\":\"shadow\",\"state\":\"active\",\"expiresAt\":\"t\",\"actionBudget\":1,"
                        "\"actionsUsed\":0,\"boundaries\":{\"windowIds\":null}}";
    tap_int(read_text(&il__lease_schema, il__str(lease), &d), IL_OK, "a lease with empty boundaries");
    const struct il__boundaries *b = d.u.lease.boundaries;
    tap_ok(b && b->app_ids.items && b->window_ids.items && b->display_ids.items, "has three lists");
    tap_ok(b && !b->app_ids.count && !b->window_ids.count && !b->display_ids.count, "that are empty");
    il__json_clear(&d.json);
}

/* The operation is shown to who approves: it is the tool, or the tool with its mode, whole and in place. */
static void operations(void)
{
    static const struct {
        const char *operation, *mode;
        bool fits;
    } rows[] = {
        { "window", "\"close\"", true },
        { "window.close", "\"close\"", true },
        { "window.", "\"\"", true },
        { "window.cl\\u006fse", "\"clo\\u0073e\"", true },
        { "window-close", "\"close\"", false },
        { "xindow.close", "\"close\"", false },
        { "window.closf", "\"close\"", false },
        { "window.clos", "\"close\"", false },
        { "window.close.", "\"close\"", false },
        { "windo", "\"close\"", false },
        { "window.", "\"close\"", false },
        { "window.null", "null", false },
        { "window.7", "7", false },
        { "window.x", "{\"mode\":\"x\"}", false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[256];
        struct doc d;
        (void)snprintf(text, sizeof(text), "{\"tool\":\"window\",\"operation\":\"%s\",\"arguments\":{\"mode\":%s}}",
                       rows[i].operation, rows[i].mode);
        enum il_code code = read_text(&il__proposal_schema, il__str(text), &d);
        tap_int(code, rows[i].fits ? IL_OK : IL_INVALID_REQUEST, "operation %s with %s", rows[i].operation,
                rows[i].mode);
        il__json_clear(&d.json);
    }
}

/* A receipt as a tool returns it: inside a larger document. */
static void nested(void)
{
    const char *text =
        "{\"structuredContent\":{\"receipt\":{\"receiptId\":\"r\",\"sessionId\":\"s\",\"actionId\":\"a\","
        "\"actionDigest\":\"d\",\"attempt\":1.0,\"status\":\"committed\",\"result\":\"\\u0000\\ud800\"}}}";
    struct il__json doc = { .text = IL_STR_NONE };
    struct il__receipt receipt;
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__json_parse(&doc, &mem, il__str(text), IL__JSON_PAYLOAD, &err), IL_OK, "a tool's answer");
    uint32_t at = il__json_get(&doc, il__json_get(&doc, 0, "structuredContent"), "receipt");
    tap_int(il__schema_strict(&il__receipt_schema, &doc, at, &err), IL_OK, "a result may hold what a screen holds");
    tap_int(il__decode(&il__receipt_schema, &doc, at, &receipt, &err), IL_DECODE, "1.0 is no count");
    tap_str(il__str(err.field), "/structuredContent/receipt/attempt", "the place starts at the root");
    tap_str(il__str(err.object), "execution receipt", "and the object is named");
    tap_str(il__str(err.expected), "a whole number from 0 to 4294967295", "what was expected");
    tap_str(il__str(err.actual), "the number 1.0", "what was found");
    il__json_clear(&doc);
    const char *bad = "{\"receipt\":{\"receiptId\":\"r\\u0000\",\"result\":1}}";
    il__error_clear(&err);
    tap_int(il__json_parse(&doc, &mem, il__str(bad), IL__JSON_PAYLOAD, &err), IL_OK, "another answer");
    tap_int(il__schema_strict(&il__receipt_schema, &doc, il__json_get(&doc, 0, "receipt"), &err), IL_DECODE,
            "an id may not");
    tap_str(il__str(err.field), "/receipt/receiptId", "and is named");
    il__json_clear(&doc);
}

static void raw_envelope(void)
{
    size_t len;
    char *text = tap_slurp("tests/vectors/preview/valid/unknown-member-ignored.json", &len);
    struct doc d;
    if (tap_int(read_text(&il__preview_schema, (struct il_str){ text, len }, &d), IL_OK, "a preview")) {
        struct il__any raw = d.u.preview.envelope_raw;
        tap_ok(raw.doc == &d.json && raw.at && raw.at == il__json_get(raw.doc, 0, "envelope"), "keeps its envelope");
    }
    il__json_clear(&d.json);
    free(text);
}

static void answers(void)
{
    static const struct {
        const char *text;
        enum il_code code;
        bool preview;
        const char *field;
    } rows[] = {
        { "{\"requestId\":\"r\",\"grantId\":\"g\"}", IL_OK, false, "" },
        { "{\"approval\":{\"requestId\":\"r\"}}", IL_OK, false, "" },
        { "{\"approval\":{\"requestId\":\"r\"},\"preview\":{}}", IL_OK, true, "" },
        { "{\"preview\":{}}", IL_DECODE, false, "/approval" },
        { "{\"approval\":{},\"requestId\":\"r\"}", IL_DECODE, false, "/requestId" },
        { "{\"requestId\":\"r\",\"leaseId\":\"l\"}", IL_DECODE, false, "/leaseId" },
        { "{\"approval\":{\"approval\":{}}}", IL_DECODE, false, "/approval/approval" },
        { "[]", IL_DECODE, false, "" },
        { "null", IL_DECODE, false, "" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct il__json doc = { .text = IL_STR_NONE };
        struct il__answer_file file;
        struct il_error err = IL_ERROR_INIT;
        enum il_code code = il__json_parse(&doc, &mem, il__str(rows[i].text), IL__JSON_CONTRACT, &err);
        if (!code) code = il__answer_decode(&doc, 0, &file, &err);
        tap_int(code, rows[i].code, "answer %s", rows[i].text);
        tap_str(il__str(err.field), rows[i].field, "at its place");
        if (!code) {
            tap_ok(file.approval && file.approval->decision == -1 && !file.approval->runtime_approved.has, "read");
            tap_ok((file.preview.doc != NULL) == rows[i].preview, "with its preview, if any");
        } else {
            tap_ok(!file.approval && !file.preview.doc, "nothing is handed out");
        }
        il__json_clear(&doc);
    }
}

static void answer_without_memory(void)
{
    struct il__mem small;
    struct il__json doc = { .text = IL_STR_NONE };
    struct il__answer_file file;
    struct il_error err = IL_ERROR_INIT;
    il__mem_init(&small, NULL, NULL, 0);
    tap_int(il__json_parse(&doc, &small, IL_STR("{\"requestId\":\"r\"}"), IL__JSON_CONTRACT, &err), IL_OK, "an answer");
    small.fail_at = small.calls + 1;
    tap_int(il__answer_decode(&doc, 0, &file, &err), IL_OUT_OF_MEMORY, "that finds no memory");
    tap_ok(!file.approval && err.code == IL_OUT_OF_MEMORY, "is not handed out");
    tap_int(il__answer_decode(&doc, 0, &file, NULL), IL_OK, "and is read once there is some");
    il__json_clear(&doc);
    tap_int((long long)small.in_use_bytes, 0, "which is given back");
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* A value in the wrong place may be a password: it is never quoted. */
static void words(void)
{
    static const struct {
        const struct il__schema *schema;
        const char *text;
    } rows[] = {
        { &il__postcondition_schema,
          "{\"kind\":\"filesystem\",\"path\":\"p\",\"exists\":true,\"contentDigest\":\"hunter2\"}" },
        { &il__postcondition_schema, "{\"kind\":\"hunter2\"}" },
        { &il__sensitivity_schema, "{\"assessment\":\"unknown\",\"source\":\"unavailable\",\"signals\":[\"hunter2\"],"
                                   "\"fieldsChecked\":0,\"observedAt\":\"t\"}" },
        { &il__sensitivity_schema, "{\"assessment\":\"unknown\",\"source\":\"unavailable\",\"signals\":[],"
                                   "\"fieldsChecked\":\"hunter2\",\"observedAt\":\"t\"}" },
        { &il__sensitivity_schema, "{\"assessment\":\"unknown\",\"source\":\"unavailable\",\"signals\":[],"
                                   "\"fieldsChecked\":0,\"observedAt\":\"t\",\"value\":\"hunter2\"}" },
        { &il__proposal_schema, "{\"tool\":\"t\",\"arguments\":\"hunter2\"}" },
        { &il__proposal_schema, "{\"tool\":\"t\",\"operation\":\"hunter2\"}" },
        { &il__proposal_schema, "{\"tool\":\"t\",\"dataLabels\":\"hunter2\"}" },
        { &il__resource_schema, "{\"processId\":[\"hunter2\"]}" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct doc d;
        bool refused = read_text(rows[i].schema, il__str(rows[i].text), &d) != IL_OK;
        bool quoted =
            strstr(d.err.message, "hunter2") || strstr(d.err.actual, "hunter2") || strstr(d.err.expected, "hunter2");
        tap_ok(refused && !quoted && d.err.expected[0] && d.err.actual[0], "refused without its value: %s",
               d.err.message);
        il__json_clear(&d.json);
    }
    struct doc d;
    tap_int(read_text(&il__proposal_schema, IL_STR("{\"tool\":\"t\",\"lease\\nId\":\"x\"}"), &d), IL_INVALID_REQUEST,
            "a member too many");
    tap_ok(strstr(d.err.message, "lease\\x0aId") != NULL, "is named, visibly: %s", d.err.message);
    il__json_clear(&d.json);
    tap_int(read_text(&il__lease_schema, IL_STR("{}"), &d), IL_DECODE, "a lease without members");
    tap_str(il__str(d.err.message), "control lease: /leaseId expected a text that is not empty, got (absent)",
            "in words");
    il__json_clear(&d.json);
    static const struct {
        const struct il__schema *schema;
        const char *text, *expected, *actual;
    } said[] = {
        { &il__policy_decision_schema, "{\"decision\":null}", "a text", "the value null" },
        { &il__policy_decision_schema, "{\"decision\":true}", "a text", "a value of type boolean" },
        { &il__policy_decision_schema, "{\"decision\":1e400000}", NULL, NULL },
        { &il__policy_decision_schema, "{\"decision\":\"\",\"policyDigest\":\"\"}", "a text that is not empty",
          "an empty text" },
        { &il__source_schema, "{\"path\":\"\",\"digest\":\"abc\"}", "sha256: and 64 lowercase hex digits",
          "another text of 3 bytes" },
        { &il__capability_schema, "{\"appId\":\"\",\"operation\":\"\",\"backend\":\"\",\"supportedModes\":[\"x\"]}",
          "a list of shadow, background, foreground", "another text of 1 bytes" },
        { &il__grant_schema,
          "{\"grantId\":\"g\",\"scope\":\"exact_action\",\"principalId\":\"p\",\"sessionId\":\"s\","
          "\"actionDigest\":\"\"}",
          "64 lowercase hex digits", "an empty text" },
        { &il__grant_schema, "{\"grantId\":\"g\",\"scope\":\"x\"}", "one of exact_action, session_operation",
          "another text" },
        { &il__follow_up_page_schema, "{\"follow_ups\":{}}", "a list of objects", "a value of type object" },
        { &il__bounds_schema, "{\"x\":\"\"}", "a number", "a value of type string" },
        { &il__event_schema, "{\"schemaVersion\":-1}", "a whole number, 0 or more", "-1" },
    };
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        tap_ok(read_text(said[i].schema, il__str(said[i].text), &d) != IL_OK, "refused: %s", said[i].text);
        if (said[i].expected) tap_str(il__str(d.err.expected), said[i].expected, "what was expected");
        if (said[i].actual) tap_str(il__str(d.err.actual), said[i].actual, "what was found");
        il__json_clear(&d.json);
    }
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    tables();
    encode_postconditions();
    encode_objects();
    encode_seal();
    defaults();
    operations();
    nested();
    raw_envelope();
    answers();
    answer_without_memory();
    words();
    tap_int((long long)mem.in_use_bytes, 0, "all memory was given back");
    return tap_done();
}
