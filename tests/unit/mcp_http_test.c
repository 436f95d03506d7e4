/* The HTTP wire against a server that misbehaves as servers and libcurl have been seen to: requests, permits, plain
 * answers, refusals, sessions. After each test no memory and no descriptor is left. */
#include "http_bed.h"

#include "base/error.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct bed bed;

/* ---- what is asked ---- */

static void test_headers(void)
{
    char host[64];
    struct bed_connection *c;
    bed_open(&bed);
    bed.options.token = IL_STR("abc-_.~+/=9");
    bed_connect(&bed);
    c = bed_call(&bed, 7);
    (void)snprintf(host, sizeof host, "127.0.0.1:%d", bed.port);
    tap_ok(strncmp(c->in, "POST /mcp HTTP/1.1\r\n", 20) == 0, "a POST to the path, HTTP/1.1");
    tap_str(il__str(bed_header(c, "content-type")), "application/json", "JSON, not curl's urlencoded");
    tap_str(il__str(bed_header(c, "accept")), "application/json, text/event-stream", "both kinds of answers, not */*");
    tap_str(il__str(bed_header(c, "mcp-protocol-version")), "2025-11-25", "the version that was agreed on");
    tap_str(il__str(bed_header(c, "authorization")), "Bearer abc-_.~+/=9", "the token");
    tap_str(il__str(bed_header(c, "mcp-session-id")), "", "no session before there is one");
    tap_str(il__str(bed_header(c, "origin")), "", "no Origin");
    tap_str(il__str(bed_header(c, "host")), host, "the host of the address, not another name for it");
    tap_str(il__str(strstr(c->in, "\r\n\r\n") + 4), "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}",
            "one message as it is");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "headers");
    tap_ok(!bed_has(bed.logged, "abc"), "the token is not logged");
}

/* Frees with a look at what is given back. */
static void *watch(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    int *seen = ctx;
    if (ptr && old_size >= 12 && new_size == 0 && memmem(ptr, old_size, "s3cr3t-token", 12)) ++*seen;
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static void test_token_is_wiped(void)
{
    int seen = 0;
    bed_open(&bed);
    il__mem_init(&bed.mem, watch, &seen, 0);
    bed.options.token = IL_STR("s3cr3t-token");
    bed_connect(&bed);
    struct bed_connection *c = bed_call(&bed, 7);
    tap_str(il__str(bed_header(c, "authorization")), "Bearer s3cr3t-token", "a token is sent");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "token");
    tap_int(seen, 0, "no memory is given back with the token in it");
}

/* A server that is started beside must not hold our connections open. */
static void test_close_on_exec(void)
{
    int fds[4];
    short events[4];
    struct bed_connection *c = bed_with_call(&bed);
    size_t n = bed.wire.ops->descriptors(bed.wire.self, fds, events, 4);
    tap_ok(n == 1 && (fcntl(fds[0], F_GETFD) & FD_CLOEXEC), "descriptors are closed on exec");
    tap_int((long long)bed.wire.ops->descriptors(bed.wire.self, fds, events, 0), 0, "and fit into what is given");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "close on exec");
}

/* libcurl asks first and waits a second when a body is large. */
static void test_no_expect(void)
{
    size_t len = 2 * 1024 * 1024;
    char *text = malloc(len + 1);
    if (!text) abort();
    memset(text, ' ', len);
    memcpy(text, "{\"id\":7}", 8);
    text[len] = 0;
    bed_open(&bed);
    bed_connect(&bed);
    const struct il__mcp_out out = { IL__MCP_CALL, 7, { text, len }, NULL, "2025-11-25" };
    tap_int(bed.wire.ops->send(bed.wire.self, &out, NULL), IL_OK, "two MiB are taken");
    struct bed_connection *c = bed_request(&bed);
    tap_ok(c && c->request_len > len, "and arrive, though the server says nothing");
    tap_ok(c && !bed_header(c, "expect")[0], "Expect is absent");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "large body");
    free(text);
}

static void test_proxy_env(void)
{
    (void)setenv("http_proxy", "http://127.0.0.1:1", 1);
    (void)setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    struct bed_connection *c = bed_with_call(&bed);
    tap_ok(c != NULL, "proxies of the environment are ignored");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "proxy in the environment");
    (void)unsetenv("http_proxy");
    (void)unsetenv("ALL_PROXY");
}

