/* "Did you mean": the nearest of some names to one that was written, names offered one by one. Uses hint.h.
 * The result depends on the names alone, not on the order in which they are offered. */
#ifndef IL_SCRIPT_NEAR_H
#define IL_SCRIPT_NEAR_H

#include "base/str.h"

struct il__near {
    struct il_str word;
    struct il_str best; /* absent: nothing is near */
    unsigned distance;
};
/* Starts with the word as it was written. */
struct il__near il__near_start(struct il_str word);
/* Offers one candidate; it must stay valid as long as `near`. */
void il__near_try(struct il__near *near, struct il_str candidate);

#endif
