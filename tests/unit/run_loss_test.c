/* What is lost, late or out of time (SPEC §4 I2 to I6, §7, §10). */
#include "kit.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static void losses(void)
{
    struct kit k;
    const struct kit_bend lost = { .op = IL_OP_EXECUTE_ACTION, .nth = 1, .never = true };
    const struct kit_bend found[] = { lost,
                                      { .op = IL_OP_RECOVER,
                                        .to = "{\"receiptId\":\"rec-1\",\"sessionId\":\"s-1\","
                                              "\"actionId\":\"$A\",\"actionDigest\":\"" KIT_ACTION_DIGEST
                                              "\",\"attempt\":1,\"status\":\"committed\"}" } };
    const struct kit_bend never_began[] = { lost, { .op = IL_OP_RECOVER, .to = "\"not_started\"" } };
    kit_open(&k);
    kit_bend(&k, found[0]);
    kit_bend(&k, found[1]);
    k.acts_when_lost = true;
    kit_start(&k, kit_targeted);
    k.options.request_timeout_ms = 5000;
    kit_go(&k);
    tap_ok(k.run->effect == IL_EFFECT_UNKNOWN, "while nothing is known the effect is unknown");
    kit_advance(&k, 5000);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "a lost receipt is found");
    kit_counts(&k, 1, 1, 1, "found");
    kit_close(&k);

    kit_open(&k);
    k.options.request_timeout_ms = 5000;
    kit_bend(&k, never_began[0]);
    kit_bend(&k, never_began[1]);
    kit_start(&k, kit_targeted);
    kit_go(&k);
    kit_advance(&k, 5000);
    tap_str(il__str(kit_status(&k)), "committed_unverified", "proved not started: sent once more");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 2, "two sends");
    kit_counts(&k, 1, 1, 1, "sent again");
    kit_close(&k);

    kit_open(&k);
    k.options.request_timeout_ms = 5000;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .never = true });
    kit_bend(&k, never_began[1]);
    kit_start(&k, kit_targeted);
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
    kit_start(&k, kit_targeted);
    kit_go(&k);
    tap_str(il__str(kit_status(&k)), "failed", "an error answer and proved not started: failed");
    tap_ok(k.run->effect == IL_EFFECT_NONE, "with effect none");
    tap_int(k.calls[IL_OP_EXECUTE_ACTION], 1, "not sent again");
    kit_close(&k);

    kit_play(&k, kit_targeted, &(struct kit_bend){ .op = IL_OP_EXECUTE_ACTION, .to = "garbage" }, 1);
    tap_str(il__str(kit_status(&k)), "indeterminate", "an answer that cannot be read ends indeterminate");
    struct il_summary s = { .size = sizeof s };
    il__run_summary(k.run, &s);
    tap_int(s.exit_status, 7, "which exits 7");
    tap_ok(!s.retry_safe, "and is not safe to retry");
    kit_close(&k);
}

static void late_things(void)
{
    struct kit k;
    kit_open(&k);
    k.options.request_timeout_ms = 2000;
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_ACQUIRE_LEASE, .never = true });
    kit_start(&k, kit_targeted);
    kit_go(&k);
    uint64_t token = kit_token(&k, IL_OP_ACQUIRE_LEASE);
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
    kit_start(&k, kit_targeted);
    kit_go(&k);
    token = kit_token(&k, IL_OP_EXECUTE_ACTION);
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
    kit_start(&k, kit_targeted);
    kit_go(&k);
    uint64_t token = kit_token(&k, IL_OP_ACQUIRE_LEASE);
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
    kit_counts(&k, 0, 1, 1, "ran out");
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "and the lease is released");
    kit_close(&k);
}

/* Time that passes between the checks and the send is looked at once more, just before the send (I2). */
static void time_in_between(void)
{
    static const struct {
        const char *what, *object, *field, *identity;
        struct kit_bend bend;
        int64_t takes_ms;
    } rows[] = {
        { "the envelope", "action envelope", "expires_at", NULL,
          { .op = IL_OP_PREVIEW_ACTION, .from = "18:05:00.000Z", .to = "18:00:10.000Z" }, 10000 },
        { "the lease", "control lease", "expires_at", NULL,
          { .op = IL_OP_ACQUIRE_LEASE, .from = "18:00:30Z", .to = "18:00:10Z" }, 10000 },
        { "the reservation", "target reservation", "expires_at", NULL,
          { .op = IL_OP_RESERVE_TARGET, .from = "18:00:30Z", .to = "18:00:10Z" }, 10000 },
        { "the identity", "identity", "expires_at", "2026-11-30T18:00:10Z",
          { .op = IL_OP_RECOVER, .to = "null" }, 10000 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int late = 0; late < 2; late++) {
            struct kit k;
            kit_open(&k);
            kit_bend(&k, rows[i].bend);
            k.execute_takes_ms = rows[i].takes_ms - (late ? 0 : 2);
            k.identity_expires_at = rows[i].identity;
            kit_start(&k, kit_targeted);
            kit_go(&k);
            tap_int(k.effects, late ? 0 : 1, "%s expires %s the last look (%s)", rows[i].what,
                    late ? "before" : "after", kit_error(&k).message);
            if (late) {
                tap_str(il__str(kit_error(&k).object), rows[i].object, "%s: the object", rows[i].what);
                tap_str(il__str(kit_error(&k).field), rows[i].field, "%s: the field", rows[i].what);
                tap_ok(k.run->effect == IL_EFFECT_NONE, "%s: nothing was sent", rows[i].what);
            }
            tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "%s: released", rows[i].what);
            kit_close(&k);
        }
}

int main(void)
{
    losses();
    late_things();
    lease_time();
    time_in_between();
    return tap_done();
}
