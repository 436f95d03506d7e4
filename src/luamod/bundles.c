/* Policy bundles of a host, in Lua: whose are trusted, and other ones in place of all. Adding is in host.c. */
#include "luamod/luamod.h"

enum { KEYS_MAX = 64, BUNDLES_MAX = 32, FILES_MAX = 256 };

static int done(lua_State *L, struct luamod_host *h, enum il_code code, const struct il_error *err)
{
    if (code) return luamod_leave(L, h, luamod_fail(L, err));
    lua_pushboolean(L, 1);
    return luamod_leave(L, h, 1);
}

/* host:trust_bundles { "public key", ... } */
int luamod_trust_bundles(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_str keys[KEYS_MAX];
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "keys");
    size_t count = luamod_field_strs(L, lua_gettop(L), "keys", keys, KEYS_MAX);
    return done(L, h, il_host_trust_bundles(h->host, keys, count, &err), &err);
}

/* The table on top, { path = text } by path, into memory that Lua owns; what it holds stays on the stack. */
static const struct il_file *take_files(lua_State *L, size_t *count)
{
    const int table = lua_gettop(L);
    struct il_file *files = lua_newuserdatauv(L, FILES_MAX * sizeof *files, 0);
    *count = 0;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        if (*count == FILES_MAX) luaL_error(L, "more than %d files", FILES_MAX);
        luaL_checkstack(L, 4, "too many files");
        files[*count].path = luamod_arg_str(L, -2);
        files[*count].bytes = luamod_arg_str(L, -1);
        ++*count;
        lua_pushvalue(L, -2);
    }
    return files;
}

/* { path = "folder or packed file", or files = { [name] = "text" }, params = "JSON text" } on top; it stays there. */
static struct il_bundle take_bundle(lua_State *L)
{
    struct il_bundle bundle = { .path = { NULL, 0 } };
    luaL_checktype(L, -1, LUA_TTABLE);
    const int table = lua_gettop(L);
    bundle.path = luamod_field_str(L, table, "path");
    bundle.params_json = luamod_field_str(L, table, "params");
    const int type = lua_getfield(L, table, "files");
    if ((type == LUA_TTABLE) == (bundle.path.ptr != NULL))
        luaL_error(L, "a bundle has a path, or files: { path = \"policies/mine\" }");
    if (type == LUA_TTABLE) bundle.files = take_files(L, &bundle.file_count);
    return bundle;
}

/* host:reload_bundles { { path = ..., params = ... }, { files = ..., params = ... }, ... } */
int luamod_reload_bundles(lua_State *L)
{
    struct luamod_host *h = luamod_check_host(L, 1);
    struct il_error err = IL_ERROR_INIT;
    struct il_bundle bundles[BUNDLES_MAX];
    luaL_checktype(L, 2, LUA_TTABLE);
    const size_t count = lua_rawlen(L, 2);
    if (count > BUNDLES_MAX) return luaL_error(L, "more than %d bundles", BUNDLES_MAX);
    for (size_t i = 0; i < count; i++) {
        luaL_checkstack(L, LUA_MINSTACK, "too many bundles");
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        bundles[i] = take_bundle(L);
    }
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many bundles"); /* room for the callbacks of the call */
    return done(L, h, il_host_reload_bundles(h->host, bundles, count, &err), &err);
}
