/* One life of a run (crash.h), through the public API: it starts the run or resumes it, and moves it until it waits or
 * has ended. Runs in a process of its own and may die anywhere. */
#include "crash.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct il_str crash_str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

int64_t crash_now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t crash_now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void crash_rfc3339(int64_t in_ms, char out[40])
{
    struct timespec ts;
    struct tm tm;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    int64_t ms = (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000 + in_ms;
    time_t sec = (time_t)(ms / 1000);
    (void)gmtime_r(&sec, &tm);
    size_t len = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(out + len, 40 - len, ".%03dZ", (int)(ms % 1000));
}

bool crash_member(struct il_str json, const char *name, char *out, size_t cap)
{
    char key[64];
    size_t len = (size_t)snprintf(key, sizeof key, "\"%s\":\"", name), n = 0;
    const char *at = memmem(json.ptr, json.len, key, len);
    out[0] = '\0';
    if (!at) return false;
    for (at += len; at + n < json.ptr + json.len && at[n] != '"' && n + 1 < cap; n++) out[n] = at[n];
    out[n] = '\0';
    return true;
}

static void failed(const char *what, const struct il_error *err)
{
    fate->code = err->code;
    (void)snprintf(fate->field, sizeof fate->field, "%.60s", err->field);
    (void)snprintf(fate->message, sizeof fate->message, "%s: %s: %s", what, il_code_name(err->code), err->message);
}

static void on_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    (void)ctx;
    if (level >= IL_LOG_ERROR) (void)snprintf(fate->message, sizeof fate->message, "log: %.*s", (int)len, line);
}

il_store *crash_store(const char *path)
{
    struct il_store_options o = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    o.path = crash_str(path);
    o.create = true;
    o.busy_ms = 30000; /* the machine may be busy */
    if (il_store_open(&o, &store, &err)) failed("store", &err);
    return store;
}

/* ---- host and runtime ---- */

static bool mcp(const struct scene *s)
{
    return s->kind == WORLD_STDIO || s->kind == WORLD_HTTP;
}

static enum il_code set_runtime(struct life *l, struct il_error *err)
{
    const struct il_str accept = crash_str("approve_action");
    if (!mcp(l->scene)) {
        l->world = (struct world){ l->host, l->scene, l->paths->world };
        struct il_runtime r = world_runtime(&l->world);
        if (l->scene->kind == WORLD_PLAIN) r.ops &= ~(1u << IL_OP_RECOVER);
        return il_host_set_runtime(l->host, &r, err);
    }
    struct il_mcp_options o = IL_MCP_OPTIONS_INIT;
    o.endpoint = crash_str(l->scene->endpoint);
    if (l->scene->token[0]) o.token = crash_str(l->scene->token);
    if (fate->session[0]) o.session_id = crash_str(fate->session);
    o.accept_tools = &accept;
    o.accept_count = 1;
    return il_host_set_runtime_mcp(l->host, &o, err);
}

/* The system's clocks, moved on. */
static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct scene *scene = ctx;
    struct timespec wall, boot;
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    (void)clock_gettime(CLOCK_BOOTTIME, &boot);
    *out = (struct il_clock_reading){ wall.tv_sec + scene->shift_ms / 1000, (int32_t)wall.tv_nsec,
                                      (int64_t)boot.tv_sec * 1000000000 + boot.tv_nsec + scene->shift_ms * 1000000 };
}

bool life_open(struct life *l, const struct scene *scene, const struct paths *paths, bool cuts)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    memset(l, 0, sizeof *l);
    l->scene = scene;
    l->paths = paths;
    l->workflow = crash_str(scene->workflow);
    l->store = crash_store(paths->store);
    if (!l->store) return false;
    if (cuts) o.event = cut_event;
    o.log = on_log;
    if (scene->shift_ms) {
        o.clock = read_clock;
        o.clock_ctx = (void *)(uintptr_t)scene;
    }
    o.request_timeout_ms = 8000;
    if (il_host_new(&o, &l->host, &err) || il_host_set_store(l->host, l->store, &err) || set_runtime(l, &err)) {
        failed("host", &err);
        return false;
    }
    if (l->workflow.ptr && il_host_set_workflow(l->host, crash_str("workflow"), l->workflow, &err)) {
        failed("workflow", &err);
        return false;
    }
    if (cuts) cut_host(l->host);
    return true;
}

void life_close(struct life *l)
{
    il_host_free(l->host);
    il_store_close(l->store);
}

