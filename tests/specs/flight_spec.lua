-- What is in flight at the same time: observations side by side, a pause or stop that overtakes a running action, runs
-- that want the same lease, runs that wait for their turn, and answers that come too late.

local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

describe("three observations", function()
  local w
  before_each(function()
    w = world.open()
    for _, op in ipairs { "discover_capabilities", "observe_visual", "observe_semantic" } do w.desk:hold(op) end
  end)
  after_each(function() w:close() end)

  it("are in flight together", function()
    w:start()
    local tick = w:go()
    assert.are.equal(3, tick.in_flight)
    assert.are.equal(1, tick.moving)
    assert.are.equal(3, #w.desk.calls)
    assert.are.equal(0, w.desk:asked "preview_action")
  end)

  for _, order in ipairs { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } } do
    it("may be answered in the order " .. table.concat(order, " ") .. ", and the preview waits for all", function()
      local ops = { "discover_capabilities", "observe_visual", "observe_semantic" }
      w:start()
      for i, n in ipairs(order) do
        local tick = w:go()
        assert.are.equal(4 - i, tick.in_flight)
        assert.are.equal(0, w.desk:asked "preview_action")
        assert(w.desk:deliver(w.host, ops[n]))
      end
      w:go()
      assert.are.equal(1, w.desk:asked "preview_action")
      says.counts(w, 1, 1, 1)
    end)
  end

  it("are each completed once: a second completion is refused", function()
    w:start()
    w:go()
    local token, text = w.desk.held[1].token, w.desk.held[1].text
    assert(w.host:complete(token, text))
    local ok, err = w.host:complete(token, text)
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
    w:go()
    ok, err = w.host:complete(token, text)
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
  end)

  it("fail the run when one fails, and no preview is asked", function()
    w.desk:fail("observe_semantic", "no_accessibility")
    local s = w:play()
    assert.are.equal("failed", s.status)
    assert.are.equal("runtime", s.error.code)
    assert.are.equal(0, w.desk:asked "preview_action")
  end)

  it("do not stop other runs from moving", function()
    w:start()
    w:go()
    local blocked = w:start { workflow = "return function(run) run:deny('not today') end" }
    w:go()
    assert.are.equal("blocked", blocked:summary().status)
  end)
end)

