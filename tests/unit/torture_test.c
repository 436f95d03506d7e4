/* Every allocation of a run fails in turn, once alone and once with all that follow. Whatever fails: at most one
 * effect, none without the steps before it, an honest result, everything given back, nothing leaked, and the next run
 * goes well. */
#include "kit.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const TARGETED =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"target\":{\"platform\":\"linux\","
    "\"appId\":\"org.example.Editor\",\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"o-1\",\"confidence\":1,"
    "\"capturedAt\":\"2026-11-30T18:00:00Z\"},\"postcondition\":{\"kind\":\"window\",\"windowId\":7,\"exists\":true}}";

enum { BENDS = 2, MOST = 4000 };

struct story {
    const char *name;
    struct kit_bend bends[BENDS];
    size_t bend_count;
    bool asks;   /* a policy asks before and after the preview, a person says yes */
    bool foreign; /* the lease is another's: never released */
    bool acted;  /* an execute that never answers has acted */
};

static const struct story STORIES[] = {
    { .name = "an allowed run" },
    { .name = "an approved run",
      .asks = true,
      .bend_count = 1,
      .bends = { { .op = IL_OP_PREVIEW_ACTION,
                   .from = "\"executable\":true",
                   .to = "\"executable\":false,\"blocker\":\"approval_required\"" } } },
    { .name = "a refused lease",
      .bend_count = 1,
      .bends = { { .op = IL_OP_ACQUIRE_LEASE, .nth = 1, .from = "\"actionsUsed\":0", .to = "\"actionsUsed\":1" } } },
    { .name = "a lease for somebody else",
      .foreign = true,
      .bend_count = 1,
      .bends = { { .op = IL_OP_ACQUIRE_LEASE,
                   .nth = 1,
                   .from = "\"sessionId\":\"s-1\"",
                   .to = "\"sessionId\":\"s-2\"" } } },
    { .name = "a lost receipt",
      .acted = true,
      .bend_count = 1,
      .bends = { { .op = IL_OP_EXECUTE_ACTION, .nth = 1, .never = true } } },
    { .name = "a lost send that never started",
      .bend_count = 2,
      .bends = { { .op = IL_OP_EXECUTE_ACTION, .nth = 1, .fail = IL_TRANSPORT },
                 { .op = IL_OP_RECOVER, .nth = 1, .to = "\"not_started\"" } } },
};

/* Memory that fails from the n-th growth on, until it is mended. */
struct memory {
    uint64_t left;
    bool fails, forever, hit;
};

static void *grow(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct memory *m = ctx;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (m->fails && new_size > old_size) {
        if (m->left) m->left--;
        else if (m->forever || !m->hit) {
            m->hit = true;
            return NULL;
        }
    }
    return realloc(ptr, new_size);
}

static void approve(struct kit *k)
{
    char json[1024], digests[400];
    struct il_error err = IL_ERROR_INIT;
    for (int i = 0; i < 3 && k->run->state == IL__STATE_WAITING; i++) {
        if (k->run->wait.propose)
            snprintf(digests, sizeof digests, "\"proposalDigest\":\"%s\"", k->run->proposal_digest);
        else snprintf(digests, sizeof digests, "\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
                      KIT_POLICY_DIGEST "\",\"runtimeApproved\":true");
        snprintf(json, sizeof json, "{\"requestId\":\"%s\",%s,\"decision\":\"approve\",\"reason\":\"r\"}",
                 k->run->wait.request_id, digests);
        (void)il__run_answer(k->run, il__str(json), true, &err);
        kit_go(k);
    }
}

static void play(struct kit *k, const struct story *story)
{
    kit_start(k, TARGETED);
    if (!k->run) return;
    kit_go(k);
    if (story->asks) approve(k);
    for (int i = 0; i < 6; i++)
        kit_advance(k, 30000); /* execute, recovery and both releases may each take their time */
    if (story->asks) approve(k);
}

static bool complain(const struct kit *k, const struct story *story, uint64_t n, bool forever, const char *what)
{
    tap_ok(false, "%s, allocation %llu fails%s: %s (%s, effects %d: %s)", story->name, (unsigned long long)n,
           forever ? " and all after it" : "", what, k->run ? kit_status(k) : "not started", k->effects,
           k->run ? kit_error(k).message : "");
    return false;
}

