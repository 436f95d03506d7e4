/* The supervisor's socket (approver_unix.h). Nothing blocks. Must never send the token to a process of another user,
 * nor take an answer for another ask than the one under way. */
#include "runtime/approver_unix.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "wire/json.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PROTOCOL = 2, RETRY_MS = 50, CHUNK_BYTES = 16384, CHUNKS = 16 };

enum state { CLOSED, CONNECTING, GREETING, READY };

struct ask {
    uint64_t token;      /* 0: the place is free */
    uint64_t number;     /* first come, first served */
    uint32_t ttl_ms;
    struct il__buf session_id, principal_id, action_id;
};

struct approver {
    struct il__mem *mem;
    const struct il__clock *clock;
    const struct il__log *log;
    struct il__approver_sink sink;
    struct il__buf path, secret;
    uint32_t connect_timeout_ms;
    enum state state;
    int fd;
    int64_t until_ms;    /* of connecting and greeting */
    struct il__buf principal; /* whom the connection was opened for */
    struct il__buf in, out;
    size_t out_at;
    struct ask asks[IL__LIMIT_APPROVER_ASKS];
    struct ask *current; /* its answer is waited for */
    uint64_t number;
    bool emergency_known, emergency;
    struct il_error error; /* why the last connection ended badly */
};

static int64_t now_ms(const struct approver *a)
{
    return il__clock_now(a->clock).boot_ms;
}

/* ---- the end of an ask, and of a connection ---- */

static void complete(struct approver *a, struct ask *ask, enum il_code code, struct il_str body, struct il_str reason,
                     struct il_str message)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il__answer_in answer = { .token = ask->token, .code = code, .body = body, .reason = reason,
                                          .message = message };
    ask->token = 0;
    if (a->current == ask) a->current = NULL;
    if (!a->sink.complete(a->sink.ctx, &answer, &err)) return;
    const struct il__answer_in lost = { .token = answer.token, .code = code ? code : IL_DECODE,
                                        .message = il__str(err.message) };
    if (err.code == IL_CONFLICT || a->sink.complete(a->sink.ctx, &lost, NULL))
        il__log(a->log, IL_LOG_WARN, "approver: an answer was not taken: %s", err.message);
}

static void hang_up(struct approver *a)
{
    if (a->fd >= 0) close(a->fd);
    a->fd = -1;
    a->state = CLOSED;
    il__secret_wipe(a->out.ptr, a->out.cap); /* a hello may still stand in it */
    il__buf_reset(&a->out);
    il__buf_reset(&a->in);
    a->out_at = 0;
}

/* Everybody who waits hears why. What was under way may have been granted. */
static void break_down(struct approver *a, enum il_code of_current, const struct il_error *err)
{
    bool waited = a->current != NULL;
    hang_up(a);
    a->error = *err;
    if (waited) complete(a, a->current, of_current, IL_STR_NONE, IL_STR_NONE, il__str(err->message));
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS && !waited; i++)
        if (a->asks[i].token) complete(a, &a->asks[i], err->code, IL_STR_NONE, IL_STR_NONE, il__str(err->message));
}

static void broke(struct approver *a, enum il_code of_current, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    il__fail(&err, IL_TRANSPORT, "%s", what);
    break_down(a, of_current, &err);
}

static void broke_errno(struct approver *a, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    char why[120];
    const char *said = strerror_r(errno, why, sizeof why);
    il__fail(&err, IL_TRANSPORT, "%s: %s", what, said);
    break_down(a, IL_TRANSPORT, &err);
}

/* ---- what is said ---- */

