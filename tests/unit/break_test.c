/* Attempts to break a run: late and double answers, full journals, lost memory, decisions that must or must not count.
 * Each part holds one promise of the engine against somebody who tries (SPEC §4 to §8). */
#include "kit.h"
#include "tap.h"

#include "run/state.h"

#include <stdio.h>
#include <string.h>

static const char *const TARGETED =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"target\":{\"platform\":\"linux\","
    "\"appId\":\"org.example.Editor\",\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"o-1\",\"confidence\":1,"
    "\"capturedAt\":\"2026-11-30T18:00:00Z\"}}";
static const struct kit_bend ASKS = { .op = IL_OP_PREVIEW_ACTION, .from = "\"executable\":true",
                                      .to = "\"executable\":false,\"blocker\":\"approval_required\"" };

static void play(struct kit *k, const struct kit_bend *bends, size_t count)
{
    kit_open(k);
    for (size_t i = 0; i < count; i++) kit_bend(k, bends[i]);
    kit_start(k, TARGETED);
    kit_go(k);
}

/* One unit of work per tick. */
static void units(struct kit *k, int n)
{
    struct il_tick tick = { .size = sizeof tick };
    for (int i = 0; i < n; i++) (void)il__engine_tick(&k->engine, 0, &tick, NULL);
}

static void complete_late(struct kit *k, enum il_op op, const char *body)
{
    char text[2048];
    struct il_error err = IL_ERROR_INIT;
    for (size_t i = 0; i < k->engine.op_cap; i++) {
        const struct il__op *slot = &k->engine.ops[i];
        if (!slot->token || slot->op != op) continue;
        const char *at = strstr(body, "$A");
        if (at) snprintf(text, sizeof text, "%.*s%s%s", (int)(at - body), body, k->run->action_id, at + 2);
        else snprintf(text, sizeof text, "%s", body);
        const struct il__answer_in answer = { slot->token, IL_OK, il__str(text), IL_STR_NONE, IL_STR_NONE, false };
        tap_int(il__engine_complete(&k->engine, &answer, &err), IL_OK, "%s answers late (%s)", il_op_name(op),
                err.message);
        kit_go(k);
        return;
    }
    tap_ok(false, "%s is in flight", il_op_name(op));
}

#define RECEIPT(status) "{\"receiptId\":\"rec-9\",\"sessionId\":\"s-1\",\"actionId\":\"$A\",\"actionDigest\":\"" \
    KIT_ACTION_DIGEST "\",\"attempt\":1,\"status\":\"" status "\",\"result\":{\"ok\":true}}"

/* ---- turns ---- */

static void many_end_at_once(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    struct il_run *runs[12];
    kit_open(&k);
    for (size_t i = 0; i < 12; i++) runs[i] = kit_start(&k, TARGETED); /* four may move, eight stand in line */
    for (size_t i = 0; i < 12; i++)
        tap_int(il__run_cancel(runs[i], IL_STR("no"), &err), IL_OK, "run %zu is cancelled", i);
    kit_go(&k);
    bool all = true;
    for (size_t i = 0; i < 12; i++) all = all && runs[i]->state == IL__STATE_ENDED && runs[i]->end == IL__END_CANCELLED;
    tap_ok(all, "queued runs that are cancelled end, and stay ended");
    tap_int(k.calls[IL_OP_OBSERVE_VISUAL] + k.calls[IL_OP_PREVIEW_ACTION], 0, "none of them asked for anything");
    tap_int(k.engine.moving, 0, "nothing moves");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PROPOSE] = IL__VERDICT_ASK;
    for (size_t i = 0; i < 12; i++) runs[i] = kit_start(&k, TARGETED), kit_go(&k);
    tap_int(k.engine.waiting, 12, "twelve wait");
    kit_advance(&k, 86400000);
    all = true;
    for (size_t i = 0; i < 12; i++) all = all && runs[i]->end == IL__END_EXPIRED && runs[i]->state == IL__STATE_ENDED;
    tap_ok(all, "more waits than may move expire in one tick");
    kit_close(&k);

    kit_open(&k);
    for (size_t i = 0; i < 6; i++) runs[i] = kit_start(&k, TARGETED);
    il__run_free(runs[4], false);
    kit_go(&k);
    tap_int(k.effects, 1, "a queued run that was freed does nothing, the one behind it acts");
    kit_close(&k);
}

