/* Findings as text, JSON and SARIF 2.1.0 (lint.h). */
#include "script/lint.h"

#include "base/error.h"
#include "base/limits.h"

#include <stdio.h>

static const char *severity(enum il__lint_rule rule)
{
    return il__lint_severity(rule) == IL__LINT_ERROR ? "error" : "warning";
}

/* The label, a slash, the file. */
static void path(const struct il__linted *item, struct il_str file, char buf[512])
{
    char label[256], shown[200];
    il__escape(label, sizeof label, item->label);
    il__escape(shown, sizeof shown, file);
    bool joined = label[0] && label[strlen(label) - 1] != '/';
    snprintf(buf, 512, "%s%s%s", label, joined ? "/" : "", shown);
}

static void count(const struct il__linted *items, size_t n, size_t *errors, size_t *warnings, size_t *more)
{
    *errors = *warnings = *more = 0;
    for (size_t i = 0; i < n; i++) {
        *more += items[i].findings.more;
        for (size_t j = 0; j < items[i].findings.count; j++)
            if (il__lint_severity(items[i].findings.items[j].rule) == IL__LINT_ERROR) (*errors)++;
            else (*warnings)++;
    }
}

void il__lint_text(const struct il__linted *items, size_t n, struct il__buf *out)
{
    size_t errors, warnings, more;
    char at[512];
    count(items, n, &errors, &warnings, &more);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < items[i].findings.count; j++) {
            const struct il__finding *f = &items[i].findings.items[j];
            path(&items[i], f->file, at);
            il__buf_printf(out, "%s:%u:%u: %s: ", at, f->line, f->column, severity(f->rule));
            il__buf_str(out, f->message);
            if (f->fix.len) il__buf_puts(out, "; ");
            il__buf_str(out, f->fix);
            il__buf_printf(out, " [%s]\n", il__lint_id(f->rule));
        }
    }
    if (more) il__buf_printf(out, "%zu more are not shown (lint_findings)\n", more);
    if (errors + warnings == 0) il__buf_puts(out, "nothing found\n");
    else il__buf_printf(out, "%zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s", warnings,
                        warnings == 1 ? "" : "s");
}

static void finding(struct il__json_writer *w, const struct il__linted *item, const struct il__finding *f)
{
    char at[512];
    path(item, f->file, at);
    il__jw_object(w);
    il__jw_member_int(w, "column", f->column);
    il__jw_member_int(w, "endColumn", f->end_column);
    il__jw_member_int(w, "endLine", f->end_line);
    il__jw_member_z(w, "file", at);
    if (f->fix.len) il__jw_member_str(w, "fix", f->fix);
    il__jw_member_int(w, "line", f->line);
    il__jw_member_str(w, "message", f->message);
    il__jw_member_z(w, "rule", il__lint_id(f->rule));
    il__jw_member_z(w, "severity", severity(f->rule));
    il__jw_object_end(w);
}

void il__lint_json(const struct il__linted *items, size_t n, struct il__buf *out)
{
    size_t errors, warnings, more;
    struct il__json_writer w;
    count(items, n, &errors, &warnings, &more);
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_int(&w, "errors", (int64_t)errors);
    il__jw_key(&w, "findings");
    il__jw_array(&w);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < items[i].findings.count; j++) finding(&w, &items[i], &items[i].findings.items[j]);
    il__jw_array_end(&w);
    il__jw_member_int(&w, "more", (int64_t)more);
    il__jw_member_bool(&w, "ok", errors + warnings == 0);
    il__jw_member_int(&w, "warnings", (int64_t)warnings);
    il__jw_object_end(&w);
    il__buf_putc(out, '\n');
}

/* ---- SARIF 2.1.0 ------------------------------------------------------------------------------------------------- */

static void message(struct il__json_writer *w, const char *name, struct il_str text, struct il_str more)
{
    char both[700];
    snprintf(both, sizeof both, "%.*s%s%.*s", IL_STR_FMT(text), more.len ? "; " : "", IL_STR_FMT(more));
    il__jw_key(w, name);
    il__jw_object(w);
    il__jw_member_z(w, "text", both);
    il__jw_object_end(w);
}

static void sarif_rules(struct il__json_writer *w)
{
    il__jw_key(w, "rules");
    il__jw_array(w);
    for (int r = 0; r < IL__LINT_RULE_COUNT; r++) {
        il__jw_object(w);
        il__jw_member_z(w, "id", il__lint_id((enum il__lint_rule)r));
        message(w, "shortDescription", il__str(il__lint_about((enum il__lint_rule)r)), IL_STR_NONE);
        il__jw_key(w, "defaultConfiguration");
        il__jw_object(w);
        il__jw_member_z(w, "level", severity((enum il__lint_rule)r));
        il__jw_object_end(w);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
}

/* A path as a relative URI: what a URI cannot hold is written as %XX (RFC 3986). */
static void put_uri(struct il__json_writer *w, const char *name, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char uri[1600];
    size_t n = 0;
    for (; *text && n + 4 < sizeof uri; text++) {
        if (strchr(plain, *text)) uri[n++] = *text;
        else n += (size_t)snprintf(uri + n, sizeof uri - n, "%%%02X", (unsigned char)*text);
    }
    il__jw_key(w, name);
    il__jw_str(w, (struct il_str){ uri, n });
}

static void sarif_result(struct il__json_writer *w, const struct il__linted *item, const struct il__finding *f)
{
    char at[512];
    path(item, f->file, at);
    il__jw_object(w);
    il__jw_member_z(w, "ruleId", il__lint_id(f->rule));
    il__jw_member_int(w, "ruleIndex", f->rule);
    il__jw_member_z(w, "level", severity(f->rule));
    message(w, "message", f->message, f->fix);
    il__jw_key(w, "locations");
    il__jw_array(w);
    il__jw_object(w);
    il__jw_key(w, "physicalLocation");
    il__jw_object(w);
    il__jw_key(w, "artifactLocation");
    il__jw_object(w);
    put_uri(w, "uri", at);
    il__jw_object_end(w);
    il__jw_key(w, "region");
    il__jw_object(w);
    il__jw_member_int(w, "startLine", f->line);
    il__jw_member_int(w, "startColumn", f->column);
    il__jw_member_int(w, "endLine", f->end_line);
    il__jw_member_int(w, "endColumn", f->end_column);
    il__jw_object_end(w);
    il__jw_object_end(w);
    il__jw_object_end(w);
    il__jw_array_end(w);
    il__jw_object_end(w);
}

static void sarif_run(struct il__json_writer *w, const struct il__linted *items, size_t n)
{
    il__jw_object(w);
    il__jw_key(w, "tool");
    il__jw_object(w);
    il__jw_key(w, "driver");
    il__jw_object(w);
    il__jw_member_z(w, "name", "interlock policy lint");
    il__jw_member_z(w, "version", IL_VERSION);
    sarif_rules(w);
    il__jw_object_end(w);
    il__jw_object_end(w);
    il__jw_member_z(w, "columnKind", "unicodeCodePoints");
    il__jw_key(w, "results");
    il__jw_array(w);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < items[i].findings.count; j++) sarif_result(w, &items[i], &items[i].findings.items[j]);
    il__jw_array_end(w);
    il__jw_object_end(w);
}

void il__lint_sarif(const struct il__linted *items, size_t n, struct il__buf *out)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_z(&w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    il__jw_member_z(&w, "version", "2.1.0");
    il__jw_key(&w, "runs");
    il__jw_array(&w);
    sarif_run(&w, items, n);
    il__jw_array_end(&w);
    il__jw_object_end(&w);
    il__buf_putc(out, '\n');
}
