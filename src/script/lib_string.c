/* The string library: the stock functions, bounded and paid for, free of locales.
 * Uses state.h and pattern.h. Must never offer dump, pack or unpack: binary forms are not for scripts. */
#include "script/pattern.h"

#include <string.h>

static const char *arg(lua_State *L, int n, size_t *len)
{
    return luaL_checklstring(L, n, len);
}

/* A start position, counted from the end when negative: at least 1. */
static size_t start_position(lua_Integer pos, size_t len)
{
    if (pos > 0) return (size_t)pos;
    if (pos == 0 || pos < -(lua_Integer)len) return 1;
    return len + (size_t)pos + 1;
}

static size_t end_position(lua_Integer pos, size_t len)
{
    if (pos > (lua_Integer)len) return len;
    if (pos >= 0) return (size_t)pos;
    return pos < -(lua_Integer)len ? 0 : len + (size_t)pos + 1;
}

static int str_len(lua_State *L)
{
    size_t len;
    arg(L, 1, &len);
    lua_pushinteger(L, (lua_Integer)len);
    return 1;
}

static int str_sub(lua_State *L)
{
    size_t len;
    const char *s = arg(L, 1, &len);
    size_t i = start_position(luaL_checkinteger(L, 2), len), j = end_position(luaL_optinteger(L, 3, -1), len);
    il__charge(il__state(L), 1);
    if (i > j) lua_pushliteral(L, "");
    else lua_pushlstring(L, s + i - 1, j - i + 1);
    return 1;
}

static int str_byte(lua_State *L)
{
    size_t len;
    const char *s = arg(L, 1, &len);
    lua_Integer from = luaL_optinteger(L, 2, 1);
    size_t i = start_position(from, len), j = end_position(luaL_optinteger(L, 3, (lua_Integer)i), len);
    if (i > j) return 0;
    if (j - i >= IL__LIMIT_SCRIPT_RESULTS)
        return luaL_error(L, "string slice too long: at most 4096 bytes at once (script_results)");
    int n = (int)(j - i + 1);
    il__charge(il__state(L), (uint64_t)n);
    luaL_checkstack(L, n, "string slice too long");
    for (int k = 0; k < n; k++) lua_pushinteger(L, (unsigned char)s[i - 1 + (size_t)k]);
    return n;
}

static int str_char(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_Buffer b;
    il__charge(il__state(L), (uint64_t)n);
    char *out = luaL_buffinitsize(L, &b, (size_t)n);
    for (int i = 1; i <= n; i++) {
        lua_Integer c = luaL_checkinteger(L, i);
        luaL_argcheck(L, c >= 0 && c <= 255, i, "value out of range");
        out[i - 1] = (char)(unsigned char)c;
    }
    luaL_pushresultsize(&b, (size_t)n);
    return 1;
}

/* A new string of the same length, filled by `fn`. */
static int map_bytes(lua_State *L, void (*fn)(char *out, const char *s, size_t len))
{
    size_t len;
    luaL_Buffer b;
    const char *s = arg(L, 1, &len);
    il__charge(il__state(L), 1 + len / 8);
    char *out = luaL_buffinitsize(L, &b, len);
    fn(out, s, len);
    luaL_pushresultsize(&b, len);
    return 1;
}

static void lower_bytes(char *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) out[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] + 32) : s[i];
}

static void upper_bytes(char *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) out[i] = s[i] >= 'a' && s[i] <= 'z' ? (char)(s[i] - 32) : s[i];
}

static void reverse_bytes(char *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) out[i] = s[len - 1 - i];
}

static int str_lower(lua_State *L)
{
    return map_bytes(L, lower_bytes);
}

static int str_upper(lua_State *L)
{
    return map_bytes(L, upper_bytes);
}

static int str_reverse(lua_State *L)
{
    return map_bytes(L, reverse_bytes);
}

