/* The engine by itself: the order of a run, its refusals, waits, losses and ends (SPEC §4 to §8, I1 to I13). */
#include "kit.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static const char *const TARGETED =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"target\":{\"platform\":\"linux\","
    "\"appId\":\"org.example.Editor\",\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"o-1\",\"confidence\":1,"
    "\"capturedAt\":\"2026-11-30T18:00:00Z\"}}";
static const char *const POSTCONDITION =
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},\"postcondition\":{\"kind\":\"window\",\"windowId\":7,"
    "\"exists\":true}}";
static const struct kit_bend NO_RESERVATION = { .op = IL_OP_RESERVE_TARGET, .to = "null" };
static const struct kit_bend ASKS = { .op = IL_OP_PREVIEW_ACTION, .from = "\"executable\":true",
                                      .to = "\"executable\":false,\"blocker\":\"approval_required\"" };

static void counts(const struct kit *k, int effects, int reserved, int released, const char *what)
{
    tap_int(k->effects, effects, "%s: effects", what);
    tap_int(k->calls[IL_OP_RESERVE_TARGET], reserved, "%s: reservations asked", what);
    tap_int(k->calls[IL_OP_RELEASE_TARGET], released, "%s: reservations released", what);
}

/* One run of `proposal` with these bends; the caller looks and closes. */
static void play(struct kit *k, const char *proposal, const struct kit_bend *bends, size_t count)
{
    kit_open(k);
    for (size_t i = 0; i < count; i++) kit_bend(k, bends[i]);
    kit_start(k, proposal);
    kit_go(k);
}

static void allowed(void)
{
    struct kit k;
    play(&k, TARGETED, NULL, 0);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "an allowed run without postcondition is not verified");
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "its effect is committed");
    counts(&k, 1, 1, 1, "allowed");
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "the lease is released");
    int lease_at = -1, target_at = -1;
    for (int i = 0; i < k.order_count; i++) {
        if (k.order[i] == IL_OP_RELEASE_LEASE) lease_at = i;
        if (k.order[i] == IL_OP_RELEASE_TARGET) target_at = i;
    }
    tap_ok(lease_at >= 0 && lease_at < target_at, "the lease goes first, then the reservation");
    for (int p = 0; p < 4; p++)
        tap_int(k.asked[p], p == IL__PHASE_APPROVE ? 0 : 1, "the policy is asked once in phase %s", il__phase_names[p]);
    kit_close(&k);
}

static void verified(void)
{
    struct kit k;
    play(&k, POSTCONDITION, &NO_RESERVATION, 1);
    tap_str(il__str(kit_status(&k)), "completed", "a postcondition that was observed to hold completes");
    kit_close(&k);
    const struct kit_bend says_no[] = { NO_RESERVATION, { .op = IL_OP_VERIFY, .to = "{\"satisfied\":false}" } };
    play(&k, POSTCONDITION, says_no, 2);
    tap_str(il__str(kit_status(&k)), "verification_failed", "one that was seen not to hold fails");
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "and the effect stays committed");
    kit_close(&k);
    const struct kit_bend broken[] = { NO_RESERVATION, { .op = IL_OP_VERIFY, .fail = IL_RUNTIME } };
    play(&k, POSTCONDITION, broken, 2);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "a verification that fails leaves the receipt's evidence");
    tap_ok(kit_error(&k).code == IL_RUNTIME, "and its error stands");
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "and the lease is released");
    kit_close(&k);
}

static void answer(struct kit *k, const char *authority, const char *action, const char *policy, enum il_code want,
                   const char *what)
{
    char json[1024];
    struct il_error err = IL_ERROR_INIT;
    snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"%s\",\"policyDigest\":\"%s\"%s}",
             k->run->wait.request_id, action, policy, authority);
    enum il_code code = il__run_answer(k->run, il__str(json), true, &err);
    tap_str(il__str(il_code_name(code)), il_code_name(want), "%s (%s)", what, err.message);
    kit_go(k);
}

