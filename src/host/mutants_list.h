/* The list of mutants that no test can kill, kept beside a bundle (mutants.md): every row of a table whose first cell
 * is FILE:LINE. What else stands in the file is prose. Reads text; knows no policy. */
#ifndef IL_HOST_MUTANTS_LIST_H
#define IL_HOST_MUTANTS_LIST_H

#include "base/limits.h"
#include "base/mem.h"

struct il__listed_mutant {
    struct il_str file;
    uint32_t line;
    struct il_str before, after, why;
    bool seen;         /* by whoever looks mutants up */
    uint32_t at_line;  /* of the list */
};
struct il__mutants_list { struct il__listed_mutant *items; size_t count; };

/* IL_DECODE: a row names a place and is otherwise unreadable, with its line in the message; IL_LIMIT_EXCEEDED: more
 * rows than mutants_listed. Texts lie in `arena`. */
enum il_code il__mutants_list_read(struct il__mutants_list *list, struct il__arena *arena, struct il_str text,
                                   struct il_error *err) IL_MUST_USE;
/* NULL: it is not listed. */
struct il__listed_mutant *il__mutants_list_find(const struct il__mutants_list *list, struct il_str file, uint32_t line,
                                                struct il_str before, struct il_str after);

#endif
