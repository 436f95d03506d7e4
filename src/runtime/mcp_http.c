/* The Streamable HTTP wire as its users see it (mcp_http.h): life, queue, ticking, the order of session and messages.
 * Uses exchanges (mcp_http_exchange.c) and libcurl's sockets (mcp_http_multi.c). Must never send a message again. */
#include "runtime/mcp_http_wire.h"

#include "base/error.h"
#include "base/secret.h"

#include <stdio.h>

enum { PERMIT_TICK_MS = 20 }; /* how often a permit is asked while its connection is being made */

int64_t il__http_now_ms(const struct il__http *wire)
{
    return il__clock_now(wire->clock).boot_ms;
}

void il__http_complain(struct il__http *wire, const char *about, struct il_str what)
{
    char seen[200];
    if (wire->complaints >= IL__LIMIT_MCP_COMPLAINTS) return;
    wire->complaints++;
    (void)il__escape(seen, sizeof seen, what);
    il__log(wire->log, IL_LOG_WARN, "mcp http: %s%s%s", about, seen[0] ? ": " : "", seen);
}

/* ---- the queue ---- */

static void enqueue(struct il__http *wire, struct il__http_exchange *x)
{
    *wire->tail = x;
    wire->tail = &x->next;
}

/* Takes away what is over. Not while libcurl is on the stack. */
static void sweep(struct il__http *wire)
{
    struct il__http_exchange **at = &wire->head;
    while (*at) {
        struct il__http_exchange *x = *at;
        if (!x->over) {
            at = &x->next;
            continue;
        }
        if (x->opens && wire->hello == IL__HTTP_GREETED) wire->hello = IL__HTTP_OPEN;
        if (x->initialize && wire->hello == IL__HTTP_GREETING && x->session_number == wire->session_number)
            wire->hello = IL__HTTP_OPEN; /* it failed: nothing is to be waited for */
        if (!x->started) wire->queued_bytes -= x->message.len;
        *at = x->next;
        if (!x->next) wire->tail = at;
        il__http_exchange_free(x);
    }
}

static size_t count(const struct il__http *wire, bool notes)
{
    size_t n = 0;
    for (const struct il__http_exchange *x = wire->head; x; x = x->next)
        if (!x->over && x->what == IL__HTTP_POST && (x->id == 0) == notes) n++;
    return n;
}

static enum il_code admit(const struct il__http *wire, const struct il__mcp_out *out, struct il_error *err)
{
    bool note = out->kind == IL__MCP_NOTE;
    if (wire->shutting || wire->closed) return il__fail(err, IL_TRANSPORT, "the connection is being shut");
    if (!out->message.len || out->message.len > IL__LIMIT_MCP_MESSAGE_BYTES)
        return il__fail(err, IL_LIMIT_EXCEEDED, "a message of %zu bytes", out->message.len);
    if (out->message.len > IL__LIMIT_MCP_QUEUE_BYTES - wire->queued_bytes)
        return il__fail(err, IL_LIMIT_EXCEEDED, "too many bytes wait for the server");
    if (count(wire, note) >= (note ? IL__LIMIT_MCP_QUEUED_NOTES : IL__LIMIT_MCP_IN_FLIGHT))
        return il__fail(err, IL_LIMIT_EXCEEDED, "too many messages wait for the server");
    return IL_OK;
}

/* Initialize begins a new session; whatever was known of the old one is dropped. */
static void begin_session(struct il__http *wire, struct il__http_exchange *x)
{
    x->initialize = true;
    x->session_number = ++wire->session_number;
    wire->hello = IL__HTTP_GREETING;
    wire->protocol[0] = 0;
    il__buf_reset(&wire->session);
}

static enum il_code wire_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    struct il__http *wire = self;
    enum il_code code = admit(wire, out, err);
    if (code) return code;
    struct il__http_exchange *x = il__http_exchange_new(wire, IL__HTTP_POST);
    if (!x) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a message");
    il__buf_str(&x->message, out->message);
    if ((code = il__buf_check(&x->message, err))) {
        il__http_exchange_free(x);
        return code;
    }
    x->kind = out->kind;
    x->permit = out->permit;
    if (out->kind == IL__MCP_NOTE) x->due_ms = il__http_now_ms(wire) + IL__LIMIT_MCP_HTTP_NOTE_MS;
    else x->id = out->id;
    if (out->protocol) {
        (void)snprintf(x->protocol, sizeof x->protocol, "%s", out->protocol);
        (void)snprintf(wire->protocol, sizeof wire->protocol, "%s", out->protocol);
    } else if (out->kind == IL__MCP_REQUEST) {
        begin_session(wire, x);
    }
    if (out->protocol && out->kind == IL__MCP_NOTE && wire->hello == IL__HTTP_GREETING) {
        x->opens = true;
        wire->hello = IL__HTTP_GREETED;
    }
    wire->queued_bytes += x->message.len;
    enqueue(wire, x);
    return IL_OK;
}

