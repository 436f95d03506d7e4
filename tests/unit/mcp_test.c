/* The MCP engine over a wire that is a script: what is sent is kept, what the server says is said by the test, time is
 * moved by hand. */
#include "mcp_rig.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

enum { SENT_MAX = 1024 };

/* The wire. `hold`: what is sent stays here, no byte leaves. */
static struct wire {
    struct il__mcp_sink sink;
    char *sent[SENT_MAX];
    uint64_t ids[SENT_MAX];
    enum il__mcp_sent kinds[SENT_MAX];
    bool held[SENT_MAX];
    int count, forgotten, shut, freed;
    bool hold;
    const char *protocol;
    enum il_code refuse;
} wire;

static enum il_code w_send(void *self, const struct il__mcp_out *out, struct il_error *err)
{
    struct wire *w = self;
    if (w->refuse) return il__fail(err, w->refuse, "the wire refuses");
    if (w->count == SENT_MAX) abort();
    w->sent[w->count] = strndup(out->message.ptr, out->message.len);
    w->ids[w->count] = out->id;
    w->kinds[w->count] = out->kind;
    w->held[w->count++] = w->hold;
    w->protocol = out->protocol;
    return IL_OK;
}

static void w_forget(void *self, uint64_t id)
{
    struct wire *w = self;
    struct il_error err = IL_ERROR_INIT;
    w->forgotten++;
    il__fail(&err, IL_CANCELLED, "given up");
    for (int i = 0; i < w->count; i++) {
        if (!id || w->ids[i] != id || !w->held[i]) continue;
        w->held[i] = false;
        w->sink.lost(w->sink.ctx, id, false, &err);
    }
}

static int64_t w_tick(void *self, uint32_t budget_us)
{
    (void)self;
    (void)budget_us;
    return -1;
}

static size_t w_descriptors(void *self, int *fds, short *events, size_t cap)
{
    (void)self;
    (void)fds;
    (void)events;
    (void)cap;
    return 0;
}

static void w_shut(void *self)
{
    struct wire *w = self;
    w->shut++;
}

static void w_free(void *self)
{
    struct wire *w = self;
    for (int i = 0; i < w->count; i++) free(w->sent[i]);
    w->freed++;
    w->count = 0;
}

static const struct il__mcp_wire_ops OPS = { w_send, w_forget, w_tick, w_descriptors, w_shut, w_free };

static bool say(const char *message)
{
    return wire.sink.message(wire.sink.ctx, il__str(message));
}

static bool says(const char *fmt, unsigned long long id)
{
    char text[512];
    (void)snprintf(text, sizeof text, fmt, id);
    return say(text);
}

static const char *last(void)
{
    return wire.count ? wire.sent[wire.count - 1] : "";
}

static bool last_is(const char *want)
{
    if (strcmp(last(), want) == 0) return true;
    tap_note("%s", last());
    return false;
}

static const char HELLO[] = "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"protocolVersion\":\"2025-06-18\","
                            "\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"2\"}}}";
static const char RESULT[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]},\"jsonrpc\":\"2.0\",\"id\":%llu}";

/* An engine on the scripted wire, greeted or not. */
static void rig_script(struct rig *rig, bool greet)
{
    memset(&wire, 0, sizeof wire);
    rig_open(rig, true);
    rig->now_ms = 1000000;
    wire.sink = il__mcp_sink_of(rig->mcp);
    il__mcp_set_wire(rig->mcp, (struct il__mcp_wire){ &OPS, &wire });
    if (!greet) return;
    il__mcp_tick(rig->mcp, 0);
    (void)says(HELLO, wire.ids[0]);
}

static void pass(struct rig *rig, int64_t ms)
{
    rig->now_ms += ms;
    il__mcp_tick(rig->mcp, 0);
}

/* ---- the handshake ---- */

static void test_hello(struct rig *rig)
{
    rig_script(rig, false);
    struct rig_answer *a = rig_begin(rig, "tools/list", NULL, 0, 0, NULL);
    struct rig_answer *b = rig_begin(rig, "tools/list", "{}", 0, 0, NULL);
    tap_int(wire.count, 0, "nothing is sent before the first tick");
    il__mcp_tick(rig->mcp, 0);
    tap_int(wire.count, 1, "then initialize, alone");
    tap_ok(last_is("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                   "\"capabilities\":{},\"clientInfo\":{\"name\":\"rig\",\"version\":\"7\"}}}"), "as it should be");
    tap_ok(!wire.protocol && wire.kinds[0] == IL__MCP_REQUEST, "without a negotiated version");
    tap_ok(says("{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"ping\"}", 0), "a ping before the answer is answered");
    tap_ok(last_is("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"), "bug 8: with an empty result, id 0");
    tap_ok(says(HELLO, 3), "the answer");
    tap_int(il__mcp_state(rig->mcp), IL__MCP_READY, "makes it ready");
    tap_int(wire.count, 5, "initialized, and the two that have waited");
    tap_ok(strcmp(wire.sent[2], "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}") == 0, "in this order");
    tap_ok(wire.ids[3] == a->id && wire.ids[4] == b->id && a->id != b->id, "bug 7: each with an id of its own");
    tap_str(il__str(wire.protocol), "2025-06-18", "2025-06-18 is accepted");
    tap_str(il__mcp_server_name(rig->mcp), "s", "the server's name");
    tap_int(il__mcp_generation(rig->mcp), 1, "the first generation");
    rig_close(rig, "hello");
    tap_ok(a->done == 0 && wire.freed == 1, "freed: the wire too, and nobody is called");
}

