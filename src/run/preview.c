/* Observing and previewing: the steps before anything is held. A preview is accepted only when it is readable, fresh,
 * digested as we would, and an echo of what was proposed; then it is retained, once (SPEC §3, §4 I1 and I11). */
#include "base/error.h"
#include "base/limits.h"
#include "run/approval.h"
#include "run/judge.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/reload.h"
#include "run/request.h"
#include "run/retain.h"
#include "run/state.h"
#include "run/step.h"

#include <string.h>

/* ---- observe ---- */

static const enum il_op SEE_OPS[] = { IL_OP_DISCOVER_CAPABILITIES, IL_OP_OBSERVE_VISUAL, IL_OP_OBSERVE_SEMANTIC };

enum il__went il__observe_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    run->see_left = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!(ask->see & (1u << i))) continue;
        if (!il__op_offered(run->engine, SEE_OPS[i])) {
            il__fail_at(err, IL_UNSUPPORTED, "runtime", il_op_name(SEE_OPS[i]), "not offered by this runtime");
            return IL__WENT_WRONG;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        if (!(ask->see & (1u << i)) || run->asks[run->ask_count - 1].observed[i]) continue; /* the journal holds it */
        if (IL__NOTE(run, "intent", IL_STR_NONE, err, IL__TEXT("op", il__str(il_op_name(SEE_OPS[i])))))
            return IL__WENT_WRONG;
        if (il__request_body(run, SEE_OPS[i], err)) return IL__WENT_WRONG;
        run->see_left |= 1u << i;
        il__run_set_state(run, IL__STATE_BUSY);
        const struct il__tell told = { .step = IL_STR("observe"), .text = il__str(il_op_name(SEE_OPS[i])) };
        il__run_tell(run, IL_EVENT_REQUEST, &told);
        if (il__op_begin(run->engine, run, SEE_OPS[i], IL__FOR_STEP, NULL, NULL, err)) return IL__WENT_WRONG;
    }
    return run->see_left ? IL__WENT_AWAY : IL__WENT_ON;
}

enum il_code il__observe_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err)
{
    unsigned i = op == IL_OP_DISCOVER_CAPABILITIES ? 0 : op == IL_OP_OBSERVE_VISUAL ? 1 : 2;
    struct il__json *doc = &run->observed[i];
    il__json_clear(doc);
    run->observed_set[i] = false;
    enum il_code code = il__json_parse(doc, run->engine->mem, body, IL__JSON_PAYLOAD, err);
    if (!code && il__json_kind(doc, 0) == IL__JSON_NULL)
        code = il__fail_at(err, IL_DECODE, "observation", "", "%s returned nothing", il_op_name(op));
    if (!code) code = IL__NOTE(run, "observed", body, err, IL__TEXT("op", il__str(il_op_name(op))));
    il__error_object(err, "observation");
    if (code) {
        il__json_clear(doc);
        return code;
    }
    /* The tape counts in offsets: it now reads the journal's copy of the same bytes. */
    doc->text = run->journal.records[run->journal.count - 1].payload;
    run->observed_set[i] = true;
    run->asks[run->ask_count - 1].observed[i] = run->journal.count - 1;
    run->see_left &= ~(1u << i);
    return IL_OK;
}

enum il_code il__observe_again(struct il_run *run, size_t at, struct il_error *err)
{
    for (unsigned i = 0; i < 3; i++) {
        size_t record = run->asks[at].observed[i];
        if (!record) continue;
        struct il__json *doc = &run->observed[i];
        il__json_clear(doc);
        run->observed_set[i] = false;
        enum il_code code = il__json_parse(doc, run->engine->mem, run->journal.records[record].payload,
                                           IL__JSON_PAYLOAD, err);
        if (code) {
            il__json_clear(doc);
            return code;
        }
        run->observed_set[i] = true;
    }
    return IL_OK;
}

enum il__went il__observe_then(struct il_run *run, struct il_error *err)
{
    (void)err;
    return run->see_left ? IL__WENT_AWAY : IL__WENT_ON;
}

/* ---- preview ---- */

static enum il__went propose(struct il_run *run, struct il_error *err)
{
    if (!(run->done & IL__DID_PROPOSE)) {
        run->need_count = 0; /* asked anew when the phase was interrupted */
        run->done |= IL__DID_PROPOSE;
        if (il__judge(run, IL__PHASE_PROPOSE, NULL, err)) {
            run->block_reason = il__str(il_code_name(err->code));
            return IL__WENT_WRONG;
        }
    }
    if (il__needs_met(run)) return IL__WENT_ON;
    return il__run_wait(run, true, err) ? IL__WENT_WRONG : IL__WENT_AWAY;
}

enum il__went il__preview_before(struct il_run *run, struct il_error *err)
{
    if (run->entries) { /* a second entry, however it came, ends the run */
        il__refuse(err, IL_INVARIANT, "preview channel", "entries", IL_STR("1"), IL_STR("2"));
        return IL__WENT_WRONG;
    }
    if (run->proposal.mode == IL__MODE_SHADOW && il__retain_identity(run, err)) return IL__WENT_WRONG;
    return propose(run, err);
}

