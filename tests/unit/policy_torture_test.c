/* Policies without a host while memory fails: each allocation of every function in turn, alone, with the two after it
 * and with all after it; likewise a host with policies that count and policies on trial. Whatever fails: out_of_memory
 * or the very result that there is with memory, nothing leaked, nothing done that is denied. Must never depend on how
 * many allocations there are. */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 18, MOST = 2000000 };

struct heap { long calls, fail_at, fails; size_t live; };

static struct heap heap;
static struct il_error err;
static char got[ROOM], want[ROOM];
static il_store *store;
static char run_id[80];

static void *heap_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct heap *h = ctx;
    if (new_size > old_size) {
        h->calls++;
        if (h->fail_at && h->calls >= h->fail_at && h->calls - h->fail_at < h->fails) return NULL;
    }
    void *out = NULL;
    if (new_size) {
        out = realloc(ptr, new_size);
        if (!out) return NULL;
    } else {
        free(ptr);
    }
    h->live += new_size - old_size;
    return out;
}

static struct il_str str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

static void note(struct il_str text)
{
    size_t at = strlen(got);
    snprintf(got + at, sizeof got - at, "%.*s\n", (int)text.len, text.ptr ? text.ptr : "");
}

static bool line(void *ctx, struct il_str text)
{
    (void)ctx;
    note(text);
    return true;
}

/* ---- a bundle with a test, and a case -------------------------------------------------------------------------- */

static const char manifest[] =
    "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}]}";
static const char source[] =
    "local policy = require 'interlock.policy'\n"
    "return policy { name = 'p', propose = function(action, ctx)\n"
    "  if action.tool == 'rm' then return policy.deny('never', { code = 'no' }) end\n"
    "  ctx.limit { key = 'k', max = 3, per = '1h' }\n"
    "end, preview = function(action, ctx)\n"
    "  if ctx.history { within = '1h' } > 0 then return policy.ask('again') end\n"
    "end }\n";
static const char laxer[] =
    "local policy = require 'interlock.policy'\n"
    "return policy { name = 'p', preview = function(action, ctx) end }\n";
static const char stricter[] =
    "local policy = require 'interlock.policy'\n"
    "return policy { name = 'p', preview = function(action, ctx) return policy.deny('no', { code = 'no' }) end }\n";
static const char tests[] =
    "return { { name = 'rm', action = { tool = 'rm' }, expect = { verdict = 'deny', code = 'no' } },\n"
    "{ name = 'again', action = { tool = 'x' }, history = { { outcome = 'failed' } }, expect = 'ask' },\n"
    "{ name = 'x', action = { tool = 'x' }, expect = 'none' } }\n";
static const char denied[] = "{\"name\":\"d\",\"action\":{\"tool\":\"rm\"},\"expect\":\"deny\"}";
static const char asked[] = "{\"name\":\"a\",\"action\":{\"tool\":\"x\"},\"history\":[{\"outcome\":\"failed\"}],"
                            "\"expect\":{\"verdict\":\"ask\"}}";

static void files(struct il_file out[3], const char *policy)
{
    out[0] = (struct il_file){ str("bundle.json"), str(manifest) };
    out[1] = (struct il_file){ str("p.lua"), str(policy) };
    out[2] = (struct il_file){ str("p_test.lua"), str(tests) };
}

static enum il_code open_with(const char *policy, il_policy **out)
{
    struct il_policy_options options = IL_POLICY_OPTIONS_INIT;
    struct il_file f[3];
    files(f, policy);
    options.alloc = heap_alloc;
    options.alloc_ctx = &heap;
    enum il_code code = il_policy_new(&options, out, &err);
    if (!code) code = il_policy_add(*out, f, 2, str(NULL), &err);
    return code;
}

/* ---- what is done while memory fails ---------------------------------------------------------------------------- */

static enum il_code evals(void)
{
    il_policy *p = NULL;
    struct il_str out;
    bool passed = false;
    enum il_code code = open_with(source, &p);
    if (!code && !(code = il_policy_eval(p, str(denied), IL_POLICY_TRACE, &out, &err))) note(out);
    if (!code && !(code = il_policy_check(p, str(asked), IL_POLICY_COVERAGE, &passed, &out, &err))) note(out);
    if (!code && !(code = il_policy_coverage(p, &out, &err))) note(out);
    if (!code) note(il_policy_digest(p));
    il_policy_free(p);
    return code;
}

