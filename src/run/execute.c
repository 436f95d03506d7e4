/* Execute (execute.h): (a) all checks, (b) the intent in the journal, (c) again what time can change, (d) send. Nothing
 * runs between c and d. Must be the only caller of `begin` with IL_OP_EXECUTE_ACTION. */
#include "run/execute.h"

#include "base/error.h"
#include "base/secret.h"
#include "run/approval.h"
#include "run/counts.h"
#include "run/durable.h"
#include "run/hold.h"
#include "run/judge.h"
#include "run/letters.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/request.h"
#include "run/retain.h"
#include "run/state.h"
#include "run/step.h"

/* ---- permits ---- */

enum il_code il__permit_holds(const struct il__permit *permit, struct il_error *err)
{
    if (permit->spent) return il__fail_at(err, IL_INVARIANT, "permit", "spent", "a permit sends once");
    return permit->holds(permit->ctx, err);
}

enum il_code il__permit_spend(struct il__permit *permit, struct il_error *err)
{
    enum il_code code = il__permit_holds(permit, err);
    if (!code) permit->spent = true;
    return code;
}

/* ---- (c): what time can change ---- */

/* A permit is for one send and ends with it: an adapter that still has it queued once the run looks for what became of
 * that send, knows it, sends again or is over, must not let it go. */
static enum il_code still_waited_for(const struct il__sending *sending, struct il_error *err)
{
    const struct il_run *run = sending->run;
    bool waits = run->state != IL__STATE_CLOSING && run->state != IL__STATE_ENDED && !run->end;
    if (waits && sending->number == run->sends && !run->recovered && !(run->done & IL__DID_RECEIPT)) return IL_OK;
    return il__fail_at(err, IL_CONFLICT, "permit", "send", "the run does not wait for this send any more");
}

static enum il_code recheck_time(void *ctx, struct il_error *err)
{
    const struct il__sending *sending = ctx;
    struct il_run *run = sending->run;
    struct il__engine *e = run->engine;
    int64_t margin = e->options->execute_margin_ms;
    enum il_code code = still_waited_for(sending, err);
    if (!code) code = il__retain_latch(run, err);
    if (!code) code = il__durable_owns(run, err);
    if (!code) code = il__letters_deny(run, err);
    if (code) return code;
    struct il__now now = il__clock_now(&e->clock); /* last: asking the store takes time */
    if (il__deadline_within(&run->envelope_deadline, margin, now, e->clock.boot_id))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "action envelope", "expires_at", IL_STR("later than now"),
                          run->preview.envelope->expires_at);
    if (il__deadline_within(&run->lease_deadline, margin, now, e->clock.boot_id))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "control lease", "expires_at", IL_STR("later than now"),
                          run->lease.expires_at);
    if (run->has_reservation && il__deadline_within(&run->reservation_deadline, margin, now, e->clock.boot_id))
        return il__refuse(err, IL_IDENTITY_MISMATCH, "target reservation", "expires_at", IL_STR("later than now"),
                          run->reservation.expires_at);
    if ((code = il__retain_identity_time(run, margin, now, err))) return code;
    return il__approval_recheck(run, now, err); /* an unread deny, an expired grant */
}

/* ---- (a): everything ---- */

static enum il_code same_proposal(struct il_run *run, struct il_error *err)
{
    char hex[IL__SHA256_HEX];
    enum il_code code = il__request_digest(run, hex, err);
    if (code) return code;
    if (il__secret_eq(il__str(hex), il__str(run->proposal_digest))) return IL_OK;
    return il__refuse(err, IL_IDENTITY_MISMATCH, "action envelope", "proposal_digest", il__str(run->proposal_digest),
                      il__str(hex));
}

static enum il_code check_all(struct il_run *run, struct il_error *err)
{
    struct il_error policy = IL_ERROR_INIT;
    enum il_code code = il__retain_latch(run, err);
    if (!code) code = il__durable_owns(run, err);
    if (!code) code = il__retain_recheck(run, err);
    if (!code) code = il__hold_recheck_lease(run, err);
    if (!code) code = il__hold_recheck_reservation(run, err);
    if (!code) code = il__approval_recheck(run, il__clock_now(&run->engine->clock), err);
    if (!code) code = il__retain_identity(run, err);
    if (code) return code;
    if ((code = il__judge(run, IL__PHASE_EXECUTE, NULL, &policy))) {
        run->block_reason = il__str(il_code_name(code));
        *err = policy;
        return code;
    }
    code = il__journal_verify(&run->journal, false, err);
    return code ? code : same_proposal(run, err);
}

