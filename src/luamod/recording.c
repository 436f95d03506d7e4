/* store:scenario and interlock.play: a recorded run as a scenario file, and scenario files played. */
#include "luamod/luamod.h"

enum { POLICIES_MAX = 32, MASKS_MAX = 64 };

static int text_gc(lua_State *L)
{
    il_text_clear(lua_touserdata(L, 1));
    return 0;
}

/* Pushes an empty text; the collector gives back what an error leaves in it. */
static struct il_text *new_text(lua_State *L)
{
    struct il_text *text = lua_newuserdatauv(L, sizeof *text, 0);
    *text = (struct il_text)IL_TEXT_INIT;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, text_gc);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return text;
}

/* { dir =, params = (JSON) } for each of the list in field `policies` of the table at 3. */
static size_t read_policies(lua_State *L, struct il_scenario_policy out[POLICIES_MAX])
{
    size_t count = 0;
    lua_getfield(L, 3, "policies");
    if (!lua_istable(L, -1)) return 0;
    int list = lua_gettop(L);
    luaL_checkstack(L, 3 * POLICIES_MAX + 8, "too many policies");
    for (lua_Integer i = 1; count < POLICIES_MAX && lua_rawgeti(L, list, i) == LUA_TTABLE; i++) {
        int at = lua_gettop(L);
        out[count++] = (struct il_scenario_policy){ luamod_field_str(L, at, "dir"), luamod_field_str(L, at, "params") };
    }
    return count;
}

/* store:scenario(run_id [, { policies = { { dir =, params = } }, workflow =, masks = { ... } }]) -> Lua source */
int luamod_store_scenario(lua_State *L)
{
    il_store *store = luamod_check_store(L, 1);
    struct il_record_options o = IL_RECORD_OPTIONS_INIT;
    struct il_scenario_policy policies[POLICIES_MAX];
    struct il_str masks[MASKS_MAX];
    struct il_error err = IL_ERROR_INIT;
    o.run_id = luamod_arg_str(L, 2);
    if (lua_istable(L, 3)) {
        o.policies = policies;
        o.policy_count = read_policies(L, policies);
        o.workflow = luamod_field_str(L, 3, "workflow");
        o.mask_count = luamod_field_strs(L, 3, "masks", masks, MASKS_MAX);
        o.masks = masks;
    }
    struct il_text *text = new_text(L);
    if (il_scenario_of_run(store, &o, text, &err)) return luamod_fail(L, &err);
    lua_pushlstring(L, text->ptr, text->len);
    il_text_clear(text);
    return 1;
}

static void add_result(void *ctx, const struct il_scenario_result *result)
{
    lua_State *L = ctx;
    lua_createtable(L, 0, 4);
    luamod_set_str(L, "name", result->name);
    luamod_set_str(L, "message", result->message);
    lua_pushboolean(L, result->passed);
    lua_setfield(L, -2, "passed");
    lua_pushinteger(L, result->line);
    lua_setfield(L, -2, "line");
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* interlock.play(file, source) -> { { name =, passed =, message =, line = }, ... }; names in it are seen from `file` */
int luamod_play(lua_State *L)
{
    struct il_scenario_options o = IL_SCENARIO_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    size_t ran = 0;
    o.file = luamod_arg_str(L, 1);
    o.source = luamod_arg_str(L, 2);
    lua_newtable(L);
    o.report = add_result;
    o.report_ctx = L;
    return il_scenario_run(&o, &ran, &err) ? luamod_fail(L, &err) : 1;
}
