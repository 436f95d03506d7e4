/* A whole host from outside: the reference workflow, policies and runtimes in Lua, through the public interface. */
#include "pages.h"

static struct il_error err;
static il_host *host;
static int64_t wall_sec = 1796061600, boot_ns = 1000000000; /* a Monday, 18:00 UTC */

static void read_clock(void *ctx, struct il_clock_reading *out)
{
    (void)ctx;
    *out = (struct il_clock_reading){ .wall_sec = wall_sec, .boot_ns = boot_ns };
}

static void advance(int seconds)
{
    wall_sec += seconds;
    boot_ns += (int64_t)seconds * 1000000000;
}

static struct il_str str(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

static void open_host(const char *simulated)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    options.clock = read_clock;
    il_host_free(host);
    host = NULL;
    if (il_host_new(&options, &host, &err)) exit(1);
    if (simulated && il_host_set_runtime_simulated(host, str(simulated), &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
}

static void go(il_run *run)
{
    struct il_tick tick = { .size = sizeof tick };
    for (int i = 0; i < 2000; i++) {
        enum il_run_state state = il_run_state(run);
        if (state == IL_RUN_ENDED || state == IL_RUN_WAITING) return;
        if (il_host_tick(host, 1000, &tick, &err)) return;
        if (!tick.more && tick.next_deadline_ms > 0) advance((int)(tick.next_deadline_ms / 1000) + 1);
    }
}

static il_run *start(const char *proposal, const char *workflow)
{
    struct il_run_options options = IL_RUN_OPTIONS_INIT;
    struct il_str scopes[] = { str("computer:execute:background"), str("computer:plan") };
    il_run *run = NULL;
    options.proposal = str(proposal);
    options.principal = str("ada");
    options.session_id = str("session-1");
    options.scopes = scopes;
    options.scope_count = 2;
    options.workflow_source = str(workflow);
    if (workflow) options.workflow_name = str("mine.lua");
    if (il_run_start(host, &options, &run, &err)) return NULL;
    go(run);
    return run;
}

static void ends(il_run *run, const char *status, const char *why)
{
    struct il_summary summary = { .size = sizeof summary };
    if (run) il_run_summary(run, &summary);
    tap_str(str(run ? summary.status : NULL), status, "%s", why);
    if (!run || (status[0] && strcmp(summary.status, status) != 0))
        tap_note("%s", run ? summary.error.message : err.message);
}

static void add_policy(const char *level, const char *source)
{
    char json[300];
    snprintf(json, sizeof json,
             "{\"name\":\"b\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"p.lua\",\"level\":"
             "\"%s\"}]}",
             level);
    struct il_file files[] = { { str("bundle.json"), str(json) }, { str("p.lua"), str(source) } };
    tap_int(il_host_add_bundle(host, files, 2, str(NULL), &err), IL_OK, "a policy (%s)", err.message);
}

static const char write_file[] =
    "{\"tool\":\"filesystem\",\"arguments\":{\"mode\":\"write\",\"path\":\"/a\",\"content\":\"abc\"},\"postcondition\":"
    "{\"kind\":\"filesystem\",\"path\":\"/a\",\"exists\":true}}";
static const char notify[] = "{\"tool\":\"notification\",\"arguments\":{\"title\":\"t\",\"message\":\"m\"}}";

static void test_runs(void)
{
    open_host("{}");
    ends(start(write_file, NULL), "completed", "a postcondition that is observed to hold");
    ends(start("{\"tool\":\"write_clipboard\",\"arguments\":{}}", NULL), "committed_unverified", "none was declared");
    ends(start(notify, NULL), "waiting", "what leaves the machine waits for a person");
    ends(start("{\"tool\":\"snapshot\",\"mode\":\"shadow\"}", NULL), "previewed",
         "a shadow run ends after its preview");
    open_host("{\"policy\":\"deny\"}");
    ends(start(write_file, NULL), "blocked", "what the runtime denies is blocked");
    open_host("{\"faults\":[{\"op\":\"acquire_lease\",\"set\":{\"/sessionId\":\"other\"}}]}");
    ends(start(write_file, NULL), "refused", "a lease of another session is refused");
    open_host("{\"faults\":[{\"op\":\"execute_action\",\"lose\":\"after\"}]}");
    ends(start(write_file, NULL), "completed", "a lost receipt is recovered");
    open_host("{\"verify\":false,\"faults\":[{\"op\":\"execute_action\",\"crash\":\"after\"},{\"op\":\"recover\","
              "\"crash\":\"before\"}]}");
    ends(start(write_file, NULL), "indeterminate", "without recovery nobody knows");
}

static void test_policies(void)
{
    open_host("{}");
    add_policy("hard", "return require 'interlock.policy' { name = 'p', preview = function(a, ctx) "
               "return require 'interlock.policy'.deny('not ' .. a.arguments.path) end }");
    ends(start(write_file, NULL), "blocked", "a policy that denies");
    open_host("{}");
    add_policy("hard",
               "local policy = require 'interlock.policy' return policy { name = 'p', preview = function(a, ctx) "
               "if ctx.time.hour == 18 then return policy.ask('late') end end }");
    ends(start(write_file, NULL), "waiting", "a policy that asks");
    open_host("{}");
    add_policy("advisory", "return require 'interlock.policy' { name = 'p', execute = function(a, ctx) "
               "assert(ctx.lease.action_budget == 1) end }");
    ends(start(write_file, NULL), "completed", "a policy that looks on at execute");
    open_host("{}");
    add_policy("soft",
               "return require 'interlock.policy' { name = 'p', execute = function(a, ctx) error('broken') end }");
    ends(start(write_file, NULL), "blocked", "a policy that fails at execute denies");
}

static void test_workflows(void)
{
    open_host("{}");
    ends(start(write_file, "return function(run) run:deny('no') end"), "blocked", "a workflow that denies");
    ends(start(write_file, "return function(run) run:execute() end"), "failed", "execute out of order sends nothing");
    ends(start(write_file, "return function(run) local p = run:preview() error(p.envelope.tool) end"), "failed",
         "a script error");
    ends(start(write_file, "return function(run) run:preview() run:acquire_lease() run:execute() end"), "completed",
         "the core verifies when the script does not");
    ends(start(write_file,
               "return function(run) run:preview() run:acquire_lease() run:execute() while true do end end"),
         "completed", "also when a limit ends it after execute");
    ends(start(write_file, "return function(run) run:observe('visual') local s = run:observe('semantic').semantic "
               "assert(s.elements[1].label == 'Save') local p = run:preview() assert(run:reserve() == nil) "
               "local l = run:acquire_lease() assert(l.lease_id:sub(1, 7) == 'sha256:') local r = run:execute() "
               "assert(r.result.ok == true and r.status == 'committed') local o = run:verify() assert(o.verified) end"),
         "completed", "every view holds what was accepted");
}

static void try_runtime(const char *name, const char *info, const char *source)
{
    if (strcmp(info, "lua runtime") != 0) return;
    open_host(NULL);
    tap_int(il_host_set_runtime_lua(host, str(name), str(source), str(NULL), &err), IL_OK, "%s is a runtime (%s)", name,
            err.message);
    ends(start("{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"}}", NULL), "committed_unverified",
         "a run with it");
    ends(start("{\"tool\":\"type\"}", NULL), "indeterminate", "and one that it refuses, since it recovers nothing");
}

int main(void)
{
    test_runs();
    test_policies();
    test_workflows();
    page_blocks("lua/README.md", try_runtime);
    il_host_free(host);
    return tap_done();
}
