/* The stdio wire (mcp_stdio.h): one tick writes what the server takes, reads what it says, looks whether it lives, and
 * goes on with ending it. Uses the child, the queue and the lines. Callbacks may send, forget and shut at any time, so
 * no loop here keeps a queued message over one. */
#include "runtime/mcp_stdio.h"

#include "base/error.h"
#include "base/limits.h"
#include "runtime/command_line.h"
#include "runtime/mcp_child.h"
#include "runtime/mcp_lines.h"
#include "runtime/mcp_queue.h"
#include "runtime/mcp_stderr.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 65536,
    CHUNKS = 16,          /* read from one stream in one tick */
    GRACE_MS = 200,       /* from the end of a stream to the death that explains it */
    LOOK_MS = 500,        /* between looks at the process where the kernel has no pidfd */
    PERMIT_MS = 100       /* between looks at a permit that waits */
};

/* The steps of ending, each MCP_SHUT_MS after the one before. */
enum ending { RUNNING, STDIN_CLOSED, TERMINATED, KILLED, ENDED };

struct stdio {
    struct il__mem *mem;
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__mcp_sink sink;
    struct il__mcp_child child;
    struct il__mcp_queue queue;
    struct il__mcp_lines lines;
    struct il__mcp_stderr stderr_log;
    enum ending ending;
    int64_t step_at_ms;   /* when the next step of ending is due */
    int64_t grace_at_ms;  /* when a stream that ended is a breakdown; 0: none has */
    const char *grace_why;
    bool told;            /* `closed` was told: nothing is told any more */
    uint32_t noise_lines, noise_logged;
    size_t noise_bytes;
    char chunk[CHUNK_BYTES];
};

static int64_t now_ms(const struct stdio *s)
{
    return il__clock_now(s->clock).boot_ms;
}

/* ---- ending ---- */

static void tell_lost(struct stdio *s, struct il__mcp_queued *item, const struct il_error *err)
{
    uint64_t id = item->id;
    bool note = item->kind == IL__MCP_NOTE, sent = item->at > 0;
    il__mcp_queue_remove(&s->queue, item);
    if (!note && !s->told) s->sink.lost(s->sink.ctx, id, sent, err);
}

/* From now on nothing is sent; stdin is closed as soon as what has begun, and the notes, have left. */
static void begin_ending(struct stdio *s)
{
    if (s->ending != RUNNING) return;
    s->ending = STDIN_CLOSED;
    s->step_at_ms = now_ms(s) + IL__LIMIT_MCP_SHUT_MS;
}

/* The connection is over. Told at once; the process is ended by later ticks. */
static void break_down(struct stdio *s, const struct il_error *err)
{
    begin_ending(s);
    if (s->told) return;
    while (s->queue.head) tell_lost(s, s->queue.head, err);
    il__mcp_child_close(&s->child.in);
    s->told = true;
    s->sink.closed(s->sink.ctx, err);
}

static void stream_ended(struct stdio *s, const char *why)
{
    if (s->grace_at_ms) return;
    s->grace_at_ms = now_ms(s) + GRACE_MS;
    s->grace_why = why;
}

static void next_step(struct stdio *s)
{
    struct il_error err = IL_ERROR_INIT;
    il__mcp_child_close(&s->child.in);
    s->step_at_ms = now_ms(s) + IL__LIMIT_MCP_SHUT_MS;
    switch (s->ending) {
    case STDIN_CLOSED:
        il__mcp_child_signal(&s->child, SIGTERM);
        s->ending = TERMINATED;
        break;
    case TERMINATED:
        il__mcp_child_signal(&s->child, SIGKILL);
        s->ending = KILLED;
        break;
    case KILLED: /* not even that: the kernel holds it */
        il__fail(&err, IL_TRANSPORT, "the server cannot be ended");
        break_down(s, &err);
        s->ending = ENDED;
        break;
    case RUNNING:
    case ENDED: break;
    }
}

/* ---- writing ---- */

static void stdin_broke(struct stdio *s)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, IL_TRANSPORT, "the server does not read any more");
    il__mcp_child_close(&s->child.in);
    while (s->queue.head) tell_lost(s, s->queue.head, &err);
    stream_ended(s, "the server does not read any more");
}

/* Drops each waiting call whose permit no longer holds. One that has begun to leave takes the connection with it: half
 * a line must not be completed by anything else. */
static void check_permits(struct stdio *s)
{
    struct il__mcp_queued *item = s->queue.head;
    struct il_error err = IL_ERROR_INIT;
    while (item) {
        if (!il__mcp_queued_holds(item, &err)) {
            item = item->next;
            continue;
        }
        if (item->at > 0) {
            break_down(s, &err);
            return;
        }
        tell_lost(s, item, &err);
        il__error_clear(&err);
        item = s->queue.head;
    }
}

static bool writable(const struct stdio *s)
{
    struct pollfd fd = { .fd = s->child.in, .events = POLLOUT };
    return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLOUT | POLLERR | POLLHUP));
}

