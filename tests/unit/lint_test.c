/* Lint: each rule finds what it is for, with place and what to write, and is silent beside it; the repository's own
 * policies have nothing to find. */
#include "script/lint.h"

#include "base/limits.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct il__mem mem;

enum { FILES_MAX = 8 };
struct bundle {
    struct il_file files[FILES_MAX];
    size_t count;
};

static const char manifest[] =
    "{ \"name\": \"b\", \"version\": \"1\", \"requires\": 1, \"policies\": [\n"
    "  { \"file\": \"p.lua\", \"level\": \"hard\", \"params\": {\n"
    "    \"opens\": { \"type\": \"integer\", \"default\": 8 },\n"
    "    \"days\": { \"type\": \"strings\" } } } ],\n"
    "  \"files\": [ \"lib/list.lua\" ] }\n";
static const char head[] = "local policy = require \"interlock.policy\"\nlocal list = require \"lib.list\"\n";
static const char uses[] = "list.f(ctx.params.opens, ctx.params.days)\n";

/* The findings as text: "RULE FILE LINE:COLUMN MESSAGE; FIX", one a line. */
static void look(const struct il_file *files, size_t count, struct il__buf *out)
{
    struct il__arena arena;
    struct il__findings found = { 0 };
    struct il_error err = IL_ERROR_INIT;
    il__arena_init(&arena, &mem);
    if (il__lint_bundle(&arena, files, count, &found, &err) != IL_OK) il__buf_printf(out, "failed: %s\n", err.message);
    for (size_t i = 0; i < found.count; i++) {
        const struct il__finding *f = &found.items[i];
        il__buf_printf(out, "%s %.*s %u:%u %.*s; %.*s\n", il__lint_id(f->rule), IL_STR_FMT(f->file), f->line, f->column,
                       IL_STR_FMT(f->message), IL_STR_FMT(f->fix));
    }
    il__arena_clear(&arena);
}

static void look_alone(const char *source, struct il__buf *out)
{
    static const char alone[] = "{ \"name\": \"b\", \"version\": \"1\", \"requires\": 1, \"policies\": [\n"
                                "  { \"file\": \"p.lua\", \"level\": \"hard\" } ] }";
    struct il_file files[] = { { IL_STR("bundle.json"), il__str(alone) }, { IL_STR("p.lua"), il__str(source) } };
    look(files, 2, out);
}

static void look_at(const char *bundle_json, const char *source, struct il__buf *out)
{
    struct il_file files[] = {
        { IL_STR("bundle.json"), il__str(bundle_json) },
        { IL_STR("p.lua"), il__str(source) },
        { IL_STR("lib/list.lua"), IL_STR("return { f = function(...) return ... end }\n") },
    };
    look(files, 3, out);
}

/* `body` stands in the function of phase preview, on line 5 (after `return policy {`). */
static void in_phase(const char *phase, const char *body, struct il__buf *out)
{
    struct il__buf source;
    il__buf_init(&source, &mem, 0);
    il__buf_printf(&source, "%sreturn policy { name = \"p\", %s = function(action, ctx) %s%s\nend }\n", head, phase,
                   uses, body);
    look_at(manifest, il__buf_get(&source).ptr, out);
    il__buf_clear(&source);
}

static void same(struct il__buf *out, const char *want, const char *what)
{
    tap_str(il__buf_get(out).len ? il__buf_get(out) : IL_STR(""), want, "%s", what);
    il__buf_clear(out);
}

/* The whole of what is found in a phase; "" is nothing. Line 4 is the body's first. */
static void phase_finds(const char *phase, const char *body, const char *want)
{
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    in_phase(phase, body, &out);
    same(&out, want, body);
}

static void finds(const char *body, const char *want)
{
    phase_finds("preview", body, want);
}

/* A whole file, in a bundle whose parameters are all used. */
static void file_finds(const char *source, const char *want)
{
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    look_alone(source, &out);
    same(&out, want, source);
}

#define P "local policy = require \"interlock.policy\"\n"

