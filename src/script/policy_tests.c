/* Test files (policy_tests.h). */
#include "script/policy_tests.h"

#include "base/error.h"
#include "script/policy_api.h"
#include "script/value.h"

struct running {
    const struct il__policy_set_options *options;
    const char *label;
    struct il__buf *out;
};

static void log_line(void *ctx, enum il_log_level level, struct il_str line)
{
    const struct running *r = ctx;
    if (r->options->log) il__log(r->options->log, level, "%s: %.*s", r->label, IL_STR_FMT(line));
}

static void take_cases(lua_State *L, void *ctx)
{
    struct running *r = ctx;
    static const char usage[] = "a test file ends with `return { { name = \"...\", action = { tool = \"...\" }, "
                                "expect = "
                                "\"none\" } }`";
    if (lua_gettop(L) == 0 || lua_isnil(L, 1)) luaL_error(L, "%s: it returns nothing; %s", r->label, usage);
    if (lua_gettop(L) > 1) luaL_error(L, "%s: it returns %d values; %s", r->label, lua_gettop(L), usage);
    if (lua_type(L, 1) != LUA_TTABLE) luaL_error(L, "%s: it returns a %s; %s", r->label, luaL_typename(L, 1), usage);
    if (il__arg_field(L, 1, "action") != LUA_TNIL || il__arg_field(L, 1, "expect") != LUA_TNIL)
        luaL_error(L, "%s: it returns one case; put { } around it: a list of cases is expected", r->label);
    lua_settop(L, 1);
    if (lua_rawlen(L, 1) == 0) luaL_error(L, "%s: it returns no cases; %s", r->label, usage);
    il__value_check_json(L, 1, r->out, r->label);
}

enum il_code il__policy_tests_run(const struct il__policy_set_options *options, const struct il__bundle *bundle,
                                  const char *label, struct il_str source, struct il__buf *out, struct il_error *err)
{
    struct running r = { options, label, out };
    struct il__script_result result;
    int chunk;
    const struct il__sandbox_options sandbox = {
        .mem = options->mem, .clock = options->clock, .log = log_line, .log_ctx = &r, .seed = IL_STR("test"),
        .modules = bundle ? &bundle->modules : &il__policy_modules,
    };
    struct il__sandbox *sb = il__sandbox_open(&sandbox, err);
    if (!sb) return IL_OUT_OF_MEMORY;
    enum il_code code = IL_OK;
    if (il__sandbox_load(sb, label, source, &chunk, &result) != IL__SCRIPT_RETURNED ||
        il__sandbox_call(sb, chunk, NULL, take_cases, &r, &result) != IL__SCRIPT_RETURNED)
        code = il__script_fail(&result, err);
    il__sandbox_close(sb);
    if (!code || out->code == IL_OUT_OF_MEMORY) code = il__buf_check(out, err); /* it is not the script that failed */
    return code;
}
