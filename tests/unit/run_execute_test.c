/* The one door to mutation (SPEC I2): what was accepted is spoiled just before the execute, one thing at a time, and
 * each check of the door sees it. Nothing here can happen through the API: it is what the door is for. */
#include "kit.h"
#include "tap.h"

#include <string.h>

static char *at_text(struct il_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part));
}

static void spoil_envelope(struct kit *k) /* a member that no struct holds: only the canonical text knows it */
{
    char *at = at_text(k->run->preview_doc.text, "\"extra\":\"a\"");
    if (at) at[9] = 'b';
}

static void spoil_echo(struct kit *k)
{
    ((struct il__envelope *)(uintptr_t)k->run->preview.envelope)->tool = IL_STR("key");
}

static void spoil_entries(struct kit *k)
{
    k->run->entries = 2;
}

static void spoil_lease(struct kit *k)
{
    k->run->lease.actions_used = 1;
}

static void spoil_reservation(struct kit *k)
{
    k->run->reservation.intent_id = IL_STR("another");
}

static void spoil_answer(struct kit *k)
{
    k->run->answer.action_digest = IL_STR("another");
}

static void spoil_grant(struct kit *k)
{
    k->run->grant_id = IL_STR("another");
}

static void spoil_scopes(struct kit *k)
{
    k->run->identity.scopes.count = 0;
}

static void spoil_proposal(struct kit *k)
{
    char *at = at_text(k->run->proposal_doc.text, "\"hi\"");
    if (at) at[1] = 'H';
}

static void spoil_journal(struct kit *k)
{
    ((char *)(uintptr_t)k->run->journal.records[2].text.ptr)[10] ^= 1;
}

static void stop_session(struct kit *k)
{
    (void)!il__engine_stop(&k->engine, IL_OP_STOP_SESSION, IL_STR("s-1"), IL_STR("why"), NULL, NULL, NULL);
}

static void stop_all(struct kit *k)
{
    (void)!il__engine_stop(&k->engine, IL_OP_EMERGENCY_STOP, IL_STR_NONE, IL_STR("why"), NULL, NULL, NULL);
}

static void vote_no(struct kit *k)
{
    k->run->votes[k->run->vote_count++] =
        (struct il__vote){ .approver = IL_STR("local operator"), .local = true, .decision = IL__DECISION_DENY };
}

static void spoil_nothing(struct kit *k)
{
    (void)k;
}

static const struct {
    const char *what;
    void (*spoil)(struct kit *k);
    const char *object, *field, *status;
    int effects;
} ROWS[] = {
    { "nothing", spoil_nothing, "", "", "committed_unverified", 1 },
    { "a member of the envelope that nobody knows", spoil_envelope, "action envelope", "envelope", "refused", 0 },
    { "the envelope's tool", spoil_echo, "action envelope", "tool", "refused", 0 },
    { "a second entry of the channel", spoil_entries, "preview channel", "entries", "refused", 0 },
    { "the lease's budget", spoil_lease, "control lease", "action_budget", "refused", 0 },
    { "the reservation's intent", spoil_reservation, "target reservation", "intent_id", "refused", 0 },
    { "the answer's digest", spoil_answer, "approval", "action_digest", "refused", 0 },
    { "the grant", spoil_grant, "approval", "grant_id", "refused", 0 },
    { "the scopes", spoil_scopes, "identity", "scope", "refused", 0 },
    { "the arguments about to be sent", spoil_proposal, "action envelope", "proposal_digest", "refused", 0 },
    { "a record of the journal", spoil_journal, "journal", "hash", "failed", 0 },
    { "a stop of the session", stop_session, "stop latch", "session", "cancelled", 0 },
    { "an emergency stop", stop_all, "stop latch", "emergency", "cancelled", 0 },
    { "a deny that nobody read", vote_no, "approval", "decision", "refused", 0 },
};

static void play(size_t i)
{
    struct kit k;
    struct il_error err = IL_ERROR_INIT;
    kit_open(&k);
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_PREVIEW_ACTION, .from = "\"executable\":true",
                                    .to = "\"executable\":false,\"blocker\":\"approval_required\"" });
    kit_bend(&k, (struct kit_bend){ .op = IL_OP_RECOVER, .to = "null" });
    k.extra_member = ",\"extra\":\"a\"";
    k.before_execute = ROWS[i].spoil;
    kit_start(&k, kit_targeted);
    kit_go(&k);
    kit_answer(&k, ",\"grantId\":\"g-1\"", KIT_ACTION_DIGEST, KIT_POLICY_DIGEST, IL_OK, "the approval");
    tap_int(k.effects, ROWS[i].effects, "spoiled: %s (%s)", ROWS[i].what, kit_error(&k).message);
    tap_str(il__str(kit_status(&k)), ROWS[i].status, "spoiled: %s: the status", ROWS[i].what);
    tap_str(il__str(kit_error(&k).object), ROWS[i].object, "spoiled: %s: the object", ROWS[i].what);
    tap_str(il__str(kit_error(&k).field), ROWS[i].field, "spoiled: %s: the field", ROWS[i].what);
    tap_int(k.calls[IL_OP_RELEASE_LEASE], 1, "spoiled: %s: the lease is released", ROWS[i].what);
    tap_int(k.calls[IL_OP_RELEASE_TARGET], 1, "spoiled: %s: the reservation is released", ROWS[i].what);
    kit_close(&k);
    (void)err;
}

/* A permit is spent once, however often an adapter tries. */
static enum il_code yes(void *ctx, struct il_error *err)
{
    (void)err;
    ++*(int *)ctx;
    return IL_OK;
}

static void permit_once(void)
{
    int asked = 0;
    struct il_error err = IL_ERROR_INIT;
    struct il__permit permit = { yes, &asked, false };
    tap_int(il__permit_spend(&permit, &err), IL_OK, "a permit is spent");
    tap_int(il__permit_spend(&permit, &err), IL_INVARIANT, "once");
    tap_int(asked, 1, "after it was asked whether it still holds");
}

int main(void)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) play(i);
    permit_once();
    return tap_done();
}