static void test_syntax(void)
{
    finds("if action.tool = 'x' then return end",
          "syntax p.lua 4:16 `=` sets a variable, it does not compare; write `==` to compare\n");
    file_finds(P "return policy { name = 'x', preview = function() goto l do local x <close> = nil end ::l:: end }",
               "syntax p.lua 2:1 <close> is not offered; \n"
               "dead-code p.lua 2:57 this is never reached: line 2 leaves; remove it, or move it up\n"
               "unused-local p.lua 2:66 nothing reads `x`; remove it, or let its name begin with `_`\n");
}

static void test_globals(void)
{
    finds("return polcy.ask('x')", "unknown-global p.lua 4:8 there is no `polcy`; did you mean `policy`?\n");
    finds("return policy.ask(tostrng(1))",
          "unknown-global p.lua 4:19 there is no `tostrng`; did you mean `tostring`?\n");
    finds("if os.time() > 1 then return end",
          "unknown-global p.lua 4:4 there is no `os`; os is not offered: time comes from the host\n");
    finds("return policy.ask(string.upper('x') .. tostring(math.max(1, 2)))", "");
    finds("return policy.ask(gsub('x', 'y', 'z'))",
          "unknown-global p.lua 4:19 there is no `gsub`; write `string.gsub`\n");
    file_finds(
        P "local function late() return ctx.time.hour > 5 end\n"
          "return policy { name = 'x', preview = function() if late() then return policy.ask('x') end end }",
        "unknown-global p.lua 2:30 there is no `ctx`; only a phase is given `ctx`: hand it to this function as a "
        "parameter\n");
    file_finds(
        "return policy { name = 'x', preview = function() end }",
        "unknown-global p.lua 1:8 there is no `policy`; write local policy = require \"interlock.policy\" at the "
        "top\n");
    finds("count = 1\nif count == 1 then return end",
          "global-write p.lua 4:1 `count` is set as a global; write `local count`\n");
    finds("local count = 1\nif count == 1 then return end", "");
    finds("string.foo('x')", "unknown-field p.lua 4:8 string has no member `foo`; \n");
    finds("list.f(string.uper('x'))", "unknown-field p.lua 4:15 string has no member `uper`; did you mean `upper`?\n");
}

static void test_locals(void)
{
    finds("local x = 1", "unused-local p.lua 4:7 nothing reads `x`; remove it, or let its name begin with `_`\n");
    finds("local function f() end",
          "unused-local p.lua 4:16 nothing reads `f`; remove it, or let its name begin with `_`\n");
    finds("local _x, y = 1, 2\nlist.f(y)\nfor i, v in ipairs {} do end", "");
    finds("local x = 1\nx = 2",
          "unused-local p.lua 4:7 nothing reads `x`; remove it, or let its name begin with `_`\n");
    finds("local ctx = 1\nlist.f(ctx)",
          "shadow p.lua 4:7 `ctx` hides the local of line 3; give one of them another name\n");
    finds("local string = 1\nlist.f(string)",
          "shadow p.lua 4:7 `string` hides the global of that name; give it another name\n");
    finds("do local a = 1 list.f(a) end\ndo local a = 1 list.f(a) end", "");
}

