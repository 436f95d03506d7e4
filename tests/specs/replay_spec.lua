-- A run that waited goes on by running its workflow again from the start: each step is answered from what the run
-- holds, nothing is asked a second time; a run in line for the lease is checked again when its turn comes.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local function workflow(body) return "return function(run)\n" .. body .. "\nend" end

describe("a run that waited", function()
  local w
  before_each(function()
    w = world.open()
    w:asks_approval()
  end)
  after_each(function() w:close() end)

  it("asks nothing a second time", function()
    w:play { workflow = workflow [[
      run:observe("visual") run:observe("semantic") run:observe("visual") run:preview() run:reserve()
      run:request_approval() run:acquire_lease() run:execute() run:verify()]] }
    local before = #w.desk.calls
    assert(w:answer { grantId = "g" })
    assert.are.same({ "acquire_lease", "execute_action", "release_lease", "release_target" },
      table.move(w.desk.calls, before + 1, #w.desk.calls, 1, {}))
    says.counts(w, 1, 1, 1)
  end)

  it("sees what it saw: each observation as it was answered, also when the same was observed twice", function()
    local n = 0
    w.desk:edit("observe_visual", function(a)
      n = n + 1
      a.frame = "frame-" .. n
    end)
    local run = w:start { workflow = workflow [[
      local first = run:observe("visual").visual.frame
      local second = run:observe("visual").visual.frame
      if first ~= "frame-1" or second ~= "frame-2" then run:deny("saw " .. first .. " " .. second) end
      run:preview() run:request_approval() run:acquire_lease() run:execute()]] }
    w:go()
    assert.are.equal("waiting", run:state())
    assert(w:answer { grantId = "g" })
    assert.are.equal(nil, run:summary().error and run:summary().error.message)
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("sees of its observations only those that it has asked for so far", function()
    local run = w:start { workflow = workflow [[
      local seen = run:observe("visual")
      if seen.semantic then run:deny("semantic came from later") end
      run:observe("semantic")
      run:preview() run:request_approval() run:acquire_lease() run:execute()]] }
    w:go()
    assert(w:answer { grantId = "g" })
    assert.are.equal(nil, run:summary().error and run:summary().error.message)
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("goes on with the workflow that it began with, whatever the host's is by then", function()
    assert(w.host:set_workflow("first.lua", workflow [[
      run:preview() run:request_approval() run:acquire_lease() run:execute()]]))
    local run = w:start()
    w:go()
    assert(w.host:set_workflow("second.lua", workflow "run:observe('visual') run:deny('another workflow')"))
    assert(w:answer { grantId = "g" })
    assert.are.equal("committed_unverified", run:summary().status)
    local second = w:start()
    w:go()
    assert.are.equal("blocked", second:summary().status)
  end)

  it("draws the same random numbers again", function()
    local run = w:start { workflow = workflow [[
      if math.random(1000000) % 2 == 0 then run:observe("visual") else run:observe("semantic") end
      if math.random(1000000) % 2 == 0 then run:observe("visual") else run:observe("semantic") end
      run:preview() run:request_approval() run:acquire_lease() run:execute()]] }
    w:go()
    assert(w:answer { grantId = "g" })
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("may have every step inside pcall", function()
    local run = w:start { workflow = workflow [[
      pcall(function() run:observe("visual") end)
      pcall(function() run:preview() end)
      local ok, granted = pcall(function() return run:request_approval().granted end)
      if not ok or not granted then run:deny("no") end
      run:acquire_lease() run:execute()]] }
    w:go()
    assert(w:answer { grantId = "g" })
    assert.are.equal("committed_unverified", run:summary().status)
    says.counts(w, 1, 0, 0, 1)
  end)

  it("is not alive while it waits: what its script kept is gone, and nothing runs", function()
    w:play()
    local calls = #w.desk.calls
    w:advance(60000)
    assert.are.equal(calls, #w.desk.calls)
  end)

  it("is refused when its identity expired meanwhile, before anything is reserved", function()
    local run = w:start { identity_expires_at = w.clock:text(60000) }
    w:go()
    w:advance(60000)
    assert(w:answer { grantId = "g" })
    says.refused(run:summary(), "identity", "expires_at", "principal_mismatch")
    says.counts(w, 0, 0, 0)
  end)

  it("waits twice, before and after the preview, and goes on through both", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", propose = function() return policy.ask("first") end }]] } })
    local run = w:start()
    w:go()
    assert.are.equal(0, w.desk:asked "preview_action")
    assert(w:decide {})
    assert.are.equal("waiting", run:state())
    assert(w:answer { grantId = "g" })
    assert.are.equal("committed_unverified", run:summary().status)
    assert.are.equal(1, w.desk:asked "observe_visual")
    assert.are.equal(1, w.desk:asked "preview_action")
    says.counts(w, 1, 1, 1)
  end)

  it("keeps its policies' verdicts: the preview phase is not asked again", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", preview = function() return policy.ask("why") end }]] } })
    local run = w:start()
    w:go()
    assert(w:decide {})
    assert(w:answer { grantId = "g" })
    assert.are.equal("committed_unverified", run:summary().status)
    local asked = 0
    for _, record in ipairs(w:journal()) do
      if record.kind == "verdict" and record.body.phase == "preview" then asked = asked + 1 end
    end
    assert.are.equal(1, asked)
  end)

  it("takes its answer as JSON in a wait before the preview, with null digests and the proposal's", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", propose = function() return policy.ask("first") end }]] } })
    local run = w:start()
    w:go()
    local doc = w:document(run)
    local answer = { requestId = doc.requestId, actionDigest = json.null, policyDigest = json.null,
      proposalDigest = ("f"):rep(64), decision = "approve" }
    assert.is_nil((run:answer(json.encode(answer))))
    answer.proposalDigest = doc.proposalDigest
    assert(run:answer(json.encode(answer)))
    w:go()
    assert.are.equal(1, w.desk:asked "preview_action")
  end)

  it("ends denied by an answer that says so, whatever the runtime asked", function()
    local run = w:start()
    w:go()
    assert(w:answer { decision = "deny", reason = "not now" })
    assert.are.equal("denied", run:summary().status)
    says.counts(w, 0, 0, 0)
  end)

  it("is not granted by a decision where only the runtime asks", function()
    local run = w:start()
    w:go()
    local ok, err = w:decide {}
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
  end)
end)

describe("a run in line for the lease", function()
  local w
  before_each(function() w = world.open { lease_wait_ms = 600000, request_timeout_ms = 600000 } end)
  after_each(function() w:close() end)

  -- The first run holds the lease; the second stands in line with its reservation.
  local function in_line(options)
    w.desk:hold("execute_action", 1)
    w:start()
    w:go()
    local second = w:start(options)
    w:go()
    says.counts(w, 1, 2, 0, 1, 0)
    return second
  end

  local function first_done()
    w.desk:deliver(w.host, "execute_action")
    w:go()
  end

  it("is checked again when its turn comes: an envelope that expired acquires nothing", function()
    w.desk:edit("preview_action", function(a) a.envelope.expiresAt = w.clock:text(1000) end, 2)
    local second = in_line()
    w:advance(1000)
    first_done()
    says.refused(second:summary(), "action envelope", "expires_at")
    says.counts(w, 1, 2, 2, 1, 1)
  end)

  it("is checked again when its turn comes: a session that was stopped acquires nothing", function()
    local second = in_line { session = "session-2" }
    assert(w.host:stop_session("session-2", "enough"))
    w:go()
    first_done()
    assert.are.equal("cancelled", second:summary().status)
    says.counts(w, 1, 2, 2, 1, 1)
  end)

  it("gives its reservation back when it is cancelled there", function()
    local second = in_line()
    assert(second:cancel "changed my mind")
    w:go()
    assert.are.equal("cancelled", second:summary().status)
    says.counts(w, 1, 2, 1, 1, 0)
  end)

  it("acts when its turn comes", function()
    local second = in_line()
    first_done()
    assert.are.equal("committed_unverified", second:summary().status)
    says.counts(w, 2, 2, 2)
  end)
end)

describe("the runtime's route", function()
  -- executable, blocker, decision; how the run stands then.
  local ROWS = {
    { true, nil, "allow", "committed_unverified" },
    { true, nil, "confirm", "waiting" },
    { false, "approval_required", "confirm", "waiting" },
    { false, "approval_required", "allow", "waiting" },
    { true, "approval_required", "allow", "waiting" },
    { false, "approval_required", "deny", "blocked" },
    { true, nil, "deny", "blocked" },
    { true, nil, "ALLOW", "blocked" },
    { true, nil, "allow ", "blocked" },
    { true, nil, "", "blocked" },
    { true, nil, "unknown", "blocked" },
    { false, nil, "allow", "blocked" },
    { false, nil, "confirm", "blocked" },
    { true, "target_sensitive", "allow", "blocked" },
    { true, "Approval_Required", "allow", "blocked" },
    { true, "", "allow", "blocked" },
    { false, "anything", "confirm", "blocked" },
  }
  for _, row in ipairs(ROWS) do
    local executable, blocker, decision, status = table.unpack(row, 1, 4)
    local what = ("executable %s, blocker %s, decision %q: %s"):format(executable, blocker or "none", decision, status)
    it(what, function()
      local w = world.open()
      w.desk:edit("preview_action", function(a)
        a.executable, a.blocker, a.policy.decision = executable, blocker, decision
      end)
      local s = w:play()
      assert.are.equal(status, s.status)
      if status == "blocked" then
        assert.are.equal(blocker and blocker ~= "" and blocker or "policy_denied", s.reason)
      end
      if status ~= "committed_unverified" then says.counts(w, 0, 0, 0, 0) end
      w:close()
    end)
  end
end)