static int str_rep(lua_State *L)
{
    size_t len, sep_len;
    struct il__sandbox *sb = il__state(L);
    const char *s = arg(L, 1, &len);
    lua_Integer n = luaL_checkinteger(L, 2);
    const char *sep = luaL_optlstring(L, 3, "", &sep_len);
    luaL_Buffer b;
    il__charge(sb, 2);
    if (n <= 0 || len + sep_len == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (len + sep_len > sb->block_limit / (size_t)n) return luaL_error(L, "resulting string too large");
    size_t total = (size_t)n * len + (size_t)(n - 1) * sep_len;
    il__charge(sb, (uint64_t)n + total / 16);
    char *out = luaL_buffinitsize(L, &b, total);
    while (n-- > 0) {
        memcpy(out, s, len);
        out += len;
        if (n > 0 && sep_len > 0) memcpy(out, sep, sep_len);
        if (n > 0) out += sep_len;
    }
    luaL_pushresultsize(&b, total);
    return 1;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static void begin_match(lua_State *L, struct il__match *m, const char *s, size_t len, const char *pat_end)
{
    m->sb = il__state(L);
    m->src = s;
    m->src_end = s + len;
    m->pat_end = pat_end;
    m->fault = NULL;
    m->level = 0;
}

/* Runs at `s`; raises a fault. */
static const char *try_at(lua_State *L, struct il__match *m, const char *s, const char *p)
{
    const char *e = il__match_run(m, s, p);
    if (!e && m->fault) luaL_error(L, "%s", m->fault);
    return e;
}

/* Pushes capture `n`; without captures, capture 0 is the whole match. */
static void push_capture(lua_State *L, struct il__match *m, int n, const char *s, const char *e)
{
    if (n >= m->level) {
        if (n != 0) luaL_error(L, "invalid capture index %%%d", n + 1);
        lua_pushlstring(L, s, (size_t)(e - s));
    } else if (m->capture[n].len == IL__CAPTURE_OPEN) {
        luaL_error(L, "unfinished capture");
    } else if (m->capture[n].len == IL__CAPTURE_POSITION) {
        lua_pushinteger(L, m->capture[n].at - m->src + 1);
    } else {
        lua_pushlstring(L, m->capture[n].at, (size_t)m->capture[n].len);
    }
}

/* All captures; `whole` NULL-start: none when the pattern has none. */
static int push_captures(lua_State *L, struct il__match *m, const char *s, const char *e, bool whole)
{
    int n = m->level == 0 && whole ? 1 : m->level;
    luaL_checkstack(L, n, "too many captures");
    for (int i = 0; i < n; i++) push_capture(L, m, i, s, e);
    return n;
}

static bool is_plain(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr("^$*+?.([%-", p[i]) && p[i] != '\0') return false;
    return true;
}

static int find_plain(lua_State *L, const char *s, size_t len, size_t init, const char *p, size_t p_len)
{
    const char *hit = il__match_plain(il__state(L), s + init, len - init, p, p_len);
    if (!hit) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, hit - s + 1);
    lua_pushinteger(L, hit - s + (lua_Integer)p_len);
    return 2;
}

static int find(lua_State *L, bool positions)
{
    size_t len, p_len;
    struct il__match m;
    const char *s = arg(L, 1, &len), *p = arg(L, 2, &p_len);
    size_t init = start_position(luaL_optinteger(L, 3, 1), len) - 1;
    il__charge(il__state(L), 3 + p_len / 4);
    if (init > len) {
        lua_pushnil(L);
        return 1;
    }
    if (positions && (lua_toboolean(L, 4) || is_plain(p, p_len))) return find_plain(L, s, len, init, p, p_len);
    bool anchor = p_len > 0 && *p == '^';
    begin_match(L, &m, s, len, p + p_len);
    const char *at = s + init;
    do {
        const char *e = try_at(L, &m, at, p + anchor);
        if (!e) continue;
        if (!positions) return push_captures(L, &m, at, e, true);
        lua_pushinteger(L, at - s + 1);
        lua_pushinteger(L, e - s);
        return push_captures(L, &m, at, e, false) + 2;
    } while (at++ < m.src_end && !anchor);
    lua_pushnil(L);
    return 1;
}

static int str_find(lua_State *L)
{
    return find(L, true);
}

static int str_match(lua_State *L)
{
    return find(L, false);
}

