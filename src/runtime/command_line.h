/* A command line split into words without a shell: blanks part words, 'single quotes' are literal, "double ones" know
 * \" and \\, a backslash outside of quotes takes the next character as it is. Nothing is expanded. */
#ifndef IL_RUNTIME_COMMAND_LINE_H
#define IL_RUNTIME_COMMAND_LINE_H

#include "base/mem.h"

struct il__command_line {
    char **argv; /* NULL-terminated, in `arena` */
    size_t argc; /* at least 1 */
    struct il__arena arena;
};

/* invalid_request (empty, an open quote, NUL, too long, too many words) or out_of_memory: `out` is then cleared. */
enum il_code il__command_line_split(struct il__mem *mem, struct il_str text, struct il__command_line *out,
                                    struct il_error *err) IL_MUST_USE;
/* Zeroed is accepted. */
void il__command_line_clear(struct il__command_line *line);

#endif
