/* The HTTP wire and sessions: the handshake's order, session headers as servers have been seen to send them, lost
 * sessions, the standing stream, the end. */
#include "http_bed.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bed bed;

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
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_id == BED_INITIALIZE && bed.messages == 0, "%s: initialize fails",
           name);
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

/* The call has run by then: the loss of its stream proves nothing. */
static void test_session_lost_while_resuming(void)
{
    bed_open(&bed);
    session_bed();
    struct bed_connection *c = bed_call(&bed, 7);
    bed_stream(c);
    bed_say(c, "id: 1\nretry: 100\ndata:\n\n");
    bed_turns(&bed, 20);
    bed_hang_up(c);
    c = bed_request(&bed);
    tap_str(il__str(c ? bed_header(c, "mcp-session-id") : ""), "abc", "a stream is resumed in its session");
    bed_answer(c, "404 Not Found", "", "");
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.lost_sent, "404 to that: the call may have run");
    tap_int(bed.session_losts, 0, "and nobody else is told");
    bed_close(&bed, "session lost while resuming");
}

/* What waits to be sent was meant for the session that is lost; what waits to be resumed can only be resumed in it. */
static void test_session_lost_for_others(void)
{
    bed_open(&bed);
    session_bed();
    struct bed_connection *c = bed_call(&bed, 7), *d = bed_call(&bed, 8);
    bed_stream(d);
    bed_say(d, "id: 1\nretry: 60000\ndata:\n\n");
    bed_turns(&bed, 20);
    bed_hang_up(d);
    int most = IL__LIMIT_MCP_HTTP_STREAMS - IL__LIMIT_MCP_HTTP_KEPT_FOR_NOTES;
    for (uint64_t id = 9; id < 50; id++) (void)bed_send(&bed, IL__MCP_CALL, id, NULL, true);
    (void)bed_until(&bed, &bed.accepted, bed.accepted + most - 1);
    bed_turns(&bed, 50);
    int before = bed.accepted;
    tap_int(bed.losts, 0, "calls that wait, for a connection and for the rest of a stream");
    bed_answer(c, "404 Not Found", "", "");
    tap_ok(bed_until(&bed, &bed.session_losts, 1), "the session is lost");
    bed_turns(&bed, 50);
    tap_int(bed.losts, 2 + 41 - (most - 1), "with it the call, those in the queue and the one to be resumed");
    tap_ok(bed.accepted == before, "the waiting ones are lost and never sent");
    bed_close(&bed, "session lost for others");
}

static void test_no_session_no_loss(void)
{
    struct bed_connection *c = bed_with_call(&bed);
    bed_answer(c, "404 Not Found", "", "");
    tap_ok(bed_until(&bed, &bed.losts, 1) && bed.session_losts == 0, "404 without a session: nothing to be lost");
    bed_close(&bed, "404 without a session");
}

/* ---- the standing stream ---- */

static void test_no_listen(void)
{
    bed_open(&bed);
    session_bed();
    bed_turns(&bed, 100);
    tap_int(bed.accepted, 2, "no standing stream is opened");
    bed_close(&bed, "no standing stream");
}

/* ---- memory ---- */

/* Each allocation of a handshake and a call fails once: what was begun is told once, whatever happened. */
static void test_no_memory(void)
{
    bool whole = true;
    uint64_t n = 1;
    for (; n < 400; n++) {
        struct il_error err = IL_ERROR_INIT;
        bed_open(&bed);
        bed.mem.fail_at = n;
        if (!bed_try_connect(&bed, &err)) {
            if (err.code != IL_OUT_OF_MEMORY) whole = false;
        } else if (!bed_send(&bed, IL__MCP_REQUEST, BED_INITIALIZE, NULL, false)) {
            for (int i = 0; i < 400 && bed.messages + bed.losts == 0; i++) {
                if (bed.accepted && bed.connections[0].in && bed_has(bed.connections[0].in, "\r\n\r\n{"))
                    bed_answer(&bed.connections[0], "200 OK", BED_JSON "Mcp-Session-Id: abc\r\n",
                               "{\"id\":1000,\"result\":{}}");
                bed_turn(&bed);
            }
            if (bed.messages + bed.losts != 1) whole = false;
            if (bed.losts && bed.lost_code != IL_OUT_OF_MEMORY) whole = false;
        }
        bool done = bed.mem.calls < n;
        if (!bed_quiet_close(&bed)) whole = false;
        if (done) break;
    }
    tap_ok(whole && n > 10 && n < 400, "each of %d allocations fails: told once, nothing left", (int)n - 1);
}

/* ---- the end ---- */

static void test_shut(void)
{
    bed_open(&bed);
    session_bed();
    struct bed_connection *call = bed_call(&bed, 7);
    bed_stream(call);
    (void)bed_send(&bed, IL__MCP_NOTE, 0, NULL, true);
    bed.wire.ops->shut(bed.wire.self);
    tap_int(bed_send(&bed, IL__MCP_CALL, 8, NULL, true), IL_TRANSPORT, "nothing more is taken");
    struct bed_connection *c = bed_request(&bed);
    tap_ok(c && bed_has(c->in, "notifications/x"), "a note that waits still leaves");
    tap_ok(bed.losts == 1 && bed.lost_id == 7 && bed.lost_sent, "a call in flight is lost");
    tap_ok(bed_gone(&bed, call, 1000), "and its stream is closed");
    bed_say(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    c = bed_request(&bed);
    tap_ok(c && strncmp(c->in, "DELETE /mcp HTTP/1.1\r\n", 22) == 0, "DELETE at the end");
    tap_str(il__str(c ? bed_header(c, "mcp-session-id") : ""), "abc", "of the session");
    tap_int(bed.closes, 0, "the end is not told before");
    bed_answer(c, "405 Method Not Allowed", "", "");
    tap_ok(bed_until(&bed, &bed.closes, 1), "whatever the answer, then closed is told");
    bed_turns(&bed, 20);
    tap_ok(bed.closes == 1 && bed.accepted == 5, "once");
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
    bed_open(&bed);
    session_bed();
    bed_stream(bed_call(&bed, 7));
    (void)bed_send(&bed, IL__MCP_CALL, 8, NULL, true);
    int losts = bed.losts;
    bed_close(&bed, "freed in flight");
    tap_int(bed.losts, losts, "free tells nothing any more");
}

int main(void)
{
    test_order();
    test_session_header();
    test_session_twice();
    test_session_lost();
    test_session_lost_twice();
    test_session_lost_while_resuming();
    test_session_lost_for_others();
    test_no_session_no_loss();
    test_no_listen();
    test_no_memory();
    test_shut();
    test_shut_deaf();
    test_shut_without_session();
    test_free_in_flight();
    return tap_done();
}