static void test_fields(void)
{
    finds("if action.tol == 'x' then return end",
          "unknown-field p.lua 4:11 action has no member `tol`; did you mean `tool`?\n");
    finds("if action.tool == 'x' and action.mode == 'shadow' and action.arguments.anything then return end", "");
    finds("if ctx.tme.hour == 1 then return end",
          "unknown-field p.lua 4:8 ctx has no member `tme`; did you mean `time`?\n");
    finds("if ctx.time.hours == 1 then return end",
          "unknown-field p.lua 4:13 time has no member `hours`; did you mean `hour`?\n");
    finds("local time, action_class = ctx.time, action.action_class\nif time.huor == 1 or action_class == 'financal' "
          "then return end",
          "unknown-field p.lua 5:9 time has no member `huor`; did you mean `hour`?\n"
          "unknown-text p.lua 5:38 this is never `financal`; did you mean `financial`?\n");
    finds("if action.target and action.target.app_di == 'x' then return end",
          "unknown-field p.lua 4:36 target evidence has no member `app_di`; did you mean `app_id`?\n");
    finds("if ctx.time_in('Z').hors == 1 then return end",
          "unknown-field p.lua 4:21 time has no member `hors`; did you mean `hour`?\n");
    finds("if policy.globb('a', 'b') then return end",
          "unknown-field p.lua 4:11 policy has no member `globb`; did you mean `glob`?\n");
    finds("action.tool = 'x'", "read-only p.lua 4:1 action is read-only; keep what you need in a local\n");
    finds("ctx.time.hour = 3", "read-only p.lua 4:1 time is read-only; keep what you need in a local\n");
    finds("local t = {}\nt.tool = 'x'\nlist.f(t)", "");
    finds("return policy:ask('x')",
          "colon p.lua 4:15 functions of policy are called with a dot; write policy.ask(...)\n");
    finds("return policy.ask(('x'):upper())", "");
    file_finds(
        P "local function late(c) return c.time.hous > 5 end\n"
          "return policy { name = 'x', preview = function(_, ctx) if late(ctx) then return policy.ask('x') end end }",
        "unknown-field p.lua 2:38 time has no member `hous`; did you mean `hour`?\n");
    file_finds(P
               "local function check(action, ctx) if action.tol == ctx.time.hour then return policy.ask('x') end end\n"
               "return policy { name = 'x', preview = check }",
               "unknown-field p.lua 2:45 action has no member `tol`; did you mean `tool`?\n");
    file_finds(P "local function any(x) return x.whatever end\n"
                 "return policy { name = 'x', preview = function(a, ctx) if any(a) or any(ctx) then return end end }",
               "");
}

static void test_phases(void)
{
    phase_finds(
        "propose", "if ctx.route == 'allowed' then return end",
        "phase-field p.lua 4:8 ctx has no `route` in phase propose; it is there in preview, approve and execute\n");
    phase_finds("preview", "if ctx.route == 'allowed' then return end", "");
    phase_finds(
        "propose", "if action.action_class == 'observe' then return end",
        "phase-field p.lua 4:11 action has no `action_class` in phase propose; it is there in preview, approve and "
        "execute\n");
    phase_finds("preview", "if ctx.lease then return end",
                "phase-field p.lua 4:8 ctx has no `lease` in phase preview; it is there in execute\n");
    phase_finds("execute", "if ctx.lease.action_budget > 1 then return end", "");
    phase_finds("preview", "if ctx.decision then return end",
                "phase-field p.lua 4:8 ctx has no `decision` in phase preview; it is there in approve\n");
    phase_finds("approve", "if ctx.decision.approver == 'x' then return policy.deny('x') end", "");
    file_finds(
        P "local function check(_, ctx) if ctx.phase == 'execute' and ctx.lease then return policy.deny('x') end end\n"
          "return policy { name = 'x', preview = check, execute = check }",
        "");
    file_finds(P "local function check(_, ctx) if ctx.lease then return policy.deny('x') end end\n"
                 "return policy { name = 'x', preview = check, execute = check }",
               "phase-field p.lua 2:37 ctx has no `lease` in phase preview; it is there in execute\n");
    phase_finds(
        "execute", "return policy.ask('x')",
        "ask-denies p.lua 4:8 in this phase nobody is asked any more: an ask counts as a deny; write policy.deny, or "
        "ask in `preview`\n");
    phase_finds(
        "approve", "return policy.ask('x')",
        "ask-denies p.lua 4:8 in this phase nobody is asked any more: an ask counts as a deny; write policy.deny, or "
        "ask in `preview`\n");
    phase_finds("propose", "return policy.ask('x')", "");
}

static void test_declarations(void)
{
    file_finds(P "return policy { name = 'x', previw = function() end }",
               "policy-shape p.lua 2:8 the policy has no phase; write preview = function(action, ctx) ... end\n"
               "policy-shape p.lua 2:29 a policy has no `previw`; did you mean `preview`?\n");
    file_finds(P "return policy { preview = function() end }",
               "policy-shape p.lua 2:8 the policy has no name; write name = \"office-hours\",\n");
    file_finds(P "return policy { name = 'x', preview = true }",
               "policy-shape p.lua 2:39 a phase is a function; write preview = function(action, ctx) ... end\n");
    file_finds(P "policy { name = 'x', preview = function() end }",
               "no-policy p.lua 2:1 the policy is declared and not returned; write `return policy { ... }`\n");
    file_finds(P "return { name = 'x', preview = function() end }",
               "unused-local p.lua 1:7 nothing reads `policy`; remove it, or let its name begin with `_`\n"
               "no-policy p.lua 2:8 this is no policy; write `return policy { ... }`\n");
    file_finds("local x = 1\nlog.info(x)\n",
               "no-policy p.lua 3:1 this file returns no policy; end it with `return policy { name = ..., preview = "
               "function(action, ctx) ... end }`\n");
    file_finds(P "local made = policy { name = 'x', preview = function() end }\nreturn made", "");
}

