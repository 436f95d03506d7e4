/* Waits, answers and decisions (approval.h). A refused answer changes nothing but the journal; an unread or late one
 * never helps. */
#include "run/approval.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "run/card.h"
#include "run/durable.h"
#include "run/judge.h"
#include "run/record.h"
#include "run/reload.h"
#include "run/state.h"
#include "run/step.h"

#include <string.h>

static const struct il_str LOCAL = IL__LOCAL_OPERATOR;

/* ---- are they met? ---- */

static bool host_met(const struct il_run *run, size_t first, size_t end, const struct il__vote *votes, size_t count)
{
    for (size_t i = first; i < end; i++)
        if (!il__need_met(&run->needs[i], votes, count, run->identity.principal, run->agent_id,
                          run->engine->approver_count > 0))
            return false;
    return true;
}

static size_t propose_votes(const struct il_run *run)
{
    return run->done & IL__DID_PREVIEW ? run->propose_votes : run->vote_count;
}

static size_t propose_needs(const struct il_run *run)
{
    return run->done & IL__DID_PREVIEW ? run->propose_needs : run->need_count;
}

bool il__needs_met(const struct il_run *run)
{
    size_t needs = propose_needs(run), votes = propose_votes(run);
    if (run->route == IL__ROUTE_APPROVAL && !run->runtime_met) return false;
    return host_met(run, 0, needs, run->votes, votes) &&
           host_met(run, needs, run->need_count, run->votes + votes, run->vote_count - votes);
}

bool il__needs_any(const struct il_run *run)
{
    return run->route == IL__ROUTE_APPROVAL || run->need_count > propose_needs(run);
}

struct il__wait_facts il__wait_facts(const struct il_run *run)
{
    bool propose = run->wait.propose;
    const struct il__wait_facts facts = {
        .request_id = il__str(run->wait.request_id),
        .action_digest = propose ? IL_STR_NONE : run->preview.envelope->args_digest,
        .policy_digest = propose ? IL_STR_NONE : run->preview.policy->policy_digest,
        .proposal_digest = il__str(run->proposal_digest),
        .runtime_need = !propose && run->route == IL__ROUTE_APPROVAL && !run->runtime_met,
        .host_need = propose || run->need_count > run->propose_needs,
    };
    return facts;
}

/* ---- opening and ending a wait ---- */

static enum il_code new_request_id(struct il_run *run, struct il_error *err)
{
    uint8_t bytes[16];
    memcpy(run->wait.request_id, "req-", 4);
    if (run->engine->random(run->engine->random_ctx, bytes, sizeof bytes))
        return il__fail_at(err, IL_RUNTIME, "random", "bytes", "the random source failed");
    il__hex(bytes, sizeof bytes, run->wait.request_id + 4);
    return IL_OK;
}

static struct il__deadline wait_deadline(const struct il_run *run, bool propose, struct il__now now)
{
    const struct il__engine *e = run->engine;
    int64_t asked = il__needs_timeout_ms(run, propose ? 0 : run->propose_needs);
    int64_t ttl = asked ? asked : propose ? (int64_t)e->options->approval_timeout_ms : 0;
    struct il__deadline own = { 0 };
    if (ttl) own = il__deadline_make(il__instant_add_ms(now.wall, ttl), ttl, now, e->clock.boot_id);
    if (propose) return own;
    return own.set ? il__deadline_min(own, run->envelope_deadline) : run->envelope_deadline;
}

/* The request is on disk: now it may be shown to people. */
static void wait_kept(struct il_run *run, struct il_error *failed)
{
    char expires[IL__RFC3339_MAX];
    if (failed) {
        il__run_fail(run, failed);
        return;
    }
    il__rfc3339_format(run->wait.deadline.wall, expires);
    const struct il__tell told = { .step = il__str(il__verb_names[run->wait.propose ? IL__VERB_PREVIEW
                                                                                    : IL__VERB_APPROVAL]),
                                   .text = il__str(run->wait.request_id), .actual = il__str(expires) };
    il__run_tell(run, IL_EVENT_WAITING, &told);
}

