/* The calls of a scenario (player.h). Each is a thin use of the public API: what a scenario shows, an embedder sees. */
#include "host/player.h"

#include "base/error.h"
#include "base/limits.h"
#include "host/file.h"
#include "host/player_args.h"
#include "run/result.h"

#include <string.h>

enum { SETTLE_TICKS = 100000, ADVANCE_STEPS = 1000 };

void il__player_settle(struct il__player *p)
{
    struct il_tick tick = { .size = sizeof tick };
    for (int i = 0; i < SETTLE_TICKS; i++) {
        if (il_host_tick(p->host, 0, &tick, NULL) || il__player_crashes(p) || !tick.more) return;
    }
}

/* Time passes in the steps at which something is due, so that nothing happens later than it would. */
static void advance(struct il__player *p, int64_t ms)
{
    struct il_tick tick = { .size = sizeof tick };
    for (int i = 0; i < ADVANCE_STEPS && ms > 0; i++) {
        if (il_host_tick(p->host, 0, &tick, NULL)) return;
        int64_t step = tick.next_deadline_ms > 0 && tick.next_deadline_ms < ms ? tick.next_deadline_ms : ms;
        p->boot_ns += step * 1000000;
        ms -= step;
        il__player_settle(p);
    }
}

/* ---- results ---- */

void il__player_result(struct il__player *p, const struct il_error *err, struct il__json_writer *w)
{
    il__buf_reset(&p->answer);
    il__jw_init(w, &p->answer);
    il__jw_object(w);
    il__jw_member_bool(w, "ok", !err->code);
    if (!err->code) return;
    il__jw_member_z(w, "code", il_code_name(err->code));
    il__jw_member_z(w, "object", err->object);
    il__jw_member_z(w, "field", err->field);
    il__jw_member_z(w, "message", err->message);
}

enum il_code il__player_simple(struct il__player *p, const struct il_error *outcome, struct il_error *err)
{
    struct il__json_writer w;
    il__player_settle(p);
    il__player_result(p, outcome, &w);
    il__jw_object_end(&w);
    return il__buf_check(&p->answer, err);
}

struct il__played *il__player_run(struct il__player *p, const struct il__args *a, struct il_error *err)
{
    int64_t at = il__args_int(a, "run", 0);
    if (at >= 1 && (size_t)at <= p->run_count) return &p->runs[at - 1];
    il__fail_at(err, IL_INVALID_REQUEST, "scenario", "run", "nothing was started yet");
    return NULL;
}

struct il__played *il__player_room(struct il__player *p, struct il_error *err)
{
    if (p->run_count < IL__PLAYER_RUNS) return &p->runs[p->run_count];
    il__fail_at(err, IL_LIMIT_EXCEEDED, "scenario", "runs", "a scenario starts at most %d runs", IL__PLAYER_RUNS);
    return NULL;
}

void il__player_keep(struct il__player *p, struct il__played *at, il_run *run)
{
    struct il_str id = il_run_id(run);
    size_t len = id.len < sizeof at->id ? id.len : sizeof at->id - 1;
    at->run = run;
    memcpy(at->id, id.ptr, len);
    at->id[len] = '\0';
    if (at == &p->runs[p->run_count]) p->run_count++;
}

/* ---- calls ---- */

static int nibble(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The 16 bytes of a UUID text, appended to what the random source gives next: a recording is played with its own ids.
 */
static bool queue_id(struct il__player *p, struct il_str uuid)
{
    int high = -1;
    size_t before = p->ids_len;
    for (size_t i = 0; i < uuid.len; i++) {
        int n = nibble(uuid.ptr[i]);
        if (uuid.ptr[i] == '-') continue;
        if (n < 0 || p->ids_len - before == 16) return false;
        if (high < 0) high = n;
        else {
            p->ids[p->ids_len++] = (uint8_t)(high * 16 + n);
            high = -1;
        }
    }
    return high < 0 && p->ids_len - before == 16;
}

static enum il_code queue_ids(struct il__player *p, const struct il__args *opt, struct il_error *err)
{
    struct il_str action = il__args_str(opt, "action_id", IL_STR_NONE);
    p->ids_len = p->ids_at = 0;
    if (!il__str_present(action)) return IL_OK;
    struct il_str run = il__args_str(opt, "run_id", IL_STR("00000000-0000-4000-8000-000000000001"));
    if (queue_id(p, run) && queue_id(p, action)) return IL_OK;
    p->ids_len = 0;
    return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "action_id", "ids of a start are UUIDs in lowercase");
}