static void test_refused(struct rig *rig)
{
    static const struct {
        const char *name, *answer;
        enum il_code code;
        const char *why;
    } rows[] = {
        { "bug 24: -32022 is told with what the server speaks",
          "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":["
          "\"2026-07-28\",\"2027-01-01\"],\"requested\":\"2025-11-25\"}}}",
          IL_UNSUPPORTED, "the server speaks only MCP 2026-07-28 2027-01-01" },
        { "bug 24: -32022 without a list",
          "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":7}}}",
          IL_UNSUPPORTED, "does not name" },
        { "another error", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":-32600,\"message\":\"bad\\nday\"}}",
          IL_RUNTIME, "refused initialize: bad\\x0aday (-32600)" },
        { "a version that is not spoken",
          "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"protocolVersion\":\"2024-11-05\"}}", IL_UNSUPPORTED,
          "the server speaks MCP 2024-11-05" },
        { "no version", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"serverInfo\":{}}}", IL_DECODE, "protocolVersion" },
        { "no object", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":7}", IL_DECODE, "no object" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig_script(rig, false);
        struct rig_answer *a = rig_call(rig, "{}");
        il__mcp_tick(rig->mcp, 0);
        (void)says(rows[i].answer, wire.ids[0]);
        tap_ok(il__mcp_state(rig->mcp) == IL__MCP_CLOSED && il__mcp_error(rig->mcp)->code == rows[i].code, "%s",
               rows[i].name);
        tap_ok(strstr(il__mcp_error(rig->mcp)->message, rows[i].why) != NULL, "says so: %s",
               il__mcp_error(rig->mcp)->message);
        tap_ok(a->done == 1 && !a->sent && wire.shut == 1 && wire.count == 1, "the call that waited never leaves");
        tap_int(rig_call(rig, "{}")->code, IL_TRANSPORT, "none begins any more");
        rig_close(rig, rows[i].name);
    }
    rig_script(rig, false);
    il__mcp_tick(rig->mcp, 0);
    pass(rig, IL__LIMIT_MCP_INITIALIZE_MS);
    tap_int(il__mcp_error(rig->mcp)->code, IL_TIMEOUT, "no answer to initialize is a timeout");
    tap_ok(wire.count == 1, "initialize is never cancelled by a note");
    rig_close(rig, "initialize timeout");
}

/* ---- ids ---- */

static void test_ids(struct rig *rig)
{
    static const struct {
        const char *name, *answer;
        bool matches;
    } rows[] = {
        { "the number", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{}}", true },
        { "a string of its digits", "{\"jsonrpc\":\"2.0\",\"id\":\"%llu\",\"result\":{}}", true },
        { "a leading zero", "{\"jsonrpc\":\"2.0\",\"id\":\"0%llu\",\"result\":{}}", false },
        { "a blank", "{\"jsonrpc\":\"2.0\",\"id\":\" %llu\",\"result\":{}}", false },
        { "a sign", "{\"jsonrpc\":\"2.0\",\"id\":\"+%llu\",\"result\":{}}", false },
        { "a negative one", "{\"jsonrpc\":\"2.0\",\"id\":-%llu,\"result\":{}}", false },
        { "a fraction", "{\"jsonrpc\":\"2.0\",\"id\":%llu.0,\"result\":{}}", false },
        { "an exponent", "{\"jsonrpc\":\"2.0\",\"id\":%llue0,\"result\":{}}", false },
        { "a text after it", "{\"jsonrpc\":\"2.0\",\"id\":\"%llux\",\"result\":{}}", false },
        { "an array", "{\"jsonrpc\":\"2.0\",\"id\":[%llu],\"result\":{}}", false },
        { "null", "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"x\":%llu}}", false },
        { "a number that wraps around", "{\"jsonrpc\":\"2.0\",\"id\":1844674407370955161%llu,\"result\":{}}", false },
        { "another member called id", "{\"jsonrpc\":\"2.0\",\"result\":{\"id\":%llu}}", false },
        { "a request of the server", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"roots/list\",\"result\":{}}", false },
        { "JSON-RPC 1", "{\"id\":%llu,\"result\":{}}", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig_script(rig, true);
        struct rig_answer *a = rig_call(rig, "{}");
        (void)says(rows[i].answer, a->id);
        tap_int(a->done, rows[i].matches, "bug 6: an answer by %s", rows[i].name);
        if (!a->done) (void)says(RESULT, a->id);
        tap_int(a->done, 1, "and the right one counts");
        rig_close(rig, rows[i].name);
    }
}

static void test_order(struct rig *rig)
{
    rig_script(rig, true);
    struct rig_answer *a = rig_call(rig, "{}"), *b = rig_call(rig, "{}"), *c = rig_call(rig, "{}");
    tap_ok(a->id && b->id && c->id && a->id != b->id && b->id != c->id && a->id != c->id, "bug 7: no id twice");
    (void)says(RESULT, c->id);
    tap_ok(!a->done && !b->done && c->done == 1, "answers come in any order");
    (void)says(RESULT, c->id);
    tap_int(c->done, 1, "a second answer changes nothing");
    tap_ok(rig_logged(rig, "a second answer"), "and is logged");
    (void)says(RESULT, 4711);
    tap_ok(rig_logged(rig, "not asked for"), "nor does one to nothing");
    (void)says("{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":-32000,\"message\":\"down\"}}", b->id);
    tap_ok(b->done == 1 && b->code == IL_RUNTIME && b->rpc_code == -32000 && b->sent, "an error is an answer");
    tap_str(il__str(b->message), "down", "with its text");
    for (unsigned long long i = 0; i < 1000; i++) (void)says(RESULT, 100000 + i);
    tap_ok(rig->log_lines <= IL__LIMIT_MCP_COMPLAINTS + 1, "complaints are bounded (%d)", rig->log_lines);
    rig_close(rig, "order");
}

/* ---- what the server asks ---- */

static void test_asked(struct rig *rig)
{
    rig_script(rig, true);
    struct rig_answer *a = rig_call(rig, "{}");
    int before = wire.count;
    tap_ok(says("{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"roots/list\"}", a->id), "a request with an id like ours");
    tap_ok(!a->done, "bug 8: is no answer");
    tap_ok(strstr(last(), "\"error\":{\"code\":-32601") && wire.kinds[before] == IL__MCP_NOTE, "bug 8: and is refused");
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"method\":\"ping\",\"params\":{}}"), "a ping with a string id");
    tap_ok(last_is("{\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"result\":{}}"), "gets it back as it was");
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"ping\"}"), "a ping with a large id");
    tap_ok(last_is("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}"), "digit by digit");
    before = wire.count;
    tap_ok(!say("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"), "null is no id");
    tap_ok(!say("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}"), "nor is a fraction");
    tap_ok(!say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}"), "a method is a text");
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"), "a notification");
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}"), "a ping without an id is one");
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}"), "an error about nothing");
    tap_int(wire.count, before, "none of them is answered");
    static const char *const none[] = { "", "hello", "{", "7", "null", "\"x\"", "{}", "[]", "[1,2]", "{\"level\":\"info\"}",
                                        "{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}" };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        tap_ok(!say(none[i]), "bug 14: %s is no message", none[i]);
    rig_close(rig, "asked");
}

