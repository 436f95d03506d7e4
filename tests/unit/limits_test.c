/* Limits of the JSON reader; and those of the engine that no run reaches in a test: the count is set close to the
 * limit, then at it. The lint `limits` holds that every limit has a test. */
#include "kit.h"
#include "tap.h"

#include "base/limits.h"
#include "host/host.h"
#include "run/journal.h"
#include "wire/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- documents ---- */

/* A document of `nodes` nodes: a list of an object with one member, and ones. */
static char *wide(size_t nodes, size_t *len)
{
    char *text = malloc(2 * nodes + 32), *at = text;
    if (!text) abort();
    at += sprintf(at, "[{\"n\":0}");
    for (size_t i = 4; i < nodes; i++) *at++ = ',', *at++ = '1';
    *at++ = ']';
    *len = (size_t)(at - text);
    return text;
}

/* The bytes of a document are bounded, and so is what it unfolds to: two bytes make a node of twenty. */
static void nodes(void)
{
    struct il__mem mem;
    struct il__json doc = { .mem = NULL };
    struct il_error err = IL_ERROR_INIT;
    size_t len;
    il__mem_init(&mem, NULL, NULL, 0);
    char *text = wide(IL__LIMIT_JSON_NODES, &len);
    tap_int(il__json_parse(&doc, &mem, (struct il_str){ text, len }, IL__JSON_PAYLOAD, &err), IL_OK,
            "exactly json_nodes (%s)", err.message);
    tap_int(doc.count, IL__LIMIT_JSON_NODES, "are read");
    tap_ok(mem.in_use_bytes < (size_t)45 << 20, "in %zu MiB", mem.in_use_bytes >> 20);
    il__json_clear(&doc);
    free(text);
    text = wide(IL__LIMIT_JSON_NODES + 1, &len);
    tap_int(il__json_parse(&doc, &mem, (struct il_str){ text, len }, IL__JSON_PAYLOAD, &err), IL_DECODE,
            "one more is a decode error");
    tap_ok(strstr(err.message, "json_nodes") != NULL, "that names the limit: %s", err.message);
    tap_str(il__str(err.field), "", "with its place");
    tap_int((long long)mem.in_use_bytes, 0, "and nothing is left behind");
    free(text);
    text = wide(IL__LIMIT_RESULT_BYTES / 2 - 4, &len);
    tap_int(il__json_parse(&doc, &mem, (struct il_str){ text, len }, IL__JSON_PAYLOAD, NULL), IL_DECODE,
            "a hostile 16 MiB of ones");
    tap_ok(mem.peak_bytes < (size_t)100 << 20, "costs no more than %zu MiB for a moment", mem.peak_bytes >> 20);
    free(text);
}

/* Sizes and depths under the names that they have: at the limit, and one past it. */
static void named(void)
{
    const struct { struct il__json_limits limits; size_t at; const char *name; } sizes[] = {
        { IL__JSON_CONTRACT, IL__LIMIT_CONTRACT_BYTES, "contract_bytes" },
        { IL__JSON_PAYLOAD, IL__LIMIT_RESULT_BYTES, "result_bytes" },
    }, depths[] = {
        { IL__JSON_CONTRACT, IL__LIMIT_JSON_DEPTH, "json_depth" },
        { IL__JSON_PAYLOAD, IL__LIMIT_JSON_FREE_DEPTH, "json_free_depth" },
    };
    struct il__mem mem;
    struct il__json doc = { .mem = NULL };
    il__mem_init(&mem, NULL, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        bool size = i < 2;
        size_t at = size ? sizes[i].at : depths[i - 2].at, len = size ? at : 2 * at;
        struct il__json_limits limits = size ? sizes[i].limits : depths[i - 2].limits;
        const char *name = size ? sizes[i].name : depths[i - 2].name;
        struct il_error err = IL_ERROR_INIT;
        char *text = malloc(len + 2);
        if (!text) abort();
        memset(text, size ? 'x' : '[', len + 2);
        if (!size) memset(text + at, ']', at);
        else text[0] = text[at - 1] = '"';
        tap_int(il__json_parse(&doc, &mem, (struct il_str){ text, len }, limits, NULL), IL_OK, "exactly %s", name);
        il__json_clear(&doc);
        if (!size) memset(text, '[', at + 1), memset(text + at + 1, ']', at + 1);
        else text[at - 1] = 'x', text[at] = '"';
        tap_int(il__json_parse(&doc, &mem, (struct il_str){ text, size ? len + 1 : len + 2 }, limits, &err), IL_DECODE,
                "one more than %s", name);
        char said[40];
        snprintf(said, sizeof said, "(%s)", name);
        tap_ok(strstr(err.message, said) != NULL, "is told by that name: %s", err.message);
        free(text);
    }
}

