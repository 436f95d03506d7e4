-- The invariants I1 to I13 of a run, each by itself. What scripts try against them is in scripts_spec.lua, what
-- runtimes answer against them in checks_spec.lua, what policies are in policy_spec.lua.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local WINDOW = { kind = "window", windowId = 7, exists = true }
local function workflow(body) return "return function(run)\n" .. body .. "\nend" end

local w
local function opened() w = world.open() end
local function closed() w:close() end

describe("I1: no mutation without one accepted preview", function()
  before_each(opened)
  after_each(closed)

  it("a preview that is refused is none: nothing can follow it", function()
    w.desk:edit("preview_action", function(a) a.envelope.tool = "other" end)
    local s = w:play { workflow = workflow "pcall(function() run:preview() end) run:acquire_lease() run:execute()" }
    says.refused(s, "action envelope", "tool")
    says.counts(w, 0, 0, 0, 0)
  end)

  it("a second entry, by resume input, ends the run and gives back what was reserved", function()
    w:asks_approval()
    local run = w:start { workflow = workflow [[
      run:preview() run:reserve() run:request_approval() run:acquire_lease() run:execute()]] }
    w:go()
    says.counts(w, 0, 1, 0, 0)
    local file = { approval = w:answer_of(run, { grantId = "g" }), preview = { any = "thing" } }
    assert.is_nil((run:answer(json.encode(file))))
    w:go()
    says.refused(run:summary(), "preview channel", "entries", "invariant")
    says.counts(w, 0, 1, 1, 0)
  end)

  it("a second entry counts even when it equals the first", function()
    w.desk:hold "preview_action"
    w:asks_approval()
    local run = w:start()
    w:go()
    local same = w.desk.held[1].text
    w.desk:deliver(w.host, "preview_action")
    w:go()
    local file = { approval = w:answer_of(run, { grantId = "g" }), preview = json.raw(same) }
    assert.is_nil((run:answer(json.encode(file))))
    w:go()
    says.refused(run:summary(), "preview channel", "entries", "invariant")
    says.counts(w, 0, 0, 0, 0)
  end)
end)

describe("I2: execute checks everything in one place", function()
  before_each(opened)
  after_each(closed)

  it("asks the policies before the intent is recorded, and the intent is recorded before the send", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", execute = function() end }]] } })
    w:play()
    local verdict, intent = w:find "verdict", w:find "execute"
    assert.is_true(verdict.seq < intent.seq)
    assert.is_true(intent.seq < w:find("receipt").seq)
  end)

  it("records no intent when a check refuses", function()
    w.desk:edit("acquire_lease", function(l) l.actionsUsed = 1 end)
    w:play()
    assert.is_nil(w:find "execute")
    assert.are.equal(0, w.desk:asked "execute_action")
  end)

  it("never sends at or after an expiry, whenever the clock jumps", function()
    local acted, refused = 0, 0
    for k = 1, 400 do
      w:close()
      opened()
      local reads, late = 0, false
      w.on_clock = function()
        reads = reads + 1
        if reads == k then w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 30000, w.clock.boot_ms + 30000 end
      end
      local lease_until
      w.desk:edit("acquire_lease", function(l)
        lease_until = w.clock.boot_ms + 30000
        l.expiresAt = w.clock:text(30000)
      end)
      w.desk:before("execute_action", function() late = w.clock.boot_ms >= lease_until end)
      local s = w:play()
      assert.is_false(late, "read " .. k)
      assert.are.equal(w.desk:asked "acquire_lease", w.desk:asked "release_lease")
      assert.are.equal(w.desk:asked "reserve_target", w.desk:asked "release_target")
      assert.are.equal(w.desk.effects == 1 and "committed" or "none", s.effect)
      if s.status == "refused" then refused = refused + 1 else acted = acted + 1 end
      if reads < k then break end
      assert.is_true(k < 400)
    end
    assert.is_true(acted > 0)
    assert.is_true(refused > 5)
  end)

  it("sends what was previewed and decided on: the proposal's digest stands in preview and intent", function()
    w:play()
    assert.are.equal(w:find("preview").body.proposalDigest, w:find("execute").body.proposalDigest)
  end)
end)