static void approvals(void)
{
    struct kit k;
    const struct kit_bend bends[] = { ASKS };
    play(&k, TARGETED, bends, 1);
    tap_str(il__str(kit_status(&k)), "waiting", "approval is waited for");
    counts(&k, 0, 0, 0, "waiting");
    tap_int(k.calls[IL_OP_ACQUIRE_LEASE], 0, "before lease and effect");
    answer(&k, ",\"grantId\":\"g-1\",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH,
           "both authorities at once are refused");
    answer(&k, "", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH, "a digest alone is refused");
    answer(&k, ",\"grantId\":\"g-1\"", "ff", KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH, "another action digest is refused");
    answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, "other", IL_APPROVAL_MISMATCH, "another policy digest is refused");
    tap_str(il__str(kit_status(&k)), "waiting", "refused answers leave the run waiting");
    counts(&k, 0, 0, 0, "refused");
    answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "exact digests and a grant are taken");
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and the run goes on");
    tap_ok(strstr(k.last_execute, "\"grantId\":\"g-1\"") != NULL, "the grant reaches execute");
    counts(&k, 1, 1, 1, "approved");
    tap_int(k.calls[IL_OP_PREVIEW_ACTION], 1, "the preview was not asked again");
    tap_int(k.calls[IL_OP_OBSERVE_VISUAL], 1, "nor the observation");
    answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH, "a second answer is late");
    kit_close(&k);

    play(&k, TARGETED, bends, 1);
    answer(&k, ",\"runtimeApproved\":true", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "a runtime-held approval is taken");
    tap_ok(strstr(k.last_execute, "\"grantId\":null") != NULL, "and no grant id is passed");
    tap_int(k.effects, 1, "one effect");
    kit_close(&k);

    play(&k, TARGETED, bends, 1);
    char json[512];
    struct il_error err = IL_ERROR_INIT;
    snprintf(json, sizeof json, "{\"approval\":{\"requestId\":\"%s\",\"actionDigest\":\"" KIT_ACTION_DIGEST
             "\",\"policyDigest\":\"" KIT_POLICY_DIGEST "\",\"grantId\":\"g\"},\"preview\":{}}", k.run->wait.request_id);
    tap_int(il__run_answer(k.run, il__str(json), true, &err), IL_INVARIANT, "a preview in resume input is refused");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "refused", "and ends the run");
    tap_str(il__str(kit_error(&k).field), "entries", "naming the entries");
    counts(&k, 0, 0, 0, "replaced preview");
    kit_close(&k);

    play(&k, TARGETED, bends, 1);
    kit_advance(&k, 300000);
    tap_str(il__str(kit_status(&k)), "expired", "nobody decides in time: expired");
    answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_APPROVAL_MISMATCH, "a late answer is late");
    counts(&k, 0, 0, 0, "expired");
    kit_close(&k);
}

struct refusal {
    const char *what;
    struct kit_bend bend;
    const char *object, *field, *status;
    int effects, reserved, released;
};

static const struct refusal REFUSALS[] = {
    { "a preview for another session", { .op = IL_OP_PREVIEW_ACTION, .from = "\"sessionId\":\"s-1\"", .to = "\"sessionId\":\"s-2\"" },
      "action envelope", "session_id", "refused", 0, 0, 0 },
    { "an expired preview", { .op = IL_OP_PREVIEW_ACTION, .from = "18:05:00.000Z", .to = "18:00:00.001Z" },
      "action envelope", "expires_at", "refused", 0, 0, 0 },
    { "another tool in the echo", { .op = IL_OP_PREVIEW_ACTION, .from = "\"tool\":\"write_clipboard\"", .to = "\"tool\":\"key\"" },
      "action envelope", "tool", "refused", 0, 0, 0 },
    { "a preview that cannot be read", { .op = IL_OP_PREVIEW_ACTION, .to = "{\"envelope\":1}" },
      "action preview", NULL, "failed", 0, 0, 0 },
    { "a reservation for another intent", { .op = IL_OP_RESERVE_TARGET, .from = "\"intentId\":\"", .to = "\"intentId\":\"x" },
      "target reservation", "intent_id", "refused", 0, 1, 1 },
    { "a reservation that cannot be read", { .op = IL_OP_RESERVE_TARGET, .to = "{\"reservationId\":\"res-1\"}" },
      "target reservation", NULL, "failed", 0, 1, 1 },
    { "a lease for another session", { .op = IL_OP_ACQUIRE_LEASE, .from = "\"sessionId\":\"s-1\"", .to = "\"sessionId\":\"s-2\"" },
      "control lease", "session_id", "refused", 0, 1, 1 },
    { "a spent lease", { .op = IL_OP_ACQUIRE_LEASE, .from = "\"actionsUsed\":0", .to = "\"actionsUsed\":1" },
      "control lease", "action_budget", "refused", 0, 1, 1 },
    { "a lease that fails", { .op = IL_OP_ACQUIRE_LEASE, .fail = IL_RUNTIME, .reason = "lease_conflict" },
      "runtime", "acquire_lease", "failed", 0, 1, 1 },
    { "a receipt with another digest", { .op = IL_OP_EXECUTE_ACTION, .from = "0123456789abcdef", .to = "1123456789abcdef" },
      "execution receipt", "action_digest", "indeterminate", 1, 1, 1 },
};

