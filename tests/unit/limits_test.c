/* Limits of the engine that no run reaches in a test: the count is set close to the limit, then at it. The lint `limits`
 * holds that every limit has a test. */
#include "kit.h"
#include "tap.h"

#include "base/limits.h"
#include "host/host.h"
#include "run/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    runs_in_memory();
    records(&mem, digest);
    bytes(&mem, digest);
    il__digest_free(digest);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left behind");
    scenario_steps();
    return tap_done();
}