/* Whether the head may go now; a permit is spent here, just before its first byte, when the kernel will take it. */
static bool may_go(struct stdio *s)
{
    struct il__mcp_queued *item = s->queue.head;
    struct il_error err = IL_ERROR_INIT;
    if (!item->permit || item->spent) return true;
    if (!il__permit_spend(item->permit, &err)) {
        item->spent = true;
        return true;
    }
    tell_lost(s, item, &err);
    return false;
}

static void write_out(struct stdio *s)
{
    check_permits(s);
    while (s->queue.head && s->child.in >= 0 && writable(s)) {
        if (!may_go(s)) continue;
        struct il__mcp_queued *item = s->queue.head;
        ssize_t n = send(s->child.in, item->bytes + item->at, item->len - item->at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n < 0) {
            stdin_broke(s);
            break;
        }
        item->at += (size_t)n;
        if (item->at == item->len) il__mcp_queue_remove(&s->queue, item);
    }
    if (s->ending != RUNNING && !s->queue.head) il__mcp_child_close(&s->child.in);
}

/* ---- reading ---- */

static void noise(struct stdio *s, struct il_str line, const char *what)
{
    char seen[200];
    struct il_error err = IL_ERROR_INIT;
    s->noise_bytes += line.len;
    s->noise_lines++;
    if (s->noise_logged < IL__LIMIT_MCP_COMPLAINTS) {
        s->noise_logged++;
        (void)il__escape(seen, sizeof seen, line);
        il__log(s->log, IL_LOG_WARN, "mcp: %s on the server's stdout: %s", what, seen);
    }
    if (s->noise_lines <= IL__LIMIT_MCP_NOISE_LINES && s->noise_bytes <= IL__LIMIT_MCP_NOISE_BYTES) return;
    il__fail(&err, IL_LIMIT_EXCEEDED, "the server writes on stdout what is no MCP (%u lines, %zu bytes)",
             s->noise_lines, s->noise_bytes);
    break_down(s, &err);
}

static void on_line(void *ctx, struct il_str line)
{
    struct stdio *s = ctx;
    if (s->told) return;
    if (!s->sink.message(s->sink.ctx, line)) {
        noise(s, line, "no message");
        return;
    }
    s->noise_lines = 0;
    s->noise_bytes = 0;
}

static void on_dropped(void *ctx, enum il_code why, uint64_t id)
{
    struct stdio *s = ctx;
    struct il_error err = IL_ERROR_INIT;
    if (s->told) return;
    if (why == IL_OUT_OF_MEMORY) il__fail(&err, why, "no memory for an answer");
    else il__fail(&err, why, "an answer of more than %d bytes", IL__LIMIT_MCP_LINE_BYTES);
    if (id) s->sink.lost(s->sink.ctx, id, true, &err);
    else noise(s, IL_STR(""), "a line that is too long");
}

/* Reads what is there into `chunk`; 0: nothing now, and closes the stream at its end. */
static size_t read_some(struct stdio *s, int *fd, const char *why)
{
    ssize_t n;
    if (*fd < 0) return 0;
    do n = read(*fd, s->chunk, sizeof s->chunk);
    while (n < 0 && errno == EINTR);
    if (n > 0) return (size_t)n;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    il__mcp_child_close(fd);
    if (why) stream_ended(s, why);
    return 0;
}

/* True: there may be more. */
static bool read_out(struct stdio *s, int chunks)
{
    size_t n = 0;
    while (chunks-- > 0 && (n = read_some(s, &s->child.out, "the server closed its stdout")))
        il__mcp_lines_feed(&s->lines, (struct il_str){ s->chunk, n });
    return n > 0;
}

static bool read_err(struct stdio *s)
{
    size_t n = 0;
    for (int chunks = CHUNKS; chunks > 0 && (n = read_some(s, &s->child.err, NULL)); chunks--)
        il__mcp_stderr_feed(&s->stderr_log, (struct il_str){ s->chunk, n }, now_ms(s));
    return n > 0;
}

/* ---- the tick ---- */

/* The process is dead: its group is ended first, so that what is in the pipes is all there will be; then it is read. */
static void on_death(struct stdio *s)
{
    char how[64];
    struct il_error err = IL_ERROR_INIT;
    il__mcp_child_reap(&s->child, how, sizeof how);
    (void)read_out(s, CHUNKS * CHUNKS);
    (void)read_err(s);
    il__mcp_stderr_end(&s->stderr_log);
    il__fail(&err, IL_TRANSPORT, "the server %s", how);
    break_down(s, &err);
    s->ending = ENDED;
    il__mcp_child_end(&s->child);
}

static void look_at_time(struct stdio *s)
{
    struct il_error err = IL_ERROR_INIT;
    int64_t now = now_ms(s);
    if (s->ending == RUNNING && s->grace_at_ms && now >= s->grace_at_ms) {
        il__fail(&err, IL_TRANSPORT, "%s", s->grace_why);
        break_down(s, &err);
    }
    if (s->ending != RUNNING && s->ending != ENDED && now >= s->step_at_ms) next_step(s);
}

static void sooner(int64_t *wait, int64_t other)
{
    if (other < 0) other = 0;
    if (*wait < 0 || other < *wait) *wait = other;
}

