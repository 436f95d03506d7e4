/* A monkey at the engine: several runs, and in random order answers (right, wrong, doubled, late, never), time,
 * cancels, denies, stops, freed handles. Whatever the order: at most one effect per send that was allowed, none after a
 * stop, a cancel or a deny, and everything that was taken is given back. The seed of a failure is printed. */
#include "kit.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 6, PENDING = 256, STEPS = 160, ROUNDS = 400 };

#define TARGET "{\"platform\":\"linux\",\"appId\":\"org.example.Editor\",\"windowId\":7,\"observationId\":\"o-1\"," \
    "\"confidence\":1,\"capturedAt\":\"2026-11-30T18:00:00Z\"}"

struct actor {                /* one run, and what the world knows of it */
    struct il_run *run;       /* NULL: freed */
    size_t at;                /* of its workflow */
    char id[40], action[40];
    int executes, effects, leases, lease_releases, targets, target_releases, lost;
    bool barred;              /* cancelled, denied or stopped: from here on nothing may be done */
    bool proved;              /* recover said not_started: one more send is allowed */
    int dead;                 /* sends up to this one will never be carried out */
    bool told;                /* it reported that something could not be released */
};

struct pending {
    uint64_t token;
    enum il_op op;
    struct actor *who;
    int nth;                  /* which send of its run */
};

struct monkey {
    struct kit kit;
    uint64_t state;
    struct actor actors[RUNS];
    size_t count;
    struct pending pending[PENDING];
    size_t pending_count;
    const char *wrong;        /* the first broken promise */
    bool stopped;
    int done;                 /* effects of the round */
};

static uint32_t dice(struct monkey *m, uint32_t sides)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->state >> 33) % sides;
}

static void broken(struct monkey *m, const char *what)
{
    if (!m->wrong) m->wrong = what;
}

/* ---- the workflow: the reference order, one place per run ---- */

static enum il__workflow_event resume(void *self, struct il__ask *ask, struct il_error *err)
{
    struct actor *a = self;
    (void)err;
    if (kit_reference[a->at] < 0) return IL__WF_RETURNED;
    ask->verb = (enum il__verb)kit_reference[a->at++];
    if (ask->verb == IL__VERB_OBSERVE) ask->see = 7;
    return IL__WF_ASKS;
}

static void close_workflow(void *self)
{
    ((struct actor *)self)->at = 0;
}

static const struct il__workflow_ops WORKFLOW = { resume, close_workflow };

static struct actor *actor_of(struct monkey *m, struct il_str run_id)
{
    for (size_t i = 0; i < m->count; i++)
        if (il__str_eq(il__str(m->actors[i].id), run_id)) return &m->actors[i];
    return NULL;
}

static enum il_code open_workflow(void *ctx, struct il_run *run, struct il_str name, struct il_str source,
                                  const struct il__workflow_ops **ops, void **self, struct il_error *err)
{
    (void)name;
    (void)source;
    (void)err;
    *self = actor_of(ctx, il__str(run->id));
    *ops = &WORKFLOW;
    return IL_OK;
}

/* ---- the runtime ---- */

static enum il_code begin(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    struct monkey *m = self;
    struct actor *a = actor_of(m, request->run_id);
    if (!dice(m, 40)) return il__fail_at(err, IL_TRANSPORT, "monkey", "begin", "not today"); /* before anything left */
    if (permit) {
        enum il_code code = il__permit_spend(permit, err);
        if (code) return code;
        if (!il__permit_spend(permit, NULL)) broken(m, "a permit was spent twice");
    }
    if (a && request->op == IL_OP_EXECUTE_ACTION) {
        a->executes++;
        if (a->executes > 1 && !a->proved) broken(m, "sent again without proof");
        if (a->executes > 2) broken(m, "sent three times");
        if (a->barred || m->stopped) broken(m, "sent although it was stopped");
        if (a->leases <= a->lease_releases) broken(m, "sent without a lease");
    }
    if (a && request->op == IL_OP_RELEASE_LEASE) a->lease_releases++;
    if (a && request->op == IL_OP_RELEASE_TARGET) a->target_releases++;
    if (m->pending_count < PENDING)
        m->pending[m->pending_count++] = (struct pending){ request->token, request->op, a, a ? a->executes : 0 };
    return IL_OK;
}

static void cancel(void *self, uint64_t token)
{
    (void)self;
    (void)token;
}

static const struct il__runtime_ops OPS = { begin, cancel, NULL, NULL, NULL };

