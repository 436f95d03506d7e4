/* When what was asked for is granted (SPEC §6): the answer, the runtime's grant, and the decisions of people. */
#include "check_kit.h"
#include "table.h"
#include "tap.h"

#include <stdio.h>

/* ---- the answer -------------------------------------------------------------------------------------------------- */

struct wait {
    struct il__wait_facts facts;
    struct il__answer answer;
    struct kit kit;
    bool required, grants;
};

static void wait_init(struct wait *w)
{
    kit_init(&w->kit);
    w->facts = (struct il__wait_facts){ .request_id = S("request-1"), .action_digest = S("digest-1"),
                                        .policy_digest = S("policy-1"), .proposal_digest = S("proposal-1"),
                                        .runtime_need = true };
    w->answer = (struct il__answer){ .request_id = S("request-1"), .action_digest = S("digest-1"),
                                     .policy_digest = S("policy-1"), .grant_id = S("grant-1"), .decision = -1 };
    w->required = true;
    w->grants = true;
}

/* Runs the check and says whether what it granted agrees with what it refused. */
static void answer_passed(struct wait *w, bool grants, const char *what)
{
    il__check_answer(&w->kit.ck, &w->answer, &w->facts, w->required, &w->grants);
    kit_passed(&w->kit, what);
    tap_ok(w->grants == grants, "%s: it %s the runtime's need", what, grants ? "meets" : "does not meet");
}

static void answer_refused(struct wait *w, const char *field, const char *what)
{
    il__check_answer(&w->kit.ck, &w->answer, &w->facts, w->required, &w->grants);
    kit_refused(&w->kit, "approval", field, IL_APPROVAL_MISMATCH, what);
    tap_ok(!w->grants, "%s: it grants nothing", what);
}

#define ANSWER_PASSES(grants, what, change) \
    do {                                    \
        struct wait w_, *w = &w_;           \
        wait_init(w);                       \
        change;                             \
        answer_passed(w, grants, what);     \
    } while (0)
#define ANSWER_REFUSED(field, what, change) \
    do {                                    \
        struct wait w_, *w = &w_;           \
        wait_init(w);                       \
        change;                             \
        answer_refused(w, field, what);     \
    } while (0)
#define APPROVED(v) (w->answer.runtime_approved = (struct il__opt_bool){ true, v })
#define NO_GRANT (w->answer.grant_id = IL_STR_NONE)

static void matching(void)
{
    ANSWER_PASSES(true, "a grant id with both digests", (void)0);
    ANSWER_REFUSED("request_id", "another request", w->answer.request_id = S("request-2"));
    ANSWER_REFUSED("request_id", "a longer request", w->answer.request_id = S("request-1\0"));
    ANSWER_REFUSED("request_id", "no request", w->answer.request_id = IL_STR_NONE);
    ANSWER_REFUSED("request_id", "an empty request", w->answer.request_id = S(""));
    ANSWER_REFUSED("request_id", "no request where none is open",
                   w->answer.request_id = w->facts.request_id = IL_STR_NONE);
    ANSWER_PASSES(true, "no request where none is required", w->answer.request_id = IL_STR_NONE; w->required = false);
    ANSWER_REFUSED("request_id", "another request where none is required", w->answer.request_id = S("request-2");
                   w->required = false);
    ANSWER_REFUSED("action_digest", "another action", w->answer.action_digest = S("digest-2"));
    ANSWER_REFUSED("action_digest", "no action digest", w->answer.action_digest = IL_STR_NONE);
    ANSWER_REFUSED("policy_digest", "another policy", w->answer.policy_digest = S("policy-"));
    ANSWER_REFUSED("policy_digest", "no policy digest", w->answer.policy_digest = IL_STR_NONE);
    ANSWER_PASSES(true, "the proposal digest, right", w->answer.proposal_digest = S("proposal-1"));
    ANSWER_REFUSED("proposal_digest", "the proposal digest, wrong", w->answer.proposal_digest = S("proposal-2"));

    struct wait w;
    wait_init(&w);
    w.answer.request_id = S("request-2");
    w.answer.action_digest = S("digest-2");
    answer_refused(&w, "request_id", "request first");
    tap_ok(!strstr(w.kit.err.message, "request-1") && !strstr(w.kit.err.expected, "request-1"),
           "the refusal does not show the open request's id");
    tap_str(il__str(w.kit.trace), "request_id! ", "and nothing else is looked at");
}

