/* The changes that may be made of a case (candidates.h), from the rows of its types. Calls itself for objects within
 * objects, as deep as the tables nest and never deeper because of the input. */
#include "host/candidates.h"

#include "base/error.h"
#include "host/json_edit.h"
#include "host/policy_case_names.h"

#include <stdio.h>

enum { PLACE_BYTES = 300 };
#define DIGEST "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\""

struct place {
    char pointer[PLACE_BYTES], field[PLACE_BYTES];
    uint32_t node;  /* of the object in the case; 0: it is not there */
};

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static uint32_t node_at(const struct il__json *doc, const char *pointer)
{
    uint32_t node = 0;
    for (const char *at = pointer; *at == '/';) {
        const char *end = strchr(++at, '/');
        struct il_str part = { at, end ? (size_t)(end - at) : strlen(at) };
        node = il__json_get_str(doc, node, part);
        if (!node) return 0;
        at += part.len;
    }
    return node;
}

/* It would change nothing, or is there already. */
static bool pointless(const struct il__build *b, const char *pointer, struct il_str value)
{
    uint32_t node = node_at(b->from->given, pointer);
    if (node && il__str_eq(il__json_raw(b->from->given, node), value)) return true;
    if (!node && il__str_eq(value, IL_STR("null"))) return true;
    for (size_t i = 0; i < b->out->count; i++) {
        const struct il__change *c = &b->out->items[i];
        if (il__str_eq(c->pointer, il__str(pointer)) && il__str_eq(c->value, value)) return true;
    }
    return false;
}

void il__build_add(struct il__build *b, const char *pointer, const char *field, struct il_str value,
                   struct il_str shown)
{
    if (b->code || pointless(b, pointer, value)) return;
    if (b->out->count == IL__LIMIT_EXPLAIN_CANDIDATES) {
        b->out->cut = true;
        return;
    }
    struct il__change *c = &b->out->items[b->out->count];
    if (il__arena_str(b->out->arena, il__str(pointer), &c->pointer) ||
        il__arena_str(b->out->arena, il__str(field), &c->field) || il__arena_str(b->out->arena, value, &c->value) ||
        il__arena_str(b->out->arena, shown, &c->shown))
        b->code = IL_OUT_OF_MEMORY;
    else b->out->count++;
}

static void add_written(struct il__build *b, const char *pointer, const char *field, struct il__buf *text)
{
    if (text->code == IL_OUT_OF_MEMORY) b->code = IL_OUT_OF_MEMORY;
    if (!text->code) il__build_add(b, pointer, field, il__buf_get(text), IL_STR_NONE);
    il__buf_clear(text);
}

void il__build_text(struct il__build *b, const char *pointer, const char *field, struct il_str text)
{
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, b->from->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_str(&w, text);
    add_written(b, pointer, field, &buf);
}

void il__build_int(struct il__build *b, const char *pointer, const char *field, int64_t value)
{
    struct il__buf buf;
    il__buf_init(&buf, b->from->mem, 0);
    il__buf_printf(&buf, "%lld", (long long)value);
    add_written(b, pointer, field, &buf);
}

static void add_num(struct il__build *b, const char *pointer, const char *field, double value)
{
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, b->from->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_double(&w, value);
    add_written(b, pointer, field, &buf);
}

static void add_z(struct il__build *b, const char *pointer, const char *field, const char *json)
{
    il__build_add(b, pointer, field, il__str(json), IL_STR_NONE);
}

/* The elements that are there (when `keep`), and `text`. */
static void add_list(struct il__build *b, const char *pointer, const char *field, uint32_t keep, struct il_str text)
{
    struct il__json *doc = b->from->given;
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, b->from->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_array(&w);
    if (keep && il__json_kind(doc, keep) == IL__JSON_ARRAY)
        for (uint32_t at = il__json_first(doc, keep); at; at = il__json_next(doc, keep, at))
            il__jw_raw(&w, il__json_raw(doc, at));
    il__jw_str(&w, text);
    il__jw_array_end(&w);
    add_written(b, pointer, field, &buf);
}

/* ---- what was read ----------------------------------------------------------------------------------------------- */

static bool part_of(struct il_str outer, struct il_str inner)
{
    if (outer.len > inner.len || memcmp(outer.ptr, inner.ptr, outer.len) != 0) return false;
    return outer.len == inner.len || inner.ptr[outer.len] == '.' || inner.ptr[outer.len] == '[';
}

bool il__build_was_read(const struct il__build *b, const char *field)
{
    const struct il_str name = il__str(field);
    for (size_t i = 0; i < b->used_count; i++)
        if (part_of(name, b->used[i]) || part_of(b->used[i], name)) return true;
    return false;
}

