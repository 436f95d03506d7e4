/* The computer-use adapter against a scripted server: what it sends, what it makes of the answers, and that it is not
 * taken in by any of the ways in which a server or a connection is known to mislead. */
#include "cu_rig.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define ACTION "8570b45a-0bc5-4cf2-a326-350d1aff7070"
#define SESSION "87d94efc-b39f-41cb-aa12-d69b1c15956f"

static void begin_ready(struct cu_rig *r)
{
    cu_open(r);
    if (cu_connect(r)) tap_ok(false, "the server is ready");
}

/* ---- connecting ---- */

static void test_connect(void)
{
    struct cu_rig r;
    struct il_str facts = IL_STR_NONE;
    cu_open(&r);
    tap_ok(!cu_connect(&r), "a server with the governed tools is ready");
    tap_ok(!il__computer_use_facts(r.cu, &facts, &r.err), "facts are told");
    tap_ok(cu_has(facts.ptr, "\"serverName\":\"computer-use\",\"serverVersion\":\"7.0.0\",\"protocol\":\"2025-11-25\""),
           "the server's name, version and protocol");
    tap_ok(cu_has(facts.ptr, "\"durableReceipts\":false,\"durableSessions\":true,\"durableEvents\":null"),
           "what the manifest says, and null where it says nothing");
    tap_ok(cu_has(facts.ptr, "\"profile\":\"v8-safe\",\"sessionId\":\"" SESSION "\",\"principalId\":\"operator-1\""),
           "profile, session and principal");
    int fd = 0;
    short events = 0;
    tap_int((long long)il__computer_use_descriptors(r.cu, &fd, &events, 1), 1, "descriptors come from the wire");
    cu_close(&r);

    cu_open(&r);
    r.session = SESSION;
    tap_ok(!cu_connect(&r) && cu_calls(&r, "start_session") == 0 && cu_calls(&r, "get_session") == 1,
           "a session that is named is read, not started");
    cu_close(&r);
}

static void refused(const char *tools, const char *part, const char *what)
{
    struct cu_rig r;
    cu_open(&r);
    cu_rule(&r, "tools/list", 0, CU_RESULT, tools);
    tap_ok(cu_connect(&r) != IL_OK, "%s: refused", what);
    tap_ok(cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 1000) == 0 && cu_has(r.err.message, part), "%s: says so",
           what);
    tap_str(il__str(il__computer_use_state(r.cu)), "refused", "%s: the state", what);
    cu_close(&r);
}

static void test_tools(void)
{
    struct cu_rig r;
    refused("{\"tools\":[{\"name\":\"left_click\",\"inputSchema\":{}}]}", "this server has no v8 tools",
            "a server without preview_action");
    refused("{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}},{\"name\":\"left_click\",\"inputSchema\":{}},"
            "{\"name\":\"run_script\",\"inputSchema\":{},\"annotations\":{\"readOnlyHint\":false}}]}",
            "left_click, run_script", "raw acting tools");
    refused("{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}},{\"name\":\"fake\",\"inputSchema\":{},"
            "\"annotations\":{\"readOnlyHint\":true},\"_meta\":{\"computer-use/mutates\":true}}]}",
            "fake", "a tool that calls itself read-only and mutates");
    refused("{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}},{\"name\":\"approve_action\","
            "\"inputSchema\":{},"
            "\"annotations\":{\"readOnlyHint\":true}}]}",
            "approve_action", "F18 approve_action on the agent's connection");
    cu_open(&r);
    cu_rule(&r, "tools/list", 0, CU_RESULT,
            "{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}},{\"name\":\"approve_action\","
            "\"inputSchema\":{}},"
            "{\"name\":\"left_click\",\"inputSchema\":{}}]}");
    r.accept[0] = "approve_action";
    r.accept[1] = "left_click";
    r.accept_count = 2;
    tap_ok(!cu_connect(&r), "both are fine when accepted by name");
    cu_close(&r);
}

