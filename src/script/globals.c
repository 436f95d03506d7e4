/* Reading the globals of a sandbox (globals.h). Runs inside the protected region, and owns nothing but the arena. */
#include "script/globals.h"

#include "base/error.h"
#include "base/sort.h"
#include "script/policy_api.h"
#include "script/state.h"

struct reader {
    struct il__arena *arena;
    struct il__global *items;
    size_t count;
    bool no_memory;
};

static bool name_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return il__str_cmp(*(const struct il_str *)a, *(const struct il_str *)b) < 0;
}

static bool global_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return il__str_cmp(((const struct il__global *)a)->name, ((const struct il__global *)b)->name) < 0;
}

static size_t count_keys(lua_State *L, int table)
{
    size_t n = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) n++;
    return n;
}

/* The key below the value on top, copied; absent when it is no string. */
static struct il_str key(lua_State *L, struct reader *r)
{
    struct il_str s = IL_STR_NONE;
    if (lua_type(L, -2) != LUA_TSTRING) return s;
    s.ptr = lua_tolstring(L, -2, &s.len);
    if (il__arena_str(r->arena, s, &s) != IL_OK) r->no_memory = true;
    return s;
}

/* The table of functions on top becomes members. */
static void read_members(lua_State *L, struct reader *r, struct il__global *g)
{
    int table = lua_gettop(L);
    struct il_str *names = il__arena_alloc(r->arena, (count_keys(L, table) + 1) * sizeof *names);
    if (!names) {
        r->no_memory = true;
        return;
    }
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        struct il_str name = key(L, r);
        if (name.ptr) names[g->member_count++] = name;
    }
    il__sort(names, g->member_count, sizeof *names, name_before, NULL);
    g->members = names;
}

static void read_global(lua_State *L, struct reader *r)
{
    struct il__global *g = &r->items[r->count];
    *g = (struct il__global){ .name = key(L, r), .function = lua_isfunction(L, -1) };
    if (!g->name.ptr) return;
    r->count++;
    if (!lua_getmetatable(L, -1)) return;
    lua_getfield(L, -1, "__index");
    if (lua_istable(L, -1) && lua_isuserdata(L, -3)) read_members(L, r, g);
    lua_pop(L, 2);
}

static void read_all(lua_State *L, void *ctx)
{
    struct reader *r = ctx;
    luaL_checkstack(L, 12, NULL);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &il__key_base);
    int table = lua_gettop(L);
    r->items = il__arena_alloc(r->arena, (count_keys(L, table) + 1) * sizeof *r->items);
    if (!r->items) {
        r->no_memory = true;
        return;
    }
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) read_global(L, r);
}

enum il_code il__globals_read(struct il__arena *arena, struct il__globals *out, struct il_error *err)
{
    struct il__clock clock;
    struct il__script_result result;
    struct reader r = { .arena = arena };
    il__clock_init(&clock, NULL, NULL, NULL);
    struct il__sandbox_options options = { .mem = arena->mem, .clock = &clock, .modules = &il__policy_modules };
    struct il__sandbox *sb = il__sandbox_open(&options, err);
    if (!sb) return IL_OUT_OF_MEMORY;
    enum il__script_end end = il__sandbox_do(sb, read_all, &r, &result);
    enum il_code code = end == IL__SCRIPT_RETURNED ? IL_OK : il__script_fail(&result, err);
    il__sandbox_close(sb);
    if (code == IL_OK && r.no_memory) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for the list of globals");
    if (code != IL_OK) return code;
    il__sort(r.items, r.count, sizeof *r.items, global_before, NULL);
    *out = (struct il__globals){ r.items, r.count };
    return IL_OK;
}

const struct il__global *il__globals_find(const struct il__globals *globals, struct il_str name)
{
    for (size_t i = 0; i < globals->count; i++)
        if (il__str_eq(globals->items[i].name, name)) return &globals->items[i];
    return NULL;
}