static void refusals(void)
{
    for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; i++) {
        struct kit k;
        const struct refusal *r = &REFUSALS[i];
        play(&k, TARGETED, &r->bend, 1);
        tap_str(il__str(kit_status(&k)), r->status, "%s: %s", r->what, r->status);
        tap_str(il__str(kit_error(&k).object), r->object, "%s: names the object (%s)", r->what, kit_error(&k).message);
        if (r->field) tap_str(il__str(kit_error(&k).field), r->field, "%s: names the field", r->what);
        counts(&k, r->effects, r->reserved, r->released, r->what);
        bool foreign = strcmp(r->what, "a lease for another session") == 0;
        tap_int(k.calls[IL_OP_RELEASE_LEASE], r->bend.op == IL_OP_EXECUTE_ACTION || strstr(r->what, "spent") ? 1 : 0,
                "%s: lease released%s", r->what, foreign ? " never: it is another's" : "");
        kit_close(&k);
    }
}

static void double_failure(void)
{
    struct kit k;
    const struct kit_bend bends[] = { { .op = IL_OP_ACQUIRE_LEASE, .fail = IL_RUNTIME, .reason = "lease_conflict" },
                                      { .op = IL_OP_RELEASE_TARGET, .fail = IL_RUNTIME, .reason = "broken" } };
    struct il_summary s = { .size = sizeof s };
    play(&k, TARGETED, bends, 2);
    tap_ok(strstr(kit_error(&k).message, "lease_conflict") != NULL, "the first failure stays first");
    tap_ok(strstr(kit_error(&k).cleanup_message, "broken") != NULL, "and carries the release failure");
    il__run_summary(k.run, &s);
    tap_int(s.exit_status, 8, "a release failure exits 8");
    kit_close(&k);
    play(&k, TARGETED, bends + 1, 1);
    il__run_summary(k.run, &s);
    tap_str(il__str(s.status), "committed_unverified", "after a good end the outcome stays readable");
    tap_ok(kit_error(&k).code == IL_RUNTIME && kit_error(&k).cleanup_code == IL_OK, "and the release failure is the error");
    tap_int(s.exit_status, 8, "it exits 8");
    kit_close(&k);
    const struct kit_bend gone = { .op = IL_OP_RELEASE_LEASE, .fail = IL_RUNTIME, .reason = "lease_not_active" };
    play(&k, TARGETED, &gone, 1);
    tap_ok(kit_error(&k).code == IL_OK, "a lease that is not active any more counts as released");
    kit_close(&k);
}

