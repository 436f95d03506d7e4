/* The bindings of the helpers (policy_help.h). */
#include "script/policy_help.h"

#include "base/error.h"
#include "check/domain.h"
#include "check/glob.h"
#include "check/nfc.h"
#include "check/path.h"
#include "script/policy_api.h"
#include "script/state.h"
#include "script/value.h"
#include "script/view.h"

#include <lauxlib.h>

/* `count` arguments, called as `usage` shows. */
static void check_call(lua_State *L, int count, const char *usage)
{
    il__sandbox_charge(L, 10);
    if (il__object_is(L, 1, &il__policy_object)) luaL_error(L, "write %s with a dot", usage);
    if (lua_gettop(L) != count) {
        luaL_error(L, "%s takes %d argument%s, got %d", usage, count, count == 1 ? "" : "s", lua_gettop(L));
    }
}

/* A string, which may hold NUL: the functions of src/check judge it. */
static struct il_str text_at(lua_State *L, int idx, const char *what)
{
    struct il_str s;
    if (lua_type(L, idx) != LUA_TSTRING) luaL_error(L, "%s must be a string, got %s", what, luaL_typename(L, idx));
    s.ptr = lua_tolstring(L, idx, &s.len);
    return s;
}

/* nil, why */
static int push_why(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

/* "policy.glob: the pattern "[": ..." */
static int fail(lua_State *L, const char *what, struct il_str text, const char *why)
{
    char shown[120];
    il__escape(shown, sizeof shown, text);
    return luaL_error(L, "%s \"%s\": %s", what, shown, why);
}

int il__help_glob(lua_State *L)
{
    check_call(L, 2, "policy.glob(pattern, text)");
    struct il_str pattern = text_at(L, 1, "policy.glob: the pattern"), text = text_at(L, 2, "policy.glob: the text");
    if (pattern.len <= IL__LIMIT_RULE_PATTERN_BYTES && text.len <= IL__LIMIT_RULE_TEXT_BYTES) {
        il__sandbox_charge(L, (pattern.len + 4) * (text.len + 16) / 16);
    }
    const char *why = NULL;
    enum il__glob found = il__glob_match(pattern, text, &why);
    if (found == IL__GLOB_MALFORMED) return fail(L, "policy.glob: the pattern", pattern, why);
    lua_pushboolean(L, found == IL__GLOB_MATCHES);
    return 1;
}

/* Normalizing is the work: a few units for each byte. */
static bool read_path(lua_State *L, struct il_str text, struct il__path *out, const char **why)
{
    il__sandbox_charge(L, 100 + (text.len <= IL__LIMIT_RULE_PATH_BYTES ? 4 * text.len : 0));
    return il__path_read(text, out, why);
}

int il__help_path(lua_State *L)
{
    check_call(L, 1, "policy.path(text)");
    struct il__path path;
    const char *why = NULL;
    if (!read_path(L, text_at(L, 1, "policy.path: the path"), &path, &why)) return push_why(L, why);
    lua_pushlstring(L, path.text, path.len);
    return 1;
}

int il__help_under(lua_State *L)
{
    check_call(L, 2, "policy.under(path, folder)");
    struct il__path path, folder;
    struct il_str text = text_at(L, 1, "policy.under: the path"), in = text_at(L, 2, "policy.under: the folder");
    const char *why = NULL;
    if (!read_path(L, in, &folder, &why)) return fail(L, "policy.under: the folder", in, why);
    lua_pushboolean(L, read_path(L, text, &path, &why) && il__path_under(&path, &folder));
    return 1;
}

int il__help_domain(lua_State *L)
{
    check_call(L, 1, "policy.domain(text)");
    struct il__domain domain;
    const char *why = NULL;
    struct il_str text = text_at(L, 1, "policy.domain: the host or address");
    il__sandbox_charge(L, 50 + text.len / 8);
    if (!il__domain_read(text, &domain, &why)) return push_why(L, why);
    lua_pushlstring(L, domain.text, domain.len);
    return 1;
}

int il__help_domain_is(lua_State *L)
{
    check_call(L, 2, "policy.domain_is(text, pattern)");
    const char *why = NULL;
    struct il_str text = text_at(L, 1, "policy.domain_is: the host or address");
    struct il_str pattern = text_at(L, 2, "policy.domain_is: the pattern");
    il__sandbox_charge(L, 100 + text.len / 8);
    enum il__domain_match found = il__domain_is(text, pattern, &why);
    if (found == IL__DOMAIN_PATTERN) return fail(L, "policy.domain_is: the pattern", pattern, why);
    lua_pushboolean(L, found == IL__DOMAIN_MATCHES);
    return 1;
}

int il__help_nfc(lua_State *L)
{
    check_call(L, 1, "policy.nfc(text)");
    struct il_str text = text_at(L, 1, "policy.nfc: the text");
    if (text.len > IL__LIMIT_NFC_BYTES) {
        return luaL_error(L, "policy.nfc: the text is longer than %d bytes (nfc_bytes)", IL__LIMIT_NFC_BYTES);
    }
    il__sandbox_charge(L, 10 + 4 * text.len);
    size_t room = IL__NFC_ROOM(text.len), count = 0;
    const char *why = NULL;
    int32_t *points = lua_newuserdatauv(L, room * sizeof *points, 0);
    if (!il__nfc_points(text, points, room, &count, &why)) return fail(L, "policy.nfc: the text", text, why);
    char *out = lua_newuserdatauv(L, count * 4 + 1, 0);
    lua_pushlstring(L, out, il__nfc_write(points, count, out, count * 4));
    return 1;
}

/* The length of the list at 1. */
static lua_Integer list_length(lua_State *L)
{
    static const char what[] = "policy.has: the list must be a list, such as { \"private\", \"secret\" }";
    if (il__view_is(L, 1)) return il__view_is_list(L, 1) ? luaL_len(L, 1) : luaL_error(L, "%s", what);
    if (lua_type(L, 1) != LUA_TTABLE) return luaL_error(L, "%s, got %s", what, luaL_typename(L, 1));
    lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    lua_pushnil(L);
    if (count == 0 && lua_next(L, 1)) return luaL_error(L, "%s; this table has names", what);
    return count;
}

int il__help_has(lua_State *L)
{
    check_call(L, 2, "policy.has(list, value)");
    int type = lua_type(L, 2);
    if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN) {
        return luaL_error(L, "policy.has: the value must be a string, a number or a boolean, got %s",
                          luaL_typename(L, 2));
    }
    bool found = false;
    lua_Integer count = lua_isnil(L, 1) || il__value_is_null(L, 1) ? 0 : list_length(L);
    for (lua_Integer i = 1; i <= count && !found; i++) {
        il__sandbox_charge(L, 4);
        if (lua_type(L, 1) == LUA_TTABLE) lua_rawgeti(L, 1, i);
        else lua_geti(L, 1, i);
        found = lua_rawequal(L, -1, 2);
        lua_pop(L, 1);
    }
    lua_pushboolean(L, found);
    return 1;
}