static void test_batch(struct rig *rig)
{
    rig_script(rig, true);
    char text[1024];
    struct rig_answer *a = rig_call(rig, "{}"), *b = rig_call(rig, "{}");
    (void)snprintf(text, sizeof text,
                   "[{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{}},7,{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                   "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}}]",
                   (unsigned long long)a->id, (unsigned long long)b->id);
    tap_ok(say(text), "bug 23: an array of messages");
    tap_ok(a->done == 1 && b->done == 1 && !b->code, "bug 23: each of its answers counts");
    tap_str(il__str(b->text), "b", "and is read at its place");
    tap_ok(last_is("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), "a ping in it is answered");
    char *many = malloc(60 * 400);
    size_t len = 0;
    many[len++] = '[';
    for (int i = 0; i < 400; i++)
        len += (size_t)snprintf(many + len, 60, "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", i ? "," : "", i);
    many[len++] = ']';
    many[len] = 0;
    int before = wire.count;
    (void)say(many);
    tap_int(wire.count - before, IL__LIMIT_MCP_BATCH, "a long array is read as far as the limit");
    free(many);
    rig_close(rig, "batch");
}

/* ---- deadlines, giving up, late answers ---- */

static void test_timeout(struct rig *rig)
{
    rig_script(rig, true);
    struct rig_answer *a = rig_begin(rig, "tools/call", "{\"name\":\"x\"}", 1000, 5000, NULL);
    struct rig_answer *b = rig_begin(rig, "tools/call", "{\"name\":\"y\"}", 60000, 60000, NULL);
    char want[128];
    pass(rig, 999);
    tap_int(a->done, 0, "before its deadline nothing ends");
    tap_int(il__mcp_tick(rig->mcp, 0), 1, "it wants to be called at the deadline");
    pass(rig, 1);
    tap_ok(a->done == 1 && a->code == IL_TIMEOUT && a->sent, "at its deadline a request ends, sent");
    (void)snprintf(want, sizeof want,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%llu,"
                   "\"reason\":\"timeout\"}}", (unsigned long long)a->id);
    tap_ok(last_is(want), "bug 22: the server is told");
    tap_ok(il__mcp_state(rig->mcp) == IL__MCP_READY && !b->done, "bug 22: one timeout ends nothing else");
    (void)says(RESULT, a->id);
    tap_ok(a->done == 1 && a->late == 1 && !a->code, "a late answer goes to `late`");
    (void)says(RESULT, a->id);
    tap_int(a->late, 1, "once");
    il__mcp_cancel(rig->mcp, b->id, "the run is over");
    tap_ok(b->done == 1 && b->code == IL_CANCELLED && b->sent, "cancelled at once");
    tap_ok(strstr(last(), "\"reason\":\"the run is over\"") != NULL, "with its reason");
    il__mcp_cancel(rig->mcp, b->id, NULL);
    il__mcp_cancel(rig->mcp, 999, NULL);
    tap_int(b->done, 1, "a second time does nothing");
    pass(rig, IL__LIMIT_MCP_LATE_MS);
    (void)says(RESULT, b->id);
    tap_int(b->late, 0, "bug 22: after ten minutes nobody remembers it");
    rig_close(rig, "timeout");
}

static void test_defaults(struct rig *rig)
{
    rig_script(rig, true);
    struct rig_answer *a = rig_call(rig, "{}");
    struct rig_answer *b = rig_begin(rig, "tools/list", NULL, UINT32_MAX, 0, NULL);
    pass(rig, IL__LIMIT_REQUEST_TIMEOUT_MS - 1);
    tap_int(a->done, 0, "a request that names no deadline");
    pass(rig, 1);
    tap_int(a->done, 1, "has the common one");
    pass(rig, IL__LIMIT_MCP_HARD_TIMEOUT_MS - IL__LIMIT_REQUEST_TIMEOUT_MS - 1);
    tap_int(b->done, 0, "one that names only a soft one");
    pass(rig, 1);
    tap_ok(b->done == 1 && b->code == IL_TIMEOUT, "has a hard one all the same");
    rig_close(rig, "defaults");
}

static void test_names(struct rig *rig)
{
    char text[1024], name[IL__LIMIT_MCP_NAME_BYTES + 2];
    for (int over = 0; over < 2; over++) {
        memset(name, 'n', sizeof name);
        name[IL__LIMIT_MCP_NAME_BYTES + over] = 0;
        rig_script(rig, false);
        il__mcp_tick(rig->mcp, 0);
        (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
                       "\"2025-03-26\",\"serverInfo\":{\"name\":\"%s\",\"version\":7}}}", name);
        (void)say(text);
        tap_int(il__mcp_state(rig->mcp), IL__MCP_READY, "2025-03-26 is accepted");
        tap_str(il__mcp_server_name(rig->mcp), over ? NULL : name, "a name up to the limit is kept, a longer one is none");
        tap_str(il__mcp_server_version(rig->mcp), NULL, "a version that is no text is none");
        int before = wire.count;
        (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", name + 2);
        (void)say(text);
        tap_int(wire.count - before, over ? 0 : 1, "an id up to the limit is answered");
        rig_close(rig, "names");
    }
}

static void test_progress(struct rig *rig)
{
    static const char tick[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1,"
                               "\"progressToken\":%llu}}";
    rig_script(rig, true);
    struct rig_answer *a = rig_begin(rig, "tools/call", "{ \"name\":\"x\"}", 1000, 2500, NULL);
    char want[160];
    (void)snprintf(want, sizeof want,
                   "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":%llu},"
                   "\"name\":\"x\"}}", (unsigned long long)a->id, (unsigned long long)a->id);
    tap_ok(last_is(want), "a call asks for progress under its id");
    pass(rig, 900);
    tap_ok(says(tick, a->id), "progress");
    (void)says(tick, 12345);
    pass(rig, 900);
    tap_int(a->done, 0, "moves the soft deadline");
    (void)says(tick, a->id);
    pass(rig, 699);
    tap_int(a->done, 0, "up to the hard one");
    (void)says(tick, a->id);
    pass(rig, 1);
    tap_ok(a->done == 1 && a->code == IL_TIMEOUT, "which nothing moves");
    (void)says(tick, a->id);
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}"), "progress of nothing");
    rig_close(rig, "progress");
}

static void test_late_bound(struct rig *rig)
{
    rig_script(rig, true);
    struct rig_answer *next = NULL;
    for (int i = 0; i < IL__LIMIT_MCP_LATE; i++) {
        next = rig_begin(rig, "tools/list", NULL, 0, 0, NULL);
        il__mcp_cancel(rig->mcp, next->id, NULL);
    }
    tap_ok(!rig_logged(rig, "too many"), "as many given-up requests as the limit are remembered");
    next = rig_begin(rig, "tools/list", NULL, 0, 0, NULL);
    il__mcp_cancel(rig->mcp, next->id, NULL);
    tap_ok(rig_logged(rig, "too many"), "one more pushes the oldest out, and it is logged");
    (void)says(RESULT, next->id);
    tap_int(next->late, 1, "the newest is remembered");
    rig_close(rig, "late bound");
}

static void test_unsent(struct rig *rig)
{
    rig_script(rig, true);
    wire.hold = true;
    struct rig_answer *a = rig_call(rig, "{}"), *b = rig_call(rig, "{}");
    struct rig_answer *c = rig_begin(rig, "tools/list", NULL, 1000, 1000, NULL);
    int before = wire.count;
    il__mcp_cancel(rig->mcp, a->id, NULL);
    tap_ok(a->done == 1 && !a->sent && a->code == IL_CANCELLED, "what no byte left of is cancelled unsent");
    tap_int(wire.count, before, "and no note goes out about it");
    (void)says(RESULT, b->id);
    tap_ok(b->done == 1 && b->code == IL_TRANSPORT && !b->sent, "an answer before the request left is none");
    pass(rig, 1000);
    tap_ok(c->done == 1 && c->code == IL_TIMEOUT && !c->sent, "a timeout of what never left is unsent");
    (void)says(RESULT, a->id);
    tap_int(a->late, 0, "there is nothing late about it");
    rig_close(rig, "unsent");
}

static void test_lost(struct rig *rig)
{
    struct il_error err = IL_ERROR_INIT;
    rig_script(rig, true);
    struct rig_answer *a = rig_call(rig, "{}"), *b = rig_call(rig, "{}"), *c = rig_call(rig, "{}");
    il__fail(&err, IL_TRANSPORT, "cut");
    wire.sink.lost(wire.sink.ctx, a->id, true, &err);
    wire.sink.lost(wire.sink.ctx, a->id, true, &err);
    tap_ok(a->done == 1 && a->code == IL_TRANSPORT && a->sent, "a lost request is told once");
    wire.sink.lost(wire.sink.ctx, b->id, false, &err);
    tap_ok(b->done == 1 && !b->sent, "with what the wire says of its bytes");
    tap_int(wire.count, 5, "bug 19: nothing is sent again");
    wire.sink.closed(wire.sink.ctx, &err);
    wire.sink.closed(wire.sink.ctx, &err);
    tap_ok(c->done == 1 && c->code == IL_TRANSPORT && c->sent, "the end of the connection loses the rest, once");
    tap_int(il__mcp_state(rig->mcp), IL__MCP_CLOSED, "it is closed");
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}") && wire.count == 5, "and says nothing more");
    rig_close(rig, "lost");
}

