/* The table library over plain tables: raw reads and writes, lengths taken once, a stable merge sort.
 * Uses state.h. Must never call a C function as comparator unpaid, nor trust a length that a script could fake: tables
 * have no metamethods here. */
#include "script/state.h"

#include <string.h>

static lua_Integer length(lua_State *L, int idx)
{
    luaL_checktype(L, idx, LUA_TTABLE);
    il__charge(il__state(L), 1);
    return (lua_Integer)lua_rawlen(L, idx);
}

static int tab_insert(lua_State *L)
{
    lua_Integer n = length(L, 1) + 1, pos = n;
    int top = lua_gettop(L);
    if (top == 3) {
        pos = luaL_checkinteger(L, 2);
        luaL_argcheck(L, pos >= 1 && pos <= n, 2, "position out of bounds");
        il__charge(il__state(L), (uint64_t)(n - pos));
        for (lua_Integer i = n; i > pos; i--) {
            lua_rawgeti(L, 1, i - 1);
            lua_rawseti(L, 1, i);
        }
    } else if (top != 2) {
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_rawseti(L, 1, pos);
    return 0;
}

static int tab_remove(lua_State *L)
{
    lua_Integer n = length(L, 1), pos = luaL_optinteger(L, 2, n);
    if (lua_gettop(L) > 1)
        luaL_argcheck(L, n + 1 == pos || (pos >= 1 && pos <= n) || (n == 0 && pos == 0), 2, "position out of bounds");
    lua_rawgeti(L, 1, pos);
    if (pos < n) il__charge(il__state(L), (uint64_t)(n - pos));
    for (; pos < n; pos++) {
        lua_rawgeti(L, 1, pos + 1);
        lua_rawseti(L, 1, pos);
    }
    lua_pushnil(L);
    lua_rawseti(L, 1, pos);
    return 1;
}

/* Elements f..e move to t.. of the same or another table. */
static int tab_move(lua_State *L)
{
    lua_Integer f = luaL_checkinteger(L, 2), e = luaL_checkinteger(L, 3), t = luaL_checkinteger(L, 4);
    int to = lua_isnoneornil(L, 5) ? 1 : 5;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, to, LUA_TTABLE);
    if (e >= f) {
        luaL_argcheck(L, f > 0 || e < LUA_MAXINTEGER + f, 3, "too many elements to move");
        lua_Integer n = e - f + 1;
        luaL_argcheck(L, t <= LUA_MAXINTEGER - n + 1, 4, "destination wrap around");
        bool forward = t > e || t <= f || to != 1;
        for (lua_Integer k = 0; k < n; k++) {
            lua_Integer i = forward ? k : n - 1 - k;
            il__charge(il__state(L), 1);
            lua_rawgeti(L, 1, f + i);
            lua_rawseti(L, to, t + i);
        }
    }
    lua_pushvalue(L, to);
    return 1;
}

static int tab_concat(lua_State *L)
{
    size_t sep_len;
    lua_Integer n = length(L, 1);
    const char *sep = luaL_optlstring(L, 2, "", &sep_len);
    lua_Integer i = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, n);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (; i <= last; i++) {
        size_t len;
        int type = lua_rawgeti(L, 1, i);
        if (type != LUA_TSTRING && type != LUA_TNUMBER)
            return luaL_error(L, "invalid value (a %s) at index %I in table for 'concat'", lua_typename(L, type),
                              (LUAI_UACINT)i);
        (void)lua_tolstring(L, -1, &len);
        il__charge(il__state(L), 2 + (len + sep_len) / 32);
        luaL_addvalue(&b);
        if (i == last) break; /* the largest integer ends here */
        luaL_addlstring(&b, sep, sep_len);
    }
    luaL_pushresult(&b);
    return 1;
}

static int tab_pack(lua_State *L)
{
    int n = lua_gettop(L);
    il__charge(il__state(L), (uint64_t)n);
    lua_createtable(L, n, 1);
    lua_insert(L, 1);
    for (int i = n; i >= 1; i--) lua_rawseti(L, 1, i);
    lua_pushinteger(L, n);
    lua_setfield(L, 1, "n");
    return 1;
}

