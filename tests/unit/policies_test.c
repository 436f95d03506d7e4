/* What a policy sees in each phase, what it can say, and what becomes of one that fails. */
#include "fake_run.h"
#include "script/policies.h"

static struct il__policy_set *set;
static struct il__arena arena;
static struct il__said_list said;
static struct il_error last;
static char logged[2000];

static void log_line(void *ctx, enum il_log_level level, const char *line, size_t len)
{
    size_t at = strlen(logged);
    (void)ctx;
    (void)level;
    snprintf(logged + at, sizeof logged - at, "%.*s|", (int)len, line);
}
static const struct il__log log_ = { log_line, NULL };

static void fresh(void)
{
    struct il__policy_set_options options = {
        .mem = &fake.mem, .clock = &fake.clock, .digest = fake.digest, .log = &log_,
    };
    il__policy_set_free(set);
    set = NULL;
    if (il__policy_set_new(&options, &set, &last)) exit(1);
}

static struct il_file file(const char *path, const char *bytes)
{
    return (struct il_file){ il__str(path), il__str(bytes) };
}

/* Adds bundle `name` of one policy named p with that source. */
static bool add(const char *name, const char *level, const char *params, const char *source)
{
    char json[1000];
    snprintf(json, sizeof json, "{\"name\":\"%s\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\","
             "\"level\":\"%s\",\"params\":%s}]}", name, level, params ? params : "{}");
    struct il_file files[] = { file("bundle.json", json), file("p.lua", source) };
    il__error_clear(&last);
    if (il__policy_set_add(set, files, 2, IL_STR_NONE, &last) == IL_OK) return true;
    printf("# %s\n", last.message);
    return false;
}

static const struct il__said *ask(enum il__phase phase, const struct il__vote *vote)
{
    static const struct il__said nothing = { .verdict = IL__VERDICT_NONE };
    il__arena_clear(&arena);
    said = (struct il__said_list){ NULL, 0, &arena };
    struct il__policies port = il__policy_set_port(set);
    il__error_clear(&last);
    if (port.evaluate(port.ctx, fake_scene(phase, vote), &said, &last)) return NULL;
    return said.count ? &said.items[0] : &nothing;
}

/* One policy whose function of the phase has this body. */
static const struct il__said *judge(enum il__phase phase, const char *statements)
{
    static const struct il__vote vote = { .approver = { "approver-1", 10 }, .reason = { "fine", 4 },
                                          .decision = IL__DECISION_APPROVE };
    char source[2000];
    snprintf(source, sizeof source, "local policy = require 'interlock.policy'\nreturn policy { name = 'p', %s = "
             "function(action, ctx)\n%s\nend }", il__phase_names[phase], statements);
    fresh();
    if (!add("b", "hard", "{\"opens\":{\"type\":\"integer\",\"default\":9},\"names\":{\"type\":\"strings\",\"default\":"
             "[\"x\"]}}", source)) return NULL;
    return ask(phase, phase == IL__PHASE_APPROVE ? &vote : NULL);
}

/* The statements hold in that phase: the policy says nothing. */
static void holds(enum il__phase phase, const char *statements)
{
    const struct il__said *s = judge(phase, statements);
    tap_ok(s && s->verdict == IL__VERDICT_NONE, "%s: %s", il__phase_names[phase], statements);
    if (s && s->error) tap_note("%.*s", IL_STR_FMT(s->reason));
}

static void fails(enum il__phase phase, const char *statements, const char *message)
{
    const struct il__said *s = judge(phase, statements);
    tap_ok(s && s->error && s->verdict == IL__VERDICT_DENY, "%s: a policy error: %s", il__phase_names[phase],
           statements);
    tap_ok(s && s->reason.ptr && fake_contains(s->reason.ptr, message), "it says: %s", message);
}

