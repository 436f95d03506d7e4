/* Policies without a host: how cases are read and completed, what comes of them phase by phase, what is compared, what
 * a trace and coverage hold, and test files with their mistakes. Through the public interface alone. */
#include "include/interlock.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static il_policy *policy;
static struct il_error err;
static char last[200000]; /* the text that was handed out last */

static struct il_str str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

static const char keep[] = "local policy = require 'interlock.policy'\n";

/* A handle with one bundle "b" of one policy "p" at that level, whose file has this text behind the first line. */
static bool open_with(const char *level, const char *params, const char *source)
{
    static char json[2000], file[20000];
    struct il_policy_options options = IL_POLICY_OPTIONS_INIT;
    il_policy_free(policy);
    policy = NULL;
    snprintf(json, sizeof json, "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
             "\"level\":\"%s\",\"params\":%s}],\"files\":[\"lib/words.lua\"]}", level, params ? params : "{}");
    snprintf(file, sizeof file, "%s%s", keep, source);
    const struct il_file files[] = { { str("bundle.json"), str(json) }, { str("p.lua"), str(file) },
                                     { str("lib/words.lua"), str("return { tool = 'mail' }\n") } };
    err = (struct il_error)IL_ERROR_INIT;
    if (il_policy_new(&options, &policy, &err) == IL_OK &&
        il_policy_add(policy, files, 3, (struct il_str){ NULL, 0 }, &err) == IL_OK)
        return true;
    tap_note("%s", err.message);
    return false;
}

/* The same, with the body of the function of one phase. */
static bool open_phase(const char *level, const char *phase, const char *body)
{
    char source[8000];
    snprintf(source, sizeof source, "return policy { name = 'p', %s = function(action, ctx)\n%s\nend }\n", phase, body);
    return open_with(level, NULL, source);
}

static enum il_code eval(const char *json, unsigned flags)
{
    struct il_str out;
    err = (struct il_error)IL_ERROR_INIT;
    enum il_code code = il_policy_eval(policy, str(json), flags, &out, &err);
    snprintf(last, sizeof last, "%.*s", code ? 0 : (int)out.len, code ? "" : out.ptr);
    return code;
}

static bool has(const char *part)
{
    if (strstr(last, part)) return true;
    tap_note("got: %.2000s", last[0] ? last : err.message);
    tap_note("without: %s", part);
    return false;
}

static void gives(const char *json, const char *part, const char *what)
{
    tap_ok(eval(json, 0) == IL_OK && has(part), "%s", what);
}

static void refuses(const char *json, const char *field, const char *message)
{
    tap_ok(eval(json, 0) == IL_DECODE, "refused: %s", json);
    tap_ok(strcmp(err.field, field) == 0 && strstr(err.message, message), "at %s: %s", field, message);
    if (!strstr(err.message, message) || strcmp(err.field, field) != 0) tap_note("%s: %s", err.field, err.message);
}

/* ---- cases ---- */

