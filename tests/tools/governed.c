/* Governed actions against a computer-use server through the public host interface, for tests:
 *
 *     governed ENDPOINT [--token T] [--principal P] [--accept TOOL] [--actions N] [--click] [--action JSON]
 *              [--approver ENDPOINT --approver-token T]
 *              [--timeout MS] [--pause MS] [--read-back] [--show] [--again] [--kill-between]
 *              [--kill-at OPERATION [--kill-after MS] [--kill-pid PID]]
 *
 * The action writes the clipboard, or with --click presses a button in the editor's window (then reserved, and the
 * lease bounded to it). --kill-at sends SIGKILL to the server so many ms after the host asked for OPERATION; a stdio
 * server is found as the child of this process. --action is a proposal of one's own, --pause lets the host tick between
 * runs; --show prints the run's document and all its records; --kill-between kills the server of stdio between runs;
 * --again waits before each further run until the server is ready again, and starts a session when the one before is
 * lost.
 *
 * One line per run and per release; then `end ...` with what was counted and `left fds=N children=N`. A run that waits
 * is told as such; with --approver the grant is asked for there, as a person would who approves what is shown, and what
 * became of that, of the session and of the journal is told, too. Exit status: of the last run (SPEC §11), 3 when there
 * was no connection. */
#include "include/interlock.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct job {
    const char *endpoint, *token, *principal, *kill_at, *accept, *action, *approver, *approver_token;
    long actions, timeout_ms, pause_ms, kill_after_ms;
    pid_t kill_pid;
    bool click, read_back, show, again, kill_between;
    /* as it goes */
    il_host *host;
    char session[80];
    int64_t kill_ms; /* when to; 0: not yet */
    bool killed;
    long committed, ended;
    long rss_early, rss_late;
    int fds_early, fds_late, exit_status;
    bool heard;            /* of the grant, or of the session */
    struct il_error grant;
};

static struct il_str str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

static int64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- what the process holds ---- */

static int open_fds(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (!dir) return -1;
    while (readdir(dir)) n++;
    (void)closedir(dir);
    return n;
}

static int children(void)
{
    int n = 0, status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) n++;
    return pid < 0 && errno == ECHILD ? n : n + 1;
}

static pid_t first_child(void)
{
    char path[64], text[64] = "";
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (!fgets(text, sizeof text, file)) text[0] = 0;
    (void)fclose(file);
    return (pid_t)strtol(text, NULL, 10);
}

static long rss_kb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return -1;
    if (fscanf(file, "%*s %ld", &pages) != 1) pages = -1;
    (void)fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ---- events ---- */

static void on_event(void *ctx, const struct il_event *event)
{
    struct job *job = ctx;
    if (event->type == IL_EVENT_RELEASED && job->actions == 1)
        printf("released %.*s ok=%d\n", (int)event->object.len, event->object.ptr, event->ok);
    if (event->type != IL_EVENT_REQUEST || !job->kill_at || job->kill_ms) return;
    if (event->text.len == strlen(job->kill_at) && memcmp(event->text.ptr, job->kill_at, event->text.len) == 0)
        job->kill_ms = now_ms() + job->kill_after_ms;
}

static void kill_when_due(struct job *job)
{
    if (!job->kill_ms || job->killed || now_ms() < job->kill_ms) return;
    pid_t pid = job->kill_pid ? job->kill_pid : first_child();
    job->killed = pid > 1 && kill(pid, SIGKILL) == 0;
    printf("killed %d\n", job->killed);
}

static void on_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    (void)ctx;
    if (level >= IL_LOG_WARN) fprintf(stderr, "log %.*s\n", (int)len, line);
}

/* ---- moving ---- */

static bool tick(struct job *job)
{
    struct il_tick t = { .size = sizeof t };
    struct il_error err = IL_ERROR_INIT;
    int fds[16];
    short events[16];
    struct pollfd polls[16];
    kill_when_due(job);
    if (il_host_tick(job->host, 20000, &t, &err)) {
        printf("tick %s %s\n", il_code_name(err.code), err.message);
        return false;
    }
    if (t.more) return true;
    size_t n = il_host_descriptors(job->host, fds, events, 16);
    for (size_t i = 0; i < n && i < 16; i++) polls[i] = (struct pollfd){ .fd = fds[i], .events = events[i] };
    int64_t wait = t.next_deadline_ms < 0 || t.next_deadline_ms > 10 ? 10 : t.next_deadline_ms;
    (void)poll(polls, (nfds_t)n, (int)wait);
    return true;
}