static void authority(void)
{
    ANSWER_PASSES(true, "runtimeApproved", NO_GRANT; APPROVED(true));
    ANSWER_REFUSED("runtime_approved", "both authorities", APPROVED(true));
    ANSWER_PASSES(true, "a grant id beside runtimeApproved false", APPROVED(false));
    ANSWER_REFUSED("grant_id", "neither: digests alone", NO_GRANT);
    ANSWER_REFUSED("grant_id", "neither: runtimeApproved false", NO_GRANT; APPROVED(false));
    ANSWER_REFUSED("grant_id", "neither: an empty grant id", w->answer.grant_id = S(""));
    ANSWER_PASSES(true, "an empty grant id is no second authority", w->answer.grant_id = S(""); APPROVED(true));
    ANSWER_REFUSED("grant_id", "an approval without authority, for the runtime's need alone", NO_GRANT;
                   w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_PASSES(false, "an approval without authority, for the host's need beside it", NO_GRANT;
                  w->facts.host_need = true; w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_PASSES(true, "an approval with a grant id, the host's need beside it", w->facts.host_need = true;
                  w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_PASSES(true, "an approval with runtimeApproved, the host's need beside it", NO_GRANT; APPROVED(true);
                  w->facts.host_need = true; w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_PASSES(true, "an approval with authority", w->answer.decision = IL__DECISION_APPROVE);

    ANSWER_REFUSED("grant_id", "a stale grant id", w->facts.runtime_need = false; w->facts.host_need = true;
                   w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_REFUSED("runtime_approved", "a stale runtimeApproved", NO_GRANT; APPROVED(true);
                   w->facts.runtime_need = false; w->facts.host_need = true;
                   w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_PASSES(false, "an approval of a host need", NO_GRANT; w->facts.runtime_need = false;
                  w->facts.host_need = true; w->answer.decision = IL__DECISION_APPROVE);
    ANSWER_REFUSED("decision", "digests alone for a host need", NO_GRANT; w->facts.runtime_need = false;
                   w->facts.host_need = true);
    ANSWER_REFUSED("decision", "an approval where nothing is asked", NO_GRANT; w->facts.runtime_need = false;
                   w->answer.decision = IL__DECISION_APPROVE);

    static const int declining[] = { IL__DECISION_DENY, IL__DECISION_DEFER, IL__DECISION_REOBSERVE };
    for (int i = 0; i < 3; i++) {
        ANSWER_PASSES(false, "a no or a later, without authority", NO_GRANT; w->answer.decision = declining[i]);
        ANSWER_PASSES(false, "a no or a later, beside an authority", w->answer.decision = declining[i]);
        ANSWER_REFUSED("action_digest", "a no or a later for another action", w->answer.decision = declining[i];
                       w->answer.action_digest = S("digest-2"));
    }
}

static void grant_at_hand(void)
{
    ANSWER_PASSES(true, "the grant object of that id", w->answer.grant = &w->kit.grant);
    ANSWER_REFUSED("grant.grant_id", "the grant object of another id", w->answer.grant = &w->kit.grant;
                   w->answer.grant_id = S("grant-2"));
    ANSWER_REFUSED("grant.grant_id", "a grant object beside runtimeApproved", w->answer.grant = &w->kit.grant; NO_GRANT;
                   APPROVED(true));
}

/* A wait before the preview: no digests yet, but the proposal's. */
static void proposing(void)
{
#define PROPOSE                                                                                      \
    NO_GRANT;                                                                                        \
    w->facts.runtime_need = false;                                                                   \
    w->facts.host_need = true;                                                                       \
    w->facts.action_digest = w->facts.policy_digest = IL_STR_NONE;                                   \
    w->answer.action_digest = w->answer.policy_digest = IL_STR_NONE;                                 \
    w->answer.proposal_digest = S("proposal-1");                                                     \
    w->answer.decision = IL__DECISION_APPROVE
    ANSWER_PASSES(false, "before the preview", PROPOSE);
    ANSWER_REFUSED("proposal_digest", "before the preview: another proposal", PROPOSE;
                   w->answer.proposal_digest = S("proposal-2"));
    ANSWER_REFUSED("proposal_digest", "before the preview: no proposal digest", PROPOSE;
                   w->answer.proposal_digest = IL_STR_NONE);
    ANSWER_REFUSED("action_digest", "before the preview: an action digest", PROPOSE;
                   w->answer.action_digest = S("digest-1"));
    ANSWER_REFUSED("policy_digest", "before the preview: a policy digest", PROPOSE;
                   w->answer.policy_digest = S("policy-1"));
    ANSWER_REFUSED("grant_id", "before the preview: an authority", PROPOSE; w->answer.grant_id = S("grant-1"));
}

static struct il_str sample(struct table *t, const char *column, struct il__opt_bool *flag)
{
    struct il_str name = table_str(t, column);
    if (!il__str_present(name)) return name;
    uint32_t samples = il__json_get(&t->doc, il__json_get(&t->doc, 0, "samples"), column);
    uint32_t at = il__json_get_str(&t->doc, samples, name);
    if (!flag) return table_text(t, at);
    flag->has = il__json_kind(&t->doc, at) != IL__JSON_NULL;
    flag->value = il__json_kind(&t->doc, at) == IL__JSON_TRUE;
    return IL_STR_NONE;
}

static void answer_table(void)
{
    struct table t;
    table_open(&t, "tests/vectors/tables/runtime_need.json");
    for (int row = 1; table_next(&t); row++) {
        struct wait w;
        if (!table_bool(&t, "answered")) continue;
        wait_init(&w);
        uint32_t digests = il__json_get(&t.doc, il__json_get(&t.doc, 0, "samples"), "actionDigest");
        w.facts.action_digest = table_text(&t, il__json_get(&t.doc, digests, "equal"));
        digests = il__json_get(&t.doc, il__json_get(&t.doc, 0, "samples"), "policyDigest");
        w.facts.policy_digest = table_text(&t, il__json_get(&t.doc, digests, "equal"));
        w.facts.runtime_need = table_bool(&t, "runtimeNeed");
        w.facts.host_need = table_bool(&t, "hostNeed");
        w.answer.request_id = sample(&t, "requestId", NULL);
        w.answer.action_digest = sample(&t, "actionDigest", NULL);
        w.answer.policy_digest = sample(&t, "policyDigest", NULL);
        w.answer.grant_id = sample(&t, "grantId", NULL);
        sample(&t, "runtimeApproved", &w.answer.runtime_approved);
        il__check_answer(&w.kit.ck, &w.answer, &w.facts, table_bool(&t, "requestIdRequired"), &w.grants);
        bool met = il__str_eq(table_str(&t, "want"), S("met")), refused = il__checker_end(&w.kit.ck) != IL_OK;
        struct il_str field = table_str(&t, "field");
        tap_ok(w.grants == met && refused != met &&
                   (!il__str_present(field) || il__str_eq(field, il__str(w.kit.err.field))),
               "answer table, row %d", row);
    }
    table_close(&t);
}

/* ---- the grant --------------------------------------------------------------------------------------------------- */

static void check_grant(struct kit *k, bool standing)
{
    il__check_grant(&k->ck, &k->grant, &k->env, k->policy_digest, standing, k->now);
}

#define GRANT_REFUSED(field, what, change)                                        \
    do {                                                                          \
        struct kit kit_, *k = &kit_;                                              \
        kit_init(k);                                                              \
        change;                                                                   \
        check_grant(k, false);                                                    \
        kit_refused(k, "approval grant", field, IL_APPROVAL_MISMATCH, what);      \
    } while (0)

static void grants(void)
{
    struct kit kit;
    kit_init(&kit);
    check_grant(&kit, false);
    kit_passed(&kit, "a grant for exactly this");
    tap_str(il__str(kit.trace), "scope session_id principal_id action_digest policy_digest tool mode expires_at "
                                "expires_at remaining_uses ", "the checks and their order");
    GRANT_REFUSED("scope", "a standing grant", k->grant.scope = IL__GRANT_SESSION_OPERATION);
    GRANT_REFUSED("session_id", "another session", k->grant.session_id = S("session-2"));
    GRANT_REFUSED("principal_id", "another principal", k->grant.principal_id = S("operator-2"));
    GRANT_REFUSED("action_digest", "another action", k->grant.action_digest = S("digest-2"));
    GRANT_REFUSED("policy_digest", "another policy", k->grant.policy_digest = S("policy-2"));
    GRANT_REFUSED("tool", "another tool", k->grant.tool = S("fill_form"));
    GRANT_REFUSED("mode", "another mode", k->grant.mode = IL__MODE_BACKGROUND);
    GRANT_REFUSED("expires_at", "an expiry that is no time", k->grant.expires_at = S("never"));
    GRANT_REFUSED("expires_at", "expires now", k->now.sec += 30);
    GRANT_REFUSED("remaining_uses", "no use left", k->grant.remaining_uses = 0);
    kit_init(&kit);
    kit.grant.scope = IL__GRANT_SESSION_OPERATION;
    check_grant(&kit, true);
    kit_passed(&kit, "a standing grant where they are accepted");
    kit_init(&kit);
    kit.now = (struct il__instant){ kit.now.sec + 29, 999999999 };
    check_grant(&kit, false);
    kit_passed(&kit, "expires a nanosecond from now");
}

/* The member of a case's change, else of the base. */
static struct il_str grant_text(struct table *t, uint32_t change, uint32_t base, const char *name)
{
    uint32_t at = il__json_get(&t->doc, change, name);
    return table_text(t, at ? at : il__json_get(&t->doc, base, name));
}

static void grant_case(struct table *t, uint32_t all, uint32_t at)
{
    struct kit kit;
    int64_t uses = 0;
    uint32_t base = il__json_get(&t->doc, all, "base"), change = il__json_get(&t->doc, at, "change");
    uint32_t env = il__json_get(&t->doc, all, "envelope"), left = il__json_get(&t->doc, change, "remainingUses");
    struct il_str name = table_text(t, il__json_get(&t->doc, at, "name"));
    kit_init(&kit);
    if (!il__rfc3339_parse(table_text(t, il__json_get(&t->doc, all, "now")), &kit.now, NULL)) return;
    kit.env.session_id = table_text(t, il__json_get(&t->doc, env, "sessionId"));
    kit.env.principal_id = table_text(t, il__json_get(&t->doc, env, "principalId"));
    kit.env.args_digest = table_text(t, il__json_get(&t->doc, env, "argsDigest"));
    kit.env.tool = table_text(t, il__json_get(&t->doc, env, "tool"));
    kit.env.requested_mode = IL__MODE_BACKGROUND;
    kit.policy_digest = table_text(t, il__json_get(&t->doc, all, "policyDigest"));
    kit.grant.scope = il__name_index(il__grant_scope_names, grant_text(t, change, base, "scope"));
    kit.grant.session_id = grant_text(t, change, base, "sessionId");
    kit.grant.principal_id = grant_text(t, change, base, "principalId");
    kit.grant.action_digest = grant_text(t, change, base, "actionDigest");
    kit.grant.policy_digest = grant_text(t, change, base, "policyDigest");
    kit.grant.tool = grant_text(t, change, base, "tool");
    kit.grant.mode = il__name_index(il__mode_names, grant_text(t, change, base, "mode"));
    kit.grant.expires_at = grant_text(t, change, base, "expiresAt");
    il__json_int(&t->doc, left ? left : il__json_get(&t->doc, base, "remainingUses"), &uses);
    kit.grant.remaining_uses = uses;
    check_grant(&kit, il__json_kind(&t->doc, il__json_get(&t->doc, at, "acceptStandingGrants")) == IL__JSON_TRUE);
    bool accepted = il__str_eq(table_text(t, il__json_get(&t->doc, at, "want")), S("accepted"));
    struct il_str field = table_text(t, il__json_get(&t->doc, at, "field"));
    tap_ok((il__checker_end(&kit.ck) == IL_OK) == accepted &&
               (!il__str_present(field) || il__str_eq(field, il__str(kit.err.field))),
           "grant case: %.*s", IL_STR_FMT(name));
}

static void grant_table(void)
{
    struct table t;
    table_open(&t, "tests/vectors/tables/runtime_need.json");
    uint32_t all = il__json_get(&t.doc, 0, "grants"), cases = il__json_get(&t.doc, all, "cases");
    for (uint32_t at = il__json_first(&t.doc, cases); at; at = il__json_next(&t.doc, cases, at))
        grant_case(&t, all, at);
    table_close(&t);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static const struct il_str admin[] = { LIT("admin") }, both[] = { LIT("clerk"), LIT("admin") };

static struct il__vote vote(const char *who)
{
    return (struct il__vote){ .approver = il__str(who), .roles = { both, 2 }, .decision = IL__DECISION_APPROVE };
}

static bool counts(const struct il__need *need, struct il__vote v, bool has_approvers)
{
    return il__need_counts(need, &v, S("operator-1"), S("agent-1"), has_approvers);
}

static void counting(void)
{
    struct il__need need = { .approvers = 1 };
    struct il__vote v = vote("ann");
    tap_ok(counts(&need, v, true), "an approver's approval counts");
    for (int d = 0; d < IL__DECISION_COUNT; d++) {
        v.decision = (enum il__decision)d;
        tap_ok(counts(&need, v, true) == (d == IL__DECISION_APPROVE), "decision %s", il__decision_names[d]);
    }
    v = vote("ann"), v.voided = true;
    tap_ok(!counts(&need, v, true), "a voided one does not count");
    tap_ok(!counts(&need, vote("operator-1"), true), "the principal's does not count");
    tap_ok(!counts(&need, vote("agent-1"), true), "the agent's does not count");
    tap_ok(counts(&need, vote("agent-10"), true), "names are compared whole");
    tap_ok(!counts(&need, vote(""), true) && !counts(&need, vote(NULL), true), "nobody's does not count");
    v = vote("ann");
    tap_ok(il__need_counts(&need, &v, S("operator-1"), IL_STR_NONE, true), "a run without agent excludes nobody more");
    v.local = true;
    tap_ok(!counts(&need, v, true), "an unsigned one does not count among approvers");
    tap_ok(!counts(&need, vote("ann"), false), "a named one does not count where nobody is declared");

    need.override_ = true;
    v = vote("ann");
    tap_ok(!counts(&need, v, true), "an override without reason does not count");
    v.reason = S("");
    tap_ok(!counts(&need, v, true), "nor with an empty one");
    v.reason = S("seen and accepted");
    tap_ok(counts(&need, v, true), "an override with a reason counts");

    need = (struct il__need){ .approvers = 1, .roles = { admin, 1 } };
    tap_ok(counts(&need, vote("ann"), true), "one of the roles counts");
    v = vote("ann"), v.roles.count = 1;
    tap_ok(!counts(&need, v, true), "another role does not");
    v.roles.count = 0;
    tap_ok(!counts(&need, v, true), "no role does not");
}

static void local_operator(void)
{
    struct il__need one = { .approvers = 1 }, two = { .approvers = 2 };
    struct il__need role = { .approvers = 1, .roles = { admin, 1 } };
    struct il__vote v = vote("local operator");
    v.local = true;
    tap_ok(counts(&one, v, false), "the local operator counts for one");
    tap_ok(!counts(&two, v, false), "not for a count of two");
    tap_ok(!counts(&role, v, false), "not for a role, whatever the decision claims");
    tap_ok(il__need_possible(&one, false) && !il__need_possible(&two, false) && !il__need_possible(&role, false),
           "without approvers only one without roles can be met");
    tap_ok(il__need_possible(&one, true) && il__need_possible(&two, true) && il__need_possible(&role, true),
           "with approvers all can");
    struct il__vote many[2] = { v, v };
    many[1].approver = S("another name");
    tap_int(il__need_count(&one, many, 2, S("o"), S("a"), false), 1, "two names of the local operator are one person");
    tap_ok(!il__need_met(&two, many, 2, S("o"), S("a"), false), "and do not meet a need of two");
}

static void distinct(void)
{
    struct il__need need = { .approvers = 2 };
    struct il__vote votes[4] = { vote("ann"), vote("ann"), vote("bob"), vote("operator-1") };
    struct il_str op = S("operator-1"), agent = S("agent-1");
    tap_int(il__need_count(&need, votes, 0, op, agent, true), 0, "nobody");
    tap_int(il__need_count(&need, votes, 2, op, agent, true), 1, "the same person twice is one");
    tap_ok(!il__need_met(&need, votes, 2, op, agent, true), "and does not meet a need of two");
    tap_int(il__need_count(&need, votes, 4, op, agent, true), 2, "two people are two; the principal is none");
    tap_ok(il__need_met(&need, votes, 4, op, agent, true), "and meet a need of two");
    need.approvers = 3;
    tap_ok(!il__need_met(&need, votes, 4, op, agent, true), "but not one of three");
    votes[0].voided = true;
    need.approvers = 2;
    tap_ok(il__need_met(&need, votes, 4, op, agent, true), "a voided one does not hide a later one of that person");
    need.approvers = 0;
    tap_ok(!il__need_met(&need, votes, 0, op, agent, true), "a need of nobody still asks for one");
}

static void denying(void)
{
    struct il_str who = S("unset"), why = S("unset"), op = S("operator-1"), agent = S("agent-1");
    struct il__vote votes[2] = { vote("ann"), vote("bob") };
    tap_ok(!il__denied(votes, 2, op, agent, &who, &why), "approvals are no deny");
    tap_str(who, NULL, "and name nobody");
    for (int d = 0; d < IL__DECISION_COUNT; d++) {
        bool no = d == IL__DECISION_DENY || d == IL__DECISION_REOBSERVE;
        votes[1].decision = (enum il__decision)d;
        votes[1].reason = S("not now");
        tap_ok(il__denied(votes, 2, op, agent, &who, &why) == no, "decision %s", il__decision_names[d]);
        tap_str(who, no ? "bob" : NULL, "by whom");
        tap_str(why, no ? "not now" : NULL, "and why");
    }
    votes[1].decision = IL__DECISION_DENY;
    tap_ok(!il__denied(votes, 2, S("bob"), agent, &who, &why), "the principal's does not count");
    tap_ok(!il__denied(votes, 2, op, S("bob"), &who, &why), "the agent's does not count");
    votes[1].voided = true;
    tap_ok(!il__denied(votes, 2, op, agent, &who, &why), "a voided one does not count");
    votes[1] = (struct il__vote){ .approver = S("operator-1"), .local = true, .decision = IL__DECISION_DENY };
    tap_ok(il__denied(votes, 2, op, agent, &who, &why), "the local operator may always say no");
    votes[1] = (struct il__vote){ .decision = IL__DECISION_DENY };
    tap_ok(!il__denied(votes, 2, op, agent, &who, &why), "nobody says nothing");
}

int main(void)
{
    matching();
    authority();
    grant_at_hand();
    proposing();
    answer_table();
    grants();
    grant_table();
    counting();
    local_operator();
    distinct();
    denying();
    return tap_done();
}