static void test_connect_failures(void)
{
    struct cu_rig r;
    cu_open(&r);
    cu_rule(&r, "tools/list", 0, CU_NEVER, NULL);
    tap_ok(cu_connect(&r) != IL_OK, "a server that does not answer is not ready");
    uint64_t token = cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 60000);
    tap_ok(token != 0, "what is begun meanwhile waits");
    cu_advance(&r, 31000);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_TIMEOUT, "and ends with the connection");
    cu_close(&r);

    cu_open(&r);
    cu_rule(&r, "resources/read", 0, CU_RPC_ERROR, "no such resource");
    tap_ok(!cu_connect(&r), "a server without manifest is ready, its facts unknown");
    cu_close(&r);

    cu_open(&r);
    cu_rule(&r, "resources/read", 0, CU_RESULT, "{\"contents\":[{\"uri\":\"x\","
            "\"text\":\"{\\\"runtimeApiVersion\\\":9}\"}]}");
    tap_ok(cu_connect(&r) != IL_OK, "a server of another version is refused");
    cu_close(&r);

    cu_open(&r);
    r.session = "another";
    tap_ok(cu_connect(&r) != IL_OK, "a session that answers under another id is refused");
    cu_close(&r);
}

static void test_queued(void)
{
    struct cu_rig r;
    cu_open(&r);
    cu_rule(&r, "tools/list", 0, CU_NEVER, NULL);
    cu_connect(&r);
    uint64_t token = cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 60000);
    cu_late(&r, "tools/list", 1, CU_RESULT, "{\"tools\":[{\"name\":\"preview_action\",\"inputSchema\":{}}]}");
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_OK, "an operation begun before the connection is ready is done then");
    cu_close(&r);
}

/* ---- what is sent ---- */

static void test_preview(void)
{
    struct cu_rig r;
    begin_ready(&r);
    const struct cu_answer *a = cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    tap_ok(a && a->code == IL_OK && cu_has(a->body, "\"later\":{\"unknown\":1}"), "the preview comes back as received");
    const char *m = cu_message(&r, "preview_action", 1);
    tap_ok(cu_has(m, "\"arguments\":{\"session_id\":\"" SESSION "\",\"action_id\":\"" ACTION
                     "\",\"execution_group_id\":\"group-1\",\"agent_id\":\"executor\",\"tool\":\"left_click\","
                     "\"operation\":\"left_click\",\"arguments\":{\"coordinate\":[150,120],\"target_window_id\":7,"
                     "\"note\":null},\"mode\":\"foreground\""),
           "snake_case, one line, null kept inside arguments alone");
    tap_ok(cu_has(m, "\"window_id\":7,\"display_id\":\"1\",\"bounds\":{\"x\":100,\"y\":80,\"width\":800,"
            "\"height\":600},"
                     "\"observation_id\":\"snap-0\""),
           "the target, ids by type");
    tap_ok(cu_has(m, "\"provenance\":{\"untrusted_instruction\":false,\"source_observation_ids\":[\"snap-0\"]}"),
           "the provenance");
    tap_ok(!strstr(m, "slipped-in") && !strstr(m, "certification"), "F21 nothing that the allow-list does not name");
    tap_ok(cu_has(m, "\"expires_in_ms\":300000"), "at most five minutes to live");
    tap_ok(cu_has(m, "\"traceparent\":\"00-0f0e0d0c0b0a49088706050403020100-"), "the trace is the run");
    tap_ok(cu_has(m, "\"interlock/runId\":\"0f0e0d0c-0b0a-4908-8706-050403020100\""), "the run is named");
    cu_close(&r);
}