static void test_reading(void)
{
    open_phase("hard", "preview", "assert(action.tool == 'mail')");
    gives("{\"tool\":\"mail\"}", "\"said\":\"none\"", "an action alone is a case");
    gives("{\"action\":{\"tool\":\"mail\"}}", "\"verdict\":\"none\"", "a case of little");
    refuses("{\"action\":{\"tol\":\"mail\"}}", "/action/tol", "did you mean \"tool\"?");
    refuses("{\"acton\":{\"tool\":\"mail\"}}", "/acton", "did you mean \"action\"?");
    refuses("{\"action\":{\"tool\":\"mail\",\"target\":{\"ap_id\":\"x\"}}}", "/action/target/ap_id",
            "did you mean \"app_id\"?");
    refuses("{\"action\":{\"tool\":\"mail\",\"action_class\":\"observe\",\"actionClass\":\"observe\"}}",
            "/action/actionClass", "twice, by both its names");
    refuses("{\"action\":{\"tool\":\"mail\",\"actionClass\":\"obserf\"}}", "/action/actionClass", "observe");
    refuses("{\"action\":{\"tool\":\"mail\",\"target\":{\"confidence\":2}}}", "/action/target/confidence", "0 to 1");
    refuses("{\"name\":\"x\"}", "/action", "a case has an action");
    refuses("{\"action\":\"mail\"}", "/action", "an action is an object");
    refuses("[]", "", "a case is an object");
    refuses("{\"action\":{\"tool\":\"mail\"},\"at\":\"noon\"}", "/at", "");
    refuses("{\"action\":{\"tool\":\"mail\"},\"expect\":\"allow\"}", "/expect", "one of none, ask, deny and error");
    refuses("{\"action\":{\"tool\":\"mail\"},\"expect\":{\"approver\":2}}", "/expect/approver",
            "did you mean \"approvers\"?");
    refuses("{\"action\":{\"tool\":\"mail\"},\"history\":[{\"outcome\":\"verified\",\"ago\":\"soon\"}]}",
            "/history/0/ago", "a time such as");
    refuses("{\"action\":{\"tool\":\"mail\"},\"history\":[{}]}", "/history/0/outcome", "verified");
    tap_int(eval("{\"action\":{\"tool\":\"mail\",\"tol\":1,\"target\":{\"appId\":\"x\",\"more\":1}}}",
                 IL_POLICY_RECORDED), IL_OK, "of a recorded run what is not known is left out");
    tap_int(eval("{\"action\":{\"tool\":\"mail\"},\"params\":{\"x\":1}}", 0), IL_INVALID_REQUEST, "no such parameter");
    tap_ok(strstr(err.message, "no such parameter") != NULL, "is said");
}

static void test_defaults(void)
{
    open_phase("hard", "preview",
               "assert(action.action_class == 'edit_reversible' and action.reversible and not "
               "action.external_side_effect)\nassert(action.mode == 'background' and #action.data_labels == 0)\n"
               "assert(ctx.time.weekday == 'monday' and ctx.time.hour == 12 and ctx.route == 'allowed')\n"
               "assert(ctx.session_id == 'session-1' and ctx.principal == 'principal-1' and ctx.agent == nil)\n"
               "assert(ctx.run_id == 'run-1' and ctx.policy.decision == 'allow' and ctx.capability.confidence == 1)");
    gives("{\"tool\":\"mail\"}", "\"said\":\"none\"", "what stands for what is left out");
    open_phase("hard", "preview",
               "assert(action.target.app_id == 'a' and action.target.confidence == 1)\n"
               "assert(action.target_sensitivity.assessment == 'unknown' and action.provenance.untrusted_instruction)\n"
               "assert(ctx.route == 'blocked' and ctx.reason == 'because' and ctx.policy.decision == 'deny')\n"
               "assert(ctx.agent == 'bot' and ctx.time.hour == 3 and ctx.params)");
    gives("{\"action\":{\"tool\":\"mail\",\"target\":{\"app_id\":\"a\"},\"target_sensitivity\":{\"assessment\":"
          "\"unknown\"},\"provenance\":{\"untrusted_instruction\":true}},\"route\":\"blocked\",\"reason\":\"because\","
          "\"agent\":\"bot\",\"at\":\"2026-03-01T03:00:00Z\"}", "\"said\":\"none\"", "what is given stands, by either "
                                        "name");
    open_phase("hard", "execute", "assert(ctx.lease.action_budget == 3 and ctx.lease.kind == 'exclusive')");
    gives("{\"action\":{\"tool\":\"mail\"},\"lease\":{\"action_budget\":3,\"kind\":\"exclusive\"}}",
          "\"said\":\"none\"", "the lease of the execute phase");
    open_phase("hard", "approve", "if ctx.decision.reason ~= 'fine' then return policy.deny('say why') end\n"
                                  "assert(ctx.decision.approver == 'ann' and ctx.decision.roles[1] == 'lead')");
    gives("{\"action\":{\"tool\":\"mail\"},\"decision\":{\"approver\":\"ann\",\"roles\":[\"lead\"],\"reason\":"
          "\"fine\"}}",
          "\"phase\":\"approve\",\"policy\":\"b/p\"", "a decision is judged when there is one");
    gives("{\"action\":{\"tool\":\"mail\"},\"phase\":\"approve\"}", "\"reason\":\"say why\"", "or asked for");
    open_phase("hard", "approve", "assert(action.mode == 'background' and ctx.route == nil)");
    gives("{\"action\":{\"tool\":\"mail\"},\"phase\":\"approve\",\"previewed\":false}", "\"said\":\"none\"",
          "a wait before the preview knows the proposal alone");
}

