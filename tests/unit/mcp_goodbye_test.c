/* The end of a connection whose owner is freed: a server over HTTP hears DELETE and what was asked before it, one that
 * says nothing is not waited for longer than the limit, and neither is a program on stdio. The server is a child that
 * writes a line for each request it saw. */
#include "mcp_rig.h"

#include "base/limits.h"
#include "runtime/mcp_http.h"
#include "tap.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLACK_MS = 1000, SEEN = 2000 }; /* what a loaded machine may add */

static struct rig rig;

/* How the server behaves. `deaf`: never answers a request of that beginning. */
struct server {
    const char *deaf, *slow; /* "DELETE", "ping", "initialize" */
    pid_t pid;
    int port, seen; /* the reading end of its report */
};

/* ---- the server, in a child ---- */

static size_t read_request(int fd, char *in, size_t cap)
{
    size_t len = 0;
    for (;;) {
        const char *end = strstr(in, "\r\n\r\n"), *length = strcasestr(in, "content-length:");
        size_t body = length ? (size_t)strtol(length + 15, NULL, 10) : 0;
        if (end && len >= (size_t)(end + 4 - in) + body) return len;
        ssize_t n = len + 1 < cap ? read(fd, in + len, cap - 1 - len) : 0;
        if (n <= 0) return 0;
        len += (size_t)n;
        in[len] = 0;
    }
}

static void answer(int fd, const char *in, bool deletes)
{
    char body[400] = "", out[800];
    const char *id = strstr(in, "\"id\":");
    bool hello = strstr(in, "\"initialize\"") != NULL;
    if (id && !deletes)
        snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{%s}}", strtol(id + 5, NULL, 10),
                 hello ? "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                         "\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}"
                       : "");
    int n =
        snprintf(out, sizeof out, "HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %zu\r\n\r\n%s",
                 id || deletes ? "200 OK" : "202 Accepted", hello ? "Mcp-Session-Id: abc\r\n" : "", strlen(body), body);
    if (write(fd, out, (size_t)n) != n) _exit(1);
}

static bool is(const char *in, bool deletes, const char *what)
{
    if (!what) return false;
    return strcmp(what, "DELETE") == 0 ? deletes : strstr(in, what) != NULL;
}

static void serve(const struct server *s, int listener, int report)
{
    static const char *const methods[] = { "\"initialize\"", "notifications/", "\"ping\"" };
    char in[8192];
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        memset(in, 0, sizeof in);
        if (fd < 0 || !read_request(fd, in, sizeof in)) {
            close(fd);
            continue;
        }
        bool deletes = strncmp(in, "DELETE ", 7) == 0;
        const char *what = deletes ? (strcasestr(in, "mcp-session-id: abc") ? "DELETE abc" : "DELETE") : "other";
        for (size_t i = 0; i < 3 && !deletes; i++)
            if (strstr(in, methods[i])) what = methods[i];
        dprintf(report, "%s\n", what);
        if (is(in, deletes, s->deaf)) continue; /* the connection stays open */
        if (is(in, deletes, s->slow)) usleep(100000);
        answer(fd, in, deletes);
        close(fd);
    }
}

static void start(struct server *s)
{
    int report[2], listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 16) ||
        getsockname(listener, (struct sockaddr *)&at, &len) || pipe(report))
        abort();
    s->port = ntohs(at.sin_port);
    s->pid = fork();
    if (s->pid == 0) serve(s, listener, report[1]);
    s->seen = report[0];
    close(report[1]);
    close(listener);
}

/* Ends the server; what it saw, a line a request, into `seen`. */
static void stop(struct server *s, char seen[SEEN])
{
    size_t len = 0;
    ssize_t n;
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    while (len + 1 < SEEN && (n = read(s->seen, seen + len, SEEN - 1 - len)) > 0) len += (size_t)n;
    seen[len] = 0;
    close(s->seen);
}

/* ---- the tests ---- */

static void open_http(struct server *s, bool is_virtual)
{
    char url[64];
    struct il__mcp_wire wire;
    start(s);
    rig_open(&rig, is_virtual);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/mcp", s->port);
    const struct il__mcp_http_options options = { .mem = &rig.mem, .clock = &rig.clock, .log = &rig.log,
                                                  .url = il__str(url) };
    if (il__mcp_http_new(&options, il__mcp_sink_of(rig.mcp), &wire, &rig.err)) abort();
    il__mcp_set_wire(rig.mcp, wire);
}