static bool judge(const struct kit *k, const struct story *story, uint64_t n, bool forever)
{
    struct il_run *run = k->run;
    if (k->effects > 1) return complain(k, story, n, forever, "more than one effect");
    if (k->effects && !(k->calls[IL_OP_PREVIEW_ACTION] && k->calls[IL_OP_ACQUIRE_LEASE]))
        return complain(k, story, n, forever, "an effect without the steps before it");
    if (!run) return true;
    if (run->state != IL__STATE_ENDED && run->state != IL__STATE_WAITING)
        return complain(k, story, n, forever, "the run does not end");
    if (k->effects && run->effect == IL_EFFECT_NONE)
        return complain(k, story, n, forever, "the result hides the effect");
    if (!k->effects && run->effect == IL_EFFECT_COMMITTED)
        return complain(k, story, n, forever, "the result invents an effect");
    if (run->effect == IL_EFFECT_UNKNOWN && run->end != IL__END_INDETERMINATE &&
        run->end != IL__END_VERIFICATION_FAILED)
        return complain(k, story, n, forever, "effect unknown under another status");
    if (story->foreign && k->calls[IL_OP_RELEASE_LEASE])
        return complain(k, story, n, forever, "somebody else's lease was released");
    bool told = story->foreign || k->lost || (forever && run->release_failed); /* it never heard of it, or it says so */
    if (!told && run->state == IL__STATE_ENDED &&
        (k->calls[IL_OP_ACQUIRE_LEASE] != k->calls[IL_OP_RELEASE_LEASE] ||
         k->calls[IL_OP_RESERVE_TARGET] != k->calls[IL_OP_RELEASE_TARGET]))
        return complain(k, story, n, forever, "what was taken was not given back");
    return true;
}

/* True while there was an allocation to fail. */
static bool once(const struct story *story, uint64_t n, bool forever, bool *good)
{
    struct kit k;
    struct memory memory = { .left = n, .forever = forever };
    struct il_error err = IL_ERROR_INIT;
    kit_open(&k);
    k.mem.fn = grow;
    k.mem.ctx = &memory;
    k.acts_when_lost = story->acted;
    for (size_t i = 0; i < story->bend_count; i++) kit_bend(&k, story->bends[i]);
    if (story->asks) k.says[IL__PHASE_PROPOSE] = k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    memory.fails = true;
    play(&k, story);
    memory.fails = false;
    if (k.run) {
        kit_go(&k);
        if (story->asks) approve(&k);
    }
    bool fine = judge(&k, story, n, forever);
    /* The host is well: another run of it acts. */
    k.bend_count = 0;
    k.says[IL__PHASE_PROPOSE] = k.says[IL__PHASE_PREVIEW] = IL__VERDICT_NONE;
    k.wall_sec -= k.boot_ms / 1000; /* the templates know one time only */
    k.engine.clock.floor.sec = 0;
    int effects = k.effects;
    kit_start(&k, TARGETED);
    kit_go(&k);
    if (fine && (!k.run || k.effects != effects + 1))
        fine = complain(&k, story, n, forever, "the next run does not act");
    if (fine && k.run && il__journal_verify(&k.run->journal, true, &err))
        fine = complain(&k, story, n, forever, "the chain is broken");
    il__engine_clear(&k.engine);
    if (fine && k.mem.in_use_bytes) fine = complain(&k, story, n, forever, "memory is lost");
    if (!fine) *good = false;
    return memory.hit;
}

static void torture(const struct story *story)
{
    for (int forever = 0; forever < 2; forever++) {
        bool good = true;
        uint64_t n = 0;
        while (n < MOST && once(story, n, forever, &good)) n++;
        tap_ok(good && n > 50 && n < MOST, "%s: each of %llu allocations fails%s", story->name, (unsigned long long)n,
               forever ? ", and all after it" : "");
    }
}

/* A host that cannot be made leaves nothing. */
static void hosts(void)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    bool clean = true;
    options.max_moving_runs = 4;
    for (uint64_t n = 1; n < 20; n++) {
        struct il__mem mem;
        struct il__engine e;
        struct il_error err = IL_ERROR_INIT;
        il__mem_init(&mem, NULL, NULL, 0);
        mem.fail_at = n;
        if (!il__engine_init(&e, &mem, &options, &err)) il__engine_clear(&e);
        if (mem.in_use_bytes) clean = false;
    }
    tap_ok(clean, "an engine that cannot be made leaves nothing");
}

/* ---- the whole host, with its Lua ---- */

struct whole {
    struct memory memory;
    size_t in_use;
    int64_t ms;
};