static void test_verdicts(void)
{
    finds("policy.ask('x')",
          "dropped-verdict p.lua 4:1 this verdict is made and dropped: it decides nothing; write `return` before it\n");
    finds(
        "if action.tool == 'x' then policy.deny('x') end",
        "dropped-verdict p.lua 4:28 this verdict is made and dropped: it decides nothing; write `return` before it\n");
    finds("local verdict = policy.deny('x')\nreturn verdict", "");
    finds("return policy.ask()",
          "no-reason p.lua 4:8 policy.ask needs a reason that people read; write policy.ask(\"why\")\n");
    finds("return policy.deny { code = 'x' }",
          "no-reason p.lua 4:8 policy.deny needs a reason that people read; write policy.deny(\"why\")\n");
    finds("return policy.deny('')",
          "no-reason p.lua 4:8 policy.deny needs a reason that people read; write policy.deny(\"why\")\n");
    finds("return policy.ask('x', { aprovers = 2 })",
          "unknown-option p.lua 4:26 policy.ask has no option `aprovers`; did you mean `approvers`?\n");
    finds("return policy.deny('x', { roles = {} })",
          "unknown-option p.lua 4:27 policy.deny has no option `roles`; there are: code, remedy\n");
    finds("return policy.ask('x', { approvers = 2, timeout = '1h', roles = { 'a' }, code = 'c', remedy = 'r' })", "");
    finds("local left = ctx.limit { key = 'k', max = 3, pr = '1h' }\nlist.f(left)",
          "unknown-option p.lua 4:46 ctx.limit has no option `pr`; did you mean `per`?\n");
    finds("return true", "not-a-verdict p.lua 4:8 a phase cannot return this; return nothing, policy.ask(\"why\") or "
                         "policy.deny(\"why\")\n");
    finds("return 'deny'", "not-a-verdict p.lua 4:8 a phase cannot return this; return nothing, policy.ask(\"why\") or "
                           "policy.deny(\"why\")\n");
    finds("return action.tool == 'x'", "not-a-verdict p.lua 4:8 a phase cannot return this; return nothing, "
                                       "policy.ask(\"why\") or policy.deny(\"why\")\n");
    finds("return policy.deny",
          "not-a-verdict p.lua 4:8 the function itself is returned, not a verdict; call it: policy.deny(\"why\")\n");
    finds("return policy.deny('x'), 1", "not-a-verdict p.lua 4:26 a phase returns one value; return nothing, "
                                        "policy.ask(\"why\") or policy.deny(\"why\")\n");
    finds("local function f() return true end\nif f() then return nil end", "");
    finds("return action.tool == 'x' and policy.deny('x') or nil", "");
}

static void test_texts(void)
{
    finds("if action.action_class == 'destructiv' then return end",
          "unknown-text p.lua 4:27 this is never `destructiv`; did you mean `destructive`?\n");
    finds("if 'destructive' ~= action.action_class then return end", "");
    finds("if 'delete' ~= action.action_class then return end",
          "unknown-text p.lua 4:4 this is never `delete`; it is one of observe, navigate, edit_reversible, "
          "communicate_external, "
          "authentication, financial, destructive, privilege_change, secret_access\n");
    finds("if ctx.phase == 'previw' then return end",
          "unknown-text p.lua 4:17 this is never `previw`; did you mean `preview`?\n");
    finds("if ctx.time.weekday == 'Sunday' then return end",
          "unknown-text p.lua 4:24 this is never `Sunday`; did you mean `sunday`?\n");
    finds("local risky = { destructive = true, finacial = true }\nif risky[action.action_class] then return end",
          "unknown-text p.lua 4:37 this is never `finacial`; did you mean `financial`?\n");
    finds("if policy.has({ 'observe', 'navigat' }, action.action_class) then return end",
          "unknown-text p.lua 4:28 this is never `navigat`; did you mean `navigate`?\n");
    finds("if action.tool == 'anything' then return end", "");
}

