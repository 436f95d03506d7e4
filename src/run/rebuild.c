/* Applying a journal (rebuild.h): one row per kind of record. */
#include "run/rebuild.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/approval.h"
#include "run/claims.h"
#include "run/close.h"
#include "run/execute.h"
#include "run/hold.h"
#include "run/judge.h"
#include "run/step.h"
#include "run/trial.h"

#include <string.h>

struct reading {
    struct il_run *run;
    const struct il__record *record;
    size_t at;                 /* its number */
    struct il__json doc;
    uint32_t body;
    struct il__now then;       /* when it was written, on both clocks */
    char boot_id[IL__BOOT_ID_MAX];
    il__pinned_fn pinned;
    void *ctx;
};

/* ---- reading a record ---- */

static struct il_str text_of(struct reading *r, uint32_t parent, const char *name)
{
    struct il_str text;
    uint32_t at = il__json_get(&r->doc, parent, name);
    if (!at || il__json_kind(&r->doc, at) != IL__JSON_STRING || il__json_string(&r->doc, at, &text, NULL))
        return IL_STR_NONE;
    return text;
}

static struct il_str text(struct reading *r, const char *name)
{
    return text_of(r, r->body, name);
}

static int64_t number_of(struct reading *r, uint32_t parent, const char *name)
{
    int64_t n = 0;
    uint32_t at = il__json_get(&r->doc, parent, name);
    return at && il__json_int(&r->doc, at, &n) ? n : 0;
}

static int64_t number(struct reading *r, const char *name)
{
    return number_of(r, r->body, name);
}

static enum il_code bad(const struct reading *r, const char *what, struct il_error *err)
{
    return il__fail_at(err, IL_STORE, "journal", what, "record %zu cannot be read: %s", r->at, what);
}

/* A text that lives as long as the run. */
static enum il_code keep(struct reading *r, const char *name, struct il_str *out, struct il_error *err)
{
    if (!il__arena_str(&r->run->arena, text(r, name), out)) return IL_OK;
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
}

static enum il_code keep_strs(struct reading *r, const char *name, struct il__strs *out, struct il_error *err)
{
    uint32_t list = il__json_get(&r->doc, r->body, name);
    if (list && il__json_kind(&r->doc, list) != IL__JSON_ARRAY) return bad(r, name, err);
    size_t count = 0, most = list ? il__json_at(&r->doc, list)->count : 0;
    struct il_str *items = il__arena_alloc(&r->run->arena, (most + 1) * sizeof *items);
    if (!items) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    for (uint32_t at = list ? il__json_first(&r->doc, list) : 0; at; at = il__json_next(&r->doc, list, at)) {
        struct il_str s;
        if (il__json_kind(&r->doc, at) != IL__JSON_STRING) return bad(r, name, err);
        enum il_code code = il__json_string(&r->doc, at, &s, err);
        if (code) return code;
        if (il__arena_str(&r->run->arena, s, &items[count++])) return IL_OUT_OF_MEMORY;
    }
    *out = (struct il__strs){ items, count };
    return IL_OK;
}

static int name_at(const char *const *names, int count, struct il_str s)
{
    for (int i = 0; i < count; i++)
        if (il__str_eq(il__str(names[i]), s)) return i;
    return -1;
}

static void keep_id(char *out, size_t cap, struct il_str id)
{
    size_t len = id.len < cap ? id.len : cap - 1;
    if (len) memcpy(out, id.ptr, len);
    out[len] = '\0';
}

/* When the object arrived: the wall clock of the record, the boot clock noted with it. */
static struct il__now arrived(struct reading *r)
{
    return (struct il__now){ r->then.wall, number(r, "arrived") };
}

static void keep_policies(struct reading *r)
{
    keep_id(r->run->policies_digest, sizeof r->run->policies_digest, text(r, "hostPolicyDigest"));
}

/* ---- one function per kind ---- */

