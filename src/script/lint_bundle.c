/* Rules about bundle.json and what it says of its files (lint_inside.h): that it reads, that parameters and files are
 * used, that modules are there. */
#include "base/error.h"
#include "script/bundle.h"
#include "script/lint_inside.h"

#include <stdio.h>

static const struct il_str manifest_name = { "bundle.json", 11 };

struct manifest {
    struct il__lint *lint;
    struct il__json doc;
    struct il__buf values; /* parameters without a default, with some value of their type */
    struct il__json_writer writer;
};

static void place_of(const struct manifest *m, uint32_t node, uint32_t *line, uint32_t *column)
{
    uint32_t off = m->doc.nodes[node].off;
    *line = 1;
    for (uint32_t i = 0; i < off; i++) *line += m->doc.text.ptr[i] == '\n';
    *column = il__source_column(m->doc.text, off);
}

static struct il_str text_of(struct manifest *m, uint32_t node)
{
    struct il_str s = IL_STR_NONE;
    if (!node || (il__json_kind(&m->doc, node) != IL__JSON_STRING && !(m->doc.nodes[node].flags & IL__JSON_KEY)))
        return s;
    if (il__json_string(&m->doc, node, &s, NULL) != IL_OK || il__arena_str(m->lint->arena, s, &s) != IL_OK)
        m->lint->no_memory = true;
    return s;
}

static struct il__lint_file *file_named(struct il__lint *lint, struct il_str path)
{
    for (size_t i = 0; i < lint->file_count; i++)
        if (il__str_eq(lint->files[i].path, path)) return &lint->files[i];
    return NULL;
}

/* ---- bundle.json ------------------------------------------------------------------------------------------------- */

static void put_value(struct manifest *m, struct il_str name, struct il_str type)
{
    il__jw_key_str(&m->writer, name);
    if (il__str_eq(type, IL_STR("boolean"))) il__jw_bool(&m->writer, false);
    else if (il__str_eq(type, IL_STR("strings"))) il__jw_raw(&m->writer, IL_STR("[]"));
    else if (il__str_eq(type, IL_STR("string"))) il__jw_str(&m->writer, IL_STR(""));
    else il__jw_int(&m->writer, 0);
}

static bool has_param(const struct il__lint_file *f, struct il_str name)
{
    for (size_t i = 0; i < f->param_count; i++)
        if (il__str_eq(f->params[i].name, name)) return true;
    return false;
}

static void take_params(struct manifest *m, struct il__lint_file *f, uint32_t params)
{
    if (!params || il__json_kind(&m->doc, params) != IL__JSON_OBJECT) return;
    size_t room = f->param_count + m->doc.nodes[params].count;
    struct il__lint_param *all = il__lint_alloc(m->lint, (room + 1) * sizeof *all);
    if (!all) return;
    for (size_t i = 0; i < f->param_count; i++) all[i] = f->params[i];
    f->params = all;
    for (uint32_t name = il__json_first(&m->doc, params); name; name = il__json_next(&m->doc, params, name + 1)) {
        struct il__lint_param p = { .name = text_of(m, name) };
        place_of(m, name, &p.line, &p.column);
        if (!has_param(f, p.name)) all[f->param_count++] = p;
        if (!il__json_get(&m->doc, name + 1, "default"))
            put_value(m, p.name, text_of(m, il__json_get(&m->doc, name + 1, "type")));
    }
}

static void take_policies(struct manifest *m)
{
    uint32_t list = il__json_get(&m->doc, 0, "policies");
    if (!list || il__json_kind(&m->doc, list) != IL__JSON_ARRAY) return;
    for (uint32_t e = il__json_first(&m->doc, list); e; e = il__json_next(&m->doc, list, e)) {
        struct il__lint_file *f = file_named(m->lint, text_of(m, il__json_get(&m->doc, e, "file")));
        if (!f) continue;
        f->policy = true;
        take_params(m, f, il__json_get(&m->doc, e, "params"));
    }
}

static void take_listed(struct manifest *m)
{
    uint32_t list = il__json_get(&m->doc, 0, "files");
    if (!list || il__json_kind(&m->doc, list) != IL__JSON_ARRAY) return;
    for (uint32_t e = il__json_first(&m->doc, list); e; e = il__json_next(&m->doc, list, e)) {
        struct il__lint_file *f = file_named(m->lint, text_of(m, e));
        if (!f) continue;
        f->listed = true;
        place_of(m, e, &f->line, &f->column);
    }
}

/* The message without "bundle.json:LINE: ": the finding says where. */
static const char *without_place(const struct il_error *err)
{
    if (strncmp(err->message, "bundle.json:", manifest_name.len + 1) != 0) return err->message;
    const char *at = strchr(err->message, ' ');
    return at ? at + 1 : err->message;
}

/* Where the error is: a place in bundle.json by its pointer, or a file by its name. */
static void report(struct manifest *m, const struct il_error *err)
{
    uint32_t line = 1, column = 1;
    const struct il__lint_file *f = file_named(m->lint, il__str(err->field));
    for (uint32_t at = 0; at < m->doc.count; at++) {
        char pointer[sizeof err->field];
        il__json_pointer(&m->doc, at, pointer, sizeof pointer);
        if (strcmp(pointer, err->field) != 0) continue;
        place_of(m, at, &line, &column);
        break;
    }
    il__lint_place(m->lint, IL__LINT_BUNDLE, f ? f->path : manifest_name, line, column, NULL, "%s", without_place(err));
}