static void *grow_whole(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct whole *w = ctx;
    void *fresh = grow(&w->memory, ptr, old_size, new_size);
    if (fresh || !new_size) w->in_use = w->in_use - (ptr ? old_size : 0) + new_size;
    return fresh;
}

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct whole *w = ctx;
    *out = (struct il_clock_reading){ 1796061600 + w->ms / 1000, (int32_t)(w->ms % 1000) * 1000000, w->ms * 1000000 };
}

static void tick_whole(struct whole *w, il_host *host)
{
    struct il_tick tick = { .size = sizeof tick };
    struct il_error err = IL_ERROR_INIT;
    for (int i = 0; i < 500; i++) {
        if (il_host_tick(host, 0, &tick, &err)) return;
        if (tick.more) continue;
        if (!tick.moving) return;
        w->ms += 10000;
    }
}

static void answer_whole(il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    char json[1024];
    if (il_run_state(run) != IL_RUN_WAITING) return;
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"%.*s\",\"policyDigest\":\"%.*s\","
             "\"decision\":\"approve\",\"reason\":\"r\"}", run->wait.request_id,
             IL_STR_FMT(run->preview.envelope->args_digest), IL_STR_FMT(run->preview.policy->policy_digest));
    (void)il_run_answer(run, il__str(json), true, &err);
}

static bool play_whole(struct whole *w, il_host *host, struct il_run **run)
{
    const struct il_file files[] = {
        { IL_STR("bundle.json"),
          IL_STR("{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
                 "\"level\":\"hard\"}],\"files\":[]}") },
        { IL_STR("p.lua"), IL_STR("local policy = require 'interlock.policy' return policy { name = 'p', "
                                  "preview = function(action) return policy.ask('see ' .. action.tool) end, "
                                  "execute = function(action, ctx) return nil end }") },
    };
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    const struct il_str scopes[] = { IL_STR("computer:execute:background") };
    o.proposal = IL_STR("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}");
    o.principal = IL_STR("p");
    o.session_id = IL_STR("s");
    o.scopes = scopes;
    o.scope_count = 1;
    if (il_host_set_runtime_simulated(host, IL_STR_NONE, &err)) return false;
    if (il_host_add_bundle(host, files, 2, IL_STR_NONE, &err)) return false;
    if (il_run_start(host, &o, run, &err)) return false;
    tick_whole(w, host);
    answer_whole(*run);
    tick_whole(w, host);
    return true;
}

/* True while there was an allocation to fail. */
static bool once_whole(uint64_t n, bool forever, bool *good, bool *acted)
{
    struct whole w = { .memory = { .left = n, .forever = forever, .fails = true }, .ms = 1 };
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_summary s = { .size = sizeof s };
    struct il_error err = IL_ERROR_INIT;
    il_host *host = NULL;
    il_run *run = NULL;
    options.alloc = grow_whole;
    options.alloc_ctx = &w;
    options.clock = read_clock;
    options.clock_ctx = &w;
    if (!il_host_new(&options, &host, &err) && play_whole(&w, host, &run)) {
        w.memory.fails = false;
        answer_whole(run);
        tick_whole(&w, host);
        il_run_summary(run, &s);
        *acted = s.effect == IL_EFFECT_COMMITTED;
        if (il_run_state(run) != IL_RUN_ENDED && il_run_state(run) != IL_RUN_WAITING)
            *good = tap_ok(false, "the host: allocation %llu fails%s: the run does not end", (unsigned long long)n,
                           forever ? " and all after it" : "");
    }
    w.memory.fails = false;
    il_host_free(host);
    if (w.in_use) *good = tap_ok(false, "the host: allocation %llu fails%s: %zu bytes are lost", (unsigned long long)n,
                                 forever ? " and all after it" : "", w.in_use);
    return w.memory.hit;
}

static void whole_hosts(void)
{
    const uint64_t stride = getenv("LONG") ? 1 : 7;
    bool acted = false;
    for (int forever = 0; forever < 2; forever++) {
        bool good = true;
        uint64_t n = 0;
        while (n < 20000 && once_whole(n, forever, &good, &acted)) n += stride;
        tap_ok(good && n > 50 && n < 20000, "a host with its Lua: allocations fail up to the %lluth%s",
               (unsigned long long)n, forever ? ", and all after it" : "");
        tap_ok(acted, "and when none fails it acts");
    }
}

int main(void)
{
    whole_hosts();
    hosts();
    for (size_t i = 0; i < sizeof STORIES / sizeof *STORIES; i++) torture(&STORIES[i]);
    return tap_done();
}
