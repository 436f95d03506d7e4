/* Reading the tape: members, siblings, strings, numbers, the place of a node, and the refusal of what only free-form
 * values may hold. Never changes the document but for its arena of unescaped strings. */
#include "wire/json.h"

#include "base/error.h"
#include "base/utf8.h"
#include "wire/double.h"
#include "wire/json_name.h"

enum { STRICT_DEPTH = IL__LIMIT_JSON_DEPTH };
_Static_assert(STRICT_DEPTH == 64, "a message states it");

const char *il__json_kind_name(enum il__json_kind kind)
{
    switch (kind) {
    case IL__JSON_NULL: return "null";
    case IL__JSON_FALSE:
    case IL__JSON_TRUE: return "boolean";
    case IL__JSON_INT: return "integer";
    case IL__JSON_DOUBLE: return "number";
    case IL__JSON_STRING: return "string";
    case IL__JSON_ARRAY: return "array";
    case IL__JSON_OBJECT: return "object";
    }
    return "unknown";
}

uint32_t il__json_first(const struct il__json *doc, uint32_t at)
{
    const struct il__json_node *node = &doc->nodes[at];
    return (node->kind == IL__JSON_ARRAY || node->kind == IL__JSON_OBJECT) && node->count > 0 ? at + 1 : 0;
}

uint32_t il__json_next(const struct il__json *doc, uint32_t parent, uint32_t at)
{
    uint32_t next = doc->nodes[at].end;
    return next < doc->nodes[parent].end ? next : 0;
}

uint32_t il__json_get_str(const struct il__json *doc, uint32_t at, struct il_str name)
{
    if (!name.ptr || doc->nodes[at].kind != IL__JSON_OBJECT) return 0;
    uint32_t hash = il__json_hash(name.ptr, name.len, name.len);
    uint32_t end = doc->nodes[at].end;
    for (uint32_t key = at + 1; key < end; key = doc->nodes[key + 1].end) {
        if (doc->nodes[key].count == hash && il__json_name_is(doc, key, name)) return key + 1;
    }
    return 0;
}

uint32_t il__json_get(const struct il__json *doc, uint32_t at, const char *name)
{
    return il__json_get_str(doc, at, il__str(name));
}

struct il_str il__json_raw(const struct il__json *doc, uint32_t at)
{
    const struct il__json_node *node = &doc->nodes[at];
    uint32_t quote = node->kind == IL__JSON_STRING ? 1 : 0;
    return (struct il_str){ doc->text.ptr + node->off - quote, (size_t)node->len + 2 * (size_t)quote };
}

/* ---- scalars ---- */

size_t il__json_unescape(const struct il__json *doc, uint32_t at, char *out)
{
    const struct il__json_node *node = &doc->nodes[at];
    const char *from = doc->text.ptr + node->off;
    struct il__json_cursor cursor = { from, from + node->len };
    size_t len = 0;
    while (cursor.at < cursor.end) {
        const char *stop = memchr(cursor.at, '\\', (size_t)(cursor.end - cursor.at));
        size_t plain = (size_t)((stop ? stop : cursor.end) - cursor.at);
        memcpy(out + len, cursor.at, plain);
        len += plain;
        cursor.at += plain;
        uint32_t cp = 0;
        if (!stop || !il__json_cursor_next(&cursor, &cp)) break;
        if (cp == 0 || (cp >= 0xD800 && cp <= 0xDFFF)) cp = 0xFFFD;
        len += il__utf8_write(cp, out + len);
    }
    return len;
}

enum il_code il__json_string(struct il__json *doc, uint32_t at, struct il_str *out, struct il_error *err)
{
    const struct il__json_node *node = &doc->nodes[at];
    if (node->kind != IL__JSON_STRING) {
        char place[sizeof err->field];
        il__json_pointer(doc, at, place, sizeof place);
        return il__fail_at(err, IL_DECODE, NULL, place, "expected string, got %s", il__json_kind_name(node->kind));
    }
    if (!(node->flags & IL__JSON_ESCAPED)) {
        *out = (struct il_str){ doc->text.ptr + node->off, node->len };
        return IL_OK;
    }
    char *copy = il__arena_alloc(&doc->arena, (size_t)node->len + 1); /* unescaping never lengthens */
    if (!copy) return il__fail(err, IL_OUT_OF_MEMORY, "out of memory for a string of %u bytes", node->len);
    *out = (struct il_str){ copy, il__json_unescape(doc, at, copy) };
    return IL_OK;
}

