/* What a run has to say: the result document of SPEC §7, the waiting document of §6, the exit status of §11. Written by
 * the core from what it holds; no script adds a word. */
#include "run/result.h"

#include "base/error.h"
#include "run/approval.h"
#include "run/record.h"
#include "run/trial.h"

/* ---- exit status (SPEC §11), first that applies ---- */

static int status_exit(enum il__end end)
{
    switch (end) {
    case IL__END_COMPLETED:
    case IL__END_PREVIEWED: return 0;
    case IL__END_COMMITTED_UNVERIFIED: return 5;
    case IL__END_VERIFICATION_FAILED: return 6;
    case IL__END_BLOCKED:
    case IL__END_DENIED:
    case IL__END_REFUSED:
    case IL__END_EXPIRED:
    case IL__END_CANCELLED: return 1;
    case IL__END_INDETERMINATE: return 7;
    case IL__END_NONE:
    case IL__END_FAILED:
    case IL__END_COUNT: break;
    }
    return 8;
}

int il__exit_status(const struct il__exit_facts *f)
{
    if (f->effect == IL_EFFECT_UNKNOWN) return 7;
    if (f->release_failed) return 8;
    bool script = f->code == IL_SCRIPT_ERROR || f->code == IL_POLICY_ERROR || f->code == IL_LIMIT_EXCEEDED ||
                  f->code == IL_INVARIANT || f->code == IL_DIVERGED;
    if (!f->sent && script) return 3;
    return f->waiting ? 4 : status_exit(f->end);
}

static int exit_of(const struct il_run *run)
{
    const struct il__exit_facts facts = { run->effect, run->release_failed, (run->done & IL__DID_SEND) != 0,
                                          run->error.code, run->state == IL__STATE_WAITING, run->end };
    return il__exit_status(&facts);
}

/* ---- the error, as a member ---- */

void il__write_error(struct il__json_writer *w, const struct il_error *err)
{
    const struct { const char *name, *text; } members[] = {
        { "step", err->step }, { "object", err->object }, { "field", err->field },
        { "expected", err->expected }, { "actual", err->actual }, { "message", err->message },
    };
    il__jw_object(w);
    il__jw_member_z(w, "code", il_code_name(err->code));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].text[0]) il__jw_member_z(w, members[i].name, members[i].text);
    if (err->cleanup_code) {
        il__jw_key(w, "cleanup");
        il__jw_object(w);
        il__jw_member_z(w, "code", il_code_name(err->cleanup_code));
        if (err->cleanup_step[0]) il__jw_member_z(w, "step", err->cleanup_step);
        il__jw_member_z(w, "message", err->cleanup_message);
        il__jw_object_end(w);
    }
    il__jw_object_end(w);
}

/* ---- the result ---- */

static const char *status_name(const struct il_run *run)
{
    return run->state == IL__STATE_WAITING ? "waiting" : il__end_names[run->end];
}

static struct il_str detail_of(const struct il_run *run)
{
    if (!(run->done & IL__DID_OUTCOME) || run->outcome.verified) return IL_STR_NONE;
    return il__str(run->outcome.detail);
}

static void write_result(const struct il_run *run, struct il__json_writer *w)
{
    il__jw_key(w, "result");
    il__jw_object(w);
    il__jw_member_z(w, "status", status_name(run));
    if (run->end == IL__END_BLOCKED) {
        il__jw_member_str(w, "reason", run->block_reason);
    } else {
        il__jw_key(w, "receiptId");
        il__jw_str(w, run->done & IL__DID_RECEIPT ? run->receipt.receipt_id : IL_STR_NONE);
        il__jw_key(w, "verificationDetail");
        il__jw_str(w, detail_of(run));
        if ((run->done & IL__DID_OUTCOME) && run->outcome.server_event) il__jw_member_z(w, "evidence", "server_event");
    }
    il__jw_object_end(w);
}

/* The limits of which the intent consumed a unit. */
static void write_units(const struct il_run *run, struct il__json_writer *w)
{
    if (!run->units.count) return;
    il__jw_key(w, "units");
    il__jw_array(w);
    for (size_t i = 0; i < run->units.count; i++) il__jw_str(w, run->units.items[i]);
    il__jw_array_end(w);
}

