/* Stubs for the Lua language server (reference.h): `---@meta`, classes, enumerations as unions, a context for each
 * phase. */
#include "base/error.h"
#include "run/ops.h"
#include "script/lua_runtime.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"
#include "script/reference_inside.h"
#include "script/seen.h"

#include <stdio.h>

static void puts_line(struct il__buf *out, const char *line)
{
    il__buf_puts(out, line);
    il__buf_putc(out, '\n');
}

static void put_enums(struct il__buf *out)
{
    for (const struct il__ref_enum *e = il__ref_enums; e->name; e++) {
        il__ref_wrap("---", e->about, out);
        il__buf_printf(out, "---@alias interlock.%s\n", e->name);
        for (size_t i = 0; e->names[i]; i++) il__buf_printf(out, "---| \"%s\"\n", e->names[i]);
        il__buf_putc(out, '\n');
    }
}

static void put_rows(const struct il__schema *schema, const struct il__field *rows, struct il__buf *out)
{
    for (const struct il__field *row = rows; row->wire; row++) {
        il__ref_wrap("---", row->about, out);
        il__buf_printf(out, "---@field %s ", row->lua);
        il__ref_field_type(schema, row, out);
        puts_line(out, il__ref_field_optional(row) ? "?" : "");
    }
}

static void put_views(struct il__buf *out)
{
    for (const struct il__ref_view *v = il__ref_views; v->name; v++) {
        il__ref_wrap("---", v->about, out);
        il__buf_printf(out, "---@class interlock.%s\n", v->name);
        put_rows(v->schema, v->schema->fields, out);
        il__buf_putc(out, '\n');
    }
}

