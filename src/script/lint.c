/* Lint (lint.h): reads the bundle, looks at each file, keeps the findings. */
#include "script/lint.h"

#include "base/error.h"
#include "base/sort.h"
#include "script/admit.h"
#include "script/lint_inside.h"
#include "script/seen.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *id, *about;
    enum il__severity severity;
} rules[] = {
#define X(constant, id, severity, about) { id, about, IL__LINT_##severity },
    IL__LINT_RULES(X)
#undef X
};

const char *il__lint_id(enum il__lint_rule rule)
{
    return rules[rule].id;
}

const char *il__lint_about(enum il__lint_rule rule)
{
    return rules[rule].about;
}

enum il__severity il__lint_severity(enum il__lint_rule rule)
{
    return rules[rule].severity;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

void *il__lint_alloc(struct il__lint *lint, size_t size)
{
    void *p = il__arena_alloc(lint->arena, size);
    if (!p) lint->no_memory = true;
    return p;
}

const char *il__lint_show(struct il__lint_text *buf, struct il_str s)
{
    il__escape(buf->z, sizeof buf->z, s);
    return buf->z;
}

const char *il__lint_mean(struct il__lint_fix *buf, const struct il__near *near)
{
    struct il__lint_text shown;
    if (!il__str_present(near->best)) return NULL;
    snprintf(buf->z, sizeof buf->z, "did you mean `%s`?", il__lint_show(&shown, near->best));
    return buf->z;
}

static void add(struct il__lint *lint, struct il__finding *finding, const char *fix, const char *fmt, va_list args)
{
    char message[400];
    vsnprintf(message, sizeof message, fmt, args);
    if (lint->found.len / sizeof *finding >= IL__LIMIT_LINT_FINDINGS) {
        lint->more++;
        return;
    }
    bool ok = il__arena_str(lint->arena, il__str(message), &finding->message) == IL_OK &&
              il__arena_str(lint->arena, il__str(fix ? fix : ""), &finding->fix) == IL_OK &&
              il__arena_str(lint->arena, finding->file, &finding->file) == IL_OK;
    il__buf_add(&lint->found, finding, sizeof *finding);
    if (!ok || lint->found.code) lint->no_memory = true;
}

static uint32_t line_of(struct il_str source, uint32_t at)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < at && i < source.len; i++) {
        if (source.ptr[i] == '\n') line++;
        else if (source.ptr[i] == '\r' && !(i + 1 < source.len && source.ptr[i + 1] == '\n')) line++;
    }
    return line;
}

static void at_bytes(struct il__lint *lint, enum il__lint_rule rule, uint32_t from, uint32_t to, const char *fix,
                     const char *fmt, va_list args)
{
    struct il_str source = lint->file->source;
    struct il__finding f = { .rule = rule, .file = lint->file->path };
    f.line = line_of(source, from);
    f.column = il__source_column(source, from);
    f.end_line = line_of(source, to);
    f.end_column = il__source_column(source, to);
    add(lint, &f, fix, fmt, args);
}

void il__lint_at(struct il__lint *lint, enum il__lint_rule rule, uint32_t from, uint32_t to, const char *fix,
                 const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    at_bytes(lint, rule, from, to, fix, fmt, args);
    va_end(args);
}

void il__lint_node(struct il__lint *lint, enum il__lint_rule rule, uint32_t node, const char *fix, const char *fmt, ...)
{
    const struct il__syn *n = il__syn(lint->file->syntax, node);
    va_list args;
    va_start(args, fmt);
    at_bytes(lint, rule, n->from, n->to, fix, fmt, args);
    va_end(args);
}

