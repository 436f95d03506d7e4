/* Resume (resume.h). Nothing goes out before the journal was verified and everything pinned was compared. */
#include "run/resume.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/approval.h"
#include "run/card.h"
#include "run/durable.h"
#include "run/execute.h"
#include "run/judge.h"
#include "run/letters.h"
#include "run/rebuild.h"
#include "run/record.h"
#include "run/reload.h"
#include "run/state.h"
#include "run/step.h"
#include "run/trial.h"

#include <string.h>

/* ---- what was pinned ---- */

enum { CLAIM_TRIES = 3 };

static enum il_code conflict(struct il_error *err, const char *field, struct il_str was, struct il_str is)
{
    return il__refuse(err, IL_CONFLICT, "run", field, was, is);
}

static bool in_list(struct il_str s, const struct il_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (il__str_eq(list[i], s)) return true;
    return false;
}

/* A fresh token may only narrow what the run began with. */
static void narrow_scopes(struct il_run *run, const struct il__pinned *p)
{
    struct il_str *kept = (struct il_str *)(uintptr_t)run->identity.scopes.items; /* made by take_identity, ours */
    size_t count = 0;
    for (size_t i = 0; i < run->identity.scopes.count; i++)
        if (in_list(kept[i], p->scopes.items, p->scopes.count)) kept[count++] = kept[i];
    run->identity.scopes.count = count;
}

static enum il_code check_workflow(struct il_run *run, const struct il__pinned *p, struct il_error *err)
{
    char digest[IL__DIGEST_TEXT];
    enum il_code code = il__run_pin_workflow(run, err);
    if (code) return code;
    il__sha256_text(run->engine->digest, run->workflow_source, digest);
    struct il_str now = il__str_present(run->workflow_source) ? il__str(digest) : IL_STR_NONE;
    return il__str_eq(now, p->workflow_digest) ? IL_OK : conflict(err, "workflow", p->workflow_digest, now);
}

static struct il_run_options options_of(const struct il_resume_options *o, const struct il__pinned *p)
{
    struct il_run_options run = IL_RUN_OPTIONS_INIT;
    run.principal = o->principal;
    run.tenant = o->tenant;
    run.scopes = o->scopes;
    run.scope_count = o->scope_count;
    run.identity_expires_at = o->identity_expires_at;
    run.session_id = p->session;
    run.agent_id = p->agent;
    run.execution_group_id = p->group;
    run.workflow_name = o->workflow_name;
    run.workflow_source = o->workflow_source;
    return run;
}

static enum il_code check_pinned(void *ctx, struct il_run *run, const struct il__pinned *p, struct il_error *err)
{
    const struct il_resume_options *o = ctx;
    const struct il__engine *e = run->engine;
    const struct { const char *field; struct il_str was, is; } rows[] = {
        { "principal", p->principal, o->principal },
        { "tenant", p->tenant, o->tenant },
        { "runtime", p->runtime, il__str(e->runtime.kind) },
        { "address", p->address, il__str(e->runtime.address) },
        { "session", p->session, il__str_present(o->session_id) && !o->renew ? o->session_id : p->session },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!il__str_eq(rows[i].was, rows[i].is)) return conflict(err, rows[i].field, rows[i].was, rows[i].is);
    const struct il_run_options run_options = options_of(o, p);
    enum il_code code = il__run_take_identity(run, &run_options, err);
    if (code) return code;
    narrow_scopes(run, p);
    return check_workflow(run, p, err);
}

/* For showing: as it was. */
static enum il_code take_pinned(void *ctx, struct il_run *run, const struct il__pinned *p, struct il_error *err)
{
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    (void)ctx;
    o.principal = p->principal;
    o.tenant = p->tenant;
    o.scopes = p->scopes.items;
    o.scope_count = p->scopes.count;
    o.identity_expires_at = p->identity_expires;
    const struct il_run_options run_options = options_of(&o, p);
    return il__run_take_identity(run, &run_options, err);
}

/* ---- loading ---- */

struct loading { struct il_run *run; enum il_code code; struct il_error *err; };

static bool load_one(void *ctx, const struct il__store_record *r)
{
    struct loading *l = ctx;
    l->code = r->seq == l->run->journal.count
                  ? il__journal_load(&l->run->journal, r->text, r->payload, r->hash, l->err)
                  : il__fail_at(l->err, IL_STORE, "journal", "seq", "record %zu is missing", l->run->journal.count);
    return !l->code;
}

