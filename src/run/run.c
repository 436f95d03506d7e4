/* Starting, cancelling and freeing runs. A proposal that cannot be decoded starts nothing; who acts comes from the
 * host, never from the proposal (SPEC §8, I9). */
#include "run/run.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/card.h"
#include "run/durable.h"
#include "run/judge.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/reload.h"
#include "run/request.h"
#include "run/state.h"
#include "run/trial.h"

#include <string.h>

enum il_code il__run_new_id(struct il__engine *e, char out[40], struct il_error *err)
{
    uint8_t b[16];
    char hex[33];
    if (e->random(e->random_ctx, b, sizeof b))
        return il__fail_at(err, IL_RUNTIME, "random", "bytes", "the random source failed");
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40); /* RFC 9562, version 4 */
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    il__hex(b, sizeof b, hex);
    const int cuts[] = { 8, 4, 4, 4, 12 };
    for (int i = 0, from = 0, to = 0; i < 5; from += cuts[i], i++) {
        if (i) out[to++] = '-';
        memcpy(out + to, hex + from, (size_t)cuts[i]);
        to += cuts[i];
        out[to] = '\0';
    }
    return IL_OK;
}

/* ---- what it is started with ---- */

static enum il_code check_options(const struct il_run_options *o, struct il_error *err)
{
    if (o->size != sizeof *o)
        return il__fail_at(err, IL_INVALID_REQUEST, "run options", "size", "use IL_RUN_OPTIONS_INIT");
    if (!o->principal.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "run options", "principal", "a run needs a verified principal");
    if (!o->session_id.len)
        return il__fail_at(err, IL_INVALID_REQUEST, "run options", "session_id", "a run needs the runtime's session");
    if (o->scope_count > IL__LIMIT_ROLES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "run options", "scopes", "at most %d scopes", IL__LIMIT_ROLES);
    return IL_OK;
}

