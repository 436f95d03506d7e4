/* Binding what the runtime returned to what was asked (SPEC §3). For each object a table of faults, one a check, in
 * the order of the checks: each alone is refused at its field; of several the first is named; without any all passes,
 * and the trace is the table. Then what each check still takes, and what it does not. */
#include "check_kit.h"
#include "tap.h"

#include <stdio.h>

typedef void change(struct kit *kit);

struct fault {
    const char *field;
    change *apply;
    const char *what;
};

typedef void run_checks(struct kit *kit);

static void run_table(const char *object, const char *trace, run_checks *run, const struct fault *faults, size_t count)
{
    struct kit kit;
    kit_init(&kit);
    run(&kit);
    kit_passed(&kit, object);
    tap_str(il__str(kit.trace), trace, "%s: the checks and their order", object);
    for (size_t i = 0; i < count; i++) {
        char what[160];
        kit_init(&kit);
        faults[i].apply(&kit);
        run(&kit);
        snprintf(what, sizeof what, "%s: %s", object, faults[i].what);
        kit_refused(&kit, object, faults[i].field, IL_IDENTITY_MISMATCH, what);
        kit_init(&kit);
        for (size_t j = count; j-- > i;) faults[j].apply(&kit);
        run(&kit);
        snprintf(what, sizeof what, "%s: %s, and all that comes after", object, faults[i].what);
        kit_refused(&kit, object, faults[i].field, IL_IDENTITY_MISMATCH, what);
    }
}

#define TABLE(object, trace, run, faults) run_table(object, trace, run, faults, sizeof(faults) / sizeof *(faults))
#define FAULT(name, statement) static void name(struct kit *k) { statement; }
#define PASSES(run, what, statement)          \
    do {                                      \
        struct kit kit_, *k = &kit_;          \
        kit_init(k);                          \
        statement;                            \
        run(k);                               \
        kit_passed(k, what);                  \
    } while (0)
#define REFUSED(run, object, field, what, statement)                   \
    do {                                                               \
        struct kit kit_, *k = &kit_;                                   \
        kit_init(k);                                                   \
        statement;                                                     \
        run(k);                                                        \
        kit_refused(k, object, field, IL_IDENTITY_MISMATCH, what);     \
    } while (0)

/* ---- the envelope by itself -------------------------------------------------------------------------------------- */

static void run_envelope(struct kit *k) { il__check_envelope(&k->ck, &k->env, k->own_digest, k->now); }

FAULT(proposed_unreadable, k->env.proposed_at = S("yesterday"))
FAULT(expires_unreadable, k->env.expires_at = S("2026-11-30 18:01:00Z"))
FAULT(expires_at_proposal, k->env.proposed_at = S("2026-11-30T18:01:00Z"))
FAULT(expires_now, k->now.sec += 30)
FAULT(digest_empty, k->env.args_digest = S(""); k->own_digest = IL_STR_NONE)
FAULT(digest_other, k->own_digest = S("digest-2"))

static void envelope(void)
{
    static const struct fault faults[] = {
        { "proposed_at", proposed_unreadable, "proposed_at is no time" },
        { "expires_at", expires_unreadable, "expires_at is no time" },
        { "expires_at", expires_at_proposal, "it expires when it was proposed" },
        { "expires_at", expires_now, "it expires now" },
        { "args_digest", digest_empty, "args_digest is empty" },
        { "args_digest", digest_other, "args_digest is not our own computation" },
    };
    const char *object = "action envelope";
    TABLE(object, "proposed_at expires_at expires_at expires_at args_digest args_digest ", run_envelope, faults);
    PASSES(run_envelope, "no digest of our own: the runtime's stands", k->own_digest = IL_STR_NONE);
    REFUSED(run_envelope, object, "args_digest", "a digest that only begins like ours", k->own_digest = S("digest-"));
    REFUSED(run_envelope, object, "expires_at", "expired long ago", k->now.sec += 3600);
    REFUSED(run_envelope, object, "expires_at", "expires before it was proposed",
            k->env.expires_at = S("2026-11-30T17:00:00Z"); k->now.sec -= 86400);
    PASSES(run_envelope, "expires a nanosecond from now", k->now.sec += 29; k->now.nsec = 999999999);
    PASSES(run_envelope, "proposed in the future", k->env.proposed_at = S("2026-11-30T18:00:59Z"));
    REFUSED(run_envelope, object, "expires_at", "proposed in the future, where it expires",
            k->env.proposed_at = S("2099-01-01T00:00:00Z"));
}