static void test_params(void)
{
    finds("if ctx.params.open == 1 then return end",
          "unknown-param p.lua 4:15 bundle.json declares no parameter `open` for this policy; did you mean `opens`?\n");
    finds("local params = ctx.params\nif params.opens == 1 then return end", "");
    finds(
        "local params = ctx.params\nif params.shut == 1 then return end",
        "unknown-param p.lua 5:11 bundle.json declares no parameter `shut` for this policy; declare it in bundle.json: "
        "\"params\": {\"name\": {\"type\": ..., \"default\": ...}}\n");
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    look_at(manifest,
            P "local list = require 'lib.list'\nreturn policy { name = 'x', preview = function(_, ctx) "
              "list.f(ctx.params.opens) end }",
            &out);
    same(&out,
         "unused-param bundle.json 4:6 nothing in p.lua reads the parameter `days`; remove it, or read ctx.params\n",
         "unused");
    look_at(manifest,
            P "local list = require 'lib.list'\nreturn policy { name = 'x', preview = function(_, ctx) "
              "list.f(ctx.params) end }",
            &out);
    same(&out, "", "handed on: may all be used");
    look_at(manifest,
            P
            "local list = require 'lib.list'\nreturn policy { name = 'x', preview = function(_, ctx) list.f(ctx) end }",
            &out);
    same(&out, "", "ctx handed on");
    look_at(manifest,
            P "local list = require 'lib.list'\nreturn policy { name = 'x', preview = function(_, ctx) local p = "
              "ctx.params or {} list.f(p.days) end }",
            &out);
    same(&out, "", "with a default");
    look_at(manifest,
            P "local list = require 'lib.list'\nlocal function days(c) return c.params.days end\nreturn policy { name "
              "= 'x', preview = function(_, ctx) list.f(days(ctx), ctx.params.opens) end }",
            &out);
    same(&out, "", "read by a function of the file");
}

static void test_dead(void)
{
    finds("do return end\nlist.f(1)",
          "dead-code p.lua 5:1 this is never reached: line 4 leaves; remove it, or move it up\n");
    finds("if action.tool == 'x' then return else return policy.ask('x') end\nlist.f(1)",
          "dead-code p.lua 5:1 this is never reached: line 4 leaves; remove it, or move it up\n");
    finds("if action.tool == 'x' then return end\nlist.f(1)", "");
    finds("if action.tool == 'x' then error('x') list.f(1) end",
          "dead-code p.lua 4:39 this is never reached: line 4 leaves; remove it, or move it up\n");
    finds("for _ in pairs {} do if action.tool == 'x' then goto next end list.f(1) ::next:: end", "");
    finds("if true then return end",
          "constant-condition p.lua 4:4 this condition is always true; remove the condition\n");
    finds("if not {} then return end",
          "constant-condition p.lua 4:4 this condition is always false; remove what stands behind it\n");
    finds("if action.tool == 'x' or 'y' then return end",
          "constant-condition p.lua 4:4 a text behind `or` is always true; write the comparison again: x == \"a\" or x "
          "== \"b\"\n");
    finds("if action.tool == action.tool then return end",
          "constant-condition p.lua 4:4 this condition is always true; remove the condition\n");
    finds("if action.tool == 'x' and false then return end",
          "constant-condition p.lua 4:4 this condition is always false; remove what stands behind it\n");
    finds("if action.tool and action.operation or action.mode then return end", "");
    finds("if list.f() == list.f() then return end", "");
    finds(
        "if action.tool == 'x' then return policy.ask('x') end\nif action.tool == 'x' then return policy.deny('x') end",
        "repeated-condition p.lua 5:4 this is never decided here: line 4 has taken this condition; remove it, or put "
        "it before the other one\n");
    finds("if action.tool == 'x' then return policy.ask('x') end\nif action.mode == 'shadow' and (action.tool == 'x') "
          "then return policy.deny('x') end",
          "repeated-condition p.lua 5:4 this is never decided here: line 4 has taken this condition; remove it, or put "
          "it before the other one\n");
    finds("if action.tool == 'y' or action.tool == 'x' then return policy.ask('x') end\nif action.tool == 'x' then "
          "return policy.deny('x') end",
          "repeated-condition p.lua 5:4 this is never decided here: line 4 has taken this condition; remove it, or put "
          "it before the other one\n");
    finds("if action.tool == 'x' then list.f(1) end\nif action.tool == 'x' then return policy.deny('x') end", "");
    finds("if list.f() then return policy.ask('x') end\nif list.f() then return policy.deny('x') end", "");
    finds("local n = 1\nif n == 1 then return end\nn = 2\nif n == 1 then return end", "");
    finds("if action.tool == 'x' then list.f(1) elseif action.tool == 'y' then list.f(2) elseif action.tool == 'x' "
          "then list.f(3) end",
          "repeated-condition p.lua 4:86 this is never decided here: line 4 has taken this condition; remove it, or "
          "put it before the other one\n");
    finds("if policy.under(action.tool, 'x') then list.f(1) elseif policy.under(action.tool, 'x') then list.f(3) end",
          "repeated-condition p.lua 4:57 this is never decided here: line 4 has taken this condition; remove it, or "
          "put it before the other one\n");
}