static enum il_code call_start(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_error outcome = IL_ERROR_INIT;
    struct il__json_writer w;
    struct il__args opt = il__args_sub(a, "options");
    struct il_str scopes[8];
    struct il__played *at = il__player_room(p, err);
    il_run *run = NULL;
    if (!at) return err->code;
    o.proposal = il__args_str(a, "proposal", IL_STR_NONE); /* its text, or a table */
    if (!il__str_present(o.proposal)) o.proposal = il__args_raw(a, "proposal");
    o.principal = il__args_str(&opt, "principal", p->principal);
    o.tenant = il__args_str(&opt, "tenant", p->tenant);
    o.session_id = il__args_str(&opt, "session", p->session);
    o.agent_id = il__args_str(&opt, "agent", p->agent);
    o.execution_group_id = il__args_str(&opt, "group", p->group);
    o.identity_expires_at = il__args_str(&opt, "identity_expires_at", IL_STR_NONE);
    o.workflow_source = il__args_str(&opt, "workflow_source", IL_STR_NONE);
    if (il__str_present(o.workflow_source)) o.workflow_name = IL_STR("workflow");
    enum il_code code = queue_ids(p, &opt, err);
    if (code) return code;
    o.scopes = p->scopes;
    o.scope_count = p->scope_count;
    if (il__args_strs(&opt, "scopes", scopes, 8, &o.scope_count)) o.scopes = scopes;
    if (!il_run_start(p->host, &o, &run, &outcome)) il__player_keep(p, at, run);
    p->ids_len = 0;
    il__player_settle(p);
    il__player_result(p, &outcome, &w);
    if (!outcome.code) il__jw_member_int(&w, "run", (int64_t)p->run_count);
    il__jw_object_end(&w);
    return il__buf_check(&p->answer, err);
}

static enum il_code call_advance(struct il__player *p, struct il__args *a, struct il_error *err)
{
    int64_t ms;
    const struct il_error none = IL_ERROR_INIT;
    enum il_code code = il__args_ms(a, "time", &ms, err);
    if (code) return code;
    if (ms < 0)
        return il__fail_at(err, IL_INVALID_REQUEST, "scenario", "time",
                           "time passes forwards; s:turn_clock turns the wall clock");
    advance(p, ms);
    return il__player_simple(p, &none, err);
}

static enum il_code call_turn_clock(struct il__player *p, struct il__args *a, struct il_error *err)
{
    int64_t ms;
    const struct il_error none = IL_ERROR_INIT;
    enum il_code code = il__args_ms(a, "time", &ms, err);
    if (code) return code;
    p->wall_shift_ms += ms;
    return il__player_simple(p, &none, err);
}

static enum il_code call_answer(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_error outcome = IL_ERROR_INIT;
    const struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    struct il_str text = il__args_str(a, "answer", IL_STR_NONE);
    if (!il__str_present(text)) text = il__args_raw(a, "answer");
    if (!at->run) return il__player_write(p, at, IL_STR("answer"), text, err);
    (void)!il_run_answer(at->run, text, !il__args_bool(a, "file", false), &outcome);
    return il__player_simple(p, &outcome, err);
}

static enum il_code call_decide(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_error outcome = IL_ERROR_INIT;
    struct il_decision d = IL_DECISION_INIT;
    const struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    d.request_id = il__args_str(a, "requestId", IL_STR_NONE);
    d.action_digest = il__args_str(a, "actionDigest", IL_STR_NONE);
    d.policy_digest = il__args_str(a, "policyDigest", IL_STR_NONE);
    d.proposal_digest = il__args_str(a, "proposalDigest", IL_STR_NONE);
    d.approver = il__args_str(a, "approver", IL_STR_NONE);
    d.decision = il__args_str(a, "decision", IL_STR_NONE);
    d.reason = il__args_str(a, "reason", IL_STR_NONE);
    if (!at->run) return il__player_write_decision(p, at, &d, err);
    (void)!il_run_decide(at->run, &d, &outcome);
    return il__player_simple(p, &outcome, err);
}

static struct il_str cancel_letter(struct il__player *p, const struct il__args *a)
{
    struct il__json_writer w;
    il__buf_reset(&p->scratch);
    il__jw_init(&w, &p->scratch);
    il__jw_object(&w);
    il__jw_key(&w, "reason");
    il__jw_str(&w, il__args_str(a, "reason", IL_STR_NONE));
    il__jw_object_end(&w);
    return il__buf_get(&p->scratch);
}

static enum il_code call_cancel(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_error outcome = IL_ERROR_INIT;
    const struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    if (!at->run) return il__player_write(p, at, IL_STR("cancel"), cancel_letter(p, a), err);
    (void)!il_run_cancel(at->run, il__args_str(a, "reason", IL_STR_NONE), &outcome);
    return il__player_simple(p, &outcome, err);
}