enum il_code il__wait_open(struct il_run *run, bool propose, struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__now now = il__clock_now(&e->clock);
    run->wait.propose = propose;
    run->wait.deadline = wait_deadline(run, propose, now);
    enum il_code code = new_request_id(run, err);
    if (!code) code = il__card_build(run, err);
    if (code) return code;
    char expires[IL__RFC3339_MAX];
    il__rfc3339_format(run->wait.deadline.wall, expires);
    code = IL__NOTE(run, "wait", il__buf_get(&run->card), err, IL__TEXT("cardDigest", il__str(run->card_digest)),
                    IL__TEXT("expiresAt", il__str(expires)),
                    IL__TEXT("for", il__str(propose ? "proposal" : "preview")),
                    IL__TEXT("hostPolicyDigest", il__run_policies(run)),
                    IL__TEXT("proposalDigest", il__str(run->proposal_digest)),
                    IL__TEXT("request", il__str(run->wait.request_id)));
    if (code) return code;
    run->wait.open = true;
    il__run_set_state(run, IL__STATE_WAITING);
    il__run_wake_at(run, now.boot_ms + il__deadline_left_ms(&run->wait.deadline, now, e->clock.boot_id));
    il__durable_then(run, wait_kept);
    return IL_OK;
}

void il__wait_expire(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail_at(&err, IL_TIMEOUT, "approval", "expires_at", "nobody decided before the request expired");
    il__run_stop(run, IL__END_EXPIRED, &err);
}

enum il__went il__approval_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    (void)ask;
    if (il__needs_met(run)) return IL__WENT_ON;
    return il__run_wait(run, false, err) ? IL__WENT_WRONG : IL__WENT_AWAY;
}

/* ---- what comes in ---- */

static enum il_code too_late(struct il_run *run, struct il_str payload, const char *what, struct il_error *err)
{
    enum il_code code = IL__NOTE(run, "late", payload, err, IL__TEXT("what", il__str(what)));
    if (code) return code;
    return il__fail_at(err, IL_APPROVAL_MISMATCH, "approval", "request_id",
                       "the %s came too late (the run is %s): recorded, and changes nothing", what,
                       run->end ? il__end_names[run->end] : "past this request");
}

enum il_code il__wait_open_now(struct il_run *run, struct il_str payload, const char *what, struct il_error *err)
{
    struct il__engine *e = run->engine;
    if (run->state != IL__STATE_WAITING || !run->wait.open) return too_late(run, payload, what, err);
    if (!il__deadline_passed(&run->wait.deadline, il__clock_now(&e->clock), e->clock.boot_id)) return IL_OK;
    il__wait_expire(run);
    return too_late(run, payload, what, err);
}

enum il_code il__approval_may_ask(struct il_run *run, const struct il__answer *answer, struct il_error *err)
{
    struct il__checker ck;
    bool grants = false;
    enum il_code code = il__wait_open_now(run, IL_STR_NONE, "request for a grant", err);
    if (code) return code;
    const struct il__wait_facts facts = il__wait_facts(run);
    il__checker_init(&ck, "approval", err, il__run_seen, run);
    ck.code = IL_APPROVAL_MISMATCH;
    il__check_answer(&ck, answer, &facts, true, &grants);
    return il__checker_end(&ck);
}

bool il__approval_awaits(const struct il_run *run, struct il_str request_id)
{
    const struct il__engine *e = run->engine;
    return run->state == IL__STATE_WAITING && run->wait.open && !run->runtime_met &&
           il__secret_eq(il__str(run->wait.request_id), request_id) &&
           !il__deadline_passed(&run->wait.deadline, il__clock_now(&e->clock), e->clock.boot_id);
}

void il__approval_expire(struct il_run *run, struct il__now now)
{
    struct il__engine *e = run->engine;
    for (size_t i = 0; i < run->vote_count; i++) {
        struct il__vote *vote = &run->votes[i];
        bool over = vote->until.set && il__deadline_passed(&vote->until, now, e->clock.boot_id);
        if (over && vote->decision == IL__DECISION_APPROVE) vote->voided = true;
    }
}