/* ---- sent once ---- */

/* libcurl sends a POST again when a reused connection is closed upon it: a call ran twice. */
static void test_silent_resend(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_answer(c, "200 OK", BED_JSON "Connection: keep-alive\r\n", BED_ANSWER);
    tap_ok(bed_until(&bed, &bed.messages, 1), "the first call is answered on a connection that stays open");
    struct bed_connection *d = bed_call(&bed, 8);
    tap_ok(d != c && bed.accepted == 2, "the second call goes on a connection of its own");
    bed_hang_up(d);
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_id == 8 && bed.lost_sent, "closed upon: lost, may have run");
    bed_turns(&bed, 100);
    tap_int(bed.accepted, 2, "silent resend: the server saw it once");
    tap_int(bed.lost_code, IL_TRANSPORT, "as a transport failure");
    bed_close(&bed, "silent resend");
}

static void test_hang_up(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_hang_up(c);
    bed_expect_lost(&bed, "reads the request and closes", "ended without an answer");
}

static void test_nobody_there(void)
{
    bed_open(&bed);
    bed_connect(&bed);
    (void)close(bed.listener);
    bed.listener = dup(0);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    tap_ok(bed_until(&bed, &bed.losts, 1) && !bed.lost_sent, "nobody listens: not sent");
    tap_ok(bed_has(bed.lost_text, "no connection to the server"), "and says so");
    bed_close(&bed, "nobody listens");
}

static void test_stream_limit(void)
{
    bed_open(&bed);
    bed_connect(&bed);
    int most = IL__LIMIT_MCP_HTTP_STREAMS - IL__LIMIT_MCP_HTTP_KEPT_FOR_NOTES;
    for (uint64_t id = 1; id <= 40; id++) (void)bed_send(&bed, IL__MCP_CALL, id, NULL, true);
    tap_ok(bed_until(&bed, &bed.accepted, most), "many calls at once");
    bed_turns(&bed, 50);
    tap_int(bed.accepted, most, "no more connections than the limit");
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    tap_ok(bed_until(&bed, &bed.accepted, most + 1), "a note still finds one: a call may wait for it");
    for (int i = 0; i < most; i++) bed_hang_up(bed_request(&bed));
    tap_ok(bed_until(&bed, &bed.accepted, 41), "the others follow when some end");
    bed_close(&bed, "stream limit");
}

static void test_queue_limits(void)
{
    enum il_code code = IL_OK;
    int taken = 0;
    bed_open(&bed);
    bed_connect(&bed);
    for (; !code && taken < 1000; taken++) code = bed_send(&bed, IL__MCP_CALL, (uint64_t)taken + 1, NULL, true);
    tap_int(taken - 1, IL__LIMIT_MCP_IN_FLIGHT, "requests in flight have a limit");
    tap_int(code, IL_LIMIT_EXCEEDED, "and it is named");
    for (taken = 0, code = IL_OK; !code && taken < 1000; taken++) code = bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    tap_int(taken - 1, IL__LIMIT_MCP_QUEUED_NOTES, "so have notes");
    const struct il__mcp_out empty = { IL__MCP_NOTE, 0, IL_STR(""), NULL, NULL };
    tap_int(bed.wire.ops->send(bed.wire.self, &empty, NULL), IL_LIMIT_EXCEEDED, "an empty message is none");
    bed_close(&bed, "queue limits");
}

/* ---- permits ---- */

struct gate {
    struct il__permit permit;
    bool shut;
    int asked;
};

static enum il_code gate_holds(void *ctx, struct il_error *err)
{
    struct gate *gate = ctx;
    gate->asked++;
    return gate->shut ? il__fail(err, IL_POLICY_DENIED, "the gate is shut") : IL_OK;
}

static struct gate gate_new(void)
{
    return (struct gate){ { gate_holds, NULL, false }, false, 0 };
}

static void test_permit_spent(void)
{
    struct gate gate = gate_new();
    gate.permit.ctx = &gate;
    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, &gate.permit, true);
    tap_ok(!gate.permit.spent, "a queued call has not spent its permit");
    struct bed_connection *c = bed_request(&bed);
    tap_ok(gate.permit.spent && gate.asked >= 2, "it is asked while the connection is made, and spent");
    int asked = gate.asked;
    bed_turns(&bed, 50);
    tap_int(gate.asked, asked, "and left alone after that");
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "permit");
}

