/* Every wire type against its vectors: what is valid decodes, round-trips, is refused at every truncation and survives
 * every failed allocation; a change of any member is seen; what is invalid is refused with the code and the place that
 * stand in NAME.expect (`code /pointer`). */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "contract/schema.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

enum { OBJECT_MAX = 1024 };

struct object {
    _Alignas(16) unsigned char bytes[OBJECT_MAX];
};

struct kind {
    const char *name;
    const struct il__schema *schema;
};

static struct il_str encoded(const struct il__schema *schema, const void *obj, struct il__buf *buf)
{
    struct il__json_writer w;
    il__buf_reset(buf);
    il__jw_init(&w, buf);
    il__encode(schema, obj, &w);
    return buf->code ? IL_STR_NONE : il__buf_get(buf);
}

static bool all_zero(const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (((const unsigned char *)bytes)[i]) return false;
    }
    return true;
}

/* ---- valid ------------------------------------------------------------------------------------------------------ */

static void round_trip(const struct kind *k, const char *path, struct il_str text)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    struct il__json doc = { .text = IL_STR_NONE }, again = { .text = IL_STR_NONE };
    struct object a, b;
    struct il_error err = IL_ERROR_INIT;
    struct il__buf first, second;
    il__buf_init(&first, &mem, 0);
    il__buf_init(&second, &mem, 0);
    if (tap_ok(il__decode_text(k->schema, &mem, text, &doc, &a, &err) == IL_OK, "%s: decodes", path)) {
        struct il_str out = encoded(k->schema, &a, &first);
        tap_ok(il__str_present(out), "%s: encodes", path);
        tap_ok(il__decode_text(k->schema, &mem, out, &again, &b, &err) == IL_OK, "%s: decodes again: %s", path,
               err.message);
        tap_ok(il__equal(k->schema, &a, &b) && il__equal(k->schema, &b, &a), "%s: is equal after a round trip", path);
        tap_ok(il__str_eq(encoded(k->schema, &b, &second), out), "%s: encodes to the same bytes", path);
    } else {
        tap_note("%s", err.message);
    }
    il__buf_clear(&first);
    il__buf_clear(&second);
    il__json_clear(&doc);
    il__json_clear(&again);
    tap_ok(mem.in_use_bytes == 0, "%s: gives all memory back", path);
}

/* A copy of the exact size, so that a sanitizer sees a read behind its end. */
static enum il_code decode_exact(const struct il__schema *schema, struct il__mem *mem, struct il_str text)
{
    struct object obj;
    struct il__json doc = { .text = IL_STR_NONE };
    char *copy = malloc(text.len ? text.len : 1);
    if (text.len) memcpy(copy, text.ptr, text.len);
    enum il_code code = il__json_parse(&doc, mem, (struct il_str){ copy, text.len }, IL__JSON_PAYLOAD, NULL);
    if (!code) code = il__schema_strict(schema, &doc, 0, NULL);
    if (!code) code = il__decode(schema, &doc, 0, &obj, NULL);
    il__json_clear(&doc);
    free(copy);
    return code;
}

static void truncations(const struct kind *k, const char *path, struct il_str text)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    size_t accepted = 0;
    for (size_t len = 0; len < text.len; len++)
        accepted += decode_exact(k->schema, &mem, (struct il_str){ text.ptr, len }) == IL_OK;
    tap_int((long long)accepted, 0, "%s: no truncation is accepted", path);
    tap_ok(decode_exact(k->schema, &mem, text) == IL_OK && mem.in_use_bytes == 0, "%s: the whole is", path);
}

