/* Coroutines of a script's own. Uses state.h and, through it, the one resume.
 * Must never take a script's yield for a step of the host: the main coroutine yields from verbs only. */
#include "script/state.h"

static lua_State *thread_arg(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTHREAD);
    return lua_tothread(L, 1);
}

static int co_create(lua_State *L)
{
    struct il__sandbox *sb = il__state(L);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    il__charge(sb, IL__COROUTINE_UNITS);
    sb->coroutines++;
    if (sb->coroutines > IL__LIMIT_SCRIPT_COROUTINES) il__kill(sb, IL__KILL_COROUTINES);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

/* Moves `nargs` arguments over and resumes. The number of results, or -1 with the error value, now on `L`. */
static int resume(lua_State *L, lua_State *co, int nargs)
{
    int n = 0;
    il__charge(il__state(L), 10);
    if (co == il__state(L)->main || !lua_checkstack(co, nargs)) {
        lua_pushliteral(L, "cannot resume this coroutine");
        return -1;
    }
    lua_xmove(L, co, nargs);
    int status = il__call_resume(co, L, nargs, &n);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, n + 1)) {
        lua_pop(co, n);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, n);
    return n;
}

static int co_resume(lua_State *L)
{
    lua_State *co = thread_arg(L);
    int n = resume(L, co, lua_gettop(L) - 1);
    lua_pushboolean(L, n >= 0);
    if (n < 0) n = 1;
    lua_insert(L, -(n + 1));
    return n + 1;
}

static int call_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int n = resume(L, co, lua_gettop(L));
    if (n >= 0) return n;
    if (lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int co_wrap(lua_State *L)
{
    co_create(L);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

static int co_yield(lua_State *L)
{
    if (L == il__state(L)->main || !lua_isyieldable(L)) return luaL_error(L, "yield outside a coroutine");
    il__charge(il__state(L), 5);
    return lua_yield(L, lua_gettop(L));
}

static const char *status_of(lua_State *L, lua_State *co)
{
    lua_Debug ar;
    if (L == co) return "running";
    switch (lua_status(co)) {
    case LUA_YIELD: return "suspended";
    case LUA_OK:
        if (lua_getstack(co, 0, &ar)) return "normal"; /* it resumed another one */
        return lua_gettop(co) == 0 ? "dead" : "suspended";
    default: return "dead";
    }
}

static int co_status(lua_State *L)
{
    lua_pushstring(L, status_of(L, thread_arg(L)));
    return 1;
}

static int co_isyieldable(lua_State *L)
{
    lua_State *co = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
    lua_pushboolean(L, co != il__state(L)->main && lua_isyieldable(co));
    return 1;
}

/* The main body counts as no coroutine; its thread is not handed out. */
static int co_running(lua_State *L)
{
    bool main = L == il__state(L)->main || L == il__state(L)->L;
    if (main) lua_pushnil(L);
    else lua_pushthread(L);
    lua_pushboolean(L, main);
    return 2;
}

static const luaL_Reg functions[] = {
    { "create", co_create },           /* at most 1,000 in one script */
    { "isyieldable", co_isyieldable }, /* false in the main body */
    { "resume", co_resume },
    { "running", co_running }, /* nil, true in the main body */
    { "status", co_status },
    { "wrap", co_wrap },
    { "yield", co_yield }, /* inside a coroutine only */
    { NULL, NULL }
};

void il__lib_coroutine(lua_State *L)
{
    luaL_newlib(L, functions);
}