/* ---- the effect ---- */

static void effects_are_honest(void)
{
    struct kit k;
    const struct kit_bend lost[] = { { .op = IL_OP_EXECUTE_ACTION, .never = true },
                                     { .op = IL_OP_RECOVER, .never = true } };
    play(&k, lost, 2);
    kit_advance(&k, 30000); /* the time of execute is over, recovery is asked */
    complete_late(&k, IL_OP_EXECUTE_ACTION, RECEIPT("committed"));
    complete_late(&k, IL_OP_RECOVER, RECEIPT("rejected"));
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED,
           "a commit that was seen is not taken back by a receipt that says rejected");
    kit_close(&k);

    const struct kit_bend found[] = { { .op = IL_OP_EXECUTE_ACTION, .never = true },
                                      { .op = IL_OP_RECOVER, .to = RECEIPT("rejected") } };
    play(&k, found, 2);
    kit_advance(&k, 30000);
    tap_ok(k.run->state == IL__STATE_ENDED && k.run->effect == IL_EFFECT_NONE, "recovery finds a rejection");
    const enum il__end end = k.run->end;
    complete_late(&k, IL_OP_EXECUTE_ACTION, RECEIPT("committed"));
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "a late committed receipt raises the effect, also after the end");
    tap_ok(k.run->end == end, "and leaves the status");
    kit_close(&k);

    /* The journal is full, the handle is given back while execute is in flight. */
    const struct kit_bend never[] = { { .op = IL_OP_EXECUTE_ACTION, .never = true } };
    play(&k, never, 1);
    k.mem.fail_at = k.mem.calls + 1;
    struct il_run *run = k.run;
    il__run_free(run, false);
    k.mem.fail_at = 0;
    kit_go(&k);
    tap_ok(run->effect == IL_EFFECT_UNKNOWN && run->end != IL__END_FAILED,
           "what was sent never ends `failed` with effect unknown");
    kit_advance(&k, 30000);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "and the lease is given back");
    kit_advance(&k, 700000);
    tap_int(k.engine.run_count, 0, "and the run is freed");
    kit_close(&k);

    play(&k, never, 1);
    il__engine_clear(&k.engine);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "a host that is freed while execute is in flight gives the lease back");
    tap_int(k.calls[IL_OP_RELEASE_TARGET], 1, "and the reservation");
    tap_int((long long)k.mem.in_use_bytes, 0, "and leaves nothing");
}

/* ---- decisions ---- */

static struct il_decision decision_of(const struct kit *k, const char *who, const char *what)
{
    struct il_decision d = IL_DECISION_INIT;
    d.request_id = il__str(k->run->wait.request_id);
    d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    d.approver = il__str(who);
    d.decision = il__str(what);
    return d;
}

static struct il__approver PEOPLE[] = { { .id = { "ann", 3 } }, { .id = { "ben", 3 } }, { .id = { "p-1", 3 } } };

static void open_with_people(struct kit *k, int64_t approvers)
{
    kit_open(k);
    k->engine.approvers = PEOPLE;
    k->engine.approver_count = 3;
    k->says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    k->approvers = approvers;
    kit_start(k, TARGETED);
    kit_go(k);
}

