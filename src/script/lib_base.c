/* The global functions of a script, and the furnishing of a new state: libraries, environments, modules, log.
 * Uses state.h and keys.h. Must never offer what reaches outside the state, shows an address, or runs uncharged. */
#include "base/error.h"
#include "base/log.h"
#include "script/keys.h"
#include "script/state.h"
#include "script/view.h"

#include <stdio.h>
#include <string.h>

/* ---- text of values ---------------------------------------------------------------------------------------------- */

const char *il__tostring(lua_State *L, int idx, size_t *len)
{
    const char *label = il__view_label(L, idx);
    switch (lua_type(L, idx)) {
    case LUA_TSTRING: lua_pushvalue(L, idx); break;
    case LUA_TNUMBER:
        if (lua_tonumber(L, idx) != lua_tonumber(L, idx)) {
            lua_pushliteral(L, "nan");
        } else {
            lua_pushvalue(L, idx);
            lua_tolstring(L, -1, NULL);
        }
        break;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, idx) ? "true" : "false"); break;
    case LUA_TLIGHTUSERDATA: lua_pushliteral(L, "null"); break;
    default: lua_pushstring(L, label ? label : luaL_typename(L, idx)); break;
    }
    return lua_tolstring(L, -1, len);
}

static int base_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    il__tostring(L, 1, NULL);
    return 1;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* tonumber(text, base): wraps around like the stock function; nil when it is no numeral. */
static int number_in_base(lua_State *L)
{
    size_t len, at = 0;
    lua_Integer base = luaL_checkinteger(L, 2);
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *s = lua_tolstring(L, 1, &len);
    luaL_argcheck(L, base >= 2 && base <= 36, 2, "base out of range");
    il__charge(il__state(L), len);
    while (at < len && is_blank(s[at])) at++;
    bool minus = at < len && s[at] == '-';
    if (at < len && (s[at] == '-' || s[at] == '+')) at++;
    size_t first = at;
    uint64_t n = 0;
    for (; at < len && digit_value(s[at]) < base; at++) n = n * (uint64_t)base + (uint64_t)digit_value(s[at]);
    bool digits = at > first;
    while (at < len && is_blank(s[at])) at++;
    if (!digits || at != len) lua_pushnil(L);
    else lua_pushinteger(L, (lua_Integer)(minus ? 0 - n : n));
    return 1;
}

static int base_tonumber(lua_State *L)
{
    size_t len;
    luaL_checkany(L, 1);
    if (!lua_isnoneornil(L, 2)) return number_in_base(L);
    lua_settop(L, 1);
    if (lua_type(L, 1) == LUA_TNUMBER) return 1;
    if (lua_type(L, 1) == LUA_TSTRING) {
        const char *s = lua_tolstring(L, 1, &len);
        il__charge(il__state(L), 1 + len);
        if (lua_stringtonumber(L, s) == len + 1) return 1;
    }
    lua_pushnil(L);
    return 1;
}

