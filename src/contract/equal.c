/* Comparison by rows: what was sent must come back equal. Uses the canonical text for free-form values. When memory
 * runs out or a value has no canonical text, different bytes count as different: doubt is never equality. */
#include "contract/field.h"

#include "wire/canon.h"

bool il__window_equal(struct il__window_id a, struct il__window_id b)
{
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case IL__WINDOW_NONE: return true;
    case IL__WINDOW_TEXT: return il__str_eq(a.text, b.text);
    case IL__WINDOW_TOKEN: return a.token == b.token;
    }
    return false;
}

bool il__strs_equal(struct il__strs a, struct il__strs b)
{
    if (!a.items || !b.items) return !a.items && !b.items;
    if (a.count != b.count) return false;
    for (size_t i = 0; i < a.count; i++) {
        if (!il__str_eq(a.items[i], b.items[i])) return false;
    }
    return true;
}

static bool windows_equal(struct il__windows a, struct il__windows b)
{
    if (!a.items || !b.items) return !a.items && !b.items;
    if (a.count != b.count) return false;
    for (size_t i = 0; i < a.count; i++) {
        if (!il__window_equal(a.items[i], b.items[i])) return false;
    }
    return true;
}

static bool objects_equal(const struct il__schema *sub, struct il__objects a, struct il__objects b)
{
    if (!a.items || !b.items) return !a.items && !b.items;
    if (a.count != b.count) return false;
    for (size_t i = 0; i < a.count; i++) {
        if (!il__equal(sub, a.items[i], b.items[i])) return false;
    }
    return true;
}

/* Names are unique within each; their order means nothing. */
static bool counts_equal(struct il__counts a, struct il__counts b)
{
    if (!a.names || !b.names) return !a.names && !b.names;
    if (a.count != b.count) return false;
    for (size_t i = 0; i < a.count; i++) {
        size_t k = 0;
        while (k < b.count && !il__str_eq(a.names[i], b.names[k])) k++;
        if (k == b.count || a.values[i] != b.values[k]) return false;
    }
    return true;
}

bool il__any_equal(struct il__any a, struct il__any b)
{
    if (!a.doc || !b.doc) return !a.doc && !b.doc;
    if (il__str_eq(il__json_raw(a.doc, a.at), il__json_raw(b.doc, b.at))) return true;
    struct il__buf ta, tb;
    il__buf_init(&ta, a.doc->mem, 0);
    il__buf_init(&tb, b.doc->mem, 0);
    bool equal = il__canon(a.doc, a.at, &ta, NULL) == IL_OK && il__canon(b.doc, b.at, &tb, NULL) == IL_OK &&
                 il__buf_check(&ta, NULL) == IL_OK && il__buf_check(&tb, NULL) == IL_OK &&
                 il__str_eq(il__buf_get(&ta), il__buf_get(&tb));
    il__buf_clear(&ta);
    il__buf_clear(&tb);
    return equal;
}

static bool bool_equal(bool opt, const void *a, const void *b)
{
    if (!opt) return *(const bool *)a == *(const bool *)b;
    const struct il__opt_bool *x = a, *y = b;
    return x->has == y->has && (!x->has || x->value == y->value);
}

static bool int_equal(bool opt, const void *a, const void *b)
{
    if (!opt) return *(const int64_t *)a == *(const int64_t *)b;
    const struct il__opt_int *x = a, *y = b;
    return x->has == y->has && (!x->has || x->value == y->value);
}

static bool num_equal(bool opt, const void *a, const void *b)
{
    if (!opt) return *(const double *)a == *(const double *)b;
    const struct il__opt_num *x = a, *y = b;
    return x->has == y->has && (!x->has || x->value == y->value);
}

static bool field_equal(const struct il__field *field, const void *a, const void *b)
{
    bool opt = (field->flags & IL__F_OPT) != 0;
    switch (field->kind) {
    case IL__F_STR: return il__str_eq(*(const struct il_str *)a, *(const struct il_str *)b);
    case IL__F_BOOL: return bool_equal(opt, a, b);
    case IL__F_INT: return int_equal(opt, a, b);
    case IL__F_NUM: return num_equal(opt, a, b);
    case IL__F_ENUM: return *(const int *)a == *(const int *)b;
    case IL__F_STRS:
    case IL__F_ENUMS: return il__strs_equal(*(const struct il__strs *)a, *(const struct il__strs *)b);
    case IL__F_OBJECT: return il__equal(field->sub, *(const void *const *)a, *(const void *const *)b);
    case IL__F_OBJECTS:
        return objects_equal(field->sub, *(const struct il__objects *)a, *(const struct il__objects *)b);
    case IL__F_ANY:
    case IL__F_ARGS: return il__any_equal(*(const struct il__any *)a, *(const struct il__any *)b);
    case IL__F_WINDOW: return il__window_equal(*(const struct il__window_id *)a, *(const struct il__window_id *)b);
    case IL__F_WINDOWS: return windows_equal(*(const struct il__windows *)a, *(const struct il__windows *)b);
    case IL__F_COUNTS: return counts_equal(*(const struct il__counts *)a, *(const struct il__counts *)b);
    }
    return false;
}

bool il__equal(const struct il__schema *schema, const void *a, const void *b)
{
    if (!a || !b) return !a && !b;
    for (const struct il__field *field = schema->fields; field->wire; field++) {
        /* `kind` is the first row and is equal by now: the same rows apply to both */
        if (!il__field_applies(schema, field, a)) continue;
        if (!field_equal(field, il__field_of(field, a), il__field_of(field, b))) return false;
    }
    return true;
}
