/* What to write instead: a hint behind an error text that names an unknown global or field. Pure text work. */
#ifndef IL_SCRIPT_HINT_H
#define IL_SCRIPT_HINT_H

#include "base/str.h"

/* `text` (NUL-terminated, `len` bytes in `cap`) ends with the hint when one applies. */
void il__hint(char *text, size_t len, size_t cap);
/* Of the names in `list` (NULL-terminated) the one nearest to `name`, at most two edits away; NULL: none. */
const char *il__hint_nearest(struct il_str name, const char *const *list);
/* "ctx", "action" or "policy" when a policy finds the name there, as in ctx.params; NULL: nowhere. Static. */
const char *il__hint_owner(struct il_str name);
/* What to write instead of a global that Lua has elsewhere and scripts are not offered; NULL: it is none. Static. */
const char *il__hint_absent(struct il_str name);
/* Edits (insert, delete, change, swap of neighbours counts two) between two names, or more than `most`. */
unsigned il__hint_distance(struct il_str a, struct il_str b, unsigned most);

#endif