static enum il_code load(struct il_run *run, struct il_str run_id, struct il_error *err)
{
    const struct il__store *store = &run->engine->store;
    struct loading l = { run, IL_OK, err };
    if (run_id.len >= sizeof run->id) return il__fail_at(err, IL_CONFLICT, "run", "id", "there is no such run");
    memcpy(run->id, run_id.ptr, run_id.len);
    run->id[run_id.len] = '\0';
    enum il_code code = store->ops->load(store->self, run_id, load_one, &l, err);
    return code ? code : l.code;
}

static enum il_code need_store(const struct il__engine *e, struct il_error *err)
{
    return e->store.ops ? IL_OK : il__fail_at(err, IL_INVALID_REQUEST, "host", "store", "this host has no store");
}

enum il_code il__run_show(struct il__engine *e, struct il_str run_id, struct il_run **out, struct il_error *err)
{
    struct il_run *run = NULL;
    enum il_code code = need_store(e, err);
    if (!code) code = il__run_alloc(e, &run, err);
    if (code) return code;
    run->fence = UINT64_MAX; /* whoever wrote */
    code = load(run, run_id, err);
    if (!code) code = il__rebuild(run, take_pinned, NULL, err);
    run->fence = 0; /* nothing of it goes back to the store */
    if (code) {
        il__run_destroy(run);
        return code;
    }
    il__run_set_state_shown(run, run->closed ? IL__STATE_ENDED
                                 : run->wait.open && !run->stopped && !il__needs_met(run) ? IL__STATE_WAITING
                                                                                           : IL__STATE_QUEUED);
    *out = run;
    return IL_OK;
}

/* ---- going on ---- */

static enum il_code hand_over_preview(struct il_run *run, struct il_error *err)
{
    const struct il__runtime *rt = &run->engine->runtime;
    if (!(run->done & IL__DID_PREVIEW) || !rt->ops->retain) return IL_OK;
    return rt->ops->retain(rt->self, il__str(run->action_id), run->preview_doc.text, err);
}

/* A lease was asked for, and whether it was given is not known. */
static void lease_unknown(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    char until[IL__RFC3339_MAX];
    il__rfc3339_format(il__instant_add_ms(run->asked_at, run->engine->options->lease_ttl_ms), until);
    il__fail_at(&err, IL_TRANSPORT, "control lease", "acquire_lease",
                "asked for when its process ended, and never answered: perhaps held until %s", until);
    il__run_fail(run, &err);
}

static void wait_on(struct il_run *run)
{
    struct il__engine *e = run->engine;
    struct il__now now = il__clock_now(&e->clock);
    il__run_set_state(run, IL__STATE_WAITING);
    int64_t left = il__deadline_left_ms(&run->wait.deadline, now, e->clock.boot_id);
    il__run_wake_at(run, now.boot_ms + left); /* 0: the next tick ends it */
}

static bool lost_in_between(const struct il_run *run)
{
    return (run->leased.held && !run->has_lease) || (run->reserved.held && !run->has_reservation);
}

static void settle(struct il_run *run)
{
    struct il__engine *e = run->engine;
    struct il_error err = IL_ERROR_INIT;
    if (run->leased.held && !e->lease_holder) e->lease_holder = run;
    if ((run->stopped || run->end != IL__END_NONE) && !(run->done & IL__DID_SEND)) {
        il__run_set_state(run, IL__STATE_CLOSING);
    } else if (run->done & IL__DID_SEND) {
        run->barred = !(run->done & IL__DID_RECEIPT) && il__run_stricter(run);
        il__execute_resume(run);
    } else if (run->cancelled) {
        il__fail_at(&err, IL_CANCELLED, "run", "cancel", "cancelled before its process ended");
        il__run_stop(run, IL__END_CANCELLED, &err);
    } else if (il__approval_denied(run)) {
        return;
    } else if (run->entries > 1) {
        il__refuse(&err, IL_INVARIANT, "preview channel", "entries", IL_STR("1"), IL_STR("2"));
        il__run_fail(run, &err);
    } else if (il__rebuilt_open(run, IL_OP_ACQUIRE_LEASE)) {
        lease_unknown(run);
    } else if (lost_in_between(run)) {
        il__fail_at(&err, IL_STORE, "journal", "held", "what was returned was never bound");
        il__run_fail(run, &err);
    } else if (il__run_reload(run, &err)) {
        il__run_fail(run, &err);
    } else if (run->state == IL__STATE_WAITING || run->state == IL__STATE_CLOSING) {
        return; /* asked again, or voided */
    } else if (il__approval_expire(run, il__clock_now(&e->clock)), run->wait.open && !il__needs_met(run)) {
        wait_on(run);
    } else {
        run->wait.open = false;
        il__run_set_state(run, IL__STATE_QUEUED);
    }
}