/* The evidence's time of the ready preview in the place of which another stands. */
static void evidence(const char *to, bool good, const char *what)
{
    struct cu_rig r;
    static const char from[] = "\"capturedAt\":\"2026-11-30T18:00:27.397Z\"";
    char body[9000];
    const char *at = strstr(cu_preview_body, from);
    begin_ready(&r);
    snprintf(body, sizeof body, "%.*s\"capturedAt\":\"%s\"%s", (int)(at - cu_preview_body), cu_preview_body, to,
             at + sizeof from - 1);
    uint64_t token = cu_begin(&r, IL_OP_PREVIEW_ACTION, body, 1000);
    tap_ok((token != 0) == good && (good || r.err.code == IL_INVALID_REQUEST), "F23 %s", what);
    tap_int(cu_calls(&r, "preview_action"), good, "F23 %s: sent or not", what);
    cu_close(&r);
}

static void test_evidence(void)
{
    evidence("2026-11-30T18:00:00Z", true, "evidence of a moment ago");
    evidence("2026-11-30T18:00:57Z", true, "a clock that is a little ahead");
    evidence("2026-11-30T18:01:27Z", false, "evidence from the future");
    evidence("2999-01-01T00:00:00Z", false, "evidence of the year 2999");
    evidence("yesterday", false, "a time that is none");
}

static void test_observe(void)
{
    static const char *const seen =
        "{\"receipt\":{\"receiptId\":\"d2\",\"sessionId\":\"$S\",\"actionId\":\"$A\",\"actionDigest\":\"b\","
        "\"attempt\":1,"
        "\"status\":\"committed\",\"result\":{\"content\":[],\"structuredContent\":{\"observation_id\":\"snap-0\"}}},"
        "\"replay\":false,\"output\":{\"observation_id\":\"snap-0\"}}";
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "execute_action", 0, CU_OK, seen);
    cu_rule(&r, "get_execution_capabilities", 0, CU_OK, "{\"capabilities\":[]}");
    const struct cu_answer *a = cu_do(&r, IL_OP_OBSERVE_VISUAL, cu_preview_body);
    tap_ok(a && a->code == IL_OK && cu_has(a->body, "\"structuredContent\":{\"observation_id\":\"snap-0\"}"),
           "a visual observation gives the whole result");
    const char *m = cu_message(&r, "execute_action", 1);
    tap_ok(cu_has(m, "\"tool\":\"snapshot\",\"mode\":\"shadow\",\"arguments\":{\"use_vision\":true,\"target_app\":"
                     "\"org.example.Editor\"}"),
           "it is a snapshot in shadow");
    tap_ok(!strstr(m, ACTION) && !strstr(m, "lease_id"), "F27 with an id of its own and no lease");
    a = cu_do(&r, IL_OP_OBSERVE_SEMANTIC, cu_preview_body);
    tap_ok(a && a->code == IL_OK && cu_has(cu_message(&r, "execute_action", 2),
                                           "\"tool\":\"get_ui_tree\",\"mode\":\"shadow\","
                                           "\"arguments\":{\"window_id\":7}"),
           "a semantic one reads the tree of the window");
    a = cu_do(&r, IL_OP_OBSERVE_SEMANTIC, "{\"sessionId\":\"" SESSION "\",\"proposal\":{\"sessionId\":\"" SESSION
                                          "\",\"tool\":\"write_clipboard\"}}");
    tap_ok(a && a->code == IL_OK && cu_has(cu_message(&r, "execute_action", 3), "\"arguments\":{\"use_vision\":false}"),
           "without a window it is a snapshot without vision");
    a = cu_do(&r, IL_OP_DISCOVER_CAPABILITIES, cu_preview_body);
    tap_ok(a && a->code == IL_OK && cu_has(cu_message(&r, "get_execution_capabilities", 1),
                                           "\"arguments\":{\"tool\":\"left_click\",\"app_id\":\"org.example.Editor\"}"),
           "capabilities of the tool in the app");
    cu_rule(&r, "execute_action", 0, CU_OK,
            "{\"receipt\":{\"receiptId\":\"d2\",\"sessionId\":\"$S\",\"actionId\":\"$A\",\"actionDigest\":\"b\","
            "\"attempt\":1,\"status\":\"committed\"},\"replay\":false}");
    a = cu_do(&r, IL_OP_OBSERVE_VISUAL, cu_preview_body);
    tap_ok(a && a->code == IL_RUNTIME && cu_has(a->message, "durable receipts"),
           "F8 an observation whose result was left out is an error, not a success");
    cu_rule(&r, "execute_action", 0, CU_OK,
            "{\"receipt\":{\"receiptId\":\"d2\",\"sessionId\":\"$S\",\"actionId\":\"other\",\"actionDigest\":\"b\","
            "\"attempt\":1,\"status\":\"committed\",\"result\":{}},\"replay\":false}");
    a = cu_do(&r, IL_OP_OBSERVE_VISUAL, cu_preview_body);
    tap_ok(a && a->code == IL_RUNTIME, "an observation with the receipt of another is refused");
    cu_close(&r);
}

