/* What a scenario does with runs in its store: leave, resume, letters, looking. Uses the public API. Must never reach
 * into a run that was left. */
#include "base/error.h"
#include "host/player.h"

static enum il_code need_store(const struct il__player *p, struct il_error *err)
{
    if (p->store) return IL_OK;
    return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "store", "the scenario needs store = true");
}

static enum il_code need_left(const struct il__player *p, const struct il__played *at, struct il_error *err)
{
    enum il_code code = need_store(p, err);
    if (code || !at->run) return code;
    return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "run", "the run was not left");
}

enum il_code il__player_leave(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_error outcome = IL_ERROR_INIT;
    struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    enum il_code code = need_store(p, err);
    if (code) return code;
    if (!at->run) return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "run", "the run was left already");
    struct il_summary s = { .size = sizeof s };
    il_run_summary(at->run, &s);
    at->exit = s.exit_status;
    if (!il_run_leave(at->run, &outcome)) at->run = NULL;
    return il__player_simple(p, &outcome, err);
}

static void fill(const struct il__player *p, const struct il__args *opt, struct il_resume_options *o)
{
    o->principal = il__args_str(opt, "principal", p->principal);
    o->tenant = il__args_str(opt, "tenant", p->tenant);
    o->session_id = il__args_str(opt, "session", IL_STR_NONE);
    o->identity_expires_at = il__args_str(opt, "identity_expires_at", IL_STR_NONE);
    o->workflow_source = il__args_str(opt, "workflow_source", IL_STR_NONE);
    if (il__str_present(o->workflow_source)) o->workflow_name = IL_STR("workflow");
    o->renew = il__args_bool(opt, "renew", false);
    o->scopes = p->scopes;
    o->scope_count = p->scope_count;
}

/* The run goes on under its own number, a successor under one of its own. */
enum il_code il__player_resume(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    struct il_error outcome = IL_ERROR_INIT;
    struct il__json_writer w;
    struct il_str scopes[8];
    struct il__args opt = il__args_sub(a, "options");
    struct il__played *old = il__player_run(p, a, err), *at;
    if (!old) return err->code;
    enum il_code code = need_store(p, err);
    if (code) return code;
    fill(p, &opt, &o);
    if (il__args_strs(&opt, "scopes", scopes, 8, &o.scope_count)) o.scopes = scopes;
    if (!(at = o.renew ? il__player_room(p, err) : old)) return err->code;
    if (old->run && il_run_state(old->run) == IL_RUN_ENDED) { /* nothing but its journal is needed any more */
        il_run_free(old->run);
        old->run = NULL;
    }
    o.run_id = il__str(old->id);
    il_run *run = NULL;
    if (!il_host_resume(p->host, &o, &run, &outcome)) il__player_keep(p, at, run);
    il__player_settle(p);
    il__player_result(p, &outcome, &w);
    if (!outcome.code) il__jw_member_int(&w, "run", at - p->runs + 1);
    il__jw_object_end(&w);
    return il__buf_check(&p->answer, err);
}

/* ---- letters ---- */

enum il_code il__player_write(struct il__player *p, const struct il__played *at, struct il_str kind, struct il_str body,
                              struct il_error *err)
{
    struct il_error outcome = IL_ERROR_INIT;
    enum il_code code = need_store(p, err);
    if (code) return code;
    (void)!il_store_submit(p->store, il__str(at->id), kind, body, &outcome);
    return il__player_simple(p, &outcome, err);
}

enum il_code il__player_write_decision(struct il__player *p, const struct il__played *at, const struct il_decision *d,
                                       struct il_error *err)
{
    const struct { const char *name; struct il_str value; } members[] = {
        { "actionDigest", d->action_digest }, { "approver", d->approver },
        { "decision", d->decision },          { "policyDigest", d->policy_digest },
        { "proposalDigest", d->proposal_digest }, { "reason", d->reason },
        { "requestId", d->request_id },
    };
    struct il__json_writer w;
    il__buf_reset(&p->scratch);
    il__jw_init(&w, &p->scratch);
    il__jw_object(&w);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (il__str_present(members[i].value)) il__jw_member_str(&w, members[i].name, members[i].value);
    il__jw_object_end(&w);
    enum il_code code = il__buf_check(&p->scratch, err);
    return code ? code : il__player_write(p, at, IL_STR("decision"), il__buf_get(&p->scratch), err);
}

enum il_code il__player_letter(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_str kind = il__args_str(a, "kind", IL_STR_NONE), body = il__args_str(a, "body", IL_STR_NONE);
    const struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    if (!il__str_present(body)) body = il__args_raw(a, "body");
    return il__player_write(p, at, kind, body, err);
}

/* ---- looking ---- */

enum il_code il__player_show(struct il__player *p, const struct il__played *at, struct il_str *out,
                             struct il_error *err)
{
    enum il_code code = need_left(p, at, err);
    return code ? code : il_host_show(p->host, il__str(at->id), out, err);
}
