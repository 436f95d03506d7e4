/* What tools take from a tree: the lines on which something is done (coverage), and the constants with their places
 * (counterfactuals). Uses syntax.h. Must never keep anything of the tree: what is handed out lies in the arena. */
#ifndef IL_SCRIPT_SYNTAX_PLACES_H
#define IL_SCRIPT_SYNTAX_PLACES_H

#include "script/syntax.h"

struct il__lines { const uint32_t *items; size_t count; }; /* ascending, each once */

struct il__constant {
    bool number;           /* else a string */
    bool integer;          /* of a number: `i` is its value; else `n` is */
    int64_t i;
    double n;
    struct il_str text;    /* of a string: its value; of a number: as written */
    uint32_t line, column, from, to;
};
struct il__constants { const struct il__constant *items; size_t count; };

/* The lines on which a statement begins that the virtual machine reports when it gets there: not those of definitions
 * of functions, labels, `do` and `repeat`. False: no memory. */
bool il__syntax_lines(const struct il__syntax *s, struct il__arena *arena, struct il__lines *out);
/* Every number and string, in the order of the source; names after a dot and names of fields are not constants, nor is
 * what `require` gets. False: no memory. */
bool il__syntax_constants(const struct il__syntax *s, struct il__arena *arena, struct il__constants *out);
/* The value of a numeral as written: an integer in `*i` (true), or a float in `*n` (false). */
bool il__syntax_number(struct il_str text, int64_t *i, double *n);

#endif
