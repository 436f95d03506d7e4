/* The HTTP wire and event streams: their bytes as servers have been seen to send them, streams that break and
 * are resumed. */
#include "http_bed.h"

#include "base/error.h"
#include "tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct bed bed;

static int64_t now_ms(void)
{
    return il__clock_now(&bed.clock).boot_ms;
}

/* ---- bytes ---- */

static void stream_as(const char *name, const char *body)
{
    (void)bed_with_stream(&bed, body);
    bed_expect_answer(&bed, name);
}

static void test_bytes(void)
{
    stream_as("LF events", "event: message\ndata: " BED_ANSWER "\n\n");
    stream_as("CRLF events never dispatched", "event: message\r\ndata: " BED_ANSWER "\r\n\r\n");
    stream_as("lone CR", "data: " BED_ANSWER "\r\r");
    stream_as("no event line", "data:" BED_ANSWER "\n\n");
    stream_as("priming event with empty data", "id: 4cf5\ndata: \n\nevent: message\ndata: " BED_ANSWER "\n\n");
    stream_as("priming event with retry", "id: 1\nretry: 300\ndata:\n\nid: 2\ndata: " BED_ANSWER "\n\n");
    stream_as("comments", ": keepalive\n\n: keepalive\n\ndata: " BED_ANSWER "\n: keepalive\n\n");
    stream_as("BOM before the first line", "\xEF\xBB\xBF" "data: " BED_ANSWER "\n\n");
    stream_as("events of another type", "event: endpoint\ndata: /messages\n\ndata: " BED_ANSWER "\n\n");
    stream_as("text that is no JSON-RPC", "data: hello\n\ndata: " BED_ANSWER "\n\n");
}

static void test_bytewise(void)
{
    const char *body = "id: 1\r\ndata: \r\n\r\n: x\r\ndata: " BED_ANSWER "\r\n\r\n";
    struct bed_connection *c = bed_with_stream(&bed, "");
    for (; *body; body++) {
        bed_say_bytes(c, body, 1);
        bed_turn(&bed);
        bed_turn(&bed);
    }
    bed_expect_answer(&bed, "CR | LF split over reads, one byte at a time");
}

static void test_multi_line(void)
{
    (void)bed_with_stream(&bed, "data: {\"id\":7,\ndata: \"result\":{}}\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 1), "several data lines are one message");
    tap_str(il__str(bed.last), "{\"id\":7,\n\"result\":{}}", "joined with a line feed");
    bed_close(&bed, "several data lines");
}

static void test_utf8_split(void)
{
    const char *text = "{\"id\":7,\"result\":\"\xF0\x9F\x98\x80\xE2\x80\xA8\xEF\xBB\xBF\\u0000\"}";
    struct bed_connection *c = bed_with_stream(&bed, "data: ");
    for (size_t i = 0; i < strlen(text); i++) {
        bed_say_bytes(c, text + i, 1);
        if ((unsigned char)text[i] >= 0x80) bed_turns(&bed, 2);
    }
    bed_say(c, "\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 1), "UTF-8 split over reads");
    tap_str(il__str(bed.last), text, "comes whole, with U+2028 and U+FEFF in it");
    bed_close(&bed, "UTF-8 split");
}

static void test_framing(void)
{
    char text[400];
    const char *event = "data: " BED_ANSWER "\n\n";
    struct bed_connection *c = bed_with_call(&bed);
    (void)snprintf(text, sizeof text,
                   "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %zu\r\n\r\n%s", strlen(event),
                   event);
    bed_say(c, text);
    bed_expect_answer(&bed, "event stream with Content-Length");
    c = bed_with_call(&bed);
    (void)snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Type: TEXT/Event-Stream;charset=utf-8\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%.9s\r\n%zx\r\n%s\r\n", (size_t)9, event,
                   strlen(event) - 9, event + 9);
    bed_say(c, text);
    bed_expect_answer(&bed, "chunked event stream, left open");
}

static void test_open_stream_is_closed(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "data: " BED_ANSWER "\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 1) && bed_gone(&bed, c, 1000),
           "a stream left open after the answer is closed");
    bed_close(&bed, "stream left open");
}