/* Upvalues: subject, pattern, next start, end of the last match (-1: none). */
static int step_gmatch(lua_State *L)
{
    size_t len, p_len;
    struct il__match m;
    const char *s = lua_tolstring(L, lua_upvalueindex(1), &len), *p = lua_tolstring(L, lua_upvalueindex(2), &p_len);
    lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
    begin_match(L, &m, s, len, p + p_len);
    for (const char *at = s + lua_tointeger(L, lua_upvalueindex(3)); at <= m.src_end; at++) {
        const char *e = try_at(L, &m, at, p);
        if (!e || e - s == last) continue;
        lua_pushinteger(L, e - s);
        lua_pushvalue(L, -1);
        lua_replace(L, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return push_captures(L, &m, at, e, true);
    }
    lua_pushinteger(L, (lua_Integer)len + 1);
    lua_replace(L, lua_upvalueindex(3));
    return 0;
}

static int str_gmatch(lua_State *L)
{
    size_t len;
    arg(L, 1, &len);
    arg(L, 2, NULL);
    size_t init = start_position(luaL_optinteger(L, 3, 1), len) - 1;
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)(init > len ? len + 1 : init));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, step_gmatch, 4);
    return 1;
}

/* Appends the replacement text with its %0 to %9. */
static void add_template(lua_State *L, struct il__match *m, luaL_Buffer *b, const char *s, const char *e)
{
    size_t len;
    const char *t = lua_tolstring(L, 3, &len);
    il__charge(m->sb, 1 + len / 8);
    for (size_t i = 0; i < len; i++) {
        if (t[i] != '%') {
            luaL_addchar(b, t[i]);
            continue;
        }
        i++;
        if (i < len && t[i] == '%') {
            luaL_addchar(b, '%');
        } else if (i < len && t[i] == '0') {
            luaL_addlstring(b, s, (size_t)(e - s));
        } else if (i < len && t[i] >= '1' && t[i] <= '9') {
            push_capture(L, m, t[i] - '1', s, e);
            (void)lua_tolstring(L, -1, NULL);
            luaL_addvalue(b);
        } else {
            luaL_error(L, "invalid use of '%%' in replacement string");
        }
    }
}

/* Appends what stands for the match; false when the original was kept. */
static bool add_replacement(lua_State *L, struct il__match *m, luaL_Buffer *b, const char *s, const char *e)
{
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(L, m, s, e, true), 1);
        break;
    case LUA_TTABLE:
        push_capture(L, m, 0, s, e);
        lua_rawget(L, 3);
        break;
    default: add_template(L, m, b, s, e); return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(b, s, (size_t)(e - s));
        return false;
    }
    if (lua_type(L, -1) != LUA_TSTRING && lua_type(L, -1) != LUA_TNUMBER)
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    (void)lua_tolstring(L, -1, NULL);
    luaL_addvalue(b);
    return true;
}

static int str_gsub(lua_State *L)
{
    size_t len, p_len;
    struct il__match m;
    luaL_Buffer b;
    const char *src = arg(L, 1, &len), *p = arg(L, 2, &p_len), *last = NULL;
    int type = lua_type(L, 3);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)len + 1), n = 0;
    luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                     "string/function/table");
    bool anchor = p_len > 0 && *p == '^', changed = false;
    if (type == LUA_TNUMBER) (void)lua_tolstring(L, 3, NULL);
    il__charge(il__state(L), 5);
    luaL_buffinit(L, &b);
    begin_match(L, &m, src, len, p + p_len);
    const char *at = src;
    while (n < most) {
        const char *e = try_at(L, &m, at, p + anchor);
        if (e && e != last) {
            n++;
            if (add_replacement(L, &m, &b, at, e)) changed = true;
            at = last = e;
        } else if (at < m.src_end) {
            luaL_addchar(&b, *at);
            at++;
        } else {
            break;
        }
        if (anchor) break;
    }
    if (changed) {
        luaL_addlstring(&b, at, (size_t)(m.src_end - at));
        luaL_pushresult(&b);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, n);
    return 2;
}

static const luaL_Reg functions[] = {
    { "byte", str_byte }, /* at most 4,096 at once */
    { "char", str_char },
    { "find", str_find },
    { "format", il__str_format }, /* without %p, %q */
    { "gmatch", str_gmatch },
    { "gsub", str_gsub },
    { "len", str_len },
    { "lower", str_lower }, /* ASCII letters */
    { "match", str_match },
    { "rep", str_rep },
    { "reverse", str_reverse },
    { "sub", str_sub },
    { "upper", str_upper },
    { NULL, NULL }
};

void il__lib_string(lua_State *L)
{
    luaL_newlib(L, functions);
}