static void test_session_lost(struct rig *rig)
{
    rig_script(rig, true);
    struct rig_answer *a = rig_call(rig, "{}");
    int calls = 0;
    wire.sink.session_lost(wire.sink.ctx, a->id);
    tap_ok(a->done == 1 && a->code == IL_TRANSPORT && a->sent, "bug 16: the call of a lost session is lost");
    tap_int(il__mcp_state(rig->mcp), IL__MCP_CONNECTING, "bug 16: the connection is not");
    struct rig_answer *b = rig_call(rig, "{}");
    il__mcp_tick(rig->mcp, 0);
    tap_ok(strstr(last(), "\"method\":\"initialize\"") && !wire.protocol, "it initializes again, as at first");
    (void)says(HELLO, wire.ids[wire.count - 1]);
    tap_ok(il__mcp_generation(rig->mcp) == 2 && wire.ids[wire.count - 1] == b->id, "and goes on with the next");
    for (int i = 0; i < wire.count; i++) calls += wire.kinds[i] == IL__MCP_CALL;
    tap_int(calls, 2, "bug 19: the lost call is not sent again");
    (void)says(RESULT, b->id);
    for (int i = 0; i < IL__LIMIT_MCP_RESTARTS; i++) {
        b = rig_call(rig, "{}");
        wire.sink.session_lost(wire.sink.ctx, b->id);
        il__mcp_tick(rig->mcp, 0);
        (void)says(HELLO, wire.ids[wire.count - 1]);
    }
    tap_int(il__mcp_state(rig->mcp), IL__MCP_READY, "a server may lose its session a few times in a row");
    b = rig_call(rig, "{}");
    wire.sink.session_lost(wire.sink.ctx, b->id);
    tap_ok(il__mcp_state(rig->mcp) == IL__MCP_CLOSED && b->done == 1, "but not for ever");
    rig_close(rig, "session lost");
    rig_script(rig, false);
    il__mcp_tick(rig->mcp, 0);
    wire.sink.session_lost(wire.sink.ctx, wire.ids[0]);
    tap_int(il__mcp_state(rig->mcp), IL__MCP_CLOSED, "a session lost by initialize itself is the end");
    rig_close(rig, "session lost at once");
}

