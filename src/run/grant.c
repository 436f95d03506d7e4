/* Grants obtained at the server (grant.h). A server grants whatever is pending under an action id, not what was shown
 * to the person: the check here is what makes it theirs. Must never store a grant that was not bound. */
#include "run/grant.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "run/approval.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/retain.h"

#include <string.h>

enum { LATE_KEEP_MS = 60000, TTL_LEAST_MS = 1000 };

enum stage {
    ASKED,
    LATE,    /* given up: what still comes is only recorded */
    PAUSING  /* dropped; the session is being paused. Nothing of the run is touched any more */
};

struct il__grant_wait {
    struct il__grant_wait *next;
    struct il__engine *engine;
    struct il_run *run;
    uint64_t token;
    enum stage stage;
    int64_t deadline_ms, ttl_ms;
    char request_id[40];
    il_done_fn done;
    void *ctx;
    struct il__arrived *arrived;
    struct il_error error; /* while PAUSING */
};

static const struct il_str REASON = { "a grant did not match what was approved", 39 };

/* ---- the list ---- */

static void let_go(struct il__grant_wait *g)
{
    if (!g->run) return;
    g->run->in_flight--;
    g->engine->in_flight--;
    g->run = NULL;
}

static void tell(struct il__grant_wait *g, const struct il_error *err)
{
    il_done_fn done = g->done;
    g->done = NULL;
    if (done) done(g->ctx, err);
}

static void end(struct il__grant_wait *g, const struct il_error *err)
{
    struct il__engine *e = g->engine;
    struct il__grant_wait **link = &e->grants;
    while (*link && *link != g) link = &(*link)->next;
    if (*link) *link = g->next;
    let_go(g);
    tell(g, err);
    if (g->arrived) il__mem_free(e->mem, g->arrived, g->arrived->size);
    il__mem_free(e->mem, g, sizeof *g);
}

/* ---- asking ---- */

static struct il__grant_wait *grant_new(struct il_run *run, int64_t ttl_ms, il_done_fn done, void *ctx)
{
    struct il__engine *e = run->engine;
    struct il__grant_wait *g = il__mem_zalloc(e->mem, 1, sizeof *g);
    if (!g) return NULL;
    *g = (struct il__grant_wait){ .next = e->grants, .engine = e, .run = run, .token = ++e->grant_token, .stage = ASKED,
                                  .ttl_ms = ttl_ms, .done = done, .ctx = ctx };
    memcpy(g->request_id, run->wait.request_id, sizeof g->request_id);
    g->deadline_ms = il__clock_now(&e->clock).boot_ms + e->options->request_timeout_ms;
    e->grants = g;
    e->in_flight++;
    run->in_flight++;
    return g;
}

static enum il_code may_ask(struct il_run *run, struct il_str request_id, struct il_str action_digest,
                            struct il_str policy_digest, struct il_error *err)
{
    const struct il__engine *e = run->engine;
    const struct il__answer answer = { .request_id = request_id, .action_digest = action_digest,
                                       .policy_digest = policy_digest, .runtime_approved = { true, true },
                                       .decision = -1 };
    if (!e->approver_port.ops)
        return il__fail_at(err, IL_UNSUPPORTED, "approver", "connection", "this host has no approver connection");
    enum il_code code = il__approval_may_ask(run, &answer, err);
    if (code) return code;
    for (const struct il__grant_wait *g = e->grants; g; g = g->next)
        if (g->run == run && g->stage == ASKED)
            return il__fail_at(err, IL_CONFLICT, "approver", "request_id", "a grant was asked for already");
    return il__retain_latch(run, err);
}

/* As long as the envelope lives: a run goes on at once, and no grant outlives what it is for. */
static int64_t ttl_of(const struct il_run *run)
{
    const struct il__engine *e = run->engine;
    int64_t left = il__deadline_left_ms(&run->envelope_deadline, il__clock_now(&e->clock), e->clock.boot_id);
    if (left > IL__LIMIT_GRANT_TTL_MS) return IL__LIMIT_GRANT_TTL_MS;
    return left < TTL_LEAST_MS ? TTL_LEAST_MS : left;
}

static enum il_code note(struct il_run *run, const char *state, const char *request, const struct il_error *why,
                         struct il_error *err)
{
    struct il_str field = why && *why->field ? il__str(why->field) : IL_STR_NONE;
    struct il_str message = why ? il__str(why->message) : IL_STR_NONE;
    return IL__NOTE(run, "grant", IL_STR_NONE, err, IL__TEXT("field", field), IL__TEXT("request", il__str(request)),
                    IL__TEXT("state", il__str(state)), IL__TEXT("why", message));
}

