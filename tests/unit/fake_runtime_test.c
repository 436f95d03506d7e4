/* The simulated runtime (lua/interlock/fake.lua): it behaves like a well-behaved server, and fails only on request. */
#include "check/args_digest.h"
#include "check/bind.h"
#include "fake_driver.h"

#define COMMON                                                                                                         \
    "\"runId\":\"run-1\",\"sessionId\":\"session-1\",\"principalId\":\"local-operator\",\"actionId\":\"action-1\""
#define TARGET                                                                                                         \
    ",\"target\":{\"platform\":\"linux\",\"appId\":\"app\",\"windowId\":7,\"observationId\":\"o\",\"confidence\":1,"   \
    "\"capturedAt\":\"2026-11-30T18:00:00Z\"}"

static char body[4000];

/* {COMMON, proposal: {...}, MORE} for a tool, its arguments and further members of the proposal. */
static const char *proposing(const char *tool, const char *arguments, const char *mode, const char *proposal,
                             const char *more)
{
    snprintf(body, sizeof body,
             "{" COMMON ",\"proposal\":{\"actionId\":\"action-1\",\"sessionId\":\"session-1\",\"tool\":\"%s\","
             "\"operation\":\"%s\",\"arguments\":%s,\"mode\":\"%s\",\"expiresInMs\":300000%s}%s}",
             strchr(tool, '.') ? "filesystem" : tool, tool, arguments, mode, proposal, more);
    return body;
}

static const char *preview(const char *tool, const char *arguments, const char *mode, const char *proposal)
{
    return driver_call(IL_OP_PREVIEW_ACTION, proposing(tool, arguments, mode, proposal, ""));
}

static void open_fake(const char *options)
{
    if (driver_open("simulated", NULL, options)) {
        printf("Bail out! %s\n", driver.last.message);
        exit(1);
    }
}

static const char *inspect(void)
{
    static char text[8000];
    struct il__buf buf;
    il__buf_init(&buf, &fake.mem, 0);
    if (il__lua_runtime_inspect(driver.runtime.self, &buf, &driver.last)) exit(1);
    snprintf(text, sizeof text, "%.*s", IL_STR_FMT(il__buf_get(&buf)));
    il__buf_clear(&buf);
    return text;
}

/* The text member `name` of the last answer. */
static const char *member(const char *answer, const char *name, char *out, size_t cap)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(answer, key);
    out[0] = '\0';
    if (!at) return out;
    at += strlen(key);
    size_t len = strcspn(at, "\"");
    snprintf(out, cap, "%.*s", (int)len, at);
    return out;
}