static void test_reserve(void)
{
    struct cu_rig r;
    char body[4000];
    begin_ready(&r);
    cu_rule(&r, "reserve_target", 0, CU_OK, "{\"reservation\":{\"reservationId\":\"28ea\",\"intentId\":\"$I\"}}");
    snprintf(body, sizeof body, "{\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\",\"envelope\":%s,"
            "\"ttlMs\":30000}",
             cu_envelope);
    const struct cu_answer *a = cu_do(&r, IL_OP_RESERVE_TARGET, body);
    tap_ok(a && a->code == IL_OK, "reserved");
    if (a) tap_str(il__str(a->body), "{\"reservationId\":\"28ea\",\"intentId\":\"" ACTION "\"}",
            "the reservation alone");
    tap_ok(cu_has(cu_message(&r, "reserve_target", 1),
                  "\"arguments\":{\"session_id\":\"" SESSION "\",\"intent_id\":\"" ACTION
                  "\",\"execution_group_id\":\"group-1\",\"agent_id\":\"executor\",\"app_id\":\"org.example.Editor\","
                  "\"window_id\":7,\"ttl_ms\":30000}"),
           "F15 the window by type");
    a = cu_do(&r, IL_OP_RESERVE_TARGET,
              "{\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\",\"envelope\":{\"tool\":\"x\"},\"ttlMs\":1}");
    tap_ok(a && a->code == IL_OK && strcmp(a->body, "null") == 0 && cu_calls(&r, "reserve_target") == 1,
           "without a target nothing is reserved and nothing is asked");
    cu_rule(&r, "release_target_reservation", 0, CU_ERROR,
            "{\"error\":\"reservation_not_active\",\"reservation_id\":\"28ea\"}");
    a = cu_do(&r, IL_OP_RELEASE_TARGET, "{\"sessionId\":\"" SESSION "\",\"reservationId\":\"28ea\"}");
    tap_ok(a && a->code == IL_RUNTIME && strcmp(a->reason, "reservation_not_active") == 0,
           "F16 a reservation that is gone already keeps its code");
    cu_rule(&r, "release_control_lease", 0, CU_ERROR, "{\"error\":\"lease_not_active\",\"lease_id\":\"1\"}");
    a = cu_do(&r, IL_OP_RELEASE_LEASE, "{\"leaseId\":\"1\"}");
    tap_ok(a && a->code == IL_RUNTIME && strcmp(a->reason, "lease_not_active") == 0, "and so does a lease");
    tap_ok(cu_has(cu_message(&r, "release_control_lease", 1), "\"arguments\":{\"lease_id\":\"1\"}"), "which is named");
    cu_close(&r);
}

/* ---- the lease ---- */