static void test_history_bound(void)
{
    static char json[20000];
    size_t at = 0;
    for (int n = 256; n <= 257; n++) { /* case_history */
        at = (size_t)snprintf(json, sizeof json, "{\"action\":{\"tool\":\"x\"},\"history\":[");
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(json + at, sizeof json - at, "%s{\"outcome\":\"failed\"}", i ? "," : "");
        snprintf(json + at, sizeof json - at, "]}");
        tap_int(eval(json, 0), n == 256 ? IL_OK : IL_DECODE, "a history of %d runs", n);
    }
}

static void test_history_and_limits(void)
{
    test_history_bound();
    open_phase("hard", "preview",
               "local n, since = ctx.history { outcome = { 'failed', 'unverified' }, within = '10m' }\n"
               "assert(n == 2 and since == 60, n)\n"
               "assert(ctx.history { tool = 'mail' } == 1 and ctx.history { session = 'any' } == 4)\n"
               "assert(ctx.history { class = 'financial' } == 1 and ctx.history { app = 'x' } == 1)");
    gives("{\"action\":{\"tool\":\"mail\"},\"history\":[{\"outcome\":\"failed\",\"ago\":\"5m\",\"tool\":\"mail\"},"
          "{\"outcome\":\"unverified\",\"ago\":\"1m\",\"class\":\"financial\",\"app\":\"x\"},{\"outcome\":\"failed\","
          "\"ago\":\"11m\"},{\"outcome\":\"failed\",\"session\":\"other\"}]}", "\"said\":\"none\"",
          "the history of the case");
    open_phase("soft", "preview", "local left, wait = ctx.limit { key = 'k', max = 3, per = '1h' }\n"
                                  "assert(left == (ctx.params and 1) or left == 0)");
    gives("{\"action\":{\"tool\":\"mail\"},\"limits\":{\"k\":2}}", "\"said\":\"none\"", "two of three are used");
    gives("{\"action\":{\"tool\":\"mail\"},\"limits\":{\"k\":3}}",
          "\"code\":\"limit\",\"file\":\"b/p.lua\",\"level\":\"soft\",\"line\":3,\"override\":true", "none is left");
    gives("{\"action\":{\"tool\":\"mail\"},\"limits\":{\"k\":3}}", "\"asked\":[{\"limit\":\"b/k\",\"max\":3",
          "what was asked is in the result");
    gives("{\"action\":{\"tool\":\"mail\"},\"asked\":[{\"limit\":\"b/k\",\"max\":3,\"perMs\":3600000,\"used\":3,"
          "\"waitMs\":5}]}", "\"code\":\"limit\"", "what a recorded run was told is told again");
}

/* ---- what it amounts to ---- */