static void failed_allocations(const struct kind *k, const char *path, struct il_str text)
{
    bool clean = true;
    uint64_t n = 1;
    for (; n < 10000; n++) {
        struct il__mem mem;
        il__mem_init(&mem, NULL, NULL, 0);
        mem.fail_at = n;
        struct object obj;
        memset(&obj, 0xAA, sizeof(obj));
        struct il__json doc = { .text = IL_STR_NONE };
        struct il_error err = IL_ERROR_INIT;
        enum il_code code = il__decode_text(k->schema, &mem, text, &doc, &obj, &err);
        if (code == IL_OK) {
            il__json_clear(&doc);
            break;
        }
        clean = clean && code == IL_OUT_OF_MEMORY && err.code == code && mem.in_use_bytes == 0 &&
                all_zero(&obj, k->schema->size);
    }
    for (uint64_t m = 1; m < n; m++) { /* without a copy in the arena, its first block is asked for later */
        struct il__mem mem;
        il__mem_init(&mem, NULL, NULL, 0);
        mem.fail_at = m;
        enum il_code code = decode_exact(k->schema, &mem, text);
        clean = clean && (code == IL_OUT_OF_MEMORY || (code == IL_OK && mem.calls < m)) && mem.in_use_bytes == 0;
    }
    tap_ok(clean && n > 1 && n < 10000, "%s: each of %d allocations may fail", path, (int)n - 1);
}

/* ---- one change at a time --------------------------------------------------------------------------------------- */

/* The original document beside one that differs in one place. */
struct change {
    const struct kind *kind;
    const char *path;
    struct il__mem *mem;
    struct il__json *doc;
    const struct object *obj;
    struct il__buf *text;
    unsigned tried, unequal;
};

/* Decodes what stands in c->text; `same` says what the comparison must find. A refused variant says nothing. */
static void compare(struct change *c, bool same, const char *what, const char *member)
{
    struct il__json doc = { .text = IL_STR_NONE };
    struct object obj;
    c->tried++;
    if (!il__decode_text(c->kind->schema, c->mem, il__buf_get(c->text), &doc, &obj, NULL)) {
        bool equal = il__equal(c->kind->schema, c->obj, &obj);
        if (equal != same || equal != il__equal(c->kind->schema, &obj, c->obj))
            tap_ok(false, "%s: %s of %s is %s", c->path, what, member, same ? "no change" : "seen");
        c->unequal += !equal;
    }
    il__json_clear(&doc);
}

/* The document with bytes [from, to) replaced. */
static void splice(struct change *c, size_t from, size_t to, const char *with)
{
    struct il_str all = c->doc->text;
    il__buf_reset(c->text);
    il__buf_add(c->text, all.ptr, from);
    il__buf_puts(c->text, with);
    il__buf_add(c->text, all.ptr + to, all.len - to);
}

static size_t offset_of(const struct change *c, uint32_t node)
{
    return (size_t)(il__json_raw(c->doc, node).ptr - c->doc->text.ptr);
}

/* Removes the member with its comma: the one before it, or the one behind it when it stands first. */
static void drop(struct change *c, uint32_t parent, uint32_t name)
{
    size_t from = offset_of(c, name), to = offset_of(c, name + 1) + il__json_raw(c->doc, name + 1).len;
    const char *p = c->doc->text.ptr;
    if (name != il__json_first(c->doc, parent)) {
        while (p[from] != ',') from--;
    } else {
        size_t end = to;
        while (p[end] == ' ' || p[end] == '\n') end++;
        if (p[end] == ',') to = end + 1;
    }
    splice(c, from, to, "");
}

static bool is_default(const struct il__field *field, struct il_str raw)
{
    if (!(field->flags & IL__F_DEFAULT)) return false;
    return il__str_eq(raw, IL_STR("{}")) || il__str_eq(raw, IL_STR("[]")) || il__str_eq(raw, IL_STR("\"background\""));
}

static void replace(struct change *c, uint32_t value, const char *with, const struct il__field *field)
{
    struct il_str raw = il__json_raw(c->doc, value);
    size_t from = offset_of(c, value);
    if (il__str_eq(raw, il__str(with))) return;
    bool null = strcmp(with, "null") == 0 || il__str_eq(raw, IL_STR("null"));
    splice(c, from, from + raw.len, with);
    /* null, a default and what stands for either may be the same value; everything else is another one */
    bool preset = is_default(field, raw) && is_default(field, il__str(with));
    if (!null && !preset) compare(c, false, "a change", field->wire);
}

