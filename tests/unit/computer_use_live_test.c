/* Whole runs through the public interface against the stand-in computer-use server, a process of its own on stdio: what
 * the run says must be what the server's file of effects says. Needs node and the peers' modules; skipped without. */
#include "include/interlock.h"
#include "tap.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PEER "node tests/peers/computer-use.mjs --principal operator-1 --world "
#define CLIPBOARD                                                                                                      \
    "{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"},\"mode\":\"background\",\"dataLabels\":["           \
    "\"public\"]"

struct live {
    il_host *host;
    il_run *run;
    char world[80], session[80], endpoint[800];
    int leash; /* of a server over http */
    struct il_summary summary;
};

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void wait_a_little(il_host *host, const struct il_tick *tick)
{
    struct pollfd polled[16];
    int fds[16];
    short events[16];
    size_t count = il_host_descriptors(host, fds, events, 16);
    for (size_t i = 0; i < count && i < 16; i++) polled[i] = (struct pollfd){ fds[i], events[i], 0 };
    int64_t ms = tick->more                                                  ? 0
                 : tick->next_deadline_ms < 0 || tick->next_deadline_ms > 50 ? 50
                                                                             : tick->next_deadline_ms;
    poll(polled, (nfds_t)(count < 16 ? count : 16), (int)ms);
}

static void tick(il_host *host)
{
    struct il_tick told = { .size = sizeof told };
    if (il_host_tick(host, 2000, &told, NULL)) exit(1);
    wait_a_little(host, &told);
}

static const char *facts(struct live *l)
{
    struct il_str out;
    if (il_host_runtime_facts(l->host, &out, NULL)) exit(1);
    return out.ptr;
}

static void log_line(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    (void)ctx;
    if (level >= IL_LOG_WARN && getenv("LIVE_LOG")) tap_note("%.*s", (int)len, line);
}

static void log_event(void *ctx, const struct il_event *event)
{
    (void)ctx;
    if (getenv("LIVE_LOG")) tap_note("%.*s", (int)event->json.len, event->json.ptr);
}