describe("a stop", function()
  local w
  local STOPS = {
    { "pause_session", function(done) return w.host:pause_session("session-1", "coffee", done) end },
    { "stop_session", function(done) return w.host:stop_session("session-1", "enough", done) end },
    { "emergency_stop", function(done) return w.host:emergency_stop("fire", done) end },
  }
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  for _, stop in ipairs(STOPS) do
    local op, call = stop[1], stop[2]
    describe("by " .. op, function()
      it("goes out while an execute is in flight", function()
        w.desk:hold "execute_action"
        local run = w:start()
        w:go()
        assert.are.equal("moving", run:state())
        assert(call())
        assert.are.equal(1, w.desk:asked(op))
        assert.is_true(w.desk:place(op) > w.desk:place "execute_action")
      end)

      it("first latches, then revokes, then interrupts", function()
        local latched
        w.desk:before(op, function()
          latched = #w.interrupts == 0
        end)
        assert(call())
        w:go()
        assert.is_true(latched)
        assert.are.equal(1, #w.interrupts)
        assert.are.equal(op == "emergency_stop" and "" or "session-1", w.interrupts[1].session or "")
        assert.are.equal(1, w.interrupts[1].asked)
      end)

      it("does not interrupt before the runtime has revoked", function()
        w.desk:hold(op)
        local heard = false
        assert(call(function() heard = true end))
        w:go()
        assert.are.same({}, w.interrupts)
        assert.is_false(heard)
        w.desk:deliver(w.host, op)
        w:go()
        assert.are.equal(1, #w.interrupts)
        assert.is_true(heard)
      end)

      it("whose revocation fails does not interrupt, says so, and the latch stays", function()
        w.desk:fail(op, "daemon_gone")
        local heard
        call(function(err) heard = err end)
        w:go()
        assert.are.same({}, w.interrupts)
        assert.are.equal("runtime", heard.code)
        local s = w:play()
        assert.are.equal("cancelled", s.status)
        says.counts(w, 0, 0, 0, 0)
      end)

      it("whose revocation is never answered does not interrupt, and says so after its time", function()
        w.desk:lose(op)
        local heard
        assert(call(function(err) heard = err end))
        w:advance(10000)
        assert.are.same({}, w.interrupts)
        assert.are.equal("timeout", heard.code)
        assert.are.equal("cancelled", w:play().status)
      end)

      it("holds before any reservation, lease and execute, until an operator lifts it", function()
        assert(call())
        w:go()
        local s = w:play()
        assert.are.equal("cancelled", s.status)
        assert.are.equal("none", s.effect)
        says.counts(w, 0, 0, 0, 0)
        assert(w.host:lift_stop(op ~= "emergency_stop" and "session-1" or nil))
        assert.are.equal("committed_unverified", w:play().status)
        says.counts(w, 1, 1, 1)
      end)

      it("that comes while the lease is acquired is seen before the send", function()
        w.desk:hold "acquire_lease"
        local run = w:start()
        w:go()
        assert(call())
        w.desk:deliver(w.host, "acquire_lease")
        w:go()
        assert.are.equal("cancelled", run:summary().status)
        says.counts(w, 0, 1, 1, 1, 1)
      end)

      it("that comes while execute is in flight changes nothing about what happened", function()
        w.desk:hold "execute_action"
        local run = w:start()
        w:go()
        assert(call())
        w:go()
        w.desk:deliver(w.host, "execute_action")
        w:go()
        local s = run:summary()
        assert.are.equal("committed_unverified", s.status)
        assert.are.equal("committed", s.effect)
        says.counts(w, 1, 1, 1)
      end)

      it("is not lifted by a run, an answer or another session's lift", function()
        assert(call())
        w:go()
        local ok, err = w.host:lift_stop "session-2"
        assert.is_nil(ok)
        assert.are.equal("conflict", err.code)
        assert.are.equal("cancelled", w:play().status)
      end)

      it("is latched and says `unsupported` when the runtime does not offer it", function()
        w:close()
        w = world.open { without = { op } }
        local ok, err = call()
        assert.is_nil(ok)
        assert.are.equal("unsupported", err.code)
        assert.truthy((err.field .. err.message):find(op, 1, true))
        assert.are.same({}, w.interrupts)
        assert.are.equal("cancelled", w:play().status)
      end)

      it("holds for a run that waits: approved afterwards, it does not act", function()
        w:asks_approval()
        local run = w:start()
        w:go()
        assert(call())
        w:go()
        w:answer { grantId = "g" }
        assert.are.equal("cancelled", run:summary().status)
        says.counts(w, 0, 0, 0, 0)
      end)
    end)
  end

  it("hears its own end, once, also when another stop overtakes it", function()
    w.desk:hold "pause_session"
    local heard = {}
    assert(w.host:pause_session("session-1", "coffee", function(err) table.insert(heard, { "pause", err }) end))
    assert(w.host:emergency_stop("fire", function(err) table.insert(heard, { "emergency", err }) end))
    w:go()
    assert.are.same({ { "emergency" } }, heard)
    w.desk:deliver(w.host, "pause_session")
    w:go()
    w:advance(60000)
    assert.are.same({ { "emergency" }, { "pause" } }, heard)
  end)

  it("that is refused at once tells its caller and its listener, once", function()
    local heard = 0
    assert.is_nil((w.host:stop_session("", "enough", function() heard = heard + 1 end)))
    w:go()
    assert.are.equal(1, heard)
  end)

  it("that is called from inside a callback latches all the same: the run does not act", function()
    for _, call in ipairs { function() return w.host:stop_session("session-1", "now") end,
      function() return w.host:emergency_stop "now" end } do
      w:close()
      w = world.open()
      local ok, err
      w.desk:before("acquire_lease", function() ok, err = call() end)
      local s = w:play()
      assert.is_nil(ok)
      assert.are.equal("conflict", err.code)
      assert.are.equal("cancelled", s.status)
      says.counts(w, 0, 1, 1, 1, 1)
    end
  end)

  it("of one session leaves other sessions alone, an emergency stop does not", function()
    assert(w.host:stop_session("session-2", "enough"))
    assert.are.equal("committed_unverified", w:play().status)
    assert(w.host:emergency_stop "fire")
    assert.are.equal("cancelled", w:play({ session = "session-3" }).status)
  end)

  it("needs a session to stop", function()
    local ok, err = w.host:stop_session("", "enough")
    assert.is_nil(ok)
    assert.are.equal("invalid_request", err.code)
  end)
end)

describe("the lease of a host", function()
  local w
  before_each(function() w = world.open { lease_wait_ms = 2000 } end)
  after_each(function() w:close() end)

  it("goes to who came first, then to who came next", function()
    w.desk:hold("execute_action", 1)
    local runs = {}
    for i = 1, 3 do
      runs[i] = w:start()
      w:go()
    end
    assert.are.equal(1, w.desk:asked "acquire_lease")
    w.desk:deliver(w.host, "execute_action")
    w:go()
    for i = 1, 3 do
      assert.are.equal("committed_unverified", runs[i]:summary().status)
      assert.are.equal(runs[i]:action_id(), w.desk.bodies.acquire_lease[i].actionId)
    end
    assert.are.equal(3, w.desk.effects)
  end)

  it("is not asked for by a second run before the first gave it back", function()
    w.desk:hold("release_lease", 1)
    w:start()
    w:go()
    w:start()
    w:go()
    assert.are.equal(1, w.desk:asked "acquire_lease")
    w.desk:deliver(w.host, "release_lease")
    w:go()
    assert.are.equal(2, w.desk:asked "acquire_lease")
  end)

  it("is waited for so long, then it is a conflict, with the reservation given back", function()
    w.desk:hold "execute_action"
    w:start()
    w:go()
    local second = w:start()
    w:go()
    w:advance(1999)
    assert.are.equal("moving", second:state())
    w:advance(1)
    local s = second:summary()
    assert.are.equal("failed", s.status)
    assert.are.equal("conflict", s.error.code)
    assert.are.equal("none", s.effect)
    assert.are.equal(1, w.desk:asked "release_target")
    assert.are.equal(1, w.desk:asked "acquire_lease")
  end)

  it("goes on to the next when the first run fails", function()
    w.desk:hold("acquire_lease", 1)
    w:start()
    w:go()
    local second = w:start()
    w:go()
    w.desk.held[1].text = "{}"
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    assert.are.equal("failed", w.run:summary().status)
    assert.are.equal("committed_unverified", second:summary().status)
  end)

  it("passes over a run that was cancelled in line", function()
    w.desk:hold("execute_action", 1)
    w:start()
    w:go()
    local second = w:start()
    local third = w:start()
    w:go()
    assert(second:cancel "changed my mind")
    w:go()
    assert.are.equal("cancelled", second:summary().status)
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed_unverified", third:summary().status)
    assert.are.equal(2, w.desk:asked "acquire_lease")
  end)
end)

describe("runs that move", function()
  it("are so many at once, the others wait in line in their order", function()
    local w = world.open { max_moving_runs = 2 }
    for _, op in ipairs { "observe_visual" } do w.desk:hold(op) end
    local runs = {}
    for i = 1, 4 do runs[i] = w:start() end
    local tick = w:go()
    assert.are.equal(2, tick.moving)
    assert.are.equal(2, tick.queued)
    assert.are.equal("queued", runs[3]:state())
    assert.are.equal(2, w.desk:asked "observe_visual")
    w.desk:deliver(w.host, "observe_visual")
    tick = w:go()
    assert.are.equal("ended", runs[1]:state())
    assert.are.equal("moving", runs[3]:state())
    assert.are.equal(1, tick.queued)
    for _ = 1, 3 do
      w.desk:deliver(w.host, "observe_visual")
      tick = w:go()
    end
    assert.are.equal(0, tick.moving + tick.queued + tick.in_flight)
    assert.are.equal(4, w.desk.effects)
    w:close()
  end)

  it("do not count a run that waits for a person", function()
    local w = world.open { max_moving_runs = 1 }
    w.desk:edit("preview_action", function(a) a.executable, a.blocker = false, "approval_required" end, 1)
    local first = w:start()
    local second = w:start()
    local tick = w:go()
    assert.are.equal("waiting", first:state())
    assert.are.equal("ended", second:state())
    assert.are.equal(1, tick.waiting)
    w:close()
  end)
end)

describe("an answer that comes too late", function()
  local w
  before_each(function() w = world.open { request_timeout_ms = 5000 } end)
  after_each(function() w:close() end)

  it("with a lease has that lease released", function()
    w.desk:hold "acquire_lease"
    local run = w:start()
    w:go()
    w:advance(5000)
    assert.are.equal("failed", run:summary().status)
    assert.are.equal("timeout", run:summary().error.code)
    says.counts(w, 0, 1, 1, 1, 0)
    assert(w.desk:deliver(w.host, "acquire_lease"))
    w:go()
    says.counts(w, 0, 1, 1, 1, 1)
    assert.are.equal("lease-secret-1", w.desk.bodies.release_lease[1].leaseId)
    assert.are.equal("failed", run:summary().status)
  end)

  it("with a lease of another session leaves that lease alone", function()
    w.desk:hold "acquire_lease"
    w.desk:edit("acquire_lease", function(l) l.sessionId = "session-2" end)
    w:start()
    w:go()
    w:advance(5000)
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    says.counts(w, 0, 1, 1, 1, 0)
  end)

  it("with a reservation has that reservation released", function()
    w.desk:hold "reserve_target"
    local run = w:start()
    w:go()
    w:advance(5000)
    assert.are.equal("failed", run:summary().status)
    says.counts(w, 0, 1, 0, 0)
    w.desk:deliver(w.host, "reserve_target")
    w:go()
    says.counts(w, 0, 1, 1, 0)
    assert.are.equal("reservation-1", w.desk.bodies.release_target[1].reservationId)
  end)

  it("with a preview is not taken", function()
    w.desk:hold "preview_action"
    local run = w:start()
    w:go()
    w:advance(5000)
    w.desk:deliver(w.host, "preview_action")
    w:go()
    assert.are.equal("failed", run:summary().status)
    says.counts(w, 0, 0, 0, 0)
  end)

  it("with a receipt raises the effect to committed, and never the status", function()
    w.desk:hold "execute_action"
    w.desk:answer("recover", '"unknown"')
    local run = w:start()
    w:go()
    w:advance(5000)
    assert.are.equal("indeterminate", run:summary().status)
    assert.are.equal("unknown", run:summary().effect)
    w.desk:deliver(w.host, "execute_action")
    w:go()
    local s = run:summary()
    assert.are.equal("indeterminate", s.status)
    assert.are.equal("committed", s.effect)
    assert.is_false(s.retry_safe)
    assert.is_table(w:find "amendment")
  end)

  it("with a receipt for something else amends nothing", function()
    w.desk:hold "execute_action"
    w.desk:edit("execute_action", function(r) r.actionId = "another" end)
    w.desk:answer("recover", '"unknown"')
    local run = w:start()
    w:go()
    w:advance(5000)
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("unknown", run:summary().effect)
    assert.is_nil(w:find "amendment")
  end)

  it("tells the runtime that nobody waits any more", function()
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    w:advance(5000)
    assert.is_true(w.desk.cancelled[w.desk.held[1].token])
  end)
end)
