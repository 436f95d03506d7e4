/* Runs that outlive their process: the store of a host, resume, show, leave. */
#include "base/error.h"
#include "host/host.h"
#include "host/store.h"
#include "run/resume.h"

enum il_code il_host_set_store(il_host *host, il_store *store, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_set_store", err);
    if (code) return code;
    if (host->engine.store.ops)
        code = il__fail_at(err, IL_CONFLICT, "host", "store", "this host has a store already");
    else if (host->engine.runs)
        code = il__fail_at(err, IL_CONFLICT, "host", "store", "set the store before the first run");
    else host->engine.store = il__store_port(store);
    return il__host_leave(host, code);
}

/* Who resumes comes from the options or from the token, as with a start. */
static enum il_code identify(il_host *host, const struct il_resume_options *o, struct il__arena *arena,
                             char expires[IL__RFC3339_MAX], struct il_resume_options *out, struct il_error *err)
{
    struct il_run_options given = IL_RUN_OPTIONS_INIT, verified;
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "resume options", "size", "use IL_RESUME_OPTIONS_INIT");
    given.principal = o->principal;
    given.tenant = o->tenant;
    given.scopes = o->scopes;
    given.scope_count = o->scope_count;
    given.identity_expires_at = o->identity_expires_at;
    given.identity_token = o->identity_token;
    enum il_code code = il__host_identify(host, &given, arena, expires, &verified, err);
    if (code) return code;
    *out = *o;
    out->principal = verified.principal;
    out->tenant = verified.tenant;
    out->scopes = verified.scopes;
    out->scope_count = verified.scope_count;
    out->identity_expires_at = verified.identity_expires_at;
    return IL_OK;
}

static enum il_code resume_as(il_host *host, const struct il_resume_options *options, il_run **out,
                              struct il_error *err)
{
    struct il_resume_options verified;
    struct il__arena arena;
    char expires[IL__RFC3339_MAX];
    il__arena_init(&arena, &host->mem);
    enum il_code code = identify(host, options, &arena, expires, &verified, err);
    if (!code) code = il__run_resume(&host->engine, &verified, out, err);
    il__arena_clear(&arena);
    return code;
}

enum il_code il_host_resume(il_host *host, const struct il_resume_options *options, il_run **out, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_resume", err);
    if (code) return code;
    if (il__str_present(options->workflow_source))
        code = il__lua_workflows_check(host->workflows, options->workflow_name, options->workflow_source, err);
    if (!code) code = resume_as(host, options, out, err);
    return il__host_leave(host, code);
}

enum il_code il_host_show(il_host *host, struct il_str run_id, struct il_str *out, struct il_error *err)
{
    struct il_run *run = NULL;
    struct il_str text = IL_STR_NONE;
    enum il_code code = il__host_enter(host, "il_host_show", err);
    if (code) return code;
    code = il__run_show(&host->engine, run_id, &run, err);
    if (!code) code = il__run_document(run, &text, err);
    il__buf_reset(&host->shown);
    if (!code) il__buf_str(&host->shown, text);
    if (!code) code = il__buf_check(&host->shown, err);
    if (!code) *out = il__buf_get(&host->shown);
    if (run) il__run_destroy(run);
    return il__host_leave(host, code);
}

enum il_code il_run_leave(il_run *run, struct il_error *err)
{
    il_host *host = il__host_of(run);
    enum il_code code = il__host_enter(host, "il_run_leave", err);
    if (code) return code;
    return il__host_leave(host, il__run_leave(run, err));
}