static void test_verdicts(void)
{
    const struct il__said *s =
        judge(IL__PHASE_PREVIEW, "return policy.ask('outside office hours', { approvers = 2, "
                                 "timeout = '10m', roles = { 'operator', 'lead' }, code = 'hours', remedy = 'wait' })");
    tap_int(s->verdict, IL__VERDICT_ASK, "ask");
    tap_str(s->policy, "b/p", "by name");
    tap_int(s->level, IL__LEVEL_HARD, "with its level");
    tap_str(s->reason, "outside office hours", "the reason");
    tap_str(s->code, "hours", "the code");
    tap_str(s->remedy, "wait", "the remedy");
    tap_int(s->approvers, 2, "two approvers");
    tap_int(s->timeout_ms, 600000, "ten minutes");
    tap_int((long long)s->roles.count, 2, "two roles");
    tap_str(s->roles.items[1], "lead", "as written");
    tap_int(s->line, 3, "the line of the ask");
    s = judge(IL__PHASE_PREVIEW, "return policy.ask 'why'");
    tap_int(s->approvers, 1, "one approver unless said otherwise");
    tap_int(s->timeout_ms, 0, "the default time-out");
    tap_str(s->code, NULL, "no code");
    s = judge(IL__PHASE_PREVIEW, "return policy.ask('why', { timeout = 90 })");
    tap_int(s->timeout_ms, 90000, "an integer is seconds");
    s = judge(IL__PHASE_PREVIEW, "\nreturn policy.deny('no\\27[1m', { code = 'c' })");
    tap_int(s->verdict, IL__VERDICT_DENY, "deny");
    tap_ok(!s->error, "is no error");
    tap_str(s->reason, "no\\x1b[1m", "what could disturb a terminal is escaped");
    tap_int(s->line, 4, "the line of the deny");
    s = judge(IL__PHASE_PREVIEW, "return nil");
    tap_int(s->verdict, IL__VERDICT_NONE, "nil is no opinion");
}

static void test_shapes(void)
{
    holds(IL__PHASE_PROPOSE, "assert(action.tool == 'write_clipboard' and action.arguments.text == 'hi')\n"
          "assert(action.mode == 'background' and action.target == nil and action.operation == nil)\n"
          "assert(ctx.phase == 'propose' and ctx.run_id == 'run-1' and ctx.session_id == 'session-1')\n"
          "assert(ctx.principal == 'local-operator' and ctx.agent == nil)");
    fails(IL__PHASE_PROPOSE, "return ctx.route",
          "ctx.route is there in phases preview, approve and execute only; this is propose");
    fails(IL__PHASE_PROPOSE, "return action.action_class", "has no member 'action_class'");
    holds(IL__PHASE_PREVIEW, "assert(action.action_class == 'edit_reversible' and action.arguments.list[2] == 2)\n"
          "assert(action.mode == 'background' and action.requested_mode == 'background' and action.reversible)\n"
          "assert(ctx.route == 'allowed' and ctx.reason == nil and ctx.policy.reasons[1] == 'allow')\n"
          "assert(ctx.capability.backend == 'none' and action.args_digest == 'abc')");
    fails(IL__PHASE_PREVIEW, "return ctx.lease", "ctx.lease is there in phase execute only; this is preview");
    fails(IL__PHASE_PREVIEW, "return ctx.decision", "ctx.decision is there in phase approve only");
    fails(IL__PHASE_PREVIEW, "return ctx.policy.grant_id", "policy decision has no member 'grant_id'");
    holds(IL__PHASE_APPROVE, "assert(ctx.decision.approver == 'approver-1' and #ctx.decision.roles == 0)\n"
          "assert(ctx.decision.decision == 'approve' and ctx.decision.reason == 'fine' and ctx.route == 'allowed')");
    holds(IL__PHASE_EXECUTE, "assert(ctx.lease.action_budget == 1 and ctx.lease.kind == 'cooperative')\n"
          "assert(ctx.lease.boundaries.app_ids[1] == 'a' and ctx.lease.expires_at)");
    fails(IL__PHASE_EXECUTE, "return ctx.lease.lease_id", "control lease has no member 'lease_id'");
    fails(IL__PHASE_PREVIEW, "return ctx.purpose", "ctx has no member \"purpose\"; there are: phase, time, time_in");
    fails(IL__PHASE_PREVIEW, "return ctx.limits", "ctx has no member \"limits\"; did you mean \"limit\"?");
    fails(IL__PHASE_PREVIEW, "return ctx.tim", "did you mean \"time\"?");
    fails(IL__PHASE_PREVIEW, "ctx.phase = 'x'", "ctx is read-only");
    fails(IL__PHASE_PREVIEW, "action.tool = 'x'", "is read-only");
    fails(IL__PHASE_PREVIEW, "action.arguments.text = 'x'", "is read-only");
    fake.has_preview = false;
    holds(IL__PHASE_APPROVE, "assert(action.tool == 'write_clipboard' and ctx.route == nil and ctx.decision.approver)");
    fake.has_preview = true;
    holds(IL__PHASE_PREVIEW,
          "local t = ctx.time\nassert(t.year == 2026 and t.month == 11 and t.day == 30 and t.hour == 18)\n"
          "assert(t.minute == 0 and t.second == 0 and t.weekday == 'monday' and t.unix == 1796061600)\n"
          "assert(t.text == '2026-11-30T18:00:00.000Z')");
    holds(IL__PHASE_PREVIEW, "assert(ctx.params.opens == 9 and ctx.params.names[1] == 'x' and #ctx.params.names == 1)");
    fails(IL__PHASE_PREVIEW, "return ctx.params.open", "ctx.params has no member \"open\"; did you mean \"opens\"?");
    fails(IL__PHASE_PREVIEW, "ctx.params.opens = 1", "ctx.params is read-only");
}

