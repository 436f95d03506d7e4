/* Verify, release, end (close.h). Must reach ENDED for every run, whatever fails on the way. */
#include "run/close.h"

#include "base/error.h"
#include "run/counts.h"
#include "run/durable.h"
#include "run/hold.h"
#include "run/letters.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/request.h"
#include "run/state.h"
#include "run/step.h"

/* ---- the outcome ---- */

/* The session's events that came with the evidence; those that cannot be read are none. Returns how many. */
static size_t read_events(struct il_run *run, struct il__event *events, const struct il__event **list, size_t cap)
{
    struct il__json *doc = &run->evidence_doc;
    uint32_t node = run->has_evidence ? il__json_get(doc, 0, "events") : 0;
    size_t count = 0;
    if (!node || il__json_kind(doc, node) != IL__JSON_ARRAY) return 0;
    for (uint32_t at = il__json_first(doc, node); at && count < cap; at = il__json_next(doc, node, at)) {
        if (il__decode(&il__event_schema, doc, at, &events[count], NULL)) continue;
        list[count] = &events[count];
        count++;
    }
    return count;
}

enum { EVENTS_MAX = 16 }; /* of one action; the server writes one */

void il__outcome_take(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__event events[EVENTS_MAX];
    const struct il__event *list[EVENTS_MAX];
    size_t count = read_events(run, events, list, EVENTS_MAX);
    const struct il__any evidence = { run->has_evidence ? &run->evidence_doc : NULL, 0 };
    run->outcome = il__outcome_of(&run->receipt, run->preview.envelope->postcondition, evidence, list, count,
                                  run->engine->options->accept_server_verification);
    if (run->effect != IL_EFFECT_COMMITTED) run->effect = run->outcome.effect; /* what was seen is not taken back */
    run->done |= IL__DID_OUTCOME;
    if (IL__NOTE(run, "outcome", IL_STR_NONE, &err, IL__TEXT("detail", il__str(run->outcome.detail)),
                 IL__RAW("error", il__record_error(run)),
                 IL__TEXT("outcome", il__str(il__outcome_names[run->outcome.outcome])),
                 IL__TEXT("status", il__str(run->outcome.status))))
        il__error_cleanup(&run->error, &err);
}

static bool has_to_ask(const struct il_run *run)
{
    return !run->engine->clearing && run->receipt.status == IL__RECEIPT_COMMITTED &&
           run->preview.envelope->postcondition &&
           il__op_offered(run->engine, IL_OP_VERIFY);
}

static enum il_code begin_verify(struct il_run *run, struct il_error *err)
{
    enum il_code code = IL__NOTE(run, "intent", IL_STR_NONE, err, IL__TEXT("op", IL_STR("verify")));
    if (!code) code = il__request_body(run, IL_OP_VERIFY, err);
    if (code) return code;
    il__run_set_state(run, IL__STATE_BUSY);
    const struct il__tell told = { .step = IL_STR("verify"), .text = IL_STR("verify") };
    il__run_tell(run, IL_EVENT_REQUEST, &told);
    return il__op_begin(run->engine, run, IL_OP_VERIFY, IL__FOR_STEP, NULL, NULL, err);
}

/* The verification could not be made: the receipt's own evidence decides, and the error stands in the result. */
static void verify_failed(struct il_run *run, const struct il_error *err)
{
    if (!run->error.code) run->error = *err;
    il__error_step(&run->error, "verify");
    run->has_evidence = false;
    il__outcome_take(run);
}

enum il_code il__evidence_take(struct il_run *run, struct il_str body, struct il_error *err)
{
    il__json_clear(&run->evidence_doc);
    enum il_code code = il__json_parse_copy(&run->evidence_doc, run->engine->mem, body, IL__JSON_PAYLOAD, err);
    il__error_object(err, "verification");
    if (!code) code = IL__NOTE(run, "evidence", body, err, IL__TEXT("from", IL_STR("verify")));
    run->has_evidence = !code && il__json_kind(&run->evidence_doc, 0) != IL__JSON_NULL;
    return code;
}

enum il__went il__verify_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    (void)ask;
    if (!has_to_ask(run)) {
        il__outcome_take(run);
        return IL__WENT_ON;
    }
    if (!begin_verify(run, err)) return IL__WENT_AWAY;
    verify_failed(run, err);
    il__error_clear(err);
    il__run_set_state(run, IL__STATE_READY);
    return IL__WENT_AWAY;
}

void il__close_verified(struct il_run *run, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    if (answer->code) il__op_failed(run, "runtime", "verify", answer, &err);
    if (err.code || il__evidence_take(run, answer->body, &err)) verify_failed(run, &err);
    else il__outcome_take(run);
    il__run_set_state(run, run->workflow ? IL__STATE_READY : IL__STATE_CLOSING);
}