/* A text member of a document. */
static bool member(struct il_str facts, const char *name, char *out, size_t cap)
{
    char key[64];
    out[0] = 0;
    size_t len = (size_t)snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = memmem(facts.ptr, facts.len, key, len);
    if (!at) return false;
    at += len;
    size_t n = 0;
    while (at + n < facts.ptr + facts.len && at[n] != '"' && n + 1 < cap) n++;
    memcpy(out, at, n);
    out[n] = 0;
    return true;
}

static bool fact(struct job *job, const char *name, char *out, size_t cap)
{
    struct il_str facts;
    struct il_error err = IL_ERROR_INIT;
    out[0] = 0;
    return !il_host_runtime_facts(job->host, &facts, &err) && member(facts, name, out, cap);
}

static bool connect_up(struct job *job)
{
    char state[40], message[300];
    int64_t end = now_ms() + 25000;
    while (now_ms() < end && fact(job, "state", state, sizeof state) && strcmp(state, "connecting") == 0)
        if (!tick(job)) return false;
    if (strcmp(state, "ready") != 0) {
        (void)fact(job, "message", message, sizeof message);
        printf("not ready: %s: %s\n", state, message);
        return false;
    }
    return fact(job, "sessionId", job->session, sizeof job->session);
}

/* ---- one run ---- */

static void proposal(const struct job *job, long number, char *out, size_t cap)
{
    char at[40];
    struct timespec ts;
    struct tm tm;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    (void)gmtime_r(&ts.tv_sec, &tm);
    (void)strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%S.000Z", &tm);
    if (job->action) {
        (void)snprintf(out, cap, "%s", job->action);
        return;
    }
    if (!job->click) {
        (void)snprintf(out, cap, "{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"number %ld\"}}", number);
        return;
    }
    (void)snprintf(out, cap,
                   "{\"tool\":\"press_button\",\"mode\":\"foreground\","
                   "\"arguments\":{\"window_id\":7,\"label\":\"Send\"},"
                   "\"target\":{\"platform\":\"linux\",\"appId\":\"org.example.Editor\",\"pid\":4242,\"windowId\":7,"
                   "\"displayId\":\"1\",\"observationId\":\"o1\",\"confidence\":1,\"capturedAt\":\"%s\"}}",
                   at);
}

static void tell(struct job *job, il_run *run)
{
    struct il_summary s = { .size = sizeof s };
    il_run_summary(run, &s);
    job->exit_status = s.exit_status;
    job->ended += il_run_state(run) == IL_RUN_ENDED;
    job->committed += s.effect == IL_EFFECT_COMMITTED;
    if (job->actions > 1 && s.effect == IL_EFFECT_COMMITTED) return;
    printf("run status=%s effect=%s exit=%d retrySafe=%d step=%s error=%s: %s | cleanup=%s: %s\n", s.status,
           il_effect_name(s.effect), s.exit_status, s.retry_safe, s.error.step, il_code_name(s.error.code),
           s.error.message, il_code_name(s.error.cleanup_code), s.error.cleanup_message);
}

static void show(il_run *run)
{
    struct il_str document;
    struct il_record record;
    struct il_error err = IL_ERROR_INIT;
    if (!il_run_document(run, &document, &err)) printf("document %.*s\n", (int)document.len, document.ptr);
    for (uint64_t seq = 0; !il_run_record(run, seq, &record, &err); seq++)
        printf("record %.*s %.*s\n", (int)record.text.len, record.text.ptr, (int)record.payload.len,
               record.payload.ptr ? record.payload.ptr : "");
}

/* ---- the grant ---- */

static void on_granted(void *ctx, const struct il_error *err)
{
    struct job *job = ctx;
    job->heard = true;
    job->grant = *err;
}

static void on_session(void *ctx, struct il_str json, const struct il_error *err)
{
    struct job *job = ctx;
    char state[40];
    job->heard = true;
    printf("session state=%s\n", !err->code && member(json, "state", state, sizeof state) ? state : err->message);
}

static int count_records(il_run *run, const char *text, bool payload)
{
    struct il_record r = { .size = sizeof r };
    struct il_error err = IL_ERROR_INIT;
    int count = 0;
    for (uint64_t i = 0; !il_run_record(run, i, &r, &err); i++) {
        struct il_str s = payload ? r.payload : r.text;
        if (s.ptr && memmem(s.ptr, s.len, text, strlen(text))) count++;
    }
    return count;
}