static void denies_count(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    open_with_people(&k, 2);
    struct il_decision yes = decision_of(&k, "ann", "approve");
    for (int i = 0; i < IL__LIMIT_DECISIONS; i++) (void)il__run_decide(k.run, &yes, &err);
    tap_str(il__str(kit_status(&k)), "waiting", "one person is one approval, however often");
    struct il_decision no = decision_of(&k, "ben", "deny");
    (void)il__run_decide(k.run, &no, &err);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "a deny counts, however many decisions came before");
    kit_close(&k);

    open_with_people(&k, 2);
    no = decision_of(&k, "ben", "deny");
    k.mem.fail_at = k.mem.calls + 1;
    (void)il__run_decide(k.run, &no, &err);
    k.mem.fail_at = 0;
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "a deny counts, also when it could not be recorded");
    kit_close(&k);

    static const char *const words[] = { "deny", "re-observe" };
    for (size_t i = 0; i < 2; i++) {
        open_with_people(&k, 1);
        yes = decision_of(&k, "ann", "approve");
        no = decision_of(&k, "ben", words[i]);
        tap_int(il__run_decide(k.run, &yes, &err), IL_OK, "granted");
        units(&k, 3);
        tap_int(il__run_decide(k.run, &no, &err), IL_OK, "%s after the request was consumed (%s)", words[i],
                err.message);
        kit_go(&k);
        tap_str(il__str(kit_status(&k)), "denied", "%s counts until the send", words[i]);
        tap_int(k.effects, 0, "nothing was done");
        kit_close(&k);
    }

    /* Without approvers the local operator says so in an answer. */
    char json[512];
    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, TARGETED);
    kit_go(&k);
    const char *form = "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
                       KIT_POLICY_DIGEST "\",\"decision\":\"%s\",\"reason\":\"r\"}";
    snprintf(json, sizeof json, form, k.run->wait.request_id, "approve");
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_OK, "granted (%s)", err.message);
    units(&k, 3);
    snprintf(json, sizeof json, form, k.run->wait.request_id, "deny");
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_OK,
            "an operator's deny after the request was consumed");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "counts until the send");
    tap_int(k.effects, 0, "nothing was done");
    kit_close(&k);

    open_with_people(&k, 1);
    yes = decision_of(&k, "p-1", "approve");
    tap_int(il__run_decide(k.run, &yes, &err), IL_APPROVAL_MISMATCH, "who proposed does not approve");
    no = decision_of(&k, "p-1", "deny");
    (void)il__run_decide(k.run, &no, &err);
    tap_str(il__str(kit_status(&k)), "waiting", "and is not heard at all");
    yes = decision_of(&k, "Ann", "approve");
    tap_int(il__run_decide(k.run, &yes, &err), IL_APPROVAL_MISMATCH, "nor does somebody with nearly the name");
    yes = decision_of(&k, "ann", "approve");
    yes.action_digest = IL_STR_NONE;
    tap_int(il__run_decide(k.run, &yes, &err), IL_APPROVAL_MISMATCH, "an absent digest is not equal");
    yes.action_digest = IL_STR(KIT_ACTION_DIGEST "\0");
    tap_int(il__run_decide(k.run, &yes, &err), IL_APPROVAL_MISMATCH, "nor one with a NUL behind it");
    kit_close(&k);
}

/* ---- answers ---- */