/* What a policy gets after the preview: the envelope and the rows beyond it. */
static enum il_code put_action(struct il__arena *arena, struct il__buf *out, struct il_error *err)
{
    const struct il__schema *seen = il__action_seen_schema(arena);
    if (!seen) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reference");
    size_t known = 0;
    while (il__envelope_schema.fields[known].wire) known++;
    puts_line(out, "---The action as policies see it after the preview.");
    puts_line(out, "---@class interlock.Action : interlock.Envelope");
    put_rows(seen, seen->fields + known, out);
    il__buf_putc(out, '\n');
    return IL_OK;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static bool has_options(const struct il__member *m, unsigned n)
{
    return il__kind_options(m, n).ptr != NULL;
}

/* The name of the n-th parameter: its word, or "options". */
static struct il_str param_name(const struct il__member *m, unsigned n, struct il_str piece)
{
    return has_options(m, n) ? IL_STR("options") : piece;
}

static void put_param_type(const struct il__member *m, unsigned n, struct il_str piece, struct il__buf *out)
{
    if (!has_options(m, n)) {
        il__ref_kind_type(il__kind_param(piece), false, out);
        return;
    }
    il__buf_puts(out, "interlock.");
    il__ref_options_name(m, out);
    il__buf_puts(out, n ? "Options?" : "Options");
}

static void put_options_class(const struct il__member *m, struct il__buf *out)
{
    struct il_str list = il__kind_params(m), piece, option;
    size_t at = 0;
    for (unsigned n = 0; il__kind_next(list, &at, &piece); n++) {
        struct il_str options = il__kind_options(m, n);
        if (!options.ptr) continue;
        il__buf_puts(out, "---@class interlock.");
        il__ref_options_name(m, out);
        il__buf_puts(out, "Options\n");
        for (size_t o = 0; il__kind_next(options, &o, &option);) {
            il__buf_printf(out, "---@field %.*s ", IL_STR_FMT(option));
            il__ref_kind_type(il__kind_param(option), true, out);
            il__buf_putc(out, '\n');
        }
        il__buf_putc(out, '\n');
    }
}

static void put_results(const struct il__member *m, struct il__buf *out)
{
    struct il_str results = il__kind_results(m), piece;
    const struct il__kind *whole = il__kind_of(results);
    if (whole && whole->luals && strstr(whole->luals, ", ")) {
        results = il__str(whole->luals);
        for (size_t at = 0; il__kind_next(results, &at, &piece);)
            il__buf_printf(out, "---@return %.*s\n", IL_STR_FMT(piece));
        return;
    }
    for (size_t at = 0; il__kind_next(results, &at, &piece);) {
        bool several = strstr(m->kind, ", ") != NULL && memchr(results.ptr, ',', results.len) != NULL;
        il__buf_puts(out, "---@return ");
        il__ref_kind_type(il__kind_of(piece), false, out);
        if (several) il__buf_printf(out, " %.*s", IL_STR_FMT(piece));
        il__buf_putc(out, '\n');
    }
}

static void put_function(const char *owner, char link, const struct il__member *m, struct il__buf *out)
{
    struct il_str list = il__kind_params(m), piece;
    unsigned n = 0;
    il__ref_wrap("---", m->about, out);
    for (size_t at = 0; il__kind_next(list, &at, &piece); n++) {
        struct il_str name = param_name(m, n, piece);
        il__buf_printf(out, "---@param %.*s ", IL_STR_FMT(name));
        put_param_type(m, n, piece, out);
        il__buf_putc(out, '\n');
    }
    put_results(m, out);
    il__buf_printf(out, "function %s%c%s(", owner, link, m->name);
    n = 0;
    for (size_t at = 0; il__kind_next(list, &at, &piece); n++)
        il__buf_printf(out, "%s%.*s", n ? ", " : "", IL_STR_FMT(param_name(m, n, piece)));
    puts_line(out, ") end");
}

/* A function as the type of a field: fun(zone: string): interlock.Time */
static void put_function_type(const struct il__member *m, struct il__buf *out)
{
    struct il_str list = il__kind_params(m), results = il__kind_results(m), piece;
    unsigned n = 0;
    il__buf_puts(out, "fun(");
    for (size_t at = 0; il__kind_next(list, &at, &piece); n++) {
        il__buf_printf(out, "%s%.*s: ", n ? ", " : "", IL_STR_FMT(param_name(m, n, piece)));
        put_param_type(m, n, piece, out);
    }
    il__buf_putc(out, ')');
    n = 0;
    for (size_t at = 0; il__kind_next(results, &at, &piece); n++) {
        il__buf_puts(out, n ? ", " : ": ");
        il__ref_kind_type(il__kind_of(piece), false, out);
    }
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static void put_value(const struct il__member *m, struct il__buf *out)
{
    il__ref_wrap("---", m->about, out);
    il__buf_printf(out, "---@field %s ", m->name);
    if (il__kind_is_function(m)) put_function_type(m, out);
    else il__ref_kind_type(il__kind_of(il__str(m->kind)), false, out);
    il__buf_putc(out, '\n');
}

/* An object of which there is one kind: values as fields, functions as functions. */
static void put_object(const struct il__object *object, struct il__buf *out)
{
    const char *class = il__ref_object_name(object);
    bool functions = false;
    for (const struct il__member *m = object->members; m->name; m++) {
        functions = functions || m->fn;
        if (m->fn) put_options_class(m, out);
    }
    il__ref_wrap("---", object->about, out);
    il__buf_printf(out, "---@class interlock.%s\n", class);
    if (object->call) puts_line(out, "---@overload fun(definition: interlock.PolicyDefinition): interlock.Policy");
    for (const struct il__member *m = object->members; m->name; m++)
        if (!m->fn) put_value(m, out);
    if (functions) {
        il__buf_printf(out, "local %s = {}\n\n", class);
        for (const struct il__member *m = object->members; m->name; m++) {
            if (!m->fn) continue;
            put_function(class, object->methods ? ':' : '.', m, out);
            il__buf_putc(out, '\n');
        }
    } else {
        il__buf_putc(out, '\n');
    }
}

/* What all phases have, then a class for each phase. */
static void put_ctx(struct il__buf *out)
{
    for (const struct il__member *m = il__ctx_object.members; m->name; m++) put_options_class(m, out);
    il__ref_wrap("---", il__ctx_object.about, out);
    puts_line(out, "---@class interlock.Ctx");
    for (const struct il__member *m = il__ctx_object.members; m->name; m++)
        if (!m->phases) put_value(m, out);
    for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++) {
        const char *name = il__phase_names[p];
        il__buf_printf(out, "\n---What a policy knows in phase %s.\n---@class interlock.Ctx%c%s : interlock.Ctx\n",
                       name, name[0] - 'a' + 'A', name + 1);
        il__buf_printf(out, "---@field phase \"%s\"\n", name);
        for (const struct il__member *m = il__ctx_object.members; m->name; m++)
            if (m->phases & 1u << p) put_value(m, out);
    }
    il__buf_putc(out, '\n');
}

static void put_policy(struct il__buf *out)
{
    puts_line(out, "---A verdict, made by policy.ask or policy.deny.\n---@class interlock.Verdict\n");
    puts_line(out, "---What `policy { ... }` makes; a policy file returns it.\n---@class interlock.Policy\n");
    puts_line(out, "---@class interlock.PolicyDefinition\n---@field name string");
    for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++) {
        const char *name = il__phase_names[p], *action = p == IL__PHASE_PROPOSE ? "Proposal" : "Action";
        il__buf_printf(out, "---@field %s (fun(action: interlock.%s, ctx: interlock.Ctx%c%s): interlock.Verdict?)?\n",
                       name, action, name[0] - 'a' + 'A', name + 1);
    }
    il__buf_putc(out, '\n');
}

