/* The words of scenarios for the reference (reference_inside.h), read from the source that gives them their meaning:
 * interlock/scenario.lua and interlock/fake.lua, as trees. Runs nothing. */
#include "base/error.h"
#include "script/embedded.h"
#include "script/reference_inside.h"
#include "script/scenario.h"
#include "script/syntax.h"

static struct il_str embedded(const char *name)
{
    for (const struct il__embedded *f = il__embedded_files; f->name; f++)
        if (strcmp(f->name, name) == 0) return (struct il_str){ f->bytes, f->len };
    return IL_STR("");
}

/* The TABLE of `local NAME = { ... }`, 0: none. */
static uint32_t table_named(const struct il__syntax *s, const char *name)
{
    for (uint32_t i = 0; i < s->local_count; i++) {
        if (!il__str_eq(s->locals[i].name, il__str(name))) continue;
        uint32_t stat = il__syn(s, il__syn(s, s->locals[i].define)->parent)->parent;
        uint32_t value = il__syn(s, il__syn(s, stat)->last)->first;
        if (il__syn(s, stat)->kind == IL__SYN_LOCAL && il__syn(s, value)->kind == IL__SYN_TABLE) return value;
    }
    return 0;
}

/* Copies a text of the tree. */
static struct il_str keep(struct il__arena *arena, struct il_str s)
{
    struct il_str kept = IL_STR("");
    return il__arena_str(arena, s, &kept) == IL_OK && kept.ptr ? kept : IL_STR("");
}

static size_t read_table(const struct il__syntax *s, struct il__arena *arena, const char *name,
                         struct il__ref_word **out)
{
    uint32_t table = table_named(s, name);
    size_t count = 0;
    *out = il__arena_alloc(arena, (s->count + 1) * sizeof **out / 4 + sizeof **out);
    for (uint32_t f = *out && table ? il__syn(s, table)->first : 0; f; f = il__syn(s, f)->next) {
        const struct il__syn *n = il__syn(s, f);
        if (n->kind != IL__SYN_FIELD) continue;
        (*out)[count].name = keep(arena, il__syn(s, n->first)->text);
        (*out)[count++].type = keep(arena, il__syn(s, n->last)->text);
    }
    return count;
}

/* `methods.NAME`, as what is assigned to; absent: it is none. */
static struct il_str method_name(const struct il__syntax *s, uint32_t target)
{
    const struct il__syn *n = il__syn(s, target);
    if (n->kind != IL__SYN_INDEX || !il__str_eq(il__syn(s, n->first)->text, IL_STR("methods"))) return IL_STR_NONE;
    return il__syn(s, n->last)->text;
}

/* Its parameters from the n-th. */
static void take_params(const struct il__syntax *s, struct il__arena *arena, uint32_t function, uint32_t n,
                        struct il__ref_word *w)
{
    uint32_t names = il__syn(s, function)->first;
    for (uint32_t p = il__syn_child(s, names, n); p && w->param_count < 4; p = il__syn(s, p)->next)
        w->params[w->param_count++] = keep(arena, il__syn(s, p)->text);
}

static size_t read_methods(const struct il__syntax *s, struct il__arena *arena, struct il__ref_word **out)
{
    size_t count = 0;
    *out = il__arena_alloc(arena, (s->count / 4 + 1) * sizeof **out);
    for (uint32_t at = 1; *out && at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at);
        bool function = n->kind == IL__SYN_FUNCTION_STAT;
        if (!function && n->kind != IL__SYN_ASSIGN) continue;
        struct il_str name = method_name(s, function ? n->first : il__syn(s, n->first)->first);
        if (!name.ptr) continue;
        struct il__ref_word *w = &(*out)[count++];
        w->name = keep(arena, name);
        if (function) take_params(s, arena, n->last, 1, w);
        else w->params[w->param_count++] = IL_STR("want");
    }
    return count;
}

/* The functions `M.NAME` that scenario files get as globals. */
static size_t read_globals(const struct il__syntax *s, struct il__arena *arena, struct il__ref_word **out)
{
    size_t count = 0;
    while (il__scenario_globals[count]) count++;
    *out = il__arena_alloc(arena, (count + 1) * sizeof **out);
    for (size_t i = 0; *out && i < count; i++) (*out)[i].name = il__str(il__scenario_globals[i]);
    for (uint32_t at = 1; *out && at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at), *target = il__syn(s, n->first);
        if (n->kind != IL__SYN_FUNCTION_STAT || target->kind != IL__SYN_INDEX) continue;
        for (size_t i = 0; i < count; i++) {
            bool same = il__str_eq(il__syn(s, target->last)->text, (*out)[i].name) &&
                        il__str_eq(il__syn(s, target->first)->text, IL_STR("M"));
            if (same) take_params(s, arena, n->last, 0, &(*out)[i]);
        }
    }
    return count;
}

enum il_code il__ref_words_read(struct il__arena *arena, struct il__ref_words *out, struct il_error *err)
{
    struct il__syntax *scenario = NULL, *fake = NULL;
    enum il_code code = il__syntax_parse(arena->mem, embedded("interlock/scenario.lua"), &scenario, NULL, err);
    if (code == IL_OK) code = il__syntax_parse(arena->mem, embedded("interlock/fake.lua"), &fake, NULL, err);
    *out = (struct il__ref_words){ 0 };
    if (code == IL_OK) {
        out->method_count = read_methods(scenario, arena, &out->methods);
        out->member_count = read_table(scenario, arena, "MEMBERS", &out->members);
        out->option_count = read_table(fake, arena, "OPTIONS", &out->options);
        out->global_count = read_globals(scenario, arena, &out->globals);
        if (!out->globals || !out->methods || !out->members || !out->options)
            code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reference");
    }
    il__syntax_free(scenario);
    il__syntax_free(fake);
    return code;
}