/* ---- the envelope against what was proposed ---------------------------------------------------------------------- */

static void run_echo(struct kit *k) { il__check_echo(&k->ck, &k->env, &k->asked); }

FAULT(env_session, k->env.session_id = S("session-2"))
FAULT(env_principal, k->env.principal_id = S("operator-2"))
FAULT(env_agent, k->env.agent_id = S("agent-2"))
FAULT(env_group, k->env.execution_group_id = S("group-2"))
FAULT(env_action, k->env.action_id = S("action-2"))
FAULT(env_tool, k->env.tool = S("fill_form"))
FAULT(env_operation, k->env.operation = S("harmless_read"))
FAULT(env_mode, k->env.requested_mode = IL__MODE_BACKGROUND)
FAULT(env_target, k->target.window_id.token = 43)
FAULT(env_post, k->post.exists = false)
FAULT(env_prov, k->prov.untrusted_instruction = true)
FAULT(env_labels, k->env.data_labels.count = 0)

static void labels(void)
{
    const char *object = "action envelope", *field = "data_labels";
    static const struct il_str a[] = {
        LIT("private"), LIT("credential"), LIT("credential"), LIT("unknown"), LIT("public")
    };
    static const struct il_str mixed[] = { LIT("public"), LIT("private") }, same[] = { LIT("private"), LIT("public") };
    static const struct il_str twice[] = { LIT("private"), LIT("private") };
    static const struct il_str three[] = { LIT("public"), LIT("credential"), LIT("private") };
#define SENT(list, n) k->proposal.data_labels = (struct il__strs){ list, n }
#define BACK(list, n) k->env.data_labels = (struct il__strs){ list, n }
    PASSES(run_echo, "labels: credential is added", BACK(a, 2));
    REFUSED(run_echo, object, field, "labels: credential is added twice", BACK(a, 3));
    REFUSED(run_echo, object, field, "labels: another is added", BACK(same, 2));
    REFUSED(run_echo, object, field, "labels: one is gone", SENT(same, 2); BACK(same, 1));
    REFUSED(run_echo, object, field, "labels: credential instead of what was sent", BACK(&a[1], 1));
    REFUSED(run_echo, object, field, "labels: credential instead of one of two", SENT(same, 2); BACK(a, 2));
    PASSES(run_echo, "labels: another order", SENT(same, 2); BACK(mixed, 2));
    PASSES(run_echo, "labels: another order and credential", SENT(same, 2); BACK(three, 3));
    REFUSED(run_echo, object, field, "labels: one for the other", SENT(same, 2); BACK(twice, 2));
    REFUSED(run_echo, object, field, "labels: twice what was sent once", SENT(same, 1); BACK(twice, 2));
    REFUSED(run_echo, object, field, "labels: once what was sent twice", SENT(twice, 2); BACK(twice, 1));
    PASSES(run_echo, "labels: credential was sent and comes back", SENT(&a[1], 1); BACK(&a[1], 1));
    REFUSED(run_echo, object, field, "labels: credential was sent and is gone", SENT(a, 2); BACK(a, 1));
    PASSES(run_echo, "labels: none sent, unknown comes back", SENT(NULL, 0); BACK(&a[3], 1));
    REFUSED(run_echo, object, field, "labels: none sent, another comes back", SENT(NULL, 0); BACK(&a[4], 1));
    REFUSED(run_echo, object, field, "labels: none sent, none comes back", SENT(NULL, 0); BACK(a, 0));
    PASSES(run_echo, "labels: an empty list sent, an empty one comes back", SENT(a, 0); BACK(a, 0));
    PASSES(run_echo, "labels: an empty list sent, credential comes back", SENT(a, 0); BACK(&a[1], 1));
    REFUSED(run_echo, object, field, "labels: an empty list sent, unknown comes back", SENT(a, 0); BACK(&a[3], 1));
}