/* Room is made first, so that growing leaves no copy of the token behind. */
static void say_hello(struct approver *a)
{
    struct il__json_writer w;
    if (!il__buf_reserve(&a->out, 6 * (a->secret.len + a->principal.len) + 128)) {
        broke(a, IL_TRANSPORT, "no memory for a message");
        return;
    }
    il__jw_init(&w, &a->out);
    il__jw_object(&w);
    il__jw_member_z(&w, "type", "hello");
    il__jw_member_str(&w, "token", il__buf_get(&a->secret));
    il__jw_member_str(&w, "principalId", il__buf_get(&a->principal));
    il__jw_object_end(&w);
    il__buf_putc(&a->out, '\n');
    a->state = GREETING;
}

static void say_approve(struct approver *a, struct ask *ask)
{
    struct il__json_writer w;
    il__jw_init(&w, &a->out);
    il__jw_object(&w);
    il__jw_member_z(&w, "type", "approve");
    il__jw_member_str(&w, "sessionId", il__buf_get(&ask->session_id));
    il__jw_member_str(&w, "actionId", il__buf_get(&ask->action_id));
    il__jw_member_int(&w, "ttlMs", ask->ttl_ms);
    il__jw_member_z(&w, "scope", "exact_action");
    il__jw_object_end(&w);
    il__buf_putc(&a->out, '\n');
    if (a->out.code || a->out.len > IL__LIMIT_SUPERVISOR_LINE_BYTES)
        complete(a, ask, IL_LIMIT_EXCEEDED, IL_STR_NONE, IL_STR_NONE, IL_STR("the message is too long for the socket"));
    else a->current = ask;
    if (!a->current) hang_up(a);
}

