/* The scenario sandbox (scenario.h). */
#include "script/scenario.h"

#include "base/error.h"
#include "script/embedded.h"
#include "script/value.h"
#include "wire/json.h"

#include <lauxlib.h>
#include <string.h>

enum { OP_MAX = 40 };

/* In the first line, so that the lines of the file keep their numbers. */
const char *const il__scenario_globals[] = { "scenario", "fake", "lua_runtime", "recorded", NULL };
static const char PREFIX[] = "local scenario, fake, lua_runtime, recorded = ... ; ";

struct il__scenario {
    struct il__mem *mem;
    struct il__sandbox *sandbox;
    struct il__modules modules;
    struct il__module items[2];
    size_t count;
    int words, play; /* references: the module, and its function `play` */
    bool started;
    size_t at;
    char op[OP_MAX];
    struct il__buf args;
    struct il__json answer, data;
    bool has_answer;
    struct il__buf *out;
};

static struct il_str embedded(const char *name)
{
    for (const struct il__embedded *e = il__embedded_files; e->name; e++)
        if (strcmp(e->name, name) == 0) return (struct il_str){ e->bytes, e->len };
    return IL_STR_NONE;
}

/* call(op, args): yields to who drives the scenario. */
static int host_call(lua_State *L)
{
    struct il__scenario *sc = il__sandbox_host(L);
    struct il_str op = il__arg_str(L, 1, "operation");
    if (op.len >= sizeof sc->op) return luaL_error(L, "operation: too long");
    memcpy(sc->op, op.ptr, op.len);
    sc->op[op.len] = '\0';
    il__buf_reset(&sc->args);
    lua_settop(L, 2);
    il__value_check_json(L, 2, &sc->args, "arguments");
    return il__sandbox_yield(L, "a step of the scenario");
}

/* data(): what the options gave, as a table. */
static int host_data(lua_State *L)
{
    struct il__scenario *sc = il__sandbox_host(L);
    if (sc->data.count) il__value_push_json(L, &sc->data, 0);
    else lua_pushnil(L);
    return 1;
}

static int open_host(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, host_data);
    lua_setfield(L, -2, "data");
    lua_pushcfunction(L, host_call);
    lua_setfield(L, -2, "call");
    return 1;
}

/* ---- loading ---- */

static void take_words(lua_State *L, void *ctx)
{
    struct il__scenario *sc = ctx;
    lua_getfield(L, 1, "play");
    sc->play = il__sandbox_ref(L);
    lua_settop(L, 1);
    sc->words = il__sandbox_ref(L);
}

static int push_words(lua_State *L, void *ctx)
{
    struct il__scenario *sc = ctx;
    il__sandbox_push_ref(L, sc->words);
    int count = 0;
    for (; il__scenario_globals[count]; count++) lua_getfield(L, -1 - count, il__scenario_globals[count]);
    return count;
}

static void count_scenarios(lua_State *L, void *ctx)
{
    struct il__scenario *sc = ctx;
    il__sandbox_push_ref(L, sc->words);
    lua_getfield(L, -1, "scenarios");
    sc->count = (size_t)lua_rawlen(L, -1);
}

static enum il_code load(struct il__scenario *sc, const char *file, struct il_str source, struct il_error *err)
{
    struct il__script_result result;
    struct il__buf text;
    int ref;
    il__buf_init(&text, sc->mem, 0);
    il__buf_puts(&text, PREFIX);
    il__buf_str(&text, source);
    enum il_code code = il__buf_check(&text, err);
    if (!code && il__sandbox_load(sc->sandbox, "interlock/scenario.lua", embedded("interlock/scenario.lua"), &ref,
                                  &result) != IL__SCRIPT_RETURNED)
        code = il__script_fail(&result, err);
    if (!code && il__sandbox_call(sc->sandbox, ref, NULL, take_words, sc, &result) != IL__SCRIPT_RETURNED)
        code = il__script_fail(&result, err);
    if (!code && il__sandbox_load(sc->sandbox, file, il__buf_get(&text), &ref, &result) != IL__SCRIPT_RETURNED)
        code = il__script_fail(&result, err);
    if (!code && il__sandbox_call(sc->sandbox, ref, push_words, NULL, sc, &result) != IL__SCRIPT_RETURNED)
        code = il__script_fail(&result, err);
    if (!code && il__sandbox_do(sc->sandbox, count_scenarios, sc, &result) != IL__SCRIPT_RETURNED)
        code = il__script_fail(&result, err);
    il__buf_clear(&text);
    return code;
}

