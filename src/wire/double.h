/* Reading doubles, correctly rounded (to nearest, ties to even), without strtod and so without a locale. */
#ifndef IL_WIRE_DOUBLE_H
#define IL_WIRE_DOUBLE_H

#include "base/str.h"

/* `text` must be a number by the JSON grammar. Too small becomes (signed) zero; too large becomes infinity, which the
 * reader refuses. */
double il__double_read(struct il_str text);

#endif