/* Strict readers hang: whoever waits has a deadline. */
static void test_missing_blank_line(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "data: " BED_ANSWER "\n");
    bed_turns(&bed, 50);
    tap_ok(bed.messages == 0 && bed.losts == 0, "an event without its blank line is not yet one");
    bed_hang_up(c);
    bed_expect_lost(&bed, "missing blank line", "the event stream ended without the answer");
}

static void test_comments_only(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "");
    for (int i = 0; i < 20; i++) {
        bed_say(c, ": keepalive\n\n");
        bed_turns(&bed, 5);
    }
    tap_ok(bed.messages == 0 && bed.noise == 0 && bed.losts == 0, "keepalives are nothing");
    bed.wire.ops->forget(bed.wire.self, 7);
    tap_ok(bed_gone(&bed, c, 1000), "keepalives hold no given-up call open: a cancelled stream is closed by us");
    bed_close(&bed, "keepalives");
}

static void large_event(size_t len, bool fits)
{
    char *data = malloc(len);
    if (!data) abort();
    memset(data, 'x', len);
    memcpy(data, "{\"id\":7,\"result\":\"", 18);
    memcpy(data + len - 2, "\"}", 2);
    struct bed_connection *c = bed_with_stream(&bed, "data: ");
    bed_say_bytes(c, data, len);
    bed_say(c, "\n\n");
    free(data);
    if (fits) {
        tap_ok(bed_until(&bed, &bed.messages, 1) && bed.message_bytes == len, "an event of %zu bytes", len);
        bed_close(&bed, "large event");
    } else {
        tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_code == IL_LIMIT_EXCEEDED, "an event over the cap");
        bed_expect_lost(&bed, "event over the cap", "limit");
    }
}

static void test_small_cap(void)
{
    bed_open(&bed);
    bed.options.max_message_bytes = 36;
    bed_connect(&bed);
    struct bed_connection *c = bed_call(&bed, 7);
    bed_stream(c);
    bed_say(c, "data: " BED_ANSWER "\n\n");
    bed_expect_answer(&bed, "an event as large as allowed");
    bed_open(&bed);
    bed.options.max_message_bytes = 35;
    bed_connect(&bed);
    c = bed_call(&bed, 7);
    bed_stream(c);
    bed_say(c, "data: " BED_ANSWER "\n\n");
    bed_expect_lost(&bed, "an event one byte larger", "limit");
}

static void test_floods(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "");
    for (int i = 0; i <= IL__LIMIT_MCP_NOISE_LINES; i++) bed_say(c, "data: hi\n\n");
    bed_expect_lost(&bed, "a flood of what is no message", "in a row that are no messages");
    c = bed_with_stream(&bed, "");
    char *many = malloc(((size_t)IL__LIMIT_MCP_HTTP_EVENTS + 1) * 7 + 1);
    if (!many) abort();
    for (size_t i = 0; i <= IL__LIMIT_MCP_HTTP_EVENTS; i++) memcpy(many + i * 7, "data:\n\n", 8);
    bed_say(c, many);
    free(many);
    bed_expect_lost(&bed, "a flood of empty events", "events in one stream");
}

static void test_endless_comments(void)
{
    size_t len = (size_t)1024 * 1024;
    char *line = malloc(len);
    if (!line) abort();
    memset(line, ':', len);
    line[len - 1] = '\n';
    struct bed_connection *c = bed_with_stream(&bed, "");
    for (size_t said = 0; said <= IL__LIMIT_MCP_HTTP_STREAM_BYTES && bed.losts == 0; said += len) {
        bed_say_bytes(c, line, len);
        for (int i = 0; i < 1000 && c->out_at < c->out_len && !c->gone; i++) bed_turn(&bed);
    }
    free(line);
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_code == IL_LIMIT_EXCEEDED, "comments without end");
    bed_expect_lost(&bed, "endless stream", "an event stream of more than");
}