static const char *right(enum il_op op)
{
    switch (op) {
    case IL_OP_PREVIEW_ACTION:
        return "{\"envelope\":{\"actionId\":\"$A\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"tool\":\"write_"
               "clipboard\","
               "\"operation\":\"write_clipboard\",\"actionClass\":\"edit_reversible\",\"requestedMode\":\"background\","
               "\"target\":" TARGET ",\"dataLabels\":[\"unknown\"],\"reversible\":true,\"externalSideEffect\":false,"
               "\"proposedAt\":\"2026-11-30T18:00:00Z\",\"expiresAt\":\"2027-11-30T18:05:00Z\",\"argsDigest\":"
               "\"" KIT_ACTION_DIGEST
               "\"},\"executable\":true,\"policy\":{\"decision\":\"allow\",\"policyDigest\":\"" KIT_POLICY_DIGEST
               "\",\"reasons\":[]},\"capability\":{\"appId\":\"*\",\"operation\":\"write_clipboard\","
               "\"backend\":\"none\",\"supportedModes\":[\"background\"],\"interference\":\"none\",\"confidence\":1,"
               "\"verificationSource\":\"rule\"}}";
    case IL_OP_RESERVE_TARGET:
        return "{\"reservationId\":\"res-1\",\"revision\":1,\"intentId\":\"$A\",\"sessionId\":\"s-1\",\"principalId\":"
               "\"p-1\","
               "\"scope\":{\"appId\":\"org.example.Editor\",\"windowId\":7},\"state\":\"active\","
               "\"acquiredAt\":\"2026-11-30T18:00:00Z\",\"expiresAt\":\"2027-11-30T18:00:30Z\"}";
    case IL_OP_ACQUIRE_LEASE:
        return "{\"leaseId\":\"lease-1\",\"revision\":1,\"sessionId\":\"s-1\",\"principalId\":\"p-1\",\"kind\":"
               "\"cooperative\","
               "\"executionMode\":\"background\",\"state\":\"active\",\"expiresAt\":\"2027-11-30T18:00:30Z\","
               "\"actionBudget\":1,\"actionsUsed\":0}";
    case IL_OP_EXECUTE_ACTION:
        return "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\",\"actionId\":\"$A\",\"actionDigest\":"
               "\"" KIT_ACTION_DIGEST "\",\"attempt\":1,\"status\":\"committed\"}";
    default:
        return "{}";
    }
}

static const char *recovered(struct monkey *m, struct actor *a)
{
    if (a->effects) return dice(m, 2) ? right(IL_OP_EXECUTE_ACTION) : "\"unknown\"";
    a->proved = dice(m, 2) != 0;
    if (a->proved) a->dead = a->executes;
    return a->proved ? "\"not_started\"" : "\"unknown\"";
}

/* One of the pending operations is answered, rightly or not; perhaps it stays, to be answered once more. */
static void answer_one(struct monkey *m, bool rightly)
{
    char body[2048];
    struct il_error err = IL_ERROR_INIT;
    if (!m->pending_count) return;
    size_t i = dice(m, (uint32_t)m->pending_count);
    struct pending p = m->pending[i];
    struct il__answer_in answer = { p.token, IL_OK, IL_STR_NONE, IL_STR_NONE, IL_STR_NONE, false };
    uint32_t how = rightly ? 9 : dice(m, 12);
    bool act = how > 1; /* what an error answer or a lost one did not do */
    const char *text = p.op == IL_OP_RECOVER && p.who ? recovered(m, p.who) : right(p.op);
    const char *at = strstr(text, "$A");
    if (at && p.who) snprintf(body, sizeof body, "%.*s%s%s", (int)(at - text), text, p.who->action, at + 2);
    else snprintf(body, sizeof body, "%s", text);
    if (how == 0) answer.code = dice(m, 2) ? IL_RUNTIME : IL_TRANSPORT;
    else if (how == 2) answer.body = IL_STR("{\"broken\":");
    else if (how == 3) answer.body = IL_STR("null");
    else answer.body = il__str(body);
    bool twice = how == 4;
    if (how == 3 || how == 2) act = p.op == IL_OP_EXECUTE_ACTION;
    if (how == 1) act = false;
    if (p.op == IL_OP_EXECUTE_ACTION && p.who && p.nth <= p.who->dead) {
        act = false;
        answer.code = IL_RUNTIME;
    }
    if (p.who && act) {
        if (p.op == IL_OP_EXECUTE_ACTION) p.who->effects++;
        if (p.op == IL_OP_ACQUIRE_LEASE) p.who->leases++;
        if (p.op == IL_OP_RESERVE_TARGET) p.who->targets++;
    }
    m->pending[i] = m->pending[--m->pending_count];
    if (how == 1) return; /* lost */
    if (il__engine_complete(&m->kit.engine, &answer, &err) && p.who) p.who->lost++;
    if (twice && !il__engine_complete(&m->kit.engine, &answer, &err)) broken(m, "an operation was completed twice");
}

/* ---- people ---- */

static void decide(struct actor *a, const char *what)
{
    char json[600];
    struct il_error err = IL_ERROR_INIT;
    if (!a->run || !a->run->wait.request_id[0]) return;
    bool sent = (a->run->done & IL__DID_SEND) != 0;
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
             KIT_POLICY_DIGEST "\",\"decision\":\"%s\",\"reason\":\"r\"}", a->run->wait.request_id, what);
    enum il_code code = il__run_answer(a->run, il__str(json), true, &err);
    if (!code && !sent && strcmp(what, "deny") == 0) a->barred = true;
}

static void start(struct monkey *m)
{
    if (m->count == RUNS) return;
    struct actor *a = &m->actors[m->count];
    a->run = kit_start(&m->kit, "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"target\":" TARGET "}");
    if (!a->run) return;
    memcpy(a->id, a->run->id, sizeof a->id);
    memcpy(a->action, a->run->action_id, sizeof a->action);
    m->count++;
}