/* Lists past the size for any order: the same order passes, another does not. */
static void many_labels(void)
{
    static struct il_str sent[100], back[101];
    for (size_t i = 0; i < 100; i++) sent[i] = back[i] = i % 2 ? S("private") : S("public");
    back[100] = S("credential");
    PASSES(run_echo, "labels: a hundred in order, and credential", SENT(sent, 100); BACK(back, 101));
    back[0] = S("private"), back[1] = S("public");
    PASSES(run_echo, "labels: sixty-four in another order", SENT(sent, 64); BACK(back, 64));
    REFUSED(run_echo, "action envelope", "data_labels", "labels: sixty-five in another order", SENT(sent, 65);
            BACK(back, 65));
    REFUSED(run_echo, "action envelope", "data_labels", "labels: a hundred in another order", SENT(sent, 100);
            BACK(back, 101));
}

static void echo(void)
{
    static const struct fault faults[] = {
        { "session_id", env_session, "another session" },
        { "principal_id", env_principal, "another principal" },
        { "agent_id", env_agent, "another agent" },
        { "execution_group_id", env_group, "another group" },
        { "action_id", env_action, "another action" },
        { "tool", env_tool, "another tool" },
        { "operation", env_operation, "another operation" },
        { "requested_mode", env_mode, "another mode" },
        { "target", env_target, "another target" },
        { "postcondition", env_post, "another postcondition" },
        { "provenance", env_prov, "another provenance" },
        { "data_labels", env_labels, "a label is gone" },
    };
    const char *object = "action envelope";
    TABLE(object, "session_id principal_id agent_id execution_group_id action_id tool operation requested_mode target "
                  "postcondition provenance data_labels ", run_echo, faults);
    PASSES(run_echo, "an envelope without agent and group",
           k->env.agent_id = k->env.execution_group_id = IL_STR_NONE);
    PASSES(run_echo, "neither agent nor group was sent",
           k->asked.agent_id = k->asked.execution_group_id = IL_STR_NONE);
    REFUSED(run_echo, object, "target", "the target is gone", k->env.target = NULL);
    REFUSED(run_echo, object, "target", "a target appears", k->proposal.target = NULL);
    REFUSED(run_echo, object, "target", "42 comes back as \"42\"",
            k->target.window_id = ((struct il__window_id){ IL__WINDOW_TEXT, S("42"), 0 }));
    REFUSED(run_echo, object, "target", "a member of the target is gone", k->target.display_id = IL_STR_NONE);
    REFUSED(run_echo, object, "target", "a pid appears", k->sent_target.pid.has = false);
    REFUSED(run_echo, object, "postcondition", "the postcondition is gone", k->env.postcondition = NULL);
    REFUSED(run_echo, object, "postcondition", "a postcondition appears", k->proposal.postcondition = NULL);
    REFUSED(run_echo, object, "provenance", "the provenance is gone", k->env.provenance = NULL);
    REFUSED(run_echo, object, "provenance", "a provenance appears", k->proposal.provenance = NULL);
    REFUSED(run_echo, object, "provenance", "a source is gone", k->prov.source_observation_ids.count = 0);
    PASSES(run_echo, "no target, postcondition, provenance on either side", k->env.target = NULL;
           k->env.postcondition = NULL; k->env.provenance = NULL; k->proposal.target = NULL;
           k->proposal.postcondition = NULL; k->proposal.provenance = NULL);
    REFUSED(run_echo, object, "session_id", "an id that goes on behind a NUL", k->env.session_id = S("session-1\0x"));

    struct kit kit;
    kit_init(&kit);
    env_target(&kit);
    run_echo(&kit);
    tap_ok(strstr(kit.err.expected, "42") && strstr(kit.err.actual, "43"), "the refusal shows where targets differ");
}

