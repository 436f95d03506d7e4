-- A recorded run as cases: one for each phase that it reached, with everything that its policies could see there, and
-- nothing that opens a door.

local world = require "tests.specs.support.world"
local json = require "tests.specs.support.json"

local w

local function policy(phases)
  local parts = {}
  for phase, body in pairs(phases) do
    parts[#parts + 1] = ("%s = function(action, ctx) %s end"):format(phase, body)
  end
  return ('local policy = require "interlock.policy"\nreturn policy { name = "p", %s }'):format(
    table.concat(parts, ",\n"))
end

local function cases(id) return json.decode((w.store:cases(id or w.run:id()))) end
local function phases(list)
  local seen = {}
  for i, case in ipairs(list) do seen[i] = case.phase end
  return table.concat(seen, " ")
end

describe("the cases of a run", function()
  after_each(function() w:close() end)

  it("are its phases, whether or not a policy has a word in them", function()
    w = world.durable()
    w:play()
    assert.are.equal("propose preview execute", phases(cases()))
  end)

  it("tell what was proposed, what came back, and who acts", function()
    w = world.durable()
    w:bundle { { "soft", policy { propose = "", preview = "", execute = "" } } }
    w:play()
    local list = cases()
    assert.are.equal("propose preview execute", phases(list))
    local propose, preview, execute = table.unpack(list)
    assert.are.same({ Text = "hi" }, propose.action.arguments)
    assert.is_nil(propose.action.operation)
    assert.is_nil(propose.route)
    assert.are.equal("write_clipboard", preview.action.operation)
    assert.are.equal("edit_reversible", preview.action.actionClass)
    assert.are.equal("background", preview.action.mode)
    assert.are.same({ Text = "hi" }, preview.action.arguments)
    assert.are.equal("allowed", preview.route)
    assert.are.equal("allow", preview.policy.decision)
    assert.are.equal("operator-1", preview.principal)
    assert.are.equal("agent-1", preview.agent)
    assert.are.equal("session-1", preview.sessionId)
    assert.are.equal(w.run:id(), preview.runId)
    assert.is_nil(preview.lease)
    assert.are.equal(1, execute.lease.actionBudget)
  end)

  it("happen when policies were asked", function()
    w = world.durable()
    w:bundle { { "soft", policy { propose = 'return policy.ask("why")', execute = "" } } }
    w:play()
    local asked = w.clock:text()
    w:advance(60000)
    w:decide { reason = "fine" }
    local propose = json.decode(w.store:case(w.run:id(), "propose"))
    local approve = json.decode(w.store:case(w.run:id(), "approve"))
    assert.are.equal(asked, propose.at)
    assert.are.equal(w.clock:text(), approve.at)
    assert.are.equal(asked, json.decode(w.store:case(w.run:id())).at)
  end)

  it("hold each approving decision, and no other", function()
    w = world.durable()
    for _, name in ipairs { "anna", "ben", "cleo" } do assert(w.host:add_approver(name, { "lead" })) end
    w:bundle { { "hard", policy { preview = 'return policy.ask("why", { approvers = 2, roles = { "lead" } })',
      approve = 'if ctx.decision.approver == "anna" then return policy.deny "not her" end' } } }
    w:play()
    w:decide { approver = "anna", reason = "one" }
    w:decide { approver = "ben", decision = "defer" }
    w:decide { approver = "ben", reason = "two" }
    w:decide { approver = "cleo" }
    local list = cases()
    assert.are.equal("propose preview approve approve approve execute", phases(list))
    assert.are.same({ approver = "anna", decision = "approve", reason = "one", roles = { "lead" } }, list[3].decision)
    assert.are.equal("ben", list[4].decision.approver)
    assert.are.equal("cleo", list[5].decision.approver)
    assert.are.equal("cleo", json.decode(w.store:case(w.run:id(), "approve")).decision.approver)
    assert.are.equal("allowed", list[2].route)
  end)

  it("tell why the runtime blocks", function()
    w = world.durable()
    w.desk:edit("preview_action", function(answer) answer.executable, answer.blocker = false, "stale_target" end)
    w:play()
    local list = cases()
    assert.are.equal("propose preview", phases(list))
    assert.are.equal("blocked", list[2].route)
    assert.are.equal("stale_target", list[2].reason)
  end)

  it("hold no ticket", function()
    w = world.durable()
    w:asks_approval()
    w:play()
    w:answer { grantId = "grant-77" }
    assert.are.equal("approval", json.decode(w.store:case(w.run:id(), "preview")).route)
    local lease = json.decode(w:find("leased").payload).leaseId
    local text = w.store:cases(w.run:id()) .. w.store:case(w.run:id())
    assert.is_nil(text:find("grant-77", 1, true))
    assert.is_nil(text:find(lease, 1, true))
  end)

  it("are of a run, and of a phase that it reached", function()
    w = world.durable()
    w:bundle { { "hard", policy { propose = 'return policy.deny "no"' } } }
    w:play()
    assert.are.equal("propose", phases(cases()))
    local _, err = w.store:case(w.run:id(), "execute")
    assert.are.equal("conflict", err.code)
    _, err = w.store:case(w.run:id(), "exeute")
    assert.are.equal("invalid_request", err.code)
    _, err = w.store:case("no such run")
    assert.are.equal("conflict", err.code)
  end)
end)