static const struct {
    const char *options, *tool, *arguments, *mode, *proposal, *has;
} previews[] = {
    { NULL, "write_clipboard", "{\"text\":\"hi\"}", "background", "", "\"actionClass\":\"edit_reversible\"" },
    { NULL, "write_clipboard", "{\"text\":\"hi\"}", "background", "", "\"executable\":true" },
    { NULL, "write_clipboard", "{\"text\":\"hi\"}", "background", "", "\"dataLabels\":[\"unknown\"]" },
    { NULL, "write_clipboard", "{\"text\":\"hi\"}", "shadow", "", "\"blocker\":\"shadow_mutation\"" },
    { NULL, "snapshot", "{}", "shadow", "", "\"executable\":true" },
    { NULL, "left_click", "{}", "background", TARGET, "\"blocker\":\"foreground_required\"" },
    { NULL, "left_click", "{}", "foreground", "", "\"blocker\":\"target_evidence_required\"" },
    { NULL, "left_click", "{}", "foreground", TARGET, "\"executable\":true" },
    { NULL, "notification", "{}", "background", "", "\"blocker\":\"approval_required\"" },
    { NULL, "notification", "{}", "background", "", "\"decision\":\"confirm\"" },
    { NULL, "filesystem.delete", "{\"path\":\"/a\"}", "background", "", "\"actionClass\":\"destructive\"" },
    { NULL, "filesystem.write", "{\"path\":\"/a\"}", "background", "", "\"filesystemPath\":\"/a\"" },
    { NULL, "run_script", "{}", "background", "", "\"actionClass\":\"privilege_change\"" },
    { NULL, "set_value", "{\"label\":\"Password\"}", "foreground", TARGET, "\"actionClass\":\"secret_access\"" },
    { NULL, "set_value", "{\"label\":\"Street\"}", "foreground", TARGET, "\"actionClass\":\"edit_reversible\"" },
    { NULL, "write_clipboard", "{}", "background", ",\"dataLabels\":[\"payment\"]", "\"decision\":\"confirm\"" },
    { NULL, "run_script", "{}", "background",
      ",\"provenance\":{\"untrustedInstruction\":true,\"sourceObservationIds\":[]}", "\"blocker\":\"policy_denied\"" },
    { "{\"policy\":\"confirm\"}", "write_clipboard", "{}", "background", "", "\"blocker\":\"approval_required\"" },
    { "{\"policy\":\"deny\"}", "write_clipboard", "{}", "background", "", "\"blocker\":\"policy_denied\"" },
    { "{\"policy\":\"allow\"}", "notification", "{}", "background", "", "\"executable\":true" },
    { NULL, "write_clipboard", "{}", "background", "", "\"expiresAt\":\"2026-11-30T18:05:00.000Z\"" },
    { "{\"envelope\":{\"expires_in\":\"30s\"}}", "write_clipboard", "{}", "background", "",
      "\"expiresAt\":\"2026-11-30T18:00:30.000Z\"" },
    { "{\"envelope\":{\"tool\":\"other\"}}", "write_clipboard", "{}", "background", "", "\"tool\":\"other\"" },
    { "{\"principal\":\"mallory\"}", "write_clipboard", "{}", "background", "", "\"principalId\":\"mallory\"" },
    { "{\"tools\":{\"pay\":{\"class\":\"financial\"}}}", "pay", "{}", "background", "",
      "\"actionClass\":\"financial\"" },
    { NULL, "frobnicate", "{}", "background", "", "runtime unknown_tool there is no tool frobnicate" },
    { "{\"sessions\":{\"session-1\":\"paused_by_user\"}}", "snapshot", "{}", "shadow", "",
      "runtime session_not_running session cannot execute while paused_by_user" },
};

static void test_previews(void)
{
    for (size_t i = 0; i < sizeof previews / sizeof previews[0]; i++) {
        open_fake(previews[i].options);
        const char *got = preview(previews[i].tool, previews[i].arguments, previews[i].mode, previews[i].proposal);
        tap_ok(fake_contains(got, previews[i].has), "%s %s %s: %s", previews[i].options ? previews[i].options : "",
               previews[i].tool, previews[i].mode, previews[i].has);
    }
    /* What it answers passes our own decoder and has the digest that we compute ourselves. */
    open_fake(NULL);
    struct il__json doc = { 0 }, args = { 0 };
    struct il__preview decoded;
    char hex[IL__SHA256_HEX];
    const char *got = preview("write_clipboard", "{\"text\":\"hi\"}", "background", TARGET);
    enum il_code code = il__decode_text(&il__preview_schema, &fake.mem, il__str(got), &doc, &decoded, &driver.last);
    tap_int(code, IL_OK, "a preview decodes (%s)", driver.last.message);
    if (il__json_parse(&args, &fake.mem, IL_STR("{\"text\":\"hi\"}"), IL__JSON_CONTRACT, &driver.last)) exit(1);
    code = il__args_digest(fake.digest, &fake.mem, &doc, decoded.envelope_raw.at, (struct il__any){ &args, 0 }, hex,
                           &driver.last);
    tap_int(code, IL_OK, "its digest can be computed");
    tap_str(decoded.envelope->args_digest, hex, "and is the right one");
    il__json_clear(&doc);
    il__json_clear(&args);
    got = preview("write_clipboard", "{\"Text\":\"hi\"}", "background", "");
    tap_ok(strlen(member(got, "argsDigest", hex, sizeof hex)) == 64,
           "where the rule cannot be computed there is a digest too");
}

