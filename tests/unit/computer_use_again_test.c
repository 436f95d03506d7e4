/* A connection that is lost and made again (SPEC §4): how often, what the server has to show, and what of before goes
 * over it; against a scripted server and a virtual clock. */
#include "base/limits.h"
#include "cu_rig.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define ACTION "8570b45a-0bc5-4cf2-a326-350d1aff7070"
#define SESSION "87d94efc-b39f-41cb-aa12-d69b1c15956f"
#define SESSION_OF(id, principal, state, more)                                                                         \
    "{\"session\":{\"sessionId\":\"" id "\",\"principalId\":\"" principal "\",\"state\":\"" state "\",\"revision\":2," \
    "\"createdAt\":\"2026-11-30T18:00:27.381Z\",\"updatedAt\":\"2026-11-30T18:00:27.382Z\"" more "}}"
#define NOT_FOUND "{\"error\":\"session_not_found\",\"message\":\"m\",\"details\":{}}"
#define LEASE_ID "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\",\"leaseId\":\"1a179ffe\"}"

static void open_again(struct cu_rig *r)
{
    cu_open(r);
    r->again = true;
    if (cu_connect(r)) tap_ok(false, "the server is ready");
    cu_rule(r, "start_session", 2, CU_OK, SESSION_OF("fresh", "operator-1", "running", ""));
    cu_rule(r, "stop_session", 0, CU_OK, SESSION_OF("fresh", "operator-1", "stopped", ""));
}

static bool state_is(const struct cu_rig *r, const char *state)
{
    return strcmp(il__computer_use_state(r->cu), state) == 0;
}

static bool fact(struct cu_rig *r, const char *part)
{
    struct il_str facts;
    char text[4000];
    if (il__computer_use_facts(r->cu, &facts, &r->err)) return false;
    snprintf(text, sizeof text, "%.*s", IL_STR_FMT(facts));
    return strstr(text, part) != NULL;
}

static void test_taken_up(void)
{
    struct cu_rig r;
    open_again(&r);
    cu_lose(&r);
    tap_ok(state_is(&r, "connecting"), "a lost connection is made again");
    cu_advance(&r, IL__LIMIT_RECONNECT_WAIT_MS - 100);
    tap_int(cu_calls(&r, "initialize"), 1, "not before reconnect_wait_ms");
    cu_advance(&r, 200);
    tap_int(cu_calls(&r, "initialize"), 2, "but then");
    tap_ok(state_is(&r, "ready") && cu_calls(&r, "tools/list") == 2, "with the tools listed and checked again");
    tap_ok(cu_has(cu_message(&r, "stop_session", 1), "\"session_id\":\"fresh\""),
           "the session that told the principal is stopped, and no other");
    tap_ok(!fact(&r, "sessionLost") && fact(&r, "\"reconnects\":1"), "a session that runs on is taken up");
    tap_int(cu_calls(&r, "resume_session"), 0, "none is resumed");
    const struct cu_answer *a = cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    tap_ok(a && !a->code, "and previews again");
    cu_close(&r);
}

/* Whether the old session is lost when the server says this of it. */
static void old_session(enum cu_how how, const char *text, const char *what)
{
    struct cu_rig r;
    open_again(&r);
    cu_rule(&r, "get_session", 0, how, text);
    cu_lose(&r);
    cu_advance(&r, 1000);
    tap_ok(state_is(&r, "ready") && fact(&r, "\"sessionLost\":true"), "a session that %s is lost", what);
    uint64_t token = cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 1000);
    tap_ok(!token && r.err.code == IL_TRANSPORT && cu_calls(&r, "preview_action") == 0, "and nothing goes over it");
    cu_rule(&r, "start_session", 3, CU_OK, SESSION_OF("new", "operator-1", "running", ""));
    tap_ok(cu_session(&r, "start", "{}") && !fact(&r, "sessionLost") && fact(&r, "\"sessionId\":\"new\""),
           "until another is started");
    cu_close(&r);
}