static enum il_code decode_preview(struct il_run *run, struct il_str body, struct il_error *err)
{
    struct il__engine *e = run->engine;
    enum il_code code = il__decode_text(&il__preview_schema, e->mem, body, &run->preview_doc, &run->preview, err);
    if (code) return code;
    code = il__args_digest(e->digest, e->mem, &run->preview_doc, run->preview.envelope_raw.at, run->proposal.arguments,
                           run->own_args_digest, err);
    if (code == IL_UNSUPPORTED) {
        run->own_args_digest[0] = '\0'; /* then the runtime's word is all there is, and the card says so */
        il__error_clear(err);
        code = IL_OK;
    }
    return code;
}

static void set_preview(struct il_run *run, int64_t ttl_ms, struct il__now arrived, const char *boot_id)
{
    const struct il__engine *e = run->engine;
    struct il__instant expires;
    if (il__rfc3339_parse(run->preview.envelope->expires_at, &expires, NULL))
        run->envelope_deadline = il__deadline_make(expires, ttl_ms, arrived, boot_id);
    run->route = il__route_of(&run->preview, e->options->accept_standing_grants, &run->block_reason);
    run->propose_needs = run->need_count;
    run->propose_votes = run->vote_count;
    run->entries++;
    run->done |= IL__DID_PREVIEW;
}

static enum il_code keep_preview(struct il_run *run, struct il_str body, struct il_error *err)
{
    struct il__engine *e = run->engine;
    enum il_code code = il__retain_digest(run, run->envelope_digest, err);
    if (!code)
        code = IL__NOTE(run, "preview", body, err, IL__TEXT("actionDigest", run->preview.envelope->args_digest),
                        IL__NUMBER("arrived", e->arrived.boot_ms),
                        IL__TEXT("envelopeDigest", il__str(run->envelope_digest)), IL__TEXT("from", IL_STR("runtime")),
                        IL__TEXT("policyDigest", run->preview.policy->policy_digest),
                        IL__TEXT("proposalDigest", il__str(run->proposal_digest)),
                        IL__NUMBER("ttlMs", e->options->envelope_ttl_ms));
    if (!code) set_preview(run, e->options->envelope_ttl_ms, e->arrived, e->clock.boot_id);
    return code;
}

enum il_code il__preview_restore(struct il_run *run, struct il_str body, int64_t ttl_ms, struct il__now arrived,
                                 const char *boot_id, struct il_error *err)
{
    enum il_code code = decode_preview(run, body, err);
    if (!code) code = il__retain_digest(run, run->envelope_digest, err);
    if (!code) set_preview(run, ttl_ms, arrived, boot_id);
    return code;
}

enum il_code il__preview_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err)
{
    (void)op;
    enum il_code code = decode_preview(run, body, err);
    if (!code) code = il__retain_check(run, err);
    if (!code) code = keep_preview(run, body, err);
    if (code) { /* the object is dropped, never stored */
        il__json_clear(&run->preview_doc);
        memset(&run->preview, 0, sizeof run->preview);
    }
    return code;
}

enum il__went il__preview_then(struct il_run *run, struct il_error *err)
{
    struct il_error why = IL_ERROR_INIT;
    run->need_count = run->propose_needs; /* asked anew when the phase was interrupted */
    enum il_code code = il__judge(run, IL__PHASE_PREVIEW, NULL, &why);
    if (code && code != IL_POLICY_DENIED && code != IL_POLICY_ERROR) {
        *err = why;
        return IL__WENT_WRONG;
    }
    if (code) { /* the workflow sees `blocked`; nothing else is open to it */
        run->policy_blocked = true;
        if (run->route != IL__ROUTE_BLOCKED) run->block_reason = il__str(il_code_name(code));
        run->block_error = why;
    }
    if (run->proposal.mode != IL__MODE_SHADOW) return IL__WENT_ON;
    bool blocked = run->policy_blocked || run->route == IL__ROUTE_BLOCKED;
    il__run_stop(run, blocked ? IL__END_BLOCKED : IL__END_PREVIEWED, code ? &why : NULL);
    return IL__WENT_AWAY;
}

/* ---- the workflow ends the run ---- */

enum il__went il__block_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    (void)ask;
    (void)err;
    bool blocked = run->policy_blocked || run->route == IL__ROUTE_BLOCKED;
    if (!blocked) run->block_reason = IL_STR("policy_denied");
    il__run_stop(run, IL__END_BLOCKED, run->block_error.code ? &run->block_error : NULL);
    return IL__WENT_AWAY;
}

enum il__went il__deny_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    run->block_reason = IL_STR("policy_denied");
    il__fail_at(err, IL_POLICY_DENIED, "workflow", "deny", "%s",
                ask->reason[0] ? ask->reason : "no reason given");
    il__run_stop(run, IL__END_BLOCKED, err);
    return IL__WENT_AWAY;
}