/* ---- (b) and (d) ---- */

static enum il_code note_intent(struct il_run *run, struct il_error *err)
{
    return IL__NOTE(run, "execute", IL_STR_NONE, err,
                    IL__TEXT("actionDigest", run->preview.envelope->args_digest),
                    IL__TEXT("grant", run->grant_id), IL__TEXT("lease", run->lease.lease_id),
                    IL__TEXT("proposalDigest", il__str(run->proposal_digest)),
                    IL__NUMBER("send", (int64_t)run->sends + 1),
                    IL__RAW("units", run->units.count ? il__record_strs(run, run->units) : IL_STR_NONE));
}

static void not_sent(struct il_run *run, struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    if (IL__NOTE(run, "not_sent", IL_STR_NONE, &local, IL__TEXT("why", il__str(err->message))))
        il__error_cleanup(err, &local);
}

static void recover(struct il_run *run, const struct il_error *cause);
static void end_without_receipt(struct il_run *run, enum il__end end, enum il_effect effect);

/* Nothing left. A first send that was refused ends the run as if it had never been asked for; of a second one only the
 * first is still open. */
static void refused(struct il_run *run, struct il_error *err)
{
    run->sends--;
    not_sent(run, err);
    if (!run->sends) {
        il__run_fail(run, err);
        return;
    }
    il__error_cleanup(&run->error, err);
    end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
}

/* (d): the intent is on disk. */
static void send_now(struct il_run *run, struct il_error *failed)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__sending *sending = &run->sending[run->sends - 1];
    struct il__permit permit = { recheck_time, sending, false };
    if (failed) {
        refused(run, failed);
        return;
    }
    enum il_code code = il__request_body(run, IL_OP_EXECUTE_ACTION, &err);
    if (!code) {
        run->recovered = false;
        code = il__op_begin(run->engine, run, IL_OP_EXECUTE_ACTION, IL__FOR_STEP, &permit, NULL, &err);
    }
    if (permit.spent || !code) {
        run->done |= IL__DID_SEND;
        run->effect = IL_EFFECT_UNKNOWN; /* until a receipt or a proof says more */
    }
    if (code && permit.spent) { /* it may have left: only recovery can tell */
        run->send_failed = IL_TRANSPORT;
        recover(run, &err);
        return;
    }
    if (code) {
        refused(run, &err);
        return;
    }
    if (run->sends > 1)
        il__error_clear(&run->error); /* the loss was made good: the run goes on as if it had not been */
    const struct il__tell told = { .step = IL_STR("execute"), .text = IL_STR("execute_action") };
    il__run_tell(run, IL_EVENT_REQUEST, &told);
}

static enum il_code send(struct il_run *run, struct il_error *err)
{
    enum il_code code = il__counts_spend(run, err);
    if (code == IL_POLICY_DENIED) run->block_reason = il__str(il_code_name(code));
    if (!code) code = note_intent(run, err);
    if (code) return code;
    if ((code = il__counts_sent(run, err))) {
        not_sent(run, err);
        return code;
    }
    run->journal.spare_open = true; /* what follows is recorded, however full it is */
    run->sending[run->sends] = (struct il__sending){ run, run->sends + 1 };
    run->sends++;
    il__run_set_state(run, IL__STATE_BUSY);
    il__durable_then(run, send_now);
    return IL_OK;
}

void il__execute_abandon(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    if (!run->sends || (run->done & IL__DID_SEND)) return;
    il__fail_at(&err, IL_CANCELLED, "run", "execute", "stopped before it was sent");
    run->sends--;
    not_sent(run, &err);
}

enum il__went il__execute_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    (void)ask;
    il__letters_take(run);
    if (run->state == IL__STATE_CLOSING) return IL__WENT_AWAY; /* somebody said no */
    return check_all(run, err) || send(run, err) ? IL__WENT_WRONG : IL__WENT_AWAY;
}