/* What the waiting document shows is what is approved. */
static void obtain(struct job *job, il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str doc;
    char request[80], action[80], policy[120];
    if (il_run_document(run, &doc, &err) || !member(doc, "requestId", request, sizeof request) ||
        !member(doc, "actionDigest", action, sizeof action) || !member(doc, "policyDigest", policy, sizeof policy))
        return;
    job->heard = false;
    if (il_run_obtain_grant(run, str(request), str(action), str(policy), on_granted, job, &err)) on_granted(job, &err);
    while (!job->heard && tick(job)) continue;
    printf("grant code=%s object=%s field=%s: %s | cleanup=%s\n", il_code_name(job->grant.code), job->grant.object,
           job->grant.field, job->grant.message, il_code_name(job->grant.cleanup_code));
    job->heard = false;
    if (!il_host_session(job->host, str("get"), (struct il_str){ NULL, 0 }, on_session, job, &err))
        while (!job->heard && tick(job)) continue;
    while (job->grant.code == IL_OK && il_run_state(run) != IL_RUN_ENDED && tick(job)) continue;
    printf("journal asked=%d failed=%d dropped=%d late=%d bound=%d\n", count_records(run, "\"state\":\"asked\"", false),
           count_records(run, "\"state\":\"failed\"", false), count_records(run, "\"state\":\"dropped\"", false),
           count_records(run, "\"what\":\"grant\"", false), count_records(run, "\"grantId\"", true));
    if (!il_host_approver_facts(job->host, &doc, &err)) printf("approver %.*s\n", (int)doc.len, doc.ptr);
}

static bool one_run(struct job *job, long number)
{
    const struct il_str scopes[] = { str("computer:plan"), str("computer:execute:background"),
                                     str("computer:execute:foreground") };
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_run *run = NULL;
    char text[2000];
    proposal(job, number, text, sizeof text);
    options.proposal = str(text);
    options.principal = str(job->principal);
    options.scopes = scopes;
    options.scope_count = 3;
    options.session_id = str(job->session);
    if (il_run_start(job->host, &options, &run, &err)) {
        printf("no run %s %s\n", il_code_name(err.code), err.message);
        return false;
    }
    while (il_run_state(run) == IL_RUN_QUEUED || il_run_state(run) == IL_RUN_MOVING)
        if (!tick(job)) break;
    if (job->approver && il_run_state(run) == IL_RUN_WAITING) obtain(job, run);
    tell(job, run);
    if (job->show) show(run);
    il_run_free(run);
    return true;
}

static void rest(struct job *job)
{
    int64_t end = now_ms() + job->pause_ms;
    while (now_ms() < end && tick(job)) continue;
}

static void take_session(void *ctx, struct il_str json, const struct il_error *err)
{
    (void)json;
    *(int *)ctx = err->code ? -1 : 1;
    if (err->code) printf("no session %s %s\n", il_code_name(err->code), err->message);
}

static void start_session(struct job *job)
{
    struct il_error err = IL_ERROR_INIT;
    int heard = 0;
    int64_t end = now_ms() + 15000;
    if (il_host_session(job->host, str("start"), (struct il_str){ NULL, 0 }, take_session, &heard, &err))
        printf("no session %s %s\n", il_code_name(err.code), err.message);
    else while (!heard && now_ms() < end && tick(job)) continue;
}

/* Waits until the connection was lost and made again, or is over. */
static void again(struct job *job, long number)
{
    char state[40] = "", message[400];
    struct il_str facts;
    int64_t end = now_ms() + 25000;
    bool lost = false;
    while (now_ms() < end && tick(job)) {
        (void)fact(job, "state", state, sizeof state);
        if (strcmp(state, "connecting") == 0) lost = true;
        else if (lost || strcmp(state, "ready") != 0) break;
    }
    (void)fact(job, "message", message, sizeof message);
    struct il_error err = IL_ERROR_INIT;
    bool gone = !il_host_runtime_facts(job->host, &facts, &err) && memmem(facts.ptr, facts.len, "sessionLost", 11);
    printf("again %ld state=%s session_lost=%d %s\n", number, state, gone, message);
    if (gone && job->again) start_session(job);
    (void)fact(job, "sessionId", job->session, sizeof job->session);
}