void il__lint_place(struct il__lint *lint, enum il__lint_rule rule, struct il_str file, uint32_t line, uint32_t column,
                    const char *fix, const char *fmt, ...)
{
    struct il__finding f = { .rule = rule, .file = file, .line = line, .column = column, .end_line = line,
                             .end_column = column };
    va_list args;
    va_start(args, fmt);
    add(lint, &f, fix, fmt, args);
    va_end(args);
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

/* The sentence of the parser where it has one: it knows what people mean. What only admission refuses comes after. */
static bool parse(struct il__lint *lint)
{
    struct il__lint_file *f = lint->file;
    struct il__syntax_fault fault = { 0 };
    struct il_error err = IL_ERROR_INIT;
    int line = 0;
    enum il_code code = il__syntax_parse(lint->arena->mem, f->source, &f->syntax, &fault, &err);
    if (code == IL_OUT_OF_MEMORY) lint->no_memory = true;
    else if (code != IL_OK)
        il__lint_place(lint, IL__LINT_SYNTAX, f->path, fault.line, fault.column, fault.fix, "%s", fault.message);
    if (code != IL_OK) return false;
    il__error_clear(&err);
    if (il__admit(f->source, NULL, &line, &err) == IL_OK) return true;
    il__lint_place(lint, IL__LINT_SYNTAX, f->path, line ? (uint32_t)line : 1, 1, NULL, "%s", err.message);
    return true;
}

static void look(struct il__lint *lint)
{
    struct il__lint_file *f = lint->file;
    if (!parse(lint)) {
        lint->dynamic_require = true; /* what it would require is not known */
        f->params_escape = true;
        return;
    }
    il__lint_infer(lint);
    if (!lint->no_memory) {
        il__lint_names(lint);
        il__lint_requires(lint);
        il__lint_fields(lint);
        il__lint_policy(lint);
        il__lint_dead(lint);
    }
    il__syntax_free(f->syntax);
    f->syntax = NULL;
}

/* ---- the bundle -------------------------------------------------------------------------------------------------- */

static bool ends_with(struct il_str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && memcmp(s.ptr + s.len - n, suffix, n) == 0;
}

static void take_files(struct il__lint *lint, const struct il_file *files, size_t count)
{
    lint->files = il__lint_alloc(lint, (count + 1) * sizeof *lint->files);
    for (size_t i = 0; lint->files && i < count; i++) {
        if (!ends_with(files[i].path, ".lua")) continue;
        struct il_str source = files[i].bytes.ptr ? files[i].bytes : IL_STR("");
        lint->files[lint->file_count++] = (struct il__lint_file){ .path = files[i].path, .source = source,
                                                                  .test = ends_with(files[i].path, "_test.lua") };
    }
}

static bool before(void *ctx, const void *a, const void *b)
{
    const struct il__finding *const *x = a, *const *y = b;
    int order = il__str_cmp((*x)->file, (*y)->file);
    (void)ctx;
    if (order != 0) return order < 0;
    if ((*x)->line != (*y)->line) return (*x)->line < (*y)->line;
    if ((*x)->column != (*y)->column) return (*x)->column < (*y)->column;
    if ((*x)->rule != (*y)->rule) return (*x)->rule < (*y)->rule;
    return il__str_cmp((*x)->message, (*y)->message) < 0;
}

static bool same(const struct il__finding *a, const struct il__finding *b)
{
    return a->rule == b->rule && a->line == b->line && a->column == b->column && il__str_eq(a->file, b->file);
}

/* Sorted, and each place once for a rule. */
static void give(struct il__lint *lint, struct il__findings *out)
{
    size_t count = lint->found.len / sizeof(struct il__finding), kept = 0;
    const struct il__finding *all = (const void *)lint->found.ptr;
    const struct il__finding **order = il__lint_alloc(lint, (count + 1) * sizeof *order);
    struct il__finding *items = il__lint_alloc(lint, (count + 1) * sizeof *items);
    if (!order || !items) return;
    for (size_t i = 0; i < count; i++) order[i] = &all[i];
    il__sort(order, count, sizeof *order, before, NULL);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !same(&items[kept - 1], order[i])) items[kept++] = *order[i];
    *out = (struct il__findings){ items, kept, lint->more };
}

enum il_code il__lint_bundle(struct il__arena *arena, const struct il_file *files, size_t count,
                             struct il__findings *out, struct il_error *err)
{
    struct il__lint lint = { .arena = arena };
    if (count > (size_t)IL__LIMIT_BUNDLE_FILES * 4)
        return il__fail(err, IL_LIMIT_EXCEEDED, "the bundle has more than %d files beside it (bundle_files)",
                        IL__LIMIT_BUNDLE_FILES * 4);
    enum il_code code = il__globals_read(arena, &lint.globals, err);
    if (code != IL_OK) return code;
    il__buf_init(&lint.found, arena->mem, 0);
    lint.action_schema = il__action_seen_schema(arena);
    if (!lint.action_schema) lint.no_memory = true;
    take_files(&lint, files, count);
    if (!lint.no_memory) il__lint_manifest(&lint, files, count);
    for (size_t i = 0; !lint.no_memory && i < lint.file_count; i++) {
        lint.file = &lint.files[i];
        look(&lint);
    }
    if (!lint.no_memory) il__lint_unused(&lint);
    if (!lint.no_memory) give(&lint, out);
    il__buf_clear(&lint.found);
    if (lint.no_memory) return il__fail(err, IL_OUT_OF_MEMORY, "no memory to look at a bundle");
    return IL_OK;
}