/* ---- the receipt ---- */

static enum il_code bind_receipt(struct il_run *run, struct il_str body, struct il__json *doc,
                                 struct il__receipt *receipt, struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__checker ck;
    static const char *const free_members[] = { "result", "error", NULL };
    enum il_code code = il__json_parse_copy(doc, e->mem, body, IL__JSON_PAYLOAD, err);
    if (!code) code = il__json_strict(doc, 0, free_members, err);
    if (!code) code = il__decode(&il__receipt_schema, doc, 0, receipt, err);
    il__error_object(err, "execution receipt");
    if (code) return code;
    il__checker_init(&ck, "execution receipt", err, il__run_seen, run);
    il__check_receipt(&ck, receipt, run->preview.envelope);
    return il__checker_end(&ck);
}

static enum il_effect effect_of(const struct il__receipt *receipt)
{
    switch ((enum il__receipt_status)receipt->status) {
    case IL__RECEIPT_COMMITTED: return IL_EFFECT_COMMITTED;
    case IL__RECEIPT_REJECTED: return IL_EFFECT_NONE;
    case IL__RECEIPT_INTERRUPTED:
    case IL__RECEIPT_INDETERMINATE:
    case IL__RECEIPT_COUNT: break;
    }
    return IL_EFFECT_UNKNOWN;
}

enum il_code il__receipt_accept(struct il_run *run, struct il_str body, struct il_error *err)
{
    il__json_clear(&run->receipt_doc);
    enum il_code code = bind_receipt(run, body, &run->receipt_doc, &run->receipt, err);
    if (!code)
        code = IL__NOTE(run, "receipt", body, err, IL__TEXT("id", run->receipt.receipt_id),
                        IL__TEXT("status", il__str(il__receipt_status_names[run->receipt.status])));
    if (code) {
        il__json_clear(&run->receipt_doc);
        return code;
    }
    run->done |= IL__DID_RECEIPT;
    if (run->effect != IL_EFFECT_COMMITTED) /* what was seen is not taken back */
        run->effect = effect_of(&run->receipt);
    const struct il__tell told = { .step = IL_STR("execute"),
                                   .text = il__str(il__receipt_status_names[run->receipt.status]) };
    il__run_tell(run, IL_EVENT_ANSWER, &told);
    return IL_OK;
}

/* The receipt is on disk, or is all there is: verify and release follow either way. */
static void receipt_kept(struct il_run *run, struct il_error *failed)
{
    if (failed) il__error_cleanup(&run->error, failed);
    il__run_set_state(run, run->workflow ? IL__STATE_READY : IL__STATE_CLOSING);
}

/* ---- no receipt ---- */

static void end_noted(struct il_run *run, const char *kind, enum il__end end, enum il_effect effect)
{
    struct il_error err = IL_ERROR_INIT;
    if (run->effect != IL_EFFECT_COMMITTED) run->effect = effect; /* a late receipt may have raised it */
    run->end = end;
    if (IL__NOTE(run, kind, IL_STR_NONE, &err, IL__NUMBER("effect", (int64_t)run->effect),
                 IL__RAW("error", il__record_error(run)), IL__TEXT("status", il__str(il__end_names[end]))))
        il__error_cleanup(&run->error, &err);
    il__run_set_state(run, IL__STATE_CLOSING);
}

static void end_without_receipt(struct il_run *run, enum il__end end, enum il_effect effect)
{
    end_noted(run, "no_receipt", end, effect);
}

static void recover(struct il_run *run, const struct il_error *cause)
{
    struct il_error err = IL_ERROR_INIT;
    if (!run->error.code) {
        run->error = *cause;
        il__error_step(&run->error, "execute");
    }
    if (run->recovered || !il__op_offered(run->engine, IL_OP_RECOVER)) {
        end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
        return;
    }
    run->recovered = true;
    enum il_code code = IL__NOTE(run, "recover", IL_STR_NONE, &err, IL__TEXT("cause", il__str(cause->message)),
                                 IL__TEXT("failed", il__str(il_code_name(run->send_failed))));
    if (!code) code = il__request_body(run, IL_OP_RECOVER, &err);
    if (!code) {
        il__run_set_state(run, IL__STATE_BUSY);
        code = il__op_begin(run->engine, run, IL_OP_RECOVER, IL__FOR_RECOVER, NULL, NULL, &err);
    }
    if (code) {
        il__error_cleanup(&run->error, &err);
        end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
    }
}