/* A server over http; it ends with the descriptor that is returned. */
static int start_http(const char *world, const char *switches, char endpoint[800])
{
    int in[2], out[2];
    char line[400] = "", command[800];
    if (pipe(in) || pipe(out)) exit(1);
    snprintf(command, sizeof command, "exec " PEER "%s --http --leash --token abc=operator-1 %s", world, switches);
    if (fork() == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    if (!f || !fgets(line, sizeof line, f)) exit(1);
    fclose(f);
    const char *url = strstr(line, "http://");
    snprintf(endpoint, 800, "mcp+%.*s", url ? (int)strcspn(url, "\"") : 0, url ? url : "");
    return in[1];
}

static bool is_ready(struct live *l)
{
    for (long until = now_ms() + 20000; now_ms() < until && strstr(facts(l), "\"state\":\"connecting\"");)
        tick(l->host);
    return strstr(facts(l), "\"state\":\"ready\"") != NULL;
}

/* True when the server is ready. */
static bool open_live(struct live *l, const char *switches, const char *accept, bool believe)
{
    static int worlds;
    bool http = strstr(switches, "--idle-ms") != NULL;
    char endpoint[800];
    struct il_error err = IL_ERROR_INIT;
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_mcp_options mcp = IL_MCP_OPTIONS_INIT;
    const struct il_str accepted = { accept, accept ? strlen(accept) : 0 };
    memset(l, 0, sizeof *l);
    snprintf(l->world, sizeof l->world, "build/live-%d-%d.jsonl", (int)getpid(), ++worlds);
    snprintf(endpoint, sizeof endpoint, "stdio:" PEER "%s %s", l->world, switches);
    if (http) l->leash = start_http(l->world, switches, endpoint);
    if (http) mcp.token = (struct il_str){ "abc", 3 };
    options.log = log_line;
    options.event = log_event;
    options.request_timeout_ms = 4000;
    options.accept_server_verification = believe;
    mcp.endpoint = (struct il_str){ endpoint, strlen(endpoint) };
    mcp.accept_tools = &accepted;
    mcp.accept_count = accept ? 1 : 0;
    if (il_host_new(&options, &l->host, &err) || il_host_set_runtime_mcp(l->host, &mcp, &err)) {
        tap_ok(false, "%s: %s", switches, err.message);
        exit(tap_done());
    }
    bool ready = is_ready(l);
    memcpy(l->endpoint, endpoint, sizeof endpoint);
    const char *at = strstr(facts(l), "\"sessionId\":\"");
    if (at) snprintf(l->session, sizeof l->session, "%.36s", at + 13);
    return ready;
}

static void close_live(struct live *l)
{
    il_host_free(l->host);
    if (l->leash) close(l->leash);
    if (l->leash) wait(NULL);
    unlink(l->world);
}

/* Runs `proposal` to its end. */
static void play(struct live *l, const char *proposal)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_run_options o = IL_RUN_OPTIONS_INIT;
    const struct il_str scopes[] = { { "computer:execute:background", 27 }, { "computer:execute:foreground", 27 } };
    o.proposal = (struct il_str){ proposal, strlen(proposal) };
    o.principal = (struct il_str){ "operator-1", 10 };
    o.session_id = (struct il_str){ l->session, strlen(l->session) };
    o.agent_id = (struct il_str){ "executor", 8 };
    o.scopes = scopes;
    o.scope_count = 2;
    if (il_run_start(l->host, &o, &l->run, &err)) {
        tap_note("%s %s", err.field, err.message);
        return;
    }
    for (long until = now_ms() + 30000; now_ms() < until && il_run_state(l->run) != IL_RUN_ENDED;) tick(l->host);
    l->summary.size = sizeof l->summary;
    il_run_summary(l->run, &l->summary);
}

static int effects(const struct live *l)
{
    int lines = 0, c;
    FILE *f = fopen(l->world, "r");
    if (!f) return 0;
    while ((c = getc(f)) != EOF) lines += c == '\n';
    fclose(f);
    return lines;
}

/* ---- cases ---- */

struct play_case {
    const char *what, *switches, *proposal, *status;
    enum il_effect effect;
    int effects;
    const char *message; /* part of the error, or NULL */
    bool believe;
};

#define NOTHING CLIPBOARD "}"
#define CLICK                                                                                                          \
    "{\"tool\":\"left_click\",\"arguments\":{\"coordinate\":[150,120],\"target_window_id\":7},\"mode\":"               \
    "\"foreground\","                                                                                                  \
    "\"dataLabels\":[\"private\"],\"target\":{\"platform\":\"linux\",\"appId\":\"org.example.Editor\",\"pid\":4242,"   \
    "\"windowId\":7,\"displayId\":\"1\",\"bounds\":{\"x\":100,\"y\":80,\"width\":800,\"height\":600},"                 \
    "\"observationId\":"                                                                                               \
    "\"snap-0\",\"confidence\":1,\"capturedAt\":\"$NOW\"},\"postcondition\":{\"kind\":\"window\",\"windowId\":7,"      \
    "\"exists\":true}}"