static bool write_out(struct approver *a)
{
    bool moved = false;
    while (a->fd >= 0 && a->out_at < a->out.len) {
        ssize_t n = send(a->fd, a->out.ptr + a->out_at, a->out.len - a->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return moved;
        if (n < 0) {
            broke_errno(a, "the server does not read any more");
            return true;
        }
        a->out_at += (size_t)n;
        moved = true;
    }
    if (moved) {
        il__secret_wipe(a->out.ptr, a->out.cap);
        il__buf_reset(&a->out);
        a->out_at = 0;
    }
    return moved;
}

/* ---- what is heard ---- */

static struct il_str text_of(struct il__json *doc, const char *name)
{
    struct il_str s;
    uint32_t node = il__json_get(doc, 0, name);
    if (!node || il__json_kind(doc, node) != IL__JSON_STRING) return IL_STR_NONE;
    return il__json_string(doc, node, &s, NULL) ? IL_STR_NONE : s;
}

static void heard_hello(struct approver *a, struct il__json *doc, struct il_str type)
{
    int64_t version = 0;
    uint32_t at = il__json_get(doc, 0, "protocolVersion");
    if (il__str_eq(type, IL_STR("error"))) broke(a, IL_TRANSPORT, "the server refused the hello");
    if (!il__str_eq(type, IL_STR("hello"))) return;
    if (!at || !il__json_int(doc, at, &version) || version != PROTOCOL) {
        broke(a, IL_TRANSPORT, "the socket speaks another version than 2");
        return;
    }
    a->state = READY;
    il__error_clear(&a->error);
}

static void heard_approved(struct approver *a, struct il__json *doc)
{
    struct ask *ask = a->current;
    uint32_t grant = il__json_get(doc, 0, "grant");
    bool ours = il__str_eq(text_of(doc, "actionId"), il__buf_get(&ask->action_id));
    if (ours && grant) complete(a, ask, IL_OK, il__json_raw(doc, grant), IL_STR_NONE, IL_STR_NONE);
    else
        complete(a, ask, IL_DECODE, IL_STR_NONE, IL_STR_NONE,
                 ours ? IL_STR("the answer holds no grant") : IL_STR("the answer is for another action"));
}

static void heard_emergency(struct approver *a, struct il__json *doc)
{
    uint32_t at = il__json_get(doc, 0, "active");
    bool active = at && il__json_kind(doc, at) == IL__JSON_TRUE;
    if (active && !a->emergency) il__log(a->log, IL_LOG_WARN, "approver: the server's emergency stop is on");
    a->emergency_known = at != 0;
    a->emergency = active;
}

/* What is pushed without being asked for, known or not, is no answer. */
static void heard(struct approver *a, struct il__json *doc)
{
    struct il_str type = text_of(doc, "type");
    if (il__str_eq(type, IL_STR("emergency_status"))) {
        heard_emergency(a, doc);
    } else if (a->state == GREETING) {
        heard_hello(a, doc, type);
    } else if (a->current && il__str_eq(type, IL_STR("approved"))) {
        heard_approved(a, doc);
    } else if (a->current && il__str_eq(type, IL_STR("error"))) {
        struct il_str reason = text_of(doc, "error");
        complete(a, a->current, IL_RUNTIME, IL_STR_NONE, reason.len ? reason : IL_STR("refused"),
                 text_of(doc, "message"));
    } else if (il__str_eq(type, IL_STR("approved"))) {
        il__log(a->log, IL_LOG_WARN, "approver: the server tells of a grant that nobody asked for");
    }
}

static void on_line(struct approver *a, struct il_str line)
{
    const struct il__json_limits limits = { IL__LIMIT_SUPERVISOR_LINE_BYTES, IL__LIMIT_JSON_FREE_DEPTH };
    struct il__json doc = { 0 };
    if (!line.len) return;
    enum il_code code = il__json_parse(&doc, a->mem, line, limits, NULL);
    if (code || il__json_kind(&doc, 0) != IL__JSON_OBJECT) broke(a, IL_DECODE, "the server says what is no message");
    else heard(a, &doc);
    il__json_clear(&doc);
}

/* The lines of `in`. What they lead to may hang up, which empties it. */
static void cut_lines(struct approver *a)
{
    size_t from = 0;
    while (a->fd >= 0) {
        const char *lf = memchr(a->in.ptr + from, '\n', a->in.len - from);
        if (!lf) break;
        struct il_str line = { a->in.ptr + from, (size_t)(lf - a->in.ptr) - from };
        from += line.len + 1;
        if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
        on_line(a, line);
    }
    if (a->fd < 0 || !from) return;
    memmove(a->in.ptr, a->in.ptr + from, a->in.len - from);
    a->in.len -= from;
}

static bool read_in(struct approver *a)
{
    char chunk[CHUNK_BYTES];
    bool moved = false;
    for (int i = 0; i < CHUNKS && a->fd >= 0; i++) {
        ssize_t n = recv(a->fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return moved;
        moved = true;
        if (n < 0) broke_errno(a, "the socket cannot be read");
        else if (n == 0 && a->state == GREETING)
            broke(a, IL_TRANSPORT, "the server refused the token or the principal");
        else if (n == 0) broke(a, IL_TRANSPORT, "the server closed the socket");
        if (n <= 0) return true;
        il__buf_add(&a->in, chunk, (size_t)n);
        if (!a->in.code) cut_lines(a);
        if (a->fd >= 0 && (a->in.code || a->in.len > IL__LIMIT_SUPERVISOR_LINE_BYTES))
            broke(a, IL_DECODE, "a message of more than 64 KiB");
    }
    return moved;
}

/* ---- connecting ---- */

static void connected(struct approver *a)
{
    struct ucred peer = { 0, 0, 0 };
    socklen_t size = sizeof peer;
    uid_t self = geteuid();
    if (getsockopt(a->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) broke_errno(a, "who listens cannot be told");
    else if (peer.uid != 0 && peer.uid != self && self != 0)
        broke(a, IL_TRANSPORT, "another user listens there; the token was not sent");
    else say_hello(a);
}

static void try_connect(struct approver *a)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    memcpy(to.sun_path, a->path.ptr, a->path.len);
    if (connect(a->fd, (const struct sockaddr *)&to, sizeof to) == 0) connected(a);
    else if (errno != EAGAIN && errno != EINTR && errno != EINPROGRESS) broke_errno(a, "cannot connect");
}

static void dial(struct approver *a, const struct ask *ask)
{
    a->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (a->fd < 0) {
        broke_errno(a, "no socket can be made");
        return;
    }
    il__buf_reset(&a->principal);
    il__buf_str(&a->principal, il__buf_get(&ask->principal_id));
    a->state = CONNECTING;
    a->until_ms = now_ms(a) + a->connect_timeout_ms;
    if (a->principal.code) broke(a, IL_TRANSPORT, "no memory for a connection");
    else try_connect(a);
}

static struct ask *first(struct approver *a)
{
    struct ask *found = NULL;
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++)
        if (a->asks[i].token && (!found || a->asks[i].number < found->number)) found = &a->asks[i];
    return found;
}

/* True: something changed. */
static bool step(struct approver *a)
{
    struct ask *ask = a->current ? NULL : first(a);
    enum state before = a->state;
    if ((a->state == CONNECTING || a->state == GREETING) && now_ms(a) >= a->until_ms) {
        struct il_error err = IL_ERROR_INIT;
        il__fail(&err, IL_TIMEOUT, "the server was not ready in time");
        break_down(a, IL_TIMEOUT, &err);
    } else if (a->state == CONNECTING) {
        try_connect(a);
    } else if (ask && a->state == READY && !il__str_eq(il__buf_get(&a->principal), il__buf_get(&ask->principal_id))) {
        hang_up(a);
        return true;
    } else if (ask && a->state == CLOSED) {
        dial(a, ask);
        return true;
    } else if (ask && a->state == READY) {
        say_approve(a, ask);
        return true;
    }
    return a->state != before;
}

static int64_t tick(void *self, uint32_t budget_us)
{
    struct approver *a = self;
    (void)budget_us; /* what one message costs is bounded */
    bool moved = true;
    for (int i = 0; i < CHUNKS && moved; i++) {
        moved = step(a);
        moved = write_out(a) || moved;
        moved = read_in(a) || moved;
    }
    if (moved) return 0;
    if (a->state == CONNECTING) return RETRY_MS;
    if (a->state != GREETING) return -1;
    int64_t left = a->until_ms - now_ms(a);
    return left > 0 ? left : 0;
}

/* ---- the port ---- */

static enum il_code keep(struct il__buf *buf, struct il_str s, struct il_error *err)
{
    il__buf_reset(buf);
    il__buf_str(buf, s);
    return il__buf_check(buf, err);
}

static enum il_code begin(void *self, const struct il__grant_ask *wanted, struct il_error *err)
{
    struct approver *a = self;
    struct ask *ask = NULL;
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS && !ask; i++)
        if (!a->asks[i].token) ask = &a->asks[i];
    if (!ask)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "approver", "approver_asks", "at most %d grants at once",
                           IL__LIMIT_APPROVER_ASKS);
    enum il_code code = keep(&ask->session_id, wanted->session_id, err);
    if (!code) code = keep(&ask->principal_id, wanted->principal_id, err);
    if (!code) code = keep(&ask->action_id, wanted->action_id, err);
    if (code) return code;
    ask->ttl_ms = wanted->ttl_ms;
    ask->number = ++a->number;
    ask->token = wanted->token;
    return IL_OK;
}