static void wire_forget(void *self, uint64_t id)
{
    struct il__http *wire = self;
    struct il__http_exchange *x = wire->head;
    struct il_error err = IL_ERROR_INIT;
    while (x && (x->over || !x->id || x->id != id)) x = x->next;
    if (!x) return;
    il__fail(&err, IL_CANCELLED, "given up before it was sent");
    bool outer = wire->ticking;
    wire->ticking = true; /* what is told may forget others: nothing is taken away meanwhile */
    if (!x->started) il__http_exchange_lose(x, false, &err);
    x->over = true;
    if (x->sse_made) il__sse_close(&x->sse);
    wire->ticking = outer;
    if (!outer) sweep(wire);
}

static void wire_linger(void *self, uint64_t id)
{
    struct il__http *wire = self;
    struct il__http_exchange *x = wire->head;
    while (x && (x->over || !x->id || x->id != id)) x = x->next;
    if (x && x->started) x->linger_ms = il__http_now_ms(wire) + IL__LIMIT_MCP_HTTP_LINGER_MS;
    else wire_forget(self, id);
}

/* ---- ticking ---- */

static bool may_start(const struct il__http *wire, const struct il__http_exchange *x)
{
    size_t most = IL__LIMIT_MCP_HTTP_STREAMS - (x->id ? IL__LIMIT_MCP_HTTP_KEPT_FOR_NOTES : 0);
    if (wire->running >= most) return false;
    if (x->what != IL__HTTP_POST || wire->hello == IL__HTTP_OPEN) return true;
    return wire->hello == IL__HTTP_GREETING ? x->initialize : x->opens;
}

static void start(struct il__http_exchange *x)
{
    struct il_error err = IL_ERROR_INIT;
    if (il__http_exchange_start(x, &err)) il__http_exchange_lose(x, x->started, &err);
    else if (x->phase == IL__HTTP_RUNNING && x->id) x->due_ms = 0;
}

static void ask_permit(struct il__http_exchange *x)
{
    struct il_error err = IL_ERROR_INIT;
    if (il__permit_holds(x->permit, &err)) il__http_exchange_lose(x, false, &err);
}

static bool session_is_over(const struct il__http_exchange *x)
{
    return x->phase == IL__HTTP_WAITING && x->session_number != x->wire->session_number;
}

static void lose_for(struct il__http_exchange *x, enum il_code code, const char *why)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, code, "%s", why);
    il__http_exchange_lose(x, x->started, &err);
}

/* What time alone changes: permits, given-up notes, streams to resume, messages that may go. True: one was started. */
static bool advance(struct il__http *wire)
{
    int64_t now = il__http_now_ms(wire);
    bool any = false;
    for (struct il__http_exchange *x = wire->head; x; x = x->next) {
        if (x->over) continue;
        if (x->permit && !x->started) ask_permit(x);
        if (x->over) continue;
        if (x->phase != IL__HTTP_WAITING && x->due_ms && now >= x->due_ms) {
            lose_for(x, IL_TIMEOUT, "the server did not take it in time");
        } else if (x->linger_ms && now >= x->linger_ms) {
            lose_for(x, IL_TIMEOUT, "given up, and nothing came of it");
        } else if (session_is_over(x)) {
            lose_for(x, IL_TRANSPORT, "the session was lost before the event stream was resumed");
        } else if ((x->phase == IL__HTTP_QUEUED && may_start(wire, x)) ||
                   (x->phase == IL__HTTP_WAITING && now >= x->due_ms && may_start(wire, x))) {
            start(x);
            any = true;
        }
    }
    return any;
}

/* ---- the end ---- */

static void close_now(struct il__http *wire, const struct il_error *err)
{
    if (wire->closed) return;
    wire->closed = true;
    for (struct il__http_exchange *x = wire->head; x; x = x->next) {
        if (x->id) il__http_exchange_lose(x, x->started, err);
        x->over = true;
    }
    wire->sink.closed(wire->sink.ctx, err);
}

/* Notes may still leave; then the session is ended; then it is told. */
static void go_on_ending(struct il__http *wire)
{
    struct il_error err = IL_ERROR_INIT;
    bool busy = false;
    il__fail(&err, IL_TRANSPORT, "the connection was shut");
    for (struct il__http_exchange *x = wire->head; x; x = x->next) {
        if (x->id) il__http_exchange_lose(x, x->started, &err);
        if (!x->over) busy = true;
    }
    if (busy && il__http_now_ms(wire) < wire->shut_due_ms) return;
    if (!wire->deleted && wire->session.len) {
        struct il__http_exchange *x = il__http_exchange_new(wire, IL__HTTP_DELETE);
        wire->deleted = true;
        wire->shut_due_ms = il__http_now_ms(wire) + IL__LIMIT_MCP_SHUT_MS;
        if (x) {
            enqueue(wire, x);
            return;
        }
    }
    close_now(wire, &err);
}

static void wire_shut(void *self)
{
    struct il__http *wire = self;
    if (wire->shutting) return;
    wire->shutting = true;
    wire->shut_due_ms = il__http_now_ms(wire) + IL__LIMIT_MCP_SHUT_MS;
}

