/* The server of one thread (http_bed.h). */
#include "http_bed.h"

#include "base/error.h"
#include "tap.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int descriptors(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}

static int64_t real_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_BOOTTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct bed *bed = ctx;
    *out = (struct il_clock_reading){ 1700000000, 0, (real_ms() + bed->skew_ms) * 1000000 };
}

static void keep_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct bed *bed = ctx;
    size_t at = strlen(bed->logged);
    (void)level;
    if (at + len + 2 > sizeof bed->logged) return;
    memcpy(bed->logged + at, line, len);
    bed->logged[at + len] = '\n';
}

/* ---- what the wire tells ---- */

/* As the engine does: an answer ends its request. */
static bool on_message(void *ctx, struct il_str message)
{
    struct bed *bed = ctx;
    size_t n = message.len < sizeof bed->last - 1 ? message.len : sizeof bed->last - 1;
    if (!message.len || message.ptr[0] != '{') {
        bed->noise++;
        return false;
    }
    bed->messages++;
    bed->message_bytes = message.len;
    memcpy(bed->last, message.ptr, n);
    bed->last[n] = 0;
    const char *id = strstr(bed->last, "\"id\":");
    if (id && (strstr(bed->last, "\"result\"") || strstr(bed->last, "\"error\"")) && !bed->keep_answers)
        bed->wire.ops->forget(bed->wire.self, strtoull(id + 5, NULL, 10));
    if (id && strtoull(id + 5, NULL, 10) == BED_INITIALIZE) (void)bed_send(bed, IL__MCP_NOTE, 0, NULL, true);
    return true;
}

static void on_lost(void *ctx, uint64_t id, bool sent, const struct il_error *err)
{
    struct bed *bed = ctx;
    bed->losts++;
    bed->lost_id = id;
    bed->lost_sent = sent;
    bed->lost_code = err->code;
    (void)snprintf(bed->lost_text, sizeof bed->lost_text, "%s", err->message);
    bed->order = "lost";
}

static void on_closed(void *ctx, const struct il_error *err)
{
    struct bed *bed = ctx;
    (void)err;
    bed->closes++;
}

static void on_session_lost(void *ctx, uint64_t id)
{
    struct bed *bed = ctx;
    bed->session_losts++;
    bed->session_lost_id = id;
    bed->order = "session";
}

/* ---- life ---- */

void bed_open(struct bed *bed)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;
    memset(bed, 0, sizeof *bed);
    bed->descriptors = descriptors();
    il__mem_init(&bed->mem, NULL, NULL, 0);
    il__clock_init(&bed->clock, read_clock, bed, NULL);
    bed->log = (struct il__log){ keep_log, bed };
    bed->order = "";
    bed->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)setsockopt(bed->listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)); /* may come back there */
    if (bed->listener < 0 || bind(bed->listener, (struct sockaddr *)&at, sizeof at) || listen(bed->listener, 64) ||
        getsockname(bed->listener, (struct sockaddr *)&at, &len))
        abort();
    bed->port = ntohs(at.sin_port);
    (void)snprintf(bed->url, sizeof bed->url, "http://127.0.0.1:%d/mcp", bed->port);
    bed->options = (struct il__mcp_http_options){ .mem = &bed->mem, .clock = &bed->clock, .log = &bed->log,
                                                  .url = il__str(bed->url) };
}

bool bed_try_connect(struct bed *bed, struct il_error *err)
{
    const struct il__mcp_sink sink = { bed, on_message, on_lost, on_closed, on_session_lost };
    return il__mcp_http_new(&bed->options, sink, &bed->wire, err) == IL_OK;
}

void bed_connect(struct bed *bed)
{
    struct il_error err = IL_ERROR_INIT;
    if (!bed_try_connect(bed, &err)) {
        tap_note("%s", err.message);
        abort();
    }
}

bool bed_quiet_close(struct bed *bed)
{
    if (bed->wire.ops) bed->wire.ops->free(bed->wire.self);
    for (int i = 0; i < bed->accepted; i++) {
        bed_hang_up(&bed->connections[i]);
        free(bed->connections[i].in);
        free(bed->connections[i].out);
    }
    (void)close(bed->listener);
    return bed->mem.in_use_bytes == 0 && descriptors() == bed->descriptors;
}