bool life_tick(struct life *l)
{
    struct il_tick t = { .size = sizeof t };
    struct il_error err = IL_ERROR_INIT;
    int fds[16];
    short events[16];
    struct pollfd polls[16];
    if (il_host_tick(l->host, 20000, &t, &err)) {
        failed("tick", &err);
        return false;
    }
    if (t.more) return true;
    size_t n = il_host_descriptors(l->host, fds, events, 16);
    for (size_t i = 0; i < n && i < 16; i++) polls[i] = (struct pollfd){ .fd = fds[i], .events = events[i] };
    int64_t wait = t.next_deadline_ms < 0 || t.next_deadline_ms > 20 ? 20 : t.next_deadline_ms;
    if (n) (void)poll(polls, (nfds_t)n, (int)wait);
    return true;
}

/* The server's session, once it is there. */
static bool connect_up(struct life *l)
{
    struct il_str facts;
    struct il_error err = IL_ERROR_INIT;
    char state[40] = "connecting";
    int64_t until = crash_now_ms() + 25000;
    while (crash_now_ms() < until && !il_host_runtime_facts(l->host, &facts, &err) &&
           crash_member(facts, "state", state, sizeof state) && strcmp(state, "connecting") == 0)
        if (!life_tick(l)) return false;
    if (strcmp(state, "ready") == 0) return crash_member(facts, "sessionId", fate->session, sizeof fate->session);
    (void)snprintf(fate->message, sizeof fate->message, "not ready: %.*s", (int)(facts.len < 500 ? facts.len : 500),
                   facts.ptr);
    return false;
}

/* ---- the run ---- */

const char *life_proposal(const struct scene *scene, char *out, size_t cap)
{
    char at[40];
    crash_rfc3339(0, at);
    const char *target = "\"target\":{\"platform\":\"linux\",\"appId\":\"org.example.Editor\",\"pid\":4242,"
                         "\"windowId\":7,\"displayId\":\"1\",\"observationId\":\"o1\",\"confidence\":1,"
                         "\"capturedAt\":\"";
    if (mcp(scene))
        (void)snprintf(out, cap, "{\"tool\":\"press_button\",\"mode\":\"foreground\",\"arguments\":{\"window_id\":7,"
                       "\"label\":\"Send\"},%s%s\"}}", target, at);
    else
        (void)snprintf(out, cap, "{\"tool\":\"write_clipboard\",\"arguments\":{\"Text\":\"hi\"},%s%s\"}}", target, at);
    return out;
}

static const char *const SCOPES[] = { "computer:plan", "computer:execute:background", "computer:execute:foreground" };

static const char *principal(const struct scene *scene)
{
    return mcp(scene) ? "operator-1" : "p-1";
}

bool life_start(struct life *l)
{
    const struct il_str scopes[] = { crash_str(SCOPES[0]), crash_str(SCOPES[1]), crash_str(SCOPES[2]) };
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    char text[1200];
    o.proposal = crash_str(life_proposal(l->scene, text, sizeof text));
    o.principal = crash_str(principal(l->scene));
    o.scopes = scopes;
    o.scope_count = 3;
    o.session_id = crash_str(mcp(l->scene) ? fate->session : "s-1");
    if (il_run_start(l->host, &o, &l->run, &err)) {
        failed("start", &err);
        return false;
    }
    struct il_str id = il_run_id(l->run), action = il_run_action_id(l->run);
    (void)snprintf(fate->run_id, sizeof fate->run_id, "%.*s", (int)id.len, id.ptr);
    (void)snprintf(fate->action, sizeof fate->action, "%.*s", (int)action.len, action.ptr);
    return true;
}

enum il_code life_resume(struct life *l, const char *run_id, struct il_error *err)
{
    const struct il_str scopes[] = { crash_str(SCOPES[0]), crash_str(SCOPES[1]), crash_str(SCOPES[2]) };
    struct il_resume_options o = IL_RESUME_OPTIONS_INIT;
    o.run_id = crash_str(run_id);
    o.principal = crash_str(principal(l->scene));
    o.scopes = scopes;
    o.scope_count = 3;
    enum il_code code = il_host_resume(l->host, &o, &l->run, err);
    if (code) failed("resume", err);
    return code;
}

bool life_go(struct life *l)
{
    int64_t until = crash_now_ms() + 60000;
    while (il_run_state(l->run) == IL_RUN_QUEUED || il_run_state(l->run) == IL_RUN_MOVING) {
        if (crash_now_ms() > until) {
            (void)snprintf(fate->message, sizeof fate->message, "the run does not come to an end");
            return false;
        }
        if (!life_tick(l)) return false;
    }
    return true;
}