static void answers(void)
{
    struct kit k;
    char json[1024];
    struct il_error err = IL_ERROR_INIT;
    play(&k, &ASKS, 1);
    const char *form = "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
                       KIT_POLICY_DIGEST "\"%s}";
    snprintf(json, sizeof json, form, k.run->wait.request_id, ",\"grantId\":\"\",\"runtimeApproved\":true");
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_OK, "an empty grant id is none (%s)", err.message);
    kit_go(&k);
    tap_ok(strstr(k.last_execute, "\"grantId\":null") != NULL, "and none reaches execute");
    kit_close(&k);

    /* Two needs: the runtime's is answered, the host's is open, a second authority comes. */
    kit_open(&k);
    kit_bend(&k, ASKS);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, TARGETED);
    kit_go(&k);
    snprintf(json, sizeof json, form, k.run->wait.request_id, ",\"grantId\":\"g-1\"");
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_OK, "the runtime need is met (%s)", err.message);
    snprintf(json, sizeof json, form, k.run->wait.request_id, ",\"grantId\":\"g-2\",\"decision\":\"approve\"");
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_APPROVAL_MISMATCH,
            "a second authority for it is stale");
    tap_ok(!strstr(err.message, "g-2") && !strstr(err.actual, "g-2"), "and the refusal does not show the grant (%s)",
           err.message);
    snprintf(json, sizeof json, form, k.run->wait.request_id, ",\"decision\":\"approve\",\"reason\":\"r\"");
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_OK, "the host need is met (%s)", err.message);
    kit_go(&k);
    tap_ok(strstr(k.last_execute, "\"grantId\":\"g-1\"") != NULL, "the first grant reaches execute");
    kit_close(&k);

    /* A second entry of the channel ends the run, whether or not there is room to note it. */
    play(&k, &ASKS, 1);
    k.mem.fail_at = k.mem.calls + 4;
    (void)il__run_answer(k.run, IL_STR("{\"preview\":{\"envelope\":{}}}"), true, &err);
    k.mem.fail_at = 0;
    kit_go(&k);
    tap_ok(k.run->state == IL__STATE_ENDED || k.run->state == IL__STATE_WAITING, "it comes to rest");
    kit_close(&k);
}

static void keep_grant_fails(void)
{
    for (uint64_t n = 1; n < 40; n++) {
        struct kit k;
        char json[1024];
        struct il_error err = IL_ERROR_INIT;
        play(&k, &ASKS, 1);
        snprintf(json, sizeof json,
                 "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST
                 "\",\"policyDigest\":\"" KIT_POLICY_DIGEST "\",\"grantId\":\"g-1\"}",
                 k.run->wait.request_id);
        k.mem.fail_at = k.mem.calls + n;
        enum il_code code = il__run_answer(k.run, il__str(json), true, &err);
        k.mem.fail_at = 0;
        if (code && k.run->state == IL__STATE_WAITING) code = il__run_answer(k.run, il__str(json), true, &err);
        kit_go(&k);
        if (k.effects != 1 || code)
            tap_ok(false, "an answer whose memory fails at %d can be given again: %s", (int)n, err.message);
        kit_close(&k);
    }
}

/* ---- overrides ---- */

static void overrides(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    kit_open(&k);
    k.engine.approvers = PEOPLE;
    k.engine.approver_count = 3;
    k.level = IL__LEVEL_SOFT;
    k.policy_fails[IL__PHASE_PREVIEW] = true;
    k.says[IL__PHASE_EXECUTE] = IL__VERDICT_DENY;
    kit_start(&k, TARGETED);
    kit_go(&k);
    struct il_decision yes = decision_of(&k, "ann", "approve");
    yes.reason = IL_STR("the policy is broken");
    tap_int(il__run_decide(k.run, &yes, &err), IL_OK, "a failed policy is overridden (%s)", err.message);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "blocked", "what overrides its failure does not override what it denies later");
    tap_int(k.effects, 0, "nothing was done");
    kit_close(&k);
}

/* ---- what is held ---- */

static void long_ids(void)
{
    struct kit k;
    char res[600], lease[600], id[401];
    memset(id, 'x', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    snprintf(res, sizeof res, "\"reservationId\":\"%s\"", id);
    snprintf(lease, sizeof lease, "\"leaseId\":\"%s\"", id);
    const struct kit_bend bends[] = { { .op = IL_OP_RESERVE_TARGET, .from = "\"reservationId\":\"res-1\"", .to = res },
                                      { .op = IL_OP_ACQUIRE_LEASE, .from = "\"leaseId\":\"lease-1\"", .to = lease } };
    play(&k, bends, 2);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "a lease with a long id is released");
    tap_int(k.calls[IL_OP_RELEASE_TARGET], 1, "and so is a reservation");
    kit_close(&k);
}