/* What the run says must be what the world knows. */
static void look(struct monkey *m, struct actor *a)
{
    const struct il_run *run = a->run;
    if (!run) return;
    if (run->release_failed) a->told = true;
    if (run->effect == IL_EFFECT_NONE && a->effects && run->state == IL__STATE_ENDED && !a->proved)
        broken(m, "the result hides an effect");
    if (run->effect == IL_EFFECT_COMMITTED && !a->effects) broken(m, "the result invents an effect");
    if (run->state == IL__STATE_ENDED && run->effect == IL_EFFECT_UNKNOWN && run->end != IL__END_INDETERMINATE)
        broken(m, "an unknown effect under another status");
}

static void step(struct monkey *m)
{
    struct il_tick tick = { .size = sizeof tick };
    struct actor *a = m->count ? &m->actors[dice(m, (uint32_t)m->count)] : NULL;
    uint32_t what = dice(m, 100);
    if (what < 40) (void)il__engine_tick(&m->kit.engine, 0, &tick, NULL);
    else if (what < 75) answer_one(m, dice(m, 4) != 0);
    else if (what < 82) start(m);
    else if (what < 88 && a) decide(a, "approve");
    else if (what < 89 && a) decide(a, "deny");
    else if (what < 90 && a && a->run) {
        bool sent = (a->run->done & IL__DID_SEND) != 0;
        if (!il__run_cancel(a->run, IL_STR("monkey"), NULL) && !sent) a->barred = true;
    } else if (what < 91 && a && a->run) {
        if (!(a->run->done & IL__DID_SEND)) a->barred = true;
        look(m, a);
        il__run_free(a->run, dice(m, 2) != 0);
        a->run = NULL;
    } else if (what < 92 && !dice(m, 4)) {
        m->stopped = true;
        (void)il__engine_stop(&m->kit.engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("monkey"), NULL, NULL, NULL);
    } else if (what < 97) m->kit.boot_ms += dice(m, 12000);
    else if (what < 98) m->kit.wall_sec += (int64_t)dice(m, 20) - 10;
    for (size_t i = 0; i < m->count; i++) look(m, &m->actors[i]);
}

static void settle(struct monkey *m)
{
    for (int i = 0; i < 300; i++) {
        struct il_tick tick = { .size = sizeof tick };
        while (m->pending_count) answer_one(m, true);
        for (int j = 0; j < 20; j++) (void)il__engine_tick(&m->kit.engine, 0, &tick, NULL);
        if (!tick.more && !m->pending_count && !tick.moving) break;
        if (i > 50) m->kit.boot_ms += 10000;
    }
    for (size_t i = 0; i < m->count; i++) {
        struct actor *a = &m->actors[i];
        look(m, a);
        if (a->effects > 1) broken(m, "an action was done twice");
        m->done += a->effects;
        if (a->run && a->run->state != IL__STATE_ENDED && a->run->state != IL__STATE_WAITING)
            broken(m, "a run never ends");
        if (!a->told && !a->lost && a->run && a->run->state == IL__STATE_ENDED) {
            if (a->leases > a->lease_releases) broken(m, "a lease was kept");
            if (a->targets > a->target_releases) broken(m, "a reservation was kept");
        }
        if (a->lease_releases > 1 || a->target_releases > 1) broken(m, "released twice");
    }
}

static const char *round_of(uint64_t seed, int *done)
{
    static struct monkey m;
    memset(&m, 0, sizeof m);
    kit_open(&m.kit);
    m.state = seed * 0x9E3779B97F4A7C15u + 1;
    m.kit.engine.runtime.ops = &OPS;
    m.kit.engine.runtime.self = &m;
    m.kit.engine.workflows.open = open_workflow;
    m.kit.engine.workflows.ctx = &m;
    m.kit.options.max_moving_runs = 1 + dice(&m, 4);
    m.kit.says[IL__PHASE_PREVIEW] = dice(&m, 2) ? IL__VERDICT_ASK : IL__VERDICT_NONE;
    for (int i = 0; i < STEPS && !m.wrong; i++) step(&m);
    settle(&m);
    il__engine_clear(&m.kit.engine);
    if (m.kit.mem.in_use_bytes) broken(&m, "memory is lost");
    *done += m.done;
    return m.wrong;
}

int main(int argc, char **argv)
{
    int rounds = getenv("LONG") ? 50 * ROUNDS : ROUNDS, failed = 0, done = 0;
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    if (argc > 1) rounds = 1;
    for (int i = 0; i < rounds && failed < 5; i++) {
        const char *wrong = round_of(from + (uint64_t)i, &done);
        if (wrong) failed++, tap_ok(false, "seed %llu: %s", (unsigned long long)from + (unsigned long long)i, wrong);
    }
    tap_ok(argc > 1 || done > rounds / 2, "and something is done (%d times)", done);
    tap_ok(failed == 0, "%d rounds of a monkey keep every promise", rounds);
    return tap_done();
}
