/* Decisions by approvers (SPEC §6): whom the host has verified, or who signed. Uses check/decision.h for what was
 * signed, check/approve.h for who counts, and approval.c for the wait. Must never take part of a decision from its
 * signed document and part from elsewhere, and must never count one whose author is not certain. */
#include "base/error.h"
#include "base/secret.h"
#include "check/decision.h"
#include "run/approval.h"
#include "run/record.h"
#include "run/state.h"

static const struct il_str LOCAL = IL__LOCAL_OPERATOR;

static struct il__checker checker(const struct il_run *run, const char *object, struct il_error *err)
{
    struct il__checker ck;
    il__checker_init(&ck, object, err, il__run_seen, (void *)(uintptr_t)run);
    ck.code = IL_APPROVAL_MISMATCH;
    return ck;
}

static const struct il__approver *find_approver(const struct il__engine *e, struct il_str id)
{
    for (size_t i = 0; i < e->approver_count; i++)
        if (il__str_eq(e->approvers[i].id, id)) return &e->approvers[i];
    return NULL;
}

static enum il_code make_vote(const struct il_run *run, const struct il_decision *d, struct il__vote *vote,
                              struct il_error *err)
{
    struct il__checker ck = checker(run, "approval", err);
    int decision = -1;
    for (int i = 0; i < IL__DECISION_COUNT; i++)
        if (il__str_eq(d->decision, il__str(il__decision_names[i]))) decision = i;
    const struct il__approver *who = find_approver(run->engine, d->approver);
    bool local = run->engine->approver_count == 0;
    il__check_that(&ck, "decision", decision >= 0, IL_STR("approve, deny, defer or re-observe"), d->decision);
    il__check_that(&ck, "approver", local || who, IL_STR("an approver of this host"), d->approver);
    if (!local)
        il__check_that(&ck, "approver", !il__str_eq(d->approver, run->identity.principal) &&
                       !il__str_eq(d->approver, run->agent_id), IL_STR("somebody else than who proposed"), d->approver);
    if (ck.failed) return il__checker_end(&ck);
    *vote = (struct il__vote){ .approver = who ? who->id : LOCAL, .local = local,
                               .decision = (enum il__decision)decision, .reason = d->reason };
    if (who) vote->roles = who->roles;
    return IL_OK;
}

static enum il_code check_need(struct il__checker *ck, const struct il__wait_facts *facts)
{
    il__check_that(ck, "need", facts->host_need, IL_STR("a need of the host"),
                   facts->host_need ? IL_STR("one") : IL_STR("none"));
    return il__checker_end(ck);
}

static enum il_code check_decision(const struct il_run *run, const struct il_decision *d, struct il_error *err)
{
    struct il__checker ck = checker(run, "approval", err);
    const struct il__wait_facts facts = il__wait_facts(run);
    il__check_that(&ck, "request_id", il__secret_eq(facts.request_id, d->request_id), IL_STR("the open request"),
                   d->request_id);
    il__check_equal(&ck, "action_digest", facts.action_digest, d->action_digest);
    il__check_equal(&ck, "policy_digest", facts.policy_digest, d->policy_digest);
    if (!il__str_present(facts.action_digest) || il__str_present(d->proposal_digest))
        il__check_equal(&ck, "proposal_digest", facts.proposal_digest, d->proposal_digest);
    return check_need(&ck, &facts);
}

/* ---- by their word: the embedder knows who it is ---- */

static enum il_code decide_plain(struct il_run *run, const struct il_decision *d, struct il_error *err)
{
    struct il__vote vote = { .decision = IL__DECISION_DEFER };
    enum il_code code = make_vote(run, d, &vote, err);
    if (code) return code;
    if (il__wait_still_denies(run, d->request_id, (int)vote.decision))
        return il__vote_cast(run, vote, IL_STR_NONE, err);
    if (il__wait_denies_late(run, d->request_id, (int)vote.decision)) return il__vote_late_deny(run, IL_STR_NONE, err);
    if ((code = il__wait_open_now(run, IL_STR_NONE, "decision", err))) return code;
    if ((code = check_decision(run, d, err))) return code;
    if (vote.decision == IL__DECISION_DEFER) return il__vote_note(run, &vote, IL_STR_NONE, err);
    return il__vote_cast(run, vote, IL_STR_NONE, err);
}

