-- Policies that changed while a run waited: verdicts only tighten. The run is kept under a new request, asked again, or
-- voided; whatever was decided before counts no more. A bundle that is gone is a conflict.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local null = json.null

local function policy(name, body, phase)
  return ([[local policy = require "interlock.policy"
  return policy { name = "%s", %s = function(action, ctx) %s end }]]):format(name, phase or "preview", body)
end

local ASK = policy("look", 'return policy.ask "have a look"')
local ASK_TWO = policy("look", 'return policy.ask("have a look", { approvers = 2 })')
local DENY = policy("look", 'return policy.deny("not any more", { code = "changed" })')
local NOTHING = policy("look", "")
local PROPOSE = policy("early", 'return policy.ask "before the preview"', "propose")

local w

local function approvers()
  for _, id in ipairs { "a", "b" } do assert(w.host:add_approver(id)) end
end

-- A run that waits under these policies, and was left.
local function left(policies, bend)
  w = world.durable()
  if policies then assert(w:bundle(policies)) end
  approvers()
  if bend then bend() end
  w:play()
  assert.are.equal("waiting", w.run:state())
  w.run_id = w.run:id()
end

-- The next host has these policies.
local function under(policies, change)
  local doc = w:stored()
  if w.run then assert(w.run:leave()) end
  w = w:next()
  w.run = nil
  if policies then assert(w:bundle(policies)) end
  approvers()
  local run, err = w:resume(change)
  return run, err, doc
end