static enum il_code cases(void)
{
    il_policy *p = NULL;
    struct il_str out;
    enum il_code code = open_with(source, &p);
    if (!code && !(code = il_policy_cases(p, str("b/p_test.lua"), str(tests), &out, &err))) note(out);
    il_policy_free(p);
    return code;
}

static enum il_code explain(void)
{
    il_policy *p = NULL;
    struct il_str out;
    enum il_code code = open_with(source, &p);
    if (!code && !(code = il_policy_explain(p, str(denied), 0, &out, &err))) note(out);
    il_policy_free(p);
    return code;
}

static void report(void *ctx, const struct il_policy_test_result *result)
{
    (void)ctx;
    note(result->name);
    note(str(result->passed ? "passed" : "failed"));
    note(result->message);
}

static enum il_code test(void)
{
    struct il_policy_test_options o = IL_POLICY_TEST_OPTIONS_INIT;
    struct il_policy_test_summary summary = IL_POLICY_TEST_SUMMARY_INIT;
    struct il_text coverage = { NULL, 0, heap_alloc, &heap, 0 };
    struct il_file f[3];
    files(f, source);
    o.bundle.files = f;
    o.bundle.file_count = 3;
    o.flags = IL_POLICY_COVERAGE;
    o.coverage = &coverage;
    o.report = report;
    o.alloc = heap_alloc;
    o.alloc_ctx = &heap;
    enum il_code code = il_policy_test(&o, &summary, &err);
    if (!code) note((struct il_str){ coverage.ptr, coverage.len });
    il_text_clear(&coverage);
    return code;
}

static enum il_code mutate(void)
{
    struct il_policy_mutate_options o = IL_POLICY_MUTATE_OPTIONS_INIT;
    struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
    struct il_file f[3];
    bool passed = false;
    files(f, source);
    o.bundle.files = f;
    o.bundle.file_count = 3;
    o.alloc = heap_alloc;
    o.alloc_ctx = &heap;
    enum il_code code = il_policy_mutate(&o, &passed, &out, &err);
    if (!code) note((struct il_str){ out.ptr, out.len });
    il_text_clear(&out);
    return code;
}

static enum il_code lint(void)
{
    struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
    struct il_file f[3];
    size_t found = 0;
    files(f, "local policy = require 'interlock.policy'\nreturn policy { name = 'p', propose = function(action, ctx)\n"
          "policy.deny('dropped') return action.tol end }");
    const struct il_bundle bundle = { .files = f, .file_count = 3 };
    enum il_code code = il_policy_lint(&bundle, 1, IL_LINT_SARIF, &found, &out, &err);
    if (!code) note((struct il_str){ out.ptr, out.len });
    il_text_clear(&out);
    return code;
}

static enum il_code recorded(void)
{
    struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
    enum il_code code = il_policy_case_of_run(store, str(run_id), str(NULL), &out, &err);
    if (!code) note((struct il_str){ out.ptr, out.len });
    if (!code) code = il_policy_cases_of_run(store, str(run_id), &out, &err);
    if (!code) note((struct il_str){ out.ptr, out.len });
    il_text_clear(&out);
    return code;
}

static enum il_code scenario(void)
{
    struct il_text out = { NULL, 0, heap_alloc, &heap, 0 };
    struct il_record_options o = IL_RECORD_OPTIONS_INIT;
    const struct il_scenario_policy policy = { str("b"), str(NULL) };
    const struct il_str mask = str("/arguments/text");
    o.run_id = str(run_id);
    o.policies = &policy;
    o.policy_count = 1;
    o.masks = &mask;
    o.mask_count = 1;
    enum il_code code = il_scenario_of_run(store, &o, &out, &err);
    if (!code) note((struct il_str){ out.ptr, out.len });
    il_text_clear(&out);
    return code;
}