static void losses(void)
{
    struct kit k;
    const struct kit_bend lost = { .op = IL_OP_EXECUTE_ACTION, .nth = 1, .never = true };
    const struct kit_bend found[] = { lost, { .op = IL_OP_RECOVER, .to = "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\","
        "\"actionId\":\"$A\",\"actionDigest\":\"" KIT_ACTION_DIGEST "\",\"attempt\":1,\"status\":\"committed\"}" } };
    const struct kit_bend never_began[] = { lost, { .op = IL_OP_RECOVER, .to = "\"not_started\"" } };
    kit_open(&k);
    kit_bend(&k, found[0]);
    kit_bend(&k, found[1]);
    k.acts_when_lost = true;
    kit_start(&k, TARGETED);
    k.options.request_timeout_ms = 5000;
    kit_go(&k);
    tap_ok(k.run->effect == IL_EFFECT_UNKNOWN, "while nothing is known the effect is unknown");
    kit_advance(&k, 5000);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "a lost receipt is found");
    counts(&k, 1, 1, 1, "found");
    kit_close(&k);

    kit_open(&k);
    k.options.request_timeout_ms = 5000;
    kit_bend(&k, never_began[0]);
    kit_bend(&k, never_began[1]);
    kit_start(&k, TARGETED);
    kit_go(&k);
    kit_advance(&k, 5000);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "proved not started: sent once more");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 2, "two sends");
    counts(&k, 1, 1, 1, "sent again");
    kit_close(&k);

    kit_open(&k);
    k.options.request_timeout_ms = 5000;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_bend(&k, never_began[1]);
    kit_start(&k, TARGETED);
    kit_go(&k);
    kit_advance(&k, 5000);
    kit_advance(&k, 5000);
    kit_advance(&k, 5000);
    tap_str(il__str(kit_status(&k)), "indeterminate", "lost twice: never a third time");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 2, "two sends at most");
    kit_close(&k);

    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .fail = IL_RUNTIME, .reason = "execution_failed" });
    kit_bend(&k, never_began[1]);
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "failed", "an error answer and proved not started: failed");
    tap_ok(k.run->effect == IL_EFFECT_NONE, "with effect none");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 1, "not sent again");
    kit_close(&k);

    play(&k, TARGETED, &(struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .to = "garbage" }, 1);
    tap_str(il__str(kit_status(&k)), "indeterminate", "an answer that cannot be read ends indeterminate");
    struct il_summary s = { .size = sizeof s };
    il__run_summary(k.run, &s);
    tap_int(s.exit_status, 7, "which exits 7");
    tap_ok(!s.retry_safe, "and is not safe to retry");
    kit_close(&k);
}

static void forbidden(void)
{
    static const int orders[][8] = {
        { IL__VERB_EXECUTE, -1 },
        { IL__VERB_RESERVE, -1 },
        { IL__VERB_LEASE, -1 },
        { IL__VERB_VERIFY, -1 },
        { IL__VERB_APPROVAL, -1 },
        { IL__VERB_PREVIEW, IL__VERB_EXECUTE, -1 },
        { IL__VERB_PREVIEW, IL__VERB_PREVIEW, -1 },
        { IL__VERB_PREVIEW, IL__VERB_RESERVE, IL__VERB_RESERVE, -1 },
        { IL__VERB_PREVIEW, IL__VERB_RESERVE, IL__VERB_PREVIEW, -1 },
        { IL__VERB_PREVIEW, IL__VERB_LEASE, IL__VERB_LEASE, -1 },
        { IL__VERB_PREVIEW, IL__VERB_VERIFY, -1 },
        { IL__VERB_PREVIEW, -1 },
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct kit k;
        kit_open(&k);
        kit_workflow(&k, orders[i]);
        kit_start(&k, TARGETED);
        kit_go(&k);
        tap_int(k.effects, 0, "order %zu: no effect (%s)", i, kit_error(&k).message);
        tap_int(k.calls[IL_OP_RELEASE_TARGET], k.calls[IL_OP_RESERVE_TARGET], "order %zu: released", i);
        tap_ok(strcmp(kit_status(&k), "failed") == 0 || strcmp(kit_status(&k), "refused") == 0, "order %zu: %s", i,
               kit_status(&k));
        kit_close(&k);
    }
    static const int after[][10] = {
        { IL__VERB_PREVIEW, IL__VERB_LEASE, IL__VERB_EXECUTE, IL__VERB_EXECUTE, -1 },
        { IL__VERB_PREVIEW, IL__VERB_LEASE, IL__VERB_EXECUTE, IL__VERB_PREVIEW, -1 },
        { IL__VERB_PREVIEW, IL__VERB_LEASE, IL__VERB_EXECUTE, IL__VERB_DENY, -1 },
        { IL__VERB_PREVIEW, IL__VERB_LEASE, IL__VERB_EXECUTE, IL__VERB_VERIFY, IL__VERB_VERIFY, -1 },
        { IL__VERB_PREVIEW, IL__VERB_LEASE, IL__VERB_EXECUTE, -1 },
    };
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        struct kit k;
        kit_open(&k);
        kit_workflow(&k, after[i]);
        kit_start(&k, TARGETED);
        kit_go(&k);
        tap_int(k.effects, 1, "after the execute %zu: one effect", i);
        tap_str(il__str(kit_status(&k)), "committed_unverified", "after the execute %zu: the status stays", i);
        tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "after the execute %zu: released", i);
        tap_ok((kit_error(&k).code == IL_INVARIANT) == (i < 4), "after the execute %zu: the error tells", i);
        kit_close(&k);
    }
    struct kit k;
    kit_open(&k);
    static const int early[] = { IL__VERB_PREVIEW, IL__VERB_LEASE, -1 };
    kit_workflow(&k, early);
    kit_bend(&k, ASKS);
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_int(k.calls[IL_OP_ACQUIRE_LEASE], 0, "no lease before the approval");
    tap_ok(kit_error(&k).code == IL_INVARIANT, "it is an invariant");
    kit_close(&k);
}