static void test_permit_before(void)
{
    struct gate gate = gate_new();
    gate.permit.ctx = &gate;
    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, &gate.permit, true);
    gate.shut = true;
    tap_ok(bed_until(&bed, &bed.losts, 1) && !bed.lost_sent && !gate.permit.spent, "shut before it goes: not sent");
    tap_int(bed.lost_code, IL_POLICY_DENIED, "with what the permit said");
    bed_turns(&bed, 50);
    tap_int(bed.accepted, 0, "nobody was connected to");
    bed_close(&bed, "permit shut early");
}

/* The last question comes when the connection stands. */
static enum il_code third_time(void *ctx, struct il_error *err)
{
    struct gate *gate = ctx;
    return ++gate->asked >= bed.connections[0].fd ? il__fail(err, IL_POLICY_DENIED, "too late") : IL_OK;
}

static void test_permit_at_first_byte(void)
{
    struct gate gate = { { third_time, NULL, false }, false, 0 };
    gate.permit.ctx = &gate;
    bed_open(&bed);
    bed_connect(&bed);
    bed.connections[0].fd = 2; /* holds once: when the connection is begun */
    (void)bed_send(&bed, IL__MCP_CALL, 7, &gate.permit, true);
    (void)bed.wire.ops->tick(bed.wire.self, 20000);
    bed.connections[0].fd = -1;
    tap_ok(bed_until(&bed, &bed.losts, 1) && !bed.lost_sent && !gate.permit.spent,
           "refused at the first byte: not sent");
    bed_turns(&bed, 50);
    tap_ok(bed.connections[0].len == 0, "no byte arrived");
    bed_close(&bed, "permit refused at the first byte");
}

static void test_permit_while_connecting(void)
{
    struct gate gate = gate_new();
    gate.permit.ctx = &gate;
    bed_open(&bed);
    bed.options.url = IL_STR("https://127.0.0.1:1/");
    char url[64];
    (void)snprintf(url, sizeof url, "https://127.0.0.1:%d/", bed.port);
    bed.options.url = il__str(url);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, &gate.permit, true);
    tap_ok(bed_until(&bed, &bed.accepted, 1), "a server that never answers to TLS");
    tap_ok(bed_until(&bed, &gate.asked, 3) && !gate.permit.spent, "the permit is asked again and again, and kept");
    gate.shut = true;
    tap_ok(bed_until(&bed, &bed.losts, 1) && !bed.lost_sent && bed.lost_code == IL_POLICY_DENIED, "then not sent");
    tap_ok(bed_gone(&bed, &bed.connections[0], 1000), "and the connection is closed");
    bed_close(&bed, "permit shut while connecting");
}

/* ---- answers ---- */

static void answer_as(const char *name, const char *text, bool hang_up)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_say(c, text);
    if (hang_up) bed_hang_up(c);
    bed_expect_answer(&bed, name);
}

static void test_framing(void)
{
    answer_as("Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: 36\r\nContent-Type: application/json\r\n\r\n"
              BED_ANSWER, false);
    answer_as("media type with parameter and case", "HTTP/1.1 200 OK\r\ncontent-length: 36\r\n"
              "cOnTent-TYPE:  Application/JSON ; charset=utf-8\r\n\r\n" BED_ANSWER, false);
    answer_as("chunked", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
              "1\r\n{\r\n23\r\n\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\r\n0\r\n\r\n", false);
    answer_as("close-delimited", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" BED_ANSWER, true);
    answer_as("1xx answers before",
              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nmcp-session-id: no\r\n\r\n"
              "HTTP/1.1 200 OK\r\nContent-Length: 36\r\nContent-Type: application/json\r\n\r\n" BED_ANSWER,
              false);
    answer_as("BOM before JSON", "HTTP/1.1 200 OK\r\nContent-Length: 39\r\nContent-Type: application/json\r\n\r\n"
              "\xEF\xBB\xBF" BED_ANSWER, false);
    answer_as("HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" BED_ANSWER, true);
}

static void lose_as(const char *name, const char *text, const char *want)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_say(c, text);
    bed_turns(&bed, 20);
    bed_hang_up(c);
    bed_expect_lost(&bed, name, want);
}