static enum il_code diff(void)
{
    struct il_policy_diff_summary summary = IL_POLICY_DIFF_SUMMARY_INIT;
    il_policy *before = NULL, *after = NULL;
    char counts[80];
    enum il_code code = open_with(laxer, &before);
    if (!code) code = open_with(stricter, &after);
    if (!code) code = il_policy_diff(before, after, store, line, NULL, &summary, &err);
    snprintf(counts, sizeof counts, "%d runs, %d denied", (int)summary.runs, (int)summary.denied);
    if (!code) note(str(counts));
    il_policy_free(before);
    il_policy_free(after);
    return code;
}

static enum il_code trials(void)
{
    struct il_trial_summary summary = IL_TRIAL_SUMMARY_INIT;
    char counts[80];
    enum il_code code = il_trial_report(store, str(NULL), line, NULL, &summary, &err);
    snprintf(counts, sizeof counts, "%d runs, %d differ", (int)summary.runs, (int)summary.differ);
    if (!code) note(str(counts));
    return code;
}

/* ---- the run that is looked at ---------------------------------------------------------------------------------- */

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    (void)ctx;
    *out = (struct il_clock_reading){ .wall_sec = 1796061600, .boot_ns = 1000000000 };
}

static enum il_code start(il_host *host, il_run **run)
{
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    const struct il_str scopes[] = { str("computer:execute:background"), str("computer:plan") };
    options.proposal = str("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"t\"}}");
    options.principal = str("ada");
    options.session_id = str("session-1");
    options.scopes = scopes;
    options.scope_count = 2;
    return il_run_start(host, &options, run, &err);
}

/* A host with a store, the policy `enforced` and `stricter` on trial. */
static enum il_code open_host(il_host **host, il_store *at, const char *enforced)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_file f[3];
    options.clock = read_clock;
    options.alloc = heap_alloc;
    options.alloc_ctx = &heap;
    enum il_code code = il_host_new(&options, host, &err);
    if (!code) code = il_host_set_runtime_simulated(*host, str("{}"), &err);
    if (!code) code = il_host_set_store(*host, at, &err);
    files(f, enforced);
    if (!code) code = il_host_add_bundle(*host, f, 2, str(NULL), &err);
    files(f, stricter);
    if (!code) code = il_host_add_trial_bundle(*host, f, 2, str(NULL), &err);
    return code;
}

static void go(il_host *host, const il_run *run)
{
    struct il_tick t = { .size = sizeof t };
    struct il_error quiet = IL_ERROR_INIT;
    for (int i = 0; i < 500 && il_run_state(run) != IL_RUN_ENDED && il_run_state(run) != IL_RUN_WAITING; i++)
        (void)il_host_tick(host, 0, &t, &quiet);
}

static enum il_code open_store(il_store **out)
{
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    options.alloc = heap_alloc;
    options.alloc_ctx = &heap;
    return il_store_open(&options, out, &err);
}

