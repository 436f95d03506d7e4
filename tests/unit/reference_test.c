/* The reference: every binding is in it, in each form; every word of a kind has its type; every view that can be
 * reached has its class; the public functions. */
#include "script/globals.h"
#include "script/policy_ctx.h"
#include "script/reference_inside.h"
#include "script/scenario.h"
#include "script/seen.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static struct il__mem mem;

static char *text_of(enum il_reference_format format)
{
    struct il_text text = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (!tap_ok(il_script_reference(format, &text, &err) == IL_OK, "form %d %s", (int)format, err.message)) exit(1);
    char *copy = strdup(text.ptr);
    il_text_clear(&text);
    return copy;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void params_known(const struct il__member *m, const char *object)
{
    struct il_str list = il__kind_params(m), piece, option;
    size_t at = 0;
    for (unsigned n = 0; il__kind_next(list, &at, &piece); n++) {
        struct il_str options = il__kind_options(m, n);
        if (!options.ptr) {
            tap_ok(il__kind_param(piece) != NULL, "%s.%s: parameter %.*s has a type", object, m->name,
                   IL_STR_FMT(piece));
            continue;
        }
        for (size_t o = 0; il__kind_next(options, &o, &option);)
            tap_ok(il__kind_param(option) != NULL, "%s.%s: option %.*s has a type", object, m->name,
                   IL_STR_FMT(option));
    }
}

static void test_kinds(void)
{
    for (size_t i = 0; il__objects[i]; i++) {
        const char *object = il__objects[i]->name;
        tap_ok(il__ref_object_name(il__objects[i]) != NULL, "%s has a class", object);
        for (const struct il__member *m = il__objects[i]->members; m && m->name; m++) {
            tap_ok(il__kind_is_function(m) == (m->fn != NULL), "%s.%s: its kind says whether it is a function", object,
                   m->name);
            if (!m->fn) {
                tap_ok(il__kind_of(il__str(m->kind)) != NULL, "%s.%s: %s has a type", object, m->name, m->kind);
                continue;
            }
            params_known(m, object);
            struct il_str results = il__kind_results(m), piece;
            if (il__kind_of(results)) continue;
            for (size_t at = 0; il__kind_next(results, &at, &piece);)
                tap_ok(il__kind_of(piece) != NULL, "%s.%s: result %.*s has a type", object, m->name, IL_STR_FMT(piece));
        }
    }
}

static void test_pieces(void)
{
    struct il__member m = { "f", "(a, { b, c }, ...) -> d, e", 0, NULL, "" };
    struct il_str piece;
    size_t at = 0;
    tap_str(il__kind_params(&m), "a, { b, c }, ...", "parameters");
    tap_str(il__kind_results(&m), "d, e", "results");
    tap_ok(il__kind_next(il__kind_params(&m), &at, &piece), "a piece");
    tap_str(piece, "a", "the first");
    tap_ok(il__kind_next(il__kind_params(&m), &at, &piece), "a piece");
    tap_str(piece, "{ b, c }", "options in one");
    tap_str(il__kind_options(&m, 1), "b, c", "their names");
    tap_str(il__kind_options(&m, 0), NULL, "no options");
    tap_ok(il__kind_next(il__kind_params(&m), &at, &piece) && !il__kind_next(il__kind_params(&m), &at, &piece),
           "the end");
    m.kind = "string or nil";
    tap_ok(!il__kind_is_function(&m) && il__kind_params(&m).len == 0 && il__kind_results(&m).len == 0, "a value");
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static void test_views(const char *stubs, const char *page, const char *json)
{
    char want[120];
    for (const struct il__ref_view *v = il__ref_views; v->name; v++) {
        for (const struct il__field *row = v->schema->fields; row->wire; row++) {
            if (row->sub) tap_ok(il__ref_view_of(row->sub) != NULL, "%s.%s has a class", v->name, row->lua);
            snprintf(want, sizeof want, "---@field %s ", row->lua);
            bool in_stub = strstr(stubs, want) != NULL;
            snprintf(want, sizeof want, "| `%s` | ", row->lua);
            bool on_page = strstr(page, want) != NULL;
            snprintf(want, sizeof want, "\"name\":\"%s\"", row->lua);
            tap_ok(in_stub && on_page && strstr(json, want), "%s.%s is in each form", v->name, row->lua);
        }
        snprintf(want, sizeof want, "---@class interlock.%s\n", v->name);
        tap_ok(strstr(stubs, want) != NULL, "class %s", v->name);
    }
    for (const struct il__ref_enum *e = il__ref_enums; e->name; e++) {
        snprintf(want, sizeof want, "---@alias interlock.%s\n---| \"%s\"\n", e->name, e->names[0]);
        tap_ok(strstr(stubs, want) != NULL, "%s is a union", e->name);
    }
}

/* The text of a class, up to the empty line behind it. */
static char *class_text(const char *stubs, const char *name)
{
    char head[80];
    snprintf(head, sizeof head, "---@class interlock.%s", name);
    const char *at = strstr(stubs, head), *end = at ? strstr(at, "\n\n") : NULL;
    return end ? strndup(at, (size_t)(end - at)) : strdup("");
}

static void test_phases(const char *stubs)
{
    static const char *const classes[] = { "CtxPropose", "CtxPreview", "CtxApprove", "CtxExecute" };
    char *base = class_text(stubs, "Ctx\n"), field[80];
    for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++) {
        char *own = class_text(stubs, classes[p]);
        tap_ok(strstr(own, " : interlock.Ctx\n") != NULL, "%s has what all have", classes[p]);
        for (const struct il__member *m = il__ctx_object.members; m->name; m++) {
            snprintf(field, sizeof field, "---@field %s ", m->name);
            bool there = !m->phases || m->phases & 1u << p;
            bool typed = (m->phases ? strstr(own, field) : strstr(base, field)) != NULL;
            tap_ok(there == typed, "%s: ctx.%s %s", classes[p], m->name, there ? "is there" : "is not there");
        }
        free(own);
    }
    free(base);
    char *definition = class_text(stubs, "PolicyDefinition");
    tap_ok(strstr(definition, "---@field propose (fun(action: interlock.Proposal, ctx: interlock.CtxPropose): "
                              "interlock.Verdict?)?\n") &&
               strstr(definition, "---@field execute (fun(action: interlock.Action, ctx: interlock.CtxExecute): "
                                  "interlock.Verdict?)?"),
           "phases have their own action and ctx");
    free(definition);
    char *action = class_text(stubs, "Action :");
    tap_ok(strstr(action, "---@field mode ") && strstr(action, "---@field arguments "),
           "Action has more than Envelope");
    free(action);
}

/* ---- members and globals ----------------------------------------------------------------------------------------- */

static void test_members(const char *stubs, const char *page, const char *json)
{
    char want[160];
    for (size_t i = 0; il__objects[i]; i++) {
        const struct il__object *o = il__objects[i];
        for (const struct il__member *m = o->members; m && m->name; m++) {
            bool field = !m->fn || o == &il__ctx_object;
            if (field) snprintf(want, sizeof want, "---@field %s ", m->name);
            else
                snprintf(want, sizeof want, "function %s%c%s(", il__ref_object_name(o),
                         o->methods ? ':' : '.', m->name);
            bool in_stub = strstr(stubs, want) != NULL;
            snprintf(want, sizeof want, "%s%s%s", o->methods && m->fn ? ":" : "`", m->name, m->fn ? "(" : "`");
            bool on_page = strstr(page, want) != NULL && strstr(page, m->about) != NULL;
            snprintf(want, sizeof want, "\"name\":\"%s\"", m->name);
            tap_ok(in_stub && on_page && strstr(json, want), "%s.%s is in each form", o->name, m->name);
        }
    }
    tap_ok(strstr(stubs, "---@class interlock.AskOptions\n---@field approvers integer?\n") &&
               strstr(stubs, "---@param options interlock.AskOptions?\n"), "options have a class");
    tap_ok(strstr(stubs, "---@field max integer\n"), "an option that is needed");
    for (int op = 0; op < IL_OP_COUNT; op++) {
        snprintf(want, sizeof want, "---@field %s interlock.Operation?\n", il_op_name((enum il_op)op));
        tap_ok(strstr(stubs, want) != NULL, "operation %s", il_op_name((enum il_op)op));
    }
    static const char *const scene[] = {
        "function Scene:start(proposal, options) end", "function Scene:expect_effects(want) end",
                                         "---@field workflow_source any", "---@field receipt_evidence (boolean)?",
                                         "function scenario(name) end", "function lua_runtime(file, options) end" };
    for (size_t i = 0; il__scenario_globals[i]; i++) {
        snprintf(want, sizeof want, "\nfunction %s(", il__scenario_globals[i]);
        tap_ok(strstr(stubs, want) != NULL, "scenarios: %s", il__scenario_globals[i]);
    }
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++)
        tap_ok(strstr(stubs, scene[i]) != NULL, "scenarios: %s", scene[i]);
    tap_ok(strstr(page, "`s:expect_calls(op, want)`") != NULL, "scenarios are on the page");
}