static void go_on_if_met(struct il_run *run)
{
    il__approval_expire(run, il__clock_now(&run->engine->clock));
    if (!run->wait.open || !il__needs_met(run)) return;
    run->wait.open = false;
    il__run_wake_at(run, INT64_MAX);
    il__run_set_state(run, IL__STATE_QUEUED);
}

enum il_code il__vote_note(struct il_run *run, const struct il__vote *vote, struct il_str payload, struct il_error *err)
{
    const struct il__tell told = { .object = vote->approver, .actual = il__str(il__decision_names[vote->decision]),
                                   .text = vote->reason, .ok = !vote->voided };
    enum il_code code =
        IL__NOTE(run, "decision", payload, err, IL__TEXT("approver", vote->approver),
                 IL__TEXT("decision", il__str(il__decision_names[vote->decision])), IL__TEXT("reason", vote->reason),
                 IL__TEXT("request", il__str(run->wait.request_id)),
                 IL__RAW("roles", vote->roles.count ? il__record_strs(run, vote->roles) : IL_STR_NONE),
                 IL__TEXT("trust", il__str(vote->local     ? "unsigned, not separated"
                                           : vote->signed_ ? "signed"
                                                           : "verified by the host")),
                 IL__TEXT("voided", vote->voided ? IL_STR("policy_denied") : IL_STR_NONE));
    if (!code) il__run_tell(run, IL_EVENT_DECISION, &told);
    return code;
}

static enum il_code keep_vote(struct il_run *run, struct il__vote vote, struct il_str payload, struct il_error *err)
{
    if (run->vote_count >= IL__LIMIT_DECISIONS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "approval", "decisions", "a run takes at most %d decisions",
                           IL__LIMIT_DECISIONS);
    if (il__arena_str(&run->arena, vote.reason, &vote.reason))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a decision");
    struct il_error why = IL_ERROR_INIT;
    bool asks = vote.decision == IL__DECISION_APPROVE;
    enum il_code code = asks ? il__judge(run, IL__PHASE_APPROVE, &vote, &why) : IL_OK;
    vote.voided = code != IL_OK;
    if (il__vote_note(run, &vote, payload, err)) return err ? err->code : IL_OUT_OF_MEMORY;
    run->votes[run->vote_count++] = vote;
    if (!code) return IL_OK;
    return il__fail_at(err, IL_APPROVAL_MISMATCH, "approval", "decision", "it does not count: %s", why.message);
}

static void end_denied(struct il_run *run, const struct il__vote *vote)
{
    struct il_error err = IL_ERROR_INIT;
    char who[96], why[240];
    il__escape(who, sizeof who, vote->approver);
    il__escape(why, sizeof why, vote->reason);
    il__fail_at(&err, IL_POLICY_DENIED, "approval", "decision", "%s said %s%s%s", who,
                il__decision_names[vote->decision], *why ? ": " : "", why);
    il__run_stop(run, IL__END_DENIED, &err);
}

static bool denies(int decision)
{
    return decision == IL__DECISION_DENY || decision == IL__DECISION_REOBSERVE;
}

enum il_code il__vote_cast(struct il_run *run, struct il__vote vote, struct il_str payload, struct il_error *err)
{
    enum il_code code = keep_vote(run, vote, payload, err);
    if (denies((int)vote.decision)) end_denied(run, &vote);
    else if (!code) go_on_if_met(run);
    return code;
}

/* Each request that the run ever opened stands in its journal. */
static bool was_asked(const struct il_run *run, struct il_str request_id)
{
    static const char kind[] = "\"kind\":\"wait\"", member[] = "\"request\":\"";
    char want[64];
    if (!run->wait.request_id[0]) return false;
    if (il__secret_eq(il__str(run->wait.request_id), request_id)) return true;
    if (request_id.len != 36 || memcmp(request_id.ptr, "req-", 4) != 0) return false;
    if (!il__str_is_hex((struct il_str){ request_id.ptr + 4, 32 }, 32)) return false;
    memcpy(want, member, sizeof member - 1);
    memcpy(want + sizeof member - 1, request_id.ptr, 36);
    for (size_t i = 0; i < run->journal.count; i++) {
        struct il_str text = run->journal.records[i].text;
        if (memmem(text.ptr, text.len, kind, sizeof kind - 1) && memmem(text.ptr, text.len, want, sizeof member + 35))
            return true;
    }
    return false;
}

