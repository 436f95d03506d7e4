/* Writing Lua source (lua_text.h). Walks the tape of a document with a stack of its own, whose depth the reader bounds.
 */
#include "evidence/lua_text.h"

#include "base/error.h"

#include <stdio.h>

enum { IN_LINE = 88, POINTER_MAX = 1024, LEVELS = 8 };

void il__lua_quote(struct il__buf *out, struct il_str s)
{
    il__buf_putc(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\') il__buf_putc(out, '\\');
        if (c == '\n') il__buf_puts(out, "\\n");
        else if (c < 0x20 || c == 0x7f) il__buf_printf(out, "\\%03u", (unsigned)c);
        else il__buf_putc(out, (char)c);
    }
    il__buf_putc(out, '"');
}

struct il_str il__lua_ticket(const struct il__lua_text *t, struct il_str s)
{
    for (size_t i = 0; i < t->ticket_count; i++)
        if (il__str_eq(t->tickets[i].was, s)) return il__str(t->tickets[i].is);
    return s;
}

bool il__lua_masked(const struct il__lua_text *t, const char *pointer)
{
    for (size_t i = 0; i < t->mask_count; i++)
        if (il__str_eq(t->masks[i], il__str(pointer))) return true;
    return false;
}

/* ---- JSON ---- */

struct level { uint32_t end; bool object, in_line, first; };

struct walk {
    const struct il__lua_text *t;
    struct il__json *doc;
    struct level levels[IL__LIMIT_JSON_FREE_DEPTH + 1];
    size_t depth;
    int indent;
    struct il__buf text;
};

static void new_line(struct walk *w)
{
    il__buf_putc(&w->text, '\n');
    for (int i = 0; i < w->indent + 2 * (int)w->depth; i++) il__buf_putc(&w->text, ' ');
}

static bool is_masked(const struct walk *w, uint32_t at)
{
    char pointer[POINTER_MAX];
    if (!w->t->mask_count) return false;
    il__json_pointer(w->doc, at, pointer, sizeof pointer);
    return il__lua_masked(w->t, pointer);
}

static const char *mask_of(enum il__json_kind kind)
{
    switch (kind) {
    case IL__JSON_INT:
    case IL__JSON_DOUBLE: return "0";
    case IL__JSON_TRUE:
    case IL__JSON_FALSE: return "false";
    case IL__JSON_ARRAY: return "[]";
    case IL__JSON_OBJECT: return "{}";
    case IL__JSON_NULL:
    case IL__JSON_STRING: break;
    }
    return kind == IL__JSON_NULL ? "null" : "\"masked\"";
}

static void scalar(struct walk *w, uint32_t at)
{
    struct il_str s = IL_STR_NONE;
    if (il__json_kind(w->doc, at) == IL__JSON_STRING && !il__json_string(w->doc, at, &s, NULL)) {
        struct il_str is = il__lua_ticket(w->t, s);
        if (is.ptr != s.ptr) {
            il__buf_printf(&w->text, "\"%.*s\"", IL_STR_FMT(is));
            return;
        }
    }
    il__buf_str(&w->text, il__json_raw(w->doc, at));
}

/* What stands in front of an element: the comma, the line, and the name of a member. Returns the value's node. */
static uint32_t lead(struct walk *w, uint32_t at)
{
    if (!w->depth) return at;
    struct level *in = &w->levels[w->depth - 1];
    if (!in->first) il__buf_putc(&w->text, ',');
    if (!in->in_line) new_line(w);
    else if (!in->first) il__buf_putc(&w->text, ' ');
    in->first = false;
    if (!in->object) return at;
    il__buf_putc(&w->text, '"');
    struct il_str name = il__json_raw(w->doc, at); /* with its quotes */
    il__buf_add(&w->text, name.ptr + 1, name.len - 2);
    il__buf_puts(&w->text, "\": ");
    return at + 1;
}

static void close_levels(struct walk *w, uint32_t at)
{
    while (w->depth && w->levels[w->depth - 1].end == at) {
        struct level in = w->levels[--w->depth];
        if (!in.in_line && !in.first) new_line(w);
        il__buf_putc(&w->text, in.object ? '}' : ']');
    }
}

static void write_all(struct walk *w)
{
    const uint32_t end = il__json_at(w->doc, 0)->end;
    for (uint32_t at = 0; at < end;) {
        uint32_t value = lead(w, at);
        const struct il__json_node *node = il__json_at(w->doc, value);
        enum il__json_kind kind = il__json_kind(w->doc, value);
        if (is_masked(w, value)) {
            il__buf_puts(&w->text, mask_of(kind));
            at = node->end;
        } else if (kind == IL__JSON_OBJECT || kind == IL__JSON_ARRAY) {
            bool in_line = node->len <= IN_LINE || (w->depth && w->levels[w->depth - 1].in_line);
            il__buf_putc(&w->text, kind == IL__JSON_OBJECT ? '{' : '[');
            w->levels[w->depth++] = (struct level){ node->end, kind == IL__JSON_OBJECT, in_line, true };
            at = value + 1;
        } else {
            scalar(w, value);
            at = node->end;
        }
        close_levels(w, at);
    }
}

/* The shortest bracket whose end does not stand in the text. */
static enum il_code bracket(struct il__buf *out, struct il_str text, struct il_error *err)
{
    char end[LEVELS + 3];
    for (int level = 0; level <= LEVELS - 1; level++) {
        int n = snprintf(end, sizeof end, "]%.*s]", level, "========");
        if (memmem(text.ptr, text.len, end, (size_t)n)) continue;
        if (text.len && text.ptr[text.len - 1] == ']' && !level) continue;
        il__buf_printf(out, "[%.*s[", level, "========");
        il__buf_str(out, text);
        il__buf_str(out, (struct il_str){ end, (size_t)n });
        return il__buf_check(out, err);
    }
    return il__fail_at(err, IL_LIMIT_EXCEEDED, "scenario", "text", "a document cannot be written as Lua");
}

enum il_code il__lua_json(const struct il__lua_text *t, struct il__json *doc, int indent, struct il_error *err)
{
    struct walk w = { .t = t, .doc = doc, .indent = indent };
    il__buf_init(&w.text, doc->mem, 0);
    write_all(&w);
    enum il_code code = il__buf_check(&w.text, err);
    if (!code) code = bracket(t->out, il__buf_get(&w.text), err);
    il__buf_clear(&w.text);
    return code;
}
