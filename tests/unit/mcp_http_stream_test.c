/* The HTTP wire and event streams: their bytes as servers have been seen to send them, streams that break and are
 * resumed, sessions that come and go, the standing stream, the end. */
#include "http_bed.h"

#include "base/error.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- sessions ---- */

static void greet(const char *session_lines)
{
    (void)bed_send(&bed, IL__MCP_REQUEST, BED_INITIALIZE, NULL, false);
    struct bed_connection *c = bed_request(&bed);
    tap_ok(c && !bed_header(c, "mcp-session-id")[0] && !bed_header(c, "mcp-protocol-version")[0],
           "initialize goes without session and version");
    if (!c) exit(1);
    bed_say(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n");
    bed_say(c, session_lines);
    bed_say(c, "\r\ndata: {\"id\":1000,\"result\":{}}\n\n");
}

/* A bed past its handshake, in session "abc". */
static void session_bed(void)
{
    bed_connect(&bed);
    greet("Mcp-Session-Id: abc\r\n");
    struct bed_connection *c = bed_request(&bed);
    tap_str(il__str(c ? bed_header(c, "mcp-session-id") : ""), "abc", "the note after it goes with both");
    bed_say(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
}

static void test_order(void)
{
    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_REQUEST, BED_INITIALIZE, NULL, false);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    struct bed_connection *c = bed_request(&bed);
    bed_turns(&bed, 50);
    tap_int(bed.accepted, 1, "what follows waits for the answer to initialize");
    bed_answer(c, "200 OK", BED_JSON "MCP-SESSION-ID:  abc \r\n", "{\"id\":1000,\"result\":{}}");
    c = bed_request(&bed);
    bed_turns(&bed, 50);
    tap_ok(c && bed_has(c->in, "notifications/x") && bed.accepted == 2, "and for the note after it");
    bed_say(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    c = bed_request(&bed);
    tap_ok(c && bed_has(c->in, "tools/call"), "then it goes");
    bed_close(&bed, "order of the handshake");
}

static void test_session_header(void)
{
    bed_open(&bed);
    session_bed();
    struct bed_connection *c = bed_call(&bed, 7);
    tap_str(il__str(bed_header(c, "mcp-session-id")), "abc", "the session goes with each later request");
    bed_answer(c, "200 OK", BED_JSON "Mcp-Session-Id: other\r\n", BED_ANSWER);
    tap_ok(bed_until(&bed, &bed.messages, 2), "an answer that names another session counts");
    c = bed_call(&bed, 8);
    tap_str(il__str(bed_header(c, "mcp-session-id")), "abc", "the first session stays");
    bed_close(&bed, "session header");
}

static void refuse_session(const char *lines, const char *name)
{
    bed_open(&bed);
    bed_connect(&bed);
    greet(lines);
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_id == BED_INITIALIZE && bed.messages == 0, "%s: initialize fails", name);
    bed_close(&bed, name);
}

static void test_session_twice(void)
{
    char lines[1200] = "Mcp-Session-Id: ";
    bed_open(&bed);
    bed_connect(&bed);
    greet("Mcp-Session-Id: abc\r\nmcp-session-id: abc\r\n");
    struct bed_connection *c = bed_request(&bed);
    tap_str(il__str(c ? bed_header(c, "mcp-session-id") : ""), "abc",
            "a session header twice is not joined to abc, abc");
    bed_close(&bed, "session header twice");
    refuse_session("Mcp-Session-Id: abc\r\nMcp-Session-Id: abd\r\n", "two different sessions");
    refuse_session("Mcp-Session-Id:\r\n", "an empty session");
    refuse_session("Mcp-Session-Id: a b\r\n", "a session with a blank");
    memset(lines + 16, 's', IL__LIMIT_MCP_HTTP_SESSION_BYTES + 1);
    memcpy(lines + 16 + IL__LIMIT_MCP_HTTP_SESSION_BYTES + 1, "\r\n", 3);
    refuse_session(lines, "a session that is too long");
}

static void lose_session(const char *status, const char *body, bool is_lost, const char *name)
{
    bed_open(&bed);
    session_bed();
    struct bed_connection *c = bed_call(&bed, 7);
    bed_answer(c, status, BED_JSON, body);
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_id == 7 && bed.lost_sent == !is_lost,
           "%s: the call is told as %s", name, is_lost ? "not run" : "one that may have run");
    tap_int(bed.session_losts, is_lost, "%s: so is the session", name);
    if (is_lost) tap_str(il__str(bed.order), "session", "%s: after the call", name);
    bed_turns(&bed, 30);
    int before = bed.accepted;
    (void)bed_send(&bed, IL__MCP_CALL, 8, NULL, true);
    bed_turns(&bed, 50);
    tap_int(bed.accepted, before + !is_lost, "%s: nothing is sent again, the next waits for a new session", name);
    if (is_lost) {
        greet("Mcp-Session-Id: def\r\n");
        c = bed_request(&bed);
        tap_str(il__str(c ? bed_header(c, "mcp-session-id") : ""), "def", "%s: the new session is used", name);
    }
    bed_close(&bed, name);
}