/* Calls `fn` for every value that was read; the values of all policies and phases. */
static void each_used(struct il__build *b, void (*fn)(struct il__build *b, struct il_str path, uint32_t value))
{
    struct il__json *doc = b->from->result;
    uint32_t policies = il__json_get(doc, 0, "policies");
    for (uint32_t p = il__json_first(doc, policies); policies && p; p = il__json_next(doc, policies, p)) {
        uint32_t used = il__json_get(doc, p, "used");
        for (uint32_t u = used ? il__json_first(doc, used) : 0; u; u = il__json_next(doc, used, u)) {
            struct il_str path;
            uint32_t name = il__json_get(doc, u, "path");
            if (!name || il__json_string(doc, name, &path, NULL)) continue;
            fn(b, path, il__json_get(doc, u, "value"));
        }
    }
}

static void count_used(struct il__build *b, struct il_str path, uint32_t value)
{
    (void)path;
    (void)value;
    b->used_count++;
}

static void keep_used(struct il__build *b, struct il_str path, uint32_t value)
{
    (void)value;
    b->used[b->used_count++] = path;
}

static void find_used(struct il__build *b)
{
    each_used(b, count_used);
    b->used = il__arena_alloc(b->out->arena, (b->used_count + 1) * sizeof *b->used);
    if (!b->used) b->code = IL_OUT_OF_MEMORY;
    b->used_count = 0;
    if (b->used) each_used(b, keep_used);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void change_texts(struct il__build *b, const struct place *p)
{
    for (size_t i = 0; i < b->from->pool->text_count; i++)
        il__build_text(b, p->pointer, p->field, b->from->pool->texts[i]);
}

static void change_ints(struct il__build *b, const struct place *p)
{
    const struct il__pool *c = b->from->pool;
    for (size_t i = 0; i < c->int_count; i++)
        for (int64_t step = -1; step <= 1; step++) il__build_int(b, p->pointer, p->field, c->ints[i] + step);
}

/* What is not a whole number has no next one: a thousandth does. */
static void change_nums(struct il__build *b, const struct place *p)
{
    const struct il__pool *c = b->from->pool;
    for (size_t i = 0; i < c->num_count; i++)
        for (int step = -1; step <= 1; step++) add_num(b, p->pointer, p->field, c->nums[i] + 0.001 * step);
    change_ints(b, p);
}

static void change_list(struct il__build *b, const struct place *p, uint32_t node)
{
    add_z(b, p->pointer, p->field, "[]");
    for (size_t i = 0; i < b->from->pool->text_count; i++) {
        add_list(b, p->pointer, p->field, 0, b->from->pool->texts[i]);
        if (node) add_list(b, p->pointer, p->field, node, b->from->pool->texts[i]);
    }
}

/* An assessment that stands on nothing is none: the whole object is made to fit. */
static void change_assessment(struct il__build *b, const struct place *p)
{
    static const char *const whole[] = {
        "{\"assessment\":\"sensitive\",\"signals\":[\"secure_role\"]}", "{\"assessment\":\"non_sensitive\"}",
        "{\"assessment\":\"unknown\",\"fieldsChecked\":0,\"source\":\"unavailable\"}",
    };
    char pointer[PLACE_BYTES];
    snprintf(pointer, sizeof pointer, "%.*s", (int)(strrchr(p->pointer, '/') - p->pointer), p->pointer);
    uint32_t now = node_at(b->from->given, p->pointer);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct il_str name = il__str(il__assessment_names[i]), raw = now ? il__json_raw(b->from->given, now) : name;
        if (now && raw.len == name.len + 2 && memcmp(raw.ptr + 1, name.ptr, name.len) == 0) continue;
        il__build_add(b, pointer, p->field, il__str(whole[i]), name);
    }
}

static void change_names(struct il__build *b, const struct place *p, const struct il__field *f)
{
    if (f->names == il__assessment_names) {
        change_assessment(b, p);
        return;
    }
    for (size_t i = 0; f->names[i]; i++) il__build_text(b, p->pointer, p->field, il__str(f->names[i]));
}

