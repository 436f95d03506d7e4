/* Drives the MCP engine and its wires from the command line, for tests against servers of others:
 *
 *     mcp_probe stdio COMMAND WHAT...       mcp_probe http URL WHAT...       mcp_probe conformance URL
 *     WHAT: initialize | list | call NAME JSON | cancel NAME JSON | idle MS
 *
 * One line per fact, blanks in texts kept, line breaks shown as `\n`. Ends by closing the connection in order, then
 * `left fds=N children=N memory=N`: what a host would be left with. Must never send a call twice. */
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "runtime/mcp_http.h"
#include "runtime/mcp_stdio.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SOFT_MS = 20000, HARD_MS = 25000, SHUT_MS = 8000, SHOWN = 300 };

struct probe {
    struct il__mem mem;
    struct il__clock clock;
    struct il__mcp *mcp;
    struct il_error err;
    int done, tools, status;
};

static void show(const char *what, struct il_str text)
{
    size_t n = text.len < SHOWN ? text.len : SHOWN;
    printf("%s %zu ", what, text.len);
    for (size_t i = 0; i < n; i++) {
        if (text.ptr[i] == '\n') fputs("\\n", stdout);
        else putchar(text.ptr[i]);
    }
    putchar('\n');
}

/* The type of each content block, then what the call came to. */
static void show_content(struct il__json *doc, uint32_t result)
{
    struct il_error err = IL_ERROR_INIT;
    uint32_t content = il__json_get(doc, result, "content");
    if (!content || il__json_kind(doc, content) != IL__JSON_ARRAY) return;
    for (uint32_t at = il__json_first(doc, content); at; at = il__json_next(doc, content, at)) {
        struct il_str type = IL_STR_NONE;
        uint32_t node = il__json_get(doc, at, "type");
        if (node && !il__json_string(doc, node, &type, &err)) printf("block %.*s\n", IL_STR_FMT(type));
    }
}

static void finish(struct probe *p, bool good)
{
    p->done = 1;
    if (!good) p->status = 1;
}

static void answered(void *ctx, const struct il__mcp_answer *answer)
{
    struct probe *p = ctx;
    struct il_error err = IL_ERROR_INIT;
    struct il__mcp_tool_result result;
    printf("answer %s sent=%d rpc=%lld\n", il_code_name(answer->code), answer->sent, (long long)answer->rpc_code);
    if (answer->code) {
        show("error", answer->message);
        finish(p, false);
        return;
    }
    show_content(answer->doc, answer->result);
    if (il__mcp_tool_result(&p->mem, answer->doc, answer->result, &result, &err)) {
        printf("result unreadable %s\n", err.message);
        finish(p, false);
        return;
    }
    printf("result %s\n", result.ok ? "ok" : "isError");
    if (result.content) show("content", il__json_raw(result.doc, result.content));
    show("text", result.message);
    finish(p, result.ok);
    il__mcp_tool_result_clear(&result);
}

static void late(void *ctx, const struct il__mcp_answer *answer)
{
    (void)ctx;
    printf("late %s\n", il_code_name(answer->code));
}

static void one_tool(void *ctx, struct il_str name, struct il__json *doc, uint32_t tool)
{
    struct probe *p = ctx;
    (void)doc;
    (void)tool;
    p->tools++;
    printf("tool %.*s\n", IL_STR_FMT(name));
}

static void listed(void *ctx, const struct il__mcp_answer *answer)
{
    struct probe *p = ctx;
    printf("list %s tools=%d\n", il_code_name(answer->code), p->tools);
    if (answer->code) show("error", answer->message);
    finish(p, !answer->code);
}

/* ---- moving ---- */

static void wait_for(struct probe *p, int64_t wait)
{
    int fds[16];
    short events[16];
    struct pollfd polls[16];
    size_t n = il__mcp_descriptors(p->mcp, fds, events, 16);
    for (size_t i = 0; i < n; i++) polls[i] = (struct pollfd){ .fd = fds[i], .events = events[i] };
    (void)poll(polls, (nfds_t)n, wait < 0 || wait > 100 ? 100 : (int)wait);
}

/* Until `*flag`, the engine is in `state`, or time is over. */
static bool until(struct probe *p, const int *flag, enum il__mcp_state state, int64_t ms)
{
    int64_t end = il__clock_us(&p->clock) + ms * 1000;
    for (;;) {
        int64_t wait = il__mcp_tick(p->mcp, 20000);
        if (flag ? *flag : il__mcp_state(p->mcp) == state) return true;
        if (il__clock_us(&p->clock) >= end) return false;
        wait_for(p, wait);
    }
}

static bool connect_up(struct probe *p)
{
    int64_t end = il__clock_us(&p->clock) + (int64_t)HARD_MS * 1000;
    while (il__mcp_state(p->mcp) == IL__MCP_CONNECTING && il__clock_us(&p->clock) < end)
        (void)until(p, NULL, IL__MCP_READY, 50);
    if (il__mcp_state(p->mcp) != IL__MCP_READY) {
        const struct il_error *err = il__mcp_error(p->mcp);
        printf("refused %s %s\n", il_code_name(err->code), err->message);
        return false;
    }
    printf("ready %.*s %.*s %.*s\n", IL_STR_FMT(il__mcp_server_name(p->mcp)),
           IL_STR_FMT(il__mcp_server_version(p->mcp)), IL_STR_FMT(il__mcp_protocol(p->mcp)));
    return true;
}