static void test_session_lost(void)
{
    lose_session("404 Not Found",
                 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"Session not found\"},\"id\":null}",
                 true, "lost session, 404");
    lose_session("404 Not Found", "{\"error\":\"invalid_or_missing_mcp_session\"}", true,
                 "lost session, 404 of a gateway");
    lose_session("404 Not Found", "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"x\"},\"id\":7}", true,
                 "lost session, 404 with our id");
    lose_session("400 Bad Request",
                 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"No valid session ID\"},\"id\":null}",
                 true, "lost session, 400 and -32000");
    lose_session("400 Bad Request", "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"x\"},\"id\":null}",
                 false, "400 for another reason");
    lose_session("503 Service Unavailable",
                 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"x\"},\"id\":null}", false,
                 "503 proves nothing");
}

/* Two calls of the same lost session ask for one new session; a late one does not end it. */
static void test_session_lost_twice(void)
{
    bed_open(&bed);
    session_bed();
    struct bed_connection *c = bed_call(&bed, 7), *d = bed_call(&bed, 8);
    bed_answer(c, "404 Not Found", "", "");
    (void)bed_until(&bed, &bed.losts, 1);
    greet("Mcp-Session-Id: def\r\n");
    (void)bed_until(&bed, &bed.messages, 2);
    bed_answer(d, "404 Not Found", "", "");
    tap_ok(bed_until(&bed, &bed.losts, 2) && bed.lost_id == 8 && !bed.lost_sent, "a second call of the lost session");
    tap_int(bed.session_losts, 1, "does not end the new one");
    bed_close(&bed, "session lost twice");
}

static void test_no_session_no_loss(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_answer(c, "404 Not Found", "", "");
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.session_losts == 0, "404 without a session: nothing to be lost");
    bed_close(&bed, "404 without a session");
}

/* ---- the standing stream ---- */

static void listening_bed(void)
{
    bed_open(&bed);
    bed.options.keep_get_stream = true;
    session_bed();
}

static void test_listen(void)
{
    listening_bed();
    struct bed_connection *c = bed_request(&bed);
    tap_ok(c && strncmp(c->in, "GET ", 4) == 0, "the standing stream is opened after the handshake");
    if (!c) exit(1);
    tap_str(il__str(bed_header(c, "mcp-session-id")), "abc", "in the session");
    tap_str(il__str(bed_header(c, "last-event-id")), "", "from now on");
    bed_stream(c);
    bed_say(c, "retry: 100\nid: 9\ndata: {\"method\":\"notifications/tools/list_changed\"}\n\n");
    tap_ok(bed_until(&bed, &bed.messages, 2), "what the server says there is told");
    bed_hang_up(c);
    c = bed_request(&bed);
    tap_str(il__str(c ? bed_header(c, "last-event-id") : ""), "9", "a broken one is opened again from where it was");
    bed_hang_up(c);
    tap_int(bed.losts, 0, "and nobody waits for it");
    bed_close(&bed, "standing stream");
}

static void refuse_listen(const char *status, bool logs)
{
    listening_bed();
    struct bed_connection *c = bed_request(&bed);
    bed_answer(c, status, "", "");
    bed_turns(&bed, 20);
    bed.skew_ms += IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
    bed_turns(&bed, 50);
    tap_int(bed.accepted, 3, "GET answered %s: not tried again", status);
    tap_ok(bed.losts == 0 && bed.session_losts == 0 && bed.closes == 0, "GET answered %s: no failure", status);
    tap_int(bed.logged[0] != 0, logs, "GET answered %s: %s", status, logs ? "logged" : "normal");
    bed_close(&bed, status);
}