static void stop_done(void *ctx, const struct il_error *outcome)
{
    struct il__player *p = ctx;
    p->stopped = *outcome;
    p->stop_done = true;
}

static enum il_code call_stop(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_str what = il__args_str(a, "what", IL_STR_NONE), session = il__args_str(a, "session", p->session);
    const struct il_str reason = IL_STR("the scenario says so");
    struct il__json_writer w;
    p->stop_done = p->interrupted = false;
    p->stopped = (struct il_error)IL_ERROR_INIT;
    if (il__str_eq(what, IL_STR("emergency_stop")))
        (void)!il_host_emergency_stop(p->host, reason, stop_done, p, NULL);
    else if (il__str_eq(what, IL_STR("stop_session")))
        (void)!il_host_stop_session(p->host, session, reason, stop_done, p, NULL);
    else (void)!il_host_pause_session(p->host, session, reason, stop_done, p, NULL);
    il__player_settle(p);
    il__player_result(p, &p->stopped, &w);
    il__jw_member_bool(&w, "done", p->stop_done);
    il__jw_member_bool(&w, "interrupted", p->interrupted);
    il__jw_object_end(&w);
    return il__buf_check(&p->answer, err);
}

static enum il_code call_lift(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_error outcome = IL_ERROR_INIT;
    struct il_str session = il__args_str(a, "session", IL_STR_NONE);
    (void)!il_host_lift_stop(p->host, session, &outcome);
    return il__player_simple(p, &outcome, err);
}

static enum il_code call_document(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il_summary s = { .size = sizeof s };
    struct il_str doc = IL_STR_NONE;
    struct il__played *at = il__player_run(p, a, err);
    if (!at) return err->code;
    enum il_code code = at->run ? il_run_document(at->run, &doc, err) : il__player_show(p, at, &doc, err);
    if (code) return code;
    if (at->run) {
        il_run_summary(at->run, &s);
        at->exit = s.exit_status;
    }
    il__buf_reset(&p->answer);
    il__buf_add(&p->answer, doc.ptr, doc.len - 1); /* its members, and one of ours */
    il__buf_printf(&p->answer, ",\"exit\":%d}", at->exit);
    return il__buf_check(&p->answer, err);
}

static enum il_code call_inspect(struct il__player *p, struct il__args *a, struct il_error *err)
{
    (void)a;
    il__buf_reset(&p->answer);
    enum il_code code = il__host_inspect(p->host, &p->answer, err);
    return code ? code : il__buf_check(&p->answer, err);
}

static enum il_code call_events(struct il__player *p, struct il__args *a, struct il_error *err)
{
    struct il__json_writer w;
    struct il_str left = il__buf_get(&p->trace);
    (void)a;
    il__buf_reset(&p->answer);
    il__jw_init(&w, &p->answer);
    il__jw_object(&w);
    il__jw_key(&w, "events");
    il__jw_array(&w);
    for (const char *end; left.len && (end = memchr(left.ptr, '\n', left.len));) {
        size_t len = (size_t)(end - left.ptr);
        il__jw_raw(&w, (struct il_str){ left.ptr, len });
        left = (struct il_str){ end + 1, left.len - len - 1 };
    }
    il__jw_array_end(&w);
    il__jw_object_end(&w);
    return il__buf_check(&p->answer, err);
}

static const struct {
    const char *op;
    enum il_code (*call)(struct il__player *p, struct il__args *a, struct il_error *err);
} CALLS[] = {
    { "start", call_start },       { "advance", call_advance }, { "turn_clock", call_turn_clock },
    { "answer", call_answer },     { "decide", call_decide },   { "cancel", call_cancel },
    { "stop", call_stop },         { "lift", call_lift },       { "document", call_document },
    { "inspect", call_inspect },   { "events", call_events },   { "leave", il__player_leave },
    { "resume", il__player_resume }, { "letter", il__player_letter },
    { "verdicts", il__player_verdicts }, { "crash_after", il__player_crash_after },
};

enum il_code il__player_call(struct il__player *p, struct il_str op, struct il_str args, struct il_str *result,
                             struct il_error *err)
{
    struct il__json doc = { 0 };
    enum il_code code = il__json_parse(&doc, &p->mem, args, IL__JSON_PAYLOAD, err);
    if (code) return code;
    code = il__fail_at(NULL, IL_INVALID_REQUEST, "scenario", "call", "unknown");
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        if (!il__str_eq(op, il__str(CALLS[i].op))) continue;
        struct il__args a = { &doc, 0 };
        code = CALLS[i].call(p, &a, err);
        if (!code) *result = il__buf_get(&p->answer);
        break;
    }
    il__json_clear(&doc);
    return code;
}