static int64_t wait_of(const struct stdio *s)
{
    int64_t wait = -1, now = now_ms(s);
    if (s->ending == ENDED) return -1;
    if (s->ending != RUNNING) sooner(&wait, s->step_at_ms - now);
    else if (s->grace_at_ms) sooner(&wait, s->grace_at_ms - now);
    if (s->child.pidfd < 0) sooner(&wait, LOOK_MS);
    for (const struct il__mcp_queued *item = s->queue.head; item; item = item->next)
        if (item->permit) sooner(&wait, PERMIT_MS);
    return wait;
}

static int64_t stdio_tick(void *self, uint32_t budget_us)
{
    struct stdio *s = self;
    int64_t until = il__clock_us(s->clock) + budget_us;
    bool more = true;
    if (s->ending == ENDED) return -1;
    while (more) {
        write_out(s);
        more = read_out(s, 1);
        more = read_err(s) || more;
        if (il__clock_us(s->clock) >= until) break;
    }
    write_out(s); /* what the answers have made us say */
    if (s->ending != ENDED && il__mcp_child_died(&s->child)) on_death(s);
    look_at_time(s);
    return more && s->ending != ENDED ? 0 : wait_of(s);
}

static size_t stdio_descriptors(void *self, int *fds, short *events, size_t cap)
{
    const struct stdio *s = self;
    const int all[4] = { s->child.out, s->child.err, s->child.pidfd, s->queue.head ? s->child.in : -1 };
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        if (all[i] < 0) continue;
        if (count < cap) {
            fds[count] = all[i];
            events[count] = i == 3 ? POLLOUT : POLLIN;
        }
        count++;
    }
    return count;
}

/* ---- what the engine does ---- */

static enum il_code stdio_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    struct stdio *s = self;
    if (s->ending != RUNNING || s->child.in < 0)
        return il__fail(err, IL_TRANSPORT, "%s", s->grace_why ? s->grace_why : "the server is being ended");
    return il__mcp_queue_add(&s->queue, out, err);
}

static void stdio_forget(void *self, uint64_t id)
{
    struct stdio *s = self;
    struct il_error err = IL_ERROR_INIT;
    struct il__mcp_queued *item = il__mcp_queue_find(&s->queue, id);
    if (!item) return;
    il__fail(&err, item->at ? IL_TRANSPORT : IL_CANCELLED, "given up before it was sent");
    if (item->at == 0) tell_lost(s, item, &err);
    else if (item->permit) break_down(s, &err); /* the rest of a call that nobody answers for does not leave */
}

static void stdio_shut(void *self)
{
    struct stdio *s = self;
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, IL_TRANSPORT, "the connection is being shut");
    begin_ending(s);
    struct il__mcp_queued *item = s->queue.head;
    while (item) {
        bool keep = item->kind == IL__MCP_NOTE || item->at > 0;
        if (!keep) tell_lost(s, item, &err);
        item = keep ? item->next : s->queue.head;
    }
}

static void stdio_free(void *self)
{
    struct stdio *s = self;
    if (!s) return;
    il__mcp_child_end(&s->child);
    il__mcp_queue_clear(&s->queue);
    il__mcp_lines_clear(&s->lines);
    il__mem_free(s->mem, s, sizeof *s);
}

static const struct il__mcp_wire_ops OPS = { stdio_send, stdio_forget, NULL, stdio_tick, stdio_descriptors, stdio_shut,
                                             stdio_free };

static enum il_code start(struct stdio *s, const struct il__mcp_stdio_options *options, struct il_error *err)
{
    struct il__command_line words = { NULL, 0, { NULL, NULL } };
    struct il__mcp_child_options child = { options->mem, options->argv, options->env, options->cwd };
    enum il_code code = IL_OK;
    if (!child.argv) {
        code = il__command_line_split(options->mem, options->command, &words, err);
        child.argv = words.argv;
    }
    if (!code && !child.argv[0])
        code = il__fail_at(err, IL_INVALID_REQUEST, "runtime", "command", "no program is named");
    if (!code) code = il__mcp_child_start(&child, &s->child, err);
    il__command_line_clear(&words);
    return code;
}

enum il_code il__mcp_stdio_new(const struct il__mcp_stdio_options *options, struct il__mcp_sink sink,
                               struct il__mcp_wire *out, struct il_error *err)
{
    struct stdio *s = il__mem_zalloc(options->mem, 1, sizeof *s);
    if (!s) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a server");
    s->mem = options->mem;
    s->clock = options->clock;
    s->log = options->log;
    s->sink = sink;
    s->child = (struct il__mcp_child){ 0, -1, -1, -1, -1 };
    s->stderr_log.log = options->log;
    s->lines.line = on_line;
    s->lines.dropped = on_dropped;
    s->lines.ctx = s;
    il__mcp_lines_init(&s->lines, s->mem);
    il__mcp_queue_init(&s->queue, s->mem);
    enum il_code code = start(s, options, err);
    if (code) stdio_free(s);
    else *out = (struct il__mcp_wire){ &OPS, s };
    return code;
}
