/* Small changes to a policy's source, each of which a good set of tests must notice. A mutant is a range of bytes and
 * what stands there instead; it still parses, and its lines keep their numbers. Uses syntax.h; runs nothing. */
#ifndef IL_SCRIPT_MUTANTS_H
#define IL_SCRIPT_MUTANTS_H

#include "script/syntax.h"

/* X(constant, "name", "what is changed") */
#define IL__MUTATIONS(X)                                                                    \
    X(COMPARISON, "comparison", "a comparison becomes another one")                         \
    X(LOGIC, "logic", "`and` becomes `or`, `or` becomes `and`")                             \
    X(NOT, "not", "a `not` is removed")                                                     \
    X(CONDITION, "condition", "the condition of an `if`, `elseif` or `while` is negated")   \
    X(ARITHMETIC, "arithmetic", "an operator of arithmetic becomes its opposite")           \
    X(NUMBER, "number", "a number becomes one more or one less")                            \
    X(BOUND, "bound", "a loop ends one earlier")                                            \
    X(TEXT, "text", "a text that is compared or looked for becomes another one")            \
    X(BOOLEAN, "boolean", "`true` becomes `false`, `false` becomes `true`")                 \
    X(DROP, "drop", "a returned verdict is left out, and what follows runs")                \
    X(NIL, "nil", "nothing is returned")                                                    \
    X(VERDICT, "verdict", "`ask` becomes `deny`, `deny` becomes `ask`")                     \
    X(ITEM, "item", "an element of a table is left out")

enum il__mutation {
#define IL__X(constant, name, about) IL__MUTATE_##constant,
    IL__MUTATIONS(IL__X)
#undef IL__X
    IL__MUTATION_COUNT
};
const char *il__mutation_name(enum il__mutation rule);
const char *il__mutation_about(enum il__mutation rule);

struct il__mutant {
    enum il__mutation rule;
    uint32_t line, column;   /* of `from`, from 1 */
    uint32_t from, to;       /* the bytes that are replaced */
    struct il_str before, after; /* what stood there, in the caller's source; what stands there now, in the arena */
};
struct il__mutants { const struct il__mutant *items; size_t count; };

/* All mutants of `source`, in the order of the tree; none twice. They lie in `arena` and refer to `source`. The
 * same source gives the same list. script_error (it does not parse), limit_exceeded (more than script_mutants),
 * out_of_memory. */
enum il_code il__mutants_make(struct il__arena *arena, struct il_str source, struct il__mutants *out,
                              struct il_error *err) IL_MUST_USE;
/* The whole source with one mutant in it, appended to `out`. */
void il__mutant_source(struct il_str source, const struct il__mutant *mutant, struct il__buf *out);

#endif