/* ---- what may be asked ---- */

static enum il_code holds(void *ctx, struct il_error *err)
{
    const int *good = ctx;
    return *good ? IL_OK : il__fail(err, IL_POLICY_DENIED, "a deny was read");
}

static void test_permit(struct rig *rig)
{
    int good = 1;
    struct il__permit permit = { holds, &good, false };
    rig_script(rig, false);
    struct rig_answer *a = rig_begin(rig, "tools/call", "{\"name\":\"x\"}", 0, 0, &permit);
    il__mcp_tick(rig->mcp, 0);
    tap_ok(!a->done && il__mcp_tick(rig->mcp, 0) <= 100, "a waiting permit is asked often");
    good = 0;
    il__mcp_tick(rig->mcp, 0);
    tap_ok(a->done == 1 && a->code == IL_POLICY_DENIED && !a->sent && !permit.spent, "what no longer holds never leaves");
    (void)says(HELLO, wire.ids[0]);
    tap_int(wire.count, 2, "also when the connection is ready then");
    tap_int(rig_begin(rig, "tools/list", NULL, 0, 0, &permit)->code, IL_INVALID_REQUEST, "a permit is for calls");
    rig_close(rig, "permit");
}

static void test_params(struct rig *rig)
{
    static const struct {
        const char *params;
        enum il_code code;
    } rows[] = { { "{}", IL_OK },
                 { "{\"a\":[1,{\"b\":\"\\n\"}]}", IL_OK },
                 { NULL, IL_INVALID_REQUEST },
                 { "", IL_INVALID_REQUEST },
                 { "[]", IL_INVALID_REQUEST },
                 { "7", IL_INVALID_REQUEST },
                 { "{\"a\":\n1}", IL_INVALID_REQUEST },
                 { "{\"a\":1,\"a\":2}", IL_INVALID_REQUEST },
                 { "{\"_meta\":{}}", IL_INVALID_REQUEST },
                 { " {}", IL_INVALID_REQUEST },
                 { "{}},{", IL_INVALID_REQUEST } };
    rig_script(rig, true);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        tap_int(rig_begin(rig, "tools/call", rows[i].params, 0, 0, NULL)->code, rows[i].code, "params %s",
                rows[i].params ? rows[i].params : "(none)");
    char *huge = malloc(IL__LIMIT_MCP_MESSAGE_BYTES + 16);
    memset(huge, 'x', IL__LIMIT_MCP_MESSAGE_BYTES + 16);
    memcpy(huge, "{\"a\":\"", 6);
    memcpy(huge + IL__LIMIT_MCP_MESSAGE_BYTES, "\"}", 3);
    tap_int(rig_begin(rig, "tools/call", huge, 0, 0, NULL)->code, IL_LIMIT_EXCEEDED, "a message past the limit");
    free(huge);
    wire.refuse = IL_LIMIT_EXCEEDED;
    struct rig_answer *a = rig_call(rig, "{}");
    tap_ok(a->code == IL_LIMIT_EXCEEDED && !a->done, "what the wire refuses never began");
    wire.refuse = IL_OK;
    int n = 0;
    while (n < 1000 && !rig_begin(rig, "tools/list", NULL, 0, 0, NULL)->code) n++;
    tap_int(n, IL__LIMIT_MCP_IN_FLIGHT - 2, "as many as may be in flight");
    tap_int(rig_begin(rig, "tools/list", NULL, 0, 0, NULL)->code, IL_LIMIT_EXCEEDED, "and no more");
    rig_close(rig, "params");
}