static void test_lease(void)
{
    struct cu_rig r;
    begin_ready(&r);
    const struct cu_answer *a = cu_do(&r, IL_OP_ACQUIRE_LEASE, cu_lease_body);
    tap_ok(a && a->code == IL_OK && a->body && strcmp(a->body, cu_lease) == 0, "the lease comes back as received");
    const char *m = cu_message(&r, "acquire_control_lease", 1);
    tap_ok(cu_has(m, "\"kind\":\"cooperative\",\"action_budget\":1,\"ttl_ms\":300000"),
           "F13 cooperative, for one action, for five minutes at most");
    tap_ok(cu_has(m, "\"mode\":\"foreground\",\"app_ids\":[\"org.example.Editor\"],\"window_ids\":[7,\"7\"],"
                     "\"display_ids\":[\"1\"]"),
           "F15 boundaries by type");
    cu_close(&r);
}

static void test_lease_taken(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "acquire_control_lease", 0, CU_NEVER, NULL);
    cu_rule(&r, "acquire_control_lease", 3, CU_OK, "{\"lease\":{\"leaseId\":\"third\"}}");
    uint64_t token = cu_begin(&r, IL_OP_ACQUIRE_LEASE, cu_lease_body, 10000);
    cu_advance(&r, 2500);
    tap_int(cu_calls(&r, "acquire_control_lease"), 2, "F1 after two seconds another try is made");
    tap_int(cu_calls(&r, "notifications/cancelled"), 1, "F3 and the first is cancelled");
    cu_advance(&r, 2500);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_OK && cu_has(a->body, "third"), "the third try is granted");
    cu_late(&r, "acquire_control_lease", 1, CU_OK, "{\"lease\":{\"leaseId\":\"orphan\"}}");
    tap_ok(cu_has(cu_message(&r, "release_control_lease", 1), "\"lease_id\":\"orphan\""),
           "F3 a lease that arrives late is given back at once");

    cu_rule(&r, "acquire_control_lease", 0, CU_NEVER, NULL);
    token = cu_begin(&r, IL_OP_ACQUIRE_LEASE, cu_lease_body, 5000);
    cu_advance(&r, 6000);
    a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_TIMEOUT && strcmp(a->reason, "lease_conflict") == 0, "F1 nobody queues for ever");
    int before = cu_calls(&r, "acquire_control_lease");
    cu_advance(&r, 5000);
    tap_int(cu_calls(&r, "acquire_control_lease"), before, "and no try is made after that");
    cu_close(&r);
}

static void test_lease_given_up(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_rule(&r, "acquire_control_lease", 0, CU_NEVER, NULL);
    uint64_t token = cu_begin(&r, IL_OP_ACQUIRE_LEASE, cu_lease_body, 10000);
    cu_go(&r);
    r.runtime.ops->cancel(r.runtime.self, token);
    cu_go(&r);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_CANCELLED && cu_calls(&r, "notifications/cancelled") == 1,
            "a lease given up is cancelled");
    cu_late(&r, "acquire_control_lease", 1, CU_OK, "{\"lease\":{\"leaseId\":\"orphan\"}}");
    tap_int(cu_calls(&r, "release_control_lease"), 1, "and given back when it comes all the same");
    cu_advance(&r, 70000);
    tap_int(cu_calls(&r, "acquire_control_lease"), 1, "it is not asked for again");

    cu_rule(&r, "reserve_target", 0, CU_NEVER, NULL);
    char body[4000];
    snprintf(body, sizeof body, "{\"sessionId\":\"" SESSION "\",\"actionId\":\"" ACTION "\",\"envelope\":%s,"
            "\"ttlMs\":1}",
             cu_envelope);
    cu_begin(&r, IL_OP_RESERVE_TARGET, body, 1000);
    cu_advance(&r, 1500);
    cu_late(&r, "reserve_target", 1, CU_OK, "{\"reservation\":{\"reservationId\":\"late\",\"sessionId\":\"other\"}}");
    tap_ok(cu_has(cu_message(&r, "release_target_reservation", 1),
                  "\"session_id\":\"" SESSION "\",\"reservation_id\":\"late\""),
           "a late reservation is given back under our own session");
    cu_close(&r);
}

