/* Looking for the fewest changes (flips.h). */
#include "host/flips.h"

#include "base/error.h"
#include "host/json_edit.h"

static bool leads_to(struct il_str outer, struct il_str inner)
{
    if (outer.len > inner.len || memcmp(outer.ptr, inner.ptr, outer.len) != 0) return false;
    return outer.len == inner.len || inner.ptr[outer.len] == '/';
}

bool il__changes_apart(const struct il__change *a, const struct il__change *b)
{
    return !il__str_eq(a->field, b->field) && !leads_to(a->pointer, b->pointer) && !leads_to(b->pointer, a->pointer);
}

enum il_code il__flip_apply(struct il__mem *mem, struct il_str case_json, const struct il__change *const *changes,
                            size_t count, struct il__buf *out, struct il_error *err)
{
    struct il__buf texts[2];
    struct il_str now = case_json;
    enum il_code code = IL_OK;
    il__buf_init(&texts[0], mem, IL__LIMIT_CONTRACT_BYTES);
    il__buf_init(&texts[1], mem, IL__LIMIT_CONTRACT_BYTES);
    for (size_t i = 0; i < count && !code; i++) {
        struct il__json doc = { 0 };
        struct il__buf *next = &texts[i & 1];
        il__buf_reset(next);
        code = il__json_parse(&doc, mem, now, IL__JSON_CONTRACT, err);
        if (!code) code = il__json_edit(&doc, changes[i]->pointer, changes[i]->value, next, err);
        il__json_clear(&doc);
        now = il__buf_get(next);
    }
    if (!code) il__buf_str(out, now);
    if (!code) code = il__buf_check(out, err);
    il__buf_clear(&texts[0]);
    il__buf_clear(&texts[1]);
    return code;
}

/* The same fields lead to the same end already. */
static bool counted(const struct il__flip_search *s, const size_t *at, size_t count, int outcome, struct il__flips *out)
{
    for (size_t i = 0; i < out->count; i++) {
        struct il__flip *flip = &out->items[i];
        bool same = flip->outcome == outcome;
        for (size_t k = 0; k < count && same; k++)
            same = il__str_eq(s->changes->items[flip->changes[k]].field, s->changes->items[at[k]].field);
        if (!same) continue;
        flip->others++;
        return true;
    }
    return false;
}

/* One set of changes: asked about, and kept when it leads elsewhere. */
static enum il_code try(const struct il__flip_search *s, const size_t *at, size_t count, struct il__flips *out,
                        struct il_error *err)
{
    const struct il__change *changes[IL__FLIP_FIELDS];
    struct il__buf text;
    int outcome = IL__OUTCOME_NONE;
    for (size_t i = 0; i < count; i++) changes[i] = &s->changes->items[at[i]];
    out->cut = out->evals >= s->most_evals;
    out->late = !out->cut && s->clock && il__clock_us(s->clock) >= s->until_us;
    if (out->cut || out->late) return IL_OK;
    out->evals++;
    il__buf_init(&text, s->mem, IL__LIMIT_CONTRACT_BYTES);
    struct il_error inner = IL_ERROR_INIT;
    enum il_code code = il__flip_apply(s->mem, s->case_json, changes, count, &text, &inner);
    if (code == IL_INVALID_REQUEST || code == IL_DECODE || code == IL_LIMIT_EXCEEDED) code = IL_OK; /* no such case */
    else if (code) code = il__fail(err, code, "%s", inner.message);
    else code = s->outcome(s->ctx, il__buf_get(&text), &outcome, err);
    il__buf_clear(&text);
    if (code || outcome == IL__OUTCOME_NONE || outcome == s->base) return code;
    out->fields = count;
    if (counted(s, at, count, outcome, out)) return IL_OK;
    if (out->count == s->most_flips) {
        out->more = true;
        return IL_OK;
    }
    struct il__flip *flip = &out->items[out->count++];
    *flip = (struct il__flip){ .outcome = outcome };
    memcpy(flip->changes, at, count * sizeof *at);
    return IL_OK;
}

static enum il_code try_pairs(const struct il__flip_search *s, struct il__flips *out, struct il_error *err)
{
    enum il_code code = IL_OK;
    for (size_t i = 0; i < s->changes->count; i++) {
        for (size_t k = i + 1; k < s->changes->count; k++) {
            const size_t at[] = { i, k };
            if (!il__changes_apart(&s->changes->items[i], &s->changes->items[k])) continue;
            code = try(s, at, 2, out, err);
            if (code || out->cut || out->late || out->more) return code;
        }
    }
    return code;
}

enum il_code il__flips_find(const struct il__flip_search *s, struct il__flips *out, struct il_error *err)
{
    enum il_code code = IL_OK;
    *out = (struct il__flips){ .count = 0 };
    for (size_t i = 0; i < s->changes->count && !code && !out->cut && !out->late; i++) code = try(s, &i, 1, out, err);
    if (code || out->count || out->cut || out->late || s->most_fields < 2) return code;
    return try_pairs(s, out, err);
}