static void test_broken_answers(void)
{
    lose_as("truncated Content-Length",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n" BED_ANSWER, "broke off");
    lose_as("truncated chunks",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            "99\r\n{\"jsonrpc\"",
            "broke off");
    lose_as("truncated head", "HTTP/1.1 200 OK\r\nContent-Type: appl", "without an answer");
    lose_as("no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n", "without an answer");
    lose_as("wrong content type", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nHi!\n",
            "the answer is text/html, neither JSON nor an event stream");
    lose_as("no content type", "HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n" BED_ANSWER,
            "HTTP 200 without an answer");
    lose_as("202 to a call", "HTTP/1.1 202 Accepted\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n",
            "HTTP 202 without an answer");
    lose_as("an answer to somebody else",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n"
            "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",
            "does not hold the answer");
    lose_as("an array",
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 38\r\n\r\n[" BED_ANSWER "]",
            "does not hold the answer");
    lose_as("an empty body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
            "does not hold the answer");
    lose_as("compressed unasked", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
            "Content-Length: 36\r\n\r\n" BED_ANSWER, "compressed its answer unasked");
}

static void test_head_limit(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_say(c, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 1200; i++) bed_say(c, "X-More: 0123456789012345678901234567890123456789012345678\r\n");
    bed_expect_lost(&bed, "endless head", "larger than 65536 bytes");
}

static void test_informational_flood(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    for (int i = 0; i < 3000; i++) bed_say(c, "HTTP/1.1 102 Processing\r\n\r\n");
    bed_expect_lost(&bed, "endless 1xx answers", "larger than 65536 bytes");
}

static void test_body_limit(void)
{
    bed_open(&bed);
    bed.options.max_message_bytes = 36;
    bed_connect(&bed);
    struct bed_connection *c = bed_call(&bed, 7);
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    bed_expect_answer(&bed, "a body as large as allowed");
    bed_open(&bed);
    bed.options.max_message_bytes = 35;
    bed_connect(&bed);
    c = bed_call(&bed, 7);
    bed_answer(c, "200 OK", BED_JSON, BED_ANSWER);
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_code == IL_LIMIT_EXCEEDED, "one byte more has a code of its own");
    bed_expect_lost(&bed, "a body over the cap", "larger than 35 bytes");
}

/* Keeps the connection busy and never answers; whoever waits gives it up. */
static void test_slow_loris(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_say(c, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 10; i++) {
        bed_say(c, "X");
        bed_turns(&bed, 10);
    }
    tap_int(bed.losts, 0, "slow loris: waited for");
    bed.wire.ops->forget(bed.wire.self, 7);
    tap_ok(bed_gone(&bed, c, 1000), "slow loris: given up, the connection is closed at once");
    tap_int(bed.losts, 0, "slow loris: what has left is not told as lost");
    bed_close(&bed, "slow loris");
}

/* Given up, but what it may have granted is still listened for, for a while. */
static void test_linger(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed.wire.ops->linger(bed.wire.self, 7);
    bed_turns(&bed, 20);
    tap_ok(!bed_gone(&bed, c, 50), "lingers: the connection stays");
    bed_answer(c, "200 OK", BED_JSON, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    tap_ok(bed_gone(&bed, c, 1000) && bed.messages == 1, "lingers: the late answer is heard");
    tap_int(bed.losts, 0, "lingers: and nothing is lost");
    bed_close(&bed, "lingers");

    c = bed_with_call(&bed);
    bed.wire.ops->linger(bed.wire.self, 7);
    bed_turns(&bed, 20);
    bed.skew_ms += IL__LIMIT_MCP_HTTP_LINGER_MS - 1000;
    tap_ok(!bed_gone(&bed, c, 50), "lingers: not shorter than mcp_http_linger_ms");
    bed.skew_ms += 1000;
    tap_ok(bed_gone(&bed, c, 1000) && bed.losts == 1, "lingers: and not longer");
    bed_close(&bed, "lingers in vain");

    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    bed.wire.ops->linger(bed.wire.self, 7);
    tap_ok(bed.losts == 1 && !bed.lost_sent, "lingers: what has not left never leaves");
    bed_close(&bed, "lingers unsent");
}

static void test_forget_before(void)
{
    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    bed.wire.ops->forget(bed.wire.self, 9);
    bed.wire.ops->forget(bed.wire.self, 7);
    tap_ok(bed.losts == 1 && bed.lost_id == 7 && !bed.lost_sent, "given up in the queue: told before forget returns");
    bed_turns(&bed, 50);
    tap_int(bed.accepted, 0, "and never sent");
    bed_close(&bed, "forget");
}

/* ---- refusals ---- */

static void refuse_as(const char *status, const char *head, const char *body, const char *want)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_answer(c, status, head, body);
    bed_expect_lost(&bed, status, want);
}

