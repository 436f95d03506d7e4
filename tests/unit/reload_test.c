/* Bundles that are reloaded while a host lives (SPEC §5): all or nothing; what moves keeps its own until it waits or
 * ends; what waits is kept, asked again or voided; old bundles are freed with the last run that they judge. */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heap { long calls, fail_at; size_t live; };

static struct heap heap;
static struct il_error err;
static il_host *host;
static int64_t wall_sec = 1796061600, boot_ns = 1000000000;
static int waits_told;
static enum il_code from_callback;

static void *heap_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct heap *h = ctx;
    if (new_size > old_size && ++h->calls == h->fail_at) return NULL;
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

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    (void)ctx;
    *out = (struct il_clock_reading){ .wall_sec = wall_sec, .boot_ns = boot_ns };
}

static struct il_str str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

static void on_event(void *ctx, const struct il_event *event)
{
    (void)ctx;
    if (event->type != IL_EVENT_WAITING) return;
    waits_told++;
    from_callback = il_host_reload_bundles(host, NULL, 0, NULL);
}

static void open_host(uint32_t moving)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    options.clock = read_clock;
    options.alloc = heap_alloc;
    options.alloc_ctx = &heap;
    options.event = on_event;
    options.max_moving_runs = moving;
    if (il_host_new(&options, &host, &err) || il_host_set_runtime_simulated(host, str("{}"), &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
}

static void close_host(void)
{
    il_host_free(host);
    host = NULL;
    tap_int((long long)heap.live, 0, "nothing is left");
}

/* ---- bundles ---- */

struct made { struct il_file files[3]; struct il_bundle bundle; char *source; };

static const char manifest[] =
    "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":\"hard\"}]}";

/* A bundle whose policy says `preview` and `execute`; `pad` bytes make it large. */
static void make(struct made *m, const char *preview, const char *execute, size_t pad)
{
    const size_t room = 600 + pad;
    m->source = malloc(room);
    if (!m->source) exit(1);
    int n = snprintf(m->source, room,
                     "local policy = require 'interlock.policy' return policy { name = 'p', preview = function(a, ctx) "
                     "%s end, execute = function(a, ctx) %s end }--", preview, execute);
    memset(m->source + n, 'x', pad);
    m->source[(size_t)n + pad] = '\0';
    m->files[0] = (struct il_file){ str("bundle.json"), str(manifest) };
    m->files[1] = (struct il_file){ str("p.lua"), str(m->source) };
    m->bundle = (struct il_bundle){ .files = m->files, .file_count = 2 };
}

static void unmake(struct made *m)
{
    free(m->source);
}

static enum il_code reload(const char *preview, const char *execute)
{
    struct made m;
    make(&m, preview, execute, 0);
    const enum il_code code = il_host_reload_bundles(host, &m.bundle, 1, &err);
    unmake(&m);
    return code;
}

static void add(const char *preview, const char *execute, size_t pad)
{
    struct made m;
    make(&m, preview, execute, pad);
    tap_int(il_host_add_bundle(host, m.files, 2, str(NULL), &err), IL_OK, "a bundle is added");
    unmake(&m);
}

/* ---- runs ---- */

static il_run *start(void)
{
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    struct il_str scopes[] = { str("computer:execute:background"), str("computer:plan") };
    il_run *run = NULL;
    options.proposal = str("{\"tool\":\"write_clipboard\",\"arguments\":{}}");
    options.principal = str("ada");
    options.session_id = str("session-1");
    options.scopes = scopes;
    options.scope_count = 2;
    if (il_run_start(host, &options, &run, &err)) exit(1);
    return run;
}

static void tick(int times)
{
    struct il_tick t = { .size = sizeof t };
    for (int i = 0; i < times; i++) (void)il_host_tick(host, 0, &t, &err);
}

static void go(il_run *run)
{
    for (int i = 0; i < 500 && il_run_state(run) != IL_RUN_ENDED && il_run_state(run) != IL_RUN_WAITING; i++) tick(1);
}

static void member(il_run *run, const char *name, char out[80])
{
    struct il_str doc = str(NULL);
    char want[40];
    out[0] = '\0';
    snprintf(want, sizeof want, "\"%s\":\"", name);
    if (il_run_document(run, &doc, &err)) return;
    const char *at = memmem(doc.ptr, doc.len, want, strlen(want));
    if (!at) return;
    at += strlen(want);
    snprintf(out, 80, "%.*s", (int)strcspn(at, "\""), at);
}

static enum il_code answer_request(il_run *run, const char *request)
{
    char json[400], action[80], policy[80];
    member(run, "actionDigest", action);
    member(run, "policyDigest", policy);
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\","
             "\"decision\":\"approve\"}", request, action, policy);
    return il_run_answer(run, str(json), true, &err);
}