static void late_things(void)
{
    struct kit k;
    kit_open(&k);
    k.options.request_timeout_ms = 2000;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_ACQUIRE_LEASE, .never = true });
    kit_start(&k, TARGETED);
    kit_go(&k);
    uint64_t token = 0;
    for (size_t i = 0; i < k.engine.op_cap; i++)
        if (k.engine.ops[i].token && k.engine.ops[i].op == IL_OP_ACQUIRE_LEASE) token = k.engine.ops[i].token;
    kit_advance(&k, 2000);
    tap_str(il__str(kit_status(&k)), "failed", "a lease that does not come ends the run");
    tap_ok(kit_error(&k).code == IL_TIMEOUT, "as a timeout");
    const struct il__answer_in answer_late = { token, IL_OK,
        IL_STR("{\"leaseId\":\"late-1\",\"sessionId\":\"s-1\",\"principalId\":\"p-1\"}"), IL_STR_NONE, IL_STR_NONE };
    tap_int(il__engine_complete(&k.engine, &answer_late, NULL), IL_OK, "the late lease is taken in");
    kit_go(&k);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "and released at once");
    tap_int(il__engine_complete(&k.engine, &answer_late, NULL), IL_CONFLICT, "a token completes once");
    kit_close(&k);

    kit_open(&k);
    k.options.request_timeout_ms = 2000;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_start(&k, TARGETED);
    kit_go(&k);
    for (size_t i = 0; i < k.engine.op_cap; i++)
        if (k.engine.ops[i].token && k.engine.ops[i].op == IL_OP_EXECUTE_ACTION) token = k.engine.ops[i].token;
    kit_advance(&k, 2000);
    tap_str(il__str(kit_status(&k)), "indeterminate", "an execute without answer");
    char json[512];
    snprintf(json, sizeof json, "{\"receiptId\":\"rec-9\",\"sessionId\":\"s-1\",\"actionId\":\"%s\",\"actionDigest\":\""
             KIT_ACTION_DIGEST "\",\"attempt\":1,\"status\":\"committed\"}", k.run->action_id);
    const struct il__answer_in receipt = { token, IL_OK, il__str(json), IL_STR_NONE, IL_STR_NONE };
    tap_int(il__engine_complete(&k.engine, &receipt, NULL), IL_OK, "a late receipt");
    kit_go(&k);
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "raises the effect");
    tap_str(il__str(kit_status(&k)), "indeterminate", "never the status");
    kit_close(&k);
}