/* ---- the lease --------------------------------------------------------------------------------------------------- */

static void run_lease(struct kit *k) { il__check_lease(&k->ck, &k->lease, &k->env, k->now); }

static const struct il_str other_texts[] = { LIT("other") };
static const struct il__window_id other_windows[] = { { IL__WINDOW_TEXT, LIT("42"), 0 } };

FAULT(lease_session, k->lease.session_id = S("session-2"))
FAULT(lease_principal, k->lease.principal_id = S("operator-2"))
FAULT(lease_agent, k->lease.agent_id = S("agent-2"))
FAULT(lease_mode, k->lease.execution_mode = IL__MODE_BACKGROUND)
FAULT(lease_state, k->lease.state = S("revoked"))
FAULT(lease_budget, k->lease.actions_used = k->lease.action_budget)
FAULT(lease_unreadable, k->lease.expires_at = S("soon"))
FAULT(lease_expired, k->now.sec += 30)
FAULT(lease_apps, k->bounds.app_ids = ((struct il__strs){ other_texts, 1 }))
FAULT(lease_windows, k->bounds.window_ids = ((struct il__windows){ other_windows, 1 }))
FAULT(lease_displays, k->bounds.display_ids = ((struct il__strs){ other_texts, 1 }))

static void lease(void)
{
    static const struct fault faults[] = {
        { "session_id", lease_session, "another session" },
        { "principal_id", lease_principal, "another principal" },
        { "agent_id", lease_agent, "another agent" },
        { "execution_mode", lease_mode, "another mode" },
        { "state", lease_state, "a revoked one" },
        { "action_budget", lease_budget, "no action left" },
        { "expires_at", lease_unreadable, "expires_at is no time" },
        { "expires_at", lease_expired, "it expires now" },
        { "boundaries.app_ids", lease_apps, "another app" },
        { "boundaries.window_ids", lease_windows, "\"42\" for window 42" },
        { "boundaries.display_ids", lease_displays, "another display" },
    };
    const char *object = "control lease";
    TABLE(object, "session_id principal_id agent_id execution_mode state action_budget expires_at expires_at ",
          run_lease, faults);
    PASSES(run_lease, "a lease without agent", k->lease.agent_id = IL_STR_NONE);
    PASSES(run_lease, "an envelope without agent", k->env.agent_id = IL_STR_NONE);
    PASSES(run_lease, "a state in capitals", k->lease.state = S("ACTIVE"));
    PASSES(run_lease, "without boundaries", k->lease.boundaries = NULL);
    PASSES(run_lease, "expires a nanosecond from now", k->now.sec += 29; k->now.nsec = 999999999);
    PASSES(run_lease, "one action left", k->lease.action_budget = 4294967295; k->lease.actions_used = 4294967294);
    REFUSED(run_lease, object, "action_budget", "more used than there were", k->lease.actions_used = 7);
    REFUSED(run_lease, object, "action_budget", "a budget of nothing", k->lease.action_budget = 0);
    struct kit kit;
    kit_init(&kit);
    lease_budget(&kit);
    run_lease(&kit);
    tap_str(il__str(kit.err.expected), "more than 1", "the refusal shows the actions used");
    tap_str(il__str(kit.err.actual), "1", "and the budget");
}

/* ---- the reservation --------------------------------------------------------------------------------------------- */

static void run_reservation(struct kit *k) { il__check_reservation(&k->ck, &k->res, &k->env, k->now); }