static long goodbye(void)
{
    int64_t begun = il__clock_us(&rig.clock);
    il__mcp_goodbye(rig.mcp);
    return (long)((il__clock_us(&rig.clock) - begun) / 1000);
}

static const char *const HELLO = "\"initialize\"\nnotifications/\n";

static void expect_seen(struct server *s, const char *want, const char *name)
{
    char seen[SEEN], whole[SEEN];
    stop(s, seen);
    snprintf(whole, sizeof whole, "%s%s", HELLO, want);
    tap_str(il__str(seen), whole, "%s", name);
    rig_close(&rig, name);
}

static void test_tells(bool is_virtual)
{
    struct server s = { 0 };
    open_http(&s, is_virtual);
    tap_ok(rig_until_state(&rig, IL__MCP_READY, 5000), "ready%s", is_virtual ? ", with a clock that stands still" : "");
    long ms = goodbye();
    tap_ok(il__mcp_state(rig.mcp) == IL__MCP_CLOSED && ms < IL__LIMIT_MCP_GOODBYE_MS + SLACK_MS, "it ends (%ld ms)",
           ms);
    expect_seen(&s, "DELETE abc\n", "the session is ended at the server");
}

static void test_deaf(void)
{
    struct server s = { .deaf = "DELETE" };
    open_http(&s, false);
    tap_ok(rig_until_state(&rig, IL__MCP_READY, 5000), "ready");
    long ms = goodbye();
    tap_ok(ms >= IL__LIMIT_MCP_GOODBYE_MS && ms < IL__LIMIT_MCP_GOODBYE_MS + SLACK_MS,
           "mcp_goodbye_ms: a server that never answers is not waited for longer (%ld ms)", ms);
    expect_seen(&s, "DELETE abc\n", "though it was told");
}

static void test_in_flight(void)
{
    struct server s = { .slow = "\"ping\"" };
    open_http(&s, false);
    tap_ok(rig_until_state(&rig, IL__MCP_READY, 5000), "ready");
    struct rig_answer *a = rig_begin(&rig, "ping", "{}", 5000, 5000, NULL);
    (void)goodbye();
    tap_ok(a->done == 1 && a->code == IL_OK, "what was asked is answered first");
    expect_seen(&s, "\"ping\"\nDELETE abc\n", "then the session is ended");
}

static void test_in_flight_deaf(void)
{
    struct server s = { .deaf = "\"ping\"" };
    open_http(&s, false);
    tap_ok(rig_until_state(&rig, IL__MCP_READY, 5000), "ready");
    struct rig_answer *a = rig_begin(&rig, "ping", "{}", 5000, 5000, NULL);
    long ms = goodbye();
    tap_ok(a->done == 1 && a->code == IL_TRANSPORT && a->sent, "what is never answered is lost");
    tap_ok(ms >= IL__LIMIT_MCP_GOODBYE_MS / 2 && ms < IL__LIMIT_MCP_GOODBYE_MS + SLACK_MS,
           "after half of the limit (%ld ms)", ms);
    expect_seen(&s, "\"ping\"\nDELETE abc\n", "and the session is ended");
}

static void test_not_ready(void)
{
    struct server s = { .deaf = "\"initialize\"" };
    char seen[SEEN];
    open_http(&s, false);
    tap_ok(!rig_until_state(&rig, IL__MCP_READY, 100), "no session yet");
    long ms = goodbye();
    tap_ok(ms < SLACK_MS, "nothing is waited for (%ld ms)", ms);
    stop(&s, seen);
    tap_ok(!strstr(seen, "DELETE"), "and no session ended");
    rig_close(&rig, "no session");
}

static void test_stdio(const char *program, bool ends)
{
    rig_open(&rig, false);
    tap_ok(!rig_spawn(&rig, program) && rig_until_state(&rig, IL__MCP_READY, 10000), "%s is ready", program);
    long ms = goodbye();
    tap_ok(ms < IL__LIMIT_MCP_GOODBYE_MS + SLACK_MS && (ends || ms >= IL__LIMIT_MCP_GOODBYE_MS),
           "it is given the end of its input, and %s (%ld ms)", ends ? "ends" : "no more than the limit", ms);
    tap_ok(!ends || il__mcp_state(rig.mcp) == IL__MCP_CLOSED, "and that is seen");
    rig_close(&rig, program);
    tap_ok(waitpid(-1, NULL, WNOHANG) < 0, "no process is left");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_tells(false);
    test_tells(true);
    test_deaf();
    test_in_flight();
    test_in_flight_deaf();
    test_not_ready();
    test_stdio("plain.py", true);
    test_stdio("stubborn.py", false);
    return tap_done();
}