static bool begin_call(struct probe *p, const char *name, const char *json, uint64_t *id)
{
    size_t size = strlen(name) + strlen(json) + 40;
    char *params = malloc(size);
    if (!params) abort();
    (void)snprintf(params, size, "{\"name\":\"%s\",\"arguments\":%s}", name, json);
    const struct il__mcp_request request = { .method = "tools/call", .params = il__str(params), .soft_ms = SOFT_MS,
                                             .hard_ms = HARD_MS, .done = answered, .late = late, .ctx = p };
    p->done = 0;
    enum il_code code = il__mcp_begin(p->mcp, &request, id, &p->err);
    free(params);
    if (!code) return true;
    printf("never began %s %s\n", il_code_name(code), p->err.message);
    p->status = 1;
    return false;
}

/* What stands at argv[i]; returns how many words it took, 0 when they make no sense. */
static int perform(struct probe *p, const char *const *argv, int left)
{
    uint64_t id = 0;
    if (strcmp(argv[0], "initialize") == 0) return 1;
    if (strcmp(argv[0], "list") == 0) {
        p->done = p->tools = 0;
        if (il__mcp_list_tools(p->mcp, one_tool, listed, p, &p->err)) p->status = 1;
        else (void)until(p, &p->done, IL__MCP_CLOSED, HARD_MS + 1000);
        return 1;
    }
    if (strcmp(argv[0], "idle") == 0 && left > 1) {
        int never = 0;
        (void)until(p, &never, IL__MCP_CLOSED, strtol(argv[1], NULL, 10));
        return 2;
    }
    bool cancel = strcmp(argv[0], "cancel") == 0;
    if ((!cancel && strcmp(argv[0], "call") != 0) || left < 3) return 0;
    if (!begin_call(p, argv[1], argv[2], &id)) return 3;
    if (cancel) {
        (void)until(p, &p->done, IL__MCP_CLOSED, 500);
        il__mcp_cancel(p->mcp, id, "no longer wanted");
    }
    (void)until(p, &p->done, IL__MCP_CLOSED, HARD_MS + 1000);
    return 3;
}

/* ---- what is left ---- */

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

static enum il_code open_wire(struct probe *p, const char *kind, const char *endpoint, struct il__mcp_wire *wire)
{
    struct il__mcp_sink sink = il__mcp_sink_of(p->mcp);
    const struct il__mcp_stdio_options stdio = { .mem = &p->mem, .clock = &p->clock, .command = il__str(endpoint) };
    const struct il__mcp_http_options http = { .mem = &p->mem, .clock = &p->clock, .url = il__str(endpoint),
                                               .token = il__str(getenv("MCP_PROBE_TOKEN")) };
    return strcmp(kind, "stdio") == 0 ? il__mcp_stdio_new(&stdio, sink, wire, &p->err)
                                      : il__mcp_http_new(&http, sink, wire, &p->err);
}

/* What each scenario of the conformance suite wants of a client (MCP_CONFORMANCE_SCENARIO names it). */
static int conformance(struct probe *p)
{
    static const char *const adds[] = { "list", "call", "add_numbers", "{\"a\":5,\"b\":3}" };
    static const char *const again[] = { "list", "call", "test_reconnection", "{}" };
    static const char *const hello[] = { "list" };
    const char *name = getenv("MCP_CONFORMANCE_SCENARIO");
    bool calls = name && (strcmp(name, "tools_call") == 0 || strcmp(name, "sse-retry") == 0);
    const char *const *words = !calls ? hello : strcmp(name, "tools_call") == 0 ? adds : again;
    (void)perform(p, words, 1);
    if (calls) (void)perform(p, words + 1, 3);
    return p->status;
}

static int drive(struct probe *p, int argc, char **argv)
{
    if (!connect_up(p)) return 3;
    if (strcmp(argv[1], "conformance") == 0) return conformance(p);
    for (int i = 3; i < argc;) {
        int took = perform(p, (const char *const *)(argv + i), argc - i);
        if (!took) return 2;
        i += took;
    }
    return p->status;
}

int main(int argc, char **argv)
{
    struct probe p = { .status = 0 };
    struct il__mcp_wire wire;
    int status = 3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3) return 2;
    int before = open_fds();
    il__mem_init(&p.mem, NULL, NULL, 0);
    il__clock_init(&p.clock, NULL, NULL, NULL);
    const struct il__mcp_options options = { .mem = &p.mem, .clock = &p.clock, .client_name = IL_STR("interlock-probe"),
                                             .client_version = IL_STR(IL_VERSION) };
    if (il__mcp_new(&options, &p.mcp, &p.err)) return 3;
    if (open_wire(&p, argv[1], argv[2], &wire)) {
        printf("no wire %s %s\n", il_code_name(p.err.code), p.err.message);
    } else {
        il__mcp_set_wire(p.mcp, wire);
        status = drive(&p, argc, argv);
        il__mcp_shut(p.mcp);
        printf("closed %d\n", until(&p, NULL, IL__MCP_CLOSED, SHUT_MS));
    }
    il__mcp_free(p.mcp);
    printf("left fds=%d children=%d memory=%zu\n", open_fds() - before, children(), p.mem.in_use_bytes);
    return status;
}