describe("I3: at most one execute reaches the runtime", function()
  local OPS = { "discover_capabilities", "observe_visual", "observe_semantic", "preview_action", "reserve_target",
    "acquire_lease", "execute_action", "verify", "recover", "release_lease", "release_target" }
  local FAULTS = {
    { "fails", function(d, op) d:fail(op, "internal_error") end },
    { "is never answered", function(d, op) d:lose(op) end },
    { "answers garbage", function(d, op) d:answer(op, "{") end },
    { "answers null", function(d, op) d:answer(op, "null") end },
    { "answers an empty object", function(d, op) d:answer(op, "{}") end },
    { "answers another document", function(d, op) d:answer(op, '{"leaseId":"l","reservationId":"r","a":[1]}') end },
    { "answers too much", function(d, op) d:answer(op, '"' .. ("x"):rep(17 << 20) .. '"') end },
    { "answers nested too deep", function(d, op) d:answer(op, ("["):rep(5000) .. ("]"):rep(5000)) end },
  }
  for _, fault in ipairs(FAULTS) do
    for _, op in ipairs(OPS) do
      it(("when %s %s: one at most, all given back once, and an honest result"):format(op, fault[1]), function()
        w = world.open { request_timeout_ms = 5000 }
        fault[2](w.desk, op)
        if op == "recover" then w.desk:lose("execute_action", 1, true) end
        local run = w:start { proposal = world.proposal { postcondition = WINDOW } }
        w:go()
        for _ = 1, 4 do w:advance(5000) end
        local s = run:summary()
        assert.are.equal("ended", run:state())
        assert.is_true(w.desk:asked "execute_action" <= 1)
        assert.is_true(w.desk:asked "release_lease" <= 1 and w.desk:asked "release_target" <= 1)
        if op ~= "reserve_target" then
          assert.are.equal(w.desk:asked "reserve_target", w.desk:asked "release_target")
        end
        if op ~= "acquire_lease" then
          assert.are.equal(w.desk:asked "acquire_lease", w.desk:asked "release_lease")
        end
        if w.desk.effects == 1 then
          assert.are_not.equal("none", s.effect)
          assert.is_false(s.retry_safe)
        else
          assert.are_not.equal("committed", s.effect)
        end
        if w.desk:asked "execute_action" == 0 then assert.are.equal("none", s.effect) end
        assert.are.equal(s.verified, s.status == "completed")
        if s.status ~= "completed" and s.status ~= "committed_unverified" then assert.is_table(s.error) end
        w:close()
      end)
    end
  end
end)

describe("I4: a receipt is bound before it is stored", function()
  before_each(opened)
  after_each(closed)

  it("a refused one is never in the journal's receipts, in the result or in the outcome", function()
    w.desk:edit("execute_action", function(r) r.actionId, r.status = "another", "rejected" end)
    local s = w:play()
    assert.is_nil(w:find "receipt")
    assert.is_nil(w:find "outcome")
    assert.is_nil(s.receipt_id)
    assert.are.equal("unknown", s.effect)
  end)

  it("one that recovery finds is bound as any other", function()
    w.desk:edit("execute_action", function(r) r.actionId = "another" end)
    w.desk:edit("recover", function(r)
      if type(r) == "table" then r.actionId = w.run:action_id() end
    end)
    local s = w:play()
    assert.are.equal("committed_unverified", s.status)
    assert.are.equal("committed", s.effect)
    says.counts(w, 1, 1, 1)
  end)
end)

