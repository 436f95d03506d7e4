/* The supervisor's socket against a server that a test plays line by line: hello, one ask at a time, what is pushed,
 * what is no answer, and what is never said. */
#include "runtime/approver_unix.h"
#include "tap.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TOKEN "a-token-of-at-least-32-characters-000"

struct bed {
    struct il__mem mem;
    struct il__clock clock;
    struct il__log log;
    int64_t now_ms;
    char path[80], logged[4000];
    int listener, peer;
    struct il__approver_port port;
    struct il_error err;
    int answers;
    uint64_t token;      /* of the last answer */
    enum il_code code;
    char body[300], reason[80], message[200];
    char heard[70000];   /* what the server has read */
    size_t heard_len;
};

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    const struct bed *b = ctx;
    *out = (struct il_clock_reading){ 1796061600 + b->now_ms / 1000, 0, b->now_ms * 1000000 };
}

static void put(char *out, size_t cap, struct il_str s)
{
    snprintf(out, cap, "%.*s", (int)s.len, s.ptr ? s.ptr : "");
}

static enum il_code complete(void *ctx, const struct il__answer_in *answer, struct il_error *err)
{
    struct bed *b = ctx;
    (void)err;
    b->answers++;
    b->token = answer->token;
    b->code = answer->code;
    put(b->body, sizeof b->body, answer->body);
    put(b->reason, sizeof b->reason, answer->reason);
    put(b->message, sizeof b->message, answer->message);
    return IL_OK;
}

static void on_log(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    struct bed *b = ctx;
    (void)level;
    size_t at = strlen(b->logged);
    snprintf(b->logged + at, sizeof b->logged - at, "%.*s\n", (int)len, line);
}

static void listen_at(struct bed *b)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(b->path, sizeof b->path, "/tmp/approver-%d.sock", (int)getpid());
    memcpy(at.sun_path, b->path, strlen(b->path));
    unlink(b->path);
    b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(b->listener, (const struct sockaddr *)&at, sizeof at) || listen(b->listener, 4)) {
        printf("Bail out! no socket can be made\n");
        exit(1);
    }
}

static void open_bed(struct bed *b)
{
    memset(b, 0, sizeof *b);
    b->peer = -1;
    il__mem_init(&b->mem, NULL, NULL, 0);
    il__clock_init(&b->clock, read_clock, b, NULL);
    b->log = (struct il__log){ on_log, b };
    listen_at(b);
    const struct il__approver_unix_options options = { .mem = &b->mem, .clock = &b->clock, .log = &b->log,
                                                       .sink = { complete, b }, .path = il__str(b->path),
                                                       .token = IL_STR(TOKEN), .connect_timeout_ms = 5000 };
    tap_int(il__approver_unix_new(&options, &b->port, &b->err), IL_OK, "made (%s)", b->err.message);
}

static void close_bed(struct bed *b)
{
    b->port.ops->free(b->port.self);
    tap_int((long long)b->mem.in_use_bytes, 0, "no memory is left");
    tap_ok(!strstr(b->logged, TOKEN), "the token is not logged");
    if (b->peer >= 0) close(b->peer);
    close(b->listener);
    unlink(b->path);
}