/* Progress and requests of the server come on the stream of the call, our answer goes beside it. */
static void test_pending_call(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "data: {\"method\":\"notifications/progress\"}\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 1), "progress while the call is pending");
    bed_say(c, "data: {\"method\":\"ping\",\"id\":0}\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 2), "a ping on the stream of the call");
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    struct bed_connection *d = bed_request(&bed);
    tap_ok(d && d != c && !c->gone, "our answer takes a second connection, the stream stays");
    bed_say(d, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    bed_say(c, "data: " BED_ANSWER "\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 3) && bed.losts == 0, "then the answer");
    bed_close(&bed, "pending call");
}

/* ---- streams that break ---- */

static void test_empty_stream(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "");
    bed_turns(&bed, 20);
    bed_hang_up(c);
    bed_expect_lost(&bed, "200 with an empty event stream", "the event stream ended without the answer");
    c = bed_with_call(&bed);
    bed_answer(c, "200 OK", "Content-Type: text/event-stream\r\n", "");
    bed_expect_lost(&bed, "the same with Content-Length: 0", "the event stream ended without the answer");
}

static void test_compressed(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_say(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\ndata: " BED_ANSWER
               "\n\n");
    bed_expect_lost(&bed, "an event stream compressed unasked", "compressed its answer unasked");
}

static void test_break_without_id(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "data: {\"method\":\"notifications/progress\"}\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 1), "an event without an id");
    bed_hang_up(c);
    bed_expect_lost(&bed, "cut without an event id: unknown, not sent again", "ended without the answer");
}

/* A stream of call 7 with an id, cut; the GET that asks for the rest. */
static struct bed_connection *resumed(const char *body, int least_ms, int most_ms, const char *id)
{
    struct bed_connection *c = bed_with_stream(&bed, body);
    bed_turns(&bed, 20);
    int64_t from = now_ms();
    bed_hang_up(c);
    c = bed_request(&bed);
    int took = (int)(now_ms() - from);
    tap_ok(c && strncmp(c->in, "GET /mcp HTTP/1.1\r\n", 19) == 0, "a stream that breaks is resumed by GET");
    tap_ok(took >= least_ms && took <= most_ms, "after %d ms: not before %d, soon after", took, least_ms);
    if (!c) exit(1);
    tap_str(il__str(bed_header(c, "last-event-id")), id, "with the last event id");
    tap_str(il__str(bed_header(c, "accept")), "text/event-stream", "asking for events");
    tap_str(il__str(bed_header(c, "content-type")), "", "without a body");
    return c;
}

static void test_resume(void)
{
    struct bed_connection *c = resumed("id: a-1\nretry: 400\ndata: \n\n", 400, 650, "a-1");
    bed_stream(c);
    bed_say(c, "id: a-2\ndata: \n\ndata: " BED_ANSWER "\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 1) && bed_gone(&bed, c, 1000),
           "Last-Event-ID: answered on the GET, then closed");
    tap_ok(bed.accepted == 2 && bed.losts == 0, "two connections, nothing lost");
    bed_close(&bed, "resume");
    c = resumed("id: b\ndata: {\"method\":\"x\"}\n\n", IL__LIMIT_MCP_HTTP_RETRY_MS, 1300, "b");
    bed_stream(c);
    bed_say(c, "data: " BED_ANSWER "\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 2) && bed.losts == 0, "resumed after the default time");
    bed_close(&bed, "resume after the default time");
}

static void test_resume_chain(void)
{
    struct bed_connection *c = resumed("retry: 0\nid: 1\ndata:\n\n", IL__LIMIT_MCP_HTTP_RETRY_MIN_MS, 350, "1");
    bed_stream(c);
    bed_say(c, "id: 2\ndata:\n\n");
    bed_turns(&bed, 20);
    bed_hang_up(c);
    c = bed_request(&bed);
    tap_str(il__str(c ? bed_header(c, "last-event-id") : ""), "2",
            "a resumed stream that breaks is resumed from there");
    bed_hang_up(c);
    c = bed_request(&bed);
    tap_str(il__str(c ? bed_header(c, "last-event-id") : ""), "2", "so is one that brought nothing");
    bed_stream(c);
    bed_say(c, "data: " BED_ANSWER "\n\n");
    bed_expect_answer(&bed, "resumed again and again");
}

static void test_resume_in_vain(void)
{
    (void)resumed("retry: 100\nid: 1\ndata:\n\n", 100, 350, "1");
    int gets = 0;
    struct bed_connection *c = &bed.connections[1];
    while (c && gets < 30 && bed.losts == 0) {
        gets++;
        bed_hang_up(c);
        bed_turns(&bed, 10);
        bed.skew_ms += IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
        c = bed.losts ? NULL : bed_request(&bed);
    }
    tap_int(gets, IL__LIMIT_MCP_HTTP_RESUMES + 1, "a stream is resumed in vain so often and no more");
    tap_ok(bed.losts == 1 && bed.lost_sent, "then it is lost");
    bed_close(&bed, "resumed in vain");
}

/* The server is gone while a call's stream is open: nobody listens any more. */
static void test_nobody_to_resume(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "retry: 100\nid: 1\ndata:\n\n");
    bed_turns(&bed, 20);
    (void)close(bed.listener);
    bed.listener = dup(0);
    bed_hang_up(c);
    int tries = 0;
    for (; tries < 30 && bed.losts == 0; tries++) {
        bed_turns(&bed, 20);
        bed.skew_ms += IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
        bed_turns(&bed, 20);
    }
    tap_int(tries, IL__LIMIT_MCP_HTTP_REFUSALS, "so many connections are refused, then it is given up");
    tap_ok(bed.losts == 1 && bed.lost_sent && bed.lost_code == IL_TRANSPORT, "lost in transport, and may have run");
    tap_ok(bed_has(bed.lost_text, "cannot be resumed"), "%s", bed.lost_text);
    bed_close(&bed, "nobody listens any more");
}

/* A server that is away for a moment is found again: refusals count only in a row. */
static void test_back_again(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "retry: 100\nid: 1\ndata:\n\n");
    bed_turns(&bed, 20);
    for (int round = 0; round < 2 && c; round++) {
        struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)bed.port) };
        (void)close(bed.listener);
        bed.listener = dup(0);
        bed_hang_up(c);
        for (int i = 1; i < IL__LIMIT_MCP_HTTP_REFUSALS; i++) {
            bed_turns(&bed, 20);
            bed.skew_ms += IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
            bed_turns(&bed, 20);
        }
        (void)close(bed.listener);
        bed.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)setsockopt(bed.listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
        if (bind(bed.listener, (struct sockaddr *)&at, sizeof at) || listen(bed.listener, 64)) abort();
        bed.skew_ms += IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
        c = bed_request(&bed);
        tap_ok(c && bed.losts == 0, "one refusal fewer: the stream is asked for again (%d)", round + 1);
        if (c) bed_stream(c);
        bed_turns(&bed, 20);
    }
    if (c) bed_say(c, "data: " BED_ANSWER "\n\n");
    bed_expect_answer(&bed, "back again");
}

