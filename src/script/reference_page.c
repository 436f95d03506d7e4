/* The reference as a page, as JSON and as a configuration of luacheck (reference.h). */
#include "base/error.h"
#include "script/policy_api.h"
#include "script/policy_ctx.h"
#include "script/reference_inside.h"
#include "script/seen.h"

#include <stdio.h>

/* ---- luacheck ---------------------------------------------------------------------------------------------------- */

static void put_fields(const struct il__global *g, struct il__buf *out)
{
    size_t column = 0;
    il__buf_puts(out, " { fields = {");
    for (size_t i = 0; i < g->member_count; i++) {
        if (column == 0 || column + g->members[i].len > 100) {
            il__buf_puts(out, "\n          ");
            column = 10;
        }
        il__buf_printf(out, " \"%.*s\",", IL_STR_FMT(g->members[i]));
        column += g->members[i].len + 4;
    }
    il__buf_puts(out, "\n        } },\n");
}

enum il_code il__reference_luacheck(struct il__arena *arena, struct il__buf *out, struct il_error *err)
{
    struct il__globals globals;
    enum il_code code = il__globals_read(arena, &globals, err);
    if (code != IL_OK) return code;
    il__buf_puts(out, "-- For luacheck: the globals that scripts are offered, and no others.\n"
                      "-- Made by `interlock policy api --format luacheck`, from the sandbox itself.\n"
                      "return {\n  std = \"interlock\",\n  max_line_length = 120,\n  unused_args = true,\n"
                      "  self = false,\n"
                      "  stds = {\n    interlock = {\n      read_globals = {\n");
    for (size_t i = 0; i < globals.count; i++) {
        const struct il__global *g = &globals.items[i];
        if (g->member_count) {
            il__buf_printf(out, "        %.*s =", IL_STR_FMT(g->name));
            put_fields(g, out);
        } else {
            il__buf_printf(out, "        \"%.*s\",\n", IL_STR_FMT(g->name));
        }
    }
    il__buf_puts(out, "      },\n    },\n  },\n}\n");
    return il__buf_check(out, err);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* A text inside a cell of a table. */
static void put_cell(struct il_str text, struct il__buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '|') il__buf_putc(out, '\\');
        il__buf_putc(out, text.ptr[i]);
    }
}

static void put_names_cell(const char *const *names, struct il__buf *out)
{
    for (size_t i = 0; names[i]; i++) il__buf_printf(out, "%s`\"%s\"`", i ? ", " : "", names[i]);
}

static void put_member(const struct il__object *object, const struct il__member *m, struct il__buf *out)
{
    const struct il__kind *kind = il__kind_is_function(m) ? NULL : il__kind_of(il__str(m->kind));
    il__buf_puts(out, "| `");
    if (object->methods && m->fn) il__buf_printf(out, "%s:", object->name);
    il__buf_puts(out, m->name);
    if (il__kind_is_function(m)) il__buf_printf(out, "(%.*s)", IL_STR_FMT(il__kind_params(m)));
    il__buf_puts(out, "` | ");
    if (object == &il__ctx_object) {
        il__ref_phases(m->phases, out);
        il__buf_puts(out, " | ");
    }
    if (kind && kind->names) put_names_cell(kind->names, out);
    else if (kind && kind->schema && il__ref_view_of(kind->schema))
        il__buf_printf(out, "view: %s", il__ref_view_of(kind->schema)->name);
    else if (il__kind_is_function(m)) put_cell(il__kind_results(m), out);
    else put_cell(il__str(m->kind), out);
    il__buf_puts(out, " | ");
    put_cell(il__str(m->about), out);
    il__buf_puts(out, " |\n");
}

static void put_object(const struct il__object *object, struct il__buf *out)
{
    bool ctx = object == &il__ctx_object;
    il__buf_printf(out, "\n## `%s`\n\n", object->name);
    il__ref_wrap("", object->about, out);
    il__buf_printf(out, "\n| member |%s gives | |\n|---|---|---|%s\n", ctx ? " phases |" : "", ctx ? "---|" : "");
    for (const struct il__member *m = object->members; m->name; m++) put_member(object, m, out);
}

