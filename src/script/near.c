/* The nearest of some names (near.h). Allocates nothing. */
#include "script/near.h"

#include "script/hint.h"

struct il__near il__near_start(struct il_str word)
{
    unsigned most = word.len < 4 ? 1 : 2;
    return (struct il__near){ word, IL_STR_NONE, most + 1 };
}

void il__near_try(struct il__near *near, struct il_str candidate)
{
    unsigned d = il__hint_distance(near->word, candidate, near->distance);
    bool tie = d == near->distance && il__str_present(near->best) && il__str_cmp(candidate, near->best) < 0;
    if (d >= candidate.len || (d >= near->distance && !tie)) return;
    near->best = candidate;
    near->distance = d;
}