/* Bundles that are gone are a conflict, found before anything is written. */
static enum il_code check_bundles(const struct il_run *run, struct il_error *err)
{
    struct il_str now = il__run_policies(run);
    if (!run->policies_digest[0] || il__str_present(now) || (run->done & IL__DID_SEND)) return IL_OK;
    return conflict(err, "bundles", il__str(run->policies_digest), now);
}

/* Is the journal in the store still the one that was read? */
struct comparing { const struct il_run *run; size_t count; bool same; };

static bool compare_one(void *ctx, const struct il__store_record *r)
{
    struct comparing *c = ctx;
    const struct il__journal *j = &c->run->journal;
    c->same = c->count < j->count && memcmp(j->records[c->count].hash, r->hash, sizeof r->hash) == 0;
    c->count++;
    return c->same;
}

static enum il_code may_renew(const struct il_run *run, struct il_error *err)
{
    if (!run->closed) return conflict(err, "state", IL_STR("ended"), IL_STR("not ended"));
    if (run->effect != IL_EFFECT_NONE)
        return conflict(err, "effect", IL_STR("none"),
                        run->effect == IL_EFFECT_COMMITTED ? IL_STR("committed") : IL_STR("unknown"));
    return IL_OK;
}

static enum il_code read_run(struct il__engine *e, const struct il_resume_options *o, struct il_run **out,
                             struct il_error *err)
{
    enum il_code code = il__run_alloc(e, out, err);
    if (code) return code;
    (*out)->fence = UINT64_MAX; /* whoever wrote */
    code = load(*out, o->run_id, err);
    if (!code) code = il__rebuild(*out, check_pinned, (void *)(uintptr_t)o, err);
    return code;
}

/* The run is read and held against this host first, so that a conflict changes nothing; then it is claimed. Who owned
 * it until then may have written in between: then it is read again. */
static enum il_code claim(struct il__engine *e, const struct il_resume_options *o, struct il_run **out,
                          struct il_error *err)
{
    const struct il__store *store = &e->store;
    for (int i = 0; i < CLAIM_TRIES; i++) {
        enum il_code code = read_run(e, o, out, err);
        if (!code && (*out)->closed && !o->renew)
            code = conflict(err, "state", IL_STR("not ended"), il__str(il__end_names[(*out)->end]));
        if (!code) code = o->renew ? may_renew(*out, err) : check_bundles(*out, err);
        uint64_t fence = 0;
        if (!code) code = store->ops->claim(store->self, o->run_id, &fence, err);
        struct comparing c = { *out, 0, true };
        if (!code) code = store->ops->load(store->self, o->run_id, compare_one, &c, err);
        if (code) return code;
        if (c.same && c.count == (*out)->journal.count) {
            (*out)->fence = fence;
            il__clock_raise(&e->clock, (*out)->last_wall);
            return IL_OK;
        }
        il__run_destroy(*out);
        *out = NULL;
    }
    return il__fail_at(err, IL_CONFLICT, "run", "owner", "the run changes hands faster than it can be read");
}

static enum il_code check_resume_options(const struct il__engine *e, const struct il_resume_options *o,
                                         struct il_error *err)
{
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "resume options", "size", "use IL_RESUME_OPTIONS_INIT");
    if (!o->principal.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "resume options", "principal", "a run needs a verified principal");
    if (o->scope_count > IL__LIMIT_ROLES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "resume options", "scopes", "at most %d scopes", IL__LIMIT_ROLES);
    if (!e->runtime.ops)
        return il__fail_at(err, IL_INVALID_REQUEST, "host", "runtime", "set a runtime before the first run");
    for (const struct il_run *r = e->runs; r; r = r->next)
        if (il__str_eq(il__str(r->id), o->run_id))
            return il__fail_at(err, IL_CONFLICT, "run", "id", "this host has the run already");
    return need_store(e, err);
}