static int tab_unpack(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer i = luaL_optinteger(L, 2, 1), e = luaL_optinteger(L, 3, (lua_Integer)lua_rawlen(L, 1));
    if (i > e) return 0;
    lua_Unsigned n = (lua_Unsigned)e - (lua_Unsigned)i;
    if (n >= IL__LIMIT_SCRIPT_RESULTS)
        return luaL_error(L, "too many results to unpack: at most 4096 (script_results)");
    il__charge(il__state(L), n + 1);
    luaL_checkstack(L, (int)n + 1, "too many results to unpack");
    for (lua_Unsigned k = 0; k <= n; k++) lua_rawgeti(L, 1, (lua_Integer)((lua_Unsigned)i + k));
    return (int)n + 1;
}

/* ---- sort: bottom-up merge between two tables, at indices 1 (the script's) and 3 (ours)
 * ------------------------------- */

/* Whether the value at index -2 must come before that at -1; the two stay. */
static bool comes_before(lua_State *L)
{
    il__charge(il__state(L), 3);
    if (lua_isnil(L, 2)) {
        int a = lua_type(L, -2), b = lua_type(L, -1);
        if (a == LUA_TSTRING && b == LUA_TSTRING) il__charge(il__state(L), lua_rawlen(L, -1) / 32);
        return lua_compare(L, -2, -1, LUA_OPLT);
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_call(L, 2, 1);
    bool before = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return before;
}

/* Merges from[lo..mid-1] and from[mid..hi-1] into to[lo..]; equal elements keep their order. */
static void merge(lua_State *L, int from, int to, lua_Integer lo, lua_Integer mid, lua_Integer hi)
{
    lua_Integer i = lo, j = mid;
    for (lua_Integer k = lo; k < hi; k++) {
        bool right = i >= mid;
        if (i < mid && j < hi) {
            lua_rawgeti(L, from, j);
            lua_rawgeti(L, from, i);
            right = comes_before(L);
            lua_pop(L, 2);
        }
        il__charge(il__state(L), 1);
        lua_rawgeti(L, from, right ? j++ : i++);
        lua_rawseti(L, to, k);
    }
}

static int tab_sort(lua_State *L)
{
    lua_Integer n = length(L, 1);
    int from = 3, to = 4;
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    luaL_argcheck(L, lua_isnoneornil(L, 2) || !lua_iscfunction(L, 2), 2, "a comparator must be a Lua function");
    lua_settop(L, 2);
    luaL_argcheck(L, n < 1000000, 1, "array too big");
    lua_createtable(L, (int)n, 0); /* both are ours: a comparator may change the script's table meanwhile */
    lua_createtable(L, (int)n, 0);
    for (lua_Integer i = 1; i <= n; i++) {
        il__charge(il__state(L), 1);
        lua_rawgeti(L, 1, i);
        lua_rawseti(L, from, i);
    }
    for (lua_Integer width = 1; width < n; width *= 2) {
        for (lua_Integer lo = 1; lo <= n; lo += 2 * width) {
            lua_Integer mid = lo + width <= n + 1 ? lo + width : n + 1, hi = mid + width <= n + 1 ? mid + width : n + 1;
            merge(L, from, to, lo, mid, hi);
        }
        from = 7 - from;
        to = 7 - to;
    }
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, from, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

static const luaL_Reg functions[] = {
    { "concat", tab_concat }, /* (t, separator, i, j) */
    { "insert", tab_insert },
    { "move", tab_move },
    { "pack", tab_pack },
    { "remove", tab_remove },
    { "sort", tab_sort },     /* stable; Lua comparators only */
    { "unpack", tab_unpack }, /* at most 4,096 values */
    { NULL, NULL }
};

void il__lib_table(lua_State *L)
{
    luaL_newlib(L, functions);
}