static void between(struct job *job, long number)
{
    if (!job->kill_between) rest(job);
    if (job->kill_between) {
        pid_t pid = first_child();
        printf("killed %d\n", pid > 1 && kill(pid, SIGKILL) == 0);
        rest(job);
    }
    if (job->again) again(job, number);
}

static void drive(struct job *job)
{
    long early = job->actions / 10 > 100 ? job->actions / 10 : job->actions / 2;
    for (long i = 0; i < job->actions; i++) {
        if (i > 0) between(job, i);
        if (!one_run(job, i)) break;
        if (i == early) {
            job->rss_early = rss_kb();
            job->fds_early = open_fds();
        }
    }
    job->rss_late = rss_kb();
    job->fds_late = open_fds();
}

static bool read_flag(struct job *job, const char *name)
{
    const struct { const char *name; bool *flag; } flags[] = {
        { "--read-back", &job->read_back }, { "--show", &job->show }, { "--again", &job->again },
        { "--kill-between", &job->kill_between },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) != 0) continue;
        *flags[i].flag = true;
        return true;
    }
    return false;
}

static bool read_options(struct job *job, int argc, char **argv)
{
    *job = (struct job){ .principal = "operator-1", .actions = 1, .timeout_ms = 4000 };
    if (argc < 2) return false;
    job->endpoint = argv[1];
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--click") == 0) {
            job->click = true;
            continue;
        }
        if (read_flag(job, argv[i])) continue;
        if (i + 1 >= argc) return false;
        const char *name = argv[i], *value = argv[++i];
        if (strcmp(name, "--token") == 0) job->token = value;
        else if (strcmp(name, "--principal") == 0) job->principal = value;
        else if (strcmp(name, "--accept") == 0) job->accept = value;
        else if (strcmp(name, "--action") == 0) job->action = value;
        else if (strcmp(name, "--approver") == 0) job->approver = value;
        else if (strcmp(name, "--approver-token") == 0) job->approver_token = value;
        else if (strcmp(name, "--actions") == 0) job->actions = strtol(value, NULL, 10);
        else if (strcmp(name, "--timeout") == 0) job->timeout_ms = strtol(value, NULL, 10);
        else if (strcmp(name, "--pause") == 0) job->pause_ms = strtol(value, NULL, 10);
        else if (strcmp(name, "--kill-at") == 0) job->kill_at = value;
        else if (strcmp(name, "--kill-after") == 0) job->kill_after_ms = strtol(value, NULL, 10);
        else if (strcmp(name, "--kill-pid") == 0) job->kill_pid = (pid_t)strtol(value, NULL, 10);
        else return false;
    }
    return true;
}

static enum il_code set_approver(struct job *job, struct il_error *err)
{
    struct il_mcp_options options = IL_MCP_OPTIONS_INIT;
    options.endpoint = str(job->approver);
    options.token = str(job->approver_token);
    options.connect_timeout_ms = 5000;
    return il_host_set_approver(job->host, &options, err);
}

int main(int argc, char **argv)
{
    struct job job;
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_mcp_options mcp = IL_MCP_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    char state[40] = "";
    if (!read_options(&job, argc, argv)) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    int before = open_fds();
    options.event = on_event;
    options.event_ctx = &job;
    options.log = on_log;
    options.request_timeout_ms = (uint32_t)job.timeout_ms;
    mcp.endpoint = str(job.endpoint);
    mcp.token = str(job.token);
    mcp.read_back = job.read_back;
    const struct il_str accept = str(job.accept);
    mcp.accept_tools = &accept;
    mcp.accept_count = job.accept ? 1 : 0;
    job.exit_status = 3;
    if (il_host_new(&options, &job.host, &err) || il_host_set_runtime_mcp(job.host, &mcp, &err))
        printf("no host %s %s\n", il_code_name(err.code), err.message);
    else if (job.approver && set_approver(&job, &err))
        printf("no approver %s %s\n", il_code_name(err.code), err.message);
    else if (connect_up(&job)) drive(&job);
    bool alive = job.host && tick(&job) && fact(&job, "state", state, sizeof state);
    printf("end alive=%d state=%s actions=%ld ended=%ld committed=%ld rss_growth_kb=%ld fds_growth=%d\n", alive, state,
           job.actions, job.ended, job.committed, job.rss_late - job.rss_early, job.fds_late - job.fds_early);
    il_host_free(job.host);
    printf("left fds=%d children=%d\n", open_fds() - before, children());
    return job.exit_status;
}