static enum il_code apply_created(struct reading *r, struct il_error *err)
{
    struct il_run *run = r->run;
    struct il__pinned p;
    if (number(r, "journal") != IL__JOURNAL_VERSION)
        return il__fail_at(err, IL_STORE, "journal", "journal", "version %lld of the journal is not known here",
                           (long long)number(r, "journal"));
    const struct { const char *name; struct il_str *to; } texts[] = {
        { "principal", &p.principal }, { "tenant", &p.tenant }, { "runtime", &p.runtime }, { "address", &p.address },
        { "session", &p.session }, { "agent", &p.agent }, { "group", &p.group }, { "workflow", &p.workflow },
        { "workflowDigest", &p.workflow_digest }, { "config", &p.config }, { "supersedes", &run->supersedes },
        { "identityExpires", &p.identity_expires },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        enum il_code code = keep(r, texts[i].name, texts[i].to, err);
        if (code) return code;
    }
    enum il_code code = keep_strs(r, "scopes", &p.scopes, err);
    if (code) return code;
    keep_id(run->action_id, sizeof run->action_id, text(r, "action"));
    keep_policies(r);
    run->created_ms = r->then.wall.sec * 1000 + r->then.wall.nsec / 1000000;
    if ((code = r->pinned(r->ctx, run, &p, err))) return code;
    if ((code = il__run_take_proposal(run, r->record->payload, err))) return code;
    if (!il__str_eq(il__str(run->proposal_digest), text(r, "proposalDigest"))) return bad(r, "proposalDigest", err);
    return IL_OK;
}

static enum il_code apply_ask(struct reading *r, struct il_error *err)
{
    struct il__ask ask = { .see = (unsigned)number(r, "see") };
    int verb = name_at(il__verb_names, IL__VERB_COUNT, text(r, "verb"));
    if (verb < 0) return bad(r, "verb", err);
    ask.verb = (enum il__verb)verb;
    keep_id(ask.reason, sizeof ask.reason, text(r, "reason"));
    r->run->step = &il__steps[verb];
    r->run->wait.open = false;
    return il__step_remember(r->run, &ask, err);
}

static enum il_code apply_intent(struct reading *r, struct il_error *err)
{
    for (unsigned op = 0; op < IL_OP_COUNT; op++) {
        if (!il__str_eq(text(r, "op"), il__str(il_op_name((enum il_op)op)))) continue;
        r->run->open_ops |= 1u << op;
        if (op == IL_OP_ACQUIRE_LEASE) r->run->done |= IL__DID_ASK_LEASE;
        r->run->asked_at = r->then.wall;
        return IL_OK;
    }
    return bad(r, "op", err);
}

static enum il_code apply_observed(struct reading *r, struct il_error *err)
{
    struct il_run *run = r->run;
    struct il_str op = text(r, "op");
    unsigned i = il__str_eq(op, IL_STR("discover_capabilities")) ? 0 : il__str_eq(op, IL_STR("observe_visual")) ? 1 : 2;
    if (!run->ask_count) return bad(r, "op", err);
    run->asks[run->ask_count - 1].observed[i] = r->at;
    return IL_OK;
}

static enum il_code apply_preview(struct reading *r, struct il_error *err)
{
    struct il_run *run = r->run;
    bool second = run->entries > 0; /* whatever it holds, the channel is refused (I1) */
    if (second || !il__str_eq(text(r, "from"), IL_STR("runtime"))) {
        run->entries++;
        return IL_OK;
    }
    run->done |= IL__DID_PROPOSE;
    run->wait.open = false;
    run->open_ops &= ~(1u << IL_OP_PREVIEW_ACTION);
    enum il_code code = il__preview_restore(run, r->record->payload, number(r, "ttlMs"), arrived(r), r->boot_id, err);
    if (code) return code;
    bool same = il__str_eq(il__str(run->envelope_digest), text(r, "envelopeDigest"));
    return same ? IL_OK : bad(r, "envelopeDigest", err);
}