/* What the author of a policy is told. */
static void test_messages(void)
{
    enum il__phase p = IL__PHASE_PREVIEW;
    fails(p, "return true", "the policy returned boolean; return nothing, policy.ask(\"why\") or policy.deny(\"why\")");
    fails(p, "return 'deny'", "the policy returned string; return nothing");
    fails(p, "return { verdict = 'ask' }", "the policy returned table");
    fails(p, "return policy", "the policy returned userdata");
    fails(p, "return policy.deny('x'), 1", "the policy returned 2 values");
    fails(p, "return false", "the policy returned boolean");
    fails(p, "policy.ask()", "b/p.lua:3: policy.ask needs a reason: policy.ask(\"why\", { approvers = 2 })");
    fails(p, "policy.deny(7)", "policy.deny needs a reason");
    fails(p, "policy:deny('x')", "with a dot");
    fails(p, "policy.deny('')", "policy.deny: the reason must not be empty");
    fails(p, "policy.deny(('x'):rep(401))", "policy.deny: the reason is 401 bytes long; at most 400");
    fails(p, "policy.ask('x', 2)", "policy.ask: options are a table");
    fails(p, "policy.ask('x', { 2 })", "policy.ask: options are written by name");
    fails(p, "policy.ask('x', { approver = 2 })", "policy.ask: there is no \"approver\"; did you mean \"approvers\"?");
    fails(p, "policy.deny('x', { approvers = 2 })", "policy.deny: there is no \"approvers\"; there are: code, remedy");
    fails(p, "policy.ask('x', { approvers = '2' })", "policy.ask: approvers must be an integer");
    fails(p, "policy.ask('x', { approvers = 0 })", "policy.ask: approvers must be");
    fails(p, "policy.ask('x', { approvers = 17 })", "policy.ask: approvers must be");
    fails(p, "policy.ask('x', { timeout = 'soon' })",
          "policy.ask: timeout must be a time such as \"90s\", \"10m\" or \"24h\"");
    fails(p, "policy.ask('x', { timeout = 0 })", "policy.ask: timeout must be");
    fails(p, "policy.ask('x', { timeout = '31d' })", "policy.ask: timeout must be");
    fails(p, "policy.ask('x', { roles = 'operator' })", "policy.ask: roles must be a list of names");
    fails(p, "policy.ask('x', { roles = {} })", "policy.ask: roles must be a list of names");
    fails(p, "policy.ask('x', { roles = { 1 } })", "policy.ask: roles must be a list of names");
    fails(p, "policy.ask('x', { code = 5 })", "policy.ask: code must be a string");
    fails(p, "policy.asc('x')", "policy has no member \"asc\"; did you mean \"ask\"?");
    fails(p, "error('own text')", "b/p.lua:3: own text");
    fails(p, "local t\nreturn t.x", "b/p.lua:4: ");
    fails(p, "run = 1\nreturn coroutine.yield()", "b/p.lua");
    fails(p, "while true do end", "b/p.lua");
    const struct il__said *s = judge(p, "while true do pcall(error) end");
    tap_ok(s && s->error && fake_contains(s->reason.ptr, "the limit script_"), "a limit is named");
    s = judge(p, "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end");
    tap_ok(s && s->error && fake_contains(s->reason.ptr, "script_memory"), "memory is a limit");
}