enum end life_run(const struct scene *scene, const struct paths *paths, bool again)
{
    struct life l;
    struct il_error err = IL_ERROR_INIT;
    fate->lives++;
    if (!life_open(&l, scene, paths, true)) return LIFE_BROKE;
    if (!again && ((mcp(scene) && !connect_up(&l)) || !life_start(&l))) return LIFE_BROKE;
    if (again && life_resume(&l, fate->run_id, &err)) {
        life_close(&l);
        return LIFE_REFUSED;
    }
    if (!life_go(&l)) return LIFE_BROKE;
    bool waits = il_run_state(l.run) == IL_RUN_WAITING;
    struct il_summary summary = { .size = sizeof summary };
    il_run_summary(l.run, &summary);
    fate->exit_status = waits ? -1 : summary.exit_status;
    life_close(&l);
    return waits ? LIFE_WAITS : LIFE_ENDED;
}

enum end life_next(const struct scene *scene, const struct paths *paths)
{
    struct life l;
    struct paths other = *paths;
    struct il_summary summary = { .size = sizeof summary };
    static struct fate own;
    (void)snprintf(other.store, sizeof other.store, "%.150s.next", paths->store);

    fate = &own; /* a session and a run of its own */
    if (!life_open(&l, scene, &other, false) || !connect_up(&l) || !life_start(&l) || !life_go(&l)) return LIFE_BROKE;
    il_run_summary(l.run, &summary);
    bool done = summary.effect == IL_EFFECT_COMMITTED;
    life_close(&l);
    return done ? LIFE_ENDED : LIFE_REFUSED;
}

/* The last request that its journal holds. */
static bool see_request(void *ctx, const struct il_record *record)
{
    char *request = ctx;
    if (memmem(record->text.ptr, record->text.len, "\"kind\":\"wait\"", 13))
        (void)crash_member(record->text, "request", request, 60);
    return true;
}

enum il_code life_leave_letter(il_store *store, const char *run_id, const char *what, struct il_error *err)
{
    char request[60] = "", json[500];
    enum il_code code = il_store_records(store, crash_str(run_id), see_request, request, err);
    if (code) return code;
    if (strcmp(what, "cancel") == 0)
        return il_store_submit(store, crash_str(run_id), crash_str("cancel"), crash_str("{\"reason\":\"race\"}"), err);
    bool deny = strcmp(what, "deny") == 0;
    (void)snprintf(json, sizeof json, "{\"requestId\":\"%s\",\"actionDigest\":\"" WORLD_ACTION_DIGEST
                   "\",\"policyDigest\":\"" WORLD_POLICY_DIGEST "\",%s}", request,
                   deny ? "\"decision\":\"deny\",\"approver\":\"somebody\",\"reason\":\"no\""
                         : "\"runtimeApproved\":true");
    code = il_store_submit(store, crash_str(run_id), crash_str(deny ? "decision" : "answer"), crash_str(json), err);
    fate->left_ns = crash_now_ns();
    return code;
}

enum end life_submit(const struct paths *paths)
{
    struct il_error err = IL_ERROR_INIT;
    il_store *store = crash_store(paths->store);
    if (!store) return LIFE_BROKE;
    cut_here(CUT_SUBMIT, IL_OP_COUNT, false);
    if (life_leave_letter(store, fate->run_id, "approve", &err)) {
        failed("submit", &err);
        return LIFE_BROKE;
    }
    cut_here(CUT_SUBMIT, IL_OP_COUNT, true);
    il_store_close(store);
    return LIFE_ENDED;
}

enum end life_show(const struct paths *paths)
{
    struct il_host_options o = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    il_host *host = NULL;
    il_store *store = crash_store(paths->store);
    if (!store || il_host_new(&o, &host, &err) || il_host_set_store(host, store, &err)) return LIFE_BROKE;
    enum il_code code = il_host_show(host, crash_str(fate->run_id), &doc, &err);
    if (code) failed("show", &err);
    else (void)snprintf(fate->document, sizeof fate->document, "%.*s", (int)doc.len, doc.ptr);
    il_host_free(host);
    il_store_close(store);
    return !code ? LIFE_ENDED : code == IL_CONFLICT ? LIFE_WAITS : LIFE_REFUSED;
}
