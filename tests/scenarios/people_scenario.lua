-- What policies ask of people (SPEC §6): so many, in such roles, none of them the one who acts; one no ends it.

local function copy()
  return { tool = "write_clipboard", arguments = { text = "hi" },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end
local PEOPLE = {
  { id = "operator-1" }, { id = "agent-1" }, { id = "ann", roles = { "editor" } }, { id = "bob", roles = { "editor" } },
  { id = "cleo", roles = { "owner", "editor" } }, { id = "dan" },
}

-- A bundle of one policy with this body.
local function bundle(body, name)
  return { files = {
    ["bundle.json"] = '{"name":"' .. (name or "b") .. '","version":"1","requires":1,"policies":[{"file":"p.lua",' ..
      '"level":"hard"}]}',
    ["p.lua"] = 'local policy = require "interlock.policy"\nreturn policy { name = "p", ' .. body .. " }",
  } }
end
local function asks(options, name)
  return bundle("preview = function() return policy.ask('people decide', " .. options .. ") end", name)
end

local function people(policies, play)
  return { runtime = fake {}, policies = policies, approvers = PEOPLE, agent = "agent-1", play = play }
end

local function expect_done(s)
  s:expect_status "committed_unverified"
  s:expect_effects(1)
  s:expect_reservations(1)
  s:expect_releases(1)
end
local function expect_open(s)
  s:expect_waiting()
  s:expect_effects(0)
  s:expect_reservations(0)
  s:expect_leases(0)
end

scenario "two of many: the second decision moves the run, not the first" (people({ asks "{ approvers = 2 }" },
  function(s)
    s:start(copy())
    s:approve { by = "ann" }
    expect_open(s)
    s:approve { by = "dan" }
    expect_done(s)
  end))

scenario "the same person twice is one" (people({ asks "{ approvers = 2 }" }, function(s)
  s:start(copy())
  s:approve { by = "ann" }
  s:approve { by = "ann" }
  expect_open(s)
  s:approve { by = "bob" }
  expect_done(s)
end))

scenario "who is not declared does not count" (people({ asks "{ approvers = 1 }" }, function(s)
  s:start(copy())
  s:approve { by = "mallory", expect = "approval_mismatch" }
  s:approve { by = "Ann", expect = "approval_mismatch" }
  s:approve { expect = "approval_mismatch" }
  expect_open(s)
end))

scenario "who acts, and the agent that acts, approve nothing of their own" (people({ asks "{ approvers = 1 }" },
  function(s)
    s:start(copy())
    s:approve { by = "operator-1", expect = "approval_mismatch" }
    s:approve { by = "agent-1", expect = "approval_mismatch" }
    expect_open(s)
    s:approve { by = "dan" }
    expect_done(s)
  end))

scenario "a role is asked for: only who has it counts" (people(
  { asks "{ approvers = 2, roles = { 'owner', 'editor' } }" }, function(s)
    s:start(copy())
    s:approve { by = "ann" }
    s:approve { by = "dan" }
    expect_open(s)
    s:approve { by = "cleo" }
    expect_done(s)
  end))

scenario "one decision serves two needs, and each has its own count" (people({
  asks "{ approvers = 1, roles = { 'owner' } }", asks("{ approvers = 2 }", "c"),
}, function(s)
  s:start(copy())
  s:approve { by = "cleo" }
  expect_open(s)
  s:approve { by = "dan" }
  expect_done(s)
end))

scenario "one no outweighs any yes" (people({ asks "{ approvers = 3 }" }, function(s)
  s:start(copy())
  s:approve { by = "ann" }
  s:approve { by = "bob" }
  s:deny { by = "dan", reason = "no" }
  s:expect_status "denied"
  s:expect_exit(1)
  s:expect_retry_safe(true)
  s:expect_effects(0)
  s:expect_reservations(0)
  s:approve { by = "cleo", expect = "approval_mismatch" }
  s:expect_status "denied"
  s:expect_effects(0)
end))

scenario "a no that comes after the approval, before the send, still ends the run" {
  runtime = fake { latency = { acquire_lease = "5s" } },
  policies = { asks "{ approvers = 1 }" }, approvers = PEOPLE,
  play = function(s)
    s:start(copy())
    local d = s:document()
    s:approve { by = "ann" }
    s:advance "1s"
    s:deny { by = "bob", reason = "wait", request = d.requestId, action_digest = d.actionDigest,
      policy_digest = d.policyDigest, proposal_digest = d.proposalDigest }
    s:advance "10s"
    s:expect_status "denied"
    s:expect_effects(0)
    s:expect_calls("execute_action", 0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "a wish for a fresh look is a no" (people({ asks "{ approvers = 2 }" }, function(s)
  s:start(copy())
  s:reobserve { by = "ann" }
  s:expect_status "denied"
  s:expect_effects(0)
end))

scenario "defer leaves the request open" (people({ asks "{ approvers = 1 }" }, function(s)
  s:start(copy())
  s:defer { by = "ann" }
  expect_open(s)
  s:approve { by = "ann" }
  expect_done(s)
end))

for name, member in pairs { ["action digest"] = "action_digest", ["policy digest"] = "policy_digest",
  ["request"] = "request" } do
  scenario("a decision about another " .. name .. " does not count") (people({ asks "{ approvers = 1 }" }, function(s)
    s:start(copy())
    s:approve { by = "ann", [member] = ("0"):rep(64), expect = "approval_mismatch" }
    expect_open(s)
  end))
end

scenario "the runtime and people: both must agree, in either order" {
  runtime = fake { policy = "confirm" },
  policies = { asks "{ approvers = 1 }" }, approvers = PEOPLE,
  play = function(s)
    s:start(copy())
    local d = s:document()
    s:answer { requestId = d.requestId, actionDigest = d.actionDigest, policyDigest = d.policyDigest,
      grantId = "grant-1" }
    expect_open(s)
    s:approve { by = "ann" }
    expect_done(s)
  end,
}

scenario "where only people were asked, a grant is refused" (people({ asks "{ approvers = 1 }" }, function(s)
  s:start(copy())
  local d = s:document()
  s:answer({ requestId = d.requestId, actionDigest = d.actionDigest, policyDigest = d.policyDigest,
    grantId = "grant-1" }, { expect = "approval_mismatch" })
  expect_open(s)
end))

scenario "the shortest time-out holds" {
  runtime = fake { envelope = { expires_in = "1h" } },
  options = { envelope_ttl = "1h" },
  policies = { asks "{ approvers = 1, timeout = '10m' }", asks("{ approvers = 1, timeout = '2m' }", "c") },
  approvers = PEOPLE,
  play = function(s)
    s:start(copy())
    s:advance "119999ms"
    expect_open(s)
    s:advance "1ms"
    s:expect_status "expired"
    s:expect_effects(0)
  end,
}

-- ---- without declared approvers ----

scenario "without approvers everybody is the one local operator, good for one" {
  runtime = fake {},
  policies = { asks "{ approvers = 1 }" },
  play = function(s)
    s:start(copy())
    s:approve { by = "whoever" }
    expect_done(s)
  end,
}

scenario "without approvers an ask for two is a deny" {
  runtime = fake {},
  policies = { asks "{ approvers = 2 }" },
  play = function(s)
    s:start(copy())
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    s:expect_effects(0)
    s:expect_reservations(0)
  end,
}

scenario "without approvers an ask for a role is a deny" {
  runtime = fake {},
  policies = { asks "{ roles = { 'owner' } }" },
  play = function(s)
    s:start(copy())
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    s:expect_effects(0)
  end,
}

-- ---- before the preview ----

scenario "an ask in propose waits before the preview, for hours, and is bound to the proposal" {
  runtime = fake {},
  policies = { bundle "propose = function() return policy.ask('early', { timeout = '12h' }) end" },
  play = function(s)
    s:start(copy())
    s:expect_waiting()
    s:expect_calls("preview_action", 0)
    local d = s:document()
    s:expect(d.actionDigest == json.null and d.policyDigest == json.null, "there are no digests of a preview yet")
    s:advance "11h"
    s:approve { proposal_digest = ("0"):rep(64), expect = "approval_mismatch" }
    s:expect_waiting()
    s:approve {}
    s:expect_status "committed_unverified"
    s:expect_calls("preview_action", 1)
    s:expect_effects(1)
  end,
}

scenario "an ask in propose that nobody answers runs out after a day" {
  runtime = fake {},
  policies = { bundle "propose = function() return policy.ask('early') end" },
  play = function(s)
    s:start(copy())
    s:advance "86399s"
    s:expect_waiting()
    s:advance "1s"
    s:expect_status "expired"
    s:expect_calls("preview_action", 0)
  end,
}

scenario "asked before and after the preview: two requests, and the first answer does not serve the second" {
  runtime = fake { policy = "confirm" },
  policies = { bundle "propose = function() return policy.ask('early') end" },
  play = function(s)
    s:start(copy())
    local first = s:document().requestId
    s:approve {}
    s:expect_waiting()
    s:expect(s:document().requestId ~= first, "the second request has an id of its own")
    s:approve { request = first, expect = "approval_mismatch" }
    s:expect_effects(0)
    s:approve {}
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}