bool il__json_int(const struct il__json *doc, uint32_t at, int64_t *out)
{
    const struct il__json_node *node = &doc->nodes[at];
    if (node->kind != IL__JSON_INT || (node->flags & IL__JSON_BIG)) return false;
    const char *p = doc->text.ptr + node->off;
    const char *end = p + node->len;
    bool negative = *p == '-';
    uint64_t v = 0;
    for (p += negative ? 1 : 0; p < end; p++) v = v * 10 + (uint64_t)(*p - '0');
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

bool il__json_double(const struct il__json *doc, uint32_t at, double *out)
{
    const struct il__json_node *node = &doc->nodes[at];
    int64_t whole = 0;
    if (il__json_int(doc, at, &whole)) {
        *out = (double)whole;
        return true;
    }
    if (node->kind != IL__JSON_INT && node->kind != IL__JSON_DOUBLE) return false;
    *out = il__double_read((struct il_str){ doc->text.ptr + node->off, node->len });
    return true;
}

/* ---- places ---- */

struct pointer {
    char *buf;
    size_t max, len, safe; /* `safe`: the last whole unit that leaves room for "..." */
    bool cut;
};

static void put(struct pointer *p, const char *bytes, size_t n)
{
    if (p->cut) return;
    if (n > p->max - p->len) {
        size_t dots = p->max < 3 ? p->max : 3;
        memcpy(p->buf + p->safe, "...", dots);
        p->len = p->safe + dots;
        p->cut = true;
        return;
    }
    memcpy(p->buf + p->len, bytes, n);
    p->len += n;
    if (p->len + 3 <= p->max) p->safe = p->len;
}

static void put_name(struct pointer *p, const struct il__json *doc, uint32_t name)
{
    struct il__json_cursor cursor = il__json_cursor(doc, name);
    uint32_t cp = 0;
    put(p, "/", 1);
    while (!p->cut && il__json_cursor_next(&cursor, &cp)) {
        char bytes[4];
        if (cp == '~') put(p, "~0", 2);
        else if (cp == '/') put(p, "~1", 2);
        else put(p, bytes, il__utf8_write(cp == 0 || (cp >= 0xD800 && cp <= 0xDFFF) ? 0xFFFD : cp, bytes));
    }
}

static void put_index(struct pointer *p, uint32_t index)
{
    char digits[12];
    size_t n = sizeof digits;
    do digits[--n] = (char)('0' + index % 10);
    while (index /= 10);
    digits[--n] = '/';
    put(p, digits + n, sizeof digits - n);
}

/* The child of container `at` that is, or holds, `target`; its name or index is written. 0: there is none. */
static uint32_t step_down(struct pointer *p, const struct il__json *doc, uint32_t at, uint32_t target)
{
    const struct il__json_node *nodes = doc->nodes;
    uint32_t end = nodes[at].end;
    uint32_t child = at + 1;
    if (nodes[at].kind == IL__JSON_OBJECT) {
        for (; child < end; child = nodes[child + 1].end) {
            bool last = child + 1 >= end; /* of a document that broke off: the value is not there */
            if (child == target || (!last && target < nodes[child + 1].end)) {
                put_name(p, doc, child);
                return child == target ? target : child + 1;
            }
            if (last) break;
        }
    } else if (nodes[at].kind == IL__JSON_ARRAY) {
        for (uint32_t index = 0; child < end; child = nodes[child].end, index++) {
            if (target >= nodes[child].end) continue;
            put_index(p, index);
            return child;
        }
    }
    return 0;
}

void il__json_pointer(const struct il__json *doc, uint32_t at, char *buf, size_t cap)
{
    struct pointer p = { buf, cap > 0 ? cap - 1 : 0, 0, 0, false };
    if (cap == 0) return;
    for (uint32_t here = 0; at > 0 && at < doc->count && here != at && !p.cut;) {
        here = step_down(&p, doc, here, at);
        if (here == 0) break;
    }
    buf[p.len] = 0;
}

/* ---- strictness ---- */

static const char *fault_of(const struct il__json_node *node, int base)
{
    if (node->flags & IL__JSON_NUL) return "escaped NUL in a string";
    if (node->flags & IL__JSON_SURROGATE) return "a lone surrogate in a string";
    if (node->flags & IL__JSON_BIG) return "an integer outside 64 bits";
    if (node->depth - base > STRICT_DEPTH) return "nested deeper than 64 (json_depth)";
    return NULL;
}

static enum il_code strict_nodes(const struct il__json *doc, uint32_t from, uint32_t to, int base,
                                 struct il_error *err)
{
    for (uint32_t at = from; at < to; at++) {
        const char *why = fault_of(&doc->nodes[at], base);
        if (!why) continue;
        char place[sizeof err->field];
        il__json_pointer(doc, at, place, sizeof place);
        return il__fail_at(err, IL_DECODE, NULL, place, "%s (byte %u)", why, doc->nodes[at].off);
    }
    return IL_OK;
}

static bool is_free(const struct il__json *doc, uint32_t name, const char *const *free_members)
{
    for (; free_members && *free_members; free_members++) {
        if (il__json_name_is(doc, name, il__str(*free_members))) return true;
    }
    return false;
}

enum il_code il__json_strict(const struct il__json *doc, uint32_t at, const char *const *free_members,
                             struct il_error *err)
{
    const struct il__json_node *node = &doc->nodes[at];
    if (doc->flags == 0 && doc->depth <= STRICT_DEPTH) return IL_OK;
    bool container = node->kind == IL__JSON_OBJECT || node->kind == IL__JSON_ARRAY;
    int base = container ? node->depth - 1 : node->depth;
    if (node->kind != IL__JSON_OBJECT) return strict_nodes(doc, at, node->end, base, err);
    for (uint32_t name = at + 1; name < node->end; name = doc->nodes[name + 1].end) {
        uint32_t to = is_free(doc, name, free_members) ? name + 1 : doc->nodes[name + 1].end;
        enum il_code code = strict_nodes(doc, name, to, base, err);
        if (code != IL_OK) return code;
    }
    return IL_OK;
}
