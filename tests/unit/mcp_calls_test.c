/* The MCP engine over a scripted wire: deadlines, giving up, late answers, loss, permits, params. */
#include "mcp_script.h"

#include "base/error.h"
#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

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
                   "\"reason\":\"timeout\"}}",
                   (unsigned long long)a->id);
    tap_ok(last_is(want), "bug 22: the server is told");
    tap_int(wire.lingers, 1, "and the wire goes on listening: what it grants late is heard");
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

static void test_progress(struct rig *rig)
{
    static const char tick[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1,"
                               "\"progressToken\":%llu}}";
    rig_script(rig, true);
    struct rig_answer *a = rig_begin(rig, "tools/call", "{ \"name\":\"x\"}", 1000, 2500, NULL);
    char want[160];
    (void)snprintf(
        want, sizeof want,
        "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":%llu},"
        "\"name\":\"x\"}}",
        (unsigned long long)a->id, (unsigned long long)a->id);
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
    tap_ok(a->done == 1 && a->code == IL_POLICY_DENIED && !a->sent && !permit.spent,
           "what no longer holds never leaves");
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

int main(void)
{
    static struct rig rig;
    test_timeout(&rig);
    test_defaults(&rig);
    test_progress(&rig);
    test_late_bound(&rig);
    test_unsent(&rig);
    test_lost(&rig);
    test_session_lost(&rig);
    test_permit(&rig);
    test_params(&rig);
    test_shut(&rig);
    return tap_done();
}