static void put_runtime(struct il__buf *out)
{
    puts_line(out, "---An answer other than a plain value: see the functions of interlock.Runtime.");
    puts_line(out, "---@class interlock.Answer\n");
    put_object(&il__runtime_object, out);
    puts_line(out, "---@alias interlock.Operation fun(request: table, runtime: interlock.Runtime): any\n");
    puts_line(out, "---What a runtime file returns.\n---@class interlock.LuaRuntime");
    for (int op = 0; op < IL_OP_COUNT; op++)
        il__buf_printf(out, "---@field %s interlock.Operation?\n", il_op_name((enum il_op)op));
    puts_line(out, "---@field inspect (fun(): table)?");
    puts_line(out, "---@field retain (fun(action_id: string, preview: table, runtime: interlock.Runtime))?\n");
}

/* ---- globals ----------------------------------------------------------------------------------------------------- */

/* Those that the language does not have. */
static void put_globals(const struct il__globals *globals, struct il__buf *out)
{
    static const char *const own[] = { "json", "log" };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const struct il__global *g = il__globals_find(globals, il__str(own[i]));
        if (!g) continue;
        il__buf_printf(out, "---@class interlock.%s\n", own[i]);
        for (size_t m = 0; m < g->member_count; m++)
            il__buf_printf(out, "---@field %.*s %s\n", IL_STR_FMT(g->members[m]),
                           il__str_eq(g->members[m], IL_STR("null")) ? "any" : "fun(...): any");
        il__buf_printf(out, "%s = {}\n\n", own[i]);
    }
}

static void put_scenario_global(const struct il__ref_word *w, struct il__buf *out)
{
    bool scenario = il__str_eq(w->name, IL_STR("scenario")), fake = il__str_eq(w->name, IL_STR("fake"));
    il__buf_putc(out, '\n');
    if (scenario) puts_line(out, "---scenario \"what must be seen\" { runtime = fake {}, play = function(s) ... end }");
    for (size_t p = 0; p < w->param_count; p++)
        il__buf_printf(out, "---@param %.*s %s\n", IL_STR_FMT(w->params[p]),
                       scenario ? "string" : fake ? "interlock.FakeOptions?" : "any");
    puts_line(out, scenario ? "---@return fun(definition: interlock.Scenario)" : "---@return table");
    il__buf_printf(out, "function %.*s(", IL_STR_FMT(w->name));
    for (size_t p = 0; p < w->param_count; p++) il__buf_printf(out, "%s%.*s", p ? ", " : "", IL_STR_FMT(w->params[p]));
    puts_line(out, ") end");
}

static void put_scenarios(const struct il__ref_words *words, struct il__buf *out)
{
    puts_line(out, "---@class interlock.Scenario");
    for (size_t i = 0; i < words->member_count; i++) {
        bool play = il__str_eq(words->members[i].name, IL_STR("play"));
        il__buf_printf(out, "---@field %.*s %s\n", IL_STR_FMT(words->members[i].name),
                       play ? "fun(s: interlock.Scene)" : "any");
    }
    puts_line(out, "\n---@class interlock.FakeOptions");
    for (size_t i = 0; i < words->option_count; i++)
        il__buf_printf(out, "---@field %.*s (%.*s)?\n", IL_STR_FMT(words->options[i].name),
                       IL_STR_FMT(words->options[i].type));
    puts_line(out, "\n---What a scenario plays with.\n---@class interlock.Scene\nlocal Scene = {}\n");
    for (size_t i = 0; i < words->method_count; i++) {
        const struct il__ref_word *w = &words->methods[i];
        for (size_t p = 0; p < w->param_count; p++)
            il__buf_printf(out, "---@param %.*s any\n", IL_STR_FMT(w->params[p]));
        il__buf_printf(out, "function Scene:%.*s(", IL_STR_FMT(w->name));
        for (size_t p = 0; p < w->param_count; p++)
            il__buf_printf(out, "%s%.*s", p ? ", " : "", IL_STR_FMT(w->params[p]));
        puts_line(out, ") end");
    }
    for (size_t i = 0; i < words->global_count; i++) put_scenario_global(&words->globals[i], out);
}

enum il_code il__reference_luals(struct il__arena *arena, struct il__buf *out, struct il_error *err)
{
    struct il__globals globals;
    struct il__ref_words words;
    enum il_code code = il__globals_read(arena, &globals, err);
    if (code == IL_OK) code = il__ref_words_read(arena, &words, err);
    if (code != IL_OK) return code;
    puts_line(out, "---@meta interlock.policy");
    puts_line(out, "-- Types for editors: what scripts are given. Nothing here is ever run.");
    puts_line(out, "-- Made by `interlock policy api --format luals`, from the tables of the bindings.\n");
    put_enums(out);
    put_views(out);
    if ((code = put_action(arena, out, err))) return code;
    put_policy(out);
    for (size_t i = 0; il__objects[i]; i++) {
        if (il__objects[i] == &il__ctx_object) put_ctx(out);
        else if (il__objects[i] == &il__runtime_object) put_runtime(out);
        else if (il__objects[i]->members) put_object(il__objects[i], out);
    }
    put_globals(&globals, out);
    put_scenarios(&words, out);
    puts_line(out, "\nreturn PolicyModule");
    return il__buf_check(out, err);
}