static const struct play_case CASES[] = {
    { "an allowed action", "", NOTHING, "committed_unverified", IL_EFFECT_COMMITTED, 1, NULL, false },
    { "an action on a window, with reservation and lease", "", CLICK, "committed_unverified", IL_EFFECT_COMMITTED, 1,
      NULL, false },
    { "its postcondition, read back by the server and believed", "", CLICK, "completed", IL_EFFECT_COMMITTED, 1, NULL,
      true },
    { "F4 the answer to execute is lost", "--lose execute_action:after@3", NOTHING, "committed_unverified",
      IL_EFFECT_COMMITTED, 1, NULL, false },
    { "the execute itself is lost: the probe proves that nothing ran", "--lose execute_action:before@3", NOTHING,
      "verification_failed", IL_EFFECT_NONE, 0, NULL, false },
    { "F21 a replay is claimed for a first send", "--fault execute_action@3:/replay=true", NOTHING,
      "committed_unverified", IL_EFFECT_COMMITTED, 1, NULL, false },
    { "F5 a failure after the effect", "--error-after-effect write_clipboard", NOTHING, "verification_failed",
      IL_EFFECT_UNKNOWN, 1, NULL, false },
    { "F5 a throw after the effect", "--throw-after-effect write_clipboard", NOTHING, "verification_failed",
      IL_EFFECT_UNKNOWN, 1, NULL, false },
    { "F7 the server dies after the effect", "--crash write_clipboard:after", NOTHING, "indeterminate",
      IL_EFFECT_UNKNOWN, 1, NULL, false },
    { "another envelope than was proposed", "--fault preview_action:/envelope/tool=\\\"other\\\"", NOTHING, "refused",
      IL_EFFECT_NONE, 0, NULL, false },
    { "F14 a lease of another principal", "--fault acquire_control_lease:/lease/principalId=\\\"x\\\"", NOTHING,
      "refused", IL_EFFECT_NONE, 0, NULL, false },
    { "noise on the connection", "--noise --split-writes --server-request roots", NOTHING, "committed_unverified",
      IL_EFFECT_COMMITTED, 1, NULL, false },
    { "over http", "--idle-ms 30000", NOTHING, "committed_unverified", IL_EFFECT_COMMITTED, 1, NULL, false },
    { "over http, a stream that ends before the answer", "--idle-ms 30000 --cut-stream execute_action@3", NOTHING,
      "committed_unverified", IL_EFFECT_COMMITTED, 1, NULL, false },
    { "F30 a server without structured content", "--structured-content false", NOTHING, "committed_unverified",
      IL_EFFECT_COMMITTED, 1, NULL, false },
};

static char *with_now(const char *proposal)
{
    static char out[2000];
    char now[40];
    time_t t = time(NULL);
    struct tm tm;
    const char *hole = strstr(proposal, "$NOW");
    gmtime_r(&t, &tm);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (!hole) snprintf(out, sizeof out, "%s", proposal);
    else snprintf(out, sizeof out, "%.*s%s%s", (int)(hole - proposal), proposal, now, hole + 4);
    return out;
}

static void run_case(const struct play_case *c)
{
    struct live l;
    struct il_str document = { NULL, 0 };
    if (!tap_ok(open_live(&l, c->switches, "approve_action", c->believe), "%s: ready", c->what))
        tap_note("%s", facts(&l));
    play(&l, with_now(c->proposal));
    bool right = l.summary.status && strcmp(l.summary.status, c->status) == 0 && l.summary.effect == c->effect;
    tap_ok(right, "%s: %s", c->what, c->status);
    if (!right && l.run && !il_run_document(l.run, &document, NULL)) tap_note("%.*s", (int)document.len, document.ptr);
    tap_int(effects(&l), c->effects, "%s: effects", c->what);
    if (c->message) tap_ok(strstr(l.summary.error.message, c->message) != NULL, "%s: says why", c->what);
    bool foreign = strstr(c->switches, "principalId") != NULL; /* reported, never released */
    tap_ok(foreign == (l.summary.error.cleanup_code != IL_OK) || strstr(c->switches, "--crash"),
           "%s: all is given back", c->what);
    close_live(&l);
}

static void test_two_runs(void)
{
    struct live l;
    open_live(&l, "", "approve_action", false);
    play(&l, NOTHING);
    long begun = now_ms();
    play(&l, NOTHING);
    tap_ok(strcmp(l.summary.status, "committed_unverified") == 0 && effects(&l) == 2 && now_ms() - begun < 8000,
           "F2 a second run finds the lease free");
    close_live(&l);
}

