/* The table of limits as data, for `doctor`, the pages and the tests. Read-only. */
#include "base/limits.h"

#include "include/interlock.h"

static const struct il_limit limits[] = {
#define ROW(constant, value, name, unit, about) { name, value, unit, about },
    IL__LIMITS(ROW)
#undef ROW
};

const struct il_limit *il_limit_at(size_t index)
{
    return index < sizeof limits / sizeof limits[0] ? &limits[index] : NULL;
}
