/* What a workflow script asks for, sees and is told. */
#include "fake_run.h"
#include "script/workflow.h"

static struct il__lua_workflows *workflows;
static char verbs[400];
static struct il_error last;
static struct il__ask last_ask;

static const char *const verb_names[] = {
#define NAME(constant, text) text,
    IL__VERBS(NAME)
#undef NAME
};

static void note(const char *what)
{
    size_t len = strlen(verbs);
    snprintf(verbs + len, sizeof verbs - len, "%s%s", len ? " " : "", what);
}

/* Runs a workflow to its end and writes down what it asked for: "preview execute returned". `between` (may be NULL) is
 * called after each verb. */
static void drive(const char *source, void (*between)(enum il__verb verb))
{
    struct il__workflows port = il__lua_workflows_port(workflows);
    const struct il__workflow_ops *ops = NULL;
    void *self = NULL;
    struct il_str text = source ? il__str(source) : IL_STR_NONE, name = source ? IL_STR("flow.lua") : IL_STR_NONE;
    verbs[0] = '\0';
    il__error_clear(&last);
    if (port.open(port.ctx, &fake.run, name, text, &ops, &self, &last)) {
        note("refused");
        return;
    }
    for (int i = 0; i < 50; i++) {
        struct il__ask ask = { 0 };
        enum il__workflow_event event = ops->resume(self, &ask, &last);
        if (event == IL__WF_RETURNED) note("returned");
        if (event == IL__WF_FAILED) note("failed");
        if (event == IL__WF_KILLED) note("killed");
        if (event != IL__WF_ASKS) break;
        last_ask = ask;
        note(verb_names[ask.verb]);
        if (ask.verb == IL__VERB_BLOCK || ask.verb == IL__VERB_DENY) break;
        if (between) between(ask.verb);
    }
    ops->close(self);
}

static void body(const char *statements, void (*between)(enum il__verb verb))
{
    char source[2000];
    snprintf(source, sizeof source, "return function(run)\n%s\nend", statements);
    drive(source, between);
}

static void test_reference(void)
{
    drive(NULL, NULL);
    tap_str(il__str(verbs), "observe preview reserve acquire_lease execute verify returned", "the reference workflow");
    fake.waits = true;
    drive(NULL, NULL);
    tap_str(il__str(verbs), "observe preview request_approval reserve acquire_lease execute verify returned",
            "it asks for approval when the preview waits");
    fake.waits = false;
    fake.blocked = true;
    drive(NULL, NULL);
    tap_str(il__str(verbs), "observe preview block", "it ends a blocked run");
    fake.blocked = false;
}

static void test_observe(void)
{
    fake_observe(0, "{\"tools\":[\"a\",\"b\"]}");
    fake_observe(1, "{\"windows\":[{\"id\":7}],\"none\":null}");
    fake_observe(2, "[]");
    body("local seen = run:observe('visual')\n"
         "assert(seen.visual.windows[1].id == 7 and seen.visual.none == nil)\n"
         "assert(seen.capabilities.tools[2] == 'b' and #seen.semantic == 0)", NULL);
    tap_str(il__str(verbs), "observe returned", "what was observed is a view (%s)", last.message);
    tap_int((int)last_ask.see, IL__SEE_VISUAL, "only what was named is asked for");
    body("run:observe('semantic', 'capabilities', 'semantic')", NULL);
    tap_int((int)last_ask.see, IL__SEE_SEMANTIC | IL__SEE_CAPABILITIES, "several are asked for at once");
    body("local old = run:observe('visual').visual\nlocal kept = run:observe('semantic').semantic\n"
         "assert(old.windows)\nlocal new = run:observe('visual').visual\nassert(#kept == 0 and new.windows)\n"
         "return old.windows", NULL);
    tap_str(il__str(verbs), "observe observe observe failed", "a view dies when the same is observed again");
    tap_ok(fake_contains(last.message, "flow.lua:7: "), "and says where it was used");
    memset(fake.observed, 0, sizeof fake.observed);
    body("assert(run:observe('visual').visual == nil)", NULL);
    tap_str(il__str(verbs), "observe returned", "what was not observed is nil");
}

static void test_reading(void)
{
    fake_observe(1, "{\"t\":\"a\\nb \\ud83d\\ude00 \\u0000\",\"n\\u0061me\":1}");
    size_t before = fake.mem.in_use_bytes;
    body("local v = run:observe('visual').visual\nassert(v.t == 'a\\nb \\u{1F600} \\u{FFFD}' and v.name == 1)\n"
         "for i = 1, 1000 do assert(#v.t > 3) for k in pairs(v) do assert(v[k]) end end", NULL);
    tap_str(il__str(verbs), "observe returned", "texts with escapes are read (%s)", last.message);
    tap_ok(fake.mem.in_use_bytes == before, "reading does not grow the host's memory");
    memset(fake.observed, 0, sizeof fake.observed);
}