static void test_resume_refused(void)
{
    struct bed_connection *c = resumed("retry: 100\nid: 1\ndata:\n\n", 100, 350, "1");
    bed_answer(c, "404 Not Found", BED_JSON,
               "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"x\"},\"id\":null}");
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_sent, "resume refused: the call has run, it is lost as sent");
    tap_int(bed.session_losts, 0, "a refused resume says nothing of other requests");
    bed_close(&bed, "resume refused");
}

static void test_resume_forgotten(void)
{
    struct bed_connection *c = bed_with_stream(&bed, "retry: 100\nid: 1\ndata:\n\n");
    bed_turns(&bed, 20);
    bed_hang_up(c);
    bed_turns(&bed, 20);
    bed.wire.ops->forget(bed.wire.self, 7);
    bed_turns(&bed, 200);
    tap_ok(bed.accepted == 1 && bed.losts == 0, "a given-up call is not resumed");
    bed_close(&bed, "given up while waiting");
}

int main(void)
{
    test_bytes();
    test_bytewise();
    test_multi_line();
    test_utf8_split();
    test_framing();
    test_open_stream_is_closed();
    test_missing_blank_line();
    test_comments_only();
    large_event((size_t)10 * 1024 * 1024, true);
    large_event((size_t)IL__LIMIT_SSE_EVENT_BYTES + 1, false);
    test_small_cap();
    test_floods();
    test_endless_comments();
    test_pending_call();
    test_empty_stream();
    test_compressed();
    test_break_without_id();
    test_resume();
    test_resume_chain();
    test_resume_in_vain();
    test_nobody_to_resume();
    test_back_again();
    test_resume_refused();
    test_resume_forgotten();
    return tap_done();
}