static void record(void)
{
    il_host *host = NULL;
    il_run *run = NULL;
    struct il_summary s = { .size = sizeof s };
    if (open_store(&store) || open_host(&host, store, laxer) || start(host, &run)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
    go(host, run);
    il_run_summary(run, &s);
    tap_str(str(s.status), "committed_unverified", "a run is recorded (%s)", s.error.message);
    snprintf(run_id, sizeof run_id, "%.*s", (int)il_run_id(run).len, il_run_id(run).ptr);
    il_run_free(run);
    il_host_free(host);
}

/* ---- memory fails ------------------------------------------------------------------------------------------------ */

struct work {
    const char *name;
    enum il_code (*run)(void);
    long step; /* every allocation of the first hundred; from there on the next is n + n / step */
};

static enum il_code play(const struct work *w, long fail_at, long fails, bool *hit)
{
    const size_t before = heap.live;
    got[0] = '\0';
    err = (struct il_error)IL_ERROR_INIT;
    heap.calls = 0;
    heap.fail_at = fail_at;
    heap.fails = fails;
    const enum il_code code = w->run();
    *hit = fail_at && heap.calls >= fail_at;
    heap.fail_at = 0;
    if (heap.live != before) {
        tap_ok(false, "%s, %ld allocations from %ld fail: %zu bytes are lost", w->name, fails, fail_at,
               heap.live - before);
        heap.live = before;
    }
    return code;
}

static void differs(long n, enum il_code code)
{
    size_t at = 0;
    while (got[at] && got[at] == want[at]) at++;
    tap_note("allocation %ld: %s (%s); from byte %zu it is %.200s", n, il_code_name(code), err.message, at, got + at);
    tap_note("and shall be %.200s", want + at);
}

static void torture(const struct work *w)
{
    static const long bursts[] = { 1, 3, MOST };
    bool hit;
    const bool well = play(w, 0, 0, &hit) == IL_OK;
    tap_ok(well && got[0], "%s: with memory (%s)", w->name, err.message);
    memcpy(want, got, sizeof want);
    for (size_t i = 0; i < sizeof bursts / sizeof *bursts; i++) {
        long n = 1, refused = 0, same = 0, wrong = 0;
        for (hit = true; n < MOST; n += w->step && n > 100 ? n / w->step + 1 : 1) {
            const enum il_code code = play(w, n, bursts[i], &hit);
            if (!hit) break;
            if (code == IL_OUT_OF_MEMORY) refused++;
            else if (code == IL_OK && strcmp(got, want) == 0) same++;
            else if (++wrong <= 3) differs(n, code);
        }
        tap_ok(n > 3 && n < MOST && refused > 3 && !wrong, "%s: each allocation up to %ld fails, %s: out_of_memory "
               "(%ld) or the same (%ld), wrong %ld", w->name, n, i == 0 ? "alone" : i == 1 ? "and two more" :
               "and all others", refused, same, wrong);
    }
}

/* A host with a store, a policy that counts and one on trial, from its making to the end of a run, while memory fails.
 * What a policy denies is never done; and the other policy, which says nothing, is not made stricter by a trial. */
static void hosted(const char *enforced, long fails, const char *name)
{
    long n = 1, acted = 0, failed = 0, wrong = 0;
    for (bool hit = true; n < MOST && hit; n += n > 300 ? n / 40 : 1) {
        const size_t before = heap.live;
        struct il_summary s = { .size = sizeof s };
        il_store *own = NULL;
        il_host *host = NULL;
        il_run *run = NULL;
        err = (struct il_error)IL_ERROR_INIT;
        heap.calls = 0;
        heap.fail_at = n;
        heap.fails = fails;
        enum il_code code = open_store(&own);
        if (!code) code = open_host(&host, own, enforced);
        if (!code) code = start(host, &run);
        if (run) go(host, run);
        hit = heap.calls >= heap.fail_at;
        heap.fail_at = 0;
        if (run) go(host, run);
        if (run) il_run_summary(run, &s);
        const bool done = run && s.committed;
        const bool blocked = run && strcmp(s.status, "blocked") == 0;
        acted += done;
        failed += !done && !blocked;
        if ((code && code != IL_OUT_OF_MEMORY) || (done && enforced == stricter) || (blocked && enforced == laxer)) {
            wrong++;
            tap_note("allocation %ld: %s (%s), %s (%s)", n, il_code_name(code), err.message, run ? s.status : "no run",
                     run ? s.error.message : "");
        }
        il_run_free(run);
        il_host_free(host);
        il_store_close(own);
        if (heap.live != before) wrong++, tap_note("allocation %ld: %zu bytes are lost", n, heap.live - before);
        heap.live = before;
    }
    tap_ok(n > 100 && n < MOST && failed > 20 && !wrong && (acted > 0) == (enforced == laxer),
           "%s: each allocation up to %ld fails, %s (%ld acted, %ld failed, %ld wrong)", name, n,
           fails == 1 ? "alone" : "and two more", acted, failed, wrong);
}

int main(void)
{
    static const struct work works[] = {
        { "eval, check and coverage", evals, 0 }, { "the cases of a test file", cases, 0 }, { "explain", explain, 6 },
        { "test", test, 0 }, { "mutate", mutate, 6 }, { "lint", lint, 0 }, { "cases of a run", recorded, 0 },
        { "a scenario of a run", scenario, 0 }, { "diff", diff, 0 }, { "trial report", trials, 0 },
    };
    record();
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) torture(&works[i]);
    for (long fails = 1; fails <= 3; fails += 2) {
        hosted(stricter, fails, "a host whose policy denies, with a trial");
        hosted(laxer, fails, "a host whose policy says nothing, with a trial that denies");
    }
    il_store_close(store);
    tap_int((long long)heap.live, 0, "nothing is left");
    return tap_done();
}