static void test_phases(void)
{
    open_with("hard", NULL, "return policy { name = 'p', propose = function(a) if a.tool == 'x' then return "
              "policy.deny('early') end end,\n execute = function(a) if a.tool ~= 'y' then return policy.deny('late') "
              "end end }");
    gives("{\"tool\":\"x\"}", "\"phase\":\"propose\",\"policies\":[{", "a deny ends it");
    gives("{\"tool\":\"z\"}", "\"reason\":\"late\"", "execute comes when nobody denies");
    gives("{\"action\":{\"tool\":\"z\"},\"route\":\"blocked\"}", "\"phase\":\"preview\"",
          "and not where the runtime blocks");
    gives("{\"action\":{\"tool\":\"z\"},\"phase\":\"propose\"}", "\"verdict\":\"none\"", "one phase alone");
    open_with("soft", NULL, "local function f(a) return policy.deny('no', { code = 'c' }) end\n"
              "return policy { name = 'p', preview = f, execute = f }");
    gives("{\"tool\":\"x\"}", "\"needs\":[{\"approvers\":1,\"code\":\"c\",\"override\":true,\"policy\":\"b/p\"",
          "a soft deny is an ask to override");
    gives("{\"tool\":\"x\"}", "\"said\":\"deny\",\"verdict\":\"ask\"", "said and ruled are two things");
    gives("{\"action\":{\"tool\":\"x\"},\"phase\":\"execute\"}", "\"verdict\":\"deny\"",
          "nobody overrode it when execute is judged alone");
    open_with("soft", NULL, "return policy { name = 'p', preview = function() return policy.deny('no', { code = 'c' }) "
              "end, execute = function() return policy.deny('no', { code = 'd' }) end }");
    gives("{\"tool\":\"x\"}", "\"verdict\":\"deny\"", "another code was not overridden");
    open_phase("advisory", "preview", "return policy.deny('no')");
    gives("{\"tool\":\"x\"}", "\"said\":\"deny\",\"verdict\":\"none\"", "advisory is only said");
    open_phase("advisory", "preview", "error('own text')");
    gives("{\"tool\":\"x\"}", "\"error\":true,\"file\":\"b/p.lua\",\"level\":\"advisory\",\"line\":3,\"override\":true",
          "a failure counts as soft, with its place");
    gives("{\"tool\":\"x\"}", "\"said\":\"error\",\"verdict\":\"ask\"", "and is said to be one");
    open_phase("hard", "preview", "while true do end");
    gives("{\"tool\":\"x\"}", "script_fuel", "a limit is named");
    open_phase("hard", "preview", "return policy.ask('why', { approvers = 2, roles = { 'a', 'b' }, timeout = '10m', "
                                  "remedy = 'wait' })");
    gives("{\"tool\":\"x\"}", "{\"approvers\":2,\"file\":\"b/p.lua\",\"level\":\"hard\",\"line\":3,\"phase\":"
                              "\"preview\","
          "\"policy\":\"b/p\",\"reason\":\"why\",\"remedy\":\"wait\",\"roles\":[\"a\",\"b\"],\"ruled\":\"ask\""
          ",\"said\":"
          "\"ask\",\"timeoutMs\":600000}", "an ask with all it has");
}

static void test_params(void)
{
    open_with("hard", "{\"most\":{\"type\":\"integer\",\"default\":3}}",
              "return policy { name = 'p', preview = function(a, ctx) if ctx.params.most > 3 then return "
              "policy.deny('more') end end }");
    gives("{\"tool\":\"x\"}", "\"said\":\"none\"", "the default");
    gives("{\"action\":{\"tool\":\"x\"},\"params\":{\"most\":4}}", "\"said\":\"deny\"", "the case's own");
    gives("{\"tool\":\"x\"}", "\"said\":\"none\"", "for that case alone");
    tap_int(eval("{\"action\":{\"tool\":\"x\"},\"params\":{\"most\":\"4\"}}", 0), IL_INVALID_REQUEST, "of its type");
    tap_int(eval("{\"action\":{\"tool\":\"x\"},\"params\":{\"mots\":4}}", 0), IL_INVALID_REQUEST, "of a known name");
    tap_ok(strstr(err.message, "did you mean \"most\"?") != NULL, "with a hint");
}

