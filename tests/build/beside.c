/* A program that has a Lua of its own and the library with the one inside: each does its work while the other is in the
 * middle of its own. Compiled as C against LuaJIT and the distribution's Lua, and as C++ against the build of Lua that
 * throws exceptions. Prints what each has said. */
#include <interlock.h>

#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
#include <lua.h>

#include <lauxlib.h>
#include <lualib.h>
#else
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#endif

static struct il_str text(const char *z)
{
    struct il_str s;
    s.ptr = z;
    s.len = strlen(z);
    return s;
}

/* The program's Lua raises and catches an error, changes its strings, and says what it is. */
static const char OURS[] =
    "local ok, why = pcall(error, 'caught')\n"
    "string.ours = 'ours'\n"
    "return (type(jit) == 'table' and 'LuaJIT' or _VERSION) .. ' ' .. tostring(ok) .. ' ' .. why";

static const char MANIFEST[] =
    "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"b.lua\",\"level\":\"hard\"}]}";
static const char POLICY[] =
    "local policy = require 'interlock.policy'\n"
    "return policy { name = 'b', preview = function()\n"
    "  local ok, why = pcall(error, 'inside')\n"
    "  return policy.deny(7 // 2 .. ' ' .. type(jit) .. ' ' .. type(('').ours) .. ' ' .. tostring(ok) .. ' ' .. why)\n"
    "end }\n";

struct program {
    lua_State *L;
    unsigned events, right;
};

static bool ours(lua_State *L, char *said, size_t size)
{
    bool ok = luaL_loadstring(L, OURS) == 0 && lua_pcall(L, 0, 1, 0) == 0;
    snprintf(said, size, "%s", lua_tostring(L, -1));
    lua_settop(L, 0);
    return ok;
}

/* In the middle of the library's work. */
static void on_event(void *ctx, const struct il_event *event)
{
    struct program *p = (struct program *)ctx;
    char said[100];
    (void)event;
    p->events++;
    p->right += ours(p->L, said, sizeof said) && strstr(said, "false caught") != NULL;
}

static int run(struct program *p, struct il_error *err)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_run_options action = IL_RUN_OPTIONS_INIT;
    struct il_file files[2];
    struct il_str none = { NULL, 0 }, document, scope = text("computer:plan");
    il_host *host = NULL;
    il_run *one = NULL;
    options.event = on_event;
    options.event_ctx = p;
    files[0].path = text("bundle.json");
    files[0].bytes = text(MANIFEST);
    files[1].path = text("b.lua");
    files[1].bytes = text(POLICY);
    action.proposal = text("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"x\"}}");
    action.principal = text("p");
    action.session_id = text("s");
    action.scopes = &scope;
    action.scope_count = 1;
    if (il_host_new(&options, &host, err) || il_host_set_runtime_simulated(host, none, err) ||
        il_host_add_bundle(host, files, 2, none, err) || il_run_start(host, &action, &one, err))
        return 1;
    while (il_run_state(one) != IL_RUN_ENDED) {
        struct il_tick tick;
        tick.size = sizeof tick;
        if (il_host_tick(host, 1000, &tick, err)) return 1;
    }
    if (il_run_document(one, &document, err)) return 1;
    printf("inside: %.*s\n", (int)document.len, document.ptr);
    il_host_free(host);
    return 0;
}

int main(void)
{
    struct program p = { luaL_newstate(), 0, 0 };
    struct il_error err = IL_ERROR_INIT;
    char said[100];
    luaL_openlibs(p.L);
    if (run(&p, &err)) printf("failed: %s\n", err.message);
    printf("events: %s\n", p.events > 5 && p.right == p.events ? "each heard by the program's Lua" : "not all heard");
    ours(p.L, said, sizeof said);
    printf("ours: %s\n", said);
    lua_close(p.L);
    return 0;
}