static enum il_code apply_verdict(struct reading *r, struct il_error *err)
{
    struct il_run *run = r->run;
    struct il__said said = { .approvers = number(r, "approvers"), .timeout_ms = number(r, "timeoutMs"),
                             .line = (int)number(r, "line") };
    int phase = name_at(il__phase_names, IL__PHASE_EXECUTE + 1, text(r, "phase"));
    int level = name_at(il__level_names, IL__LEVEL_HARD + 1, text(r, "level"));
    int verdict = name_at(il__verdict_names, IL__VERDICT_DENY + 1, text(r, "said"));
    said.error = il__str_eq(text(r, "said"), IL_STR("error"));
    if (phase < 0 || level < 0 || (verdict < 0 && !said.error)) return bad(r, "said", err);
    if (phase == IL__PHASE_APPROVE || phase == IL__PHASE_EXECUTE) return IL_OK; /* what came of it stands after it */
    said.level = (enum il__level)level;
    said.verdict = said.error ? IL__VERDICT_DENY : (enum il__verdict)verdict;
    enum il_code code = keep(r, "policy", &said.policy, err);
    if (!code) code = keep(r, "code", &said.code, err);
    if (!code) code = keep(r, "reason", &said.reason, err);
    if (!code) code = keep_strs(r, "roles", &said.roles, err);
    struct il__claim claims[IL__LIMIT_LIMIT_CLAIMS];
    said.claims = claims;
    if (!code && !il__claims_read(&r->doc, r->body, claims, &said.claim_count)) return bad(r, "claims", err);
    if (code) return code;
    struct il_error why = IL_ERROR_INIT;
    code = il__judge_restore(run, (enum il__phase)phase, &said, &why);
    if (!code) return IL_OK;
    if (code != IL_POLICY_DENIED && code != IL_POLICY_ERROR) {
        *err = why;
        return code;
    }
    if (phase == IL__PHASE_PREVIEW && !run->policy_blocked) {
        run->policy_blocked = true;
        if (run->route != IL__ROUTE_BLOCKED) run->block_reason = il__str(il_code_name(code));
        run->block_error = why;
    }
    return IL_OK;
}

/* Of policies on trial nothing is applied: it is kept to be shown, and to be told apart. */
static enum il_code apply_trial(struct reading *r, struct il_error *err)
{
    (void)err;
    il__trial_restore(r->run, r->at, &r->doc, r->body);
    return IL_OK;
}

static enum il_code apply_judged(struct reading *r, struct il_error *err)
{
    (void)err;
    keep_policies(r);
    if (il__str_eq(text(r, "phase"), il__str(il__phase_names[IL__PHASE_PREVIEW]))) r->run->judged_preview = true;
    else r->run->done |= IL__DID_PROPOSE;
    return IL_OK;
}

static enum il_code apply_reloaded(struct reading *r, struct il_error *err)
{
    (void)err;
    keep_policies(r);
    il__approval_void(r->run);
    r->run->reloading = true;
    return IL_OK;
}

static enum il_code apply_reload(struct reading *r, struct il_error *err)
{
    (void)err;
    r->run->reloading = r->run->tightened = false;
    return IL_OK;
}

static enum il_code apply_wait(struct reading *r, struct il_error *err)
{
    bool propose = il__str_eq(text(r, "for"), IL_STR("proposal"));
    if (!propose && !(r->run->done & IL__DID_PREVIEW)) return bad(r, "for", err);
    return il__wait_restore(r->run, propose, text(r, "request"),
                            text(r, "expiresAt"), r->record->payload, r->then, r->boot_id, err);
}

static enum il_code apply_answer(struct reading *r, struct il_error *err)
{
    if (!il__str_present(text(r, "meets"))) return IL_OK;
    return il__answer_restore(r->run, r->record->payload, r->then, r->boot_id, err);
}

static enum il_code apply_decision(struct reading *r, struct il_error *err)
{
    int decision = name_at(il__decision_names, IL__DECISION_COUNT, text(r, "decision"));
    struct il__vote vote = { .local = il__str_eq(text(r, "trust"), IL_STR("unsigned, not separated")),
                             .signed_ = il__str_eq(text(r, "trust"), IL_STR("signed")),
                             .voided = il__str_present(text(r, "voided")) };
    if (decision < 0 || !r->run->wait.request_id[0]) return bad(r, "decision", err);
    vote.decision = (enum il__decision)decision;
    enum il_code code = keep(r, "approver", &vote.approver, err);
    if (!code) code = keep(r, "reason", &vote.reason, err);
    return code ? code : il__vote_restore(r->run, vote, r->record->payload, r->then, r->boot_id, err);
}