static int64_t sooner(int64_t a, int64_t b)
{
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return a < b ? a : b;
}

static int64_t next_tick(const struct il__http *wire)
{
    int64_t now = il__http_now_ms(wire), next = -1;
    if (wire->closed) return -1;
    if (wire->timer_due_us >= 0) {
        int64_t us = wire->timer_due_us - il__clock_us(wire->clock);
        next = us <= 0 ? 0 : (us + 999) / 1000;
    }
    for (const struct il__http_exchange *x = wire->head; x; x = x->next) {
        if (x->permit && !x->started) next = sooner(next, PERMIT_TICK_MS);
        if (x->phase == IL__HTTP_QUEUED && may_start(wire, x)) return 0;
        if (x->linger_ms > now) next = sooner(next, x->linger_ms - now);
        if (x->due_ms > now) next = sooner(next, x->due_ms - now);
        else if (x->due_ms && may_start(wire, x)) return 0;
    }
    if (wire->shutting) next = sooner(next, wire->shut_due_ms > now ? wire->shut_due_ms - now : 0);
    return next;
}

static int64_t wire_tick(void *self, uint32_t budget_us)
{
    struct il__http *wire = self;
    int64_t until = il__clock_us(wire->clock) + budget_us;
    bool more = true;
    if (wire->closed) return -1;
    wire->ticking = true;
    while (more && !wire->closed) {
        more = advance(wire);
        if (il__http_multi_step(wire)) more = true;
        il__http_multi_reap(wire);
        sweep(wire);
        if (wire->broken.code) close_now(wire, &wire->broken);
        else if (wire->shutting) go_on_ending(wire);
        if (more && il__clock_us(wire->clock) >= until) break;
    }
    sweep(wire);
    wire->ticking = false;
    return more && !wire->closed ? 0 : next_tick(wire);
}

static size_t wire_descriptors(void *self, int *fds, short *events, size_t cap)
{
    const struct il__http *wire = self;
    size_t n = wire->socket_count < cap ? wire->socket_count : cap;
    for (size_t i = 0; i < n; i++) {
        fds[i] = wire->sockets[i].fd;
        events[i] = wire->sockets[i].events;
    }
    return n;
}

/* ---- life ---- */

static void wire_free(void *self)
{
    struct il__http *wire = self;
    struct il__mem *mem = wire->mem;
    while (wire->head) {
        struct il__http_exchange *x = wire->head;
        wire->head = x->next;
        il__http_exchange_free(x);
    }
    if (wire->multi) (void)curl_multi_cleanup(wire->multi);
    il__secret_wipe(wire->token.ptr, wire->token.cap);
    il__buf_clear(&wire->token);
    il__buf_clear(&wire->url);
    il__buf_clear(&wire->ca_file);
    il__buf_clear(&wire->session);
    il__mem_free(mem, wire, sizeof *wire);
}

static const struct il__mcp_wire_ops OPS = {
    wire_send, wire_forget, wire_linger, wire_tick, wire_descriptors, wire_shut, wire_free
};

static enum il_code keep(struct il__buf *buf, struct il_str text, struct il_error *err)
{
    if (text.len && memchr(text.ptr, 0, text.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "MCP connection", "ca_file", "holds a NUL");
    il__buf_str(buf, text);
    return il__buf_check(buf, err);
}

static enum il_code check_options(const struct il__mcp_http_options *options, struct il__http *wire,
                                  struct il_error *err)
{
    enum il_code code = il__http_check_url(options->url, &wire->url, err);
    if (!code && il__str_present(options->token)) code = il__http_check_token(options->token, err);
    if (!code) code = keep(&wire->token, options->token, err);
    return code ? code : keep(&wire->ca_file, options->ca_file, err);
}

enum il_code il__mcp_http_new(const struct il__mcp_http_options *options, struct il__mcp_sink sink,
                              struct il__mcp_wire *out, struct il_error *err)
{
    struct il__mem *mem = options->mem;
    struct il__http *wire = il__mem_zalloc(mem, 1, sizeof *wire);
    if (!wire) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an MCP connection");
    wire->mem = mem;
    wire->clock = options->clock;
    wire->log = options->log;
    wire->sink = sink;
    wire->tail = &wire->head;
    wire->max_message_bytes = options->max_message_bytes ? options->max_message_bytes : IL__LIMIT_RESULT_BYTES;
    il__error_clear(&wire->broken);
    il__buf_init(&wire->url, mem, 0);
    il__buf_init(&wire->token, mem, 0);
    il__buf_init(&wire->ca_file, mem, 0);
    il__buf_init(&wire->session, mem, 0);
    enum il_code code = check_options(options, wire, err);
    if (!code) code = il__http_multi_new(wire, err);
    if (code) {
        wire_free(wire);
        return code;
    }
    *out = (struct il__mcp_wire){ &OPS, wire };
    return IL_OK;
}