static void test_globals(const char *page, const char *json, const char *config)
{
    struct il__arena arena;
    struct il__globals globals;
    char want[120];
    il__arena_init(&arena, &mem);
    tap_ok(il__globals_read(&arena, &globals, NULL) == IL_OK && globals.count > 20, "the globals of a sandbox");
    for (size_t i = 0; i < globals.count; i++) {
        const struct il__global *g = &globals.items[i];
        snprintf(want, sizeof want, "| `%.*s` |", IL_STR_FMT(g->name));
        bool on_page = strstr(page, want) != NULL;
        snprintf(want, sizeof want, "\"%.*s\":[", IL_STR_FMT(g->name));
        bool in_json = strstr(json, want) != NULL;
        snprintf(want, sizeof want, g->member_count ? "        %.*s = {" : "        \"%.*s\",", IL_STR_FMT(g->name));
        tap_ok(on_page && in_json && strstr(config, want), "%.*s is in each form", IL_STR_FMT(g->name));
        for (size_t m = 0; m < g->member_count; m++) {
            snprintf(want, sizeof want, " \"%.*s\",", IL_STR_FMT(g->members[m]));
            tap_ok(strstr(config, want) != NULL, "%.*s.%.*s", IL_STR_FMT(g->name), IL_STR_FMT(g->members[m]));
        }
    }
    tap_ok(il__globals_find(&globals, IL_STR("require")) && !il__globals_find(&globals, IL_STR("os")) &&
               il__globals_find(&globals, IL_STR("string"))->member_count == 13, "require, no os, thirteen of string");
    il__arena_clear(&arena);
}