static void test_old_session(void)
{
    struct cu_rig r;
    old_session(CU_ERROR, NOT_FOUND, "is not known");
    old_session(CU_OK, SESSION_OF(SESSION, "operator-1", "paused_by_user", ",\"recovered\":true"), "was recovered");
    old_session(CU_OK, SESSION_OF(SESSION, "operator-1", "running", ",\"recovered\":true"), "runs, but was recovered");
    old_session(CU_OK, SESSION_OF(SESSION, "operator-1", "paused_by_policy", ""), "is paused");
    open_again(&r);
    cu_rule(&r, "get_session", 0, CU_OK, SESSION_OF(SESSION, "operator-1", "paused_by_user", ""));
    cu_rule(&r, "resume_session", 0, CU_OK, SESSION_OF(SESSION, "operator-1", "running", ""));
    cu_lose(&r);
    cu_advance(&r, 1000);
    tap_ok(fact(&r, "sessionLost") && cu_calls(&r, "resume_session") == 0, "a paused session is not resumed");
    tap_ok(cu_session(&r, "resume", NULL) && !fact(&r, "sessionLost"), "but by an operator");
    cu_close(&r);
}

static void refused(const char *tool, const char *text, enum cu_how how, const char *part, const char *what)
{
    struct cu_rig r;
    open_again(&r);
    cu_rule(&r, tool, 0, how, text);
    cu_lose(&r);
    cu_advance(&r, 1000);
    tap_ok(state_is(&r, "refused") && fact(&r, part), "%s is refused", what);
    int sent = r.sent_count;
    tap_ok(!cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 1000) && r.sent_count == sent, "and not used");
    cu_advance(&r, 100000);
    tap_int(cu_calls(&r, "initialize"), 2, "nor tried again");
    cu_close(&r);
}

static void test_refused(void)
{
    refused("initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"other\","
                          "\"version\":\"7.0.0\"}}", CU_RESULT, "identity_mismatch", "a server of another name");
    refused("start_session", SESSION_OF("fresh", "operator-2", "running", ""), CU_OK, "identity_mismatch",
            "another principal");
    refused("get_session", SESSION_OF(SESSION, "operator-2", "running", ""), CU_OK, "identity_mismatch",
            "a session of another principal");
    refused("get_session", "{\"error\":\"principal_mismatch\",\"message\":\"m\",\"details\":{}}", CU_ERROR,
            "identity_mismatch", "a server that gave the session to another");
    refused("tools/list", "{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}},"
                          "{\"name\":\"approve_action\",\"inputSchema\":{}}]}", CU_RESULT, "approve_action",
            "F18 approve_action, now on the connection,");
    refused("tools/list", "{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}},"
                          "{\"name\":\"left_click\",\"inputSchema\":{}}]}", CU_RESULT, "left_click", "a raw tool");
}

static void test_bounded(void)
{
    struct cu_rig r;
    open_again(&r);
    cu_rule(&r, "initialize", 0, CU_RPC_ERROR, "broken");
    cu_lose(&r);
    cu_advance(&r, IL__LIMIT_RECONNECT_WAIT_MS * 31 + 1000); /* 250, 500, ... 4000 ms */
    tap_int(cu_calls(&r, "initialize"), 1 + IL__LIMIT_RECONNECTS, "reconnects are tried, and no more");
    tap_ok(state_is(&r, "closed") && fact(&r, "not made again after 5 tries in 60 s"), "then it says so");
    tap_ok(!cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 1000) && r.err.code == IL_TRANSPORT,
           "and answers transport");
    cu_advance(&r, 200000);
    tap_int(cu_calls(&r, "initialize"), 1 + IL__LIMIT_RECONNECTS, "for good");
    cu_close(&r);

    open_again(&r);
    for (int i = 0; i < IL__LIMIT_RECONNECTS + 3; i++) {
        cu_rule(&r, "start_session", 0, CU_OK, SESSION_OF("fresh", "operator-1", "running", ""));
        cu_lose(&r);
        cu_advance(&r, IL__LIMIT_RECONNECT_WINDOW_MS);
    }
    tap_ok(state_is(&r, "ready"), "losses further apart than reconnect_window_ms do not add up");
    cu_close(&r);

    open_again(&r);
    r.again_fails = true;
    cu_lose(&r);
    cu_advance(&r, 20000);
    tap_ok(state_is(&r, "closed") && r.reopened == IL__LIMIT_RECONNECTS, "a server that cannot be started likewise");
    cu_close(&r);
}