void bed_close(struct bed *bed, const char *name)
{
    if (!tap_ok(bed_quiet_close(bed), "%s: no memory and no descriptor is left", name))
        tap_note("%zu bytes, %d descriptors", bed->mem.in_use_bytes, descriptors() - bed->descriptors);
}

/* ---- the server's side ---- */

/* The end of a whole request in what came in, 0: not yet. */
static size_t whole(const struct bed_connection *c)
{
    const char *end = c->in ? strstr(c->in, "\r\n\r\n") : NULL;
    if (!end) return 0;
    const char *length = bed_header(c, "content-length");
    size_t need = (size_t)(end - c->in) + 4 + (size_t)strtoul(length, NULL, 10);
    return c->len >= need ? need : 0;
}

static bool take_in(struct bed_connection *c)
{
    char piece[65536];
    ssize_t n = c->fd < 0 || c->gone ? -1 : read(c->fd, piece, sizeof piece);
    if (n == 0 || (n < 0 && c->fd >= 0 && errno == ECONNRESET)) c->gone = true;
    if (n <= 0) return false;
    if (c->len + (size_t)n + 1 > c->cap) {
        c->cap = (c->len + (size_t)n + 1) * 2;
        c->in = realloc(c->in, c->cap);
        if (!c->in) abort();
    }
    memcpy(c->in + c->len, piece, (size_t)n);
    c->len += (size_t)n;
    c->in[c->len] = 0;
    return true;
}

static bool put_out(struct bed_connection *c)
{
    if (c->fd < 0 || c->out_at == c->out_len) return false;
    ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);
    if (n > 0) c->out_at += (size_t)n;
    if (c->out_at == c->out_len) c->out_at = c->out_len = 0;
    return n > 0;
}