static void put_type(const struct il__schema *schema, const struct il__field *row, struct il__buf *out)
{
    const char *const *names = il__kind_field_names(schema, row);
    struct il__buf type;
    if (names && row->kind != IL__F_ENUMS) {
        put_names_cell(names, out);
    } else {
        il__buf_init(&type, out->mem, 0);
        il__ref_field_type(schema, row, &type);
        struct il_str text = il__buf_get(&type);
        size_t skip = text.len > 10 && memcmp(text.ptr, "interlock.", 10) == 0 ? 10 : 0;
        put_cell((struct il_str){ text.ptr + skip, text.len - skip }, out);
        if (type.code && !out->code) out->code = type.code;
        il__buf_clear(&type);
    }
    if (il__ref_field_optional(row)) il__buf_puts(out, " or nil");
}

static void put_rows(const struct il__schema *schema, const struct il__field *rows, struct il__buf *out)
{
    il__buf_puts(out, "\n| member | type | |\n|---|---|---|\n");
    for (const struct il__field *row = rows; row->wire; row++) {
        il__buf_printf(out, "| `%s` | ", row->lua);
        put_type(schema, row, out);
        il__buf_puts(out, " | ");
        put_cell(il__str(row->about), out);
        il__buf_puts(out, " |\n");
    }
}

static enum il_code put_views(struct il__arena *arena, struct il__buf *out, struct il_error *err)
{
    const struct il__schema *action = il__action_seen_schema(arena);
    size_t known = 0;
    if (!action) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reference");
    while (il__envelope_schema.fields[known].wire) known++;
    il__buf_puts(out, "\n## Views\n\nMembers of accepted objects, read-only. `action` of a policy is a view: Proposal "
                      "in phase `propose`, Action in the others.\n");
    for (const struct il__ref_view *v = il__ref_views; v->name; v++) {
        il__buf_printf(out, "\n### %s\n\n", v->name);
        il__ref_wrap("", v->about, out);
        put_rows(v->schema, v->schema->fields, out);
    }
    il__buf_puts(out, "\n### Action\n\nAn Envelope, and:\n");
    put_rows(action, action->fields + known, out);
    return IL_OK;
}

static void put_globals(const struct il__globals *globals, struct il__buf *out)
{
    il__buf_puts(out, "\n## Globals\n\nWhat is not here is not offered.\n\n| global | members |\n|---|---|\n");
    for (size_t i = 0; i < globals->count; i++) {
        const struct il__global *g = &globals->items[i];
        il__buf_printf(out, "| `%.*s` |", IL_STR_FMT(g->name));
        for (size_t m = 0; m < g->member_count; m++)
            il__buf_printf(out, "%s`%.*s`", m ? ", " : " ", IL_STR_FMT(g->members[m]));
        il__buf_puts(out, " |\n");
    }
}

static void put_words(const struct il__ref_words *words, struct il__buf *out)
{
    il__buf_puts(out, "\n## Scenarios\n\nThe members of a scenario:\n\n");
    for (size_t i = 0; i < words->member_count; i++)
        il__buf_printf(out, "- `%.*s`\n", IL_STR_FMT(words->members[i].name));
    il__buf_puts(out, "\nThe methods of `s`:\n\n");
    for (size_t i = 0; i < words->method_count; i++) {
        const struct il__ref_word *w = &words->methods[i];
        il__buf_printf(out, "- `s:%.*s(", IL_STR_FMT(w->name));
        for (size_t p = 0; p < w->param_count; p++)
            il__buf_printf(out, "%s%.*s", p ? ", " : "", IL_STR_FMT(w->params[p]));
        il__buf_puts(out, ")`\n");
    }
    il__buf_puts(out, "\nThe options of `fake`:\n\n| option | type |\n|---|---|\n");
    for (size_t i = 0; i < words->option_count; i++) {
        il__buf_printf(out, "| `%.*s` | ", IL_STR_FMT(words->options[i].name));
        put_cell(words->options[i].type, out);
        il__buf_puts(out, " |\n");
    }
}

