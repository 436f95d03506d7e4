/* Answers of a Lua runtime (lua_answer.h): a userdata holds the kind, its one user value the value or the raw text. */
#include "script/lua_answer.h"

#include "base/error.h"
#include "script/duration.h"
#include "script/value.h"

#include <lauxlib.h>

static const char meta[] = "interlock.runtime answer";

struct held {
    struct il__lua_answer answer;
    bool raw; /* the user value is the text of the body */
};

enum { DELAY_MOST_MS = 86400000 };

static struct held *new_answer(lua_State *L, enum il__answer_kind kind)
{
    il__sandbox_charge(L, 20);
    struct held *held = lua_newuserdatauv(L, sizeof *held, 1);
    memset(held, 0, sizeof *held);
    held->answer.kind = kind;
    if (luaL_newmetatable(L, meta)) {
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, -2);
    return held;
}

int il__lua_answer_lost(lua_State *L)
{
    (void)new_answer(L, IL__ANSWER_LOST);
    return 1;
}

int il__lua_answer_crash(lua_State *L)
{
    (void)new_answer(L, IL__ANSWER_CRASHED);
    return 1;
}

int il__lua_answer_raw(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING) return luaL_error(L, "runtime.raw needs the text: runtime.raw(\"{...\")");
    struct held *held = new_answer(L, IL__ANSWER_BODY);
    held->raw = true;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

int il__lua_answer_failure(lua_State *L)
{
    struct il_str reason = il__arg_str(L, 1, "runtime.failure: the reason");
    struct il_str message = il__arg_opt_str(L, 2, "runtime.failure: the message");
    struct held *held = new_answer(L, IL__ANSWER_FAILED);
    il__escape(held->answer.reason, sizeof held->answer.reason, reason);
    il__escape(held->answer.message, sizeof held->answer.message, message);
    return 1;
}

/* A copy of the answer at `idx`, or a new one around the plain value there; on top. */
static struct held *copy_of(lua_State *L, int idx)
{
    const struct held *from = luaL_testudata(L, idx, meta);
    struct held *held = new_answer(L, IL__ANSWER_BODY);
    if (from) {
        *held = *from;
        lua_getiuservalue(L, idx, 1);
    } else {
        lua_pushvalue(L, idx);
    }
    lua_setiuservalue(L, -2, 1);
    return held;
}

int il__lua_answer_later(lua_State *L)
{
    int64_t delay = il__arg_duration(L, 1, "runtime.later: the delay", 0, DELAY_MOST_MS);
    lua_settop(L, 2);
    copy_of(L, 2)->answer.delay_ms = delay;
    return 1;
}

int il__lua_answer_twice(lua_State *L)
{
    lua_settop(L, 1);
    copy_of(L, 1)->answer.twice = true;
    return 1;
}

static void take_body(lua_State *L, int idx, const char *what, struct il__buf *body)
{
    switch (lua_type(L, idx)) {
    case LUA_TNIL: il__buf_puts(body, "null"); return;
    case LUA_TFUNCTION:
    case LUA_TTHREAD:
        luaL_error(L, "%s must be a table, nil or a value of runtime; it is a %s", what, luaL_typename(L, idx));
        return;
    default: il__value_check_json(L, idx, body, what); return;
    }
}

void il__lua_answer_take(lua_State *L, const char *what, struct il__lua_answer *out, struct il__buf *body)
{
    if (lua_gettop(L) > 1) luaL_error(L, "%s must be one value; %d came back", what, lua_gettop(L));
    lua_settop(L, 1);
    const struct held *held = luaL_testudata(L, 1, meta);
    if (!held) {
        memset(out, 0, sizeof *out);
        take_body(L, 1, what, body);
        return;
    }
    *out = held->answer;
    if (out->kind != IL__ANSWER_BODY) return;
    lua_getiuservalue(L, 1, 1);
    if (held->raw) {
        size_t len = 0;
        const char *ptr = lua_tolstring(L, 2, &len);
        il__buf_add(body, ptr, len);
    } else {
        take_body(L, 2, what, body);
    }
}