static bool serve(struct bed *bed)
{
    bool any = false;
    int fd = bed->accepted < BED_CONNECTIONS ? accept4(bed->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
    if (fd >= 0) {
        bed->connections[bed->accepted++].fd = fd;
        any = true;
    }
    for (int i = 0; i < bed->accepted; i++) {
        if (take_in(&bed->connections[i])) any = true;
        if (put_out(&bed->connections[i])) any = true;
    }
    return any;
}

void bed_turn(struct bed *bed)
{
    struct pollfd ready[256];
    int fds[128];
    short events[128];
    nfds_t n = 0;
    int64_t wait = bed->wire.ops ? bed->wire.ops->tick(bed->wire.self, 20000) : -1;
    if (serve(bed) || wait == 0) return;
    size_t count = bed->wire.ops ? bed->wire.ops->descriptors(bed->wire.self, fds, events, 128) : 0;
    for (size_t i = 0; i < count; i++) ready[n++] = (struct pollfd){ fds[i], events[i], 0 };
    ready[n++] = (struct pollfd){ bed->listener, POLLIN, 0 };
    for (int i = 0; i < bed->accepted; i++) {
        const struct bed_connection *c = &bed->connections[i];
        short out = c->out_at < c->out_len ? POLLOUT : 0;
        if (c->fd >= 0 && !c->gone) ready[n++] = (struct pollfd){ c->fd, (short)(POLLIN | out), 0 };
    }
    (void)poll(ready, n, wait < 0 || wait > 10 ? 10 : (int)wait);
}

void bed_turns(struct bed *bed, int ms)
{
    int64_t until = real_ms() + ms;
    while (real_ms() < until) bed_turn(bed);
}

bool bed_until(struct bed *bed, const int *number, int want)
{
    int64_t until = real_ms() + 5000;
    while (*number < want && real_ms() < until) bed_turn(bed);
    return *number >= want;
}

bool bed_gone(struct bed *bed, struct bed_connection *c, int ms)
{
    int64_t until = real_ms() + ms;
    while (!c->gone && real_ms() < until) bed_turn(bed);
    return c->gone;
}

enum il_code bed_send(struct bed *bed, enum il__mcp_sent kind, uint64_t id, struct il__permit *permit, bool protocol)
{
    char text[160];
    const char *method = kind == IL__MCP_CALL ? "tools/call" : kind == IL__MCP_NOTE ? "notifications/x" : "a/request";
    if (id) (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\"}", (int)id, method);
    else (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}", method);
    const struct il__mcp_out out = { kind, id, il__str(text), permit, protocol ? "2025-11-25" : NULL };
    return bed->wire.ops->send(bed->wire.self, &out, NULL);
}

struct bed_connection *bed_request(struct bed *bed)
{
    int64_t until = real_ms() + 5000;
    while (real_ms() < until) {
        for (int i = 0; i < bed->accepted; i++) {
            struct bed_connection *c = &bed->connections[i];
            if (c->complete || !(c->request_len = whole(c))) continue;
            c->complete = true;
            bed->seen++;
            return c;
        }
        bed_turn(bed);
    }
    return NULL;
}

struct bed_connection *bed_call(struct bed *bed, uint64_t id)
{
    struct bed_connection *c = bed_send(bed, IL__MCP_CALL, id, NULL, true) ? NULL : bed_request(bed);
    if (!c) {
        tap_ok(false, "the call arrives");
        exit(1);
    }
    return c;
}

void bed_say_bytes(struct bed_connection *c, const char *bytes, size_t len)
{
    char *grown = realloc(c->out, c->out_len + len + 1);
    if (!grown) abort();
    c->out = grown;
    memcpy(c->out + c->out_len, bytes, len);
    c->out_len += len;
    (void)put_out(c);
}

void bed_say(struct bed_connection *c, const char *text)
{
    bed_say_bytes(c, text, strlen(text));
}

void bed_answer(struct bed_connection *c, const char *status, const char *head, const char *body)
{
    char text[512];
    (void)snprintf(text, sizeof text, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status, head, strlen(body));
    bed_say(c, text);
    bed_say(c, body);
}

void bed_stream(struct bed_connection *c)
{
    bed_say(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
}

void bed_hang_up(struct bed_connection *c)
{
    if (c->fd >= 0) (void)close(c->fd);
    c->fd = -1;
}

const char *bed_header(const struct bed_connection *c, const char *name)
{
    static char value[9000];
    size_t len = strlen(name);
    value[0] = 0;
    for (const char *end, *line = c->in; line && line[0] != '\r'; line = end ? end + 2 : NULL) {
        end = strstr(line, "\r\n");
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            size_t n = strcspn(line + len + 1, "\r");
            const char *from = line + len + 1;
            while (n && *from == ' ') from++, n--;
            if (n >= sizeof value) n = sizeof value - 1;
            memcpy(value, from, n);
            value[n] = 0;
            return value;
        }
    }
    return value;
}

bool bed_has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* ---- what most tests do ---- */

struct bed_connection *bed_with_call(struct bed *bed)
{
    bed_open(bed);
    bed_connect(bed);
    return bed_call(bed, 7);
}

struct bed_connection *bed_with_stream(struct bed *bed, const char *body)
{
    struct bed_connection *c = bed_with_call(bed);
    bed_stream(c);
    bed_say(c, body);
    return c;
}

void bed_expect_answer(struct bed *bed, const char *name)
{
    tap_ok(bed_until(bed, &bed->messages, 1) && bed->losts == 0, "%s: answered", name);
    tap_str(il__str(bed->last), BED_ANSWER, "%s: byte for byte", name);
    bed_close(bed, name);
}

void bed_expect_lost(struct bed *bed, const char *name, const char *text)
{
    tap_ok(bed_until(bed, &bed->losts, 1) && bed->lost_id == 7 && bed->lost_sent, "%s: lost, and may have run", name);
    tap_ok(bed_has(bed->lost_text, text), "%s: says \"%s\"", name, text);
    if (!bed_has(bed->lost_text, text)) tap_note("%s", bed->lost_text);
    bed_turns(bed, 30);
    tap_ok(bed->losts == 1 && bed->accepted == 1, "%s: told once, sent once", name);
    bed_close(bed, name);
}
