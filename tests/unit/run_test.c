/* The engine by itself: the order of a run, its refusals and its ends (SPEC §3, §4, I1 to I13). */
#include "kit.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static const struct kit_bend NO_RESERVATION = { .op = IL_OP_RESERVE_TARGET, .to = "null" };
static void allowed(void)
{
    struct kit k;
    kit_play(&k, kit_targeted, NULL, 0);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "an allowed run without postcondition is not verified");
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "its effect is committed");
    kit_counts(&k, 1, 1, 1, "allowed");
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
    kit_play(&k, kit_postcondition, &NO_RESERVATION, 1);
    tap_str(il__str(kit_status(&k)), "completed", "a postcondition that was observed to hold completes");
    kit_close(&k);
    const struct kit_bend says_no[] = { NO_RESERVATION, { .op = IL_OP_VERIFY, .to = "{\"satisfied\":false}" } };
    kit_play(&k, kit_postcondition, says_no, 2);
    tap_str(il__str(kit_status(&k)), "verification_failed", "one that was seen not to hold fails");
    tap_ok(k.run->effect == IL_EFFECT_COMMITTED, "and the effect stays committed");
    kit_close(&k);
    const struct kit_bend broken[] = { NO_RESERVATION, { .op = IL_OP_VERIFY, .fail = IL_RUNTIME } };
    kit_play(&k, kit_postcondition, broken, 2);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "a verification that fails leaves the receipt's evidence");
    tap_ok(kit_error(&k).code == IL_RUNTIME, "and its error stands");
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "and the lease is released");
    kit_close(&k);
}

struct refusal {
    const char *what;
    struct kit_bend bend;
    const char *object, *field, *status;
    int effects, reserved, released;
};

static const struct refusal REFUSALS[] = {
    { "a preview for another session",
      { .op = IL_OP_PREVIEW_ACTION, .from = "\"sessionId\":\"s-1\"", .to = "\"sessionId\":\"s-2\"" },
      "action envelope",
      "session_id",
      "refused",
      0,
      0,
      0 },
    { "an expired preview",
      { .op = IL_OP_PREVIEW_ACTION, .from = "18:05:00.000Z", .to = "18:00:00.001Z" },
      "action envelope",
      "expires_at",
      "refused",
      0,
      0,
      0 },
    { "another tool in the echo",
      { .op = IL_OP_PREVIEW_ACTION, .from = "\"tool\":\"write_clipboard\"", .to = "\"tool\":\"key\"" },
      "action envelope",
      "tool",
      "refused",
      0,
      0,
      0 },
    { "a preview that cannot be read",
      { .op = IL_OP_PREVIEW_ACTION, .to = "{\"envelope\":1}" },
      "action envelope",
      NULL,
      "failed",
      0,
      0,
      0 },
    { "a reservation for another intent",
      { .op = IL_OP_RESERVE_TARGET, .from = "\"intentId\":\"", .to = "\"intentId\":\"x" },
      "target reservation",
      "intent_id",
      "refused",
      0,
      1,
      1 },
    { "a reservation that cannot be read",
      { .op = IL_OP_RESERVE_TARGET, .to = "{\"reservationId\":\"res-1\"}" },
      "target reservation",
      NULL,
      "failed",
      0,
      1,
      1 },
    { "a lease for another session",
      { .op = IL_OP_ACQUIRE_LEASE, .from = "\"sessionId\":\"s-1\"", .to = "\"sessionId\":\"s-2\"" },
      "control lease",
      "session_id",
      "refused",
      0,
      1,
      1 },
    { "a spent lease",
      { .op = IL_OP_ACQUIRE_LEASE, .from = "\"actionsUsed\":0", .to = "\"actionsUsed\":1" },
      "control lease",
      "action_budget",
      "refused",
      0,
      1,
      1 },
    { "a lease that fails",
      { .op = IL_OP_ACQUIRE_LEASE, .fail = IL_RUNTIME, .reason = "lease_conflict" },
      "runtime",
      "acquire_lease",
      "failed",
      0,
      1,
      1 },
    { "a receipt with another digest",
      { .op = IL_OP_EXECUTE_ACTION, .from = "0123456789abcdef", .to = "1123456789abcdef" },
      "execution receipt",
      "action_digest",
      "indeterminate",
      1,
      1,
      1 },
};