static void lease_time(void)
{
    struct kit k;
    kit_open(&k);
    k.options.request_timeout_ms = 400000;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_ACQUIRE_LEASE, .never = true });
    kit_start(&k, TARGETED);
    kit_go(&k);
    uint64_t token = 0;
    for (size_t i = 0; i < k.engine.op_cap; i++)
        if (k.engine.ops[i].token && k.engine.ops[i].op == IL_OP_ACQUIRE_LEASE) token = k.engine.ops[i].token;
    k.boot_ms += 300000;
    char lease[512];
    snprintf(lease, sizeof lease, "{\"leaseId\":\"l\",\"revision\":1,\"sessionId\":\"s-1\",\"principalId\":\"p-1\","
             "\"kind\":\"cooperative\",\"executionMode\":\"background\",\"state\":\"active\","
             "\"expiresAt\":\"2026-11-30T18:09:00Z\",\"actionBudget\":1,\"actionsUsed\":0}");
    const struct il__answer_in late = { token, IL_OK, il__str(lease), IL_STR_NONE, IL_STR_NONE };
    (void)!il__engine_complete(&k.engine, &late, NULL);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "refused", "the envelope ran out while the lease was acquired");
    tap_str(il__str(kit_error(&k).field), "expires_at", "it names the field (%s)", kit_error(&k).message);
    counts(&k, 0, 1, 1, "ran out");
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "and the lease is released");
    kit_close(&k);
}

static void policies(void)
{
    struct kit k;
    for (int phase = 0; phase < 4; phase++) {
        if (phase == IL__PHASE_APPROVE) continue;
        kit_open(&k);
        k.says[phase] = IL__VERDICT_DENY;
        kit_workflow(&k, kit_reference);
        kit_start(&k, TARGETED);
        kit_go(&k);
        tap_int(k.effects, 0, "a deny in phase %s: no effect", il__phase_names[phase]);
        tap_int(k.calls[IL_OP_RELEASE_TARGET], k.calls[IL_OP_RESERVE_TARGET], "released (%s: %s)", kit_status(&k),
                kit_error(&k).message);
        kit_close(&k);
        kit_open(&k);
        k.policy_fails[phase] = true;
        kit_start(&k, TARGETED);
        kit_go(&k);
        tap_int(k.effects, 0, "a failing policy in phase %s: no effect", il__phase_names[phase]);
        kit_close(&k);
    }
    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "an ask waits");
    struct il_error err = IL_ERROR_INIT;
    struct il_decision d = IL_DECISION_INIT;
    d.request_id = IL_STR("req-00000000000000000000000000000000");
    d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    d.decision = IL_STR("approve");
    tap_int(il__run_decide(k.run, &d, &err), IL_APPROVAL_MISMATCH, "a decision for another request is refused");
    tap_ok(strstr(err.message, k.run->wait.request_id) == NULL, "and says nothing about the right one");
    d.request_id = il__str(k.run->wait.request_id);
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "a decision is taken");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and the run goes on");
    tap_ok(strstr(k.last_execute, "\"grantId\":null") != NULL, "a host need alone: no grant id reaches execute");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    k.approvers = 2;
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_int(k.effects, 0, "two approvers on a host that knows none: denied");
    tap_ok(strcmp(kit_status(&k), "waiting") != 0, "it does not wait for what cannot come");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PROPOSE] = IL__VERDICT_ASK;
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "an ask in propose waits");
    tap_int(k.calls[IL_OP_PREVIEW_ACTION], 0, "before the preview");
    d.request_id = il__str(k.run->wait.request_id);
    d.action_digest = d.policy_digest = IL_STR_NONE;
    d.proposal_digest = IL_STR("00");
    tap_int(il__run_decide(k.run, &d, &err), IL_APPROVAL_MISMATCH, "another proposal digest is refused");
    d.proposal_digest = il__str(k.run->proposal_digest);
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "the right one is taken (%s)", err.message);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "and the run goes through preview to its end");
    kit_close(&k);

    d.proposal_digest = IL_STR_NONE;
    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_DENY;
    k.level = IL__LEVEL_SOFT;
    kit_start(&k, TARGETED);
    kit_go(&k);
    d.request_id = il__str(k.run->wait.request_id);
    d.action_digest = IL_STR(KIT_ACTION_DIGEST);
    d.policy_digest = IL_STR(KIT_POLICY_DIGEST);
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "a soft deny asks for an override");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "waiting", "an override without a reason does not count");
    d.reason = IL_STR("I looked at it");
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "with a reason");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "it does");
    kit_close(&k);

    kit_open(&k);
    k.says[IL__PHASE_PREVIEW] = IL__VERDICT_ASK;
    kit_start(&k, TARGETED);
    kit_go(&k);
    d.request_id = il__str(k.run->wait.request_id);
    d.decision = IL_STR("deny");
    tap_int(il__run_decide(k.run, &d, &err), IL_OK, "a deny");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "denied", "ends the run denied");
    kit_close(&k);
}

