/* Admission of source text before the compiler sees it: text only, bounded in size, nesting, suffix chains and
 * operators, without what Lua 5.4.4 compiles wrongly. Uses base. A linear scan; must never allocate or recurse. */
#ifndef IL_SCRIPT_ADMIT_H
#define IL_SCRIPT_ADMIT_H

#include "base/error.h"
#include "base/limits.h"

/* What an admitted source holds that may surprise: the first line of each, 0 when absent. */
struct il__admitted {
    int pow_line; /* `^`: its last bit depends on the processor */
};

/* IL_OK, or script_error with the line in `*line` (0: the file as a whole) and a sentence in `err`. `notes` and `line`
 * may be NULL. */
enum il_code il__admit(struct il_str source, struct il__admitted *notes, int *line, struct il_error *err) IL_MUST_USE;

#endif