static void test_shut(struct rig *rig)
{
    struct il_error err = IL_ERROR_INIT;
    rig_script(rig, true);
    struct rig_answer *a = rig_call(rig, "{}"), *b = rig_call(rig, "{}");
    il__mcp_shut(rig->mcp);
    il__mcp_shut(rig->mcp);
    tap_int(wire.shut, 1, "the wire is shut once");
    tap_int(rig_call(rig, "{}")->code, IL_TRANSPORT, "no request begins any more");
    (void)says(RESULT, a->id);
    tap_ok(a->done == 1 && !a->code, "an answer still counts");
    il__fail(&err, IL_TRANSPORT, "ended with status 0");
    wire.sink.closed(wire.sink.ctx, &err);
    tap_ok(b->done == 1 && b->code == IL_TRANSPORT && b->sent, "the rest is lost");
    tap_int(il__mcp_error(rig->mcp)->code, IL_CANCELLED, "and it was us");
    rig_close(rig, "shut");
}

/* ---- answers that cannot be read ---- */

static void test_unreadable(struct rig *rig)
{
    static const struct {
        const char *name, *answer;
        enum il_code code;
    } rows[] = {
        { "a member twice", "{\"result\":{\"a\":1,\"a\":2},\"jsonrpc\":\"2.0\",\"id\":%llu}", IL_DECODE },
        { "broken UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"%llu\",\"result\":{\"a\":\"\xff\"}}", IL_DECODE },
        { "NaN", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"a\":NaN}}", IL_DECODE },
        { "half of it", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"a\":", IL_DECODE },
        { "an id within only", "{\"jsonrpc\":\"2.0\",\"result\":{\"id\":%llu,\"a\":NaN}}", IL_OK },
        { "an id in a text only", "{\"jsonrpc\":\"2.0\",\"result\":\"\\\",\\\"id\\\":%llu,\",\"a\":NaN}", IL_OK },
        { "a request", "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":%llu,\"params\":NaN}", IL_OK },
        { "result and error", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{},\"error\":{\"code\":1}}", IL_DECODE },
        { "neither", "{\"jsonrpc\":\"2.0\",\"id\":%llu}", IL_DECODE },
        { "a result that is a list", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":[]}", IL_DECODE },
        { "an error that is a text", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":\"no\"}", IL_DECODE },
        { "an error without code", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"message\":\"no\"}}", IL_DECODE },
        { "an error without text", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":-1}}", IL_RUNTIME },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig_script(rig, true);
        struct rig_answer *a = rig_call(rig, "{}");
        (void)says(rows[i].answer, a->id);
        tap_int(a->done, rows[i].code != IL_OK, "an answer with %s ends its request, or not", rows[i].name);
        tap_int(a->code, rows[i].code, "as what it is");
        rig_close(rig, rows[i].name);
    }
}

/* ---- tools/list ---- */

struct listed {
    char names[256];
    int count, done;
    enum il_code code;
};

static void tool(void *ctx, struct il_str name, struct il__json *doc, uint32_t at)
{
    struct listed *l = ctx;
    (void)doc;
    (void)at;
    l->count++;
    if (strlen(l->names) + name.len + 2 > sizeof l->names) return;
    (void)snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), "%.*s ", IL_STR_FMT(name));
}

static void listed(void *ctx, const struct il__mcp_answer *answer)
{
    struct listed *l = ctx;
    l->done++;
    l->code = answer->code;
}

static void page(const char *tools, const char *cursor)
{
    char text[8192];
    (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"tools\":%s%s}}",
                   (unsigned long long)wire.ids[wire.count - 1], tools, cursor);
    (void)say(text);
}

/* A page of no tools, then one that comes after `ms`. */
static void slow_pages(struct rig *rig, struct listed *l)
{
    for (int i = 0; i < 60 && !l->done; i++) {
        char cursor[40];
        (void)snprintf(cursor, sizeof cursor, ",\"nextCursor\":\"s%d\"", i);
        pass(rig, IL__LIMIT_REQUEST_TIMEOUT_MS - 1000);
        page("[]", cursor);
    }
}

static void list(struct rig *rig, struct listed *l)
{
    memset(l, 0, sizeof *l);
    rig_script(rig, true);
    tap_int(il__mcp_list_tools(rig->mcp, tool, listed, l, &rig->err), IL_OK, "tools are asked for");
}