static bool of_lease(struct reading *r)
{
    return il__str_eq(text(r, "what"), IL_STR("control lease"));
}

static enum il_code apply_held(struct reading *r, struct il_error *err)
{
    (void)err;
    bool lease = of_lease(r);
    r->run->open_ops &= ~(1u << (lease ? IL_OP_ACQUIRE_LEASE : IL_OP_RESERVE_TARGET));
    if (!lease) r->run->done |= IL__DID_RESERVE;
    il__held_restore(r->run, lease, text(r, "id"), number(r, "held") != 0, number(r, "foreign") != 0);
    return IL_OK;
}

static enum il_code apply_late(struct reading *r, struct il_error *err)
{
    bool lease = of_lease(r);
    (void)err;
    r->run->denied_late |= number(r, "denies") != 0;
    if (lease || il__str_eq(text(r, "what"), IL_STR("target reservation")))
        il__held_restore(r->run, lease, text(r, "id"), number(r, "held") != 0, number(r, "foreign") != 0);
    return IL_OK;
}

static enum il_code apply_bound(struct reading *r, bool lease, struct il_error *err)
{
    bool again = lease ? r->run->has_lease : r->run->has_reservation; /* one of each (I13) */
    if (again || !(lease ? r->run->leased : r->run->reserved).held) return bad(r, "held", err);
    return il__hold_restore(r->run, lease, r->record->payload, number(r, "ttlMs"), arrived(r), r->boot_id, err);
}

static enum il_code apply_reserved(struct reading *r, struct il_error *err) { return apply_bound(r, false, err); }

static enum il_code apply_leased(struct reading *r, struct il_error *err) { return apply_bound(r, true, err); }

static enum il_code apply_unreserved(struct reading *r, struct il_error *err)
{
    (void)err;
    r->run->done |= IL__DID_RESERVE;
    return IL_OK;
}

static enum il_code apply_execute(struct reading *r, struct il_error *err)
{
    int64_t send = number(r, "send");
    if (send != (int64_t)r->run->sends + 1 || send > IL__SENDS_MAX) return bad(r, "send", err);
    enum il_code code = keep_strs(r, "units", &r->run->units, err);
    if (code) return code;
    r->run->remembered = true;
    r->run->sends++;
    r->run->send_failed = IL_OK;
    r->run->done |= IL__DID_SEND;
    r->run->effect = IL_EFFECT_UNKNOWN;
    r->run->journal.spare_open = true;
    return IL_OK;
}

static enum il_code apply_not_sent(struct reading *r, struct il_error *err)
{
    if (!r->run->sends) return bad(r, "send", err);
    r->run->sends--;
    if (r->run->sends) return IL_OK; /* the first send is open still */
    r->run->done &= ~(unsigned)IL__DID_SEND;
    r->run->effect = IL_EFFECT_NONE;
    return IL_OK;
}

static enum il_code apply_receipt(struct reading *r, struct il_error *err)
{
    return il__receipt_accept(r->run, r->record->payload, err);
}

static enum il_code apply_amendment(struct reading *r, struct il_error *err)
{
    (void)err;
    if (il__str_eq(text(r, "status"), il__str(il__receipt_status_names[IL__RECEIPT_COMMITTED])))
        r->run->effect = IL_EFFECT_COMMITTED;
    return IL_OK;
}

static enum il_code code_of(struct il_str name)
{
    for (unsigned code = IL_OK; code < IL_CODE_COUNT; code++)
        if (il__str_eq(name, il__str(il_code_name((enum il_code)code)))) return (enum il_code)code;
    return IL_OK;
}