static void test_wrap(void)
{
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    char text[300];
    memset(text, 'a', sizeof text);
    for (int i = 20; i < 290; i += 21) text[i] = ' ';
    text[299] = '\0';
    il__ref_wrap("---", text, &out);
    size_t longest = 0, line = 0, lines = 0;
    for (size_t i = 0; i < out.len; i++) {
        line = out.ptr[i] == '\n' ? 0 : line + 1;
        lines += out.ptr[i] == '\n';
        longest = line > longest ? line : longest;
    }
    tap_ok(longest <= 120 && lines == 3, "texts are broken at 120 columns (%zu, %zu)", longest, lines);
    il__buf_clear(&out);
}

static void test_refusals(void)
{
    struct il_text text = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    tap_int(il_script_reference((enum il_reference_format)99, &text, &err), IL_INVALID_REQUEST, "a form that is none");
    tap_int(il_policy_lint(NULL, 0, (enum il_lint_format)99, NULL, &text, &err),
            IL_INVALID_REQUEST, "a format that is none");
    for (uint64_t n = 1; n < 400; n++) {
        struct il__mem small;
        struct il__arena arena;
        struct il__buf out;
        il__mem_init(&small, NULL, NULL, 0);
        small.fail_at = n;
        il__arena_init(&arena, &small);
        il__buf_init(&out, &small, 0);
        enum il_code code = il__reference_luals(&arena, &out, NULL);
        il__buf_clear(&out);
        il__arena_clear(&arena);
        if (small.in_use_bytes || (code != IL_OK && code != IL_OUT_OF_MEMORY)) tap_ok(false, "allocation %d", (int)n);
        if (code == IL_OK) break;
    }
}

int main(void)
{
    il__mem_init(&mem, NULL, NULL, 0);
    char *stubs = text_of(IL_REFERENCE_LUALS), *config = text_of(IL_REFERENCE_LUACHECK);
    char *page = text_of(IL_REFERENCE_MARKDOWN), *json = text_of(IL_REFERENCE_JSON);
    test_kinds();
    test_pieces();
    test_views(stubs, page, json);
    test_phases(stubs);
    test_members(stubs, page, json);
    test_globals(page, json, config);
    test_wrap();
    test_refusals();
    free(stubs);
    free(config);
    free(page);
    free(json);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left");
    return tap_done();
}