local function results()
  local all = {}
  for _, record in ipairs(w:journal()) do
    if record.kind == "reload" then all[#all + 1] = record.body.result end
  end
  return table.concat(all, ", ")
end

describe("policies that changed while a run waited", function()
  after_each(function() w:close() end)

  it("but not really, in the same bundle, change nothing: the request stays", function()
    left { { "hard", ASK } }
    local _, _, before = under { { "hard", ASK } }
    assert.are.equal(before.requestId, w:document().requestId)
    assert.are.equal("", results())
  end)

  it("and say the same keep the run, under a new request", function()
    left { { "hard", ASK } }
    local _, _, before = under { { "hard", ASK .. " -- as before" } }
    assert.are.equal("kept", results())
    assert.are.equal("waiting", w.run:state())
    assert.are_not.equal(before.requestId, w:document().requestId)
    assert.are_not.equal(before.hostPolicyDigest, w:document().hostPolicyDigest)
    assert.are.equal(before.actionDigest, w:document().actionDigest)
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("void the old request: an answer to it is refused", function()
    left { { "hard", ASK } }
    local _, _, before = under { { "hard", ASK .. " -- as before" } }
    local ok, err = w:decide { approver = "a", request_id = before.requestId }
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch request_id", err.code .. " " .. err.field)
    assert.are.equal("waiting", w.run:state())
    says.nothing(w)
  end)

  it("void every decision made before", function()
    left { { "hard", ASK_TWO } }
    assert(w:decide { approver = "a" })
    assert.are.equal(1, w:document().needs[1].given)
    under { { "hard", ASK_TWO .. " -- as before" } }
    assert.are.equal("kept", results())
    assert.are.equal(0, w:document().needs[1].given)
    assert(w:decide { approver = "b" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("void the runtime's approval, too", function()
    left({ { "hard", ASK } }, function() w:asks_approval() end)
    assert(w:answer { grantId = "grant-1" })
    assert.are.equal("waiting", w.run:state())
    under { { "hard", ASK .. " -- as before" } }
    assert(w:decide { approver = "a" })
    assert.are.equal("waiting", w.run:state())
    assert.is_false(w:document().needs[1].met)
    assert(w:answer { grantId = "grant-2" })
    assert.are.equal("grant-2", w.desk.bodies.execute_action[1].grantId)
  end)

  it("and ask for more ask again", function()
    left { { "hard", ASK } }
    under { { "hard", ASK_TWO } }
    assert.are.equal("asked again", results())
    assert(w:decide { approver = "a" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("and ask for less ask for as much as before", function()
    left { { "hard", ASK_TWO } }
    under { { "hard", ASK } }
    assert(w:decide { approver = "a" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("and say nothing any more still ask", function()
    left { { "hard", ASK } }
    under { { "hard", NOTHING } }
    assert.are.equal("kept", results())
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("and deny now end the run as blocked, with nothing asked of the runtime", function()
    left { { "hard", ASK } }
    local before = #w.desk.calls
    under { { "hard", DENY } }
    assert.are.equal("voided", results())
    local s = w.run:summary()
    assert.are.equal("blocked", s.status)
    assert.are.equal("policy_denied", s.reason)
    assert.are.equal("none", s.effect)
    assert.are.equal(before, #w.desk.calls)
  end)

  it("and fail now end the run as blocked", function()
    left { { "hard", ASK } }
    under { { "hard", policy("look", "error 'broken'") } }
    assert.are.equal("blocked", w.run:summary().status)
    assert.are.equal("policy_error", w.run:summary().reason)
    says.nothing(w)
  end)

  it("and deny softly now ask for an override", function()
    left { { "hard", ASK } }
    under { { "soft", DENY } }
    assert.are.equal("asked again", results())
    assert.are.equal("waiting", w.run:state())
    local override
    for _, need in ipairs(w:document().needs) do override = override or need.override end
    assert.is_true(override)
  end)

  it("and ask for somebody whom this host does not have end the run", function()
    left { { "hard", ASK } }
    local id = w.run_id
    assert(w.run:leave())
    w.run = nil
    w = w:next()
    w.run_id = id
    assert(w:bundle { { "hard", ASK_TWO } })
    assert(w:resume())
    assert.are.equal("blocked", w.run:summary().status)
    says.nothing(w)
  end)

  it("that are gone are a conflict, and the run is as it was", function()
    left { { "hard", ASK } }
    local before = w:text()
    local run, err = under(nil)
    assert.is_nil(run)
    assert.are.equal("conflict bundles", err.code .. " " .. err.field)
    assert.are.equal(before, w:text())
    assert.are.equal("waiting", w:stored().status)
    w.run = nil
    w = w:next()
    assert(w:bundle { { "hard", ASK } })
    approvers()
    assert(w:resume())
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("where there were none are asked", function()
    left(nil, function() w:asks_approval() end)
    under { { "hard", ASK } }
    assert.are.equal("asked again", results())
    assert(w:answer { grantId = "g" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("where there were none may deny", function()
    left(nil, function() w:asks_approval() end)
    under { { "hard", DENY } }
    assert.are.equal("blocked", w.run:summary().status)
    says.nothing(w)
  end)

  it("again and again ask again and again, and each change voids what was decided under the one before", function()
    left { { "hard", ASK } }
    local seen = { [w:stored().requestId] = true }
    for i = 1, 4 do
      under { { "hard", ASK .. (" -- change %d"):format(i) } }
      local request = w:document().requestId
      assert.is_nil(seen[request])
      seen[request] = true
    end
    assert.are.equal("kept, kept, kept, kept", results())
    for request in pairs(seen) do
      if request ~= w:document().requestId then
        assert.is_nil((w:decide { approver = "a", request_id = request }))
      end
    end
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("and then back again keep the stricter word of the time between", function()
    left { { "hard", ASK } }
    under { { "hard", ASK_TWO } }
    under { { "hard", ASK } }
    assert.are.equal("asked again, kept", results())
    assert(w:decide { approver = "a" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("are shown as they were judged, before and after", function()
    left { { "hard", ASK } }
    under { { "hard", ASK_TWO } }
    local doc = w.run:document()
    assert(w.run:leave())
    assert.are.equal(doc, w.host:show(w.run_id))
    w.run = nil
  end)

  it("count before the preview, too: the proposal is asked about again", function()
    left { { "hard", PROPOSE } }
    local _, _, before = under { { "hard", PROPOSE .. " -- as before" } }
    assert.are.equal("kept", results())
    assert.are.equal(null, w:document().actionDigest)
    assert.are_not.equal(before.requestId, w:document().requestId)
    assert.are.equal(0, w.desk:asked "preview_action")
    assert(w:decide { approver = "a" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("void a decision on the proposal when they change while the preview is decided on", function()
    left({ { "hard", PROPOSE } }, function() w:asks_approval() end)
    assert(w:decide { approver = "a" })
    assert.are.equal("waiting", w.run:state())
    assert.are.equal(1, w.desk:asked "preview_action")
    under { { "hard", PROPOSE .. " -- as before" } }
    assert.are.equal("kept", results())
    assert(w:answer { grantId = "g" })
    assert.are.equal("waiting", w.run:state(), "the early need is open again")
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
    assert.are.equal(1, w.desk:asked "preview_action")
    says.counts(w, 1, 1, 1)
  end)
end)

describe("approvers who changed while a run waited", function()
  after_each(function() w:close() end)

  local function life(ids, policies)
    if w.run then assert(w.run:leave()) end
    w = w:next()
    w.run = nil
    assert(w:bundle(policies or { { "hard", ASK_TWO } }))
    for _, id in ipairs(ids) do assert(w.host:add_approver(id[1] or id, id[2])) end
    return w:resume()
  end

  it("decide one by one, over as many lives as it takes", function()
    left { { "hard", ASK_TWO } }
    assert(w:decide { approver = "a" })
    assert(life { "a", "b" })
    assert.are.equal(1, w:document().needs[1].given)
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("count once, however often they say it", function()
    left { { "hard", ASK_TWO } }
    assert(w:decide { approver = "a" })
    for _ = 1, 3 do
      assert(life { "a", "b" })
      w:decide { approver = "a" }
      assert.are.equal("waiting", w.run:state())
      assert.are.equal(1, w:document().needs[1].given)
    end
  end)

  it("and are gone have approved nothing", function()
    left { { "hard", ASK_TWO } }
    assert(w:decide { approver = "a" })
    assert(life { "b", "c" })
    assert.are.equal(0, w:document().needs[1].given)
    assert(w:decide { approver = "b" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "c" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("and come back have approved again", function()
    left { { "hard", ASK_TWO } }
    assert(w:decide { approver = "a" })
    assert(life { "b", "c" })
    assert(life { "a", "b" })
    assert.are.equal(1, w:document().needs[1].given)
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("and are all gone leave a run that nobody can approve as it is", function()
    left { { "hard", ASK_TWO } }
    assert(w:decide { approver = "a" })
    assert(life {})
    assert.are.equal("waiting", w.run:state())
    w:decide { approver = "a" }
    assert.are.equal("waiting", w.run:state())
    says.nothing(w)
  end)

  it("count with a role that they have got since", function()
    local by_role = policy("look", 'return policy.ask("have a look", { roles = { "lead" } })')
    w = world.durable()
    assert(w:bundle { { "hard", by_role } })
    assert(w.host:add_approver("a", {}))
    w:asks_approval()
    w:play()
    w.run_id = w.run:id()
    assert(w:decide { approver = "a" })
    assert.are.equal(0, w:document().needs[2].given)
    assert(life({ { "a", { "lead" } } }, { { "hard", by_role } }))
    assert.are.equal(1, w:document().needs[2].given)
    assert(w:answer { grantId = "g" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("have the roles of now", function()
    local by_role = policy("look", 'return policy.ask("have a look", { roles = { "lead" } })')
    w = world.durable()
    assert(w:bundle { { "hard", by_role } })
    assert(w.host:add_approver("a", { "lead" }))
    assert(w.host:add_approver("b", {}))
    w:asks_approval()
    w:play()
    w.run_id = w.run:id()
    assert(w:decide { approver = "a" })
    assert(life({ { "a", {} }, { "b", { "lead" } } }, { { "hard", by_role } }))
    assert.are.equal(0, w:document().needs[2].given)
    assert(w:answer { grantId = "g" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)
end)
