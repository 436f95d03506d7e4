/* Reading durations (duration.h): no fractions, no sums, no locale. */
#include "script/duration.h"

#include <lauxlib.h>

static int64_t unit_ms(struct il_str unit)
{
    if (il__str_eq(unit, IL_STR("ms"))) return 1;
    if (il__str_eq(unit, IL_STR("s"))) return 1000;
    if (il__str_eq(unit, IL_STR("m"))) return 60000;
    if (il__str_eq(unit, IL_STR("h"))) return 3600000;
    if (il__str_eq(unit, IL_STR("d"))) return 86400000;
    return 0;
}

bool il__duration_parse(struct il_str text, bool sign, int64_t *ms)
{
    enum { DIGITS_MAX = 10 }; /* ten digits of days are far from the end of the range */
    size_t i = 0;
    int64_t n = 0;
    bool minus = sign && text.len && text.ptr[0] == '-';
    if (sign && text.len && (text.ptr[0] == '-' || text.ptr[0] == '+')) i = 1;
    size_t first = i;
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        if (i - first == DIGITS_MAX) return false;
        n = n * 10 + (text.ptr[i] - '0');
    }
    int64_t unit = i > first ? unit_ms((struct il_str){ text.ptr + i, text.len - i }) : 0;
    if (!unit) return false;
    *ms = minus ? -n * unit : n * unit;
    return true;
}

int64_t il__arg_duration(lua_State *L, int idx, const char *what, int64_t least_ms, int64_t most_ms)
{
    int64_t ms = -1;
    if (lua_isinteger(L, idx)) {
        int64_t s = lua_tointeger(L, idx);
        if (s >= 0 && s <= most_ms / 1000) ms = s * 1000;
    } else if (lua_type(L, idx) == LUA_TSTRING) {
        size_t len = 0;
        const char *ptr = lua_tolstring(L, idx, &len);
        if (!il__duration_parse((struct il_str){ ptr, len }, false, &ms)) ms = -1;
    }
    if (ms < least_ms || ms > most_ms) {
        luaL_error(L,
                   "%s must be a time such as \"90s\", \"10m\" or \"24h\", or an integer of seconds; at least %d ms, "
                   "at most %d s",
                   what, (int)least_ms, (int)(most_ms / 1000));
    }
    return ms;
}