/* Moments as long ago as a constant of seconds, and around it. */
static void change_moment(struct il__build *b, const struct place *p)
{
    const struct il__pool *c = b->from->pool;
    struct il__instant now;
    struct il_str at = IL_STR("2026-01-05T12:00:00Z");
    uint32_t node = node_at(b->from->given, "/at");
    const char *why;
    if (node && il__json_string(b->from->given, node, &at, NULL)) return;
    if (!il__rfc3339_parse(at, &now, &why)) return;
    for (size_t i = 0; i < c->int_count; i++) {
        if (c->ints[i] < 0 || c->ints[i] > 31 * 86400) continue;
        for (int64_t step = -1; step <= 1; step++) {
            char text[IL__RFC3339_MAX];
            size_t len = il__rfc3339_format(il__instant_add_ms(now, -(c->ints[i] + step) * 1000), text);
            il__build_text(b, p->pointer, p->field, (struct il_str){ text, len });
        }
    }
}

static void change_object(struct il__build *b, const struct place *p, const struct il__schema *schema,
                          const char *const *except);

/* What only the constants can stand in for: when it was read. */
static void change_read(struct il__build *b, const struct place *p, const struct il__field *f, uint32_t node)
{
    switch (f->kind) {
    case IL__F_STR:
        if (f->flags & IL__F_TIME) change_moment(b, p);
        else if (f->flags & IL__F_SHA256) add_z(b, p->pointer, p->field, DIGEST);
        else change_texts(b, p);
        return;
    case IL__F_INT: change_ints(b, p); return;
    case IL__F_NUM: change_nums(b, p); return;
    case IL__F_STRS: change_list(b, p, node); return;
    case IL__F_WINDOW: change_texts(b, p); change_ints(b, p); return;
    case IL__F_ENUMS:
        add_z(b, p->pointer, p->field, "[]");
        for (size_t i = 0; f->names[i]; i++) add_list(b, p->pointer, p->field, 0, il__str(f->names[i]));
        return;
    case IL__F_BOOL: case IL__F_ENUM: case IL__F_OBJECT: case IL__F_OBJECTS: case IL__F_ANY: case IL__F_ARGS:
    case IL__F_WINDOWS: case IL__F_COUNTS: return;
    }
}

/* An object that is not there, as the least that one can be. */
static void add_object(struct il__build *b, const struct place *p, const struct il__schema *schema)
{
    static const char *const conditions[] = {
        "{\"kind\":\"window\",\"windowId\":1,\"exists\":true}",
        "{\"kind\":\"filesystem\",\"path\":\"/file\",\"exists\":true,\"contentDigest\":" DIGEST "}",
    };
    if (schema != &il__postcondition_schema) {
        il__build_add(b, p->pointer, p->field, IL_STR("{}"), IL_STR("something"));
        return;
    }
    il__build_add(b, p->pointer, p->field, il__str(conditions[0]), IL_STR("one without a digest"));
    il__build_add(b, p->pointer, p->field, il__str(conditions[1]), IL_STR("one with a digest"));
}

static void change_row(struct il__build *b, const struct place *outer, const struct il__field *f)
{
    struct place p;
    snprintf(p.pointer, sizeof p.pointer, "%.240s/%.50s", outer->pointer, f->wire);
    snprintf(p.field, sizeof p.field, "%.240s.%.50s", outer->field, f->lua);
    p.node = outer->node ? il__json_get(b->from->given, outer->node, f->wire) : 0;
    if (p.node && il__json_kind(b->from->given, p.node) == IL__JSON_NULL) p.node = 0;
    /* The mode that was asked for is what the envelope shows as requested. */
    bool read = il__build_was_read(b, p.field) ||
                (f->names == il__mode_names && il__build_was_read(b, "action.requested_mode"));
    if (f->kind == IL__F_OBJECT) change_object(b, &p, f->sub, NULL);
    if (read != b->read) return;
    if (f->kind == IL__F_ENUM) change_names(b, &p, f);
    if (f->kind == IL__F_BOOL) add_z(b, p.pointer, p.field, "true"), add_z(b, p.pointer, p.field, "false");
    if (read) change_read(b, &p, f, p.node);
    if (read && f->kind == IL__F_OBJECT && !p.node) add_object(b, &p, f->sub);
    if (f->flags & IL__F_OPT && p.node && f->kind != IL__F_ARGS) add_z(b, p.pointer, p.field, "null");
}

static void change_object(struct il__build *b, const struct place *p, const struct il__schema *schema,
                          const char *const *except)
{
    for (const struct il__field *f = schema->fields; f->wire; f++)
        if (!except || il__name_index(except, il__str(f->wire)) < 0) change_row(b, p, f);
}

/* ---- the action -------------------------------------------------------------------------------------------------- */