enum il_code il__run_obtain_grant(struct il_run *run, struct il_str request_id, struct il_str action_digest,
                                  struct il_str policy_digest, il_done_fn done, void *ctx, struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il_error local = IL_ERROR_INIT, later = IL_ERROR_INIT;
    if (!err) err = &local;
    il__error_clear(err);
    enum il_code code = may_ask(run, request_id, action_digest, policy_digest, err);
    if (!code) code = note(run, "asked", run->wait.request_id, NULL, err);
    if (code) return code;
    struct il__grant_wait *g = grant_new(run, ttl_of(run), done, ctx);
    if (!g) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a grant");
    const struct il__grant_ask ask = { g->token, e->options->request_timeout_ms, (uint32_t)g->ttl_ms, run->session_id,
                                       run->preview.envelope->principal_id, il__str(run->action_id) };
    code = e->approver_port.ops->begin(e->approver_port.self, &ask, err);
    if (!code) return IL_OK;
    if (note(run, "failed", g->request_id, err, &later)) il__error_cleanup(err, &later);
    g->done = NULL;
    end(g, NULL);
    return code;
}

/* ---- what comes back ---- */

static struct il__grant_wait *find(const struct il__engine *e, uint64_t token)
{
    struct il__grant_wait *g = e->grants;
    while (g && (g->token != token || g->stage == PAUSING)) g = g->next;
    return g;
}

enum il_code il__engine_granted(struct il__engine *e, const struct il__answer_in *answer, struct il_error *err)
{
    struct il__grant_wait *g = find(e, answer->token);
    if (!g || g->arrived)
        return il__fail_at(err, IL_CONFLICT, "approver", "token", "no grant that was asked for has this token");
    if (answer->body.len > IL__LIMIT_CONTRACT_BYTES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "approver", "contract_bytes", "a grant has at most %d bytes",
                           IL__LIMIT_CONTRACT_BYTES);
    return il__arrived_new(e, answer, &g->arrived, err);
}

/* No grant: the request stays open. */
static void failed(struct il__grant_wait *g, const struct il_error *err)
{
    struct il_error later = IL_ERROR_INIT, told = *err;
    if (g->stage == ASKED && note(g->run, "failed", g->request_id, err, &later)) il__error_cleanup(&told, &later);
    end(g, &told);
}

static void paused(void *ctx, const struct il_error *err)
{
    struct il__grant_wait *g = ctx;
    struct il_error told = g->error;
    if (err->code) {
        il__error_cleanup(&told, err);
        il__log(&g->engine->log, IL_LOG_ERROR, "approver: a grant did not match, and the session could not be paused");
    }
    end(g, &told);
}

/* The authority that it grants is taken back with the session's. Only that it was there is recorded. */
static void drop(struct il__grant_wait *g, struct il_error *err)
{
    struct il_run *run = g->run;
    struct il_error later = IL_ERROR_INIT;
    if (note(run, "dropped", g->request_id, err, &later)) il__error_cleanup(err, &later);
    g->error = *err;
    g->stage = PAUSING;
    let_go(g);
    (void)il__engine_stop(g->engine, IL_OP_PAUSE_SESSION, run->session_id, REASON, paused, g, &later);
}

/* Whatever stands there is no ApprovalGrant: that is a refusal of the grant, wherever it was noticed. */
static void no_grant(struct il_error *err, const struct il_error *why)
{
    il__fail_at(err, why->code == IL_OUT_OF_MEMORY ? why->code : IL_APPROVAL_MISMATCH, "approval grant",
                *why->field ? why->field : "contract", "%s", why->message);
}

static void too_late(struct il__grant_wait *g, const struct il__grant *grant)
{
    struct il_run *run = g->run;
    struct il__checker ck;
    struct il_error err = IL_ERROR_INIT, later = IL_ERROR_INIT;
    il__checker_init(&ck, "approval grant", &err, il__run_seen, run);
    il__check_grant(&ck, grant, run->preview.envelope, run->preview.policy->policy_digest,
                    run->engine->options->accept_standing_grants, il__clock_now(&run->engine->clock).wall);
    if (il__checker_end(&ck)) {
        drop(g, &err);
        return;
    }
    if (IL__NOTE(run, "late", IL_STR_NONE, &later, IL__TEXT("request", il__str(g->request_id)),
                 IL__TEXT("what", IL_STR("grant"))))
        il__error_cleanup(&err, &later);
    il__fail_at(&err, IL_APPROVAL_MISMATCH, "approval", "request_id",
                "the grant came too late (the run is %s): recorded, and changes nothing",
                run->end ? il__end_names[run->end] : "past this request");
    end(g, &err);
}

static enum il_code build(const struct il__grant_wait *g, const struct il__grant *grant, struct il_str raw,
                          struct il__buf *out, struct il_error *err)
{
    struct il__json_writer w;
    il__jw_init(&w, out);
    il__jw_object(&w);
    il__jw_member_z(&w, "requestId", g->request_id);
    il__jw_member_str(&w, "actionDigest", g->run->preview.envelope->args_digest);
    il__jw_member_str(&w, "policyDigest", g->run->preview.policy->policy_digest);
    il__jw_member_str(&w, "grantId", grant->grant_id);
    il__jw_key(&w, "grant");
    il__jw_raw(&w, raw);
    il__jw_object_end(&w);
    return il__buf_check(out, err);
}