describe("I5: after execute the core verifies and releases, whatever the script does", function()
  for _, row in ipairs { { "ends", "" }, { "fails", "error('x')" }, { "loops", "while true do end" },
    { "takes all memory", "local s = ('x'):rep(300000) s = s .. s" } } do
    it("a script that " .. row[1] .. " leaves status and exit as they are", function()
      opened()
      local s = w:play { proposal = world.proposal { postcondition = WINDOW },
        workflow = workflow("run:preview() run:reserve() run:acquire_lease() run:execute() " .. row[2]) }
      assert.are.equal("completed", s.status)
      assert.is_true(s.verified)
      assert.are.equal(0, s.exit_status)
      assert.are.equal(row[2] ~= "", s.error ~= nil)
      assert.are.equal(1, w.desk:asked "verify")
      says.counts(w, 1, 1, 1)
      closed()
    end)
  end
end)

describe("I6: every end of a run gives back what was taken", function()
  before_each(opened)
  after_each(closed)

  it("the lease first, then the reservation", function()
    w:play()
    assert.is_true(w.desk:place "release_lease" < w.desk:place "release_target")
  end)

  it("by the ids that were returned, under the run's own session", function()
    w:play()
    local lease, target = w.desk.bodies.release_lease[1], w.desk.bodies.release_target[1]
    assert.are.same({ "lease-secret-1", "session-1" }, { lease.leaseId, lease.sessionId })
    assert.are.same({ "reservation-1", "session-1" }, { target.reservationId, target.sessionId })
  end)

  it("also a reservation that fails its own validation or cannot be read in full", function()
    for _, bend in ipairs { function(r) r.state = "expired" end, function(r) r.revision = -1 end,
      function(r) r.scope = nil end, function(r) r.sessionId = "session-2" end } do
      w:close()
      opened()
      w.desk:edit("reserve_target", bend)
      w:play()
      says.counts(w, 0, 1, 1, 0)
      assert.are.equal("session-1", w.desk.bodies.release_target[1].sessionId)
    end
  end)

  it("one attempt each, also when it fails", function()
    w.desk:fail("release_lease", "busy")
    w.desk:fail("release_target", "busy")
    w:play()
    says.counts(w, 1, 1, 1, 1, 1)
  end)

  it("the reservation also when the release of the lease fails", function()
    w.desk:fail("release_lease", "busy")
    local s = w:play()
    says.counts(w, 1, 1, 1)
    assert.are.equal("runtime", s.error.code)
  end)

  for _, row in ipairs { { "release_lease", "lease_not_active" }, { "release_target", "reservation_not_active" } } do
    it("and `" .. row[2] .. "` counts as given back", function()
      w.desk:fail(row[1], row[2])
      local s = w:play()
      assert.is_nil(s.error)
      assert.are.equal("committed_unverified", s.status)
      assert.are.equal(5, s.exit_status)
    end)
  end

  it("and when the host is closed while a run holds something", function()
    w:asks_approval()
    w:start { workflow = workflow "run:preview() run:reserve() run:request_approval()" }
    w:go()
    w.host:close()
    says.counts(w, 0, 1, 1, 0)
  end)
end)

describe("I7: the first failure stays first", function()
  local FIRST = {
    { "a lease that is refused", function() w.desk:edit("acquire_lease", function(l) l.state = "x" end) end, "state" },
    { "a lost receipt", function() w.desk:answer("execute_action", "{") end, nil },
    { "an error answer to execute", function() w.desk:fail("execute_action", "execution_failed") end, nil },
  }
  for _, row in ipairs(FIRST) do
    it("with " .. row[1] .. " and releases that fail, both stand in one error", function()
      opened()
      row[2]()
      w.desk:answer("recover", '"unknown"')
      w.desk:fail("release_lease", "lease_store_down")
      w.desk:fail("release_target", "target_store_down")
      local s = w:play()
      assert.is_nil(s.error.message:find("store_down", 1, true))
      assert.truthy(s.error.cleanup.message:find("store_down", 1, true))
      if row[3] then assert.are.equal(row[3], s.error.field) end
      local doc = w:document()
      assert.are.equal(s.error.message, doc.error.message)
      assert.are.equal(s.error.cleanup.message, doc.error.cleanup.message)
      assert.are.equal(s.effect == "unknown" and 7 or 8, s.exit_status)
      closed()
    end)
  end
end)