static void test_list(struct rig *rig)
{
    struct listed l;
    list(rig, &l);
    tap_ok(strstr(last(), "\"method\":\"tools/list\",\"params\":{}}") != NULL, "without a cursor at first");
    page("[{\"name\":\"a\"},{\"name\":\"b\"}]", ",\"nextCursor\":\"p\\\"2\"");
    tap_ok(strstr(last(), "\"params\":{\"cursor\":\"p\\\"2\"}") != NULL, "bug 15: the cursor goes back as it came");
    page("[]", ",\"nextCursor\":\"\"");
    tap_ok(strstr(last(), "\"params\":{\"cursor\":\"\"}") != NULL, "bug 15: an empty cursor is a cursor");
    page("[{\"name\":\"c\"}]", "");
    tap_ok(l.done == 1 && !l.code && strcmp(l.names, "a b c ") == 0, "bug 15: all pages are read: %s", l.names);
    rig_close(rig, "list");

    list(rig, &l);
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"x\"");
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"x\"");
    tap_ok(l.done == 1 && l.code == IL_DECODE, "bug 15: a cursor that comes again is an error");
    rig_close(rig, "list in a circle");

    list(rig, &l);
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"\"");
    page("[{\"name\":\"a\"}]", ",\"nextCursor\":\"\"");
    tap_ok(l.done == 1 && !l.code, "bug 15: an empty cursor that comes again was the end");
    rig_close(rig, "list with empty cursors");

    list(rig, &l);
    for (int i = 0; i < 1000 && !l.done; i++) {
        char cursor[40];
        (void)snprintf(cursor, sizeof cursor, ",\"nextCursor\":\"c%d\"", i);
        page("[]", cursor);
    }
    tap_ok(l.done == 1 && l.code == IL_LIMIT_EXCEEDED, "bug 15: pages are bounded");
    tap_int(wire.count, 2 + 1 + IL__LIMIT_MCP_PAGES, "at the limit");
    rig_close(rig, "endless list");

    static const char *const wrong[] = { "7", "null", "[7]", "[{}]", "[{\"name\":7}]" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        list(rig, &l);
        page(wrong[i], "");
        tap_ok(l.done == 1 && l.code == IL_DECODE, "tools %s cannot be read", wrong[i]);
        rig_close(rig, "wrong list");
    }
    list(rig, &l);
    page("[]", ",\"nextCursor\":7");
    tap_ok(l.done == 1 && l.code == IL_DECODE, "a cursor is a text");
    rig_close(rig, "wrong cursor");
    char *many = malloc(IL__LIMIT_MCP_TOOLS * 16 + 1024);
    size_t len = (size_t)sprintf(many, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[{\"name\":\"x\"}", 2);
    for (int i = 0; i < IL__LIMIT_MCP_TOOLS; i++) len += (size_t)snprintf(many + len, 16, ",{\"name\":\"x\"}");
    (void)snprintf(many + len, 16, "]}}");
    list(rig, &l);
    (void)say(many);
    tap_ok(l.done == 1 && l.code == IL_LIMIT_EXCEEDED && l.count == IL__LIMIT_MCP_TOOLS, "tools are bounded");
    rig_close(rig, "too many tools");
    memset(many, 'c', IL__LIMIT_MCP_CURSOR_BYTES + 100);
    memcpy(many, ",\"nextCursor\":\"", 15);
    (void)snprintf(many + 15 + IL__LIMIT_MCP_CURSOR_BYTES + 1, 4, "\"");
    list(rig, &l);
    page("[]", many);
    tap_ok(l.done == 1 && l.code == IL_LIMIT_EXCEEDED, "a cursor is bounded");
    rig_close(rig, "long cursor");
    free(many);

    list(rig, &l);
    slow_pages(rig, &l);
    tap_ok(l.done == 1 && l.code == IL_TIMEOUT, "all pages together have one deadline");
    rig_close(rig, "slow list");
    list(rig, &l);
    rig_close(rig, "freed while listing");
    tap_int(l.done, 0, "nobody is called");
}

/* ---- the result of a call ---- */

static void test_result(void)
{
    static const struct {
        const char *name, *result;
        enum il_code code;
        bool ok;
        const char *content, *reason, *message;
    } rows[] = {
        { "structured content", "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"structuredContent\":{\"a\":1}}", IL_OK,
          true, "{\"a\":1}", "", "" },
        { "null members", "{\"content\":null,\"structuredContent\":null,\"isError\":null}", IL_OK, true, NULL, "", "" },
        { "nothing", "{\"content\":[]}", IL_OK, true, NULL, "", "" },
        { "only text", "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}", IL_OK, true, NULL, "", "hi" },
        { "text that is JSON", "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":\\\"\\\\u0041\\\"}\"}]}", IL_OK, true,
          "{\"a\":\"\\u0041\"}", "", "{\"a\":\"\\u0041\"}" },
        { "the last text, not an earlier one",
          "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":1}\"},{\"type\":\"image\",\"data\":\"\"},"
          "{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":2}\"},{\"type\":\"image\",\"data\":\"\"}]}",
          IL_OK, true, "{\"receipt\":2}", "", "{\"receipt\":2}" },
        { "a last text that is no JSON: not the one before",
          "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":1}\"},{\"type\":\"text\",\"text\":\"no\"}]}", IL_OK,
          true, NULL, "", "no" },
        { "text with two objects", "{\"content\":[{\"type\":\"text\",\"text\":\"{},{}\"}]}", IL_OK, true, NULL, "", "{},{}" },
        { "text that closes the bracket", "{\"content\":[{\"type\":\"text\",\"text\":\"{}],[{}\"}]}", IL_OK, true, NULL, "",
          "{}],[{}" },
        { "text that is a list", "{\"content\":[{\"type\":\"text\",\"text\":\"[{}]\"}]}", IL_OK, true, NULL, "", "[{}]" },
        { "text with a member twice", "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}]}", IL_OK, true,
          NULL, "", "{\"a\":1,\"a\":2}" },
        { "an error with structure",
          "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"error\":\"stale_target\","
          "\"message\":\"m\",\"details\":{}}}",
          IL_OK, false, "{\"error\":\"stale_target\",\"message\":\"m\",\"details\":{}}", "stale_target", "m" },
        { "an error with a receipt and no message",
          "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"error\":\"rejected\","
          "\"receipt\":{}}}",
          IL_OK, false, "{\"error\":\"rejected\",\"receipt\":{}}", "rejected", "t" },
        { "an error in text", "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"{\\\"error\\\":\\\"e\\\"}\"}]}", IL_OK,
          false, "{\"error\":\"e\"}", "e", "{\"error\":\"e\"}" },
        { "an error of text only", "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"MCP error -32602: x\"}]}",
          IL_OK, false, NULL, "", "MCP error -32602: x" },
        { "an error of nothing", "{\"isError\":true,\"content\":[]}", IL_OK, false, NULL, "", "" },
        { "isError as text", "{\"isError\":\"true\",\"content\":[]}", IL_DECODE, false, NULL, "", "" },
        { "isError as number", "{\"isError\":0,\"content\":[]}", IL_DECODE, false, NULL, "", "" },
        { "structure that is a list", "{\"content\":[],\"structuredContent\":[]}", IL_DECODE, false, NULL, "", "" },
        { "content that is an object", "{\"content\":{}}", IL_DECODE, false, NULL, "", "" },
        { "a block without type", "{\"content\":[{\"text\":\"x\"}]}", IL_DECODE, false, NULL, "", "" },
        { "a block that is a text", "{\"content\":[\"x\"]}", IL_DECODE, false, NULL, "", "" },
        { "a text block without text", "{\"content\":[{\"type\":\"text\"}]}", IL_DECODE, false, NULL, "", "" },
    };
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct il__json doc = { 0 };
        struct il_error err = IL_ERROR_INIT;
        struct il__mcp_tool_result result;
        if (il__json_parse(&doc, &mem, il__str(rows[i].result), IL__JSON_PAYLOAD, &err)) abort();
        tap_int(il__mcp_tool_result(&mem, &doc, 0, &result, &err), rows[i].code, "a result of %s", rows[i].name);
        if (!rows[i].code) {
            tap_int(result.ok, rows[i].ok, "%s: good or not", rows[i].name);
            tap_str(result.content ? il__json_raw(result.doc, result.content) : IL_STR_NONE, rows[i].content, "its content");
            tap_str(result.reason, rows[i].reason, "its reason");
            tap_str(result.message, rows[i].message, "its message");
        }
        il__mcp_tool_result_clear(&result);
        il__json_clear(&doc);
    }
    tap_int((long long)mem.in_use_bytes, 0, "results leave no memory");
}