/* Through the door of every answer, which checks the grant and journals it. */
static enum il_code deliver(struct il__grant_wait *g, const struct il__grant *grant, struct il_str raw,
                            struct il__now at, struct il_error *err)
{
    struct il_run *run = g->run;
    struct il__engine *e = g->engine;
    struct il__instant expires;
    struct il__buf json;
    il__buf_init(&json, e->mem, 0);
    enum il_code code = build(g, grant, raw, &json, err);
    if (!code) code = il__run_answer(run, il__buf_get(&json), true, err);
    il__buf_clear(&json);
    if (!code && il__rfc3339_parse(grant->expires_at, &expires, NULL))
        run->grant_deadline = il__deadline_min(il__deadline_make(expires, g->ttl_ms, at, e->clock.boot_id),
                                               run->grant_deadline);
    return code;
}

static void granted(struct il__grant_wait *g, struct il_str raw, struct il__now at)
{
    struct il__json doc = { 0 };
    struct il__grant grant;
    struct il_error err = IL_ERROR_INIT, why = IL_ERROR_INIT;
    if (il__decode_text(&il__grant_schema, g->engine->mem, raw, &doc, &grant, &why)) {
        no_grant(&err, &why);
        drop(g, &err);
    } else if (g->stage == LATE || !il__approval_awaits(g->run, il__str(g->request_id))) {
        too_late(g, &grant);
    } else if (!deliver(g, &grant, raw, at, &err)) {
        end(g, &err);
    } else if (err.code == IL_APPROVAL_MISMATCH && strcmp(err.object, "approval grant") == 0) {
        drop(g, &err);
    } else {
        failed(g, &err);
    }
    il__json_clear(&doc);
}

static void refused(struct il__grant_wait *g, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    char reason[80], message[200];
    il__escape(reason, sizeof reason, answer->reason);
    il__escape(message, sizeof message, answer->message);
    if (answer->code == IL_DECODE) {
        il__fail_at(&err, IL_APPROVAL_MISMATCH, "approval grant", "contract", "%s",
                    *message ? message : "the answer holds no grant");
        drop(g, &err);
        return;
    }
    il__fail_at(&err, answer->code, "approver", "grant", "%s%s%s", reason, *reason && *message ? ": " : "", message);
    failed(g, &err);
}

bool il__grants_take(struct il__engine *e)
{
    struct il__grant_wait *g = e->grants;
    while (g && !g->arrived) g = g->next;
    if (!g) return false;
    struct il__arrived *a = g->arrived;
    const struct il__answer_in answer = { a->token, a->code, a->body, a->reason, a->message, false };
    g->arrived = NULL;
    if (answer.code) refused(g, &answer);
    else granted(g, answer.body, a->at);
    il__mem_free(e->mem, a, a->size);
    return true;
}

/* ---- time ---- */

bool il__grants_overdue(struct il__engine *e, int64_t boot_ms)
{
    struct il_error err = IL_ERROR_INIT, later = IL_ERROR_INIT;
    struct il__grant_wait *g = e->grants;
    while (g && (g->stage == PAUSING || g->arrived || g->deadline_ms > boot_ms)) g = g->next;
    if (!g) return false;
    il__fail_at(&err, IL_TIMEOUT, "approver", "grant", "no answer in time; whether it granted is not known");
    if (g->stage == LATE) {
        end(g, &err);
        return true;
    }
    if (note(g->run, "failed", g->request_id, &err, &later)) il__error_cleanup(&err, &later);
    g->stage = LATE;
    g->deadline_ms = boot_ms + LATE_KEEP_MS;
    e->approver_port.ops->cancel(e->approver_port.self, g->token);
    tell(g, &err);
    return true;
}

int64_t il__grants_next_ms(const struct il__engine *e, int64_t boot_ms)
{
    int64_t next = -1;
    for (const struct il__grant_wait *g = e->grants; g; g = g->next) {
        if (g->stage == PAUSING) continue;
        int64_t ms = g->arrived || g->deadline_ms < boot_ms ? 0 : g->deadline_ms - boot_ms;
        if (next < 0 || ms < next) next = ms;
    }
    return next;
}

/* ---- the end ---- */

void il__grants_clear(struct il__engine *e)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail_at(&err, IL_CANCELLED, "host", "free", "the host was freed before the grant came");
    for (struct il__grant_wait *g = e->grants, *next; g; g = next) {
        next = g->next;
        if (g->stage != PAUSING) end(g, &err); /* those end with the stop that they wait for */
    }
}