describe("I7: the exit status", function()
  before_each(opened)
  after_each(closed)

  it("tells an unknown effect before a release failure, and a release failure before a script's error", function()
    w.desk:fail("release_target", "busy")
    local s = w:play { workflow = workflow "run:preview() run:reserve() error('x')" }
    assert.are.equal("script_error", s.error.code)
    assert.are.equal("runtime", s.error.cleanup.code)
    assert.are.equal(8, s.exit_status)
    w.desk:answer("execute_action", "{")
    w.desk:answer("recover", '"unknown"')
    assert.are.equal(7, w:play().exit_status)
  end)

  it("of a release that failed is told as an event that is not ok", function()
    w.desk:fail("release_target", "busy")
    w:play()
    local told = {}
    for _, event in ipairs(w.events) do
      if event.type == "released" then told[#told + 1] = event.object .. " " .. tostring(event.ok) end
    end
    assert.are.same({ "control lease true", "target reservation false" }, told)
  end)
end)

describe("I8: a script can deny, and an ended run never goes on", function()
  before_each(opened)
  after_each(closed)

  for n, prefix in ipairs { "", "run:preview()", "run:preview() run:reserve()",
    "run:preview() run:reserve() run:acquire_lease()" } do
    it(("run:deny ends it, after %d steps, with what it holds given back"):format(n - 1), function()
      local s = w:play { workflow = workflow(prefix .. [[
        pcall(function() run:deny("not on a sunday") end)
        pcall(function() run:acquire_lease() end) pcall(function() run:execute() end) run:execute()]]) }
      assert.are.equal("blocked", s.status)
      assert.are.equal("policy_denied", s.reason)
      assert.truthy(s.error.message:find("not on a sunday", 1, true))
      assert.are.equal("none", s.effect)
      assert.are.equal(1, s.exit_status)
      assert.are.equal(0, w.desk.effects)
      assert.are.equal(w.desk:asked "reserve_target", w.desk:asked "release_target")
      assert.are.equal(w.desk:asked "acquire_lease", w.desk:asked "release_lease")
    end)
  end

  it("run:block ends a run that the runtime allows: the workflow may be stricter", function()
    local s = w:play { workflow = workflow "run:preview() run:block() run:execute()" }
    assert.are.equal("blocked", s.status)
    assert.are.equal("policy_denied", s.reason)
    says.counts(w, 0, 0, 0, 0)
  end)

  it("nothing moves an ended run: no answer, no decision, no completion, no tick", function()
    w:asks_approval()
    local run = w:start()
    w:go()
    local answer = json.encode(w:answer_of(run, { grantId = "g" }))
    assert(run:cancel "enough")
    w:go()
    local before = run:document()
    assert.is_nil((run:answer(answer)))
    assert.is_nil((run:decide { request_id = "x", decision = "approve" }))
    w:advance(86400000)
    assert.are.equal(before, run:document())
    says.counts(w, 0, 0, 0, 0)
  end)
end)

describe("I9: no word of a script or proposal is identity, digest, route, approval, lease or receipt", function()
  before_each(opened)
  after_each(closed)

  it("arguments that look like one are arguments, and nothing else", function()
    local arguments = { Text = "hi", grantId = "g", sessionId = "session-9", principalId = "root", leaseId = "l",
      runtimeApproved = true, actionDigest = ("f"):rep(64) }
    w:asks_approval()
    local run = w:start { proposal = world.proposal { arguments = arguments } }
    w:go()
    assert.are.equal("waiting", run:state())
    assert(w:answer { runtimeApproved = true })
    local sent = w.desk.bodies.execute_action[1]
    assert.are.same({ "session-1", "operator-1", json.null, "lease-secret-1" },
      { sent.sessionId, sent.principalId, sent.grantId, sent.lease.leaseId })
    assert.are.same(arguments, sent.proposal.arguments)
  end)

  it("a grant that the runtime's preview mentions is not used", function()
    w.desk:edit("preview_action", function(a)
      a.executable, a.blocker, a.policy.grantId = false, "approval_required", "grant-of-somebody"
    end)
    local run = w:start()
    w:go()
    assert.are.equal("waiting", run:state())
    assert(w:answer { runtimeApproved = true })
    assert.are.equal(json.null, w.desk.bodies.execute_action[1].grantId)
  end)
end)

describe("I10: a channel that the schema does not hold cannot be written", function()
  before_each(opened)
  after_each(closed)

  for _, name in ipairs { "preview2", "grant", "lease", "receipt", "route", "_", "id" } do
    it("run." .. name .. " = ... is an error that ends the script", function()
      local s = w:play { workflow = workflow(("run.%s = 'x'"):format(name)) }
      assert.are.equal("failed", s.status)
      assert.are.equal("script_error", s.error.code)
      assert.are.same({}, w.desk.calls)
    end)
  end

  it("nor by resume input: the file form is closed", function()
    w:asks_approval()
    local run = w:start()
    w:go()
    local ok, err = run:answer(json.encode { approval = w:answer_of(run, { grantId = "g" }), lease = {} })
    assert.is_nil(ok)
    assert.are.equal("decode", err.code)
    assert.are.equal("waiting", run:state())
  end)
end)

describe("I11: the exact preview is retained", function()
  it("reserve, lease and execute carry the envelope that came, unknown members included", function()
    opened()
    w.desk:edit("preview_action", function(a) a.envelope.note = { deep = json.list { 1, "two" } } end)
    w:play()
    for _, op in ipairs { "reserve_target", "acquire_lease", "execute_action" } do
      assert.are.same({ deep = { 1, "two" } }, w.desk.bodies[op][1].envelope.note)
    end
    assert.are.same(w.desk.bodies.reserve_target[1].envelope, w.desk.bodies.execute_action[1].envelope)
    closed()
  end)
end)

describe("I12: a runtime in Lua keeps its state, and once killed answers nothing more", function()
  it("ends every later run with `runtime`, without an effect", function()
    local host = require("interlock").host {}
    assert(host:set_runtime_lua("desk.lua", [[
      local n = 0
      return { preview_action = function(request) n = n + 1 if n == 1 then while true do end end return {} end }]]))
    for _ = 1, 2 do
      local run = assert(host:run { principal = "operator-1", session = "session-1", proposal = '{"tool":"key"}',
        scopes = { "computer:execute:background" }, workflow = workflow "run:preview()" })
      for _ = 1, 100 do host:tick(0) end
      local s = run:summary()
      assert.are.equal("failed", s.status)
      assert.are.equal("runtime", s.error.code)
      assert.are.equal("none", s.effect)
    end
    host:close()
  end)
end)

describe("I13: the lease only when every need is met, and one of each at most", function()
  before_each(opened)
  after_each(closed)

  it("no lease while an approval is open, whatever else was met", function()
    w:asks_approval()
    w:play()
    w:advance(1000)
    says.counts(w, 0, 0, 0, 0)
  end)

  it("a lease that came is the only one, a reservation likewise", function()
    for _, again in ipairs { "run:reserve() run:reserve()", "run:acquire_lease() run:acquire_lease()" } do
      w:close()
      opened()
      local s = w:play { workflow = workflow("run:preview() " .. again .. " run:execute()") }
      assert.are.equal("invariant", s.error.code)
      assert.is_true(w.desk:asked "reserve_target" <= 1 and w.desk:asked "acquire_lease" <= 1)
      says.nothing(w)
    end
  end)
end)