static void test_trace(void)
{
    open_phase("hard", "preview",
               "if action.target and action.target.app_id == 'mail' and ctx.time.hour < 20 then\n"
               "  for _, l in ipairs(action.data_labels) do if l == 'x' then return policy.deny(l) end end end\n"
               "return action.arguments['to whom'] and action.arguments.deep.er and nil");
    tap_int(eval("{\"action\":{\"tool\":\"x\",\"arguments\":{\"to whom\":\"me\",\"deep\":{\"er\":[1]}},\"target\":"
                 "{\"app_id\":\"mail\"},\"data_labels\":[\"a\"]}}", IL_POLICY_TRACE), IL_OK, "traced");
    tap_ok(has("{\"path\":\"action.target.app_id\",\"value\":\"mail\"}"), "a member of a member");
    tap_ok(has("{\"path\":\"ctx.time.hour\",\"value\":12}"), "of ctx");
    tap_ok(has("{\"path\":\"action.data_labels[1]\",\"value\":\"a\"}"), "of a list");
    tap_ok(has("{\"path\":\"action.arguments[\\\"to whom\\\"]\",\"value\":\"me\"}"), "of an odd name");
    tap_ok(has("{\"path\":\"action.arguments.deep.er\",\"value\":[1]}"), "a list that is only looked at");
    tap_ok(!strstr(last, "\"path\":\"action.target\""), "what was passed through is left out");
    tap_int(eval("{\"tool\":\"x\"}", IL_POLICY_TRACE), IL_OK, "another");
    tap_ok(has("{\"path\":\"action.target\",\"value\":null}"), "what is not there was read, too");
    tap_ok(!strstr(last, "app_id"), "nothing is left of the case before");
    tap_int(eval("{\"tool\":\"x\"}", 0), IL_OK, "untraced");
    tap_ok(!strstr(last, "\"used\""), "nothing is noted");
    open_phase("hard", "preview", "local t = action.arguments.list for i = 1, 300 do local _ = t[i] end");
    tap_int(eval("{\"tool\":\"x\",\"arguments\":{\"list\":[1,2]}}", IL_POLICY_TRACE), IL_OK,
            "more reads than trace_values are cut");
    tap_ok(has("[250]") && !strstr(last, "[300]"), "at 256 of them");
}

static void test_same_bytes(void)
{
    static const char json[] = "{\"action\":{\"tool\":\"x\",\"arguments\":{\"a\":1,\"b\":2}},\"run_id\":\"seed\"}";
    static char first[sizeof last];
    open_phase("hard", "preview", "local t = {} for k, v in pairs(action.arguments) do t[#t + 1] = k .. v end\n"
                                  "return policy.deny(table.concat(t, ' ') .. ' ' .. math.random(1000000))");
    (void)eval(json, IL_POLICY_TRACE);
    memcpy(first, last, sizeof last);
    (void)eval(json, IL_POLICY_TRACE);
    tap_ok(first[0] && strcmp(first, last) == 0, "the same again, at random, too");
    (void)eval("{\"action\":{\"tool\":\"x\",\"arguments\":{\"a\":1,\"b\":2}},\"run_id\":\"other\"}", IL_POLICY_TRACE);
    tap_ok(strcmp(first, last) != 0, "another run has another seed");
    tap_ok(has("a1 b2 "), "members come in order");
    struct il_str digest = il_policy_digest(policy);
    tap_ok(digest.len == 71 && has("\"hostPolicyDigest\":\"sha256:"), "it says which policies they were");
}

/* ---- expectations ---- */

static void checks(const char *expect, bool want, const char *part)
{
    char json[2000];
    struct il_str out = { NULL, 0 };
    bool passed = !want;
    err = (struct il_error)IL_ERROR_INIT;
    snprintf(json, sizeof json, "{\"action\":{\"tool\":\"x\"},\"expect\":%s}", expect);
    enum il_code code = il_policy_check(policy, str(json), 0, &passed, &out, &err);
    snprintf(last, sizeof last, "%.*s", code ? 0 : (int)out.len, code ? "" : out.ptr);
    tap_ok(code == IL_OK && passed == want && has(part), "%s: %s", expect, want ? "holds" : part);
}