enum il_code il__scenario_open(const struct il__scenario_options *o, struct il__scenario **out, struct il_error *err)
{
    struct il__mem *mem = o->mem;
    struct il__scenario *sc = il__mem_zalloc(mem, 1, sizeof *sc);
    if (!sc) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a scenario");
    sc->mem = mem;
    sc->items[0] = (struct il__module){ IL_STR("interlock.scenario.host"), open_host, IL_STR_NONE, NULL };
    sc->items[1] = (struct il__module){ IL_STR("interlock.corpus"), NULL, embedded("interlock/corpus.lua"),
                                        "interlock/corpus.lua" };
    sc->modules = (struct il__modules){ sc->items, 2, NULL };
    il__buf_init(&sc->args, mem, 0);
    const struct il__sandbox_options options = { .mem = mem, .clock = o->clock, .seed = IL_STR("scenario"),
                                                 .modules = &sc->modules, .host = sc };
    sc->sandbox = il__sandbox_open(&options, err);
    enum il_code code = sc->sandbox ? IL_OK : IL_OUT_OF_MEMORY;
    if (!code && il__str_present(o->data)) code = il__json_parse(&sc->data, mem, o->data, IL__JSON_CONTRACT, err);
    if (!code) code = load(sc, o->file, o->source, err);
    if (code) il__scenario_close(sc);
    else *out = sc;
    return code;
}

void il__scenario_close(struct il__scenario *sc)
{
    if (!sc) return;
    il__sandbox_close(sc->sandbox);
    il__buf_clear(&sc->args);
    il__json_clear(&sc->answer);
    il__json_clear(&sc->data);
    il__mem_free(sc->mem, sc, sizeof *sc);
}

size_t il__scenario_count(const struct il__scenario *sc)
{
    return sc->count;
}

/* ---- what is in it ---- */

static void call_word(lua_State *L, struct il__scenario *sc, const char *word)
{
    il__sandbox_push_ref(L, sc->words);
    lua_getfield(L, -1, word);
    lua_pushinteger(L, (lua_Integer)sc->at + 1);
    lua_call(L, 1, 1);
}

static void read_name(lua_State *L, void *ctx)
{
    struct il__scenario *sc = ctx;
    call_word(L, sc, "name");
    il__buf_str(sc->out, il__arg_str(L, lua_gettop(L), "the name of a scenario"));
}

static void read_setup(lua_State *L, void *ctx)
{
    struct il__scenario *sc = ctx;
    call_word(L, sc, "setup");
    il__value_check_json(L, lua_gettop(L), sc->out, "scenario");
}

static enum il_code read_with(struct il__scenario *sc, size_t at, il__take_fn fn, struct il__buf *out,
                              struct il_error *err)
{
    struct il__script_result result;
    sc->at = at;
    sc->out = out;
    if (il__sandbox_do(sc->sandbox, fn, sc, &result) != IL__SCRIPT_RETURNED) return il__script_fail(&result, err);
    return il__buf_check(out, err);
}

enum il_code il__scenario_name(struct il__scenario *sc, size_t at, struct il__buf *out, struct il_error *err)
{
    return read_with(sc, at, read_name, out, err);
}

enum il_code il__scenario_setup(struct il__scenario *sc, size_t at, struct il__buf *out, struct il_error *err)
{
    return read_with(sc, at, read_setup, out, err);
}

/* ---- playing ---- */

static int push_answer(lua_State *L, void *ctx)
{
    struct il__scenario *sc = ctx;
    if (sc->has_answer) il__value_push_json(L, &sc->answer, 0);
    else lua_pushinteger(L, (lua_Integer)sc->at + 1); /* the argument of `play` */
    return 1;
}

enum il__scenario_event il__scenario_next(struct il__scenario *sc, size_t at, struct il_str answer, struct il_str *op,
                                          struct il_str *args, struct il__script_result *result)
{
    struct il_error err = IL_ERROR_INIT;
    sc->has_answer = sc->started;
    il__json_clear(&sc->answer);
    if (!sc->started) {
        sc->started = true;
        sc->at = at;
        if (il__sandbox_start(sc->sandbox, sc->play, result) != IL__SCRIPT_RETURNED) return IL__SCENARIO_FAILED;
    } else if (il__json_parse_copy(&sc->answer, sc->mem, answer, IL__JSON_PAYLOAD, &err)) {
        memset(result, 0, sizeof *result);
        result->end = IL__SCRIPT_ERROR;
        memcpy(result->text, err.message, sizeof result->text - 1);
        return IL__SCENARIO_FAILED;
    }
    switch (il__sandbox_resume(sc->sandbox, push_answer, NULL, sc, result)) {
    case IL__SCRIPT_YIELDED:
        *op = il__str(sc->op);
        *args = il__buf_get(&sc->args);
        return IL__SCENARIO_CALLS;
    case IL__SCRIPT_RETURNED:
        return IL__SCENARIO_PASSED;
    case IL__SCRIPT_ERROR:
    case IL__SCRIPT_KILLED:
        break;
    }
    return IL__SCENARIO_FAILED;
}