/* ---- the engine ---- */

static void runs_in_memory(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_run *run = NULL;
    kit_open(&k);
    o.proposal = il__str(kit_targeted);
    o.principal = IL_STR("operator-1");
    o.session_id = IL_STR("s-1");
    k.engine.run_count = IL__LIMIT_QUEUED_RUNS - 1;
    tap_int(il__run_new(&k.engine, &o, &run, &err), IL_OK, "as many runs as max_runs are taken (%s)", err.message);
    tap_int((long long)k.engine.run_count, IL__LIMIT_QUEUED_RUNS, "and counted");
    tap_int(il__run_new(&k.engine, &o, &run, &err), IL_LIMIT_EXCEEDED, "one run more than max_runs is refused");
    tap_ok(strcmp(err.field, "max_runs") == 0, "under its name: %s", err.message);
    k.engine.run_count = 1;
    kit_close(&k);
}

static enum il_code append(struct il__journal *j, struct il_str payload, struct il_error *err)
{
    return il__journal_append(j, "note", IL_STR("run-1"), (struct il__now){ { 0, 0 }, 0 }, "boot", 1, IL_STR("{}"),
                              payload, err);
}

/* Records up to `run_records`, the last of them only when the spare ones are open. */
static void records(struct il__mem *mem, struct il__digest *digest)
{
    struct il__journal j;
    struct il_error err = IL_ERROR_INIT;
    size_t closed = 0;
    il__journal_init(&j, mem, digest);
    while (!append(&j, IL_STR_NONE, &err) && closed <= IL__LIMIT_RUN_RECORDS) closed++;
    tap_int((long long)closed, IL__LIMIT_RUN_RECORDS - IL__JOURNAL_SPARE_RECORDS, "so many records, spare ones aside");
    tap_ok(err.code == IL_LIMIT_EXCEEDED && strcmp(err.field, "run_records") == 0, "then: %s", err.message);
    j.spare_open = true;
    il__error_clear(&err);
    while (!append(&j, IL_STR_NONE, &err) && j.count <= IL__LIMIT_RUN_RECORDS) continue;
    tap_int((long long)j.count, IL__LIMIT_RUN_RECORDS, "exactly run_records with the spare ones");
    tap_ok(err.code == IL_LIMIT_EXCEEDED && strcmp(err.field, "run_records") == 0, "then: %s", err.message);
    tap_int(il__journal_verify(&j, true, NULL), IL_OK, "and the chain is whole");
    il__journal_clear(&j);
}

/* A payload that fills the journal to the byte, and one that is a byte longer. */
static void bytes(struct il__mem *mem, struct il__digest *digest)
{
    struct il__journal j;
    struct il_error err = IL_ERROR_INIT;
    char payload[1001];
    memset(payload, 'x', sizeof payload);
    il__journal_init(&j, mem, digest);
    j.spare_open = true;
    tap_int(append(&j, (struct il_str){ payload, 1000 }, &err), IL_OK, "a record with a payload");
    size_t each = j.bytes;
    tap_int(append(&j, (struct il_str){ payload, 1000 }, &err), IL_OK, "another");
    each = j.bytes - each; /* as long as the third: sequence numbers of one digit */
    size_t held = j.bytes;
    j.bytes = (size_t)IL__LIMIT_RUN_JOURNAL_BYTES - each + 1;
    tap_int(append(&j, (struct il_str){ payload, 1000 }, &err), IL_LIMIT_EXCEEDED, "a byte past run_journal_bytes");
    tap_ok(strcmp(err.field, "run_journal_bytes") == 0, "is refused under its name: %s", err.message);
    j.bytes--;
    tap_int(append(&j, (struct il_str){ payload, 1000 }, &err), IL_OK, "exactly run_journal_bytes");
    tap_int((long long)j.bytes, IL__LIMIT_RUN_JOURNAL_BYTES, "are held");
    j.bytes = (size_t)IL__LIMIT_RUN_JOURNAL_BYTES - IL__JOURNAL_SPARE_BYTES - each + 1;
    j.spare_open = false;
    tap_int(append(&j, (struct il_str){ payload, 1000 }, &err), IL_LIMIT_EXCEEDED, "the spare bytes are kept back");
    j.bytes = held + each;
    il__journal_clear(&j);
}