static void test_check(void)
{
    open_phase("soft", "preview", "return policy.ask('people decide on it', { approvers = 2, roles = { 'lead' }, "
                                  "timeout = "
                                  "'1h', code = 'c', remedy = 'wait' })");
    checks("\"ask\"", true, "\"differs\":[]");
    checks("{\"verdict\":\"ask\",\"policy\":\"b/p\",\"phase\":\"preview\",\"code\":\"c\",\"reason\":\"decide\","
           "\"approvers\":2,\"roles\":[\"lead\"],\"timeout\":\"60m\",\"line\":3,\"file\":\"p.lua\",\"remedy\":\"wa\","
           "\"ruled\":\"ask\",\"override\":false}", true, "\"passed\":true");
    checks("{\"policy\":\"p\",\"verdict\":\"ask\"}", true, "\"passed\":true");
    checks("\"none\"", false, "{\"expected\":\"none\",\"got\":\"ask\",\"member\":\"verdict\"}");
    checks("{\"verdict\":\"ask\",\"code\":\"d\"}", false, "{\"expected\":\"d\",\"got\":\"c\",\"member\":\"code\"}");
    checks("{\"approvers\":3}", false, "{\"expected\":\"3\",\"got\":\"2\",\"member\":\"approvers\"}");
    checks("{\"reason\":\"nobody\"}", false, "\"member\":\"reason\"");
    checks("{\"remedy\":\"nothing\"}", false, "\"member\":\"remedy\"");
    checks("{\"timeout\":\"2h\"}", false, "{\"expected\":\"2h\",\"got\":\"3600s\",\"member\":\"timeout\"}");
    checks("{\"roles\":[]}", false, "\"member\":\"roles\"");
    checks("{\"line\":4}", false, "{\"expected\":\"4\",\"got\":\"3\",\"member\":\"line\"}");
    checks("{\"phase\":\"execute\"}", false, "\"member\":\"phase\"");
    checks("{\"policy\":\"b/q\"}", false, "{\"expected\":\"b/q\",\"got\":null,\"member\":\"policy\"}");
    checks("{\"ruled\":\"deny\"}", false, "{\"expected\":\"deny\",\"got\":\"ask\",\"member\":\"ruled\"}");
    checks("{\"override\":true}", false, "\"member\":\"override\"");
    checks("{\"file\":\"q.lua\"}", false, "{\"expected\":\"q.lua\",\"got\":\"b/p.lua\",\"member\":\"file\"}");
    open_phase("hard", "preview", "return policy[nil]()");
    checks("\"error\"", true, "\"passed\":true");
    checks("\"deny\"", false, "{\"expected\":\"deny\",\"got\":\"error\",\"member\":\"verdict\"}");
}

/* ---- test files ---- */

static void cases(const char *source, enum il_code want, const char *part)
{
    struct il_str out = { NULL, 0 };
    err = (struct il_error)IL_ERROR_INIT;
    enum il_code code = il_policy_cases(policy, str("b/p_test.lua"), str(source), &out, &err);
    snprintf(last, sizeof last, "%.*s", code ? (int)strlen(err.message) : (int)out.len, code ? err.message : out.ptr);
    tap_ok(code == want && has(part), "%s", part);
    if (code != want) tap_note("code %s", il_code_name(code));
}

static void test_cases(void)
{
    open_phase("hard", "preview", "");
    cases("local w = require 'lib.words'\nreturn { { name = 'a', action = { tool = w.tool, action_class = 'observe' }, "
          "session_id = 's', history = {}, expect = 'none' } }", IL_OK,
          "[{\"action\":{\"actionClass\":\"observe\",\"tool\":\"mail\"},\"expect\":\"none\",\"history\":[],"
          "\"name\":\"a\",\"sessionId\":\"s\"}]");
    cases("return {\n  { name = 'a', acton = {} },\n}", IL_DECODE,
          "b/p_test.lua:2: case \"a\": /acton: there is no such member; did you mean \"action\"?");
    cases("return {\n\n  { name = 'a', action = { tool = 'x', target = { confidence = 2 } } },\n}", IL_DECODE,
          "b/p_test.lua:3: case \"a\": /action/target/confidence: a number from 0 to 1");
    cases("return {\n  { action = { tool = 'x' } },\n}", IL_DECODE, "b/p_test.lua:2: case 1: /name: it has no name; "
                                        "write");
    cases("return {\n  { name = 'a', action = { tool = 'x' }, expect = 'none' },\n  { name = 'a' },\n}",
          IL_DECODE, "b/p_test.lua:3: case \"a\": /name: an earlier case has the same name");
    cases("return {\n  { name = 'a', action = { tool = 'x' } },\n}", IL_DECODE,
          "b/p_test.lua:2: case \"a\": /expect: it expects nothing, and could never fail");
    cases("return {\n  { name = 'a', action = { tool = 'x' }, expect = {} },\n}", IL_DECODE, "it expects nothing");
    cases("return {\n  { name = 'a', action = { tool = 'x' }, expect = 'none', params = { y = 1 } },\n}", IL_DECODE,
          "b/p_test.lua:2: case \"a\": y: the bundle has no such parameter");
    cases("local t = {}\nfor i = 1, 2 do t[i] = { name = 'n' .. i, action = { tool = 1 } } end\nreturn t", IL_DECODE,
          "b/p_test.lua: case \"n1\": /action/tool: ");
    cases("return { 'x' }", IL_DECODE, "b/p_test.lua:1: case 1: a case is a table");
    cases("local x = {}", IL_SCRIPT_ERROR, "b/p_test.lua: it returns nothing; a test file ends with `return {");
    cases("return {}", IL_SCRIPT_ERROR, "it returns no cases");
    cases("return 'x'", IL_SCRIPT_ERROR, "it returns a string");
    cases("return {}, {}", IL_SCRIPT_ERROR, "it returns 2 values");
    cases("return { name = 'a', action = { tool = 'x' } }", IL_SCRIPT_ERROR, "put { } around it");
    cases("return {\n", IL_SCRIPT_ERROR, "b/p_test.lua:");
    cases("local x = nil\nreturn x.y", IL_SCRIPT_ERROR, "b/p_test.lua:2: ");
    cases("return require 'os'", IL_SCRIPT_ERROR, "b/p_test.lua:1: ");
    cases("while true do end", IL_LIMIT_EXCEEDED, "b/p_test.lua:1: ");
}

