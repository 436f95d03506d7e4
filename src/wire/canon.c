/* Canonical text of a node, with the three member orders and rules of canon.h. Walks the tape with a bounded stack of
 * its own; sorted member names lie in one growing array. Uses json_name and the number form of json_write.
 * Must never write text for a value that another reader could take for a different one. */
#include "wire/canon.h"

#include "base/error.h"
#include "base/limits.h"
#include "wire/json_name.h"
#include "wire/json_write.h"

enum rule { RFC8785, BYTES_ORDER, RUNTIME };

/* An open container: the value to write next is names[next] of an object, or node `next` of an array. */
struct frame {
    uint32_t node, next;
};

struct canon {
    struct il__json *doc;
    struct il__buf *out;
    struct il_error *err;
    enum rule rule;
    uint32_t *names; /* of the open objects, sorted, one run after the other */
    size_t len, cap;
    uint32_t depth;
    struct frame open[IL__LIMIT_JSON_FREE_DEPTH];
};

static enum il_code refuse(struct canon *c, enum il_code code, uint32_t at, const char *why)
{
    char place[sizeof c->err->field];
    il__json_pointer(c->doc, at, place, sizeof place);
    return il__fail_at(c->err, code, NULL, place, "%s", why);
}

/* ---- scalars ---- */

static enum il_code put_string(struct canon *c, uint32_t at)
{
    const struct il__json_node *node = &c->doc->nodes[at];
    if (c->rule != RUNTIME && (node->flags & IL__JSON_NUL)) {
        return refuse(c, IL_DECODE, at, "a string with NUL has no canonical text");
    }
    if (c->rule != RUNTIME && (node->flags & IL__JSON_SURROGATE)) {
        return refuse(c, IL_DECODE, at, "a string with a lone surrogate has no canonical text");
    }
    if (!(node->flags & IL__JSON_ESCAPED)) {
        il__buf_str(c->out, il__json_raw(c->doc, at));
        return IL_OK;
    }
    struct il__json_cursor cursor = il__json_cursor(c->doc, at);
    il__buf_putc(c->out, '"');
    while (cursor.at < cursor.end) {
        const char *stop = memchr(cursor.at, '\\', (size_t)(cursor.end - cursor.at));
        size_t plain = (size_t)((stop ? stop : cursor.end) - cursor.at);
        uint32_t cp = 0;
        il__buf_add(c->out, cursor.at, plain);
        cursor.at += plain;
        if (stop && il__json_cursor_next(&cursor, &cp)) il__json_put_char(c->out, cp);
    }
    il__buf_putc(c->out, '"');
    return IL_OK;
}

static enum il_code put_number(struct canon *c, uint32_t at)
{
    const int64_t safe = ((int64_t)1 << 53) - 1;
    const struct il__json_node *node = &c->doc->nodes[at];
    int64_t whole = 0;
    double v = 0;
    char text[32];
    if (il__json_int(c->doc, at, &whole) && whole >= -safe && whole <= safe) {
        il__buf_str(c->out, whole == 0 ? IL_STR("0") : il__json_raw(c->doc, at));
        return IL_OK;
    }
    if (node->kind == IL__JSON_INT && c->rule != RUNTIME) {
        return refuse(c, IL_DECODE, at, "an integer beyond 2^53 - 1 has no canonical text");
    }
    if (!il__json_double(c->doc, at, &v)) return refuse(c, IL_DECODE, at, "not a number");
    if (c->rule != RUNTIME && (v > (double)safe || v < -(double)safe) && v < 1e21 && v > -1e21) {
        return refuse(c, IL_DECODE, at, "a number that reads as an integer beyond 2^53 - 1 has no canonical text");
    }
    size_t len = il__double_text(v, text);
    il__buf_add(c->out, text, len);
    return IL_OK;
}

/* ---- containers ---- */

static bool is_plain_name(const struct canon *c, uint32_t name)
{
    const struct il__json_node *node = &c->doc->nodes[name];
    struct il__json_cursor cursor = il__json_cursor(c->doc, name);
    uint32_t cp = 0;
    while (il__json_cursor_next(&cursor, &cp)) {
        if (cp != '_' && (cp < 'a' || cp > 'z')) return false;
    }
    return node->len > 0;
}