static void cancel(void *self, uint64_t token)
{
    struct approver *a = self;
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        struct ask *ask = &a->asks[i];
        if (!ask->token || ask->token != token) continue;
        if (a->current == ask) hang_up(a); /* the next answer would be taken for that of the next ask */
        complete(a, ask, IL_CANCELLED, IL_STR_NONE, IL_STR_NONE, IL_STR("nobody waits any more"));
        return;
    }
}

static size_t descriptors(void *self, int *fds, short *events, size_t cap)
{
    const struct approver *a = self;
    if (a->fd < 0 || a->state == CONNECTING) return 0;
    if (cap) {
        fds[0] = a->fd;
        events[0] = (short)(a->out_at < a->out.len ? POLLIN | POLLOUT : POLLIN);
    }
    return 1;
}

static void facts(void *self, struct il__json_writer *w)
{
    static const char *const names[] = { "idle", "connecting", "connecting", "ready" };
    const struct approver *a = self;
    il__jw_member_z(w, "kind", "supervisor");
    il__jw_member_str(w, "address", il__buf_get(&a->path));
    il__jw_member_z(w, "state", a->state == CLOSED && a->error.code ? "closed" : names[a->state]);
    if (a->emergency_known) il__jw_member_bool(w, "emergency", a->emergency);
    if (a->state != CLOSED || !a->error.code) return;
    il__jw_key(w, "error");
    il__jw_object(w);
    il__jw_member_z(w, "code", il_code_name(a->error.code));
    il__jw_member_z(w, "message", a->error.message);
    il__jw_object_end(w);
}

