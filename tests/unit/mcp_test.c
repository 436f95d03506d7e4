/* The MCP engine over a scripted wire: the handshake, ids, what the server asks, arrays, answers that cannot be read.
 */
#include "mcp_script.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the handshake ---- */

static void test_hello(struct rig *rig)
{
    rig_script(rig, false);
    struct rig_answer *a = rig_begin(rig, "tools/list", NULL, 0, 0, NULL);
    struct rig_answer *b = rig_begin(rig, "tools/list", "{}", 0, 0, NULL);
    tap_int(wire.count, 0, "nothing is sent before the first tick");
    il__mcp_tick(rig->mcp, 0);
    tap_int(wire.count, 1, "then initialize, alone");
    tap_ok(last_is(
               "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
               "\"capabilities\":{},\"clientInfo\":{\"name\":\"rig\",\"version\":\"7\"}}}"),
           "as it should be");
    tap_ok(!wire.protocol && wire.kinds[0] == IL__MCP_REQUEST, "without a negotiated version");
    tap_ok(says("{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"ping\"}", 0), "a ping before the answer is answered");
    tap_ok(last_is("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"), "bug 8: with an empty result, id 0");
    tap_ok(says(HELLO, 3), "the answer");
    tap_int(il__mcp_state(rig->mcp), IL__MCP_READY, "makes it ready");
    tap_int(wire.count, 5, "initialized, and the two that have waited");
    tap_ok(strcmp(wire.sent[2], "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}") == 0,
           "in this order");
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
        { "no version", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"serverInfo\":{}}}", IL_DECODE,
          "protocolVersion" },
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
        { "a request of the server", "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"roots/list\",\"result\":{}}",
          false },
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
    tap_ok(says("{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"roots/list\"}", a->id),
           "a request with an id like ours");
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
    tap_ok(say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}"),
           "an error about nothing");
    tap_int(wire.count, before, "none of them is answered");
    static const char *const none[] = { "",
                                        "hello",
                                        "{",
                                        "7",
                                        "null",
                                        "\"x\"",
                                        "{}",
                                        "[]",
                                        "[1,2]",
                                        "{\"level\":\"info\"}",
                                        "{\"jsonrpc\":\"2.0\"}",
                                        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}" };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        tap_ok(!say(none[i]), "bug 14: %s is no message", none[i]);
    rig_close(rig, "asked");
}

static void test_batch(struct rig *rig)
{
    rig_script(rig, true);
    char text[1024];
    struct rig_answer *a = rig_call(rig, "{}"), *b = rig_call(rig, "{}");
    (void)snprintf(
        text, sizeof text,
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
        len +=
            (size_t)snprintf(many + len, 60, "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", i ? "," : "", i);
    many[len++] = ']';
    many[len] = 0;
    int before = wire.count;
    (void)say(many);
    tap_int(wire.count - before, IL__LIMIT_MCP_BATCH, "a long array is read as far as the limit");
    free(many);
    rig_close(rig, "batch");
}

static void test_names(struct rig *rig)
{
    char text[1024], name[IL__LIMIT_MCP_NAME_BYTES + 2];
    for (int over = 0; over < 2; over++) {
        memset(name, 'n', sizeof name);
        name[IL__LIMIT_MCP_NAME_BYTES + over] = 0;
        rig_script(rig, false);
        il__mcp_tick(rig->mcp, 0);
        (void)snprintf(text, sizeof text,
                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
                       "\"2025-03-26\",\"serverInfo\":{\"name\":\"%s\",\"version\":7}}}",
                       name);
        (void)say(text);
        tap_int(il__mcp_state(rig->mcp), IL__MCP_READY, "2025-03-26 is accepted");
        tap_str(il__mcp_server_name(rig->mcp), over ? NULL : name,
                "a name up to the limit is kept, a longer one is none");
        tap_str(il__mcp_server_version(rig->mcp), NULL, "a version that is no text is none");
        int before = wire.count;
        (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", name + 2);
        (void)say(text);
        tap_int(wire.count - before, over ? 0 : 1, "an id up to the limit is answered");
        rig_close(rig, "names");
    }
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

int main(void)
{
    static struct rig rig;
    test_hello(&rig);
    test_refused(&rig);
    test_names(&rig);
    test_ids(&rig);
    test_order(&rig);
    test_asked(&rig);
    test_batch(&rig);
    test_unreadable(&rig);
    return tap_done();
}