static int base_type(lua_State *L)
{
    luaL_argcheck(L, lua_type(L, 1) != LUA_TNONE, 1, "value expected");
    lua_pushstring(L, luaL_typename(L, 1));
    return 1;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static int base_assert(lua_State *L)
{
    if (lua_toboolean(L, 1)) return lua_gettop(L);
    luaL_checkany(L, 1);
    lua_remove(L, 1);
    lua_pushliteral(L, "assertion failed!");
    lua_settop(L, 1);
    return lua_error(L);
}

static int base_error(lua_State *L)
{
    int level = (int)luaL_optinteger(L, 2, 1);
    lua_settop(L, 1);
    if (lua_type(L, 1) == LUA_TSTRING && level > 0 && level < 100) {
        luaL_where(L, level);
        lua_pushvalue(L, 1);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

/* The end of pcall and xpcall: `skip` values below the results. */
static int finish_pcall(lua_State *L, int status, lua_KContext skip)
{
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_pushboolean(L, 0);
        lua_pushvalue(L, -2);
        return 2;
    }
    return lua_gettop(L) - (int)skip;
}

static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    il__charge(il__state(L), 4);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    int status = il__call_protected(L, lua_gettop(L) - 2, 0, 0, finish_pcall);
    return finish_pcall(L, status, 0);
}

static int base_xpcall(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    il__charge(il__state(L), 4);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    int status = il__call_protected(L, n - 2, 2, 2, finish_pcall);
    return finish_pcall(L, status, 2);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static int base_rawequal(lua_State *L)
{
    size_t n = 0;
    luaL_checkany(L, 1);
    luaL_checkany(L, 2);
    if (lua_type(L, 1) == LUA_TSTRING) (void)lua_tolstring(L, 1, &n);
    il__charge(il__state(L), 1 + n / 32);
    lua_pushboolean(L, lua_rawequal(L, 1, 2));
    return 1;
}

static int base_rawlen(lua_State *L)
{
    int t = lua_type(L, 1);
    luaL_argcheck(L, t == LUA_TTABLE || t == LUA_TSTRING, 1, "table or string expected");
    lua_pushinteger(L, (lua_Integer)lua_rawlen(L, 1));
    return 1;
}

static int base_rawget(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    lua_rawget(L, 1);
    return 1;
}

static int base_rawset(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    if (lua_isnil(L, 2)) return luaL_argerror(L, 2, "index is nil");
    if (lua_type(L, 2) == LUA_TNUMBER && lua_tonumber(L, 2) != lua_tonumber(L, 2))
        return luaL_argerror(L, 2, "index is NaN");
    lua_rawset(L, 1);
    return 1;
}

static int base_select(lua_State *L)
{
    int n = lua_gettop(L);
    if (lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '#') {
        lua_pushinteger(L, n - 1);
        return 1;
    }
    lua_Integer i = luaL_checkinteger(L, 1);
    if (i < 0) i = n + i;
    else if (i > n) i = n;
    luaL_argcheck(L, i >= 1, 1, "index out of range");
    return n - (int)i;
}

static int step_ipairs(lua_State *L)
{
    lua_Integer i = lua_tointeger(L, 2) + 1;
    il__charge(il__state(L), 1);
    lua_pushinteger(L, i);
    return lua_geti(L, 1, i) == LUA_TNIL ? 1 : 2;
}

static int base_ipairs(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TTABLE && !il__view_is(L, 1)) luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_pushcfunction(L, step_ipairs);
    lua_insert(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

/* Upvalues: table, keys, sorted block, how many, position. A key whose value is gone by now is left out. */
static int step_pairs(lua_State *L)
{
    const struct il__key *keys = lua_touserdata(L, lua_upvalueindex(3));
    lua_Integer count = lua_tointeger(L, lua_upvalueindex(4));
    lua_Integer at = lua_tointeger(L, lua_upvalueindex(5));
    while (at < count) {
        il__charge(il__state(L), 2);
        lua_settop(L, 0);
        if (keys) lua_rawgeti(L, lua_upvalueindex(2), keys[at].index);
        else lua_pushinteger(L, at + 1);
        at++;
        lua_pushvalue(L, 1);
        bool table = lua_type(L, lua_upvalueindex(1)) == LUA_TTABLE;
        int type = table ? lua_rawget(L, lua_upvalueindex(1)) : lua_gettable(L, lua_upvalueindex(1));
        if (type == LUA_TNIL) continue;
        lua_pushinteger(L, at);
        lua_replace(L, lua_upvalueindex(5));
        return 2;
    }
    lua_pushinteger(L, count);
    lua_replace(L, lua_upvalueindex(5));
    lua_pushnil(L);
    return 1;
}

/* True when the keys are 1..n and nothing else: no snapshot is needed then. */
static bool is_sequence(lua_State *L, lua_Integer *count)
{
    lua_Integer n = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        il__charge(il__state(L), 1);
        lua_pop(L, 1);
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) != n + 1) {
            lua_pop(L, 1);
            return false;
        }
        n++;
    }
    *count = n;
    return true;
}