static void keep_error(struct reading *r)
{
    struct il_error *e = &r->run->error;
    uint32_t at = il__json_get(&r->doc, r->body, "error");
    if (!at) return;
    const struct { const char *name; char *to; size_t cap; } texts[] = {
        { "step", e->step, sizeof e->step }, { "object", e->object, sizeof e->object },
        { "field", e->field, sizeof e->field }, { "expected", e->expected, sizeof e->expected },
        { "actual", e->actual, sizeof e->actual }, { "message", e->message, sizeof e->message },
        { "cleanupMessage", e->cleanup_message, sizeof e->cleanup_message },
        { "cleanupStep", e->cleanup_step, sizeof e->cleanup_step },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        keep_id(texts[i].to, texts[i].cap, text_of(r, at, texts[i].name));
    e->code = code_of(text_of(r, at, "code"));
    e->cleanup_code = code_of(text_of(r, at, "cleanupCode"));
}

static enum il_code keep_end(struct reading *r, const char *name, struct il_error *err)
{
    int end = name_at(il__end_names, IL__END_COUNT, text(r, name));
    if (end < 0) return bad(r, name, err);
    r->run->end = (enum il__end)end;
    return IL_OK;
}

static enum il_code keep_effect(struct reading *r, struct il_error *err)
{
    int64_t effect = number(r, "effect");
    if (effect < 0 || effect >= IL_EFFECT_COUNT) return bad(r, "effect", err);
    r->run->effect = (enum il_effect)effect;
    return IL_OK;
}

static enum il_code apply_no_receipt(struct reading *r, struct il_error *err)
{
    enum il_code code = keep_effect(r, err);
    if (code) return code;
    keep_error(r);
    return keep_end(r, "status", err);
}

/* What became of the send decides what a recovery may lead to, in whatever life. */
static enum il_code apply_recover(struct reading *r, struct il_error *err)
{
    (void)err;
    r->run->send_failed = code_of(text(r, "failed"));
    return IL_OK;
}

static enum il_code apply_evidence(struct reading *r, struct il_error *err)
{
    return il__evidence_take(r->run, r->record->payload, err);
}

static enum il_code apply_outcome(struct reading *r, struct il_error *err)
{
    (void)err;
    keep_error(r);
    il__outcome_take(r->run);
    return IL_OK;
}

static enum il_code apply_cancel(struct reading *r, struct il_error *err)
{
    (void)err;
    r->run->cancelled = true;
    return IL_OK;
}

static enum il_code apply_stopped(struct reading *r, struct il_error *err)
{
    r->run->wait.open = false;
    r->run->journal.spare_open = true;
    r->run->stopped = true;
    keep_error(r);
    enum il_code code = keep(r, "blockReason", &r->run->block_reason, err);
    return code ? code : keep_end(r, "end", err);
}

static enum il_code apply_released(struct reading *r, struct il_error *err)
{
    (void)err;
    if (il__str_present(text(r, "error"))) return IL_OK; /* each process life may try once */
    struct il__held *held = of_lease(r) ? &r->run->leased : &r->run->reserved;
    held->held = false;
    return IL_OK;
}

static enum il_code apply_end(struct reading *r, struct il_error *err)
{
    enum il_code code = keep_effect(r, err);
    if (code) return code;
    r->run->closed = true;
    keep_error(r);
    r->run->release_failed = number(r, "releaseFailed") != 0;
    return keep_end(r, "status", err);
}

static enum il_code apply_renewed(struct reading *r, struct il_error *err)
{
    (void)err;
    keep_id(r->run->successor, sizeof r->run->successor, text(r, "successor"));
    return IL_OK;
}

static enum il_code apply_nothing(struct reading *r, struct il_error *err)
{
    (void)r;
    (void)err;
    return IL_OK;
}

/* What a record rests on: bits of `done`. Whoever can write the file can chain anything; no record is applied to what
 * is not there. */
static const struct row {
    const char *kind;
    enum il_code (*apply)(struct reading *r, struct il_error *err);
    unsigned on;
} KINDS[] = {
    { "created", apply_created, 0 }, { "ask", apply_ask, 0 }, { "intent", apply_intent, 0 },
    { "observed", apply_observed, 0 }, { "preview", apply_preview, 0 }, { "verdict", apply_verdict, 0 },
    { "judged", apply_judged, 0 }, { "reloaded", apply_reloaded, 0 }, { "reload", apply_reload, 0 },
    { "wait", apply_wait, 0 }, { "answer", apply_answer, 0 }, { "decision", apply_decision, 0 },
    { "held", apply_held, 0 }, { "late", apply_late, 0 }, { "reserved", apply_reserved, IL__DID_PREVIEW },
    { "unreserved", apply_unreserved, IL__DID_PREVIEW }, { "leased", apply_leased, IL__DID_PREVIEW },
    { "execute", apply_execute, IL__DID_PREVIEW | IL__DID_LEASE }, { "not_sent", apply_not_sent, IL__DID_SEND },
    { "receipt", apply_receipt, IL__DID_PREVIEW | IL__DID_SEND },
    { "rolled_back", apply_no_receipt, 0 },
    { "no_receipt", apply_no_receipt, IL__DID_PREVIEW | IL__DID_SEND }, { "recover", apply_recover, IL__DID_SEND },
    { "amendment", apply_amendment, IL__DID_PREVIEW }, { "evidence", apply_evidence, IL__DID_RECEIPT },
    { "outcome", apply_outcome, IL__DID_RECEIPT }, { "cancel", apply_cancel, 0 }, { "stopped", apply_stopped, 0 },
    { "released", apply_released, 0 }, { "end", apply_end, 0 }, { "renewed", apply_renewed, 0 },
    { "trial", apply_trial, 0 }, { "compared", apply_trial, 0 },
    { "letter", apply_nothing, 0 }, { "resumed", apply_nothing, 0 }, { "grant", apply_nothing, 0 },
};

/* ---- all of them ---- */

static enum il_code apply(struct reading *r, struct il_error *err)
{
    struct il_str kind = text_of(r, 0, "kind");
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const struct row *row = &KINDS[i];
        if (!il__str_eq(kind, il__str(row->kind))) continue;
        bool first = row->apply == apply_created;
        if (first != (r->at == 0) || (row->on & ~r->run->done)) return bad(r, "kind", err);
        return row->apply(r, err);
    }
    return il__fail_at(err, IL_STORE, "journal", "kind", "record %zu is of a kind that is not known here", r->at);
}

