/* Sorted snapshots of a table's keys: collect with lua_next, sort, hand over.
 * Uses state.h. Must never call script code, and pays before it works. */
#include "script/keys.h"

#include <string.h>

/* Exact order of an integer and a float that has no integer value. */
static int cmp_int_float(lua_Integer i, lua_Number n)
{
    if (n >= 9223372036854775808.0) return -1;
    if (n < -9223372036854775808.0) return 1;
    return i <= (lua_Integer)n - (n < (lua_Number)(lua_Integer)n) ? -1 : 1;
}

static int cmp_numbers(const struct il__key *a, const struct il__key *b)
{
    if (a->is_int && b->is_int) return (a->v.i > b->v.i) - (a->v.i < b->v.i);
    if (a->is_int) return cmp_int_float(a->v.i, b->v.n);
    if (b->is_int) return -cmp_int_float(b->v.i, a->v.n);
    return (a->v.n > b->v.n) - (a->v.n < b->v.n);
}

static int cmp_keys(struct il__sandbox *sb, const struct il__key *a, const struct il__key *b)
{
    if (a->type != b->type) return a->type < b->type ? -1 : 1;
    if (a->type == 0) return cmp_numbers(a, b);
    if (a->type == 2) return (int)a->v.b - (int)b->v.b;
    size_t n = a->v.s.len < b->v.s.len ? a->v.s.len : b->v.s.len;
    il__charge(sb, 1 + n / 32);
    int d = memcmp(a->v.s.ptr, b->v.s.ptr, n);
    if (d != 0) return d;
    return (a->v.s.len > b->v.s.len) - (a->v.s.len < b->v.s.len);
}

static void sift_down(struct il__sandbox *sb, struct il__key *a, size_t root, size_t n)
{
    struct il__key moving = a[root];
    for (size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && cmp_keys(sb, &a[child], &a[child + 1]) < 0) child++;
        if (cmp_keys(sb, &moving, &a[child]) >= 0) break;
        a[root] = a[child];
        root = child;
    }
    a[root] = moving;
}

/* Heap sort, in place: keys are distinct, so there is one order only. Keys that come sorted cost one pass. */
static void sort_keys(struct il__sandbox *sb, struct il__key *a, size_t n)
{
    size_t sorted = 1;
    while (sorted < n && cmp_keys(sb, &a[sorted - 1], &a[sorted]) < 0) sorted++;
    if (sorted >= n) return;
    for (size_t i = n / 2; i-- > 0;) sift_down(sb, a, i, n);
    for (size_t i = n - 1; i > 0; i--) {
        struct il__key last = a[i];
        il__charge(sb, 4);
        a[i] = a[0];
        a[0] = last;
        sift_down(sb, a, 0, i);
    }
}

static bool describe(lua_State *L, int idx, struct il__key *key)
{
    switch (lua_type(L, idx)) {
    case LUA_TNUMBER:
        key->type = 0;
        key->is_int = lua_isinteger(L, idx);
        if (key->is_int) key->v.i = lua_tointeger(L, idx);
        else key->v.n = lua_tonumber(L, idx);
        return true;
    case LUA_TSTRING:
        key->type = 1;
        key->v.s.ptr = lua_tolstring(L, idx, &key->v.s.len);
        return true;
    case LUA_TBOOLEAN:
        key->type = 2;
        key->v.b = lua_toboolean(L, idx);
        return true;
    default: return false;
    }
}

/* How many keys there are; false when one has no order. */
static bool count_keys(lua_State *L, int idx, size_t *count, const char **bad)
{
    struct il__sandbox *sb = il__state(L);
    size_t n = 0;
    lua_pushnil(L);
    while (lua_next(L, idx)) {
        struct il__key key;
        il__charge(sb, 2);
        lua_pop(L, 1);
        if (!describe(L, -1, &key)) {
            *bad = lua_typename(L, lua_type(L, -1));
            lua_pop(L, 1);
            return false;
        }
        n++;
    }
    *count = n;
    return true;
}

const struct il__key *il__keys_sorted(lua_State *L, int idx, size_t *count, const char **bad)
{
    struct il__sandbox *sb = il__state(L);
    const char *type = NULL;
    size_t n = 0, i = 0;
    idx = lua_absindex(L, idx);
    luaL_checkstack(L, 5, "keys");
    il__charge(sb, 5 + lua_rawlen(L, idx) / 8);
    if (!count_keys(L, idx, &n, &type)) {
        if (bad) *bad = type;
        else luaL_error(L, "a table with a %s as key has no order: use strings, numbers or booleans as keys", type);
        return NULL;
    }
    lua_createtable(L, (int)n, 0);
    struct il__key *keys = lua_newuserdatauv(L, (n + 1) * sizeof *keys, 0);
    lua_pushnil(L);
    while (i < n && lua_next(L, idx)) {
        lua_pop(L, 1);
        (void)describe(L, -1, &keys[i]);
        keys[i].index = (uint32_t)(i + 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -4, (lua_Integer)++i);
    }
    if (i == n) lua_pop(L, 1); /* the last key, not asked for the next one */
    *count = i;
    sort_keys(sb, keys, i);
    return keys;
}