/* Both sides, until nothing more is said. */
static void go(struct bed *b)
{
    for (int i = 0; i < 40; i++) {
        b->port.ops->tick(b->port.self, 0);
        if (b->peer < 0) b->peer = accept4(b->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        ssize_t n = b->peer < 0 ? -1 : recv(b->peer, b->heard + b->heard_len, sizeof b->heard - 1 - b->heard_len, 0);
        if (n > 0) b->heard_len += (size_t)n;
        b->heard[b->heard_len] = '\0';
    }
}

static void say(struct bed *b, const char *text)
{
    size_t len = strlen(text), at = 0;
    while (at < len) {
        ssize_t n = send(b->peer, text + at, len - at, MSG_NOSIGNAL);
        if (n > 0) at += (size_t)n;
        else if (n < 0 && b->port.ops->tick(b->port.self, 0) < 0) break;
    }
    go(b);
}

static void drop_peer(struct bed *b)
{
    if (b->peer >= 0) close(b->peer);
    b->peer = -1;
    b->heard_len = 0;
    b->heard[0] = '\0';
}

static enum il_code ask(struct bed *b, uint64_t token, const char *action)
{
    const struct il__grant_ask wanted = { token, 1000, 60000, IL_STR("s-1"), IL_STR("p-1"), il__str(action) };
    enum il_code code = b->port.ops->begin(b->port.self, &wanted, &b->err);
    go(b);
    return code;
}

static int times(const struct bed *b, const char *part)
{
    int count = 0;
    for (const char *at = b->heard; (at = strstr(at, part)); at++) count++;
    return count;
}

static const char *fact(struct bed *b)
{
    static char text[600]; /* of one test program */
    struct il__buf buf;
    struct il__json_writer w;
    il__buf_init(&buf, &b->mem, 0);
    il__jw_init(&w, &buf);
    il__jw_object(&w);
    b->port.ops->facts(b->port.self, &w);
    il__jw_object_end(&w);
    put(text, sizeof text, il__buf_get(&buf));
    il__buf_clear(&buf);
    return text;
}

#define HELLO "{\"type\":\"hello\",\"protocolVersion\":2}\n"

static void greet(struct bed *b)
{
    open_bed(b);
    (void)ask(b, 1, "act-1");
    say(b, HELLO);
}

static void granted(void)
{
    struct bed b;
    open_bed(&b);
    tap_ok(strstr(fact(&b), "\"state\":\"idle\"") != NULL, "nothing is opened before it is needed");
    go(&b);
    tap_int(b.peer, -1, "nor connected");
    (void)ask(&b, 1, "act-1");
    tap_str(il__str(b.heard), "{\"type\":\"hello\",\"token\":\"" TOKEN "\",\"principalId\":\"p-1\"}\n",
            "a hello with token and principal");
    say(&b, "{\"type\":\"emergency_status\",\"active\":true}\n" HELLO);
    tap_ok(strstr(b.heard, "{\"type\":\"approve\",\"sessionId\":\"s-1\",\"actionId\":\"act-1\",\"ttlMs\":60000,"
                           "\"scope\":\"exact_action\"}\n") != NULL, "then the ask, for exactly one action");
    tap_ok(strstr(fact(&b), "\"emergency\":true") != NULL, "an emergency stop is noted");
    tap_ok(strstr(b.logged, "emergency stop is on") != NULL, "and logged");
    (void)ask(&b, 2, "act-2");
    tap_int(times(&b, "approve"), 1, "a second ask waits for the answer to the first");
    say(&b, "{\"type\":\"event\",\"event\":{}}\n\n{\"type\":\"news\",\"x\":[1]}\n{\"no\":\"type\"}\r\n"
            "{\"type\":\"emergency_status\",\"active\":false}\n");
    tap_int(b.answers, 0, "what is pushed is no answer");
    tap_ok(strstr(fact(&b), "\"emergency\":false") != NULL, "the emergency stop was lifted");
    say(&b, "{\"type\":\"approved\",\"actionId\":\"act-1\",");
    tap_int(b.answers, 0, "half a line is none");
    say(&b, "\"grant\":{\"grantId\":\"g\"}}\n");
    tap_int(b.answers, 1, "the whole is");
    tap_int((long long)b.token, 1, "of the first ask");
    tap_str(il__str(b.body), "{\"grantId\":\"g\"}", "with the grant as it came");
    tap_int(times(&b, "approve\""), 2, "now the second goes out");
    say(&b, "{\"type\":\"error\",\"error\":\"request_failed\",\"message\":\"nothing is pending\"}\n");
    tap_int(b.code, IL_RUNTIME, "an error is the answer to it");
    tap_str(il__str(b.reason), "request_failed", "with its reason");
    tap_str(il__str(b.message), "nothing is pending", "and its message");
    say(&b, "{\"type\":\"error\",\"error\":\"request_failed\"}\n"
            "{\"type\":\"approved\",\"actionId\":\"act-2\",\"grant\":{}}\n");
    tap_int(b.answers, 2, "what nobody asked for is told to nobody");
    tap_ok(strstr(b.logged, "nobody asked for") != NULL, "but logged");
    int fds[4];
    short events[4];
    tap_int((long long)b.port.ops->descriptors(b.port.self, fds, events, 4), 1, "one descriptor to wait for");
    tap_int(times(&b, TOKEN), 1, "the token was said once");
    close_bed(&b);
}

/* What may have been a grant, and cannot be read as one, is told as such: `decode`. */
static void no_answers(void)
{
    static const struct row {
        const char *line, *what;
        enum il_code code;
    } rows[] = {
        { "{\"type\":\"approved\",\"actionId\":\"act-9\",\"grant\":{}}\n", "a grant for another action", IL_DECODE },
        { "{\"type\":\"approved\",\"grant\":{}}\n", "a grant for none", IL_DECODE },
        { "{\"type\":\"approved\",\"actionId\":\"act-1\"}\n", "no grant in it", IL_DECODE },
        { "approved\n", "no JSON", IL_DECODE },
        { "[]\n", "no object", IL_DECODE },
        { "{\"type\":\"approved\",\"type\":\"event\"}\n", "a member twice", IL_DECODE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bed b;
        greet(&b);
        say(&b, rows[i].line);
        tap_int(b.answers, 1, "%s: told once", rows[i].what);
        tap_int(b.code, rows[i].code, "%s: %s", rows[i].what, b.message);
        close_bed(&b);
    }
}

static void long_lines(void)
{
    struct bed b;
    size_t room = IL__LIMIT_SUPERVISOR_LINE_BYTES;
    char *line = malloc(room + 100);
    if (!line) abort();
    static const char head[] = "{\"type\":\"event\",\"x\":\"";
    memset(line, 'x', room + 100);
    memcpy(line, head, sizeof head - 1);
    memcpy(line + room - 3, "\"}\n", 4);
    greet(&b);
    say(&b, line);
    tap_int(b.answers, 0, "a line of supervisor_line_bytes is read");
    say(&b, "{\"type\":\"approved\",\"actionId\":\"act-1\",\"grant\":{}}\n");
    tap_int(b.code, IL_OK, "and the next one, too");
    close_bed(&b);
    memset(line, 'x', room + 2);
    line[room + 2] = '\0';
    greet(&b);
    say(&b, line);
    tap_int(b.answers, 1, "a longer one ends the connection");
    tap_int(b.code, IL_DECODE, "as what may have been the answer: %s", b.message);
    close_bed(&b);
    free(line);
}

static void lost(void)
{
    struct bed b;
    open_bed(&b);
    (void)ask(&b, 1, "act-1");
    drop_peer(&b);
    go(&b);
    tap_int(b.code, IL_TRANSPORT, "closed before the hello is answered");
    tap_ok(strstr(b.message, "refused the token") != NULL, "%s", b.message);
    tap_ok(strstr(fact(&b), "\"state\":\"closed\"") != NULL, "then it is closed");
    (void)ask(&b, 2, "act-2");
    tap_int(times(&b, "hello"), 1, "the next ask opens it again");
    say(&b, HELLO);
    tap_int(times(&b, "approve"), 1, "and is sent");
    drop_peer(&b);
    go(&b);
    tap_int(b.answers, 2, "closed while the answer is waited for");
    tap_int(b.code, IL_TRANSPORT, "whether it granted is not known");
    go(&b);
    tap_int(times(&b, "act-2"), 0, "and it is not asked a second time");
    close_bed(&b);

    greet(&b);
    b.port.ops->cancel(b.port.self, 1);
    tap_int(b.code, IL_CANCELLED, "given up");
    (void)ask(&b, 2, "act-2");
    tap_int(times(&b, "act-2"), 0, "the next ask is not sent where the last answer may still come");
    drop_peer(&b);
    go(&b);
    say(&b, HELLO);
    tap_int(times(&b, "act-2"), 1, "but over a connection of its own");
    close_bed(&b);

    open_bed(&b);
    (void)ask(&b, 1, "act-1");
    say(&b, "{\"type\":\"hello\",\"protocolVersion\":3}\n");
    tap_int(b.code, IL_TRANSPORT, "another version: %s", b.message);
    tap_int(times(&b, "approve"), 0, "is asked for nothing");
    close_bed(&b);

    open_bed(&b);
    (void)ask(&b, 1, "act-1");
    b.now_ms += 5000;
    go(&b);
    tap_int(b.code, IL_TIMEOUT, "a server that does not greet");
    close_bed(&b);

    open_bed(&b);
    unlink(b.path);
    (void)ask(&b, 1, "act-1");
    tap_int(b.code, IL_TRANSPORT, "nobody there: %s", b.message);
    tap_int(b.answers, 1, "is told once");
    close_bed(&b);
}

static void bounds(void)
{
    struct bed b;
    open_bed(&b);
    for (uint64_t i = 1; i <= IL__LIMIT_APPROVER_ASKS; i++)
        if (ask(&b, i, "act")) tap_ok(false, "ask %d", (int)i);
    tap_int(ask(&b, 99, "act"), IL_LIMIT_EXCEEDED, "more than approver_asks at once");
    b.port.ops->cancel(b.port.self, 5);
    tap_int(ask(&b, 99, "act"), IL_OK, "one fewer, and it goes");
    const struct il__grant_ask other = { 100, 1000, 1000, IL_STR("s-2"), IL_STR("p-2"), IL_STR("act-2") };
    b.port.ops->cancel(b.port.self, 6);
    tap_int(b.port.ops->begin(b.port.self, &other, &b.err), IL_OK, "for another principal");
    for (uint64_t i = 1; i <= 99; i++)
        if (i != 5 && i != 6) b.port.ops->cancel(b.port.self, i);
    say(&b, HELLO);
    drop_peer(&b);
    go(&b);
    tap_ok(strstr(b.heard, "\"principalId\":\"p-2\"") != NULL, "a connection of its own: %s", b.heard);
    close_bed(&b);

    const struct il__approver_unix_options good = { .mem = &b.mem, .clock = &b.clock, .log = &b.log,
                                                    .sink = { complete, &b }, .path = IL_STR("x"),
                                                    .token = IL_STR("t") };
    struct il__approver_unix_options bad = good;
    char path[200];
    memset(path, 'p', sizeof path);
    bad.path = (struct il_str){ path, 108 };
    tap_int(il__approver_unix_new(&bad, &b.port, NULL), IL_INVALID_REQUEST, "a path that is too long");
    bad.path = (struct il_str){ "a\0b", 3 };
    tap_int(il__approver_unix_new(&bad, &b.port, NULL), IL_INVALID_REQUEST, "a path with a NUL");
    bad = good;
    bad.token = IL_STR("");
    tap_int(il__approver_unix_new(&bad, &b.port, NULL), IL_INVALID_REQUEST, "no token");
    for (uint64_t n = 1; n < 8; n++) {
        b.mem.fail_at = b.mem.calls + n;
        if (!il__approver_unix_new(&good, &b.port, NULL)) b.port.ops->free(b.port.self);
    }
    b.mem.fail_at = 0;
    tap_int((long long)b.mem.in_use_bytes, 0, "without memory nothing is left");
}

int main(void)
{
    granted();
    no_answers();
    long_lines();
    lost();
    bounds();
    tap_plan_end();
    return tap_done();
}