/* A free-form argument that was read: by what it is now. */
static void change_argument(struct il__build *b, struct il_str path, uint32_t value)
{
    static const struct il_str root = { "action.arguments.", 17 };
    struct place p;
    size_t len = 0;
    if (path.len <= root.len || memcmp(path.ptr, root.ptr, root.len) != 0 || path.len > PLACE_BYTES - 20) return;
    if (memchr(path.ptr, '[', path.len)) return;
    snprintf(p.field, sizeof p.field, "%.*s", IL_STR_FMT(path));
    len = (size_t)snprintf(p.pointer, sizeof p.pointer, "/action/arguments/%s", p.field + root.len);
    for (size_t i = 0; i < len; i++)
        if (p.pointer[i] == '.') p.pointer[i] = '/';
    struct il__json *doc = b->from->result;
    enum il__json_kind kind = value ? il__json_kind(doc, value) : IL__JSON_NULL;
    if (kind == IL__JSON_STRING || kind == IL__JSON_NULL) change_texts(b, &p);
    if (kind == IL__JSON_INT || kind == IL__JSON_NULL) change_ints(b, &p);
    if (kind == IL__JSON_DOUBLE) change_nums(b, &p);
    if (kind == IL__JSON_TRUE || kind == IL__JSON_NULL) add_z(b, p.pointer, p.field, "false");
    if (kind == IL__JSON_FALSE || kind == IL__JSON_NULL) add_z(b, p.pointer, p.field, "true");
    add_z(b, p.pointer, p.field, "null");
}

static void change_action(struct il__build *b)
{
    /* Ids, and what follows from something else. */
    static const char *const except[] = { "actionId", "sessionId", "executionGroupId", "principalId", "agentId",
                                          "requestedMode", "proposedAt", "argsDigest", NULL };
    static const char *const shared[] = { "tool", "operation", "target", "postcondition", "dataLabels", "provenance",
                                          NULL };
    struct place p = { "/action", "action", il__json_get(b->from->given, 0, "action") };
    change_object(b, &p, &il__envelope_schema, except);
    change_object(b, &p, &il__proposal_schema, shared);
    if (b->read) each_used(b, change_argument);
}

/* ---- what surrounds it ------------------------------------------------------------------------------------------- */

static void change_surroundings(struct il__build *b)
{
    static const struct { const char *wire, *lua; const struct il__schema *schema; } parts[] = {
        { "/capability", "ctx.capability", &il__capability_schema },
        { "/policy", "ctx.policy", &il__policy_decision_schema },
        { "/lease", "ctx.lease", &il__lease_schema },
        { "/decision", "ctx.decision", &il__case_vote_schema },
    };
    static const struct { const char *wire, *lua; } texts[] = {
        { "/reason", "ctx.reason" }, { "/principal", "ctx.principal" }, { "/agent", "ctx.agent" },
        { "/sessionId", "ctx.session_id" },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct place p = { .node = il__json_get(b->from->given, 0, parts[i].wire + 1) };
        snprintf(p.pointer, sizeof p.pointer, "%s", parts[i].wire);
        snprintf(p.field, sizeof p.field, "%s", parts[i].lua);
        if (p.node || il__build_was_read(b, parts[i].lua)) change_object(b, &p, parts[i].schema, NULL);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts && b->read; i++) {
        struct place p = { .node = 0 };
        snprintf(p.pointer, sizeof p.pointer, "%s", texts[i].wire);
        snprintf(p.field, sizeof p.field, "%s", texts[i].lua);
        if (!il__build_was_read(b, texts[i].lua)) continue;
        change_texts(b, &p);
        add_z(b, p.pointer, p.field, "null");
    }
    if (il__build_was_read(b, "ctx.route") != b->read) return;
    for (size_t i = 0; il__route_names[i]; i++)
        il__build_text(b, "/route", "ctx.route", il__str(il__route_names[i]));
}

static enum il_code build(const struct il__candidates *from, int passes, struct il__changes *out, struct il_error *err)
{
    struct il__build b = { .from = from, .out = out };
    find_used(&b);
    for (int pass = 0; pass < passes && !b.code; pass++) {
        b.read = pass == 0;
        change_action(&b);
        change_surroundings(&b);
        if (!b.read) continue;
        il__build_time(&b);
        il__build_asked(&b);
    }
    return b.code ? il__fail(err, b.code, "no memory for changes of a case") : IL_OK;
}

enum il_code il__candidates_make(const struct il__candidates *from, struct il__changes *out, struct il_error *err)
{
    out->items = il__arena_alloc(out->arena, IL__LIMIT_EXPLAIN_CANDIDATES * sizeof *out->items);
    if (!out->items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for changes of a case");
    return build(from, 2, out, err);
}

enum il_code il__candidates_more(const struct il__candidates *from, struct il__changes *out, struct il_error *err)
{
    return build(from, 1, out, err);
}