/* What policies on trial write takes no room from the run, nor the run any of theirs. */
static void aside(struct il__mem *mem, struct il__digest *digest)
{
    struct il__journal j;
    struct il_error err = IL_ERROR_INIT;
    size_t tried = 0, own = 0;
    il__journal_init(&j, mem, digest);
    j.aside = true;
    while (!append(&j, IL_STR_NONE, &err) && tried <= IL__LIMIT_TRIAL_RECORDS) tried++;
    tap_int((long long)tried, IL__LIMIT_TRIAL_RECORDS, "exactly trial_records of policies on trial");
    tap_ok(strcmp(err.field, "trial_records") == 0, "then: %s", err.message);
    j.aside = false;
    while (!append(&j, IL_STR_NONE, &err) && own <= IL__LIMIT_RUN_RECORDS) own++;
    tap_int((long long)own, IL__LIMIT_RUN_RECORDS - IL__JOURNAL_SPARE_RECORDS, "beside as many of the run's as ever");
    size_t bytes = j.aside_bytes;
    il__journal_drop_last(&j);
    tap_ok(j.aside_count == tried && j.aside_bytes == bytes, "what is taken back is the run's own");
    j.aside = true;
    j.aside_count = 0;
    j.aside_bytes = IL__LIMIT_TRIAL_BYTES;
    il__error_clear(&err);
    tap_int(append(&j, IL_STR_NONE, &err), IL_LIMIT_EXCEEDED, "past trial_bytes");
    tap_ok(strcmp(err.field, "trial_bytes") == 0, "no record of theirs is taken: %s", err.message);
    tap_int(il__journal_verify(&j, true, NULL), IL_OK, "and the chain is whole");
    il__journal_clear(&j);
}

/* ---- a scenario ---- */

struct told {
    bool passed;
    char message[200];
};

static void report(void *ctx, const struct il_scenario_result *result)
{
    struct told *told = ctx;
    told->passed = result->passed;
    snprintf(told->message, sizeof told->message, "%.*s", IL_STR_FMT(result->message));
}

static struct told play(int steps)
{
    struct told told = { .passed = false };
    struct il_scenario_options o = IL_SCENARIO_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    char source[200];
    size_t ran = 0;
    snprintf(source, sizeof source,
             "scenario 'steps' { play = function(s) for _ = 1, %d do s:advance '0s' end end }\n", steps);
    o.file = IL_STR("limits_scenario.lua");
    o.source = il__str(source);
    o.report = report;
    o.report_ctx = &told;
    tap_int(il_scenario_run(&o, &ran, &err), IL_OK, "a scenario of %d steps is played (%s)", steps, err.message);
    return told;
}

static void scenario_steps(void)
{
    struct told told = play(IL__LIMIT_SCENARIO_STEPS - 1);
    tap_ok(told.passed, "fewer steps than scenario_steps pass: %s", told.message);
    told = play(IL__LIMIT_SCENARIO_STEPS + 1);
    tap_ok(!told.passed && strstr(told.message, "scenario_steps"), "more do not: %s", told.message);
}

int main(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    struct il__digest *digest = il__digest_new(&mem);
    if (!digest) abort();
    nodes();
    named();
    runs_in_memory();
    records(&mem, digest);
    bytes(&mem, digest);
    aside(&mem, digest);
    il__digest_free(digest);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left behind");
    scenario_steps();
    return tap_done();
}