/* ---- by their signature ---- */

static struct il__decision_facts signed_facts(const struct il_run *run)
{
    const struct il__engine *e = run->engine;
    const struct il__wait_facts facts = il__wait_facts(run);
    return (struct il__decision_facts){
        .host = e->options->host_name,
        .run = il__str(run->id),
        .request = facts.request_id,
        .action_digest = facts.action_digest,
        .policy_digest = facts.policy_digest,
        .host_policy_digest = run->policies_digest[0] ? il__str(run->policies_digest) : IL_STR_NONE,
        .proposal_digest = facts.proposal_digest,
        .card_digest = il__str(run->card_digest),
    };
}

static enum il_code check_signature(const struct il_run *run, const struct il__decision_read *in, struct il_error *err)
{
    struct il__checker ck = checker(run, "signed decision", err);
    const struct il__approver *who = find_approver(run->engine, in->said.decision->approver);
    il__check_that(&ck, "approver", who != NULL, IL_STR("an approver of this host"), in->said.decision->approver);
    if (who) il__check_signed(&ck, in, &who->key);
    return il__checker_end(&ck);
}

static enum il_code check_said(const struct il_run *run, const struct il__decision_read *in, bool denies_late,
                               struct il_error *err)
{
    struct il__checker ck = checker(run, "signed decision", err);
    struct il__decision_facts facts = signed_facts(run);
    bool earlier = denies_late && !il__secret_eq(facts.request, in->said.decision->request);
    if (earlier) facts.request = in->said.decision->request; /* one of this run's: see who calls */
    il__check_decided(&ck, in->said.decision, &facts, earlier, il__clock_now(&run->engine->clock).wall);
    return il__checker_end(&ck);
}

static struct il__deadline until_of(const struct il__decided *said, struct il__now now, const char *boot_id)
{
    struct il__instant at = { INT64_MIN, 0 };
    (void)il__rfc3339_parse(said->expires_at, &at, NULL);
    return il__deadline_make(at, 0, now, boot_id);
}

static enum il_code cast_signed(struct il_run *run, const struct il__decision_read *in, struct il_str json,
                                struct il_error *err)
{
    const struct il__decided *said = in->said.decision;
    const struct il__wait_facts facts = il__wait_facts(run);
    struct il_decision d = IL_DECISION_INIT;
    struct il__vote vote = { .decision = IL__DECISION_DEFER };
    d.approver = said->approver;
    d.decision = il__str(il__decision_names[said->decision]);
    d.reason = said->reason;
    enum il_code code = check_signature(run, in, err);
    if (!code) code = make_vote(run, &d, &vote, err);
    if (code) return code;
    vote.signed_ = true;
    vote.until = until_of(said, il__clock_now(&run->engine->clock), run->engine->clock.boot_id);
    if (il__wait_denies_late(run, said->request, said->decision)) {
        code = check_said(run, in, true, err);
        return code ? code : il__vote_late_deny(run, json, err);
    }
    if (il__wait_still_denies(run, said->request, said->decision)) {
        code = check_said(run, in, true, err);
        return code ? code : il__vote_cast(run, vote, json, err);
    }
    if ((code = il__wait_open_now(run, json, "decision", err))) return code;
    if ((code = check_said(run, in, false, err))) return code;
    struct il__checker ck = checker(run, "approval", err);
    if ((code = check_need(&ck, &facts))) return code;
    if (vote.decision == IL__DECISION_DEFER) return il__vote_note(run, &vote, json, err);
    return il__vote_cast(run, vote, json, err);
}

static bool says_more(const struct il_decision *d)
{
    const struct il_str beside[] = { d->request_id, d->action_digest, d->policy_digest, d->proposal_digest,
                                     d->approver,   d->decision,      d->reason };
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (il__str_present(beside[i])) return true;
    return false;
}