static enum il_code open_record(struct reading *r, struct il_error *err)
{
    struct il_run *run = r->run;
    enum il_code code = il__json_parse(&r->doc, run->engine->mem, r->record->text, IL__JSON_CONTRACT, err);
    if (code) return bad(r, "text", err);
    r->body = il__json_get(&r->doc, 0, "body");
    keep_id(r->boot_id, sizeof r->boot_id, text_of(r, 0, "bootId"));
    r->then.boot_ms = number_of(r, 0, "boot");
    if (!r->body || il__json_kind(&r->doc, r->body) != IL__JSON_OBJECT) return bad(r, "body", err);
    if (!il__rfc3339_parse(text_of(r, 0, "at"), &r->then.wall, NULL)) return bad(r, "at", err);
    if (number_of(r, 0, "seq") != (int64_t)r->at) return bad(r, "seq", err);
    if (!il__str_eq(text_of(r, 0, "run"), il__str(run->id))) return bad(r, "run", err);
    if ((uint64_t)number_of(r, 0, "fence") > run->fence) return bad(r, "fence", err);
    return IL_OK;
}

static enum il_code apply_all(struct reading *r, struct il_error *err)
{
    struct il_run *run = r->run;
    enum il_code code = IL_OK;
    for (r->at = 0; r->at < run->journal.count && !code; r->at++) {
        r->record = &run->journal.records[r->at];
        code = open_record(r, err);
        if (!code) code = apply(r, err);
        if (strcmp(r->boot_id, run->engine->clock.boot_id) != 0) run->rebooted = true;
        il__json_clear(&r->doc);
    }
    return code;
}

enum il_code il__rebuild(struct il_run *run, il__pinned_fn pinned, void *ctx, struct il_error *err)
{
    struct reading r = { .run = run, .pinned = pinned, .ctx = ctx };
    if (!run->journal.count) return il__fail_at(err, IL_STORE, "journal", "records", "the run has no records");
    enum il_code code = il__journal_verify(&run->journal, true, err);
    if (code) return code;
    run->restoring = true;
    code = apply_all(&r, err);
    run->restoring = run->reloading = false;
    run->step = NULL;
    run->last_wall = r.then.wall;
    return code;
}

bool il__rebuilt_open(const struct il_run *run, enum il_op op)
{
    return (run->open_ops >> (unsigned)op) & 1u;
}
