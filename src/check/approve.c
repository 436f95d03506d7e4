/* When what was asked for is granted (SPEC §6), see approve.h. Must never count a person twice, must never let an
 * authority stand in for another need, and must never show the open request's id to who did not know it. */
#include "check/approve.h"

#include "base/secret.h"
#include "check/show.h"

/* The id is a secret of the waiting run, so it is compared in constant time and never shown. */
static void check_request(struct il__checker *ck, struct il_str open, struct il_str given, bool required)
{
    bool ok = il__str_present(given) ? il__secret_eq(open, given) : !required;
    il__check_that(ck, "request_id", ok, IL_STR("the open request"), given);
}

/* The decision says no, or later: nothing is granted, whatever else the answer carries. */
static bool declines(const struct il__answer *answer)
{
    return answer->decision == IL__DECISION_DENY || answer->decision == IL__DECISION_REOBSERVE ||
           answer->decision == IL__DECISION_DEFER;
}

static void check_none(struct il__checker *ck, const char *field, bool given, struct il_str what)
{
    il__check_that(ck, field, !given, IL_STR("none: the runtime asks for nothing"), what);
}

/* Exactly one authority for the runtime need, none without it; an empty grant id is none. True: the need is met. */
static bool check_authority(struct il__checker *ck, const struct il__answer *answer,
                            const struct il__wait_facts *facts)
{
    bool grant = answer->grant_id.len > 0, approved = answer->runtime_approved.has && answer->runtime_approved.value;
    bool votes = facts->host_need && answer->decision == IL__DECISION_APPROVE;
    if (declines(answer)) return false;
    if (!facts->runtime_need) {
        check_none(ck, "grant_id", grant, IL_STR("a grantId")); /* a bearer ticket: never shown */
        check_none(ck, "runtime_approved", approved, IL_STR("true"));
        il__check_that(ck, "decision", votes, IL_STR("a decision"),
                       il__show_name(il__decision_names, answer->decision));
        return false;
    }
    il__check_that(ck, "runtime_approved", !(grant && approved), IL_STR("one authority"),
                   grant && approved ? IL_STR("a grantId, too") : IL_STR("one authority at most"));
    if (votes && !grant && !approved) return false; /* for the host's needs; the runtime's stays open */
    il__check_that(ck, "grant_id", grant || approved, IL_STR("grantId or runtimeApproved true"),
                   grant ? IL_STR("a grantId") : approved ? IL_STR("runtimeApproved") : IL_STR("neither"));
    return !ck->failed;
}

void il__check_answer(struct il__checker *ck, const struct il__answer *answer, const struct il__wait_facts *facts,
                      bool require_request_id, bool *grants_runtime)
{
    *grants_runtime = false;
    il__checker_object(ck, "approval", IL_APPROVAL_MISMATCH);
    check_request(ck, facts->request_id, answer->request_id, require_request_id);
    il__check_equal(ck, "action_digest", facts->action_digest, answer->action_digest);
    il__check_equal(ck, "policy_digest", facts->policy_digest, answer->policy_digest);
    bool before_preview = !il__str_present(facts->action_digest);
    if (before_preview || il__str_present(answer->proposal_digest))
        il__check_equal(ck, "proposal_digest", facts->proposal_digest, answer->proposal_digest);
    bool grants = check_authority(ck, answer, facts);
    if (answer->grant)
        il__check_that(ck, "grant.grant_id", il__str_eq(answer->grant_id, answer->grant->grant_id),
                       IL_STR("the answer's"), IL_STR("another"));
    *grants_runtime = grants && !ck->failed;
}