static enum il_code decide_signed(struct il_run *run, const struct il_decision *d, struct il_error *err)
{
    struct il__decision_read in = { .said = { .decision = NULL } };
    if (says_more(d))
        return il__fail_at(err, IL_INVALID_REQUEST, "decision", "signed_json",
                           "a signed decision says all of it; leave the other members out");
    enum il_code code = il__decision_read(&in, run->engine->mem, d->signed_json, err);
    if (!code) code = cast_signed(run, &in, d->signed_json, err);
    il__decision_clear(&in);
    return code;
}

enum il_code il__run_decide(struct il_run *run, const struct il_decision *d, struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    if (!err) err = &local;
    il__error_clear(err);
    bool sign = run->engine->approvers_sign, given = il__str_present(d->signed_json);
    struct il__checker ck = checker(run, "signed decision", err);
    size_t votes = run->vote_count;
    il__check_that(&ck, "signature", sign == given, sign ? IL_STR("one by an approver") : IL_STR("none: no approver of "
                   "this host has a key"), given ? IL_STR("one") : IL_STR("none"));
    enum il_code code = il__checker_end(&ck);
    if (!code) code = given ? decide_signed(run, d, err) : decide_plain(run, d, err);
    bool open = run->state == IL__STATE_WAITING; /* what has moved on is not ended by who comes late */
    if (code && d->last_word && open && run->vote_count == votes) il__run_stop(run, IL__END_REFUSED, err);
    return code ? code : il__wait_kept(run, err);
}

/* ---- from the journal ---- */

/* What is in the journal is what was signed: by this approver, whose key of now it is, for this request of this run,
 * about this very action, card and policies. Whether its time is over is asked when it is counted. */
static enum il_code prove(struct il_run *run, struct il__vote *vote, const struct il__approver *who,
                          struct il_str payload, struct il__now then, const char *boot_id)
{
    static const struct il__instant any_time = { INT64_MIN, 0 };
    struct il__decision_read in = { .said = { .decision = NULL } };
    struct il_error err = IL_ERROR_INIT;
    struct il__checker ck;
    il__checker_init(&ck, "signed decision", &err, NULL, NULL);
    if (il__decision_read(&in, run->engine->mem, payload, &err) == IL_OK) {
        const struct il__decided *said = in.said.decision;
        il__check_signed(&ck, &in, &who->key);
        const struct il__decision_facts facts = signed_facts(run);
        il__check_decided(&ck, said, &facts, false, any_time);
        il__check_equal(&ck, "approver", vote->approver, said->approver);
        il__check_equal(&ck, "reason", vote->reason, said->reason);
        il__check_that(&ck, "decision", said->decision == (int)vote->decision, IL_STR_NONE, IL_STR_NONE);
        vote->until = until_of(said, then, boot_id);
    }
    il__decision_clear(&in);
    return err.code;
}

/* The approvers of now judge: one who is gone, or whose key is another, has approved nothing. A deny stays a deny. */
enum il_code il__vote_restore(struct il_run *run, struct il__vote vote, struct il_str payload, struct il__now then,
                              const char *boot_id, struct il_error *err)
{
    const struct il__engine *e = run->engine;
    bool denies = vote.decision == IL__DECISION_DENY || vote.decision == IL__DECISION_REOBSERVE;
    if (vote.decision == IL__DECISION_DEFER) return IL_OK;
    if (run->vote_count >= IL__LIMIT_DECISIONS)
        return il__fail_at(err, IL_STORE, "journal", "decision", "more decisions than a run takes");
    const struct il__approver *who = vote.local ? NULL : find_approver(e, vote.approver);
    if (who) vote.roles = who->roles;
    bool known = vote.local || (who && vote.signed_ == e->approvers_sign);
    enum il_code code = known && vote.signed_ ? prove(run, &vote, who, payload, then, boot_id) : IL_OK;
    if (code == IL_OUT_OF_MEMORY) return il__fail(err, code, "no memory for a decision");
    known = known && !code;
    if (!known && !denies) vote.voided = true;
    run->votes[run->vote_count++] = vote;
    return IL_OK;
}