/* ---- renew ---- */

/* The successor's id stands in the old journal, on disk, before the successor's first record is written; asked twice it
 * is the same one. */
static enum il_code name_successor(struct il_run *old, struct il_error *err)
{
    char id[40];
    if (old->successor[0]) return IL_OK;
    enum il_code code = il__run_new_id(old->engine, id, err);
    if (!code) code = IL__NOTE(old, "renewed", IL_STR_NONE, err, IL__TEXT("successor", il__str(id)));
    if (!code) code = il__durable_flush(old->engine, err);
    if (!code) memcpy(old->successor, id, sizeof id);
    return code;
}

static bool found(void *ctx, const struct il__store_record *r)
{
    (void)r;
    *(bool *)ctx = true;
    return false;
}

static enum il_code renew(struct il_run *old, const struct il_resume_options *o, struct il_run **out,
                          struct il_error *err)
{
    struct il__engine *e = old->engine;
    const struct il__store *store = &e->store;
    bool there = false;
    enum il_code code = name_successor(old, err);
    if (code) return code;
    struct il_str id = il__str(old->successor);
    if (!store->ops->load(store->self, id, found, &there, NULL) && there) {
        struct il_resume_options again = *o;
        again.run_id = id;
        again.renew = false;
        return il__run_resume(e, &again, out, err);
    }
    struct il_run_options next = IL_RUN_OPTIONS_INIT;
    next.proposal = old->journal.records[0].payload;
    next.principal = old->identity.principal;
    next.tenant = old->identity.tenant;
    next.scopes = old->identity.scopes.items;
    next.scope_count = old->identity.scopes.count;
    next.identity_expires_at = o->identity_expires_at;
    next.session_id = il__str_present(o->session_id) ? o->session_id : old->session_id;
    next.agent_id = old->agent_id;
    next.execution_group_id = old->group_id;
    next.workflow_name = o->workflow_name;
    next.workflow_source = o->workflow_source;
    return il__run_new_as(e, &next, old->successor, il__str(old->id), out, err);
}

static enum il_code go_on(struct il_run *run, struct il_error *err)
{
    enum il_code code = hand_over_preview(run, err);
    if (code) return code;
    return IL__NOTE(run, "resumed", IL_STR_NONE, err, IL__TEXT("config", run->engine->config_digest),
                    IL__TEXT("hostPolicyDigest", il__run_policies(run)), IL__NUMBER("rebooted", run->rebooted),
                    IL__TEXT("trialDigest", il__trial_digest(run->engine)));
}

/* ---- a store that is older than its witness (SPEC §10) ---- */

static enum il_code ask_witness(const struct il__engine *e, const struct il_resume_options *o, bool *rolled_back,
                                struct il_error *err)
{
    struct il_error why = IL_ERROR_INIT;
    if (!e->witness) return IL_OK;
    enum il_code code = e->witness(e->witness_ctx, o->run_id, &why);
    *rolled_back = code == IL_CONFLICT && o->accept_rollback && !o->renew;
    if (code && !*rolled_back && err && !err->code) *err = why;
    return *rolled_back ? IL_OK : code;
}

/* What is not waiting for a person may have gone on, and acted, in the time that was lost. */
static void end_rolled_back(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    bool waits = run->wait.open && !il__needs_met(run);
    if (waits || run->stopped || run->end != IL__END_NONE || run->done & IL__DID_RECEIPT) return;
    il__fail_at(&err, IL_CONFLICT, "store", "rolled back",
                "the store was restored from a copy; whether the action was sent since is not known");
    il__execute_lost(run, &err);
}

enum il_code il__run_resume(struct il__engine *e, const struct il_resume_options *o, struct il_run **out,
                            struct il_error *err)
{
    struct il_run *run = NULL;
    bool rolled_back = false;
    enum il_code code = check_resume_options(e, o, err);
    if (!code) code = ask_witness(e, o, &rolled_back, err);
    if (!code) code = claim(e, o, &run, err);
    if (!code) code = o->renew ? renew(run, o, out, err) : go_on(run, err);
    if (code || o->renew) {
        if (run) il__run_destroy(run);
        return code;
    }
    il__run_enlist(run);
    *out = run;
    if (rolled_back) end_rolled_back(run);
    if (run->state != IL__STATE_CLOSING) settle(run);
    il__letters_take(run);
    return IL_OK;
}