#define LEASE_TERMS                                                                                                    \
    ",\"envelope\":{\"executionGroupId\":null" TARGET "},\"actionBudget\":1,\"kind\":\"cooperative\",\"mode\":"        \
    "\"background\",\"ttlMs\":30000,\"appIds\":[\"app\"],\"windowIds\":[7]"

static void test_holding(void)
{
    char id[80], text[300], other[80];
    open_fake(NULL);
    tap_str(il__str(driver_call(IL_OP_RESERVE_TARGET, "{" COMMON ",\"envelope\":{},\"ttlMs\":30000}")), "null",
            "without a target there is no reservation");
    const char *reserve = "{" COMMON ",\"envelope\":{\"tool\":\"x\"" TARGET "},\"ttlMs\":30000}";
    const char *got = driver_call(IL_OP_RESERVE_TARGET, reserve);
    tap_ok(fake_contains(got, "\"scope\":{\"appId\":\"app\",\"windowId\":7}") &&
               fake_contains(got, "\"intentId\":\"action-1\""),
           "a reservation");
    member(got, "reservationId", id, sizeof id);
    member(driver_call(IL_OP_RESERVE_TARGET, reserve), "reservationId", other, sizeof other);
    tap_str(il__str(other), id, "the same intent gets the same one");
    const char *rival = "{\"sessionId\":\"session-2\",\"principalId\":\"p\",\"actionId\":\"action-2\",\"envelope\":{"
                        "\"tool\":\"x\"" TARGET "},\"ttlMs\":30000}";
    tap_ok(fake_contains(driver_call(IL_OP_RESERVE_TARGET, rival), "runtime target_conflict"),
           "another intent does not");
    snprintf(text, sizeof text, "{" COMMON ",\"reservationId\":\"%s\"}", id);
    tap_ok(fake_contains(driver_call(IL_OP_RELEASE_TARGET, text), "\"state\":\"released\""), "it is released");
    tap_ok(fake_contains(driver_call(IL_OP_RELEASE_TARGET, text), "runtime reservation_not_active"), "once");
    got = driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}");
    tap_ok(fake_contains(got, "\"actionBudget\":1") && fake_contains(got, "\"windowIds\":[7]"), "a lease");
    member(got, "leaseId", id, sizeof id);
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}"), "runtime lease_conflict"),
           "one at a time");
    tap_ok(fake_contains(inspect(), "\"held_leases\":1,\"held_reservations\":0"), "inspect counts what is held");
    driver_advance(31000);
    tap_ok(fake_contains(inspect(), "\"held_leases\":0"), "a lease ends by time");
    snprintf(text, sizeof text, "{" COMMON ",\"leaseId\":\"%s\"}", id);
    tap_ok(fake_contains(driver_call(IL_OP_RELEASE_LEASE, text), "runtime lease_not_active"), "and is then not active");
    member(driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}"), "leaseId", id, sizeof id);
    snprintf(text, sizeof text, "{" COMMON ",\"leaseId\":\"%s\"}", id);
    tap_ok(fake_contains(driver_call(IL_OP_RELEASE_LEASE, text), "\"state\":\"released\""), "a lease is released");
    tap_ok(fake_contains(inspect(), "\"lease_releases\":1,\"leases\":2"), "and all is counted");
    fake.time.wall_sec = 1796061600;
}

/* Acquires a lease and executes with it. */
static const char *execute(const char *tool, const char *arguments, const char *proposal, const char *more)
{
    char id[80], tail[400];
    member(driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}"), "leaseId", id, sizeof id);
    snprintf(tail, sizeof tail, ",\"lease\":{\"leaseId\":\"%s\"},\"attempt\":1%s", id, more);
    return driver_call(IL_OP_EXECUTE_ACTION, proposing(tool, arguments, "background", proposal, tail));
}