static enum il_code approve(il_run *run)
{
    char request[80];
    member(run, "requestId", request);
    return answer_request(run, request);
}

static void status(const il_run *run, const char *want, const char *name)
{
    struct il_summary s = { .size = sizeof s };
    il_run_summary(run, &s);
    if (!tap_str(str(s.status), want, "%s", name)) tap_note("%s", s.error.message);
}

/* The results of all reloads that a run went through, as they stand in its journal. */
static void results(const il_run *run, const char *want, const char *name)
{
    char all[400] = "";
    struct il_record r = { .size = sizeof r };
    for (uint64_t seq = 0; il_run_record(run, seq, &r, NULL) == IL_OK; seq++) {
        const char *kind = memmem(r.text.ptr, r.text.len, "\"kind\":\"reload\"", 15);
        const char *at = kind ? memmem(r.text.ptr, r.text.len, "\"result\":\"", 10) : NULL;
        if (!at || strlen(all) > sizeof all - 40) continue;
        at += 10;
        snprintf(all + strlen(all), 40, "%s%.*s", *all ? ", " : "", (int)strcspn(at, "\""), at);
    }
    tap_str(str(all), want, "%s", name);
}

#define ASK "return policy.ask('look')"
#define ASK_TOO "return policy.ask('look') --[[as before]]"
#define HURRY "return policy.ask(ctx.time.minute == 0 and 'look' or 'look longer')"
#define ASK_MORE "return policy.ask('look longer')"
#define DENY "return policy.deny('no', { code = 'no' })"

/* ---- waiting ---- */

static void waiting(void)
{
    char before[80], after[80], digest[80];
    open_host(0);
    add(ASK, "", 0);
    il_run *run = start();
    go(run);
    member(run, "requestId", before);
    tap_int(reload(ASK, ""), IL_OK, "the same bundle again");
    member(run, "requestId", after);
    tap_str(str(after), before, "changes nothing for a run that waits");

    tap_int(reload(HURRY, ""), IL_OK, "a bundle that asks for more a minute later");
    member(run, "requestId", before);
    wall_sec += 60;
    boot_ns += 60 * (int64_t)1000000000;
    tap_int(reload(HURRY, ""), IL_OK, "the same again, then");
    member(run, "requestId", after);
    tap_str(str(after), before, "is no reason to ask again");
    wall_sec -= 60;
    boot_ns -= 60 * (int64_t)1000000000;

    tap_int(reload(ASK_TOO, ""), IL_OK, "another that says the same");
    member(run, "requestId", after);
    tap_ok(strcmp(before, after) != 0, "the request is a new one");
    results(run, "kept, kept", "it is recorded as kept");
    tap_ok(answer_request(run, before) != IL_OK, "an answer to the old request is refused");
    tap_int(il_run_state(run), IL_RUN_WAITING, "and the run waits on");
    tap_int(reload(ASK_MORE, ""), IL_OK, "another that asks for more");
    results(run, "kept, kept, asked again", "it is recorded as asked again");
    member(run, "hostPolicyDigest", digest);
    struct il_str now = il_host_policy_digest(host);
    tap_ok(now.len == strlen(digest) && memcmp(now.ptr, digest, now.len) == 0, "the run says who judges it");
    tap_int(from_callback, IL_CONFLICT, "no reload from a callback");
    tap_int(approve(run), IL_OK, "the new request is answered");
    go(run);
    status(run, "committed_unverified", "and the run goes on");
    il_run_free(run);

    run = start();
    go(run);
    tap_int(reload(DENY, ""), IL_OK, "another that denies");
    tap_ok(il_run_state(run) != IL_RUN_WAITING, "nobody is asked any more");
    go(run);
    results(run, "voided", "it is recorded as voided");
    status(run, "blocked", "and the run ends blocked");
    il_run_free(run);
    close_host();
}

/* A decision that was given, and not acted on yet, is void as well. */
static void queued(void)
{
    open_host(1);
    add("", "", 0);
    il_run *first = start(), *second = start();
    tick(1);
    tap_int(il_run_state(second), IL_RUN_QUEUED, "one moves, one stands in line");
    tap_int(reload(DENY, ""), IL_OK, "a bundle that denies");
    go(first);
    status(first, "committed_unverified", "what moved went on under its own");
    go(second);
    status(second, "blocked", "what had not begun is judged by the new one");
    il_run_free(first);
    il_run_free(second);
    close_host();

    open_host(1);
    add(ASK, "", 0);
    first = start();
    go(first);
    second = start();
    tick(2);
    tap_int(approve(first), IL_OK, "an approved run");
    tap_int(il_run_state(first), IL_RUN_QUEUED, "stands in line");
    tap_int(reload(ASK_TOO, ""), IL_OK, "others judge");
    tap_int(il_run_state(first), IL_RUN_WAITING, "it is asked for again");
    go(second);
    tap_int(approve(first), IL_OK, "and approved again");
    tap_int(approve(second), IL_OK, "as the other");
    for (int i = 0; i < 200; i++) tick(1);
    status(first, "committed_unverified", "then it goes on");
    status(second, "committed_unverified", "as does the other");
    il_run_free(first);
    il_run_free(second);
    close_host();
}

