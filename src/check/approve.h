/* SPEC §6: when is what was asked for granted? Pure: decides over the preview's digests, the answer and the decisions.
 * Every refusal is `approval_mismatch` (object `approval` or `approval grant`). */
#ifndef IL_CHECK_APPROVE_H
#define IL_CHECK_APPROVE_H

#include "check/checker.h"
#include "check/fresh.h"
#include "contract/action.h"
#include "contract/approval.h"

/* What the answer must match: of a wait after the preview, or of a propose wait (digests absent there). */
struct il__wait_facts {
    struct il_str request_id;      /* the open request */
    struct il_str action_digest, policy_digest; /* absent in a propose wait */
    struct il_str proposal_digest;
    bool runtime_need;             /* the runtime's route is approval */
    bool host_need;                /* at least one host need */
};

/* Object `approval`. Checks request id (constant time; required unless `require_request_id` is false), digests (also
 * proposal_digest where it is given, and always in a propose wait), and for the runtime need exactly one authority: a
 * non-empty grantId or runtimeApproved true; an authority without its need is refused as stale. Without authority an
 * answer needs a decision: approve where host needs are open; deny, re-observe and defer anywhere, and then it grants
 * nothing, whatever else it carries. A grant at hand must bear the grantId. On success `*grants_runtime` says whether
 * the answer meets the runtime need. */
void il__check_answer(struct il__checker *ck, const struct il__answer *answer, const struct il__wait_facts *facts,
                      bool require_request_id, bool *grants_runtime);

/* Object `approval grant`: exact_action (unless accept_standing), and equal session, principal, action digest, policy
 * digest, tool, mode; unexpired; a use left. */
void il__check_grant(struct il__checker *ck, const struct il__grant *grant, const struct il__envelope *env,
                     struct il_str policy_digest, bool accept_standing, struct il__instant now);

/* One person's decision, its author verified by the host. */
struct il__vote {
    struct il_str approver;    /* "local operator" when unsigned */
    bool local;                /* unsigned, not separated */
    bool signed_;              /* with the approver's key, which was checked */
    struct il__strs roles;
    enum il__decision decision;
    struct il_str reason;      /* may be absent */
    struct il__deadline until; /* of a signed one; unset: as long as its request */
    bool voided;               /* an approve-phase policy denied it, or its time is over: does not count */
};

/* One host need. */
struct il__need {
    int64_t approvers;         /* at least 1 */
    struct il__strs roles;     /* empty: any role; else the approver needs one of them */
    bool override_;            /* the decision must carry a reason */
    bool failed;               /* what is overridden is that the policy failed, not what it said */
    int64_t timeout_ms;        /* 0: none of its own */
    struct il_str policy, code, reason;
};

/* Can this need ever be met? Without approvers only one approver without roles (SPEC §6: a stricter ask is a deny). */
bool il__need_possible(const struct il__need *need, bool has_approvers);
/* Does this decision count for this need? Excludes the run's principal and agent, wrong roles, voided ones, an override
 * without reason, and a local operator where approvers exist or roles or a count above 1 are asked. */
bool il__need_counts(const struct il__need *need, const struct il__vote *vote, struct il_str principal,
                     struct il_str agent, bool has_approvers);
/* Distinct approvers whose approval counts. */
int64_t il__need_count(const struct il__need *need, const struct il__vote *votes, size_t count,
                       struct il_str principal, struct il_str agent, bool has_approvers);
/* All of `need->approvers`. */
bool il__need_met(const struct il__need *need, const struct il__vote *votes, size_t count,
                  struct il_str principal, struct il_str agent, bool has_approvers);
/* One deny by anyone entitled to decide ends the run. */
bool il__denied(const struct il__vote *votes, size_t count, struct il_str principal, struct il_str agent,
                struct il_str *who, struct il_str *reason);

#endif