static void test_execute(void)
{
    open_fake(NULL);
    tap_str(il__str(driver_call(IL_OP_RECOVER, "{" COMMON "}")), "\"not_started\"", "nothing was begun");
    tap_ok(fake_contains(driver_call(IL_OP_EXECUTE_ACTION, proposing("write_clipboard", "{}", "background", "", "")),
                         "runtime lease_conflict"), "no mutation without a lease");
    tap_ok(fake_contains(driver_call(IL_OP_RECOVER, "{" COMMON "}"), "\"status\":\"rejected\""),
           "which the receipt proves");
    open_fake(NULL);
    const char *got = execute("write_clipboard", "{\"text\":\"hi\"}", "", "");
    tap_ok(fake_contains(got, "\"status\":\"committed\"") && fake_contains(got, "\"result\":{\"ok\":true}"),
           "a receipt");
    tap_ok(fake_contains(inspect(), "\"clipboard\":\"hi\"") && fake_contains(inspect(), "\"effects\":1"), "one effect");
    char first[80], second[80];
    member(got, "receiptId", first, sizeof first);
    got = driver_call(IL_OP_EXECUTE_ACTION, proposing("write_clipboard", "{\"text\":\"hi\"}", "background", "", ""));
    member(got, "receiptId", second, sizeof second);
    tap_str(il__str(second), first, "the same action again replays its receipt");
    tap_ok(fake_contains(inspect(), "\"effects\":1"), "without a second effect");
    got = driver_call(IL_OP_EXECUTE_ACTION, proposing("write_clipboard", "{\"text\":\"no\"}", "background", "", ""));
    tap_ok(fake_contains(got, "runtime action_id_conflict"), "another action of that id is refused");
    tap_ok(fake_contains(driver_call(IL_OP_RECOVER, "{" COMMON "}"), first), "recover finds the receipt");
    open_fake("{\"grants\":[\"grant-1\"],\"runtime_held\":false}");
    tap_ok(fake_contains(execute("notification", "{}", "", ""), "runtime approval_required"),
           "what needs approval is refused");
    open_fake("{\"grants\":[\"grant-1\"]}");
    tap_ok(fake_contains(execute("notification", "{}", "", ",\"grantId\":\"grant-2\""), "approval_required"),
           "a wrong grant too");
    open_fake("{\"grants\":[\"grant-1\"]}");
    tap_ok(fake_contains(execute("notification", "{}", "", ",\"grantId\":\"grant-1\""), "committed"),
           "the right one is taken");
    open_fake("{\"policy\":\"deny\"}");
    tap_ok(fake_contains(execute("write_clipboard", "{}", "", ""), "runtime policy_denied"),
           "what is denied is not done");
}

static const struct {
    const char *tool, *arguments, *postcondition, *evidence;
} verified[] = {
    { "filesystem.write", "{\"path\":\"/a\",\"content\":\"abc\"}",
      "{\"kind\":\"filesystem\",\"path\":\"/a\",\"exists\":true}",
      "{\"method\":\"postcondition.filesystem\",\"satisfied\":true}" },
    { "filesystem.write", "{\"path\":\"/a\",\"content\":\"abc\"}",
      "{\"kind\":\"filesystem\",\"path\":\"/b\",\"exists\":true}", "\"satisfied\":false" },
    { "filesystem.write", "{\"path\":\"/a\",\"content\":\"abc\"}",
      "{\"kind\":\"filesystem\",\"path\":\"/a\",\"exists\":true,\"contentDigest\":"
      "\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}",
      "\"observedDigest\":\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\",\"satisfied\":"
      "true" },
    { "filesystem.delete", "{\"path\":\"/home/me/report.txt\"}",
      "{\"kind\":\"filesystem\",\"path\":\"/home/me/report.txt\",\"exists\":false}", "\"satisfied\":true" },
    { "process_kill", "{\"pid\":4242}", "{\"kind\":\"process\",\"pid\":4242,\"running\":false}", "\"satisfied\":true" },
    { "write_clipboard", "{}", "{\"kind\":\"process\",\"pid\":4242,\"running\":false}", "\"satisfied\":false" },
    { "close_window", "{\"window_id\":7}", "{\"kind\":\"window\",\"windowId\":7,\"exists\":false}",
      "\"satisfied\":true" },
    { "write_clipboard", "{}", "{\"kind\":\"ui_element\",\"label\":\"Save\",\"exists\":true}", "\"satisfied\":true" },
    { "registry.set", "{\"path\":\"HKCU\",\"name\":\"n\",\"value\":\"v\"}",
      "{\"kind\":\"registry\",\"path\":\"HKCU\",\"name\":\"n\",\"exists\":true}", "\"satisfied\":true" },
};

