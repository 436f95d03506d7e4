/* See table.h. */
#include "table.h"

#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static void give_up(const char *what)
{
    tap_ok(false, "%s", what);
    exit(1);
}

void table_open(struct table *table, const char *path)
{
    size_t len;
    memset(table, 0, sizeof *table);
    il__mem_init(&table->mem, NULL, NULL, 0);
    table->bytes = tap_slurp(path, &len);
    table_json(&table->doc, &table->mem, (struct il_str){ table->bytes, len });
    table->columns = il__json_get(&table->doc, 0, "columns");
    table->rows = il__json_get(&table->doc, 0, "rows");
    if (!table->columns || !table->rows) give_up(path);
}

void table_close(struct table *table)
{
    il__json_clear(&table->doc);
    free(table->bytes);
    tap_int((long long)table->mem.in_use_bytes, 0, "nothing of the table is left behind");
}

bool table_next(struct table *table)
{
    table->row = table->row ? il__json_next(&table->doc, table->rows, table->row)
                            : il__json_first(&table->doc, table->rows);
    return table->row != 0;
}

uint32_t table_cell(const struct table *table, const char *column)
{
    uint32_t cell = il__json_first(&table->doc, table->row), name = il__json_first(&table->doc, table->columns);
    size_t len = strlen(column);
    for (; cell && name; name = il__json_next(&table->doc, table->columns, name)) {
        struct il_str raw = il__json_raw(&table->doc, name);
        if (raw.len == len + 2 && memcmp(raw.ptr + 1, column, len) == 0) return cell;
        cell = il__json_next(&table->doc, table->row, cell);
    }
    give_up(column);
    return 0;
}

struct il_str table_text(struct table *table, uint32_t at)
{
    struct il_str text = IL_STR_NONE;
    if (il__json_kind(&table->doc, at) == IL__JSON_NULL) return text;
    if (il__json_kind(&table->doc, at) != IL__JSON_STRING) give_up("a cell is no text");
    if (il__json_string(&table->doc, at, &text, NULL) != IL_OK) give_up("a cell's text cannot be read");
    return text;
}

struct il_str table_str(struct table *table, const char *column)
{
    return table_text(table, table_cell(table, column));
}

bool table_bool(const struct table *table, const char *column)
{
    return il__json_kind(&table->doc, table_cell(table, column)) == IL__JSON_TRUE;
}

struct il__any table_json(struct il__json *doc, struct il__mem *mem, struct il_str text)
{
    struct il_error err = IL_ERROR_INIT;
    memset(doc, 0, sizeof *doc);
    if (il__json_parse(doc, mem, text, IL__JSON_PAYLOAD, &err) != IL_OK) give_up(err.message);
    return (struct il__any){ doc, 0 };
}