/* ---- execute ---- */

static void test_execute(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    const struct cu_answer *a = cu_do(&r, IL_OP_EXECUTE_ACTION, cu_execute_body);
    tap_ok(a && a->code == IL_OK && strcmp(a->body, cu_receipt) == 0, "the receipt alone comes back, as received");
    const char *m = cu_message(&r, "execute_action", 1), *p = cu_message(&r, "preview_action", 1);
    const char *from = strstr(m, "\"session_id\""), *same = strstr(p, "\"session_id\"");
    size_t len = (size_t)(strstr(same, "\"expires_in_ms\":300000") - same) + 22;
    tap_ok(memcmp(from, same, len) == 0, "what is sent is what was previewed, byte for byte");
    tap_ok(cu_has(m, "\"expires_in_ms\":300000,\"lease_id\":\"1a179ffe\"}"), "with the lease, and no attempt or grant");
    cu_close(&r);
}

static void test_grant(void)
{
    struct cu_rig r;
    char body[9000];
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    snprintf(body, sizeof body, "%.*s\"grant-1\"}", (int)(strlen(cu_execute_body) - 5), cu_execute_body);
    const struct cu_answer *a = cu_do(&r, IL_OP_EXECUTE_ACTION, body);
    tap_ok(a && a->code == IL_OK && cu_has(cu_message(&r, "execute_action", 1), "\"approval_grant_id\":\"grant-1\""),
           "a grant is passed by its id");
    cu_close(&r);
}

static void refuse_execute(const char *from, const char *to, const char *what)
{
    struct cu_rig r;
    char body[9000];
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    const char *envelope = strstr(cu_execute_body, "\"envelope\":"), *at = strstr(envelope, from);
    snprintf(body, sizeof body, "%.*s%s%s", (int)(at - cu_execute_body), cu_execute_body, to, at + strlen(from));
    tap_ok(cu_begin(&r, IL_OP_EXECUTE_ACTION, body, 1000) == 0 && cu_calls(&r, "execute_action") == 0,
           "I11 an envelope with %s is refused, nothing is sent", what);
    tap_ok(r.err.code == IL_IDENTITY_MISMATCH || r.err.code == IL_INVARIANT, "I11 %s: the code", what);
    cu_close(&r);
}

static void test_envelope(void)
{
    struct cu_rig r;
    refuse_execute("\"02e1a134\"", "\"02e1a135\"", "another digest");
    refuse_execute("\"unknown\":1", "\"unknown\":2", "another unknown member");
    refuse_execute("\"windowId\":7", "\"windowId\":\"7\"", "another window id");
    refuse_execute("\"reversible\":true,", "", "a member less");
    refuse_execute("\"reversible\":true,", "\"reversible\":true,\"more\":null,", "a member more");
    begin_ready(&r);
    tap_ok(cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 1000) == 0 && r.err.code == IL_INVARIANT,
           "I11 an envelope that was never previewed is refused");
    tap_ok(!il__computer_use_retain(r.cu, IL_STR(ACTION), il__str(cu_preview), &r.err),
            "a journaled preview is handed over");
    const struct cu_answer *a = cu_do(&r, IL_OP_EXECUTE_ACTION, cu_execute_body);
    tap_ok(a && a->code == IL_OK, "and its execute goes through");
    cu_close(&r);

    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "preview_action", 0, CU_OK, "{\"envelope\":{\"actionId\":\"" ACTION "\"},\"executable\":true}");
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    tap_ok(cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 1000) == 0,
            "F17 after a second, other preview none is good");
    cu_close(&r);
}

static void after_execute(enum cu_how how, const char *text, enum il_code code, const char *reason, const char *what)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "execute_action", 0, how, text);
    const struct cu_answer *a = cu_do(&r, IL_OP_EXECUTE_ACTION, cu_execute_body);
    tap_ok(a && a->code == code && strcmp(a->reason, reason) == 0, "%s", what);
    if (a && (a->code != code || strcmp(a->reason, reason) != 0))
        tap_note("%s %s %s", il_code_name(a->code), a->reason, a->message);
    tap_int(cu_calls(&r, "execute_action"), 1, "%s: sent once", what);
    cu_close(&r);
}

