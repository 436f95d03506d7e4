/* Reads rows of tests/vectors/rules (rule_rows.h). */
#include "rule_rows.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static size_t put(char *to, size_t at, const char *bytes, size_t len)
{
    if (at + len > RULE_CELL_MAX) {
        printf("Bail out! a cell is too long\n");
        exit(1);
    }
    memcpy(to + at, bytes, len);
    return at + len;
}

/* The cell without its escapes, in memory of its own. */
static struct il_str unescape(const char *from, size_t len)
{
    char *to = malloc(RULE_CELL_MAX);
    size_t out = 0;
    for (size_t i = 0; i < len; i++) {
        const char *end = from[i] == '{' ? memchr(from + i, '}', len - i) : NULL;
        if (end && from[i + 1] == 'x') {
            char *text;
            unsigned long times = strtoul(from + i + 2, &text, 10);
            for (; times > 0; times--) out = put(to, out, text + 1, (size_t)(end - text - 1));
            i = (size_t)(end - from);
        } else if (end) {
            char byte = (char)strtoul(from + i + 1, NULL, 16);
            out = put(to, out, &byte, 1);
            i = (size_t)(end - from);
        } else {
            out = put(to, out, from + i, 1);
        }
    }
    char *exact = malloc(out ? out : 1); /* so that a read past the end is seen */
    memcpy(exact, to, out);
    free(to);
    return (struct il_str){ exact, out };
}

static void play(const char *line, size_t len, struct rule_row *row, size_t cells,
                 void (*fn)(const struct rule_row *row))
{
    row->count = 0;
    for (size_t from = 0; from <= len && row->count < RULE_CELLS;) {
        const char *tab = memchr(line + from, '\t', len - from);
        size_t to = tab ? (size_t)(tab - line) : len;
        row->cells[row->count++] = unescape(line + from, to - from);
        from = to + 1;
    }
    if (row->count != cells) {
        printf("Bail out! %s:%d has %zu cells\n", row->file, row->line, row->count);
        exit(1);
    }
    fn(row);
    for (size_t i = 0; i < row->count; i++) free((char *)(uintptr_t)row->cells[i].ptr);
}

int rule_rows(const char *path, size_t cells, void (*fn)(const struct rule_row *row))
{
    size_t len = 0;
    int rows = 0;
    char *text = tap_slurp(path, &len);
    struct rule_row row = { .file = path };
    for (size_t at = 0; at < len;) {
        const char *nl = memchr(text + at, '\n', len - at);
        size_t end = nl ? (size_t)(nl - text) : len;
        row.line++;
        if (end > at && text[at] != '#') {
            play(text + at, end - at, &row, cells, fn);
            rows++;
        }
        at = end + 1;
    }
    free(text);
    return rows;
}

bool rule_refused(struct il_str cell, const char *why)
{
    char part[200];
    snprintf(part, sizeof part, "%.*s", (int)cell.len - 1, cell.ptr + 1);
    return why && strstr(why, part) != NULL;
}