static void test_loops(void)
{
    finds("while true do list.f(1) end", "endless-loop p.lua 4:7 nothing ends this loop: the host would stop the "
                                         "script; give it a `break` or a `return`\n");
    finds("repeat list.f(1) until false", "endless-loop p.lua 4:24 nothing ends this loop: the host would stop the "
                                          "script; give it a `break` or a `return`\n");
    finds("while true do if list.f(1) then break end end", "");
    finds("while true do if list.f(1) then return end end", "");
    finds("while true do for _ in pairs {} do break end end",
          "endless-loop p.lua 4:7 nothing ends this loop: the host would stop the script; give it a `break` or a "
          "`return`\n");
    finds("while true do list.f(function() return end) end",
          "endless-loop p.lua 4:7 nothing ends this loop: the host would stop the script; give it a `break` or a "
          "`return`\n");
    finds("while true do if list.f(1) then error('x') end end", "");
    finds("while false do list.f(1) end",
          "constant-condition p.lua 4:7 this condition is always false; remove what stands behind it\n");
    finds("local t = { 1, 2 }\nt[1] = nil\nlist.f(#t)",
          "lossy-length p.lua 6:8 `t` may have holes, and then its length is any of several; use table.remove, or "
          "count in a variable\n");
    finds("local t = { 1, nil, 2 }\nlist.f(#t)", "lossy-length p.lua 5:8 `t` may have holes, and then its length is "
                                                 "any of several; use table.remove, or count in a variable\n");
    finds("local t = { 1, 2 }\nt[1], t.x = 3, nil\nlist.f(#t, #action.data_labels)", "");
}

static void test_bundle(void)
{
    struct il__buf out;
    il__buf_init(&out, &mem, 0);
    struct il_file files[] = {
        { IL_STR("bundle.json"),
          IL_STR("{ \"name\": \"b\", \"version\": \"1\", \"requires\": 1, \"policies\": [\n"
                 "  { \"file\": \"p.lua\", \"level\": \"hart\" } ], \"files\": [ \"a.lua\", \"b.lua\" ] }") },
        { IL_STR("p.lua"), IL_STR(P "local a, c = require 'a', require 'lib.c'\nreturn policy { name = 'x', preview = "
                                    "function() a(c) end }") },
        { IL_STR("a.lua"), IL_STR("return function() end") },
        { IL_STR("b.lua"), IL_STR("return 1") },
        { IL_STR("lib/c.lua"), IL_STR("return 1") },
        { IL_STR("p_test.lua"), IL_STR("return { { name = 'x', actin = acton } }") },
    };
    look(files, 6, &out);
    same(&out,
         "bundle bundle.json 2:23 /policies/0/level expected one of advisory, soft, hard, got another "
         "text; \n"
         "unused-file bundle.json 2:64 nothing requires b.lua; remove it, or `require` it\n"
         "unknown-module p.lua 2:35 bundle.json does not list the file of `lib.c`; list lib/c.lua in `files` of "
         "bundle.json\n"
         "unknown-global p_test.lua 1:32 there is no `acton`; \n",
         "a bundle with several faults");
    look(files + 1, 3, &out);
    same(&out,
         "bundle bundle.json 1:1 the bundle has no bundle.json; write bundle.json, or `interlock policy new`\n"
         "unknown-module p.lua 2:35 the bundle has no module `lib.c`; a module is a file that bundle.json lists: "
         "lib/list.lua is \"lib.list\"\n",
         "no bundle.json");
    files[0].bytes = IL_STR("{");
    look(files, 4, &out);
    tap_ok(out.len > 20 && memcmp(out.ptr, "bundle bundle.json 1:1 ", 23) == 0, "bundle.json that does not read");
    il__buf_clear(&out);
    finds("list.f(require 'lib.lst')",
          "unknown-module p.lua 4:16 the bundle has no module `lib.lst`; did you mean `lib.list`?\n");
}