FAULT(res_session, k->res.session_id = S("session-2"))
FAULT(res_principal, k->res.principal_id = S("operator-2"))
FAULT(res_agent, k->res.agent_id = S("agent-2"))
FAULT(res_group, k->res.execution_group_id = S("group-2"))
FAULT(res_intent, k->res.intent_id = S("action-2"))
FAULT(res_state, k->res.state = S("released"))
FAULT(res_unreadable, k->res.expires_at = S("2026-02-30T00:00:00Z"))
FAULT(res_expired, k->now.sec += 30)
FAULT(res_app, k->scope.app_id = S("org.example.editor"))
FAULT(res_window, k->scope.window_id.token = 43)

static void reservation(void)
{
    static const struct fault faults[] = {
        { "session_id", res_session, "another session" },
        { "principal_id", res_principal, "another principal" },
        { "agent_id", res_agent, "another agent" },
        { "execution_group_id", res_group, "another group" },
        { "intent_id", res_intent, "another action" },
        { "state", res_state, "a released one" },
        { "expires_at", res_unreadable, "expires_at is no time" },
        { "expires_at", res_expired, "it expires now" },
        { "scope.app_id", res_app, "another app" },
        { "scope.window_id", res_window, "another window" },
    };
    const char *object = "target reservation";
    TABLE(object, "session_id principal_id agent_id execution_group_id intent_id state expires_at expires_at target "
                  "scope.app_id scope.window_id ", run_reservation, faults);
    REFUSED(run_reservation, object, "target", "an envelope without target", k->env.target = NULL);
    REFUSED(run_reservation, object, "target", "without target, before the scope is looked at", k->env.target = NULL;
            res_app(k));
    REFUSED(run_reservation, object, "expires_at", "expired, before the target is looked at", k->env.target = NULL;
            res_expired(k));
    PASSES(run_reservation, "without agent and group", k->res.agent_id = k->res.execution_group_id = IL_STR_NONE);
    PASSES(run_reservation, "an envelope without agent and group",
           k->env.agent_id = k->env.execution_group_id = IL_STR_NONE);
    PASSES(run_reservation, "no window on either side", k->scope.window_id.kind = IL__WINDOW_NONE;
           k->target.window_id.kind = IL__WINDOW_NONE);
    REFUSED(run_reservation, object, "scope.window_id", "a window where the target has none",
            k->target.window_id.kind = IL__WINDOW_NONE);
    REFUSED(run_reservation, object, "scope.window_id", "no window where the target has one",
            k->scope.window_id.kind = IL__WINDOW_NONE);
    REFUSED(run_reservation, object, "scope.window_id", "\"42\" for 42",
            k->scope.window_id = ((struct il__window_id){ IL__WINDOW_TEXT, S("42"), 0 }));
    PASSES(run_reservation, "a state in capitals", k->res.state = S("Active"));
    PASSES(run_reservation, "expires a nanosecond from now", k->now.sec += 29; k->now.nsec = 999999999);
}

/* ---- the receipt ------------------------------------------------------------------------------------------------- */

static void run_receipt(struct kit *k) { il__check_receipt(&k->ck, &k->receipt, &k->env); }

FAULT(receipt_session, k->receipt.session_id = S("session-2"))
FAULT(receipt_action, k->receipt.action_id = S("action-2"))
FAULT(receipt_digest, k->receipt.action_digest = S("digest-2"))

static void receipt(void)
{
    static const struct fault faults[] = {
        { "session_id", receipt_session, "another session" },
        { "action_id", receipt_action, "another action" },
        { "action_digest", receipt_digest, "another digest" },
    };
    const char *object = "execution receipt";
    TABLE(object, "session_id action_id action_digest ", run_receipt, faults);
    REFUSED(run_receipt, object, "action_digest", "a digest that only begins so",
            k->receipt.action_digest = S("digest"));
    REFUSED(run_receipt, object, "action_digest", "a digest that goes on", k->receipt.action_digest = S("digest-1\0"));
    REFUSED(run_receipt, object, "action_digest", "a digest in capitals", k->receipt.action_digest = S("DIGEST-1"));
}

int main(void)
{
    envelope();
    echo();
    labels();
    many_labels();
    lease();
    reservation();
    receipt();
    return tap_done();
}