static void test_execute_answers(void)
{
    after_execute(CU_OK, "{\"receipt\":{\"receiptId\":\"x\"},\"replay\":true}", IL_RUNTIME, "replayed",
                  "F21 a replay on a first send is refused");
    after_execute(CU_OK, "{\"receipt\":{\"receiptId\":\"x\"}}", IL_DECODE, "", "an answer without replay is refused");
    after_execute(CU_OK, "{\"output\":{\"receipt\":{}},\"replay\":false}", IL_DECODE, "",
                  "a receipt inside output is none");
    after_execute(CU_ERROR, "{\"error\":\"rejected\",\"receipt\":{\"receiptId\":\"x\"}}", IL_RUNTIME, "rejected",
                  "a stored receipt inside an error is an error on a first send");
    after_execute(CU_ERROR, "{\"error\":\"stale_target\",\"message\":\"m\",\"details\":{}}", IL_RUNTIME, "stale_target",
                  "F5 stale_target is an error, not a refusal before the effect");
    after_execute(CU_ERROR, "{\"error\":\"runtime_error\",\"message\":\"crash after side effect\"}", IL_RUNTIME,
                  "runtime_error", "F5 so is runtime_error");
    after_execute(CU_TEXT_ERROR, "MCP error -32602: Input validation error", IL_RUNTIME, "refused",
                  "F31 an error that is no JSON is an error");
    after_execute(CU_RPC_ERROR, "internal", IL_RUNTIME, "", "a JSON-RPC error is an error");
    after_execute(CU_LOST, NULL, IL_TRANSPORT, "", "a lost answer is lost");
    after_execute(CU_OVER_CAP, NULL, IL_TRANSPORT, "limit_exceeded", "a result over the cap says so");
    after_execute(CU_RESULT,
                  "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"receipt\\\":{\\\"receiptId\\\":\\\"desktop\\\"},"
                  "\\\"replay\\\":false}\"},{\"type\":\"text\",\"text\":\"not the receipt\"}]}",
                  IL_DECODE, "", "F30 text of the desktop is never taken for the receipt");
}

static void test_unsent(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    r.permit_holds = false;
    const struct cu_answer *a = cu_do(&r, IL_OP_EXECUTE_ACTION, cu_execute_body);
    tap_ok(a && a->code == IL_CANCELLED && a->unsent, "a permit that holds no more: said to be unsent,"
            " with its own code");
    r.permit_holds = true;
    cu_rule(&r, "execute_action", 0, CU_UNSENT, NULL);
    a = cu_do(&r, IL_OP_EXECUTE_ACTION, cu_execute_body);
    tap_ok(a && a->code == IL_TRANSPORT && a->unsent, "a connection that was gone before the first byte: unsent");
    cu_close(&r);
}

static void test_late_receipt(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "execute_action", 0, CU_NEVER, NULL);
    uint64_t token = cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 30000);
    cu_go(&r);
    r.runtime.ops->cancel(r.runtime.self, token);
    tap_ok(!cu_answer_of(&r, token) && cu_calls(&r, "notifications/cancelled") == 1,
            "an execute given up is cancelled");
    char late[2000];
    snprintf(late, sizeof late, "{\"receipt\":%s,\"replay\":false}", cu_receipt);
    cu_late(&r, "execute_action", 1, CU_OK, late);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_OK && strcmp(a->body, cu_receipt) == 0, "its late receipt is told");
    cu_close(&r);

    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "execute_action", 0, CU_NEVER, NULL);
    token = cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 30000);
    cu_go(&r);
    r.runtime.ops->cancel(r.runtime.self, token);
    cu_advance(&r, 61000);
    a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_TIMEOUT, "one that never answers is forgotten after a minute");
    cu_close(&r);
}