/* script_levels and lint_findings bound what is done and said. */
static void test_bounds(void)
{
    struct il__buf source;
    struct il__arena arena;
    struct il__findings found = { 0 };
    struct il_file file = { IL_STR("p.lua"), { NULL, 0 } };
    il__buf_init(&source, &mem, 0);
    for (int i = 0; i < IL__LIMIT_LINT_FINDINGS + 5; i++) il__buf_printf(&source, "f%d()\n", i);
    file.bytes = il__buf_get(&source);
    il__arena_init(&arena, &mem);
    tap_ok(il__lint_bundle(&arena, &file, 1, &found, NULL) == IL_OK && found.count == IL__LIMIT_LINT_FINDINGS &&
               found.more == 6, "no more than lint_findings are kept (%zu and %zu more)", found.count, found.more);
    il__arena_clear(&arena);
    il__buf_clear(&source);
    for (uint64_t n = 1; n < 3000; n++) {
        struct il__mem small;
        il__mem_init(&small, NULL, NULL, 0);
        small.fail_at = n;
        il__arena_init(&arena, &small);
        file.bytes = IL_STR("local policy = require 'interlock.policy'\nif a == b then policy.ask('x') end");
        enum il_code code = il__lint_bundle(&arena, &file, 1, &found, NULL);
        il__arena_clear(&arena);
        if (small.in_use_bytes || (code != IL_OK && code != IL_OUT_OF_MEMORY)) tap_ok(false, "allocation %d", (int)n);
        if (code == IL_OK) break;
    }
}

/* ---- the repository ---------------------------------------------------------------------------------------------- */

struct reader { struct bundle bundle; size_t root; char *paths[FILES_MAX * 8]; };

static void one_bundle(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct il__buf out;
    size_t *bundles = ctx, folder = strlen(path) - strlen("bundle.json");
    char command[600], name[512];
    struct il_file files[64];
    size_t count = 0;
    (void)bytes;
    (void)len;
    snprintf(command, sizeof command, "%.*s", (int)folder, path);
    FILE *list = NULL;
    char find[700];
    snprintf(find, sizeof find, "find %s -type f | sort", command);
    list = popen(find, "r");
    while (list && count < 64 && fgets(name, sizeof name, list)) {
        name[strcspn(name, "\n")] = 0;
        size_t n = 0;
        char *text = tap_slurp(name, &n);
        files[count++] = (struct il_file){ il__str(strdup(name + folder)), { text, n } };
    }
    if (list) pclose(list);
    il__buf_init(&out, &mem, 0);
    look(files, count, &out);
    same(&out, "", path);
    for (size_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)files[i].path.ptr);
        free((void *)(uintptr_t)files[i].bytes.ptr);
    }
    ++*bundles;
}

int main(void)
{
    size_t bundles = 0;
    il__mem_init(&mem, NULL, NULL, 0);
    test_syntax();
    test_globals();
    test_locals();
    test_fields();
    test_phases();
    test_declarations();
    test_verdicts();
    test_texts();
    test_params();
    test_dead();
    test_loops();
    test_bundle();
    test_bounds();
    tap_each("policies", "bundle.json", one_bundle, &bundles);
    tap_each("examples", "bundle.json", one_bundle, &bundles);
    tap_ok(bundles > 2, "%zu bundles of the repository", bundles);
    tap_int((long long)mem.in_use_bytes, 0, "nothing is left");
    return tap_done();
}