static void test_views(void)
{
    body("local p = run:preview()\n"
         "assert(p.blocked == false and p.reason == nil and p.waits == false and p.route == 'allowed')\n"
         "assert(p.executable == true and p.envelope.action_class == 'edit_reversible')\n"
         "assert(p.envelope.data_labels[1] == 'unknown' and p.policy.decision == 'allow')\n"
         "assert(p.policy.reasons[1] == 'allow' and p.capability.confidence == 1)", NULL);
    tap_str(il__str(verbs), "preview returned", "the preview as a view (%s)", last.message);
    body("assert(run:reserve().reservation_id == 'res-1')\nlocal lease = run:acquire_lease()\n"
         "assert(lease.action_budget == 1 and lease.lease_id == 'sha256:masked')\nlocal r = run:execute()\n"
         "assert(r.status == 'committed' and r.receipt_id == 'rec-1' and r.result.ok == true)\nlocal o = run:verify()\n"
         "assert(o.status == 'committed_unverified' and o.verified == false and o.committed == true)\n"
         "assert(o.detail == 'no postcondition')\nassert(run:request_approval().granted == true)", NULL);
    tap_str(il__str(verbs), "reserve acquire_lease execute verify request_approval returned",
            "what each verb gives (%s)", last.message);
    fake.has_reservation = false;
    body("assert(run:reserve() == nil)", NULL);
    tap_str(il__str(verbs), "reserve returned", "no reservation is nil");
    fake.has_reservation = true;
    body("assert(run.id == 'run-1' and run.action_id == 'action-1' and run.session_id == 'session-1')\n"
         "assert(run.principal == 'local-operator' and run.agent == nil and run.mode == 'background')\n"
         "assert(run.action.tool == 'write_clipboard' and run.action.arguments.list[2] == 2)\n"
         "assert(run.action.operation == nil and type(run) == 'userdata')\nrun:log('seen ' .. run.id)\nprint('a', 1)",
         NULL);
    tap_str(il__str(verbs), "returned", "the run's own facts (%s)", last.message);
    tap_ok(fake_contains(fake.log, "seen run-1|"), "run:log reaches the log of the run");
}

static void test_ends(void)
{
    body("run:block()\nrun:log('after')", NULL);
    tap_str(il__str(verbs), "block", "run:block asks to end the run");
    body("run:deny('not today\\n\\27[1m')\nrun:execute()", NULL);
    tap_str(il__str(verbs), "deny", "run:deny asks to end the run");
    tap_str(il__str(last_ask.reason), "not today\\x0a\\x1b[1m", "its reason is escaped");
    body("run:deny(('x'):rep(5000))", NULL);
    tap_int((int)strlen(last_ask.reason), sizeof last_ask.reason - 1, "and bounded");
    body("while true do pcall(function() while true do end end) end", NULL);
    tap_str(il__str(verbs), "killed", "a script that does not end is ended");
    tap_int(last.code, IL_LIMIT_EXCEEDED, "as limit_exceeded");
    tap_ok(fake_contains(last.field, "script_"), "naming the limit");
    body("leak = 1\nrun:preview()\nassert(leak == 1)", NULL);
    body("assert(leak == nil)", NULL);
    tap_str(il__str(verbs), "returned", "nothing is shared between two runs");
}