/* ---- moving ---- */

static void moving(void)
{
    open_host(0);
    add("", "", 30000);
    il_run *run = start();
    go(run);
    size_t ended = heap.live;
    il_run_free(run);
    tick(1);
    const size_t of_a_run = ended - heap.live;
    run = start();
    tick(2);
    tap_int(il_run_state(run), IL_RUN_MOVING, "a run moves");
    tap_int(reload(DENY, DENY), IL_OK, "a bundle that denies");
    go(run);
    ended = heap.live;
    status(run, "committed_unverified", "the run ends under its own");
    results(run, "", "nothing was reloaded for it");
    il_run_free(run);
    tick(1);
    tap_ok(ended - heap.live < of_a_run + 15000, "the old bundle is freed when its last run ends (%zu, of a run %zu)",
           ended - heap.live, of_a_run);
    run = start();
    go(run);
    status(run, "blocked", "the next run is denied");
    il_run_free(run);
    close_host();

    static const struct { const char *preview, *result, *status; } rows[] = {
        { DENY, "voided", "blocked" }, { ASK_TOO, "kept", "waiting" }, { ASK_MORE, "asked again", "waiting" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_host(0);
        add(ASK, "", 0);
        run = start();
        tick(2);
        tap_int(il_run_state(run), IL_RUN_MOVING, "a run that will be asked for");
        tap_int(reload(rows[i].preview, ""), IL_OK, "others are loaded meanwhile");
        go(run);
        if (il_run_state(run) != IL_RUN_WAITING) tick(20);
        status(run, rows[i].status, "they are asked when it waits");
        results(run, rows[i].result, "and that is recorded");
        if (i) {
            tap_int(approve(run), IL_OK, "it is approved");
            go(run);
            status(run, "committed_unverified", "and goes on");
        }
        il_run_free(run);
        close_host();
    }
}

/* ---- all or nothing ---- */

static void refused(void)
{
    char digest[80], before[80], after[80];
    struct made good, bad;
    open_host(0);
    add(ASK, "", 0);
    snprintf(digest, sizeof digest, "%s", il_host_policy_digest(host).ptr);
    il_run *run = start();
    go(run);
    member(run, "requestId", before);
    make(&good, DENY, "", 0);
    make(&bad, "(((", "", 0);
    bad.files[0].bytes = str("{\"name\":\"c\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                             "\"level\":\"hard\"}]}");
    const struct il_bundle syntax[] = { good.bundle, bad.bundle }, twice[] = { good.bundle, good.bundle };
    const struct il_bundle missing[] = { good.bundle, { .path = str("tests/unit/no-such-folder") } };
    struct il_bundle params = good.bundle;
    params.params_json = str("{\"n\":1}");
    tap_int(il_host_reload_bundles(host, syntax, 2, &err), IL_SCRIPT_ERROR, "a second bundle that does not compile");
    if (!tap_ok(strstr(err.message, "c/p.lua:1") != NULL, "file and line are named")) tap_note("%s", err.message);
    tap_int(il_host_reload_bundles(host, twice, 2, &err), IL_INVALID_REQUEST, "a name twice");
    tap_int(il_host_reload_bundles(host, missing, 2, &err), IL_INVALID_REQUEST, "a folder that is missing");
    tap_int(il_host_reload_bundles(host, &params, 1, &err), IL_INVALID_REQUEST, "a parameter that nobody has");
    tap_int(il_host_reload_bundles(host, NULL, 0, &err), IL_CONFLICT, "no bundle at all");
    member(run, "requestId", after);
    tap_str(str(after), before, "the request stays");
    tap_str(il_host_policy_digest(host), digest, "and the digest");
    results(run, "", "nothing is recorded");
    tap_int(approve(run), IL_OK, "it is approved");
    go(run);
    status(run, "committed_unverified", "and goes on under the old bundle");
    il_run_free(run);
    unmake(&good);
    unmake(&bad);
    close_host();
}

static void signatures(void)
{
    struct il_text key = IL_TEXT_INIT, public = IL_TEXT_INIT, sig = IL_TEXT_INIT;
    struct made a, b;
    if (il_key_new(NULL, NULL, &key, &err) || il_key_public((struct il_str){ key.ptr, key.len }, &public, NULL, &err))
        exit(1);
    make(&a, ASK, "", 0);
    make(&b, ASK_TOO, "", 0);
    if (il_bundle_sign(&a.bundle, (struct il_str){ key.ptr, key.len }, &sig, &err)) exit(1);
    a.files[2] = b.files[2] = (struct il_file){ str("bundle.sig"), { sig.ptr, sig.len } };
    a.bundle.file_count = 3;
    open_host(0);
    const struct il_str keys[] = { { public.ptr, public.len } };
    tap_int(il_host_trust_bundles(host, keys, 1, &err), IL_OK, "a host that trusts one key");
    tap_int(il_host_reload_bundles(host, &b.bundle, 1, &err), IL_POLICY_ERROR, "no unsigned bundle by a reload");
    tap_int(il_host_reload_bundles(host, &a.bundle, 1, &err), IL_OK, "a signed one is loaded, also as the first");
    b.bundle.file_count = 3;
    tap_int(il_host_reload_bundles(host, &b.bundle, 1, &err), IL_POLICY_ERROR, "no edited bundle by a reload");
    close_host();
    unmake(&a);
    unmake(&b);
    il_text_clear(&key);
    il_text_clear(&public);
    il_text_clear(&sig);
}

/* ---- load and memory ---- */

static void under_load(void)
{
    enum { RUNS = 12 };
    il_run *runs[RUNS];
    size_t most = 0;
    int failed = 0;
    open_host(4);
    add(ASK, "", 0);
    for (int i = 0; i < RUNS; i++) runs[i] = start();
    for (int i = 0; i < 100; i++) {
        if (reload(i % 2 ? ASK : ASK_TOO, "")) failed++;
        tick(i % 5);
        if (i % 10 == 9) (void)approve(runs[i / 10]);
        if (i == 50) most = heap.live;
    }
    tap_int(failed, 0, "100 reloads under load");
    tap_ok(heap.live < most * 3, "memory does not run away (%zu, then %zu)", most, heap.live);
    for (int round = 0; round < 40; round++) {
        tick(20);
        for (int i = 0; i < RUNS; i++)
            if (il_run_state(runs[i]) == IL_RUN_WAITING) (void)approve(runs[i]);
    }
    int done = 0;
    for (int i = 0; i < RUNS; i++) {
        struct il_summary s = { .size = sizeof s };
        il_run_summary(runs[i], &s);
        done += strcmp(s.status, "committed_unverified") == 0;
        il_run_free(runs[i]);
    }
    tap_int(done, RUNS, "every run ends as approved");
    close_host();
}

static void failing_allocations(void)
{
    long n = 0, wrong = 0, refused_ = 0, carried = 0;
    for (enum il_code code = IL_OUT_OF_MEMORY; n < 4000;) {
        char digest[80], before[80], after[80];
        struct made m;
        open_host(0);
        make(&m, ASK, "", 0);
        if (il_host_add_bundle(host, m.files, 2, str(NULL), &err)) exit(1);
        unmake(&m);
        il_run *run = start();
        go(run);
        snprintf(digest, sizeof digest, "%s", il_host_policy_digest(host).ptr);
        member(run, "requestId", before);
        make(&m, ASK_MORE, "", 0);
        heap.calls = 0;
        heap.fail_at = ++n;
        code = il_host_reload_bundles(host, &m.bundle, 1, &err);
        const bool hit = heap.calls >= heap.fail_at;
        heap.fail_at = 0;
        unmake(&m);
        const struct il_str now = il_host_policy_digest(host);
        const bool same = now.len == strlen(digest) && memcmp(now.ptr, digest, now.len) == 0;
        member(run, "requestId", after);
        if (code) {
            refused_++;
            wrong += code != IL_OUT_OF_MEMORY || !same || strcmp(before, after) != 0;
            wrong += il_run_state(run) != IL_RUN_WAITING;
        } else {
            carried++;
            wrong += same || (il_run_state(run) == IL_RUN_WAITING && strcmp(before, after) == 0);
            tick(30);
            struct il_summary s = { .size = sizeof s };
            il_run_summary(run, &s);
            wrong += s.committed || strcmp(s.status, "completed") == 0;
        }
        il_run_free(run);
        il_host_free(host);
        host = NULL;
        wrong += heap.live != 0;
        heap = (struct heap){ 0, 0, 0 };
        if (!code && !hit) break;
    }
    tap_ok(n > 10 && n < 4000 && refused_ > 10 && carried > 1 && !wrong,
           "each of %ld allocations of a reload failing: all or nothing (%ld refused, %ld carried out, %ld wrong)", n,
           refused_, carried, wrong);
}

int main(void)
{
    waiting();
    queued();
    moving();
    refused();
    signatures();
    under_load();
    failing_allocations();
    return tap_done();
}