static void test_verify(void)
{
    for (size_t i = 0; i < sizeof verified / sizeof verified[0]; i++) {
        char text[600];
        open_fake("{\"policy\":\"allow\"}");
        (void)execute(verified[i].tool, verified[i].arguments, "", "");
        snprintf(text, sizeof text, "{" COMMON ",\"receipt\":{},\"postcondition\":%s}", verified[i].postcondition);
        tap_ok(fake_contains(driver_call(IL_OP_VERIFY, text), verified[i].evidence), "%s, then %s", verified[i].tool,
               verified[i].postcondition);
    }
    tap_str(il__str(driver_call(IL_OP_VERIFY, "{" COMMON ",\"receipt\":{}}")), "null", "no postcondition, no evidence");
    open_fake("{\"verify\":false}");
    tap_str(il__str(driver_call(IL_OP_VERIFY,
                                "{" COMMON ",\"postcondition\":{\"kind\":\"window\",\"windowId\":7,\"exists\":true}}")),
            "null", "a server that gives no evidence");
    open_fake("{\"receipt_evidence\":true}");
    const char *got =
        execute("write_clipboard", "{}", ",\"postcondition\":{\"kind\":\"window\",\"windowId\":7,\"exists\":true}", "");
    tap_ok(fake_contains(got, "\"verification\":{\"method\":\"postcondition.window\",\"satisfied\":true}"),
           "or puts it in the receipt");
}

static void test_control(void)
{
    open_fake(NULL);
    (void)driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}");
    tap_ok(fake_contains(driver_call(IL_OP_PAUSE_SESSION, "{\"sessionId\":\"session-1\"}"), "paused_by_user"), "pause");
    tap_ok(fake_contains(inspect(), "\"held_leases\":0"), "revokes the lease");
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}"), "session_not_running"),
           "and gives none");
    tap_ok(fake_contains(driver_call(IL_OP_STOP_SESSION, "{\"sessionId\":\"session-1\"}"), "stopped"), "stop");
    tap_ok(fake_contains(driver_call(IL_OP_PAUSE_SESSION, "{\"sessionId\":\"session-1\"}"), "runtime_error"),
           "is final");
    open_fake(NULL);
    tap_str(il__str(driver_call(IL_OP_EMERGENCY_STOP, "{}")), "{\"stopped\":true}", "emergency stop");
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, "{" COMMON LEASE_TERMS "}"), "runtime interrupted"),
           "stops everybody");
    tap_ok(fake_contains(driver_call(IL_OP_DISCOVER_CAPABILITIES, "{" COMMON "}"), "\"write_clipboard\""),
           "capabilities");
    tap_ok(fake_contains(driver_call(IL_OP_OBSERVE_VISUAL, "{" COMMON "}"), "\"frontmostWindowId\":7"), "visual");
    tap_ok(fake_contains(driver_call(IL_OP_OBSERVE_SEMANTIC, "{" COMMON "}"), "\"label\":\"Save\""), "semantic");
}

