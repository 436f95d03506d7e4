/* What an adapter that queues, or that reads a server's events, tells the core (SPEC §4 I2, §7). */
#include "kit.h"
#include "tap.h"

#include <string.h>

static void unsent(enum il_code code, const char *status)
{
    struct kit k;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .fail = code, .unsent = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), status, "a send that never left ends %s", status);
    tap_ok(k.run->effect == IL_EFFECT_NONE && k.run->sends == 0, "%s: effect none, as if not sent", status);
    tap_int(k.calls[IL_OP_RECOVER], 0, "%s: there is nothing to recover", status);
    tap_int((long long)kit_error(&k).code, (long long)code, "%s: its own code", status);
    kit_counts(&k, 0, 1, 1, status);
    kit_close(&k);
}

#define EVENT(verified, method)                                                                                        \
    "{\"events\":[{\"schemaVersion\":1,\"eventId\":\"e\",\"sequence\":3,\"sessionId\":\"s-1\",\"actionId\":\"$A\","    \
    "\"type\":\"action.verified\",\"at\":\"2026-11-30T18:00:00Z\",\"payload\":{\"verified\":" verified                 \
    ",\"method\":\"" method                                                                                            \
    "\",\"checks\":1,\"postconditionKind\":\"window\",\"postconditionExpectedState\":\"exists\"}}]}"

static void event(const char *evidence, bool believe, const char *status, const char *detail, const char *what)
{
    struct kit k;
    struct il_str document;
    kit_open(&k);
    k.options.accept_server_verification = believe;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RESERVE_TARGET, .to = "null" });
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_VERIFY, .to = evidence });
    kit_start(&k, kit_postcondition);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), status, "%s: %s", what, status);
    tap_ok(!il__run_document(k.run, &document, NULL) && strstr(document.ptr, detail), "%s: %s", what, detail);
    kit_close(&k);
}

static void events(void)
{
    event(EVENT("true", "postcondition.window"), false, "committed_unverified", "says verified: true",
          "a positive event is quoted, not believed");
    event(EVENT("true", "postcondition.window"), true, "completed", "\"evidence\":\"server_event\"",
          "unless the host says so");
    event(EVENT("true", "fresh_window_identity"), true, "committed_unverified", "fresh_window_identity",
          "another method proves nothing");
    event(EVENT("false", "postcondition.window"), false, "verification_failed", "says verified: false",
          "a negative event contradicts");
    event("{\"events\":[{\"type\":\"action.verified\"}]}", true, "committed_unverified", "does not say",
          "an event that cannot be read is none");
    event("{\"events\":7}", true, "committed_unverified", "does not say", "nor is anything else");
}

/* ---- a permit that is still queued ---- */

static void holds(struct kit *k, size_t nth, bool want, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = k->queued_count > nth ? il__permit_holds(&k->queued[nth], &err) : IL_INVARIANT;
    tap_int((long long)code, want ? IL_OK : IL_CONFLICT, "permit %d %s: %s", (int)nth + 1, want ? "holds" : "is over",
            what);
    if (want) return;
    tap_str(il__str(err.field), "send", "for the send is not waited for: %s", what);
    tap_int((long long)il__permit_spend(&k->queued[nth], NULL), IL_CONFLICT, "and cannot be spent: %s", what);
}

/* One execute that an adapter keeps queued until its time is over, and what recover then says. */
static void queued(struct kit *k, struct kit_bend recover)
{
    recover.op = IL_OP_RECOVER;
    kit_open(k);
    k->options.request_timeout_ms = 5000; /* shorter than lease and reservation last */
    k->queues = true;
    kit_bend(k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_bend(k, recover);
    kit_start(k, kit_targeted);
    kit_go(k);
    holds(k, 0, true, "while its answer is waited for");
    kit_advance(k, k->options.request_timeout_ms);
}

#define RECEIPT                                                                                                       \
    "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\",\"actionId\":\"$A\",\"actionDigest\":\"" KIT_ACTION_DIGEST         \
    "\",\"attempt\":1,\"status\":\"committed\",\"result\":{\"ok\":true}}"

static void queued_permits(void)
{
    struct kit k;
    queued(&k, (struct kit_bend){ .never = true });
    tap_ok(k.run->recovered && !(k.run->done & IL__DID_RECEIPT), "recovery is under way");
    holds(&k, 0, false, "in recovery");
    kit_close(&k);
    queued(&k, (struct kit_bend){ .to = RECEIPT });
    tap_ok(k.run->done & IL__DID_RECEIPT, "recovery finds the receipt");
    holds(&k, 0, false, "with a receipt");
    kit_close(&k);
    queued(&k, (struct kit_bend){ .to = "\"unknown\"" });
    tap_str(il__str(kit_status(&k)), "indeterminate", "recovery finds nothing");
    holds(&k, 0, false, "after the end");
    kit_close(&k);
    queued(&k, (struct kit_bend){ .to = "\"not_started\"" });
    tap_int((long long)k.run->sends, 2, "not_started: a second send");
    holds(&k, 0, false, "once there is a second send");
    holds(&k, 1, true, "of the second send");
    kit_close(&k);
}

/* The engine takes a receipt without a time-out: nothing but the receipt ends the permit then. */
static void answered_permit(void)
{
    struct kit k;
    kit_open(&k);
    k.queues = true;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RESERVE_TARGET, .to = "null" });
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_VERIFY, .never = true });
    kit_start(&k, kit_postcondition);
    kit_go(&k);
    tap_ok((k.run->done & IL__DID_RECEIPT) && !k.run->recovered && !k.run->end, "a receipt, and the run goes on");
    holds(&k, 0, false, "with a receipt of its own");
    kit_close(&k);
}

/* Without recovery nothing but the end does. */
static void ended_permit(void)
{
    struct kit k;
    kit_open(&k);
    k.queues = true;
    k.engine.runtime.offers &= ~(1u << IL_OP_RECOVER);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    kit_advance(&k, k.options.request_timeout_ms);
    tap_ok(k.run->end && !k.run->recovered, "a runtime without recover: the run is over");
    holds(&k, 0, false, "after the end without recovery");
    kit_close(&k);
}

int main(void)
{
    unsent(IL_TRANSPORT, "failed");
    unsent(IL_CANCELLED, "cancelled");
    unsent(IL_IDENTITY_MISMATCH, "refused");
    events();
    queued_permits();
    answered_permit();
    ended_permit();
    return tap_done();
}