static char seen[8000];

static void note(void *ctx, const struct il_policy_test_result *r)
{
    size_t at = strlen(seen);
    (void)ctx;
    snprintf(seen + at, sizeof seen - at, "%s %.*s:%d %.*s%.*s|", r->passed ? "ok" : "no", (int)r->file.len,
             r->file.ptr, r->line, (int)r->name.len, r->name.ptr, (int)r->message.len,
             r->message.len ? r->message.ptr : "");
}

static struct il_policy_test_summary run_tests(const char *policy_source, const char *tests, const char *pattern,
                                               unsigned flags, struct il_text *coverage)
{
    static const char json[] = "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.l"
                               "ua\",\"level\":"
                               "\"hard\"}]}";
    struct il_policy_test_options o = IL_POLICY_TEST_OPTIONS_INIT;
    struct il_policy_test_summary sum = IL_POLICY_TEST_SUMMARY_INIT;
    const struct il_file files[] = { { str("bundle.json"), str(json) }, { str("p.lua"), str(policy_source) },
                                     { str("p_test.lua"), str(tests) } };
    seen[0] = '\0';
    o.bundle.files = files;
    o.bundle.file_count = tests ? 3 : 2;
    o.pattern = str(pattern);
    o.flags = flags;
    o.coverage = coverage;
    o.report = note;
    err = (struct il_error)IL_ERROR_INIT;
    if (il_policy_test(&o, &sum, &err) != IL_OK) tap_note("%s", err.message);
    snprintf(last, sizeof last, "%s", seen);
    return sum;
}

static const char three[] = "return {\n  { name = 'alpha', action = { tool = 'x' }, expect = 'deny' },\n  { name = "
                            "'beta', "
                            "action = { tool = 'y' }, expect = 'deny' },\n  { name = 'gamma', action = { tool = 'z' }, "
                            "expect = 'none' },\n}";
static const char source[] = "local policy = require 'interlock.policy'\n"   /* 1 */
                             "local function no(why)\n"                       /* 2 */
                             "  return policy.deny(why)\n"                    /* 3 */
                             "end\n"                                          /* 4 */
                             "return policy {\n"                              /* 5 */
                             "  name = 'p',\n"                                /* 6 */
                             "  preview = function(action)\n"                 /* 7 */
                             "    if action.tool == 'x' then\n"               /* 8 */
                             "      return no('x')\n"                         /* 9 */
                             "    end\n"                                      /* 10 */
                             "    if action.tool == 'w' then\n"               /* 11 */
                             "      return policy.ask('w')\n"                 /* 12 */
                             "    end\n"                                      /* 13 */
                             "  end,\n"                                       /* 14 */
                             "  execute = function() return policy.deny('never') end,\n" /* 15 */
                             "}\n";

