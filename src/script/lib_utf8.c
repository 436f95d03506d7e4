/* UTF-8: strict both ways (no surrogates, nothing beyond U+10FFFF, no overlong forms). Uses base/utf8.h. */
#include "base/utf8.h"
#include "script/state.h"

static size_t decode(const char *s, size_t len, uint32_t *code)
{
    return il__utf8_read((const unsigned char *)s, len, code);
}

static int utf_char(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    il__charge(il__state(L), (uint64_t)n);
    for (int i = 1; i <= n; i++) {
        char out[4];
        lua_Integer c = luaL_checkinteger(L, i);
        luaL_argcheck(L, c >= 0 && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF), i, "not a code point");
        luaL_addlstring(&b, out, il__utf8_write((uint32_t)c, out));
    }
    luaL_pushresult(&b);
    return 1;
}

static lua_Integer position(lua_Integer pos, size_t len)
{
    if (pos >= 0) return pos;
    return pos < -(lua_Integer)len ? 0 : (lua_Integer)len + pos + 1;
}

static int utf_codepoint(lua_State *L)
{
    size_t len;
    const char *s = luaL_checklstring(L, 1, &len);
    lua_Integer i = position(luaL_optinteger(L, 2, 1), len), j = position(luaL_optinteger(L, 3, i), len);
    luaL_argcheck(L, i >= 1, 2, "out of bounds");
    luaL_argcheck(L, j <= (lua_Integer)len, 3, "out of bounds");
    if (i > j) return 0;
    if (j - i >= IL__LIMIT_SCRIPT_RESULTS)
        return luaL_error(L, "string slice too long: at most 4096 bytes at once (script_results)");
    il__charge(il__state(L), (uint64_t)(j - i + 1));
    luaL_checkstack(L, (int)(j - i + 1), "string slice too long");
    int n = 0;
    for (size_t at = (size_t)i - 1; at < (size_t)j; n++) {
        uint32_t code = 0;
        size_t step = decode(s + at, len - at, &code);
        if (step == 0) return luaL_error(L, "invalid UTF-8 code at byte %I", (LUAI_UACINT)at + 1);
        lua_pushinteger(L, code);
        at += step;
    }
    return n;
}

/* Characters that start between i and j; nil and the position of the first invalid byte. */
static int utf_len(lua_State *L)
{
    size_t len;
    const char *s = luaL_checklstring(L, 1, &len);
    lua_Integer i = position(luaL_optinteger(L, 2, 1), len), j = position(luaL_optinteger(L, 3, -1), len), n = 0;
    luaL_argcheck(L, i >= 1 && i <= (lua_Integer)len + 1, 2, "initial position out of bounds");
    luaL_argcheck(L, j <= (lua_Integer)len, 3, "final position out of bounds");
    il__charge(il__state(L), 1 + len / 4);
    for (size_t at = (size_t)i - 1; (lua_Integer)at < j; n++) {
        uint32_t code;
        size_t step = decode(s + at, len - at, &code);
        if (step == 0) {
            lua_pushnil(L);
            lua_pushinteger(L, (lua_Integer)at + 1);
            return 2;
        }
        at += step;
    }
    lua_pushinteger(L, n);
    return 1;
}

/* (text, position of the character before, or 0) */
static int step_codes(lua_State *L)
{
    size_t len;
    uint32_t code = 0;
    const char *s = luaL_checklstring(L, 1, &len);
    lua_Unsigned at = (lua_Unsigned)lua_tointeger(L, 2);
    il__charge(il__state(L), 2);
    if (at > 0 && at <= len) {
        size_t step = decode(s + at - 1, len - at + 1, &code);
        at = at - 1 + (step ? step : 1);
    }
    if (at >= len) return 0;
    if (decode(s + at, len - at, &code) == 0)
        return luaL_error(L, "invalid UTF-8 code at byte %I", (LUAI_UACINT)at + 1);
    lua_pushinteger(L, (lua_Integer)at + 1);
    lua_pushinteger(L, code);
    return 2;
}

static int utf_codes(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lua_pushcfunction(L, step_codes);
    lua_insert(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

static const luaL_Reg functions[] = {
    { "char", utf_char },
    { "codepoint", utf_codepoint },
    { "codes", utf_codes },
    { "len", utf_len },
    { NULL, NULL }
};

void il__lib_utf8(lua_State *L)
{
    luaL_newlib(L, functions);
}