static void release(void *self)
{
    struct approver *a = self;
    hang_up(a);
    il__secret_wipe(a->secret.ptr, a->secret.cap);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        il__buf_clear(&a->asks[i].session_id);
        il__buf_clear(&a->asks[i].principal_id);
        il__buf_clear(&a->asks[i].action_id);
    }
    struct il__buf *bufs[] = { &a->path, &a->secret, &a->principal, &a->in, &a->out };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) il__buf_clear(bufs[i]);
    il__mem_free(a->mem, a, sizeof *a);
}

static const struct il__approver_ops OPS = { begin, cancel, tick, descriptors, facts, release };

static enum il_code check_options(const struct il__approver_unix_options *o, struct il_error *err)
{
    struct sockaddr_un to;
    if (!o->path.len || o->path.len >= sizeof to.sun_path || memchr(o->path.ptr, 0, o->path.len))
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "endpoint", "the path of a socket has 1 to %zu bytes",
                           sizeof to.sun_path - 1);
    if (!o->token.len || o->token.len > IL__LIMIT_MCP_HTTP_TOKEN_BYTES)
        return il__fail_at(err, IL_INVALID_REQUEST, "approver", "token", "a supervisor's socket takes a token");
    return IL_OK;
}

enum il_code il__approver_unix_new(const struct il__approver_unix_options *o, struct il__approver_port *out,
                                   struct il_error *err)
{
    enum il_code code = check_options(o, err);
    if (code) return code;
    struct approver *a = il__mem_zalloc(o->mem, 1, sizeof *a);
    if (!a) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an approver connection");
    a->mem = o->mem;
    a->clock = o->clock;
    a->log = o->log;
    a->sink = o->sink;
    a->fd = -1;
    a->connect_timeout_ms = o->connect_timeout_ms ? o->connect_timeout_ms : IL__LIMIT_CONNECT_TIMEOUT_MS;
    il__buf_init(&a->in, a->mem, IL__LIMIT_SUPERVISOR_LINE_BYTES + CHUNK_BYTES + 1);
    struct il__buf *bufs[] = { &a->path, &a->secret, &a->principal, &a->out };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) il__buf_init(bufs[i], a->mem, 0);
    for (size_t i = 0; i < IL__LIMIT_APPROVER_ASKS; i++) {
        il__buf_init(&a->asks[i].session_id, a->mem, 0);
        il__buf_init(&a->asks[i].principal_id, a->mem, 0);
        il__buf_init(&a->asks[i].action_id, a->mem, 0);
    }
    code = keep(&a->path, o->path, err);
    if (!code && !il__buf_reserve(&a->secret, o->token.len + 1)) code = il__fail(err, IL_OUT_OF_MEMORY, "no memory");
    if (!code) code = keep(&a->secret, o->token, err);
    if (code) release(a);
    else *out = (struct il__approver_port){ &OPS, a };
    return code;
}