static int base_pairs(lua_State *L)
{
    lua_Integer n = 0;
    size_t count = 0;
    lua_settop(L, 1);
    il__charge(il__state(L), 5);
    if (!il__view_keys(L, 1, &count)) {
        luaL_checktype(L, 1, LUA_TTABLE);
        if (is_sequence(L, &n)) {
            lua_pushnil(L);
            lua_pushnil(L);
            count = (size_t)n;
        } else {
            (void)il__keys_sorted(L, 1, &count, NULL);
        }
    }
    lua_pushinteger(L, (lua_Integer)count);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, step_pairs, 5);
    lua_pushnil(L);
    lua_pushnil(L);
    return 3;
}

/* ---- log --------------------------------------------------------------------------------------------------------- */

void il__sandbox_log(lua_State *L, enum il_log_level level, const char *text, size_t len)
{
    struct il__sandbox *sb = il__state(L);
    char line[IL__LOG_LINE_MAX];
    il__charge(sb, 50 + len / 8);
    sb->log_lines++;
    if (sb->log_lines > IL__LIMIT_SCRIPT_LOG_LINES) il__kill(sb, IL__KILL_LOG_LINES);
    size_t n = il__escape(line, sizeof line, (struct il_str){ text, len });
    sb->log_bytes += n;
    if (sb->log_bytes > IL__LIMIT_SCRIPT_LOG_BYTES) il__kill(sb, IL__KILL_LOG_BYTES);
    if (sb->options.log) sb->options.log(sb->options.log_ctx, level, (struct il_str){ line, n });
}

/* All arguments as one line, with a tab between. */
static int log_arguments(lua_State *L, enum il_log_level level)
{
    int n = lua_gettop(L);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int i = 1; i <= n; i++) {
        size_t len;
        il__charge(il__state(L), 1);
        if (i > 1) luaL_addchar(&b, '\t');
        (void)il__tostring(L, i, &len);
        il__charge(il__state(L), len / 32);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
    size_t len;
    const char *text = lua_tolstring(L, -1, &len);
    il__sandbox_log(L, level, text, len);
    return 0;
}

static int base_print(lua_State *L)
{
    return log_arguments(L, IL_LOG_INFO);
}

static int log_debug(lua_State *L)
{
    return log_arguments(L, IL_LOG_DEBUG);
}

static int log_warn(lua_State *L)
{
    return log_arguments(L, IL_LOG_WARN);
}

static int log_error(lua_State *L)
{
    return log_arguments(L, IL_LOG_ERROR);
}

static const luaL_Reg log_functions[] = {
    { "debug", log_debug }, /* the levels of a host's log */
    { "info", base_print },
    { "warn", log_warn },
    { "error", log_error },
    { NULL, NULL }
};

void il__lib_log(lua_State *L)
{
    luaL_newlib(L, log_functions);
}

static const luaL_Reg base_functions[] = {
    { "assert", base_assert },     /* (v, message) */
    { "error", base_error },       /* (value, level) */
    { "ipairs", base_ipairs },     /* tables and list views */
    { "pairs", base_pairs },       /* one order: numbers, strings, booleans */
    { "pcall", base_pcall },       /* catches errors, never limits */
    { "print", base_print },       /* a log line */
    { "rawequal", base_rawequal }, /* as in stock Lua */
    { "rawget", base_rawget },
    { "rawlen", base_rawlen },
    { "rawset", base_rawset },
    { "select", base_select },
    { "tonumber", base_tonumber },
    { "tostring", base_tostring }, /* no addresses */
    { "type", base_type },
    { "xpcall", base_xpcall },
    { NULL, NULL }
};

void il__lib_base(lua_State *L)
{
    luaL_setfuncs(L, base_functions, 0);
}