static void with_fault(const char *fault)
{
    char text[900];
    snprintf(text, sizeof text, "{\"faults\":[%s]}", fault);
    open_fake(text);
}

static void test_faults(void)
{
    const char *lease = "{" COMMON LEASE_TERMS "}";
    with_fault("{\"op\":\"acquire_lease\",\"nth\":2,\"set\":{\"/sessionId\":\"other\",\"/boundaries/appIds/"
               "0\":\"x\"},\"remove\":[\"/kind\"]}");
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, lease), "\"sessionId\":\"session-1\""),
           "the first call is well");
    driver_advance(60000);
    const char *got = driver_call(IL_OP_ACQUIRE_LEASE, lease);
    tap_ok(fake_contains(got, "\"sessionId\":\"other\"") && fake_contains(got, "\"appIds\":[\"x\"]") &&
               !strstr(got, "\"kind\""),
           "members of the second answer are changed");
    tap_ok(fake_contains(inspect(), "\"held_leases\":1"), "not what the runtime holds");
    with_fault("{\"op\":\"execute_action\",\"lose\":\"before\"}");
    tap_str(il__str(execute("write_clipboard", "{}", "", "")), "", "lost before");
    tap_ok(fake_contains(inspect(), "\"effects\":0"), "nothing is done");
    tap_str(il__str(driver_call(IL_OP_RECOVER, "{" COMMON "}")), "\"not_started\"", "and recover says so");
    with_fault("{\"op\":\"execute_action\",\"lose\":\"after\"}");
    tap_str(il__str(execute("write_clipboard", "{}", "", "")), "", "lost after");
    tap_ok(fake_contains(inspect(), "\"effects\":1"), "it is done");
    tap_ok(fake_contains(driver_call(IL_OP_RECOVER, "{" COMMON "}"), "committed"), "and recover says so");
    with_fault("{\"op\":\"execute_action\",\"crash\":\"after\"}");
    tap_ok(fake_contains(execute("write_clipboard", "{}", "", ""), "transport "), "a crash after the effect");
    with_fault("{\"op\":\"acquire_lease\",\"fail\":{\"code\":\"runtime\",\"reason\":\"lease_conflict\"}}");
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, lease), "runtime lease_conflict"), "an error by name");
    tap_ok(fake_contains(inspect(), "\"leases\":0"), "before anything is done");
    with_fault("{\"op\":\"acquire_lease\",\"fail\":{\"reason\":\"x\"},\"when\":\"after\"}");
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, lease), "runtime x"), "or after it");
    tap_ok(fake_contains(inspect(), "\"leases\":1"), "was done");
    with_fault("{\"op\":\"acquire_lease\",\"fail\":{\"code\":\"transport\"}}");
    tap_ok(fake_contains(driver_call(IL_OP_ACQUIRE_LEASE, lease), "transport"), "a transport that fails");
    with_fault("{\"op\":\"preview_action\",\"raw\":\"{\\\"envelope\\\":\"}");
    tap_str(il__str(preview("write_clipboard", "{}", "background", "")), "{\"envelope\":", "bytes that do not decode");
    with_fault("{\"op\":\"preview_action\",\"late\":\"5s\",\"twice\":true}");
    tap_str(il__str(preview("write_clipboard", "{}", "background", "")), "", "a late answer");
    driver_advance(5000);
    (void)driver_tick();
    tap_int((long long)driver.count, 2, "that comes twice");
    open_fake("{\"latency\":{\"verify\":\"2s\"}}");
    tap_str(il__str(driver_call(IL_OP_VERIFY, "{" COMMON "}")), "", "latency of one operation");
    tap_ok(driver_call(IL_OP_RECOVER, "{" COMMON "}")[0] != '\0', "and not of another");
    with_fault("{\"op\":\"reserve_target\",\"set\":{\"\":{\"reservationId\":\"forged\"}}}");
    tap_str(il__str(driver_call(IL_OP_RESERVE_TARGET, "{" COMMON ",\"envelope\":{}}")),
            "{\"reservationId\":\"forged\"}", "a whole answer in place of nil");
    fake.time.wall_sec = 1796061600;
}