static void test_refusals(void)
{
    refuse_as("401 Unauthorized", BED_JSON, "{\"error\":\"bearer_token_required\"}",
              "HTTP 401: unauthorized: the bearer token is missing, wrong or expired: bearer_token_required");
    refuse_as("403 Forbidden", BED_JSON, "{\"error\":\"authorization_context_mismatch\"}",
              "HTTP 403: forbidden: authorization_context_mismatch");
    refuse_as("406 Not Acceptable", BED_JSON,
              "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"no\"},\"id\":null}",
              "HTTP 406: not acceptable: no (-32000)");
    refuse_as("413 Payload Too Large", BED_JSON, "{\"error\":\"request_too_large\"}",
              "HTTP 413: the message is too large for the server: request_too_large");
    refuse_as("415 Unsupported Media Type", BED_JSON, "{\"error\":\"json_required\"}",
              "HTTP 415: the server does not take JSON: json_required");
    refuse_as("421 Misdirected Request", "", "", "HTTP 421: the server does not answer to this host name");
    refuse_as("429 Too Many Requests", BED_JSON "Retry-After: 17\r\n", "{\"error\":\"rate_limited\"}",
              "HTTP 429: too many requests: rate_limited; retry after 17");
    refuse_as("404 Not Found", "Content-Type: text/html\r\n", "<html>", "HTTP 404: nothing is served at this address");
    refuse_as("500 Internal Server Error", BED_JSON, "{\"error\":{\"code\":\"x\",\"message\":\"\\u001b[31m\"}}",
              "HTTP 500: the server failed: \\x1b[31m");
    refuse_as("503 Service Unavailable", "Retry-After: 1\r\n", "", "HTTP 503: the server failed; retry after 1");
}

static void test_redirect(void)
{
    struct bed other;
    char location[160];
    bed_open(&other);
    bed_open(&bed);
    bed.options.token = IL_STR("secret");
    bed_connect(&bed);
    struct bed_connection *c = bed_call(&bed, 7);
    (void)snprintf(location, sizeof location, "Location: http://localhost:%d/mcp/\r\n", other.port);
    bed_answer(c, "307 Temporary Redirect", location, "");
    (void)snprintf(location, sizeof location, "a redirect is not followed; it leads to http://localhost:%d/mcp/",
                   other.port);
    bed_turns(&bed, 50);
    bed_turns(&other, 20);
    tap_int(other.accepted, 0, "redirect: the other host gets no connection and no token");
    bed_expect_lost(&bed, "redirect", location);
    bed_close(&other, "the other host");
}