bool il__wait_denies_late(const struct il_run *run, struct il_str request_id, int decision)
{
    return denies(decision) && (run->done & IL__DID_SEND) && !(run->done & IL__DID_RECEIPT) &&
           run->end == IL__END_NONE && was_asked(run, request_id);
}

enum il_code il__vote_late_deny(struct il_run *run, struct il_str payload, struct il_error *err)
{
    run->denied_late = true; /* also when it cannot be recorded */
    enum il_code code = IL__NOTE(run, "late", payload, err, IL__NUMBER("denies", 1),
                                 IL__TEXT("what", IL_STR("decision")));
    if (code) return code;
    return il__fail_at(err, IL_APPROVAL_MISMATCH, "approval", "request_id",
                       "the deny came too late (the send was begun): recorded; it holds back only what has not left");
}

bool il__wait_still_denies(const struct il_run *run, struct il_str request_id, int decision)
{
    return denies(decision) && was_asked(run, request_id) && run->state != IL__STATE_ENDED &&
           !(run->done & IL__DID_SEND) && run->end == IL__END_NONE;
}

/* ---- the answer document ---- */

static enum il_code decode_answer(struct il_run *run, struct il_str json, struct il__json *doc,
                                  struct il__answer *answer, bool *second_preview, struct il_error *err)
{
    const struct il__json_limits limits = { IL__LIMIT_CONTRACT_BYTES, IL__LIMIT_JSON_FREE_DEPTH };
    struct il__answer_file form;
    enum il_code code = il__json_parse_copy(doc, run->engine->mem, json, limits, err);
    if (code) return code;
    uint32_t preview = il__json_get(doc, 0, "preview");
    *second_preview = preview && il__json_kind(doc, preview) != IL__JSON_NULL;
    if (*second_preview) return IL_OK; /* whatever else the document holds */
    code = il__answer_decode(doc, 0, &form, err);
    if (!code) *answer = *form.approval;
    return code;
}

/* A preview in resume input is a second entry of the channel, whatever it holds (I1). */
static enum il_code second_entry(struct il_run *run, struct il_str json, struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    run->entries++;
    enum il_code code = il__refuse(err, IL_INVARIANT, "preview channel", "entries", IL_STR("1"), IL_STR("2"));
    if (IL__NOTE(run, "preview", json, &local, IL__TEXT("from", IL_STR("resume input"))))
        il__error_cleanup(err, &local);
    il__run_fail(run, err);
    return code;
}

static enum il_code check_answer(struct il_run *run, const struct il__answer *answer, bool require_request_id,
                                 bool *grants, struct il_error *err)
{
    struct il__checker ck;
    const struct il__wait_facts facts = il__wait_facts(run);
    il__checker_init(&ck, "approval", err, il__run_seen, run);
    ck.code = IL_APPROVAL_MISMATCH;
    il__check_answer(&ck, answer, &facts, require_request_id, grants);
    if (!ck.failed && answer->decision >= 0)
        il__check_that(&ck, "decision", run->engine->approver_count == 0,
                       run->engine->approver_count ? IL_STR("a decision of a known approver") : IL_STR("a decision"),
                       IL_STR("an unsigned one"));
    if (ck.failed || !answer->grant) return il__checker_end(&ck);
    il__checker_init(&ck, "approval grant", err, il__run_seen, run);
    ck.code = IL_APPROVAL_MISMATCH;
    il__check_that(&ck, "grant_id", il__str_eq(answer->grant_id, answer->grant->grant_id), IL_STR("the answer's"),
                   IL_STR("another"));
    il__check_grant(&ck, answer->grant, run->preview.envelope, run->preview.policy->policy_digest,
                    run->engine->options->accept_standing_grants, il__clock_now(&run->engine->clock).wall);
    return il__checker_end(&ck);
}