static const struct { const char *options, *message; } wrong[] = {
    { "{\"polcy\":\"allow\"}", "the simulated runtime has no \"polcy\"; there are: envelope, faults, grants, latency" },
    { "{\"policy\":\"maybe\"}", "policy must be \"class\" or \"allow\" or \"confirm\" or \"deny\"" },
    { "{\"policy\":1}", "the simulated runtime: policy must be a string, not a number" },
    { "{\"lease\":{\"expires\":\"1s\"}}", "lease has no \"expires\"; there are: expires_in, kind" },
    { "{\"world\":{\"file\":{}}}", "world has no \"file\"" },
    { "{\"faults\":[{\"nth\":1}]}", "a fault needs op, the name of an operation" },
    { "{\"faults\":[{\"op\":\"execute\"}]}", "a fault names the operation \"execute\", which there is not" },
    { "{\"faults\":[{\"op\":\"verify\",\"lose\":\"never\"}]}", "lose of a fault must be \"before\" or \"after\"" },
    { "{\"faults\":[{\"op\":\"verify\",\"set\":{\"x\":1}}]}", "a JSON pointer begins with /: x" },
    { "{\"faults\":[{\"op\":\"verify\",\"nth\":0}]}", "nth of a fault counts from 1" },
};

static void test_options(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tap_int(driver_open("simulated", NULL, wrong[i].options), IL_SCRIPT_ERROR, "refused: %s", wrong[i].options);
        tap_ok(fake_contains(driver.last.message, wrong[i].message), "it says: %s", wrong[i].message);
    }
}

/* A host lives long: what the runtime keeps of finished actions is bounded. */
static void test_long_life(void)
{
    bool ok = true;
    open_fake(NULL);
    for (int i = 0; i < 1500 && ok; i++) {
        char text[1500], id[80];
        snprintf(text, sizeof text,
                 "{\"sessionId\":\"session-1\",\"principalId\":\"p\",\"actionId\":\"action-%d\",\"mode\":"
                 "\"background\",\"actionBudget\":1}",
                 i);
        member(driver_call(IL_OP_ACQUIRE_LEASE, text), "leaseId", id, sizeof id);
        snprintf(text, sizeof text,
                 "{\"sessionId\":\"session-1\",\"principalId\":\"p\",\"actionId\":\"action-%d\",\"proposal\":{"
                 "\"actionId\":\"action-%d\",\"sessionId\":\"session-1\",\"tool\":\"notification\",\"operation\":"
                 "\"notification\","
                 "\"arguments\":{},\"mode\":\"background\"},\"lease\":{\"leaseId\":\"%s\"}}",
                 i, i, id);
        ok = strstr(driver_call(IL_OP_EXECUTE_ACTION, text), "committed") != NULL;
        snprintf(text, sizeof text, "{\"sessionId\":\"session-1\",\"leaseId\":\"%s\"}", id);
        ok = ok && strstr(driver_call(IL_OP_RELEASE_LEASE, text), "released");
    }
    tap_ok(ok, "fifteen hundred actions");
    tap_str(il__str(driver_call(IL_OP_RECOVER, "{\"sessionId\":\"session-1\",\"actionId\":\"action-0\"}")),
            "\"unknown\"", "a receipt that was forgotten is unknown, not \"not_started\"");
    tap_ok(fake_contains(inspect(), "\"effects\":1500"), "all are counted");
}

int main(void)
{
    fake_start();
    test_previews();
    test_holding();
    test_execute();
    test_verify();
    test_control();
    test_faults();
    test_options();
    test_long_life();
    driver_close();
    tap_ok(fake_end(), "all memory is given back");
    return tap_done();
}
