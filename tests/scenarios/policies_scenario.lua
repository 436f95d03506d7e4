-- What policies may do (SPEC §5): ask and deny, never lower; each of every bundle is asked in every phase. A
-- policy that fails has denied.

local function copy()
  return { tool = "write_clipboard", arguments = { text = "hi" },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end

local function bundle(body, level, name)
  return { files = {
    ["bundle.json"] = '{"name":"' .. (name or "b") .. '","version":"1","requires":1,' ..
      '"policies":[{"file":"p.lua","level":"' .. (level or "hard") .. '"}]}',
    ["p.lua"] = 'local policy = require "interlock.policy"\nreturn policy { name = "p", ' .. body .. " }",
  } }
end
local function at(phase, body, level, name)
  return bundle(phase .. " = function(action, ctx) " .. body .. " end", level, name)
end

local function with(policies, play, runtime)
  return { runtime = fake(runtime or {}), policies = policies, play = play }
end

local function expect_done(s)
  s:expect_status "committed_unverified"
  s:expect_effects(1)
end
local function expect_blocked(reason)
  return function(s)
    s:start(copy())
    s:expect_status "blocked"
    s:expect_reason(reason)
    s:expect_exit(reason == "policy_denied" and 1 or 3)
    s:expect_effects(0)
    s:expect_leases(0)
    s:expect_reservations(0)
  end
end
-- A deny that comes when reservation and lease are held.
local function expect_blocked_late(reason)
  return function(s)
    s:start(copy())
    s:expect_status "blocked"
    s:expect_reason(reason)
    s:expect_effects(0)
    s:expect_calls("execute_action", 0)
    s:expect_reservations(1)
    s:expect_releases(1)
    s:expect_leases(1)
    s:expect_lease_releases(1)
  end
end
local function runs(s)
  s:start(copy())
  expect_done(s)
end
-- Waits, and is done when somebody gives a reason.
local function overridden(s)
  s:start(copy())
  s:expect_waiting()
  s:expect_effects(0)
  s:approve {}
  s:approve { reason = "" }
  s:expect_waiting() -- nobody has said why
  s:expect_effects(0)
  s:approve { reason = "I know better" }
  expect_done(s)
end

local DENY = "return policy.deny('no', { code = 'no' })"
local BREAK = "error('broken')"
local LOOP = "while true do end"
local WRONG = "return true"

-- ---- levels ----

scenario "advisory: a deny is reported only" (with({ at("preview", DENY, "advisory") }, runs))
scenario "soft: a deny becomes an ask for a person with a reason" (with({ at("preview", DENY, "soft") }, overridden))
scenario "hard: a deny stands" (with({ at("preview", DENY) }, expect_blocked "policy_denied"))
scenario "hard: a deny in propose ends the run before its preview" (with({ at("propose", DENY) }, function(s)
  expect_blocked "policy_denied" (s)
  s:expect_calls("preview_action", 0)
end))
scenario "advisory: an ask is reported only" (with({ at("preview", "return policy.ask('hm')", "advisory") }, runs))
scenario "a policy without an opinion changes nothing" (with({ at("preview", "") }, runs))

-- ---- failures ----

for what, body in pairs { ["that raises"] = BREAK, ["that loops"] = LOOP, ["that says true"] = WRONG,
  ["that says a text"] = "return 'deny'", ["that takes all memory"] = "local t = {} while true do t[#t + 1] = {} end" }
do
  scenario("a hard policy " .. what .. " has denied") (with({ at("preview", body) }, expect_blocked "policy_error"))
  scenario("an advisory policy " .. what .. " counts as soft") (with({ at("preview", body, "advisory") }, overridden))
  scenario("in execute a policy " .. what .. " ends the run, whatever its level") (with(
    { at("execute", body, "advisory") }, expect_blocked_late "policy_error"))
end

scenario "who overrode an error has not overridden the error in execute" (with({ bundle(
  "preview = function() error('broken') end, execute = function() error('broken') end", "soft") }, function(s)
  s:start(copy())
  s:approve { reason = "go on" }
  s:expect_status "blocked"
  s:expect_reason "policy_error"
  s:expect_effects(0)
  s:expect_releases(1)
  s:expect_lease_releases(1)
end))

-- ---- execute ----

scenario "a hard deny in execute ends the run with nothing sent and all released" (with({ at("execute", DENY) },
  expect_blocked_late "policy_denied"))
scenario "a soft deny in execute ends the run when nobody overrode it" (with({ at("execute", DENY, "soft") },
  expect_blocked_late "policy_denied"))
scenario "an ask in execute is a deny" (with({ at("execute", "return policy.ask('hm')") },
  expect_blocked_late "policy_denied"))
scenario "an advisory deny in execute is reported only" (with({ at("execute", DENY, "advisory") }, runs))

local function both(execute_code)
  return bundle("preview = function() " .. DENY .. " end, execute = function() return policy.deny('no', { code = '" ..
    execute_code .. "' }) end", "soft")
end
scenario "a soft deny in execute that was overridden in this run does not end it" (with({ both "no" }, overridden))
scenario "an override of one code is none of another" (with({ both "other" }, function(s)
  s:start(copy())
  s:approve { reason = "I know better" }
  s:expect_status "blocked"
  s:expect_reason "policy_denied"
  s:expect_effects(0)
  s:expect_lease_releases(1)
end))

scenario "execute sees the lease that was given" (with({ at("execute",
  "if ctx.lease.action_budget > 1 then return policy.deny('too much') end") }, function(s)
  s:start(copy())
  s:expect_status "blocked"
  s:expect_effects(0)
  s:expect_lease_releases(1)
end, { faults = { { op = "acquire_lease", set = { ["/actionBudget"] = 2 } } } }))

-- ---- approve ----

scenario "a deny in approve voids that one decision, and the request stays open" {
  runtime = fake {},
  approvers = { { id = "ann" }, { id = "bob" } },
  policies = { bundle("preview = function() return policy.ask('hm') end, approve = function(_, ctx) " ..
    "if ctx.decision.approver == 'ann' then return policy.deny('not ann') end end") },
  play = function(s)
    s:start(copy())
    s:approve { by = "ann", expect = "approval_mismatch" }
    s:expect_waiting()
    s:expect_effects(0)
    s:approve { by = "bob" }
    expect_done(s)
  end,
}

for what, body in pairs { raises = BREAK, loops = LOOP, asks = "return policy.ask('hm')" } do
  scenario("a policy that " .. what .. " in approve voids the decision") (with({ bundle(
    "preview = function() return policy.ask('hm') end, approve = function() " .. body .. " end") }, function(s)
    s:start(copy())
    s:approve { expect = "approval_mismatch" }
    s:expect_waiting()
    s:expect_effects(0)
  end))
end

-- ---- together ----

scenario "two bundles: either can deny" (with({ at("preview", "", "hard", "one"), at("preview", DENY, "hard", "two") },
  expect_blocked "policy_denied"))
scenario "two bundles that ask: each need must be met" (with({ at("preview", "return policy.ask('one')", "hard", "one"),
  at("preview", DENY, "soft", "two") }, overridden))
scenario "a bundle that breaks keeps no other from being asked" (with({ at("preview", BREAK, "advisory", "one"),
  at("preview", DENY, "hard", "two") }, expect_blocked "policy_denied"))
scenario "policies share nothing: what one sets the other does not see" (with({
  at("preview", "shared = 'set'", "hard", "one"),
  at("preview", "local ok, seen = pcall(function() return shared end) " ..
    "if ok and seen then return policy.deny('seen') end", "hard", "two") }, runs))
scenario "a policy remembers nothing from one phase to the next" (with({ bundle(
  "preview = function() shared = 'set' end, execute = function() " ..
  "local ok, seen = pcall(function() return shared end) if ok and seen then return policy.deny('seen') end end") },
  runs))

scenario "no policy lowers what the runtime demands" (with({ at("preview", "") }, function(s)
  s:start(copy())
  s:expect_waiting()
  s:expect_effects(0)
end, { policy = "confirm" }))
scenario "a policy's deny outweighs the runtime's approval" (with({ at("preview", DENY) }, function(s)
  s:start(copy())
  s:expect_status "blocked"
  s:expect_reason "policy_denied"
  s:expect_effects(0)
end, { policy = "confirm" }))
scenario "what the runtime blocks stays blocked where the policy says nothing" (with({ at("preview", "", "soft") },
  function(s)
    s:start(copy())
    s:expect_status "blocked"
    s:expect_effects(0)
  end, { policy = "deny" }))