/* What the author of a workflow is told. */
static const struct {
    const char *source, *message;
} refused[] = {
    { "return 5", "flow.lua: a workflow file ends with `return function(run) ... end`; this one returns number" },
    { "local x = 1", "this one returns nothing" },
    { "return print", "return function(run)" },
    { "return function(run)\n  run:preview(\nend", "flow.lua:3: " },
    { "error('at load')", "flow.lua:1: at load" },
};
static const struct {
    const char *statements, *message;
} failing[] = {
    { "run.preview()", "flow.lua:2: write run:preview(), with a colon" },
    { "run.observe('visual')", "write run:observe(...), with a colon" },
    { "run:observe()", "say what to observe: run:observe(\"capabilities\", \"visual\", \"semantic\")" },
    { "run:observe('visul')", "run:observe knows no \"visul\"; write \"capabilities\", \"visual\" or \"semantic\"" },
    { "run:observe(1)", "run:observe must be a string" },
    { "run:preview({})", "run:preview() takes no argument" },
    { "run:deny()", "run:deny needs the reason: run:deny(\"why\")" },
    { "run:deny('')", "run:deny needs the reason" },
    { "run:deny(7)", "run:deny needs the reason" },
    { "run:prevew()", "run has no member \"prevew\"; did you mean \"preview\"?" },
    { "run:frobnicate()", "run has no member \"frobnicate\"; there are: observe, preview, request_approval" },
    { "run.id = 'other'", "run is read-only" },
    { "rawset(run, 'id', 'other')", "flow.lua:2: " },
    { "return run[1]", "members are read by name" },
    { "return run()", "run is not a function" },
    { "run.action.tool = 'x'", "is read-only" },
    { "return run.action.tol", "did you mean 'tool'?" },
    { "return run:preview().blockd", "did you mean 'blocked'?" },
    { "run:preview().envelope.tool = 'x'", "is read-only" },
    { "return run:preview().policy.grant_id", "policy decision has no member 'grant_id'" },
    { "return run:execute().action_digest", "execution receipt has no member 'action_digest'" },
    { "coroutine.wrap(function() run:execute() end)()", "run:execute works in the main body of the script only" },
    { "table.sort({ 2, 1 }, function(a, b) run:execute() return a < b end)", "run:execute " },
    { "error('no ' .. 'way')", "flow.lua:2: no way" },
    { "local t = nil\nreturn t.x", "flow.lua:3: " },
};

static void test_messages(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        drive(refused[i].source, NULL);
        tap_str(il__str(verbs), "refused", "refused at once: %s", refused[i].source);
        tap_int(last.code, IL_SCRIPT_ERROR, "as script_error");
        tap_ok(fake_contains(last.message, refused[i].message), "it says: %s", refused[i].message);
    }
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        body(failing[i].statements, NULL);
        tap_ok(strstr(verbs, "failed") != NULL && last.code == IL_SCRIPT_ERROR, "fails: %s", failing[i].statements);
        tap_ok(fake_contains(last.message, failing[i].message), "it says: %s", failing[i].message);
    }
}

static void test_defaults(void)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str name = IL_STR("mine.lua");
    enum il_code code = il__lua_workflows_set_default(workflows, name, IL_STR("return 1"), &err);
    tap_int(code, IL_SCRIPT_ERROR, "a default is compiled at once");
    drive(NULL, NULL);
    tap_ok(strstr(verbs, "verify returned") != NULL, "one that is refused changes nothing");
    code = il__lua_workflows_set_default(workflows, name, IL_STR("return function(run) run:deny('no') end"), &err);
    tap_int(code, IL_OK, "another default");
    drive(NULL, NULL);
    tap_str(il__str(verbs), "deny", "is what a run without a workflow of its own takes");
    struct il__workflows port = il__lua_workflows_port(workflows);
    const struct il__workflow_ops *ops;
    void *self;
    il__error_clear(&err);
    code = port.open(port.ctx, &fake.run, IL_STR("nowhere"), IL_STR_NONE, &ops, &self, &err);
    tap_int(code, IL_INVALID_REQUEST, "a name without source must be an embedded workflow");
    code = port.open(port.ctx, &fake.run, IL_STR("reference"), IL_STR_NONE, &ops, &self, &err);
    tap_int(code, IL_OK, "such as reference");
    ops->close(self);
}

static void test_memory(void)
{
    bool ok = true;
    int n = 0;
    size_t before = fake.mem.in_use_bytes;
    verbs[0] = '\0';
    for (; !strstr(verbs, "returned") && n < 100; n++) {
        fake.mem.fail_at = fake.mem.calls + 1 + (uint64_t)n;
        drive("return function(run) run:preview() end", NULL);
        fake.mem.fail_at = 0;
        ok = ok && (strstr(verbs, "returned") || last.code == IL_OUT_OF_MEMORY) && fake.mem.in_use_bytes == before;
    }
    tap_ok(ok && n > 2, "memory that is missing is told (%d)", n);
}

int main(void)
{
    fake_start();
    struct il_error err = IL_ERROR_INIT;
    struct il__lua_workflows_options options = { &fake.mem, &fake.clock };
    if (il__lua_workflows_new(&options, &workflows, &err)) return 1;
    test_reference();
    test_observe();
    test_reading();
    test_views();
    test_ends();
    test_messages();
    test_memory();
    test_defaults();
    il__lua_workflows_free(workflows);
    tap_ok(fake_end(), "all memory is given back");
    return tap_done();
}