static void tickets_are_not_told(void)
{
    struct kit k;
    struct il_str doc;
    struct il_error err = IL_ERROR_INIT;
    const struct kit_bend bends[] = {
        { .op = IL_OP_RELEASE_LEASE, .fail = IL_RUNTIME, .reason = "cannot release lease-1 now" },
        { .op = IL_OP_VERIFY, .fail = IL_RUNTIME, .reason = "lease-1 lease-1" }
    };
    kit_open(&k);
    kit_bend(&k, bends[0]);
    kit_bend(&k, bends[1]);
    kit_start(&k,
              "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"postcondition\":{\"kind\":\"window\","
              "\"windowId\":7,\"exists\":true}}");
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RESERVE_TARGET, .to = "null" });
    kit_go(&k);
    tap_ok(k.run->release_failed && kit_error(&k).code == IL_RUNTIME, "verification and release fail");
    tap_int(il__run_document(k.run, &doc, &err), IL_OK, "the result is written");
    tap_ok(!memmem(doc.ptr, doc.len, "lease-1", 7), "and does not tell the id of the lease (%.*s)", IL_STR_FMT(doc));
    kit_close(&k);
}

/* ---- a full journal ---- */

static void act_cancel(struct kit *k)
{
    (void)il__run_cancel(k->run, IL_STR("no"), NULL);
}

/* The journal takes `records` and then no more, but for what it keeps back. */
static void fill_journal(struct kit *k, size_t records)
{
    struct il_error err = IL_ERROR_INIT;
    while (k->run->journal.count < records) {
        if (il__journal_append(&k->run->journal, "filler", il__str(k->run->id), il__clock_now(&k->engine.clock),
                               k->engine.clock.boot_id, 0, IL_STR("{}"), IL_STR_NONE, &err)) break;
    }
}

static bool acts_and_records(size_t records)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    char json[1024];
    play(&k, &ASKS, 1);
    fill_journal(&k, records);
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
             KIT_POLICY_DIGEST "\",\"grantId\":\"g-1\"}", k.run->wait.request_id);
    (void)il__run_answer(k.run, il__str(json), true, &err);
    kit_go(&k);
    if (k.run->state == IL__STATE_WAITING) act_cancel(&k), kit_go(&k);
    bool good = k.run->state == IL__STATE_ENDED;
    if (k.effects && strcmp(kit_status(&k), "committed_unverified") != 0) good = false;
    if (k.calls[IL_OP_RELEASE_LEASE] != k.calls[IL_OP_ACQUIRE_LEASE]) good = false;
    if (!good) tap_note("%zu records: %s, %d effects: %s", records, kit_status(&k), k.effects, kit_error(&k).message);
    il__engine_clear(&k.engine);
    return good;
}

static void full_journal(void)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    bool good = true;
    for (size_t left = 0; left < 24 && good; left++)
        good = acts_and_records(IL__LIMIT_RUN_RECORDS - left) &&
               acts_and_records(IL__LIMIT_RUN_RECORDS - IL__JOURNAL_SPARE_RECORDS - left);
    tap_ok(good, "however full the journal is, what was sent is recorded, and the run ends");

    play(&k, &ASKS, 1);
    k.mem.fail_at = k.mem.calls + 1;
    (void)il__run_cancel(k.run, IL_STR("enough"), &err);
    k.mem.fail_at = 0;
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "cancelled", "cancelling works without memory");
    kit_close(&k);
}

/* ---- time ---- */