static void change_str(struct change *c, uint32_t value, const struct il__field *field)
{
    struct il_str raw = il__json_raw(c->doc, value);
    struct il__buf with;
    il__buf_init(&with, c->mem, 0);
    il__buf_add(&with, raw.ptr, raw.len - 1);
    bool digits = field->flags & (IL__F_HEX64 | IL__F_SHA256);
    if (digits)
        with.ptr[with.len - 1] = with.ptr[with.len - 1] == '0' ? '1' : '0';
    else
        il__buf_putc(&with, 'x');
    il__buf_putc(&with, '"');
    replace(c, value, with.ptr, field);
    il__buf_clear(&with);
    if (!digits) replace(c, value, "\"\"", field);
}

static void change_value(struct change *c, uint32_t value, const struct il__field *field)
{
    char text[64];
    int64_t n = 0;
    (void)il__json_int(c->doc, value, &n);
    switch (field->kind) {
    case IL__F_STR:
        if (il__json_kind(c->doc, value) == IL__JSON_STRING) change_str(c, value, field);
        break;
    case IL__F_BOOL: replace(c, value, il__json_kind(c->doc, value) == IL__JSON_TRUE ? "false" : "true", field); break;
    case IL__F_WINDOW:
        (void)snprintf(text, sizeof(text), "\"%lld\"", (long long)n);
        replace(c, value, text, field);
        replace(c, value, "7777", field);
        replace(c, value, "\"7777\"", field);
        break;
    case IL__F_INT:
        (void)snprintf(text, sizeof(text), "%lld", (long long)(n < INT64_MAX ? n + 1 : 1));
        replace(c, value, text, field);
        (void)snprintf(text, sizeof(text), "%lld", (long long)(n > INT64_MIN ? n - 1 : 1));
        replace(c, value, text, field);
        break;
    case IL__F_NUM: replace(c, value, "0.0625", field); break;
    case IL__F_ENUM:
        for (size_t i = 0; field->names[i]; i++) {
            (void)snprintf(text, sizeof(text), "\"%s\"", field->names[i]);
            replace(c, value, text, field);
        }
        break;
    case IL__F_STRS:
        replace(c, value, "[\"changed\"]", field);
        replace(c, value, "[\"changed\",\"too\"]", field);
        replace(c, value, "[]", field);
        break;
    case IL__F_ENUMS:
        (void)snprintf(text, sizeof(text), "[\"%s\"]", field->names[1]);
        replace(c, value, text, field);
        break;
    case IL__F_WINDOWS:
        replace(c, value, "[7777]", field);
        replace(c, value, "[\"7777\"]", field);
        break;
    case IL__F_ANY:
    case IL__F_ARGS:
    case IL__F_COUNTS: replace(c, value, "{\"changed\":1}", field); break;
    case IL__F_OBJECTS: replace(c, value, "[]", field); break;
    case IL__F_OBJECT: break;
    }
}

static const struct il__field *field_of(const struct il__schema *schema, struct il_str wire)
{
    for (const struct il__field *field = schema->fields; field->wire; field++) {
        if (il__str_eq(il__str(field->wire), wire)) return field;
    }
    return NULL;
}

static void change_object(struct change *c, const struct il__schema *schema, uint32_t at);

static void change_member(struct change *c, const struct il__schema *schema, uint32_t at, uint32_t name)
{
    struct il_str wire;
    uint32_t value = name + 1;
    if (il__json_string(c->doc, name, &wire, NULL)) return;
    const struct il__field *field = field_of(schema, wire);
    enum il__json_kind kind = il__json_kind(c->doc, value);
    bool null = kind == IL__JSON_NULL && field && !(field->flags & IL__F_NULLABLE);
    drop(c, at, name);
    compare(c, !field || null || is_default(field, il__json_raw(c->doc, value)), "the loss", field ? field->wire : "?");
    if (!field || null) return;
    change_value(c, value, field);
    if (field->kind == IL__F_OBJECT && kind == IL__JSON_OBJECT) change_object(c, field->sub, value);
    if (field->kind != IL__F_OBJECTS) return;
    for (uint32_t e = il__json_first(c->doc, value); e; e = il__json_next(c->doc, value, e))
        change_object(c, field->sub, e);
}