/* The runtime need is met: keep the answer, for execute. */
static enum il_code keep_grant(struct il_run *run, struct il_str json, struct il__now now, const char *boot_id,
                               struct il_error *err)
{
    bool second;
    enum il_code code = decode_answer(run, json, &run->answer_doc, &run->answer, &second, err);
    if (code) {
        il__json_clear(&run->answer_doc);
        memset(&run->answer, 0, sizeof run->answer);
        return code;
    }
    run->runtime_met = true;
    run->grant_id = run->answer.grant_id.len ? run->answer.grant_id : IL_STR_NONE; /* an empty one is none */
    struct il__instant expires;
    if (run->answer.grant && il__rfc3339_parse(run->answer.grant->expires_at, &expires, NULL))
        run->grant_deadline = il__deadline_make(expires, 0, now, boot_id);
    return IL_OK;
}

static enum il_code take_answer(struct il_run *run, struct il_str json, const struct il__answer *answer, bool grants,
                                struct il_error *err)
{
    enum il_code code = IL__NOTE(run, "answer", json, err,
                                 IL__TEXT("meets", grants ? IL_STR("runtime need") : IL_STR_NONE),
                                 IL__TEXT("request", il__str(run->wait.request_id)));
    if (!code && grants) code = keep_grant(run, json, il__clock_now(&run->engine->clock),
                                           run->engine->clock.boot_id, err);
    if (code) return code;
    if (grants) {
        const struct il__tell told = { .object = IL_STR("runtime need"),
                                       .ok = true,
                                       .actual =
                                           il__str(il__str_present(run->grant_id) ? "granted" : "runtime-approved") };
        il__run_tell(run, IL_EVENT_DECISION, &told);
    }
    if (answer->decision < 0) {
        go_on_if_met(run);
        return IL_OK;
    }
    const struct il__vote vote = { .approver = LOCAL, .local = true, .decision = (enum il__decision)answer->decision,
                                   .reason = answer->reason };
    if (vote.decision == IL__DECISION_DEFER) return il__vote_note(run, &vote, IL_STR_NONE, err);
    return il__vote_cast(run, vote, IL_STR_NONE, err);
}

/* The local operator's deny of a request that was consumed already. */
static enum il_code deny_after(struct il_run *run, struct il_str json, const struct il__answer *answer,
                               struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    const struct il__vote vote = { .approver = LOCAL, .local = true, .decision = (enum il__decision)answer->decision,
                                   .reason = answer->reason };
    if (IL__NOTE(run, "answer", json, &local, IL__TEXT("request", answer->request_id)))
        il__error_cleanup(&run->error, &local);
    return il__vote_cast(run, vote, IL_STR_NONE, err);
}

static enum il_code answer_with(struct il_run *run, struct il__json *doc, struct il_str json, bool require_request_id,
                                struct il_error *err)
{
    struct il__answer answer = { .decision = -1 };
    bool second = false, grants = false;
    enum il_code code = decode_answer(run, json, doc, &answer, &second, err);
    if (code) return code;
    if (!second && !run->wait.open && !run->engine->approver_count &&
        il__wait_still_denies(run, answer.request_id, answer.decision))
        return deny_after(run, json, &answer, err);
    if (!second && !run->engine->approver_count && il__wait_denies_late(run, answer.request_id, answer.decision))
        return il__vote_late_deny(run, json, err);
    if ((code = il__wait_open_now(run, json, "answer", err))) return code;
    if (second) return second_entry(run, json, err);
    if ((code = check_answer(run, &answer, require_request_id, &grants, err))) {
        /* An operator's file answers a run that nobody else can answer: refused, it is over. */
        if (!require_request_id) il__run_fail(run, err);
        return code;
    }
    return take_answer(run, json, &answer, grants, err);
}

/* What does not set the run in motion is flushed on its own; the rest shares the flush of the intent, or of the end. */
enum il_code il__wait_kept(struct il_run *run, struct il_error *err)
{
    return run->state == IL__STATE_WAITING && run->fence ? il__durable_flush(run->engine, err) : IL_OK;
}

enum il_code il__run_answer(struct il_run *run, struct il_str json, bool require_request_id, struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    struct il__json doc = { 0 };
    if (!err) err = &local;
    il__error_clear(err);
    enum il_code code = answer_with(run, &doc, json, require_request_id, err);
    il__json_clear(&doc);
    return code ? code : il__wait_kept(run, err);
}