static void test_first(void)
{
    struct cu_rig r;
    cu_open(&r);
    r.again = true;
    cu_rule(&r, "initialize", 0, CU_RPC_ERROR, "broken");
    tap_ok(cu_connect(&r) != IL_OK && state_is(&r, "closed"), "a first connection that fails is not made again");
    cu_advance(&r, 20000);
    tap_int(cu_calls(&r, "initialize"), 1, "at all");
    cu_close(&r);
}

/* What was in flight ends; nothing of it is sent again. */
static void test_in_flight(void)
{
    struct cu_rig r;
    open_again(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "execute_action", 0, CU_NEVER, NULL);
    uint64_t token = cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 30000);
    cu_go(&r);
    cu_lose(&r);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_TRANSPORT && !a->unsent, "an execute in flight is lost, and may have acted");
    uint64_t recover = cu_begin(&r, IL_OP_RECOVER,
                                "{\"runId\":\"r\",\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\"}", 30000);
    tap_ok(recover && !cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 30000) && r.err.code == IL_TRANSPORT,
           "an action that was previewed before is not executed any more");
    cu_rule(&r, "get_session_events", 0, CU_ERROR, NOT_FOUND);
    cu_advance(&r, 1000);
    a = cu_answer_of(&r, recover);
    tap_ok(a && !a->code && strcmp(a->body, "\"unknown\"") == 0, "what became of it is looked for at the server");
    tap_int(cu_calls(&r, "execute_action"), 1, "the execute was sent once");
    tap_ok(!cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 30000) && cu_calls(&r, "execute_action") == 1,
           "nor is it executed now");
    cu_close(&r);
}

static void release(const char *answer, enum cu_how how, enum il_code code, const char *what)
{
    struct cu_rig r;
    open_again(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "release_control_lease", 0, how, answer);
    cu_lose(&r);
    uint64_t token = cu_begin(&r, IL_OP_RELEASE_LEASE, LEASE_ID, 30000);
    tap_ok(token && !cu_answer_of(&r, token), "a release waits for the connection");
    cu_advance(&r, 1000);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == code && strcmp(a->reason, "lease_not_active") != 0, "%s", what);
    tap_int(cu_calls(&r, "release_control_lease"), 1, "it is asked for once");
    cu_close(&r);
}

static void test_release(void)
{
    struct cu_rig r;
    release("{\"lease\":{\"leaseId\":\"1a179ffe\",\"state\":\"released\"}}", CU_OK, IL_OK,
            "a lease that the server still knows is given back");
    release("{\"error\":\"lease_not_active\",\"lease_id\":\"1a179ffe\"}", CU_ERROR, IL_RUNTIME,
            "one that it does not know is reported, not taken for released");
    open_again(&r);
    cu_rule(&r, "initialize", 0, CU_RPC_ERROR, "broken");
    cu_lose(&r);
    uint64_t token = cu_begin(&r, IL_OP_RELEASE_LEASE, LEASE_ID, 30000);
    cu_advance(&r, 20000);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_TRANSPORT, "without a connection it ends with transport");
    cu_close(&r);
}

int main(void)
{
    test_taken_up();
    test_old_session();
    test_refused();
    test_bounded();
    test_first();
    test_in_flight();
    test_release();
    return tap_done();
}