static void change_object(struct change *c, const struct il__schema *schema, uint32_t at)
{
    for (uint32_t name = il__json_first(c->doc, at); name; name = il__json_next(c->doc, at, name + 1))
        change_member(c, schema, at, name);
}

static void changes(const struct kind *k, const char *path, struct il_str text)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    struct il__json doc = { .text = IL_STR_NONE };
    struct il__buf variant;
    il__buf_init(&variant, &mem, 0);
    struct object obj;
    struct change c = { k, path, &mem, &doc, &obj, &variant, 0, 0 };
    if (il__decode_text(k->schema, &mem, text, &doc, &obj, NULL) == IL_OK) change_object(&c, k->schema, 0);
    bool empty = doc.count && il__json_first(&doc, 0) == 0;
    il__json_clear(&doc);
    il__buf_clear(&variant);
    tap_ok((empty || c.unequal > 0 || c.tried > 0) && mem.in_use_bytes == 0, "%s: %u of %u changes decode and are seen",
           path, c.unequal, c.tried);
}

static void valid(void *ctx, const char *path, const char *bytes, size_t len)
{
    const struct kind *k = ctx;
    while (len && strchr(" \t\r\n", bytes[len - 1])) len--;
    struct il_str text = { bytes, len };
    round_trip(k, path, text);
    truncations(k, path, text);
    failed_allocations(k, path, text);
    changes(k, path, text);
}

/* ---- invalid ---------------------------------------------------------------------------------------------------- */

/* `want` is `code /pointer`; a pointer too long for the error is held against its beginning. */
static void as_expected(const char *path, const struct il_error *err, char *want)
{
    want[strcspn(want, "\r\n")] = 0;
    char *pointer = strchr(want, ' ');
    if (pointer) *pointer++ = 0;
    if (!pointer) pointer = want + strlen(want);
    size_t cut = sizeof(err->field) - 4;
    bool same = strlen(pointer) > cut ? strncmp(err->field, pointer, 64) == 0 : strcmp(err->field, pointer) == 0;
    bool ok = same && strcmp(il_code_name(err->code), want) == 0 && err->object[0] && err->message[0];
    if (!tap_ok(ok, "%s: refused as %s %.60s", path, want, pointer))
        tap_note("got %s %s in %s: %s", il_code_name(err->code), err->field, err->object, err->message);
}

static void invalid(void *ctx, const char *path, const char *bytes, size_t len)
{
    const struct kind *k = ctx;
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    struct il__json doc = { .text = IL_STR_NONE };
    struct object obj;
    struct il_error err = IL_ERROR_INIT;
    memset(&obj, 0xAA, sizeof(obj));
    enum il_code code = il__decode_text(k->schema, &mem, (struct il_str){ bytes, len }, &doc, &obj, &err);
    il__json_clear(&doc);
    tap_ok(code != IL_OK && mem.in_use_bytes == 0 && all_zero(&obj, k->schema->size), "%s: is refused, cleanly", path);
    char sidecar[512];
    int stem = (int)strlen(path) - 5;
    (void)snprintf(sidecar, sizeof(sidecar), "%.*s.expect", stem, path);
    char *want = tap_slurp(sidecar, NULL);
    as_expected(path, &err, want);
    free(want);
}

int main(void)
{
    for (size_t i = 0; il__schema_kind_at(i); i++) {
        const char *name = il__schema_kind_at(i);
        struct kind k = { name, il__schema_by_kind(il__str(name)) };
        char dir[128];
        if (!tap_ok(k.schema && k.schema->size <= OBJECT_MAX, "%s has a schema", name)) continue;
        (void)snprintf(dir, sizeof(dir), "tests/vectors/%s/valid", name);
        tap_each(dir, ".json", valid, &k);
        (void)snprintf(dir, sizeof(dir), "tests/vectors/%s/invalid", name);
        tap_each(dir, ".json", invalid, &k);
    }
    return tap_done();
}