static void test_running(void)
{
    struct il_policy_test_summary sum = run_tests(source, three, NULL, 0, NULL);
    tap_ok(sum.files == 1 && sum.passed == 2 && sum.failed == 1 && sum.mistakes == 0, "two pass, one fails");
    tap_ok(has("ok b/p_test.lua:2 alpha|"), "with file, line and name");
    tap_ok(has("no b/p_test.lua:4 gamma|"), "one that fails");
    sum = run_tests(source, three, "alp", 0, NULL);
    tap_ok(sum.passed == 1 && sum.failed == 0, "by a part of the name");
    sum = run_tests(source, three, "*a*mm", 0, NULL);
    tap_ok(sum.passed == 0 && sum.failed == 0 && !seen[0], "a glob is over the whole name");
    sum = run_tests(source, three, "g*a", 0, NULL);
    tap_ok(sum.failed == 1 && sum.passed == 0, "a glob that fits");
    sum = run_tests(source, "return {\n  { name = 'a', acton = 1 },\n  { name = 'b', action = { tool = 'x' }, "
                            "expect = 'deny' },\n}", NULL, 0, NULL);
    tap_ok(sum.mistakes == 1 && sum.passed == 1, "a case with a mistake does not end the file");
    tap_ok(has("no b/p_test.lua:2 b/p_test.lua:2: case \"a\": /acton"), "and is said with its line");
    sum = run_tests(source, "return {\n  { name = 'a', action = { tool = 'y' }, expect = 'none' },\n  { name = 'b', "
                            "action = "
                            "{ tool = 'x' } },\n}", NULL, IL_POLICY_FIRST, NULL);
    tap_ok(sum.failed == 1 && sum.passed == 0, "IL_POLICY_FIRST ends at the first that fails");
    sum = run_tests(source, NULL, NULL, 0, NULL);
    tap_ok(sum.files == 0 && !seen[0], "a bundle without tests");
}

static void test_coverage(void)
{
    struct il_text text = IL_TEXT_INIT;
    (void)run_tests(source, three, "alpha", IL_POLICY_COVERAGE, &text);
    snprintf(last, sizeof last, "%.*s", (int)text.len, text.ptr);
    tap_ok(has("\"lines\":{\"covered\":6,\"missed\":[11,12],\"total\":8}"), "lines with statements, and those missed");
    tap_ok(has("\"verdicts\":{\"covered\":1,\"missed\":[{\"line\":7,\"phase\":\"preview\",\"verdict\":\"none\"},"
               "{\"line\":12,"
               "\"verdict\":\"ask\"},{\"line\":15,\"verdict\":\"deny\"}],\"total\":4}"),
           "verdicts by place; a function that always denies never says nothing");
    (void)run_tests(source, three, "beta", IL_POLICY_COVERAGE, &text);
    snprintf(last, sizeof last, "%.*s", (int)text.len, text.ptr);
    tap_ok(has("\"missed\":[3,9,12]"), "other lines");
    tap_ok(has("\"missed\":[{\"line\":3,\"verdict\":\"deny\"},{\"line\":12,\"verdict\":\"ask\"}]"), "other verdicts");
    (void)run_tests("local policy = require 'interlock.policy'\nlocal words = { no = policy.deny }\nreturn policy { "
                    "name = 'p', "
                    "preview = function()\n  return words.no('x')\nend }", three, "alpha", IL_POLICY_COVERAGE, &text);
    snprintf(last, sizeof last, "%.*s", (int)text.len, text.ptr);
    tap_ok(has("\"verdicts\":{\"covered\":1,\"missed\":[{\"line\":3,\"phase\":\"preview\",\"verdict\":\"none\""
               "}],\"total\":2}"),
           "a verdict that is made through another name");
    il_text_clear(&text);
}

int main(void)
{
    test_reading();
    test_defaults();
    test_history_and_limits();
    test_phases();
    test_params();
    test_trace();
    test_same_bytes();
    test_check();
    test_cases();
    test_running();
    test_coverage();
    il_policy_free(policy);
    tap_plan_end();
    return tap_done();
}