static void time_to_live(void)
{
    struct kit k;
    const struct kit_bend bends[] = { { .op = IL_OP_ACQUIRE_LEASE, .never = true },
                                      { .op = IL_OP_RESERVE_TARGET, .to = "null" } };
    play(&k, bends, 2);
    struct il_error err = IL_ERROR_INIT;
    char text[1024];
    uint64_t token = 0;
    for (size_t i = 0; i < k.engine.op_cap; i++)
        if (k.engine.ops[i].token && k.engine.ops[i].op == IL_OP_ACQUIRE_LEASE) token = k.engine.ops[i].token;
    snprintf(text, sizeof text, "{\"leaseId\":\"lease-1\",\"revision\":1,\"sessionId\":\"s-1\",\"principalId\":\"p-1\","
             "\"kind\":\"cooperative\",\"executionMode\":\"background\",\"state\":\"active\","
             "\"expiresAt\":\"2027-11-30T18:00:30Z\",\"actionBudget\":1,\"actionsUsed\":0}");
    const struct il__answer_in answer = { token, IL_OK, il__str(text), IL_STR_NONE, IL_STR_NONE, false };
    tap_int(il__engine_complete(&k.engine, &answer, &err), IL_OK, "a lease arrives");
    k.boot_ms += 31000;
    k.wall_sec -= 31;
    kit_go(&k);
    tap_int(k.effects, 0, "its time to live counts from its arrival, not from the tick that takes it");
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "it is given back");
    kit_close(&k);
}

/* ---- replay ---- */

static const struct il__workflow_ops *kit_ops;
static char looked[8];

static enum il__workflow_event look(void *self, struct il__ask *ask, struct il_error *err)
{
    struct kit *k = self;
    const struct il__json *doc = &k->run->observed[1];
    size_t at = strlen(looked);
    if (k->ask_at && at < sizeof looked - 1) /* after each ask: what is seen now */
        looked[at] = !k->run->observed_set[1] ? '-' : memmem(doc->text.ptr, doc->text.len, "BBBB", 4) ? 'B' : 'A';
    return kit_ops->resume(self, ask, err);
}

static enum il_code (*kit_open_workflow)(void *ctx, struct il_run *run, struct il_str name, struct il_str source,
                                         const struct il__workflow_ops **ops, void **self, struct il_error *err);

static enum il_code open_looking(void *ctx, struct il_run *run, struct il_str name, struct il_str source,
                                 const struct il__workflow_ops **ops, void **self, struct il_error *err)
{
    static struct il__workflow_ops mine;
    enum il_code code = kit_open_workflow(ctx, run, name, source, ops, self, err);
    kit_ops = *ops;
    mine = (struct il__workflow_ops){ look, (*ops)->close };
    *ops = &mine;
    memset(looked, 0, sizeof looked);
    return code;
}

static void replay_sees_the_same(void)
{
    static const int twice[] = { IL__VERB_OBSERVE,  IL__VERB_OBSERVE, IL__VERB_PREVIEW,
                                 IL__VERB_APPROVAL, IL__VERB_RESERVE, IL__VERB_LEASE,
                                 IL__VERB_EXECUTE,  IL__VERB_VERIFY,  -1 };
    struct kit k;
    char json[512], before[8];
    struct il_error err = IL_ERROR_INIT;
    kit_open(&k);
    kit_bend(&k, ASKS);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_OBSERVE_VISUAL, .nth = 2, .to = "{\"image\":\"BBBB\"}" });
    kit_workflow(&k, twice);
    kit_open_workflow = k.engine.workflows.open;
    k.engine.workflows.open = open_looking;
    kit_start(&k, TARGETED);
    kit_go(&k);
    snprintf(before, sizeof before, "%s", looked);
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"policyDigest\":\""
             KIT_POLICY_DIGEST "\",\"grantId\":\"g-1\"}", k.run->wait.request_id);
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_OK, "granted (%s)", err.message);
    kit_go(&k);
    tap_ok(strncmp(looked, before, strlen(before)) == 0 && before[0] == 'A' && before[1] == 'B',
           "a resumed workflow sees at each step what it saw there before (%s, then %s)", before, looked);
    tap_int(k.effects, 1, "and goes on");
    kit_close(&k);
}

int main(void)
{
    many_end_at_once();
    effects_are_honest();
    denies_count();
    answers();
    keep_grant_fails();
    overrides();
    long_ids();
    tickets_are_not_told();
    full_journal();
    time_to_live();
    replay_sees_the_same();
    return tap_done();
}