static void test_controls(void)
{
    struct cu_rig r;
    begin_ready(&r);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_rule(&r, "execute_action", 0, CU_NEVER, NULL);
    cu_rule(&r, "pause_session", 0, CU_OK, "{\"session\":{\"state\":\"paused_by_user\"}}");
    cu_rule(&r, "emergency_stop", 0, CU_OK, "{\"stopped\":true}");
    cu_begin(&r, IL_OP_EXECUTE_ACTION, cu_execute_body, 30000);
    const struct cu_answer *a = cu_do(&r, IL_OP_PAUSE_SESSION,
            "{\"sessionId\":\"" SESSION "\",\"reason\":\"operator\"}");
    tap_ok(a && a->code == IL_OK, "F4 a pause does not queue behind a running execute");
    tap_ok(cu_has(cu_message(&r, "pause_session", 1), "\"arguments\":{\"session_id\":\"" SESSION "\","
            "\"reason\":\"operator\"}"),
           "it names session and reason");
    a = cu_do(&r, IL_OP_EMERGENCY_STOP, "{\"reason\":\"now\"}");
    tap_ok(a && a->code == IL_OK && cu_has(cu_message(&r, "emergency_stop", 1), "\"arguments\":{\"reason\":\"now\"}"),
           "nor does an emergency stop");
    cu_rule(&r, "emergency_stop", 0, CU_OK, "{\"stopped\":false}");
    a = cu_do(&r, IL_OP_EMERGENCY_STOP, "{\"reason\":\"now\"}");
    tap_ok(a && a->code == IL_DECODE, "F12 a stop that does not say that it stopped is none");
    cu_close(&r);
}

/* ---- the connection ---- */

static void test_ping(void)
{
    struct cu_rig r;
    cu_open(&r);
    r.ping_ms = 10000;
    tap_ok(!cu_connect(&r), "ready");
    cu_advance(&r, 9500);
    cu_do(&r, IL_OP_PREVIEW_ACTION, cu_preview_body);
    cu_advance(&r, 9500);
    tap_int(cu_calls(&r, "ping"), 0, "F29 no ping while something else is asked");
    cu_advance(&r, 21000);
    tap_int(cu_calls(&r, "ping"), 3, "F29 one every ten seconds otherwise");
    cu_close(&r);
}

static void test_closed(void)
{
    struct cu_rig r;
    struct il_error gone = IL_ERROR_INIT;
    begin_ready(&r);
    cu_rule(&r, "preview_action", 0, CU_NEVER, NULL);
    uint64_t token = cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 30000);
    cu_go(&r);
    gone.code = IL_TRANSPORT;
    snprintf(gone.message, sizeof gone.message, "the server ended");
    r.sink.lost(r.sink.ctx, r.sent[r.sent_count - 1].id, true, &gone);
    r.sink.closed(r.sink.ctx, &gone);
    cu_go(&r);
    const struct cu_answer *a = cu_answer_of(&r, token);
    tap_ok(a && a->code == IL_TRANSPORT, "what was in flight is lost with the connection");
    tap_ok(cu_begin(&r, IL_OP_PREVIEW_ACTION, cu_preview_body, 1000) == 0 && r.err.code == IL_TRANSPORT,
           "and nothing is begun any more");
    tap_str(il__str(il__computer_use_state(r.cu)), "closed", "the state");
    cu_close(&r);
}

int main(void)
{
    test_connect();
    test_tools();
    test_connect_failures();
    test_queued();
    test_preview();
    test_evidence();
    test_observe();
    test_reserve();
    test_lease();
    test_lease_taken();
    test_lease_given_up();
    test_execute();
    test_grant();
    test_envelope();
    test_execute_answers();
    test_unsent();
    test_late_receipt();
    test_controls();
    test_ping();
    test_closed();
    return tap_done();
}