static void test_listen_in_vain(void)
{
    int gets = 0;
    listening_bed();
    (void)bed_until(&bed, &bed.accepted, 3);
    for (; gets < 30 && bed.accepted == 3 + gets; gets++) {
        bed_hang_up(bed_request(&bed));
        bed_turns(&bed, 10);
        bed.skew_ms += IL__LIMIT_MCP_HTTP_RETRY_MAX_MS;
        bed_turns(&bed, 20);
    }
    tap_int(bed.accepted, 2 + IL__LIMIT_MCP_HTTP_RESUMES + 1, "a standing stream that brings nothing is given up");
    bed_close(&bed, "standing stream in vain");
}

static void test_no_listen(void)
{
    bed_open(&bed);
    session_bed();
    bed_turns(&bed, 100);
    tap_int(bed.accepted, 2, "no standing stream unless asked for");
    bed_close(&bed, "no standing stream");
}

/* ---- the end ---- */

static void test_shut(void)
{
    listening_bed();
    struct bed_connection *get = bed_request(&bed), *call = bed_call(&bed, 7);
    bed_stream(get);
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    bed.wire.ops->shut(bed.wire.self);
    tap_int(bed_send(&bed, IL__MCP_CALL, 8, NULL, true), IL_TRANSPORT, "nothing more is taken");
    struct bed_connection *c = bed_request(&bed);
    tap_ok(c && bed_has(c->in, "notifications/x"), "a note that waits still leaves");
    tap_ok(bed.losts == 1 && bed.lost_id == 7 && bed.lost_sent, "a call in flight is lost");
    tap_ok(bed_gone(&bed, get, 1000) && bed_gone(&bed, call, 1000), "its stream and the standing one are closed");
    bed_say(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    c = bed_request(&bed);
    tap_ok(c && strncmp(c->in, "DELETE /mcp HTTP/1.1\r\n", 22) == 0, "DELETE at the end");
    tap_str(il__str(c ? bed_header(c, "mcp-session-id") : ""), "abc", "of the session");
    tap_int(bed.closes, 0, "the end is not told before");
    bed_answer(c, "405 Method Not Allowed", "", "");
    tap_ok(bed_until(&bed, &bed.closes, 1), "whatever the answer, then closed is told");
    bed_turns(&bed, 20);
    tap_ok(bed.closes == 1 && bed.accepted == 6, "once");
    bed_close(&bed, "shut");
}

static void test_shut_deaf(void)
{
    bed_open(&bed);
    session_bed();
    bed_turns(&bed, 10);
    bed.wire.ops->shut(bed.wire.self);
    tap_ok(bed_request(&bed) != NULL && bed.closes == 0, "DELETE that is never answered");
    bed.skew_ms += IL__LIMIT_MCP_SHUT_MS;
    tap_ok(bed_until(&bed, &bed.closes, 1), "is not waited for longer than its limit");
    bed_close(&bed, "shut, nobody answers");
}

static void test_shut_without_session(void)
{
    bed_open(&bed);
    bed_connect(&bed);
    (void)bed_send(&bed, IL__MCP_CALL, 7, NULL, true);
    bed.wire.ops->shut(bed.wire.self);
    tap_ok(bed_until(&bed, &bed.closes, 1) && bed.losts == 1, "shut with a call in the queue");
    bed_turns(&bed, 20);
    tap_ok(bed.seen == 0, "no DELETE without a session");
    bed_close(&bed, "shut without a session");
}

static void test_free_in_flight(void)
{
    listening_bed();
    struct bed_connection *c = bed_request(&bed);
    bed_stream(c);
    c = bed_call(&bed, 7);
    (void)bed_send(&bed, IL__MCP_CALL, 8, NULL, true);
    int losts = bed.losts;
    bed_close(&bed, "freed in flight");
    tap_int(bed.losts, losts, "free tells nothing any more");
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
    test_pending_call();
    test_empty_stream();
    test_break_without_id();
    test_resume();
    test_resume_chain();
    test_resume_in_vain();
    test_resume_refused();
    test_resume_forgotten();
    test_order();
    test_session_header();
    test_session_twice();
    test_session_lost();
    test_session_lost_twice();
    test_no_session_no_loss();
    test_listen();
    refuse_listen("405 Method Not Allowed", false);
    refuse_listen("404 Not Found", true);
    test_listen_in_vain();
    test_no_listen();
    test_shut();
    test_shut_deaf();
    test_shut_without_session();
    test_free_in_flight();
    return tap_done();
}