/* ---- from the journal ---- */

enum il_code il__wait_restore(struct il_run *run, bool propose, struct il_str request, struct il_str expires_at,
                              struct il_str card, struct il__now then, const char *boot_id, struct il_error *err)
{
    struct il__instant expires;
    if (!request.len || request.len >= sizeof run->wait.request_id || !il__rfc3339_parse(expires_at, &expires, NULL))
        return il__fail_at(err, IL_STORE, "journal", "wait", "a wait cannot be read");
    memcpy(run->wait.request_id, request.ptr, request.len);
    run->wait.request_id[request.len] = '\0';
    run->wait.propose = propose;
    run->wait.open = true;
    run->wait.deadline = il__deadline_make(expires, 0, then, boot_id);
    if (!propose) run->wait.deadline = il__deadline_min(run->wait.deadline, run->envelope_deadline);
    il__buf_reset(&run->card);
    il__buf_str(&run->card, card);
    il__sha256_hex(run->engine->digest, card, run->card_digest);
    return il__buf_check(&run->card, err);
}

enum il_code il__answer_restore(struct il_run *run, struct il_str json, struct il__now then, const char *boot_id,
                                struct il_error *err)
{
    if (!(run->done & IL__DID_PREVIEW) || run->runtime_met)
        return il__fail_at(err, IL_STORE, "journal", "answer", "an answer to nothing that was asked");
    return keep_grant(run, json, then, boot_id, err);
}

void il__approval_void(struct il_run *run)
{
    run->vote_count = run->propose_votes = run->propose_needs = 0;
    run->runtime_met = false;
    run->grant_id = IL_STR_NONE;
    run->grant_deadline = (struct il__deadline){ .set = false };
    il__json_clear(&run->answer_doc);
    memset(&run->answer, 0, sizeof run->answer);
}

bool il__approval_denied(struct il_run *run)
{
    struct il_str who = IL_STR("somebody"), why = IL_STR("after the send was begun, of which nothing left");
    if (!run->denied_late &&
        !il__denied(run->votes, run->vote_count, run->identity.principal, run->agent_id, &who, &why)) return false;
    const struct il__vote vote = { .approver = who, .reason = why, .decision = IL__DECISION_DENY };
    end_denied(run, &vote);
    return true;
}

/* ---- at execute ---- */

enum il_code il__approval_recheck(struct il_run *run, struct il__now now, struct il_error *err)
{
    struct il__checker ck;
    il__checker_init(&ck, "approval", err, il__run_seen, run);
    ck.code = IL_APPROVAL_MISMATCH;
    if (run->runtime_met) {
        il__check_equal(&ck, "action_digest", run->preview.envelope->args_digest, run->answer.action_digest);
        il__check_equal(&ck, "policy_digest", run->preview.policy->policy_digest, run->answer.policy_digest);
        struct il_str granted = run->answer.grant_id.len ? run->answer.grant_id : IL_STR_NONE;
        bool same = il__str_eq(granted, run->grant_id);
        il__check_that(&ck, "grant_id", same, IL_STR("the answer's"),
                       same ? IL_STR("the answer's") : IL_STR("another"));
    }
    bool expired = il__deadline_passed(&run->grant_deadline, now, run->engine->clock.boot_id);
    if (run->grant_deadline.set)
        il__check_that(&ck, "expires_at", !expired, IL_STR("a grant that has not expired"),
                       expired ? IL_STR("expired") : IL_STR("one that has not"));
    il__approval_expire(run, now);
    bool met = il__needs_met(run);
    il__check_that(&ck, "needs", met, IL_STR("met"), met ? IL_STR("met") : IL_STR("open"));
    struct il_str who, why;
    bool denied = il__denied(run->votes, run->vote_count, run->identity.principal, run->agent_id, &who, &why) ||
                  run->denied_late;
    il__check_that(&ck, "decision", !denied, IL_STR("no deny"), denied ? IL_STR("deny") : IL_STR("no deny"));
    return il__checker_end(&ck);
}