/* The bundle as a host would open it. */
static void open_bundle(struct manifest *m, const struct il_file *files, size_t count)
{
    struct il__mem *mem = m->lint->arena->mem;
    struct il__digest *digest = m->values.code == IL_OUT_OF_MEMORY ? NULL : il__digest_new(mem);
    struct il__bundle *bundle = NULL;
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = digest ? il__bundle_open(mem, digest, files, count, il__buf_get(&m->values), &bundle, &err)
                               : IL_OUT_OF_MEMORY;
    if (code == IL_OUT_OF_MEMORY) m->lint->no_memory = true;
    else if (code != IL_OK) report(m, &err);
    il__bundle_free(bundle);
    il__digest_free(digest);
}

void il__lint_manifest(struct il__lint *lint, const struct il_file *files, size_t count)
{
    struct manifest m = { .lint = lint };
    const struct il_file *manifest = NULL;
    struct il_error err = IL_ERROR_INIT;
    for (size_t i = 0; i < count; i++)
        if (il__str_eq(files[i].path, manifest_name)) manifest = &files[i];
    if (!manifest) {
        il__lint_place(lint, IL__LINT_BUNDLE, manifest_name, 1, 1, "write bundle.json, or `interlock policy new`",
                       "the bundle has no bundle.json");
        return;
    }
    enum il_code code = il__json_parse(&m.doc, lint->arena->mem, manifest->bytes, IL__JSON_CONTRACT, &err);
    if (code == IL_OUT_OF_MEMORY) lint->no_memory = true;
    if (code != IL_OK) {
        il__lint_place(lint, IL__LINT_BUNDLE, manifest_name, m.doc.fault_line ? m.doc.fault_line : 1, 1, NULL, "%s",
                       err.message);
        return;
    }
    il__buf_init(&m.values, lint->arena->mem, 0);
    il__jw_init(&m.writer, &m.values);
    il__jw_object(&m.writer);
    take_policies(&m);
    take_listed(&m);
    il__jw_object_end(&m.writer);
    lint->has_bundle = true;
    open_bundle(&m, files, count);
    il__buf_clear(&m.values);
    il__json_clear(&m.doc);
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

void il__lint_unused(struct il__lint *lint)
{
    struct il__lint_text shown;
    for (size_t i = 0; i < lint->file_count; i++) {
        struct il__lint_file *f = &lint->files[i];
        for (size_t p = 0; f->policy && !f->params_escape && p < f->param_count; p++) {
            if (f->params[p].used) continue;
            il__lint_place(lint, IL__LINT_UNUSED_PARAM, manifest_name, f->params[p].line, f->params[p].column,
                           "remove it, or read ctx.params", "nothing in %.*s reads the parameter `%s`",
                           IL_STR_FMT(f->path), il__lint_show(&shown, f->params[p].name));
        }
        if (f->listed && !f->policy && !f->required && !lint->dynamic_require)
            il__lint_place(lint, IL__LINT_UNUSED_FILE, manifest_name, f->line, f->column, "remove it, or `require` it",
                           "nothing requires %s", il__lint_show(&shown, f->path));
    }
}

/* ---- require ----------------------------------------------------------------------------------------------------- */

/* The module name of a file: without .lua, dots for slashes. */
static bool is_module(struct il_str path, struct il_str name)
{
    if (path.len != name.len + 4) return false;
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] != (path.ptr[i] == '/' ? '.' : path.ptr[i])) return false;
    return true;
}

static void module(struct il__lint *lint, uint32_t argument, struct il_str name)
{
    struct il__lint_text shown;
    struct il__lint_fix fix;
    struct il__near near = il__near_start(name);
    char buf[IL__LIMIT_BUNDLE_PATH_BYTES + 1];
    if (il__str_eq(name, IL_STR("interlock.policy"))) return;
    il__near_try(&near, IL_STR("interlock.policy"));
    for (size_t i = 0; i < lint->file_count; i++) {
        struct il__lint_file *f = &lint->files[i];
        if (!is_module(f->path, name)) continue;
        f->required = true;
        if (f->listed || !lint->has_bundle || lint->file->test) return;
        snprintf(fix.z, sizeof fix.z, "list %.*s in `files` of bundle.json", IL_STR_FMT(f->path));
        il__lint_node(lint, IL__LINT_UNKNOWN_MODULE, argument, fix.z, "bundle.json does not list the file of `%s`",
                      il__lint_show(&shown, name));
        return;
    }
    for (size_t i = 0; i < lint->file_count; i++) {
        struct il_str path = lint->files[i].path;
        if (!lint->files[i].listed || path.len >= sizeof buf) continue;
        for (size_t c = 0; c < path.len; c++) buf[c] = path.ptr[c] == '/' ? '.' : path.ptr[c];
        struct il_str kept;
        if (il__arena_str(lint->arena, (struct il_str){ buf, path.len - 4 }, &kept) == IL_OK) il__near_try(&near, kept);
    }
    const char *mean = il__lint_mean(&fix, &near);
    il__lint_node(lint, IL__LINT_UNKNOWN_MODULE, argument,
                  mean ? mean : "a module is a file that bundle.json lists: lib/list.lua is \"lib.list\"",
                  "the bundle has no module `%s`", il__lint_show(&shown, name));
}

void il__lint_requires(struct il__lint *lint)
{
    const struct il__syntax *s = lint->file->syntax;
    for (uint32_t at = 1; at < s->count; at++) {
        const struct il__syn *n = il__syn(s, at);
        if (n->kind != IL__SYN_NAME || n->local || !il__str_eq(n->text, IL_STR("require"))) continue;
        const struct il__syn *call = il__syn(s, n->parent);
        uint32_t argument = call->kind == IL__SYN_CALL && call->first == at ? n->next : 0;
        if (il__syn(s, argument)->kind != IL__SYN_STRING) lint->dynamic_require = true;
        else module(lint, argument, il__syn(s, argument)->text);
    }
}