static void test_bundles(void)
{
    fresh();
    add("one", "hard", NULL, "local policy = require 'interlock.policy'\nshared = 1\nstring_hook = true\n"
        "return policy { name = 'p', preview = function() while true do end end }");
    add("two", "soft", NULL,
        "local policy = require 'interlock.policy'\nassert(shared == nil)\nlocal calls = 0\nreturn policy { "
        "name = 'p', preview = function() calls = calls + 1 print('call', calls) if shared then error 'leak' end "
        "return policy.deny('two ' .. calls) end, execute = function() end }");
    const struct il__said *s = ask(IL__PHASE_PREVIEW, NULL);
    tap_int((long long)said.count, 2, "every policy of every bundle is asked");
    tap_ok(s[0].error && s[0].level == IL__LEVEL_HARD, "one that does not end is a policy error");
    tap_str(s[1].reason, "two 1", "the next one is asked all the same");
    tap_str(s[1].policy, "two/p", "in the configured order");
    tap_int(s[1].level, IL__LEVEL_SOFT, "with its own level");
    s = ask(IL__PHASE_PREVIEW, NULL);
    tap_str(s[1].reason, "two 1", "a policy keeps nothing from one asking to the next");
    tap_ok(fake_contains(logged, "two/p.lua: call"), "what a policy prints is logged");
    s = ask(IL__PHASE_EXECUTE, NULL);
    tap_int((long long)said.count, 1, "a policy without the phase says nothing");
    tap_int(s->verdict, IL__VERDICT_NONE, "and the other has no opinion");
    ask(IL__PHASE_APPROVE, NULL);
    tap_int((long long)said.count, 0, "a phase that nobody has asks nobody");
    said = (struct il__said_list){ NULL, 0, &arena };
    struct il__policies port = il__policy_set_port(set);
    tap_int(port.evaluate(port.ctx, fake_scene(IL__PHASE_PREVIEW, NULL), &said, &last) +
                port.evaluate(port.ctx, fake_scene(IL__PHASE_EXECUTE, NULL), &said, &last),
            IL_OK, "two phases into one list");
    tap_int((long long)said.count, 3, "append to one another");
}

/* Two policies of one bundle and a module of it; a kill in the first does not silence the second. */
static void test_modules(void)
{
    struct il_file files[] = {
        file("bundle.json",
             "{\"name\":\"m\",\"version\":\"1\",\"requires\":1,\"files\":[\"lib/words.lua\"],\"policies\":["
             "{\"file\":\"a.lua\",\"level\":\"hard\"},{\"file\":\"b.lua\",\"level\":\"advisory\"}]}"),
        file("lib/words.lua", "return { no = 'no from lib' }"),
        file("a.lua",
             "local policy = require 'interlock.policy'\nreturn policy { name = 'a', preview = function() local s = "
             "'x' while true do s = s .. s end end }"),
        file("b.lua",
             "local policy = require 'interlock.policy'\nlocal words = require 'lib.words'\nreturn policy { name = "
             "'b', preview = function() return policy.deny(words.no) end, execute = function() return policy.deny "
             "'late' end }"),
    };
    fresh();
    tap_int(il__policy_set_add(set, files, 4, IL_STR_NONE, &last), IL_OK, "a bundle with a module (%s)", last.message);
    const struct il__said *s = ask(IL__PHASE_PREVIEW, NULL);
    tap_int((long long)said.count, 2, "both policies are asked");
    tap_ok(s[0].error, "the first is killed");
    tap_str(s[1].reason, "no from lib", "the second goes on in a new state, with its module");
    s = ask(IL__PHASE_EXECUTE, NULL);
    tap_ok(said.count == 1 && !s->error, "only the policy that has the phase is asked");
}

