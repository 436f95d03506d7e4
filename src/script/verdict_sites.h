/* Where a policy file can say what, read from its source: each call of `policy.ask` and `policy.deny`, each other use
 * of them (they are called elsewhere then), and each phase function that may say nothing. For coverage. Uses the
 * parser; what cannot be told from the text counts as possible. */
#ifndef IL_SCRIPT_VERDICT_SITES_H
#define IL_SCRIPT_VERDICT_SITES_H

#include "check/verdict.h"
#include "script/syntax.h"

struct il__verdict_site {
    enum il__verdict verdict;
    uint32_t line;
    int phase; /* of NONE: enum il__phase; else -1 */
    bool elsewhere; /* the function is only taken here: who calls it is another line */
};
struct il__verdict_sites { struct il__verdict_site *items; size_t count; };

/* In the order of the source, a line and verdict once. False: no memory. */
bool il__verdict_sites(const struct il__syntax *s, struct il__arena *arena, struct il__verdict_sites *out);

#endif
