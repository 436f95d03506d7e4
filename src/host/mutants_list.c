/* Reading the list of equivalent mutants (mutants_list.h). */
#include "host/mutants_list.h"

#include "base/error.h"

enum { CELLS = 3 };

static struct il_str trim(struct il_str s)
{
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) s.ptr++, s.len--;
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t' || s.ptr[s.len - 1] == '\r')) s.len--;
    return s;
}

/* The next cell of a row, up to a bar that is not escaped; false at the end. */
static bool next_cell(struct il_str row, size_t *at, struct il_str *out)
{
    size_t from = *at, end = from;
    if (from >= row.len) return false;
    while (end < row.len && !(row.ptr[end] == '|' && row.ptr[end - 1] != '\\')) end++;
    *out = trim((struct il_str){ row.ptr + from, end - from });
    *at = end + 1;
    return end < row.len;
}

/* What stands in backticks, with `\|` as a bar, copied; the whole of it when there are none. */
static bool copy_code(struct il__arena *arena, struct il_str s, struct il_str *out)
{
    s = trim(s);
    if (s.len >= 2 && s.ptr[0] == '`' && s.ptr[s.len - 1] == '`') s.ptr++, s.len -= 2;
    char *to = il__arena_alloc(arena, s.len + 1);
    size_t len = 0;
    if (!to) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '\\' && i + 1 < s.len && s.ptr[i + 1] == '|') continue;
        to[len++] = s.ptr[i];
    }
    *out = (struct il_str){ to, len };
    return true;
}

/* "file.lua:12" */
static bool read_place(struct il_str cell, struct il_str *file, uint32_t *line)
{
    size_t colon = cell.len;
    if (cell.len >= 2 && cell.ptr[0] == '`' && cell.ptr[cell.len - 1] == '`') cell.ptr++, cell.len -= 2;
    for (size_t i = 0; i < cell.len; i++)
        if (cell.ptr[i] == ':') colon = i;
    if (colon == 0 || colon + 1 >= cell.len || cell.len - colon > 8) return false;
    *line = 0;
    for (size_t i = colon + 1; i < cell.len; i++) {
        if (cell.ptr[i] < '0' || cell.ptr[i] > '9') return false;
        *line = *line * 10 + (uint32_t)(cell.ptr[i] - '0');
    }
    *file = (struct il_str){ cell.ptr, colon };
    return true;
}

static enum il_code read_row(struct il__mutants_list *list, struct il__arena *arena, struct il_str row, uint32_t line,
                             struct il_error *err)
{
    struct il_str cells[CELLS];
    struct il__listed_mutant m = { .at_line = line };
    size_t at = 1, n = 0;
    while (n < CELLS && next_cell(row, &at, &cells[n])) n++;
    if (n == 0 || !read_place(cells[0], &m.file, &m.line)) return IL_OK; /* another table, or its head */
    const char *arrow = n == CELLS ? memmem(cells[1].ptr, cells[1].len, "->", 2) : NULL;
    /* `a -> b` where either holds an arrow: the one with a blank on both sides counts. */
    const char *wide = n == CELLS ? memmem(cells[1].ptr, cells[1].len, "` -> `", 6) : NULL;
    if (wide) arrow = wide + 2;
    if (!arrow || cells[2].len == 0)
        return il__fail_at(err, IL_DECODE, "list of mutants", "row",
                           "line %u: a row is | FILE:LINE | `before` -> `after` | "
                           "why no test can kill it |",
                           (unsigned)line);
    if (list->count == IL__LIMIT_MUTANTS_LISTED)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "list of mutants", "rows", "more than %d (mutants_listed)",
                           IL__LIMIT_MUTANTS_LISTED);
    const struct il_str before = { cells[1].ptr, (size_t)(arrow - cells[1].ptr) };
    const struct il_str after = { arrow + 2, (size_t)(cells[1].ptr + cells[1].len - arrow - 2) };
    if (il__arena_str(arena, m.file, &m.file) || !copy_code(arena, before, &m.before) ||
        !copy_code(arena, after, &m.after) || il__arena_str(arena, cells[2], &m.why))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a list of mutants");
    list->items[list->count++] = m;
    return IL_OK;
}

enum il_code il__mutants_list_read(struct il__mutants_list *list, struct il__arena *arena, struct il_str text,
                                   struct il_error *err)
{
    enum il_code code = IL_OK;
    uint32_t number = 0;
    *list = (struct il__mutants_list){ il__arena_alloc(arena, IL__LIMIT_MUTANTS_LISTED * sizeof *list->items), 0 };
    if (!list->items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a list of mutants");
    for (size_t at = 0; at < text.len && !code;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        struct il_str row = { text.ptr + at, end ? (size_t)(end - text.ptr) - at : text.len - at };
        at += row.len + 1;
        number++;
        row = trim(row);
        if (row.len && row.ptr[0] == '|') code = read_row(list, arena, row, number, err);
    }
    return code;
}

struct il__listed_mutant *il__mutants_list_find(const struct il__mutants_list *list, struct il_str file, uint32_t line,
                                                struct il_str before, struct il_str after)
{
    for (size_t i = 0; i < list->count; i++) {
        struct il__listed_mutant *m = &list->items[i];
        if (m->line == line && il__str_eq(m->file, file) && il__str_eq(m->before, before) &&
            il__str_eq(m->after, after))
            return m;
    }
    return NULL;
}