static enum il_code copy_all(struct il__arena *a, struct il_run *run, const struct il_run_options *o)
{
    const struct { struct il_str from, *to; } texts[] = {
        { o->principal, &run->identity.principal }, { o->tenant, &run->identity.tenant },
        { o->session_id, &run->session_id }, { o->agent_id, &run->agent_id },
        { o->execution_group_id, &run->group_id }, { o->workflow_name, &run->workflow_name },
        { o->workflow_source, &run->workflow_source },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (il__arena_str(a, texts[i].from, texts[i].to)) return IL_OUT_OF_MEMORY;
    struct il_str *scopes = il__arena_alloc(a, (o->scope_count + 1) * sizeof *scopes);
    if (!scopes) return IL_OUT_OF_MEMORY;
    for (size_t i = 0; i < o->scope_count; i++)
        if (il__arena_str(a, o->scopes[i], &scopes[i])) return IL_OUT_OF_MEMORY;
    run->identity.scopes = (struct il__strs){ scopes, o->scope_count };
    run->needs = il__arena_alloc(a, IL__LIMIT_NEEDS * sizeof *run->needs);
    run->votes = il__arena_alloc(a, IL__LIMIT_DECISIONS * sizeof *run->votes);
    return run->needs && run->votes ? IL_OK : IL_OUT_OF_MEMORY;
}

enum il_code il__run_take_identity(struct il_run *run, const struct il_run_options *o, struct il_error *err)
{
    if (copy_all(&run->arena, run, o)) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    run->identity.expires = il__str_present(o->identity_expires_at);
    const char *why = "";
    if (!run->identity.expires) return IL_OK;
    if (!il__rfc3339_parse(o->identity_expires_at, &run->identity.expires_at, &why))
        return il__fail_at(err, IL_INVALID_REQUEST, "run options", "identity_expires_at", "not a time: %s", why);
    struct il__clock *clock = &run->engine->clock;
    run->identity_deadline = il__deadline_make(run->identity.expires_at, 0, il__clock_now(clock), clock->boot_id);
    return IL_OK;
}

/* The operation that is sent: what was proposed, else the tool, with `arguments.mode` behind a dot where there is one.
 */
static enum il_code set_operation(struct il_run *run, struct il_error *err)
{
    struct il__any args = run->proposal.arguments;
    struct il_str tool = run->proposal.tool, mode;
    run->operation = il__str_present(run->proposal.operation) ? run->proposal.operation : tool;
    uint32_t at = args.doc && !il__str_present(run->proposal.operation) ? il__json_get(args.doc, args.at, "mode") : 0;
    if (!at || il__json_kind(args.doc, at) != IL__JSON_STRING) return IL_OK;
    enum il_code code = il__json_string(args.doc, at, &mode, err);
    if (code || !mode.len) return code;
    char *text = il__arena_alloc(&run->arena, tool.len + 1 + mode.len + 1);
    if (!text) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    memcpy(text, tool.ptr, tool.len);
    text[tool.len] = '.';
    memcpy(text + tool.len + 1, mode.ptr, mode.len);
    run->operation = (struct il_str){ text, tool.len + 1 + mode.len };
    return IL_OK;
}

enum il_code il__run_take_proposal(struct il_run *run, struct il_str json, struct il_error *err)
{
    struct il__engine *e = run->engine;
    enum il_code code = il__decode_text(&il__proposal_schema, e->mem, json, &run->proposal_doc, &run->proposal, err);
    if (!code) code = set_operation(run, err);
    if (!code) code = il__request_digest(run, run->proposal_digest, err);
    il__error_object(err, "proposed action");
    return code;
}

/* A run keeps the workflow that it began with, whatever becomes of the default while it waits. */
enum il_code il__run_pin_workflow(struct il_run *run, struct il_error *err)
{
    const struct il__workflows *w = &run->engine->workflows;
    struct il_str name = run->workflow_name, source = run->workflow_source;
    if (!w->resolve || il__str_present(source)) return IL_OK;
    enum il_code code = w->resolve(w->ctx, &name, &source, err);
    if (code) return code;
    if (il__arena_str(&run->arena, name, &run->workflow_name) ||
        il__arena_str(&run->arena, source, &run->workflow_source))
        return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    return IL_OK;
}

static enum il_code note_created(struct il_run *run, const struct il_run_options *o, struct il_error *err)
{
    struct il__engine *e = run->engine;
    char workflow[IL__DIGEST_TEXT], token[IL__DIGEST_TEXT];
    char expires[IL__RFC3339_MAX] = "";
    il__sha256_text(e->digest, run->workflow_source, workflow);
    il__sha256_text(e->digest, o->identity_token, token);
    il__run_keep_policies(run);
    if (run->identity.expires) il__rfc3339_format(run->identity.expires_at, expires);
    return IL__NOTE(run, "created", o->proposal, err, IL__TEXT("action", il__str(run->action_id)),
                    IL__TEXT("address", il__str(e->runtime.address)), IL__TEXT("agent", run->agent_id),
                    IL__TEXT("config", e->config_digest), IL__TEXT("group", run->group_id),
                    IL__TEXT("hostPolicyDigest", il__run_policies(run)),
                    IL__TEXT("identityExpires", *expires ? il__str(expires) : IL_STR_NONE),
                    IL__NUMBER("journal", IL__JOURNAL_VERSION), IL__TEXT("principal", run->identity.principal),
                    IL__TEXT("proposalDigest", il__str(run->proposal_digest)),
                    IL__TEXT("runtime", il__str(e->runtime.kind)),
                    IL__RAW("scopes", il__record_strs(run, run->identity.scopes)),
                    IL__TEXT("seed", il__str(run->id)), IL__TEXT("session", run->session_id),
                    IL__TEXT("supersedes", run->supersedes), IL__TEXT("tenant", run->identity.tenant),
                    IL__TEXT("token", il__str_present(o->identity_token) ? il__str(token) : IL_STR_NONE),
                    IL__TEXT("trialDigest", il__trial_digest(e)),
                    IL__TEXT("workflow", run->workflow_name),
                    IL__TEXT("workflowDigest",
                             il__str_present(run->workflow_source) ? il__str(workflow) : IL_STR_NONE));
}

/* Room in the heap of deadlines for one more run, so that waiting can never fail for memory. */
static enum il_code heap_room(struct il__engine *e, struct il_error *err)
{
    if (e->run_count + 2 <= e->heap_cap) return IL_OK;
    size_t cap = e->heap_cap ? e->heap_cap * 2 : 64;
    struct il_run **heap = il__mem_resize(e->mem, e->heap, e->heap_cap * sizeof(void *), cap * sizeof(void *));
    if (!heap) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    e->heap = heap;
    e->heap_cap = cap;
    return IL_OK;
}

enum il_code il__run_alloc(struct il__engine *e, struct il_run **out, struct il_error *err)
{
    if (e->run_count >= IL__LIMIT_QUEUED_RUNS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "host", "max_runs", "a host holds at most %d runs",
                           IL__LIMIT_QUEUED_RUNS);
    enum il_code code = heap_room(e, err);
    if (code) return code;
    struct il_run *run = il__mem_zalloc(e->mem, 1, sizeof *run);
    if (!run) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    run->engine = e;
    run->wake_ms = INT64_MAX;
    il__run_hold_policies(run);
    e->run_count++;
    il__arena_init(&run->arena, e->mem);
    il__journal_init(&run->journal, e->mem, e->digest);
    il__buf_init(&run->document, e->mem, 0);
    il__buf_init(&run->card, e->mem, IL__CARD_ROOM);
    *out = run;
    return IL_OK;
}

void il__run_enlist(struct il_run *run)
{
    struct il__engine *e = run->engine;
    run->next = e->runs;
    e->runs = run;
}

static enum il_code fill(struct il_run *run, const struct il_run_options *o, struct il_str supersedes,
                         struct il_error *err)
{
    struct il__engine *e = run->engine;
    struct il__instant now = il__clock_now(&e->clock).wall;
    run->created_ms = now.sec * 1000 + now.nsec / 1000000;
    run->fence = e->store.ops ? 1 : 0;
    enum il_code code = run->id[0] ? IL_OK : il__run_new_id(e, run->id, err);
    if (!code) code = il__run_new_id(e, run->action_id, err);
    if (!code) code = il__run_take_identity(run, o, err);
    if (!code && il__arena_str(&run->arena, supersedes, &run->supersedes))
        code = il__fail(err, IL_OUT_OF_MEMORY, "no memory for a run");
    if (!code) code = il__run_pin_workflow(run, err);
    if (!code) code = il__run_take_proposal(run, o->proposal, err);
    if (!code) code = note_created(run, o, err);
    return code;
}

enum il_code il__run_new_as(struct il__engine *e, const struct il_run_options *o, const char *id,
                            struct il_str supersedes, struct il_run **out, struct il_error *err)
{
    struct il_run *run = NULL;
    enum il_code code = check_options(o, err);
    if (code) return code;
    if (!e->runtime.ops)
        return il__fail_at(err, IL_INVALID_REQUEST, "host", "runtime", "set a runtime before the first run");
    if ((code = il__run_alloc(e, &run, err))) return code;
    if (id) memcpy(run->id, id, sizeof run->id);
    if ((code = fill(run, o, supersedes, err))) {
        il__run_destroy(run);
        return code;
    }
    il__run_enlist(run);
    il__run_set_state(run, IL__STATE_QUEUED);
    *out = run;
    return IL_OK;
}

enum il_code il__run_new(struct il__engine *e, const struct il_run_options *o, struct il_run **out,
                         struct il_error *err)
{
    return il__run_new_as(e, o, NULL, IL_STR_NONE, out, err);
}

void il__run_destroy(struct il_run *run)
{
    struct il__mem *mem = run->engine->mem;
    il__run_drop_policies(run);
    struct il__json *docs[] = { &run->proposal_doc, &run->observed[0], &run->observed[1], &run->observed[2],
                                &run->preview_doc, &run->answer_doc, &run->reservation_doc, &run->lease_doc,
                                &run->receipt_doc, &run->evidence_doc };
    for (size_t i = 0; i < sizeof docs / sizeof *docs; i++) il__json_clear(docs[i]);
    il__mem_free(mem, run->asks, run->ask_cap * sizeof *run->asks);
    il__buf_clear(&run->document);
    il__buf_clear(&run->card);
    il__journal_clear(&run->journal);
    il__arena_clear(&run->arena);
    run->engine->run_count--;
    if (run->freed) run->engine->freed--;
    il__mem_free(mem, run, sizeof *run);
}

/* ---- cancel, free ---- */

enum il_code il__run_cancel(struct il_run *run, struct il_str reason, struct il_error *err)
{
    char why[160];
    if (run->state == IL__STATE_ENDED) return il__fail_at(err, IL_CONFLICT, "run", "cancel", "the run has ended");
    il__escape(why, sizeof why, reason);
    struct il_error cause = IL_ERROR_INIT, local = IL_ERROR_INIT;
    bool first = !run->cancelled;
    run->journal.spare_open = true;
    run->cancelled = true; /* unconditional: it holds also when it cannot be recorded */
    if (first && IL__NOTE(run, "cancel", IL_STR_NONE, &local, IL__TEXT("reason", il__str(why))))
        il__error_cleanup(&run->error, &local);
    if ((run->done & IL__DID_SEND) || run->end != IL__END_NONE) return IL_OK; /* it goes on to verify and release */
    il__fail_at(&cause, IL_CANCELLED, "run", "cancel", "%s", *why ? why : "no reason given");
    il__run_stop(run, IL__END_CANCELLED, &cause);
    return IL_OK;
}

bool il__run_stays(const struct il_run *run)
{
    return run->state == IL__STATE_WAITING && run->fence && !run->freed;
}

enum il_code il__run_leave(struct il_run *run, struct il_error *err)
{
    struct il__engine *e = run->engine;
    if (!il__run_stays(run))
        return il__fail_at(err, IL_CONFLICT, "run", "leave", "only a waiting run of a host with a store can be left");
    if (run->in_flight || run->in_ready)
        return il__fail_at(err, IL_CONFLICT, "run", "leave", "a request of the run is in flight: tick until it is not");
    enum il_code code = il__durable_flush(e, err);
    if (code) return code;
    il__durable_leave(run);
    for (struct il_run **link = &e->runs; *link; link = &(*link)->next) {
        if (*link != run) continue;
        *link = run->next;
        break;
    }
    il__run_wake_at(run, INT64_MAX);
    e->waiting--;
    il__run_destroy(run);
    return IL_OK;
}

void il__run_free(struct il_run *run, bool later)
{
    if (!run || run->freed) return;
    run->freed = true;
    run->engine->freed++;
    if (!later && !run->engine->ticking) il__engine_sweep(run->engine);
}
