/* The public functions of hosts and runs that only pass through: guard, call, leave. Completion may come from callbacks
 * and has no guard. */
#include "base/error.h"
#include "host/host.h"

#include <string.h>

enum il_code il_host_tick(il_host *host, uint32_t budget_us, struct il_tick *out, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_tick", err);
    if (code) return code;
    return il__host_leave(host, il__engine_tick(&host->engine, budget_us, out, err));
}

enum il_code il_host_complete(il_host *host, uint64_t token, struct il_str json, struct il_error *err)
{
    const struct il__answer_in answer = { token, IL_OK, json, IL_STR_NONE, IL_STR_NONE, false };
    il__error_clear(err);
    return il__engine_complete(&host->engine, &answer, err);
}

enum il_code il_host_fail(il_host *host, uint64_t token, enum il_code code, struct il_str reason, struct il_str message,
                          struct il_error *err)
{
    const struct il__answer_in answer = { token, code, IL_STR_NONE, reason, message, false };
    il__error_clear(err);
    if (code != IL_TRANSPORT && code != IL_TIMEOUT && code != IL_RUNTIME)
        return il__fail_at(err, IL_INVALID_REQUEST, "runtime", "code",
                           "an operation fails with transport, timeout or runtime");
    return il__engine_complete(&host->engine, &answer, err);
}

static enum il_code stop(il_host *host, enum il_op op, const char *function, struct il_str session_id,
                         struct il_str reason, il_done_fn done, void *ctx, struct il_error *err)
{
    enum il_code code = il__host_enter(host, function, err);
    if (code) { /* from a callback: the latch is unconditional, the runtime is asked by the call that may enter */
        (void)il__engine_latch(&host->engine, op, session_id);
        return code;
    }
    return il__host_leave(host, il__engine_stop(&host->engine, op, session_id, reason, done, ctx, err));
}

enum il_code il_host_pause_session(il_host *host, struct il_str session_id, struct il_str reason, il_done_fn done,
                                   void *ctx, struct il_error *err)
{
    return stop(host, IL_OP_PAUSE_SESSION, "il_host_pause_session", session_id, reason, done, ctx, err);
}

enum il_code il_host_stop_session(il_host *host, struct il_str session_id, struct il_str reason, il_done_fn done,
                                  void *ctx, struct il_error *err)
{
    return stop(host, IL_OP_STOP_SESSION, "il_host_stop_session", session_id, reason, done, ctx, err);
}

enum il_code il_host_emergency_stop(il_host *host, struct il_str reason, il_done_fn done, void *ctx,
                                    struct il_error *err)
{
    return stop(host, IL_OP_EMERGENCY_STOP, "il_host_emergency_stop", IL_STR_NONE, reason, done, ctx, err);
}

enum il_code il_host_lift_stop(il_host *host, struct il_str session_id, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_host_lift_stop", err);
    if (code) return code;
    return il__host_leave(host, il__engine_lift(&host->engine, session_id, err));
}

/* ---- runs ---- */

il_host *il__host_of(const il_run *run)
{
    return (il_host *)(uintptr_t)((const char *)run->engine - offsetof(struct il_host, engine));
}

/* Who it is for comes from the options or from the token, never from both. */
static enum il_code start_as(il_host *host, const struct il_run_options *options, il_run **out, struct il_error *err)
{
    struct il_run_options verified;
    struct il__arena arena;
    char expires[IL__RFC3339_MAX];
    il__arena_init(&arena, &host->mem);
    enum il_code code = il__host_identify(host, options, &arena, expires, &verified, err);
    if (!code) code = il__run_new(&host->engine, &verified, out, err);
    il__arena_clear(&arena);
    return code;
}

enum il_code il_run_start(il_host *host, const struct il_run_options *options, il_run **out, struct il_error *err)
{
    enum il_code code = il__host_enter(host, "il_run_start", err);
    if (code) return code;
    if (il__str_present(options->workflow_source))
        code = il__lua_workflows_check(host->workflows, options->workflow_name, options->workflow_source, err);
    if (!code) code = start_as(host, options, out, err);
    return il__host_leave(host, code);
}

enum il_run_state il_run_state(const il_run *run)
{
    switch (run->state) {
    case IL__STATE_QUEUED: return IL_RUN_QUEUED;
    case IL__STATE_WAITING: return IL_RUN_WAITING;
    case IL__STATE_ENDED: return IL_RUN_ENDED;
    case IL__STATE_READY:
    case IL__STATE_BUSY:
    case IL__STATE_IN_LINE:
    case IL__STATE_CLOSING:
    case IL__STATE_COUNT: break;
    }
    return IL_RUN_MOVING;
}

struct il_str il_run_id(const il_run *run)
{
    return il__str(run->id);
}

struct il_str il_run_action_id(const il_run *run)
{
    return il__str(run->action_id);
}

void il_run_summary(const il_run *run, struct il_summary *out)
{
    il__run_summary(run, out);
}

enum il_code il_run_document(il_run *run, struct il_str *out, struct il_error *err)
{
    il__error_clear(err);
    return il__run_document(run, out, err);
}

enum il_code il_run_card(il_run *run, struct il_str *out, char digest_hex[65], struct il_error *err)
{
    il__error_clear(err);
    enum il_code code = il__run_card(run, out, err);
    if (!code && digest_hex) memcpy(digest_hex, run->card_digest, sizeof run->card_digest);
    return code;
}

enum il_code il_run_answer(il_run *run, struct il_str json, bool require_request_id, struct il_error *err)
{
    enum il_code code = il__host_enter(il__host_of(run), "il_run_answer", err);
    if (code) return code;
    return il__host_leave(il__host_of(run), il__run_answer(run, json, require_request_id, err));
}

enum il_code il_run_obtain_grant(il_run *run, struct il_str request_id, struct il_str action_digest,
                                 struct il_str policy_digest, il_done_fn done, void *ctx, struct il_error *err)
{
    enum il_code code = il__host_enter(il__host_of(run), "il_run_obtain_grant", err);
    if (code) return code;
    code = il__run_obtain_grant(run, request_id, action_digest, policy_digest, done, ctx, err);
    return il__host_leave(il__host_of(run), code);
}

enum il_code il_run_decide(il_run *run, const struct il_decision *decision, struct il_error *err)
{
    enum il_code code = il__host_enter(il__host_of(run), "il_run_decide", err);
    if (code) return code;
    if (decision->size != sizeof *decision)
        code = il__fail_at(err, IL_INVALID_REQUEST, "decision", "size", "use IL_DECISION_INIT");
    else code = il__run_decide(run, decision, err);
    return il__host_leave(il__host_of(run), code);
}

enum il_code il_run_cancel(il_run *run, struct il_str reason, struct il_error *err)
{
    enum il_code code = il__host_enter(il__host_of(run), "il_run_cancel", err);
    if (code) return code;
    return il__host_leave(il__host_of(run), il__run_cancel(run, reason, err));
}

void il_run_free(il_run *run)
{
    if (run) il__run_free(run, il__host_of(run)->inside > 0);
}

enum il_code il_run_record(const il_run *run, uint64_t seq, struct il_record *out, struct il_error *err)
{
    il__error_clear(err);
    if (seq >= run->journal.count)
        return il__fail_at(err, IL_CONFLICT, "journal", "seq", "this run has %zu records", run->journal.count);
    const struct il__record *rec = &run->journal.records[seq];
    size_t size = out->size;
    *out = (struct il_record){ size, seq, rec->text, rec->payload, "" };
    il__hex(rec->hash, IL__SHA256_BYTES, out->hash_hex);
    return IL_OK;
}