enum il_code il__reference_page(struct il__arena *arena, struct il__buf *out, struct il_error *err)
{
    struct il__globals globals;
    struct il__ref_words words;
    enum il_code code = il__globals_read(arena, &globals, err);
    if (code == IL_OK) code = il__ref_words_read(arena, &words, err);
    if (code != IL_OK) return code;
    il__buf_puts(out, "# Reference of the script API\n\nEvery object, member and global that scripts are given. "
                      "This page is made by\n`interlock policy api --format markdown` from the tables of the bindings; "
                      "what they are for is told in\n[the script API](README.md).\n");
    for (size_t i = 0; il__objects[i]; i++)
        if (il__objects[i]->members) put_object(il__objects[i], out);
    if ((code = put_views(arena, out, err))) return code;
    put_globals(&globals, out);
    put_words(&words, out);
    return il__buf_check(out, err);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_objects(struct il__json_writer *w)
{
    il__jw_key(w, "objects");
    il__jw_array(w);
    for (size_t i = 0; il__objects[i]; i++) {
        il__jw_object(w);
        il__jw_member_z(w, "about", il__objects[i]->about);
        il__jw_key(w, "members");
        il__jw_array(w);
        for (const struct il__member *m = il__objects[i]->members; m && m->name; m++) {
            il__jw_object(w);
            il__jw_member_z(w, "about", m->about);
            il__jw_member_z(w, "kind", m->kind);
            il__jw_member_z(w, "name", m->name);
            il__jw_key(w, "phases");
            il__jw_array(w);
            for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++)
                if (!m->phases || m->phases & 1u << p) il__jw_z(w, il__phase_names[p]);
            il__jw_array_end(w);
            il__jw_object_end(w);
        }
        il__jw_array_end(w);
        il__jw_member_z(w, "name", il__objects[i]->name);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
}

static void json_row(struct il__json_writer *w, const struct il__schema *schema, const struct il__field *row)
{
    const char *const *names = il__kind_field_names(schema, row);
    struct il__buf type;
    il__buf_init(&type, w->buf->mem, 0);
    il__ref_field_type(schema, row, &type);
    il__jw_object(w);
    il__jw_member_z(w, "about", row->about);
    il__jw_member_z(w, "name", row->lua);
    il__jw_member_bool(w, "optional", il__ref_field_optional(row));
    il__jw_member_str(w, "type", il__buf_get(&type));
    if (names) {
        il__jw_key(w, "values");
        il__jw_array(w);
        for (size_t i = 0; names[i]; i++) il__jw_z(w, names[i]);
        il__jw_array_end(w);
    }
    il__jw_member_z(w, "wire", row->wire);
    il__jw_object_end(w);
    il__buf_clear(&type);
}

static void json_view(struct il__json_writer *w, const char *name, const char *about, const struct il__schema *schema)
{
    il__jw_object(w);
    il__jw_member_z(w, "about", about);
    il__jw_key(w, "members");
    il__jw_array(w);
    for (const struct il__field *row = schema->fields; row->wire; row++) json_row(w, schema, row);
    il__jw_array_end(w);
    il__jw_member_z(w, "name", name);
    il__jw_object_end(w);
}

static void json_globals(struct il__json_writer *w, const struct il__globals *globals)
{
    il__jw_key(w, "globals");
    il__jw_object(w);
    for (size_t i = 0; i < globals->count; i++) {
        il__jw_key_str(w, globals->items[i].name);
        il__jw_array(w);
        for (size_t m = 0; m < globals->items[i].member_count; m++) il__jw_str(w, globals->items[i].members[m]);
        il__jw_array_end(w);
    }
    il__jw_object_end(w);
}

enum il_code il__reference_json(struct il__arena *arena, struct il__buf *out, struct il_error *err)
{
    struct il__globals globals;
    struct il__json_writer w;
    const struct il__schema *action = il__action_seen_schema(arena);
    enum il_code code = il__globals_read(arena, &globals, err);
    if (code == IL_OK && !action) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for the reference");
    if (code != IL_OK) return code;
    il__jw_init(&w, out);
    il__jw_object(&w);
    json_globals(&w, &globals);
    json_objects(&w);
    il__jw_key(&w, "views");
    il__jw_array(&w);
    for (const struct il__ref_view *v = il__ref_views; v->name; v++) json_view(&w, v->name, v->about, v->schema);
    json_view(&w, "Action", "The action as policies see it after the preview.", action);
    il__jw_array_end(&w);
    il__jw_object_end(&w);
    il__buf_putc(out, '\n');
    return il__buf_check(out, err);
}