/* ---- release ---- */

static void not_begun(struct il_run *run, bool lease, enum il_code code, const char *why)
{
    const struct il__answer_in answer = { 0, code, IL_STR_NONE, IL_STR_NONE, il__str(why), false };
    il__released(run, lease, &answer);
}

/* True when a request is in flight. */
static bool release(struct il_run *run, bool lease)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__held *held = lease ? &run->leased : &run->reserved;
    enum il_op op = lease ? IL_OP_RELEASE_LEASE : IL_OP_RELEASE_TARGET;
    if (!held->held || held->tried) return false;
    held->tried = true;
    if (held->foreign) {
        not_begun(run, lease, IL_IDENTITY_MISMATCH, "it names another session or principal and is left alone");
        return false;
    }
    if (!held->id.len) {
        not_begun(run, lease, IL_DECODE, "what was returned has no readable id");
        return false;
    }
    if (!il__op_offered(run->engine, op)) { /* the port's default: ok */
        const struct il__answer_in ok = { 0, IL_OK, IL_STR("null"), IL_STR_NONE, IL_STR_NONE, false };
        il__released(run, lease, &ok);
        return false;
    }
    const struct il__tell told = { .step = IL_STR("release"), .text = il__str(il_op_name(op)) };
    il__run_tell(run, IL_EVENT_REQUEST, &told);
    if (IL__NOTE(run, "intent", IL_STR_NONE, &err, IL__TEXT("op", il__str(il_op_name(op))))) {
        il__error_cleanup(&run->error, &err); /* what is held is given back all the same */
        il__error_clear(&err);
    }
    if (!il__request_body(run, op, &err) &&
        !il__op_begin(run->engine, run, op, lease ? IL__FOR_RELEASE_LEASE : IL__FOR_RELEASE_TARGET, NULL, NULL, &err)) {
        return true;
    }
    not_begun(run, lease, err.code, err.message);
    return false;
}

void il__close_late(struct il_run *run, bool lease)
{
    if (run->closed) release(run, lease); /* also while its end waits for the disk */
}

/* ---- the end ---- */

static enum il__end end_of_outcome(const struct il__outcome_detail *d)
{
    switch (d->outcome) {
    case IL__VERIFIED: return IL__END_COMPLETED;
    case IL__COMMITTED_UNVERIFIED: return IL__END_COMMITTED_UNVERIFIED;
    case IL__FAILED: break;
    }
    return IL__END_VERIFICATION_FAILED;
}

static void ended(struct il_run *run, struct il_error *failed)
{
    if (failed) il__error_cleanup(&run->error, failed);
    const struct il__tell told = { .actual = il__str(il__end_names[run->end]),
                                   .text = run->error.code ? il__str(run->error.message) : IL_STR_NONE };
    il__run_set_state(run, IL__STATE_ENDED);
    il__run_tell(run, IL_EVENT_ENDED, &told);
}

/* The end of a run with a receipt is not flushed: after a power loss it is computed again from the receipt. */
static void finish(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    if (run->closed) return;
    il__letters_take(run); /* too late, and recorded as such */
    run->closed = true;
    if (run->done & IL__DID_OUTCOME) run->end = end_of_outcome(&run->outcome);
    if (run->end == IL__END_NONE) run->end = run->done & IL__DID_SEND ? IL__END_INDETERMINATE : IL__END_FAILED;
    il__line_leave(run);
    if (IL__NOTE(run, "end", IL_STR_NONE, &err,
                 IL__TEXT("code", run->error.code ? il__str(il_code_name(run->error.code)) : IL_STR_NONE),
                 IL__NUMBER("effect", (int64_t)run->effect), IL__RAW("error", il__record_error(run)),
                 IL__TEXT("message", il__str(run->error.message)),
                 IL__NUMBER("releaseFailed", run->release_failed),
                 IL__TEXT("status", il__str(il__end_names[run->end]))))
        il__error_cleanup(&run->error, &err);
    il__counts_ended(run);
    il__durable_index(run);
    if (run->done & IL__DID_RECEIPT) ended(run, NULL);
    else il__durable_then(run, ended);
}

void il__close_next(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    run->step = NULL;
    if ((run->done & IL__DID_RECEIPT) && !(run->done & IL__DID_OUTCOME)) {
        if (!has_to_ask(run)) il__outcome_take(run);
        else if (!begin_verify(run, &err)) return;
        else verify_failed(run, &err);
    }
    if (release(run, true)) return;
    il__line_leave(run);
    if (release(run, false)) return;
    finish(run);
}
