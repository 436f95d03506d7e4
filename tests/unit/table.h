/* Truth tables as files (tests/vectors/tables): an object with `columns` and `rows`, read row by row, cells by the name
 * of their column; and small JSON documents for tests. A file or text that cannot be read ends the program. */
#ifndef TABLE_H
#define TABLE_H

#include "contract/schema.h"

struct table {
    struct il__mem mem;
    struct il__json doc;
    char *bytes;
    uint32_t columns, rows, row;
};

void table_open(struct table *table, const char *path);
void table_close(struct table *table);
/* Goes to the next row; false behind the last one. */
bool table_next(struct table *table);
/* The cell of this row in that column; an unknown column ends the program. */
uint32_t table_cell(const struct table *table, const char *column);
struct il_str table_str(struct table *table, const char *column); /* null: absent */
bool table_bool(const struct table *table, const char *column);
/* The text of any node, absent for null. */
struct il_str table_text(struct table *table, uint32_t at);

/* Parses `text` (a literal) into `doc`; for free-form values. */
struct il__any table_json(struct il__json *doc, struct il__mem *mem, struct il_str text);

#endif
