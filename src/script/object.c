/* Read-only objects over a hidden table (object.h). The userdata holds its kind and phase; the table is its one user
 * value, so nothing is owned but arena memory. */
#include "script/object.h"

#include "base/error.h"
#include "script/near.h"
#include "script/view.h"

#include <lauxlib.h>
#include <stdio.h>

static const char meta_name[] = "interlock.object";

struct held {
    const struct il__object *kind;
    unsigned phase;
};

static struct held *held_at(lua_State *L, int idx)
{
    return luaL_testudata(L, idx, meta_name);
}

static struct il_str key_text(lua_State *L, int idx)
{
    size_t len = 0;
    const char *ptr = lua_tolstring(L, idx, &len);
    return (struct il_str){ ptr, len };
}

/* Pushes "propose", "approve and execute", ... */
static void push_phases(lua_State *L, unsigned phases)
{
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    bool first = true;
    for (unsigned p = IL__PHASE_PROPOSE; p <= IL__PHASE_EXECUTE; p++) {
        if (!(phases & (1u << p))) continue;
        bool last = (phases >> (p + 1)) == 0;
        if (!first) luaL_addstring(&b, last ? " and " : ", ");
        luaL_addstring(&b, il__phase_names[p]);
        first = false;
    }
    luaL_pushresult(&b);
}

static const struct il__member *find(const struct il__object *kind, struct il_str name)
{
    for (const struct il__member *m = kind->members; m && m->name; m++) {
        if (il__str_eq(il__str(m->name), name)) return m;
    }
    return NULL;
}

/* Offers the names of the string keys of the hidden table on top of the stack. */
static void try_values(lua_State *L, struct il__near *near)
{
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING) il__near_try(near, key_text(L, -1));
    }
}

/* Pushes `, NAME` for every member that is there in this phase, in the order of the table. */
static void push_members(lua_State *L, const struct held *held)
{
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    bool first = true;
    for (const struct il__member *m = held->kind->members; m && m->name; m++) {
        if (m->phases && !(m->phases & (1u << held->phase))) continue;
        if (!first) luaL_addstring(&b, ", ");
        luaL_addstring(&b, m->name);
        first = false;
    }
    luaL_pushresult(&b);
}

/* The hidden table is on top. */
static int unknown(lua_State *L, const struct held *held, struct il_str name)
{
    const char *object = held->kind->name;
    struct il__near near = il__near_start(name);
    char shown[80], hint[80];
    il__escape(shown, sizeof shown, name);
    if (held->kind->members) {
        for (const struct il__member *m = held->kind->members; m->name; m++) il__near_try(&near, il__str(m->name));
    } else {
        try_values(L, &near);
    }
    if (il__str_present(near.best)) {
        il__escape(hint, sizeof hint, near.best);
        return luaL_error(L, "%s has no member \"%s\"; did you mean \"%s\"?", object, shown, hint);
    }
    if (!held->kind->members) return luaL_error(L, "%s has no member \"%s\"", object, shown);
    push_members(L, held);
    return luaL_error(L, "%s has no member \"%s\"; there are: %s", object, shown, lua_tostring(L, -1));
}

static int object_index(lua_State *L)
{
    const struct held *held = held_at(L, 1);
    il__sandbox_charge(L, 2);
    if (!held || lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "members are read by name");
    lua_getiuservalue(L, 1, 1);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) != LUA_TNIL) {
        if (held->kind->noted) il__view_read(L, held->kind->name, 2);
        return 1;
    }
    lua_pop(L, 1);
    struct il_str name = key_text(L, 2);
    const struct il__member *m = find(held->kind, name);
    if (!m) return unknown(L, held, name);
    if (m->phases && !(m->phases & (1u << held->phase))) {
        push_phases(L, m->phases);
        return luaL_error(L, "%s.%s is there in phase%s %s only; this is %s", held->kind->name, m->name,
                          (m->phases & (m->phases - 1)) ? "s" : "", lua_tostring(L, -1), il__phase_names[held->phase]);
    }
    lua_pushnil(L);
    if (held->kind->noted) il__view_read(L, held->kind->name, 2);
    return 1;
}

static int object_newindex(lua_State *L)
{
    const struct held *held = held_at(L, 1);
    return luaL_error(L, "%s is read-only", held ? held->kind->name : "this object");
}

static int object_call(lua_State *L)
{
    const struct held *held = held_at(L, 1);
    il__sandbox_charge(L, 2);
    if (!held || !held->kind->call) {
        return luaL_error(L, "%s is not a function", held ? held->kind->name : "this object");
    }
    return held->kind->call(L);
}

static void push_meta(lua_State *L)
{
    if (!luaL_newmetatable(L, meta_name)) return;
    static const luaL_Reg events[] = {
        { "__index", object_index },       /* a member, or an error that says what there is */
        { "__newindex", object_newindex }, /* always an error */
        { "__call", object_call },         /* what the kind does when called */
        { NULL, NULL },
    };
    luaL_setfuncs(L, events, 0);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
}

void il__object_push(lua_State *L, const struct il__object *kind, unsigned phase)
{
    luaL_checkstack(L, 6, NULL);
    int values = lua_gettop(L);
    for (const struct il__member *m = kind->members; m && m->name; m++) {
        if (!m->fn || (m->phases && !(m->phases & (1u << phase)))) continue;
        lua_pushcfunction(L, m->fn);
        lua_setfield(L, values, m->name);
    }
    struct held *held = lua_newuserdatauv(L, sizeof *held, 1);
    held->kind = kind;
    held->phase = phase;
    lua_pushvalue(L, values);
    lua_setiuservalue(L, -2, 1);
    push_meta(L);
    lua_setmetatable(L, -2);
    lua_replace(L, values);
}

bool il__object_is(lua_State *L, int idx, const struct il__object *kind)
{
    const struct held *held = held_at(L, idx);
    return held && held->kind == kind;
}

void il__object_method(lua_State *L, const struct il__object *kind, const char *method, int most)
{
    il__sandbox_charge(L, 5);
    if (!il__object_is(L, 1, kind)) {
        luaL_error(L, "write %s:%s(%s), with a colon", kind->name, method, most ? "..." : "");
    }
    if (lua_gettop(L) > most + 1) {
        if (most == 0) luaL_error(L, "%s:%s() takes no argument", kind->name, method);
        luaL_error(L, "%s:%s takes at most %d argument%s", kind->name, method, most, most == 1 ? "" : "s");
    }
}