static void write_needs(const struct il_run *run, struct il__json_writer *w)
{
    size_t first = run->wait.propose ? 0 : run->propose_needs;
    il__jw_key(w, "needs");
    il__jw_array(w);
    if (!run->wait.propose && run->route == IL__ROUTE_APPROVAL) {
        il__jw_object(w);
        il__jw_member_z(w, "kind", "runtime");
        il__jw_member_bool(w, "met", run->runtime_met);
        il__jw_object_end(w);
    }
    for (size_t i = first; i < run->need_count; i++) {
        const struct il__need *need = &run->needs[i];
        size_t votes = run->wait.propose ? 0 : run->propose_votes;
        il__jw_object(w);
        il__jw_member_z(w, "kind", "host");
        il__jw_member_str(w, "policy", need->policy);
        il__jw_member_str(w, "code", need->code);
        il__jw_member_str(w, "reason", need->reason);
        il__jw_member_int(w, "approvers", need->approvers);
        il__jw_member_int(w, "given", il__need_count(need, run->votes + votes, run->vote_count - votes,
                                                     run->identity.principal, run->agent_id,
                                                     run->engine->approver_count > 0));
        il__jw_key(w, "roles");
        il__jw_array(w);
        for (size_t k = 0; k < need->roles.count; k++) il__jw_str(w, need->roles.items[k]);
        il__jw_array_end(w);
        il__jw_member_bool(w, "override", need->override_);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
}

static void write_wait(const struct il_run *run, struct il__json_writer *w)
{
    char expires[IL__RFC3339_MAX];
    il__rfc3339_format(run->wait.deadline.wall, expires);
    il__jw_member_str(w, "host", run->engine->options->host_name);
    il__jw_member_z(w, "requestId", run->wait.request_id);
    il__jw_key(w, "actionDigest");
    il__jw_str(w, run->wait.propose ? IL_STR_NONE : run->preview.envelope->args_digest);
    il__jw_key(w, "policyDigest");
    il__jw_str(w, run->wait.propose ? IL_STR_NONE : run->preview.policy->policy_digest);
    il__jw_member_z(w, "proposalDigest", run->proposal_digest);
    il__jw_key(w, "hostPolicyDigest");
    il__jw_str(w, run->policies_digest[0] ? il__str(run->policies_digest) : IL_STR_NONE);
    write_needs(run, w);
    il__jw_key(w, "reasons");
    il__jw_array(w);
    if (!run->wait.propose)
        for (size_t i = 0; i < run->preview.policy->reasons.count; i++)
            il__jw_str(w, run->preview.policy->reasons.items[i]);
    il__jw_array_end(w);
    il__jw_member_z(w, "expiresAt", expires);
    il__jw_key(w, "card");
    il__jw_str(w, il__buf_get(&run->card));
    il__jw_member_z(w, "cardDigest", run->card_digest);
}

/* What bundles on trial would have otherwise. */
static void write_tried(const struct il_run *run, struct il__json_writer *w)
{
    if (!run->tried_count) return;
    il__jw_key(w, "trial");
    il__jw_object(w);
    il__jw_member_int(w, "differs", (int64_t)run->tried_count);
    il__jw_key(w, "phases");
    il__jw_array(w);
    for (size_t i = 0; i < run->tried_kept; i++) {
        const struct il__tried *t = &run->tried[i];
        il__jw_object(w);
        il__jw_member_z(w, "phase", il__phase_names[t->phase]);
        il__jw_member_z(w, "change", il__change_names[t->change]);
        il__jw_member_z(w, "enforced", il__verdict_names[t->enforced]);
        il__jw_member_z(w, "trial", il__verdict_names[t->trial]);
        il__jw_member_str(w, "policy", t->policy);
        il__jw_member_int(w, "line", t->line);
        il__jw_member_str(w, "reason", t->reason);
        il__jw_object_end(w);
    }
    il__jw_array_end(w);
    il__jw_object_end(w);
}

enum il_code il__run_document(struct il_run *run, struct il_str *out, struct il_error *err)
{
    struct il__json_writer w;
    il__buf_reset(&run->document);
    il__jw_init(&w, &run->document);
    il__jw_object(&w);
    il__jw_member_z(&w, "status", status_name(run));
    il__jw_member_bool(&w, "verified", (run->done & IL__DID_OUTCOME) && run->outcome.verified);
    il__jw_member_bool(&w, "committed", (run->done & IL__DID_OUTCOME) && run->outcome.committed);
    il__jw_member_z(&w, "effect", il_effect_name(run->effect));
    il__jw_member_bool(&w, "retrySafe", run->effect == IL_EFFECT_NONE);
    il__jw_member_z(&w, "runId", run->id);
    il__jw_member_z(&w, "actionId", run->action_id);
    if (run->rebooted) il__jw_member_z(&w, "clock", "wall only: the machine was restarted since the run began");
    if (run->state == IL__STATE_WAITING) write_wait(run, &w);
    else write_result(run, &w);
    write_units(run, &w);
    write_tried(run, &w);
    if (run->error.code) {
        il__jw_key(&w, "error");
        il__write_error(&w, &run->error);
    }
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&run->document, err);
    if (!code) *out = il__buf_get(&run->document);
    return code;
}

enum il_code il__run_card(struct il_run *run, struct il_str *out, struct il_error *err)
{
    if (run->state != IL__STATE_WAITING) return il__fail_at(err, IL_CONFLICT, "run", "card", "the run does not wait");
    *out = il__buf_get(&run->card);
    return IL_OK;
}

void il__run_summary(const struct il_run *run, struct il_summary *out)
{
    size_t size = out->size;
    *out = (struct il_summary){
        .size = size,
        .status = status_name(run),
        .verified = (run->done & IL__DID_OUTCOME) && run->outcome.verified,
        .committed = (run->done & IL__DID_OUTCOME) && run->outcome.committed,
        .retry_safe = run->effect == IL_EFFECT_NONE,
        .effect = run->effect,
        .exit_status = exit_of(run),
        .reason = run->end == IL__END_BLOCKED ? run->block_reason : IL_STR_NONE,
        .receipt_id = run->done & IL__DID_RECEIPT ? run->receipt.receipt_id : IL_STR_NONE,
        .verification_detail = detail_of(run),
        .error = run->error,
    };
}
