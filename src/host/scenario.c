/* Runs scenario files: each scenario gets a state and a host of its own; what was expected and not seen is a result,
 * with its line and what the runs did (il_scenario_run). */
#include "base/error.h"
#include "base/limits.h"
#include "contract/safety.h"
#include "host/player.h"
#include "script/scenario.h"

#include <string.h>

struct playing {
    const struct il_scenario_options *options;
    struct il_str source, data;  /* of the file; a corpus is data for a fixed one */
    struct il__mem mem;
    struct il__clock clock;      /* the real one: bounds the scenario's own script */
    char file[256];
    struct il__buf name, setup, trace;
    size_t ran;
};

static void report(struct playing *pl, bool passed, int line, struct il_str message, struct il_str trace)
{
    const struct il_scenario_result result = { sizeof result, pl->options->file, il__buf_get(&pl->name), passed, line,
                                               message, trace };
    pl->ran++;
    if (pl->options->report) pl->options->report(pl->options->report_ctx, &result);
}

/* One scenario to its end; bounded in calls. */
static void play(struct playing *pl, struct il__scenario *sc, size_t at, struct il__player *p)
{
    struct il_str op, args, answer = IL_STR_NONE;
    struct il__script_result result = { .line = 0 };
    struct il_error err = IL_ERROR_INIT;
    for (int calls = 0; calls < IL__LIMIT_SCENARIO_STEPS; calls++) {
        switch (il__scenario_next(sc, at, answer, &op, &args, &result)) {
        case IL__SCENARIO_PASSED:
            report(pl, true, 0, IL_STR_NONE, IL_STR_NONE);
            return;
        case IL__SCENARIO_FAILED:
            report(pl, false, strcmp(result.file, pl->file) == 0 ? result.line : 0, il__str(result.text),
                   il__buf_get(&p->told));
            return;
        case IL__SCENARIO_CALLS:
            break;
        }
        if (il__player_call(p, op, args, &answer, &err)) {
            report(pl, false, 0, il__str(err.message), il__buf_get(&p->told));
            return;
        }
    }
    report(pl, false, 0, IL_STR("the scenario made more calls than scenario_steps allows"), il__buf_get(&p->told));
}

static enum il_code open_file(struct playing *pl, struct il__scenario **sc, struct il_error *err)
{
    const struct il__scenario_options options = { &pl->mem, &pl->clock, pl->file, pl->source, pl->data };
    return il__scenario_open(&options, sc, err);
}

static bool wanted(const struct playing *pl)
{
    struct il_str name = il__buf_get(&pl->name), part = pl->options->pattern;
    return !part.len || (name.len >= part.len && memmem(name.ptr, name.len, part.ptr, part.len));
}

static enum il_code run_one(struct playing *pl, size_t at, struct il_error *err)
{
    struct il__scenario *sc = NULL;
    struct il__player player;
    struct il_error setup_error = IL_ERROR_INIT;
    il__buf_reset(&pl->name);
    il__buf_reset(&pl->setup);
    enum il_code code = open_file(pl, &sc, err);
    if (!code) code = il__scenario_name(sc, at, &pl->name, err);
    if (!code && wanted(pl)) {
        code = il__scenario_setup(sc, at, &pl->setup, err);
        if (!code && il__player_open(&player, pl->options, il__buf_get(&pl->setup), &setup_error)) {
            report(pl, false, 0, il__str(setup_error.message), IL_STR_NONE);
        } else if (!code) {
            play(pl, sc, at, &player);
            il__player_close(&player);
        }
    }
    il__scenario_close(sc);
    return code;
}

static enum il_code run_all(const struct il_scenario_options *options, struct il_str source, struct il_str data,
                            size_t *ran, struct il_error *err)
{
    struct playing pl = { .options = options, .source = source, .data = data };
    struct il__scenario *sc = NULL;
    il__mem_init(&pl.mem, NULL, NULL, 0);
    il__clock_init(&pl.clock, NULL, NULL, NULL);
    il__escape(pl.file, sizeof pl.file, options->file);
    il__buf_init(&pl.name, &pl.mem, 0);
    il__buf_init(&pl.setup, &pl.mem, 0);
    enum il_code code = open_file(&pl, &sc, err);
    size_t count = code ? 0 : il__scenario_count(sc);
    il__scenario_close(sc);
    for (size_t at = 0; at < count && !code; at++) code = run_one(&pl, at, err);
    il__buf_clear(&pl.name);
    il__buf_clear(&pl.setup);
    if (!code && ran) *ran = pl.ran;
    return code;
}

static enum il_code check_size(const struct il_scenario_options *options, struct il_error *err)
{
    il__error_clear(err);
    if (options->size == sizeof *options) return IL_OK;
    return il__fail_at(err, IL_INVALID_REQUEST, "scenario options", "size", "use IL_SCENARIO_OPTIONS_INIT");
}

enum il_code il_scenario_run(const struct il_scenario_options *options, size_t *ran, struct il_error *err)
{
    enum il_code code = check_size(options, err);
    return code ? code : run_all(options, options->source, IL_STR_NONE, ran, err);
}

enum il_code il_corpus_run(const struct il_scenario_options *options, size_t *ran, struct il_error *err)
{
    struct il__json doc = { 0 };
    struct il__safety_corpus corpus;
    struct il__mem mem;
    enum il_code code = check_size(options, err);
    if (code) return code;
    il__mem_init(&mem, NULL, NULL, 0);
    code = il__decode_text(&il__safety_corpus_schema, &mem, options->source, &doc, &corpus, err);
    if (!code)
        code = run_all(options, IL_STR("require \"interlock.corpus\" (scenario, fake)"), options->source, ran, err);
    il__json_clear(&doc);
    return code;
}