/* ---- memory ---- */

/* One story of everything, with the n-th allocation failing: each begun request ends exactly once, nothing leaks. */
static bool story(struct rig *rig, uint64_t n)
{
    rig_script(rig, false);
    rig->mem.fail_at = rig->mem.calls + n;
    struct listed l = { .count = 0 };
    struct rig_answer *a = rig_call(rig, "{\"text\":\"x\"}");
    bool began = !a->code;
    il__mcp_tick(rig->mcp, 0);
    if (wire.count) (void)says(HELLO, wire.ids[0]);
    bool listing = !il__mcp_list_tools(rig->mcp, tool, listed, &l, &rig->err);
    if (listing) page("[{\"name\":\"\\u0061\"}]", ",\"nextCursor\":\"x\"");
    if (listing && !l.done) page("[]", "");
    (void)say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    if (began && !a->done) (void)says(RESULT, a->id);
    pass(rig, IL__LIMIT_MCP_HARD_TIMEOUT_MS);
    bool reached = rig->mem.fail_at <= rig->mem.calls;
    rig->mem.fail_at = 0;
    bool good = (!began || a->done == 1) && (!listing || l.done == 1);
    il__mcp_free(rig->mcp);
    if (!good || rig->mem.in_use_bytes) tap_note("allocation %llu", (unsigned long long)n);
    return good && rig->mem.in_use_bytes == 0 && reached;
}

static void test_memory(struct rig *rig)
{
    uint64_t n = 1;
    while (n < 500 && story(rig, n)) n++;
    tap_ok(n > 20 && n < 500 && rig->mem.in_use_bytes == 0, "each of %llu allocations may fail", (unsigned long long)n - 1);
}

int main(void)
{
    static struct rig rig;
    test_hello(&rig);
    test_refused(&rig);
    test_ids(&rig);
    test_order(&rig);
    test_asked(&rig);
    test_batch(&rig);
    test_timeout(&rig);
    test_defaults(&rig);
    test_names(&rig);
    test_progress(&rig);
    test_late_bound(&rig);
    test_unsent(&rig);
    test_lost(&rig);
    test_session_lost(&rig);
    test_permit(&rig);
    test_params(&rig);
    test_shut(&rig);
    test_unreadable(&rig);
    test_list(&rig);
    test_result();
    test_memory(&rig);
    return tap_done();
}