static void test_refused(void)
{
    struct live l;
    tap_ok(!open_live(&l, "", NULL, false) && strstr(facts(&l), "approve_action"),
           "F18 approve_action is refused by name");
    close_live(&l);
    tap_ok(!open_live(&l, "--raw-tools", "approve_action", false) && strstr(facts(&l), "ways around"),
           "raw tools are refused");
    close_live(&l);
    tap_ok(!open_live(&l, "--no-v8", "approve_action", false) && strstr(facts(&l), "no v8 tools"),
           "a server without the governed tools says so");
    close_live(&l);
}

static void take_session(void *ctx, struct il_str json, const struct il_error *err)
{
    snprintf(ctx, 300, "%s %.*s", il_code_name(err->code), (int)json.len, json.ptr ? json.ptr : "");
}

static void test_session(void)
{
    struct live l;
    char heard[300] = "";
    struct il_error err = IL_ERROR_INIT;
    open_live(&l, "", "approve_action", false);
    const struct il_str verb = { "get", 3 }, none = { NULL, 0 }, bad = { "approve", 7 };
    tap_ok(!il_host_session(l.host, verb, none, take_session, heard, &err), "a session command is begun");
    for (long until = now_ms() + 5000; now_ms() < until && !heard[0];) tick(l.host);
    tap_ok(strncmp(heard, "ok {\"sessionId\":", 16) == 0 && strstr(heard, "\"state\":\"running\""),
           "and gives its document");
    tap_int(il_host_session(l.host, bad, none, take_session, heard, &err), IL_INVALID_REQUEST, "there is no approve");
    close_live(&l);
}

static void test_idle(void)
{
    struct live l;
    tap_ok(open_live(&l, "--idle-ms 14000", "approve_action", false), "ready over http");
    for (long until = now_ms() + 16000; now_ms() < until;) tick(l.host);
    play(&l, NOTHING);
    tap_ok(l.summary.status && strcmp(l.summary.status, "committed_unverified") == 0,
           "F29 a connection that says nothing for long is kept alive");
    close_live(&l);
}

/* The session of a host that is gone is the server's still, and nobody's silence suspends it. */
static void test_goodbye(void)
{
    struct live l;
    char heard[300] = "", endpoint[800];
    struct il_error err = IL_ERROR_INIT;
    tap_ok(open_live(&l, "--idle-ms 1500", "approve_action", false), "ready over http");
    struct il_mcp_options mcp = IL_MCP_OPTIONS_INIT;
    const struct il_str accepted = { "approve_action", 14 }, verb = { "get", 3 }, none = { NULL, 0 };
    snprintf(endpoint, sizeof endpoint, "%s", l.endpoint);
    il_host_free(l.host);
    usleep(1800000);
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    mcp.endpoint = (struct il_str){ endpoint, strlen(endpoint) };
    mcp.token = (struct il_str){ "abc", 3 };
    mcp.session_id = (struct il_str){ l.session, strlen(l.session) };
    mcp.accept_tools = &accepted;
    mcp.accept_count = 1;
    if (il_host_new(&options, &l.host, &err) || il_host_set_runtime_mcp(l.host, &mcp, &err)) exit(1);
    tap_ok(is_ready(&l) && !il_host_session(l.host, verb, none, take_session, heard, &err), "somebody else asks");
    for (long until = now_ms() + 5000; now_ms() < until && !heard[0];) tick(l.host);
    tap_ok(strstr(heard, "\"state\":\"running\"") != NULL, "F29 who says goodbye is not suspended: %.80s", heard);
    close_live(&l);
}

int main(void)
{
    if (access("tests/peers/node_modules", R_OK)) {
        printf("1..0 # SKIP the peers are not installed\n");
        return 0;
    }
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) run_case(&CASES[i]);
    test_two_runs();
    test_refused();
    test_session();
    test_goodbye();
    if (getenv("LIVE_SLOW")) test_idle();
    return tap_done();
}