/* Puts the sorted names of object `at` behind those of the objects around it. The sort borrows as much again. */
static enum il_code sort_members(struct canon *c, uint32_t at)
{
    size_t n = c->doc->nodes[at].count;
    size_t need = c->len + 2 * n;
    if (!c->names || need > c->cap) {
        size_t cap = need < 64 ? 64 : need + need / 2;
        uint32_t *names = il__mem_resize(c->doc->mem, c->names, c->cap * sizeof *names, cap * sizeof *names);
        if (!names) return il__fail(c->err, IL_OUT_OF_MEMORY, "out of memory for an object of %zu members", n);
        c->names = names;
        c->cap = cap;
    }
    uint32_t *names = c->names + c->len;
    for (uint32_t name = at + 1, i = 0; i < n; name = c->doc->nodes[name + 1].end) {
        if (c->rule == RUNTIME && !is_plain_name(c, name)) {
            return refuse(c, IL_UNSUPPORTED, name, "the runtime's order of a name other than a-z and _ is not known");
        }
        names[i++] = name;
    }
    il__json_sort_names(c->doc, names, names + n, n, c->rule == RFC8785 ? IL__JSON_UTF16 : IL__JSON_BYTES);
    c->len += n;
    return IL_OK;
}

static enum il_code begin_value(struct canon *c, uint32_t at)
{
    switch (il__json_kind(c->doc, at)) {
    case IL__JSON_NULL:
    case IL__JSON_FALSE:
    case IL__JSON_TRUE: il__buf_str(c->out, il__json_raw(c->doc, at)); return IL_OK;
    case IL__JSON_INT:
    case IL__JSON_DOUBLE: return put_number(c, at);
    case IL__JSON_STRING: return put_string(c, at);
    case IL__JSON_ARRAY:
        il__buf_putc(c->out, '[');
        c->open[c->depth++] = (struct frame){ at, at + 1 };
        return IL_OK;
    case IL__JSON_OBJECT:
        il__buf_putc(c->out, '{');
        c->open[c->depth++] = (struct frame){ at, (uint32_t)c->len };
        return sort_members(c, at);
    }
    return refuse(c, IL_DECODE, at, "not a value");
}

/* Writes the next element of the innermost container, or closes it. */
static enum il_code step(struct canon *c)
{
    struct frame *top = &c->open[c->depth - 1];
    const struct il__json_node *node = &c->doc->nodes[top->node];
    if (node->kind == IL__JSON_ARRAY) {
        uint32_t child = top->next;
        if (child >= node->end) {
            il__buf_putc(c->out, ']');
            c->depth--;
            return IL_OK;
        }
        if (child != top->node + 1) il__buf_putc(c->out, ',');
        top->next = c->doc->nodes[child].end;
        return begin_value(c, child);
    }
    size_t first = c->len - node->count;
    if (top->next == c->len) {
        il__buf_putc(c->out, '}');
        c->len = first;
        c->depth--;
        return IL_OK;
    }
    if (top->next != first) il__buf_putc(c->out, ',');
    uint32_t name = c->names[top->next++];
    enum il_code code = put_string(c, name);
    if (code != IL_OK) return code;
    il__buf_putc(c->out, ':');
    return begin_value(c, name + 1);
}

static enum il_code write_canon(struct il__json *doc, uint32_t at, struct il__buf *out, enum rule rule,
                                struct il_error *err)
{
    struct canon c; /* not cleared whole: the stack of open containers is 4 KiB */
    size_t start = out->len;
    c.doc = doc;
    c.out = out;
    c.err = err;
    c.rule = rule;
    c.names = NULL;
    c.len = c.cap = 0;
    c.depth = 0;
    enum il_code code = begin_value(&c, at);
    while (code == IL_OK && c.depth > 0 && out->code == IL_OK) code = step(&c);
    il__mem_free(doc->mem, c.names, c.cap * sizeof *c.names);
    if (code == IL_OK) code = il__buf_check(out, err);
    if (code != IL_OK && out->len > start) { /* no half text */
        out->len = start;
        out->ptr[start] = 0;
    }
    return code;
}

enum il_code il__canon(struct il__json *doc, uint32_t at, struct il__buf *out, struct il_error *err)
{
    return write_canon(doc, at, out, RFC8785, err);
}

enum il_code il__canon_bytes_order(struct il__json *doc, uint32_t at, struct il__buf *out, struct il_error *err)
{
    return write_canon(doc, at, out, BYTES_ORDER, err);
}

enum il_code il__canon_runtime(struct il__json *doc, uint32_t at, struct il__buf *out, struct il_error *err)
{
    return write_canon(doc, at, out, RUNTIME, err);
}