static void test_memory(void)
{
    bool ok = true, denied = true;
    int n = 0;
    judge(IL__PHASE_PREVIEW, "return policy.ask('why', { roles = { 'a' }, code = 'c' })");
    for (const struct il__said *s = NULL; !s && n < 200; n++) {
        il__arena_clear(&arena);
        size_t before = fake.mem.in_use_bytes;
        fake.mem.fail_at = fake.mem.calls + 1 + (uint64_t)n;
        s = ask(IL__PHASE_PREVIEW, NULL);
        fake.mem.fail_at = 0;
        denied = denied && (!s || s->verdict == IL__VERDICT_ASK || s->error);
        il__arena_clear(&arena);
        ok = ok && fake.mem.in_use_bytes == before;
    }
    tap_ok(ok && denied && n > 1, "memory that is missing is an error, never silence (%d)", n);
}

/* 2026-11-30T18:00:00Z, a Monday. */
static void test_zones(void)
{
    holds(IL__PHASE_PROPOSE, "assert(ctx.time.zone == 'UTC' and ctx.time.offset == 0 and ctx.time.hour == 18)");
    holds(IL__PHASE_APPROVE, "local t = ctx.time_in('+07:30') assert(t.hour == 1 and t.minute == 30 and t.day == 1 and "
          "t.month == 12 and t.weekday == 'tuesday' and t.zone == '+07:30' and t.offset == 27000)");
    holds(IL__PHASE_EXECUTE, "local a = ctx.time_in('CET-1CEST,M3.5.0,M10.5.0/3')\nlocal b = ctx.time_in('EST5')\n"
          "assert(a.zone == 'CET' and a.hour == 19 and b.hour == 13 and a.unix == b.unix and a.unix == ctx.time.unix)\n"
          "assert(a.text == '2026-11-30T19:00:00.000+01:00', a.text)");
    holds(IL__PHASE_PREVIEW, "assert(not pcall(function() ctx.time_in('Z').hour = 3 end))");
    fails(IL__PHASE_PREVIEW, "ctx.time_in('Europe/Berlin')", "ctx.time_in: the zone \"Europe/Berlin\": zones of the");
    fails(IL__PHASE_PREVIEW, "ctx.time_in('CET-1CEST')", "needs the days of both changes");
    fails(IL__PHASE_PREVIEW, "ctx.time_in()", "ctx.time_in takes one zone: ctx.time_in(\"+02:00\")");
    fails(IL__PHASE_PREVIEW, "ctx.time_in(2)", "ctx.time_in: the zone must be a string");
    fails(IL__PHASE_PREVIEW, "ctx:time_in('Z')", "write ctx.time_in(\"+02:00\") with a dot");
    fails(IL__PHASE_PREVIEW, "while true do ctx.time_in('Z') end", "script_");
}

static void test_has(void)
{
    holds(IL__PHASE_PROPOSE, "local list = action.arguments.list\nassert(policy.has(list, 2))\n"
          "assert(not policy.has(list, 3))");
    holds(IL__PHASE_PREVIEW, "assert(policy.has(ctx.params.names, 'x') and not policy.has(ctx.params.names, 'y'))");
    holds(IL__PHASE_PREVIEW, "assert(not policy.has(action.arguments.absent, 'x'))");
    holds(IL__PHASE_PREVIEW, "assert(not policy.has(action.data_labels, 'no such label'))");
    fails(IL__PHASE_PREVIEW, "policy.has(action.arguments, 'text')", "policy.has: the list must be a list");
    fails(IL__PHASE_PREVIEW, "policy.has(action, 'tool')", "policy.has: the list must be a list");
}

int main(void)
{
    fake_start();
    il__arena_init(&arena, &fake.mem);
    test_verdicts();
    test_shapes();
    test_messages();
    test_bundles();
    test_modules();
    test_memory();
    test_zones();
    test_has();
    il__arena_clear(&arena);
    il__policy_set_free(set);
    tap_ok(fake_end(), "all memory is given back");
    return tap_done();
}
