/* Rows of tests/vectors/rules: cells parted by tabs, the last of which says why the row is there. {XX} in a cell is the
 * byte with that hexadecimal number; {xN:TEXT} is TEXT N times. Lines that begin with # and empty ones are no rows. */
#ifndef RULE_ROWS_H
#define RULE_ROWS_H

#include "base/str.h"

enum { RULE_CELLS = 6, RULE_CELL_MAX = 80000 };

struct rule_row {
    struct il_str cells[RULE_CELLS]; /* absent behind the last */
    size_t count;
    const char *file;
    int line;
};

/* Calls `fn` for each row of the file that has `cells` cells and ends the program at one that has not; returns how many
 * there were. */
int rule_rows(const char *path, size_t cells, void (*fn)(const struct rule_row *row));
/* Does the cell say that it is refused ("!part of the reason"), and does `why` say so, too? */
bool rule_refused(struct il_str cell, const char *why);
static inline bool rule_is_refusal(struct il_str cell)
{
    return cell.len > 0 && cell.ptr[0] == '!';
}

#endif