/* 404 with our own id is an answer, not a lost session. */
static void test_refusal_is_answer(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_answer(c, "404 Not Found", BED_JSON,
               "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
    tap_ok(bed_until(&bed, &bed.messages, 1) && bed.losts == 0 && bed.session_losts == 0,
           "unknown method as 404 with our id: the message is told");
    bed_close(&bed, "404 with our id");
}

/* ---- notes ---- */

static void test_notes(void)
{
    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    struct bed_connection *c = bed_request(&bed);
    bed_say(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    tap_ok(bed_gone(&bed, c, 1000) && !bed.logged[0], "202 to a note: done, nothing is said");
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    c = bed_request(&bed);
    bed_answer(c, "200 OK", BED_JSON, "{\"jsonrpc\":\"2.0\",\"result\":{}}");
    tap_ok(bed_gone(&bed, c, 1000) && !bed.logged[0] && !bed.messages, "200 with an idless result: ignored");
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    c = bed_request(&bed);
    bed_answer(c, "400 Bad Request", BED_JSON, "{\"error\":\"x\\ny\"}");
    tap_ok(bed_gone(&bed, c, 1000) && bed_has(bed.logged, "a note was lost: HTTP 400: bad request: x\\x0ay"),
           "a refused note is logged");
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    c = bed_request(&bed);
    bed.skew_ms += IL__LIMIT_MCP_HTTP_NOTE_MS;
    tap_ok(bed_gone(&bed, c, 1000), "a note that is never taken is given up");
    tap_int(bed.losts, 0, "nobody hears of notes");
    bed_close(&bed, "notes");
}

/* ---- options ---- */

static void refuse_option(struct il_str url, struct il_str token, const char *field, const char *name)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__mcp_wire wire;
    struct il__mcp_http_options options = bed.options;
    options.url = url;
    options.token = token;
    enum il_code code = il__mcp_http_new(&options, (struct il__mcp_sink){ 0 }, &wire, &err);
    tap_ok(code == (field ? IL_INVALID_REQUEST : IL_OK) && strcmp(err.field, field ? field : "") == 0, "%s", name);
    if (!code) wire.ops->free(wire.self);
    tap_ok(!bed_has(err.message, "Bearer") && !bed_has(err.message, "s3cr3t"), "%s: without the token", name);
}

static void test_options(void)
{
    char text[9000];
    const struct il_str none = IL_STR_NONE, url = IL_STR("http://127.0.0.1/");
    bed_open(&bed);
    refuse_option(IL_STR("http://example.org/mcp"), none, "url", "plain http to another host is refused");
    refuse_option(IL_STR("http://127.0.0.1.example.org/"), none, "url", "also to one that looks like this one");
    refuse_option(IL_STR("https://127.0.0.1@example.org/"), none, "url", "no user in the address");
    refuse_option(IL_STR("file:///etc/passwd"), none, "url", "no other scheme");
    refuse_option(IL_STR("127.0.0.1:80"), none, "url", "no address without scheme");
    refuse_option(IL_STR("http://127.0.0.1/a b"), none, "url", "no blank");
    refuse_option(IL_STR("http://127.0.0.1/\r\nX: y"), none, "url", "no line break");
    refuse_option(IL_STR(""), none, "url", "no empty address");
    refuse_option(IL_STR("http://localhost:1/#x"), none, NULL, "localhost");
    refuse_option(IL_STR("http://[::1]:1/"), none, NULL, "[::1]");
    refuse_option(IL_STR("https://example.org/mcp"), none, NULL, "https to anybody");
    refuse_option(url, IL_STR(""), "token", "no empty token");
    refuse_option(url, IL_STR("s3cr3t\r\nX: y"), "token", "no line break in a token");
    refuse_option(url, IL_STR("s3cr3t t"), "token", "no blank in a token");
    memset(text, 'a', sizeof text);
    refuse_option(url, (struct il_str){ text, IL__LIMIT_MCP_HTTP_TOKEN_BYTES }, NULL, "a token of the longest");
    refuse_option(url, (struct il_str){ text, IL__LIMIT_MCP_HTTP_TOKEN_BYTES + 1 }, "token", "one byte more");
    memcpy(text, "http://127.0.0.1/", 17);
    refuse_option((struct il_str){ text, IL__LIMIT_MCP_HTTP_URL_BYTES - 1 }, none, NULL,
                  "an address of the longest");
    refuse_option((struct il_str){ text, IL__LIMIT_MCP_HTTP_URL_BYTES }, none, "url",
                  "an address one byte longer");
    bed_close(&bed, "options");
}

int main(void)
{
    test_headers();
    test_token_is_wiped();
    test_close_on_exec();
    test_no_expect();
    test_proxy_env();
    test_silent_resend();
    test_hang_up();
    test_nobody_there();
    test_stream_limit();
    test_queue_limits();
    test_permit_spent();
    test_permit_before();
    test_permit_at_first_byte();
    test_permit_while_connecting();
    test_framing();
    test_broken_answers();
    test_head_limit();
    test_informational_flood();
    test_body_limit();
    test_slow_loris();
    test_linger();
    test_forget_before();
    test_refusals();
    test_redirect();
    test_refusal_is_answer();
    test_notes();
    test_options();
    return tap_done();
}
