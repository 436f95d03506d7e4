/* Lines and constants of a tree (syntax_places.h). */
#include "script/syntax_places.h"

#include "wire/double.h"

#include <math.h>
#include <stdlib.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool is_hex(struct il_str t)
{
    return t.len > 2 && t.ptr[0] == '0' && (t.ptr[1] | 32) == 'x';
}

/* Hex numerals wrap around, decimal ones that do not fit are floats (manual §3.1). */
static bool integer(struct il_str t, int64_t *out)
{
    uint64_t v = 0;
    bool hex = is_hex(t);
    for (size_t i = hex ? 2 : 0; i < t.len; i++) {
        int d = digit(t.ptr[i]);
        if (d < 0 || (!hex && d > 9)) return false;
        if (hex) v = v * 16 + (uint64_t)d;
        else if (v > ((uint64_t)INT64_MAX - (uint64_t)d) / 10) return false;
        else v = v * 10 + (uint64_t)d;
    }
    *out = (int64_t)v;
    return true;
}

static double hex_float(struct il_str t)
{
    double v = 0;
    long exponent = 0, shift = 0;
    bool dot = false;
    size_t i = 2;
    for (; i < t.len && (t.ptr[i] == '.' || digit(t.ptr[i]) >= 0); i++) {
        if (t.ptr[i] == '.') {
            dot = true;
            continue;
        }
        v = v * 16 + digit(t.ptr[i]);
        shift -= dot ? 4 : 0;
    }
    if (i < t.len) i++;
    bool minus = i < t.len && t.ptr[i] == '-';
    if (i < t.len && (t.ptr[i] == '-' || t.ptr[i] == '+')) i++;
    for (; i < t.len; i++)
        if (exponent < 100000) exponent = exponent * 10 + digit(t.ptr[i]);
    return ldexp(v, (int)(shift + (minus ? -exponent : exponent)));
}

/* As a JSON number, which needs a digit on both sides of the dot: `3.`, `.5`, `007`. */
static double decimal(struct il_str t)
{
    char text[400];
    size_t n = 0, i = 0;
    while (i + 1 < t.len && t.ptr[i] == '0' && t.ptr[i + 1] >= '0' && t.ptr[i + 1] <= '9') i++;
    if (t.len - i > sizeof text - 3) return 0;
    if (t.ptr[i] == '.') text[n++] = '0';
    for (; i < t.len; i++) {
        text[n++] = t.ptr[i];
        bool digit_next = i + 1 < t.len && t.ptr[i + 1] >= '0' && t.ptr[i + 1] <= '9';
        if (t.ptr[i] == '.' && !digit_next) text[n++] = '0';
    }
    return il__double_read((struct il_str){ text, n });
}

bool il__syntax_number(struct il_str text, int64_t *i, double *n)
{
    *n = 0;
    if (integer(text, i)) return true;
    *n = is_hex(text) ? hex_float(text) : decimal(text);
    return false;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* A STRING that is written as a name, or what `require` gets. */
static bool is_name(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at), *parent = il__syn(s, n->parent);
    switch ((int)parent->kind) {
    case IL__SYN_INDEX: return (parent->flags & IL__SYN_DOTTED) && parent->last == at;
    case IL__SYN_FIELD: return (parent->flags & IL__SYN_DOTTED) && parent->first == at;
    case IL__SYN_METHOD: return il__syn(s, parent->first)->next == at;
    case IL__SYN_CALL: return parent->first != at && il__str_eq(il__syn(s, parent->first)->text, IL_STR("require"));
    default: return false;
    }
}

static void take(const struct il__syntax *s, uint32_t at, struct il__constant *c)
{
    const struct il__syn *n = il__syn(s, at);
    *c = (struct il__constant){ .number = n->kind == IL__SYN_NUMBER, .text = n->text, .line = n->line, .from = n->from,
                                .to = n->to, .column = il__source_column(s->source, n->from) };
    if (c->number) c->integer = il__syntax_number(n->text, &c->i, &c->n);
}

bool il__syntax_constants(const struct il__syntax *s, struct il__arena *arena, struct il__constants *out)
{
    size_t count = 0;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at))
        if (il__syn(s, at)->kind == IL__SYN_NUMBER || il__syn(s, at)->kind == IL__SYN_STRING) count++;
    struct il__constant *items = il__arena_alloc(arena, (count + 1) * sizeof *items);
    if (!items) return false;
    *out = (struct il__constants){ items, 0 };
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at)) {
        enum il__syn_kind kind = (enum il__syn_kind)il__syn(s, at)->kind;
        if ((kind != IL__SYN_NUMBER && kind != IL__SYN_STRING) || is_name(s, at)) continue;
        take(s, at, &items[out->count]);
        if (il__arena_str(arena, items[out->count].text, &items[out->count].text) != IL_OK) return false;
        out->count++;
    }
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The first value of `local`, `=` or `return`, 0: none. */
static uint32_t first_value(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at);
    if (n->kind == IL__SYN_RETURN) return n->first;
    return n->last ? il__syn(s, n->last)->first : 0;
}

/* The machine makes a closure where its `end` stands, and nothing at all for a constant that the compiler folds. */
static bool reported(const struct il__syntax *s, uint32_t at)
{
    const struct il__syn *n = il__syn(s, at);
    switch ((int)n->kind) {
    case IL__SYN_DO: case IL__SYN_REPEAT: case IL__SYN_LOCAL_FUNCTION: case IL__SYN_FUNCTION_STAT: return false;
    case IL__SYN_LOCAL: {
        uint32_t define = il__syn(s, n->first)->first;
        if (s->locals[il__syn(s, define)->local - 1].constant) return false;
        return il__syn(s, first_value(s, at))->kind != IL__SYN_FUNCTION;
    }
    case IL__SYN_ASSIGN: case IL__SYN_RETURN: return il__syn(s, first_value(s, at))->kind != IL__SYN_FUNCTION;
    default: return il__syn_is_statement((enum il__syn_kind)n->kind);
    }
}

bool il__syntax_lines(const struct il__syntax *s, struct il__arena *arena, struct il__lines *out)
{
    uint32_t lines = 1;
    size_t count = 0;
    for (size_t i = 0; i < s->source.len; i++) lines += s->source.ptr[i] == '\n' || s->source.ptr[i] == '\r';
    bool *on = il__arena_alloc(arena, lines + 1);
    uint32_t *items = il__arena_alloc(arena, (lines + 1) * sizeof *items);
    if (!on || !items) return false;
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at))
        if (reported(s, at)) on[il__syn(s, at)->line] = true;
    for (uint32_t line = 1; line <= lines; line++)
        if (on[line]) items[count++] = line;
    *out = (struct il__lines){ items, count };
    return true;
}