void il__check_grant(struct il__checker *ck, const struct il__grant *grant, const struct il__envelope *env,
                     struct il_str policy_digest, bool accept_standing, struct il__instant now)
{
    char text[IL__SHOW_MAX];
    struct il__instant expires = { 0, 0 };
    il__checker_object(ck, "approval grant", IL_APPROVAL_MISMATCH);
    il__check_that(ck, "scope", grant->scope == IL__GRANT_EXACT_ACTION || accept_standing, IL_STR("exact_action"),
                   il__show_name(il__grant_scope_names, grant->scope));
    il__check_equal(ck, "session_id", env->session_id, grant->session_id);
    il__check_equal(ck, "principal_id", env->principal_id, grant->principal_id);
    il__check_equal(ck, "action_digest", env->args_digest, grant->action_digest);
    il__check_equal(ck, "policy_digest", policy_digest, grant->policy_digest);
    il__check_equal(ck, "tool", env->tool, grant->tool);
    il__check_that(ck, "mode", env->requested_mode == grant->mode, il__show_name(il__mode_names, env->requested_mode),
                   il__show_name(il__mode_names, grant->mode));
    il__check_readable(ck, "expires_at", grant->expires_at, &expires);
    il__check_later(ck, "expires_at", expires, now);
    il__check_that(ck, "remaining_uses", grant->remaining_uses >= 1, IL_STR("at least 1"),
                   il__show_int(grant->remaining_uses, text));
}

bool il__need_possible(const struct il__need *need, bool has_approvers)
{
    return has_approvers || (need->approvers <= 1 && need->roles.count == 0);
}

/* Who acts, or has the action done, does not decide on it. Nobody is told apart where no approvers are declared. */
static bool entitled(const struct il__vote *vote, struct il_str principal, struct il_str agent)
{
    if (vote->local) return true;
    if (!il__str_present(vote->approver) || vote->approver.len == 0) return false;
    return !il__str_eq(vote->approver, principal) && !il__str_eq(vote->approver, agent);
}

static bool has_role(struct il__strs asked, struct il__strs held)
{
    for (size_t i = 0; i < asked.count; i++)
        if (il__strs_has(held, asked.items[i])) return true;
    return asked.count == 0;
}

bool il__need_counts(const struct il__need *need, const struct il__vote *vote, struct il_str principal,
                     struct il_str agent, bool has_approvers)
{
    if (vote->decision != IL__DECISION_APPROVE || vote->voided) return false;
    if (vote->local == has_approvers) return false; /* unsigned among approvers, or signed by nobody we know */
    if (!il__need_possible(need, has_approvers)) return false;
    if (!entitled(vote, principal, agent)) return false;
    if (need->override_ && vote->reason.len == 0) return false;
    return has_role(need->roles, vote->roles);
}

/* Without approvers every name is the one local operator. */
static bool same_person(const struct il__vote *a, const struct il__vote *b)
{
    return (a->local && b->local) || il__str_eq(a->approver, b->approver);
}

int64_t il__need_count(const struct il__need *need, const struct il__vote *votes, size_t count,
                       struct il_str principal, struct il_str agent, bool has_approvers)
{
    int64_t people = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        if (!il__need_counts(need, &votes[i], principal, agent, has_approvers)) continue;
        for (size_t j = 0; j < i && !again; j++)
            again = same_person(&votes[i], &votes[j]) &&
                    il__need_counts(need, &votes[j], principal, agent, has_approvers);
        if (!again) people++;
    }
    return people;
}

bool il__need_met(const struct il__need *need, const struct il__vote *votes, size_t count,
                  struct il_str principal, struct il_str agent, bool has_approvers)
{
    int64_t asked = need->approvers > 1 ? need->approvers : 1;
    return il__need_count(need, votes, count, principal, agent, has_approvers) >= asked;
}

bool il__denied(const struct il__vote *votes, size_t count, struct il_str principal, struct il_str agent,
                struct il_str *who, struct il_str *reason)
{
    for (size_t i = 0; i < count; i++) {
        const struct il__vote *vote = &votes[i];
        bool no = vote->decision == IL__DECISION_DENY || vote->decision == IL__DECISION_REOBSERVE;
        if (!no || vote->voided || !entitled(vote, principal, agent)) continue;
        *who = vote->approver;
        *reason = vote->reason;
        return true;
    }
    *who = *reason = IL_STR_NONE;
    return false;
}
