/* Collecting the constants of bundles (pool.h). */
#include "host/pool.h"

#include "base/error.h"
#include "script/bundle.h"
#include "script/syntax_places.h"

static void add_int(struct il__pool *pool, int64_t value)
{
    for (size_t i = 0; i < pool->int_count; i++)
        if (pool->ints[i] == value) return;
    if (pool->int_count < IL__POOL_MOST) pool->ints[pool->int_count++] = value;
}

static void add_num(struct il__pool *pool, double value)
{
    for (size_t i = 0; i < pool->num_count; i++)
        if (pool->nums[i] <= value && pool->nums[i] >= value) return;
    if (pool->num_count < IL__POOL_MOST) pool->nums[pool->num_count++] = value;
}

static bool add_text(struct il__pool *pool, struct il__arena *arena, struct il_str text)
{
    for (size_t i = 0; i < pool->text_count; i++)
        if (il__str_eq(pool->texts[i], text)) return true;
    if (pool->text_count == IL__POOL_MOST) return true;
    return il__arena_str(arena, text, &pool->texts[pool->text_count]) == IL_OK && ++pool->text_count;
}

/* A call of policy.ask or policy.deny, by whatever name the module goes. */
static bool is_verdict(const struct il__syntax *s, uint32_t call)
{
    const struct il__syn *callee = il__syn(s, il__syn_child(s, call, 0));
    if (callee->kind != IL__SYN_INDEX || !(callee->flags & IL__SYN_DOTTED)) return false;
    struct il_str name = il__syn(s, callee->last)->text;
    return il__str_eq(name, IL_STR("ask")) || il__str_eq(name, IL_STR("deny"));
}

static bool in_verdict(const struct il__syntax *s, const struct il__constant *c)
{
    for (uint32_t at = s->root; at; at = il__syn_walk(s, s->root, at)) {
        const struct il__syn *node = il__syn(s, at);
        if (node->kind == IL__SYN_CALL && node->from <= c->from && c->to <= node->to && is_verdict(s, at)) return true;
    }
    return false;
}

static bool take_source(struct il__pool *pool, struct il__arena *arena, struct il_str source)
{
    struct il__syntax *s = NULL;
    struct il__constants list = { NULL, 0 };
    struct il__arena scratch;
    enum il_code code = il__syntax_parse(arena->mem, source, &s, NULL, NULL);
    if (code) return code != IL_OUT_OF_MEMORY; /* what does not parse has none */
    il__arena_init(&scratch, arena->mem);
    pool->zones |= memmem(source.ptr, source.len, "time_in", 7) != NULL;
    bool ok = il__syntax_constants(s, &scratch, &list);
    for (size_t i = 0; i < list.count && ok; i++) {
        const struct il__constant *c = &list.items[i];
        if (in_verdict(s, c)) continue;
        if (!c->number) ok = add_text(pool, arena, c->text);
        else if (c->integer) add_int(pool, c->i);
        else add_num(pool, c->n);
    }
    il__arena_clear(&scratch);
    il__syntax_free(s);
    return ok;
}

static bool take_value(struct il__pool *pool, struct il__arena *arena, struct il__json *doc, uint32_t at)
{
    struct il_str text;
    int64_t whole;
    double number;
    switch (il__json_kind(doc, at)) {
    case IL__JSON_STRING:
        return il__json_string(doc, at, &text, NULL) == IL_OK && add_text(pool, arena, text);
    case IL__JSON_INT: case IL__JSON_DOUBLE:
        if (il__json_int(doc, at, &whole)) add_int(pool, whole);
        else if (il__json_double(doc, at, &number)) add_num(pool, number);
        return true;
    case IL__JSON_ARRAY: case IL__JSON_OBJECT: case IL__JSON_NULL: case IL__JSON_FALSE: case IL__JSON_TRUE:
        return true;
    }
    return true;
}

/* A value, or the elements of a list. */
static bool take_param(struct il__pool *pool, struct il__arena *arena, const struct il__param *param)
{
    struct il__json *doc = param->value.doc;
    bool ok = true;
    if (!doc) return true;
    if (il__json_kind(doc, param->value.at) != IL__JSON_ARRAY) return take_value(pool, arena, doc, param->value.at);
    for (uint32_t at = il__json_first(doc, param->value.at); at && ok; at = il__json_next(doc, param->value.at, at))
        ok = take_value(pool, arena, doc, at);
    return ok;
}

static bool take_bundle(struct il__pool *pool, struct il__arena *arena, const struct il__bundle *b)
{
    bool ok = true;
    for (size_t i = 0; i < b->policy_count && ok; i++) {
        ok = take_source(pool, arena, b->policies[i].source);
        for (size_t k = 0; k < b->policies[i].param_count && ok; k++)
            ok = take_param(pool, arena, &b->policies[i].params[k]);
    }
    for (size_t i = 0; i < b->modules.count && ok; i++)
        if (b->modules.items[i].source.ptr) ok = take_source(pool, arena, b->modules.items[i].source);
    return ok;
}

enum il_code il__pool_fill(struct il__pool *pool, const struct il__policy_set *set, struct il__arena *arena,
                           struct il_error *err)
{
    const struct il__bundle *b;
    memset(pool, 0, sizeof *pool);
    for (size_t i = 0; (b = il__policy_set_bundle(set, i)) != NULL; i++)
        if (!take_bundle(pool, arena, b)) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for constants of bundles");
    return IL_OK;
}