static void refusals(void)
{
    for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; i++) {
        struct kit k;
        const struct refusal *r = &REFUSALS[i];
        kit_play(&k, kit_targeted, &r->bend, 1);
        tap_str(il__str(kit_status(&k)), r->status, "%s: %s", r->what, r->status);
        tap_str(il__str(kit_error(&k).object), r->object, "%s: names the object (%s)", r->what, kit_error(&k).message);
        if (r->field) tap_str(il__str(kit_error(&k).field), r->field, "%s: names the field", r->what);
        const char *step = r->bend.op == IL_OP_PREVIEW_ACTION   ? "preview"
                           : r->bend.op == IL_OP_RESERVE_TARGET ? "reserve"
                           : r->bend.op == IL_OP_ACQUIRE_LEASE  ? "acquire_lease"
                                                                : "execute";
        tap_str(il__str(kit_error(&k).step), step, "%s: is refused where it comes in", r->what);
        kit_counts(&k, r->effects, r->reserved, r->released, r->what);
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
    kit_play(&k, kit_targeted, bends, 2);
    tap_ok(strstr(kit_error(&k).message, "lease_conflict") != NULL, "the first failure stays first");
    tap_ok(strstr(kit_error(&k).cleanup_message, "broken") != NULL, "and carries the release failure");
    il__run_summary(k.run, &s);
    tap_int(s.exit_status, 8, "a release failure exits 8");
    kit_close(&k);
    kit_play(&k, kit_targeted, bends + 1, 1);
    il__run_summary(k.run, &s);
    tap_str(il__str(s.status), "committed_unverified", "after a good end the outcome stays readable");
    tap_ok(kit_error(&k).code == IL_RUNTIME && kit_error(&k).cleanup_code == IL_OK,
           "and the release failure is the error");
    tap_int(s.exit_status, 8, "it exits 8");
    kit_close(&k);
    const struct kit_bend gone = { .op = IL_OP_RELEASE_LEASE, .fail = IL_RUNTIME, .reason = "lease_not_active" };
    kit_play(&k, kit_targeted, &gone, 1);
    tap_ok(kit_error(&k).code == IL_OK, "a lease that is not active any more counts as released");
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
        kit_start(&k, kit_targeted);
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
        kit_start(&k, kit_targeted);
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
    kit_bend(&k, kit_asks);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(k.calls[IL_OP_ACQUIRE_LEASE], 0, "no lease before the approval");
    tap_ok(kit_error(&k).code == IL_INVARIANT, "it is an invariant");
    kit_close(&k);
}

static void stops(void)
{
    struct kit k;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(il__engine_stop(&k.engine, IL_OP_PAUSE_SESSION, IL_STR("s-1"), IL_STR("why"), NULL, NULL, NULL), IL_OK,
            "a pause overtakes a running execute");
    tap_int(k.calls[IL_OP_PAUSE_SESSION], 1, "and reaches the runtime at once");
    kit_close(&k);

    kit_open(&k);
    kit_bend(&k, kit_asks);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    (void)!il__engine_stop(&k.engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("why"), NULL, NULL, NULL);
    kit_answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "an approval after the stop");
    tap_str(il__str(kit_status(&k)), "cancelled", "acquires and executes nothing");
    tap_int(k.calls[IL_OP_ACQUIRE_LEASE], 0, "no lease");
    kit_close(&k);

    kit_open(&k);
    kit_bend(&k, kit_asks);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_int(il__run_cancel(k.run, IL_STR("never mind"), NULL), IL_OK, "a waiting run is cancelled");
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "cancelled", "it ends cancelled");
    kit_close(&k);
}

static void heard(void *ctx, const struct il_error *err)
{
    *(enum il_code *)ctx = err->code;
}

static void freed_in_flight(void)
{
    struct kit k;
    enum il_code code = IL_OK;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_PAUSE_SESSION, .never = true });
    (void)!il__engine_stop(&k.engine, IL_OP_PAUSE_SESSION, IL_STR("s-1"), IL_STR("why"), heard, &code, NULL);
    kit_close(&k);
    tap_int(code, IL_CANCELLED, "a stop that is in flight when its host is freed hears its end");
}

static void every_request_has_its_intent(void)
{
    struct kit k;
    int intents = 0, requests = 0;
    kit_play(&k, kit_targeted, NULL, 0);
    for (size_t i = 0; i < k.run->journal.count; i++) {
        struct il_str text = k.run->journal.records[i].text;
        intents += memmem(text.ptr, text.len, "\"kind\":\"intent\"", 15) != NULL;
        intents += memmem(text.ptr, text.len, "\"kind\":\"execute\"", 16) != NULL;
    }
    for (int op = 0; op < IL_OP_COUNT; op++) requests += k.calls[op];
    tap_int(intents, requests, "each request of a run stands in the journal before it goes out");
    kit_close(&k);
}

static void journal(void)
{
    struct kit k;
    kit_play(&k, kit_targeted, NULL, 0);
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
    kit_play(&k, "{\"tool\":\"write_clipboard\",\"mode\":\"shadow\",\"arguments\":{\"Text\":\"x\"}}", NULL, 0);
    tap_str(il__str(kit_status(&k)), "previewed", "a shadow run ends after its preview");
    kit_counts(&k, 0, 0, 0, "shadow");
    kit_close(&k);
    kit_open(&k);
    tap_ok(kit_start(&k, "{\"tool\":\"write_clipboard\",\"session\":\"other\"}") == NULL,
           "a proposal that names a session");
    tap_ok(kit_start(&k, "{\"tool\":\"t\",\"mode\":\"foreground\",\"arguments\":{\"X\":1}}") != NULL,
           "a foreground run");
    kit_close(&k);
}

int main(void)
{
    allowed();
    verified();
    refusals();
    double_failure();
    forbidden();
    stops();
    journal();
    freed_in_flight();
    every_request_has_its_intent();
    shadow();
    return tap_done();
}