/* The adapter had queued it and nothing left, for the permit no longer held or the connection was gone: as if it had
 * never been begun. */
static void never_left(struct il_run *run, struct il_error *err)
{
    run->sends--;
    run->done &= ~(unsigned)IL__DID_SEND;
    run->effect = IL_EFFECT_NONE;
    not_sent(run, err);
    if (run->denied_late) il__run_stop(run, IL__END_DENIED, err); /* it came in time after all */
    else il__run_fail(run, err);
}

void il__execute_answer(struct il_run *run, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    if (answer->code) {
        run->send_failed = answer->code;
        il__op_failed(run, "runtime", "execute_action", answer, &err);
        if (answer->unsent && run->sends == 1) never_left(run, &err);
        else recover(run, &err);
        return;
    }
    enum il_code code = il__receipt_accept(run, answer->body, &err);
    if (!code) {
        il__durable_then(run, receipt_kept);
        return;
    }
    /* A receipt for something else is refused; an answer that cannot be read is as good as lost. */
    run->send_failed = code == IL_IDENTITY_MISMATCH ? IL_IDENTITY_MISMATCH : IL_DECODE;
    recover(run, &err);
}

/* The runtime proved that the action never started. Only a lost send is sent once more, under all checks of now. */
static void not_started(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    bool lost = run->send_failed == IL_TRANSPORT || run->send_failed == IL_TIMEOUT;
    if (run->send_failed == IL_RUNTIME && run->effect != IL_EFFECT_COMMITTED) {
        end_without_receipt(run, IL__END_FAILED, IL_EFFECT_NONE);
        return;
    }
    if (!lost || run->sends >= IL__SENDS_MAX || run->cancelled || run->barred || run->denied_late ||
        run->effect == IL_EFFECT_COMMITTED) {
        end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
        return;
    }
    if (!check_all(run, &err) && !send(run, &err)) return;
    il__error_cleanup(&run->error, &err);
    end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
}

void il__recover_answer(struct il_run *run, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    if (answer->code) {
        end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
        return;
    }
    if (il__str_eq(answer->body, IL_STR("\"not_started\""))) {
        not_started(run);
        return;
    }
    if (il__str_eq(answer->body, IL_STR("\"unknown\"")) || il__receipt_accept(run, answer->body, &err)) {
        if (err.code) il__error_cleanup(&run->error, &err);
        end_without_receipt(run, IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
        return;
    }
    il__error_clear(&run->error); /* found: bound as usual */
    il__durable_then(run, receipt_kept);
}

void il__execute_lost(struct il_run *run, const struct il_error *why)
{
    if (!run->error.code) run->error = *why;
    run->journal.spare_open = true;
    run->wait.open = false;
    end_noted(run, "rolled_back", IL__END_INDETERMINATE, IL_EFFECT_UNKNOWN);
}

void il__execute_resume(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    if (run->done & IL__DID_RECEIPT || run->end != IL__END_NONE) {
        il__run_set_state(run, IL__STATE_CLOSING); /* verify and release, whatever has expired meanwhile */
        return;
    }
    /* After a crash what was sent, if anything was, is lost; unless it was known what became of it. */
    if (!run->send_failed) run->send_failed = IL_TRANSPORT;
    il__fail_at(&err, IL_TRANSPORT, "runtime", "execute_action", "the process ended between the intent and a receipt");
    recover(run, &err);
}

void il__receipt_late(struct il_run *run, struct il_str body)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__json doc = { 0 };
    struct il__receipt receipt;
    if (!(run->done & IL__DID_PREVIEW) || run->effect == IL_EFFECT_COMMITTED) return;
    enum il_code code = bind_receipt(run, body, &doc, &receipt, &err);
    if (!code)
        code = IL__NOTE(run, "amendment", body, &err,
                        IL__TEXT("status", il__str(il__receipt_status_names[receipt.status])));
    if (!code && receipt.status == IL__RECEIPT_COMMITTED) run->effect = IL_EFFECT_COMMITTED;
    il__json_clear(&doc);
}