static void stops(void)
{
    struct kit k;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_int(il__engine_stop(&k.engine, IL_OP_PAUSE_SESSION, IL_STR("s-1"), IL_STR("why"), NULL, NULL, NULL), IL_OK,
            "a pause overtakes a running execute");
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 1, "and reaches the runtime at once");
    kit_close(&k);

    kit_open(&k);
    kit_bend(&k, ASKS);
    kit_start(&k, TARGETED);
    kit_go(&k);
    (void)!il__engine_stop(&k.engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("why"), NULL, NULL, NULL);
    answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "an approval after the stop");
    tap_str(il__str(kit_status(&k)), "cancelled", "acquires and executes nothing");
    tap_int(k.calls[IL_OP_ACQUIRE_LEASE], 0, "no lease");
    kit_close(&k);

    kit_open(&k);
    kit_bend(&k, ASKS);
    kit_start(&k, TARGETED);
    kit_go(&k);
    tap_int(il__run_cancel(k.run, IL_STR("never mind"), NULL), IL_OK, "a waiting run is cancelled");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "cancelled", "it ends cancelled");
    kit_close(&k);
}

static void journal(void)
{
    struct kit k;
    play(&k, TARGETED, NULL, 0);
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__journal_verify(&k.run->journal, true, &err), IL_OK, "the chain holds");
    tap_ok(k.run->journal.count > 10, "a run leaves records (%zu)", k.run->journal.count);
    bool canonical = true;
    for (size_t i = 0; i < k.run->journal.count; i++) {
        char hex[IL__SHA256_HEX], own[IL__SHA256_HEX];
        if (il__canon_digest(k.engine.digest, &k.mem, k.run->journal.records[i].text, hex, &err)) canonical = false;
        il__sha256_hex(k.engine.digest, k.run->journal.records[i].text, own);
        if (strcmp(hex, own) != 0) {
            canonical = false;
            tap_note("%.*s", IL_STR_FMT(k.run->journal.records[i].text));
        }
    }
    tap_ok(canonical, "every record is its own canonical text");
    ((char *)(uintptr_t)k.run->journal.records[3].text.ptr)[10] ^= 1;
    tap_int(il__journal_verify(&k.run->journal, true, &err), IL_STORE, "an edited record is seen");
    ((char *)(uintptr_t)k.run->journal.records[3].text.ptr)[10] ^= 1;
    kit_close(&k);
}

static void shadow(void)
{
    struct kit k;
    play(&k, "{\"tool\":\"write_clipboard\",\"mode\":\"shadow\",\"arguments\":{\"Text\":\"x\"}}", NULL, 0);
    tap_str(il__str(kit_status(&k)), "previewed", "a shadow run ends after its preview");
    counts(&k, 0, 0, 0, "shadow");
    kit_close(&k);
    kit_open(&k);
    tap_ok(kit_start(&k, "{\"tool\":\"write_clipboard\",\"session\":\"other\"}") == NULL, "a proposal that names a session");
    tap_ok(kit_start(&k, "{\"tool\":\"t\",\"mode\":\"foreground\",\"arguments\":{\"X\":1}}") != NULL, "a foreground run");
    kit_close(&k);
}

int main(void)
{
    allowed();
    verified();
    approvals();
    refusals();
    double_failure();
    losses();
    forbidden();
    late_things();
    lease_time();
    policies();
    stops();
    journal();
    shadow();
    return tap_done();
}
