/* The connection for tests (mcp_rig.h). */
#include "mcp_rig.h"

#include "base/error.h"
#include "tap.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct rig *rig = ctx;
    struct timespec ts;
    (void)clock_gettime(CLOCK_BOOTTIME, &ts);
    out->wall_sec = 1700000000;
    out->wall_nsec = 0;
    out->boot_ns = rig->is_virtual ? rig->now_ms * 1000000 : (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void keep_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct rig *rig = ctx;
    (void)level;
    rig->log_lines++;
    if (rig->log_len + len + 2 > sizeof rig->logged) return;
    memcpy(rig->logged + rig->log_len, line, len);
    rig->log_len += len;
    rig->logged[rig->log_len++] = '\n';
    rig->logged[rig->log_len] = 0;
}

void rig_open(struct rig *rig, bool is_virtual)
{
    memset(rig, 0, sizeof *rig);
    il__mem_init(&rig->mem, NULL, NULL, 0);
    rig->is_virtual = is_virtual;
    il__clock_init(&rig->clock, read_clock, rig, NULL);
    rig->log = (struct il__log){ keep_log, rig };
    const struct il__mcp_options options = { .mem = &rig->mem, .clock = &rig->clock, .log = &rig->log,
                                             .client_name = IL_STR("rig"), .client_version = IL_STR("7") };
    if (il__mcp_new(&options, &rig->mcp, &rig->err)) abort();
}

enum il_code rig_spawn(struct rig *rig, const char *command)
{
    char text[512];
    struct il__mcp_wire wire;
    const char *python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    if (command[0] == ' ') (void)snprintf(text, sizeof text, "%s", command);
    else (void)snprintf(text, sizeof text, "%s -SB tests/peers/hostile/%s", python, command);
    const struct il__mcp_stdio_options options = { .mem = &rig->mem, .clock = &rig->clock, .log = &rig->log,
                                                   .command = il__str(text), .env = rig->env,
                                                   .cwd = rig->cwd };
    enum il_code code = il__mcp_stdio_new(&options, il__mcp_sink_of(rig->mcp), &wire, &rig->err);
    if (!code) il__mcp_set_wire(rig->mcp, wire);
    return code;
}

void rig_close(struct rig *rig, const char *name)
{
    il__mcp_free(rig->mcp);
    tap_int((long long)rig->mem.in_use_bytes, 0, "%s: no memory is left", name);
}

static void wait_for(struct rig *rig, int64_t wait)
{
    int fds[8];
    short events[8];
    struct pollfd polls[8];
    size_t n = il__mcp_descriptors(rig->mcp, fds, events, 8);
    for (size_t i = 0; i < n; i++) polls[i] = (struct pollfd){ .fd = fds[i], .events = events[i] };
    (void)poll(polls, (nfds_t)n, wait < 0 || wait > 100 ? 100 : (int)wait);
}

bool rig_until(struct rig *rig, const int *flag, int ms)
{
    int64_t until = il__clock_us(&rig->clock) + (int64_t)ms * 1000;
    for (;;) {
        int64_t wait = il__mcp_tick(rig->mcp, 20000);
        if (flag ? *flag : il__mcp_state(rig->mcp) == IL__MCP_CLOSED) return true;
        if (il__clock_us(&rig->clock) >= until) return false;
        wait_for(rig, wait);
    }
}

bool rig_until_state(struct rig *rig, enum il__mcp_state state, int ms)
{
    int64_t until = il__clock_us(&rig->clock) + (int64_t)ms * 1000;
    while (il__mcp_state(rig->mcp) != state) {
        int64_t wait = il__mcp_tick(rig->mcp, 20000);
        if (il__mcp_state(rig->mcp) == state) break;
        if (il__clock_us(&rig->clock) >= until) return false;
        wait_for(rig, wait);
    }
    return true;
}

static void take_text(struct rig_answer *a, struct il_str text)
{
    size_t n = text.len < sizeof a->text - 1 ? text.len : sizeof a->text - 1;
    a->text_len = text.len;
    if (n) memcpy(a->text, text.ptr, n);
    a->text[n] = 0;
}

static void take(struct rig_answer *a, const struct il__mcp_answer *answer)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__mcp_tool_result result;
    a->code = answer->code;
    a->sent = answer->sent;
    a->rpc_code = answer->rpc_code;
    (void)snprintf(a->message, sizeof a->message, "%.*s", IL_STR_FMT(answer->message));
    if (answer->code || il__mcp_tool_result(answer->doc->mem, answer->doc, answer->result, &result, &err)) return;
    a->ok = result.ok;
    take_text(a, result.message);
    il__mcp_tool_result_clear(&result);
}

static void done(void *ctx, const struct il__mcp_answer *answer)
{
    struct rig_answer *a = ctx;
    a->done++;
    take(a, answer);
}

static void late(void *ctx, const struct il__mcp_answer *answer)
{
    struct rig_answer *a = ctx;
    a->late++;
    take(a, answer);
}

struct rig_answer *rig_begin(struct rig *rig, const char *method, const char *params, uint32_t soft_ms,
                             uint32_t hard_ms, struct il__permit *permit)
{
    struct rig_answer *a = &rig->answers[rig->count++ % RIG_ANSWERS];
    memset(a, 0, sizeof *a);
    const struct il__mcp_request request = { .method = method, .params = il__str(params), .soft_ms = soft_ms,
                                             .hard_ms = hard_ms, .permit = permit, .done = done, .late = late,
                                             .ctx = a };
    il__error_clear(&rig->err);
    a->code = il__mcp_begin(rig->mcp, &request, &a->id, &rig->err);
    return a;
}

struct rig_answer *rig_call(struct rig *rig, const char *arguments)
{
    struct rig_answer *a;
    size_t size = strlen(arguments) + 64;
    char *params = malloc(size);
    if (!params) abort();
    (void)snprintf(params, size, "{\"name\":\"echo\",\"arguments\":%s}", arguments);
    a = rig_begin(rig, "tools/call", params, 0, 0, NULL);
    free(params);
    return a;
}

bool rig_logged(const struct rig *rig, const char *text)
{
    return strstr(rig->logged, text) != NULL;
}
