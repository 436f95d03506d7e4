/* Numbers: functions with one exact result on every processor, and a random generator seeded from the run.
 * Uses state.h. Must never offer what the C library rounds in its own way (sin, exp, log, pow). */
#include "script/state.h"

#include <float.h>
#include <math.h>

static int push_integral(lua_State *L, lua_Number n)
{
    lua_Integer i;
    if (lua_numbertointeger(n, &i)) lua_pushinteger(L, i);
    else lua_pushnumber(L, n);
    return 1;
}

static int math_abs(lua_State *L)
{
    if (lua_isinteger(L, 1)) {
        lua_Integer n = lua_tointeger(L, 1);
        lua_pushinteger(L, n < 0 ? (lua_Integer)(0u - (lua_Unsigned)n) : n);
    } else {
        lua_pushnumber(L, fabs(luaL_checknumber(L, 1)));
    }
    return 1;
}

static int math_ceil(lua_State *L)
{
    if (!lua_isinteger(L, 1)) return push_integral(L, ceil(luaL_checknumber(L, 1)));
    lua_settop(L, 1);
    return 1;
}

static int math_floor(lua_State *L)
{
    if (!lua_isinteger(L, 1)) return push_integral(L, floor(luaL_checknumber(L, 1)));
    lua_settop(L, 1);
    return 1;
}

/* The argument that no other one is beyond; `sign` 1: the largest. */
static int extreme(lua_State *L, int sign)
{
    int n = lua_gettop(L), best = 1;
    luaL_argcheck(L, n >= 1, 1, "number expected");
    luaL_checknumber(L, 1);
    il__charge(il__state(L), (uint64_t)n);
    for (int i = 2; i <= n; i++) {
        luaL_checknumber(L, i);
        if (lua_compare(L, sign > 0 ? best : i, sign > 0 ? i : best, LUA_OPLT)) best = i;
    }
    lua_pushvalue(L, best);
    return 1;
}

static int math_max(lua_State *L)
{
    return extreme(L, 1);
}

static int math_min(lua_State *L)
{
    return extreme(L, -1);
}

static int math_fmod(lua_State *L)
{
    if (lua_isinteger(L, 1) && lua_isinteger(L, 2)) {
        lua_Integer d = lua_tointeger(L, 2);
        luaL_argcheck(L, d != 0, 2, "zero");
        lua_pushinteger(L, d == -1 ? 0 : lua_tointeger(L, 1) % d);
    } else {
        lua_pushnumber(L, fmod(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    }
    return 1;
}

static int math_modf(lua_State *L)
{
    lua_Number n = luaL_checknumber(L, 1);
    lua_Number whole = n < 0 ? ceil(n) : floor(n);
    lua_pushnumber(L, whole);
    lua_pushnumber(L, n == whole ? 0.0 : n - whole);
    return 2;
}

static int math_sqrt(lua_State *L)
{
    lua_pushnumber(L, sqrt(luaL_checknumber(L, 1)));
    return 1;
}

static int math_tointeger(lua_State *L)
{
    int exact = 0;
    lua_Integer n = lua_type(L, 1) == LUA_TNUMBER ? lua_tointegerx(L, 1, &exact) : 0;
    luaL_checkany(L, 1);
    if (exact) lua_pushinteger(L, n);
    else lua_pushnil(L);
    return 1;
}

static int math_type(lua_State *L)
{
    luaL_checkany(L, 1);
    if (lua_type(L, 1) != LUA_TNUMBER) lua_pushnil(L);
    else lua_pushstring(L, lua_isinteger(L, 1) ? "integer" : "float");
    return 1;
}

static int math_ult(lua_State *L)
{
    lua_pushboolean(L, (lua_Unsigned)luaL_checkinteger(L, 1) < (lua_Unsigned)luaL_checkinteger(L, 2));
    return 1;
}

static uint64_t rotate(uint64_t x, int n)
{
    return (x << n) | (x >> (64 - n));
}

/* xoshiro256** */
static uint64_t next_random(uint64_t s[4])
{
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Evenly in 0..most, by taking the needed bits and trying again when they are beyond. */
static uint64_t random_up_to(struct il__sandbox *sb, uint64_t most)
{
    uint64_t mask = most;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    for (;;) {
        uint64_t n = next_random(sb->random) & mask;
        il__charge(sb, 1);
        if (n <= most) return n;
    }
}

static int math_random(lua_State *L)
{
    struct il__sandbox *sb = il__state(L);
    lua_Integer low = 1, high;
    il__charge(sb, 1);
    switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, (lua_Number)(next_random(sb->random) >> 11) * (0.5 / ((uint64_t)1 << 52))); return 1;
    case 1:
        high = luaL_checkinteger(L, 1);
        if (high != 0) break;
        lua_pushinteger(L, (lua_Integer)next_random(sb->random)); /* all bits */
        return 1;
    case 2:
        low = luaL_checkinteger(L, 1);
        high = luaL_checkinteger(L, 2);
        break;
    default: return luaL_error(L, "wrong number of arguments");
    }
    luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
    uint64_t drawn = random_up_to(sb, (uint64_t)high - (uint64_t)low) + (uint64_t)low;
    lua_pushinteger(L, (lua_Integer)drawn);
    return 1;
}

static const luaL_Reg functions[] = {
    { "abs", math_abs },
    { "ceil", math_ceil },
    { "floor", math_floor },
    { "fmod", math_fmod },
    { "max", math_max },
    { "min", math_min },
    { "modf", math_modf },
    { "random", math_random }, /* (), (n), (m, n): the run's own stream */
    { "sqrt", math_sqrt },     /* correctly rounded everywhere */
    { "tointeger", math_tointeger },
    { "type", math_type },
    { "ult", math_ult },
    { NULL, NULL }
};

void il__lib_math(lua_State *L)
{
    luaL_newlib(L, functions);
    lua_pushnumber(L, HUGE_VAL);
    lua_setfield(L, -2, "huge");
    lua_pushnumber(L, 3.141592653589793);
    lua_setfield(L, -2, "pi");
    lua_pushinteger(L, LUA_MAXINTEGER);
    lua_setfield(L, -2, "maxinteger");
    lua_pushinteger(L, LUA_MININTEGER);
    lua_setfield(L, -2, "mininteger");
}
