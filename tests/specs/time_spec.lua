-- Time: equal is expired, no clock that is turned lengthens anything, every time-out ends something, and a cancelled
-- run gives back what it holds in whatever state it was.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

describe("an expiry", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  -- Lets `ms` pass while the lease is acquired, then tells how the run ended.
  local function after(ms, bend)
    if bend then bend() end
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + ms, w.clock.boot_ms + ms
    w.desk.held[1].text = w.desk.held[1].text:gsub('"expiresAt":"[^"]*"', '"expiresAt":"' .. w.clock:text(9000) .. '"')
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    return w.run:summary()
  end

  local function envelope_for(ms)
    return function()
      w.desk:edit("preview_action", function(a) a.envelope.expiresAt = w.clock:text(ms) end)
    end
  end

  it("of an envelope is not reached one millisecond before", function()
    assert.are.equal("committed_unverified", after(999, envelope_for(1000)).status)
    says.counts(w, 1, 1, 1)
  end)

  it("of an envelope is reached at equality", function()
    says.refused(after(1000, envelope_for(1000)), "action envelope", "expires_at")
    says.counts(w, 0, 1, 1)
  end)

  for _, edge in ipairs { { 999, true }, { 1000, false } } do
    it(("of a reservation %s after %d of 1000 ms"):format(edge[2] and "is not reached" or "is reached", edge[1]),
      function()
        local s = after(edge[1], function()
          w.desk:edit("reserve_target", function(r) r.expiresAt = w.clock:text(1000) end)
        end)
        if edge[2] then
          assert.are.equal("committed_unverified", s.status)
        else
          says.refused(s, "target reservation", "expires_at")
          says.counts(w, 0, 1, 1)
        end
      end)
  end

  it("of a lease that comes with its answer is reached at equality", function()
    w.desk:edit("acquire_lease", function(l) l.expiresAt = w.clock:text() end)
    says.refused(w:play(), "control lease", "expires_at")
    says.counts(w, 0, 1, 1)
  end)

  it("of a lease that lapses while a script thinks is seen at execute", function()
    w.desk:edit("acquire_lease", function(l) l.expiresAt = w.clock:text(100) end)
    w.desk:before("observe_visual", function()
      w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 100, w.clock.boot_ms + 100
    end, 1)
    local s = w:play { workflow = [[return function(run)
      run:preview() run:acquire_lease() run:observe("visual") run:execute() end]] }
    says.refused(s, "control lease", "expires_at")
    says.counts(w, 0, 0, 0, 1, 1)
  end)

  it("is never later than the time to live that was asked for, whatever the runtime answers", function()
    w:close()
    w = world.open { envelope_ttl_ms = 1000, lease_ttl_ms = 60000 }
    says.refused(after(1000, envelope_for(3600000)), "action envelope", "expires_at")
    assert.are.equal(1000, w.desk.bodies.preview_action[1].proposal.expiresInMs)
    says.counts(w, 0, 1, 1)
  end)

  for _, what in ipairs { "wall clock turned back", "boot clock alone goes on" } do
    it("is not lengthened by a " .. what, function()
      envelope_for(1000)()
      w.desk:hold "acquire_lease"
      w:start()
      w:go()
      w.clock.boot_ms = w.clock.boot_ms + 1000
      if what:find "back" then w.clock.wall_ms = w.clock.wall_ms - 3600000 end
      w.desk.held[1].text = w.desk.held[1].text:gsub('"expiresAt":"[^"]*"', '"expiresAt":"2027-01-01T00:00:00Z"')
      w.desk:deliver(w.host, "acquire_lease")
      w:go()
      says.refused(w.run:summary(), "action envelope", "expires_at")
      assert.are.equal(0, w.desk.effects)
    end)
  end

  for _, row in ipairs { { "control lease", "acquire_lease", "lease_ttl_ms" },
    { "target reservation", "reserve_target", "reservation_ttl_ms" } } do
    it("of a " .. row[1] .. " is never later than the time to live that was asked for", function()
      w:close()
      w = world.open { [row[3]] = 1000 }
      w.desk:edit(row[2], function(a) a.expiresAt = w.clock:text(3600000) end)
      w.desk:before("observe_visual", function()
        w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 1000, w.clock.boot_ms + 1000
      end)
      local s = w:play { workflow = [[return function(run)
        run:preview() run:reserve() run:acquire_lease() run:observe("visual") run:execute() end]] }
      assert.are.equal(1000, w.desk.bodies[row[2]][1].ttlMs)
      says.refused(s, row[1], "expires_at")
      says.counts(w, 0, 1, 1, 1, 1)
    end)
  end

  it("is reached when the wall clock alone is put forward", function()
    envelope_for(1000)()
    w.desk:before("acquire_lease", function() w.clock.wall_ms = w.clock.wall_ms + 1000 end)
    says.refused(w:play(), "action envelope", "expires_at")
    says.counts(w, 0, 1, 1)
  end)

  it("counts from the latest wall time that was journaled, also when the clock is turned back", function()
    w.desk:hold "preview_action"
    w:start()
    w:go()
    w.clock.wall_ms = w.clock.wall_ms - 3600000
    w.desk.held[1].text = w.desk.held[1].text:gsub('"proposedAt":"[^"]*"', '"proposedAt":"2026-11-30T17:00:00Z"')
      :gsub('"expiresAt":"[^"]*"', '"expiresAt":"2026-11-30T17:59:59Z"')
    w.desk:deliver(w.host, "preview_action")
    w:go()
    says.refused(w.run:summary(), "action envelope", "expires_at")
  end)

  it("is the margin earlier where the host says so", function()
    w:close()
    w = world.open { execute_margin_ms = 500 }
    says.refused(after(600, envelope_for(1000)), "action envelope", "expires_at")
    says.counts(w, 0, 1, 1)
    assert.is_table(w:find "not_sent")
  end)
end)

describe("a run of mode shadow", function()
  it("ends previewed when an approval would be needed: nothing waits, is reserved, leased or done", function()
    local w = world.open()
    w:asks_approval()
    local s = w:play { proposal = world.proposal { mode = "shadow" }, scopes = { "computer:plan" } }
    assert.are.equal("previewed", s.status)
    says.counts(w, 0, 0, 0, 0)
    w:close()
  end)

  it("ends blocked when the runtime denies", function()
    local w = world.open()
    w.desk:edit("preview_action", function(a) a.policy.decision = "deny" end)
    local s = w:play { proposal = world.proposal { mode = "shadow" }, scopes = { "computer:plan" } }
    assert.are.equal("blocked", s.status)
    assert.are.equal("policy_denied", s.reason)
    says.counts(w, 0, 0, 0, 0)
    w:close()
  end)

  it("is previewed when it is allowed, with effect none and exit 0", function()
    local w = world.open()
    local s = w:play { proposal = world.proposal { mode = "shadow" }, scopes = { "computer:plan" } }
    assert.are.equal("previewed", s.status)
    assert.are.equal("none", s.effect)
    assert.is_true(s.retry_safe)
    assert.are.equal(0, s.exit_status)
    assert.are.equal(1, w.desk:asked "preview_action")
    w:close()
  end)
end)

describe("a wait", function()
  local w
  before_each(function()
    w = world.open()
    w:asks_approval()
  end)
  after_each(function() w:close() end)

  it("ends at the expiry of the envelope, at equality", function()
    local run = w:start()
    w:go()
    w:advance(299999)
    assert.are.equal("waiting", run:state())
    w:advance(1)
    assert.are.equal("expired", run:summary().status)
    assert.are.equal(1, run:summary().exit_status)
  end)

  it("is expired for an answer that comes at that moment, before any tick", function()
    local run = w:start()
    w:go()
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 300000, w.clock.boot_ms + 300000
    local ok, err = w:answer { grantId = "g" }
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    assert.are.equal("expired", run:summary().status)
    says.counts(w, 0, 0, 0)
  end)

  it("keeps a late answer as late, and changes nothing", function()
    local run = w:start()
    w:go()
    local late = json.encode(w:answer_of(run, { grantId = "g" }))
    w:advance(300000)
    assert.is_nil((run:answer(late)))
    w:go()
    assert.are.equal("expired", run:summary().status)
    assert.is_table(w:find "late")
    says.counts(w, 0, 0, 0)
  end)

  it("says until when, and the host says when it wants to be called", function()
    local run = w:start()
    local tick = w:go()
    assert.are.equal(w.clock:text(300000), w:document(run).expiresAt)
    assert.are.equal(300000, tick.next_deadline_ms)
  end)

  it("costs nothing in flight and nothing that moves", function()
    w:start()
    local tick = w:go()
    assert.are.same({ 0, 0, 1 }, { tick.in_flight, tick.moving, tick.waiting })
  end)

  it("does not lengthen when the wall clock is turned back", function()
    local run = w:start()
    w:go()
    w.clock.wall_ms = w.clock.wall_ms - 86400000
    w.clock.boot_ms = w.clock.boot_ms + 300000
    w:go()
    assert.are.equal("expired", run:summary().status)
  end)
end)

describe("a request that is never answered", function()
  local w
  before_each(function() w = world.open { request_timeout_ms = 5000 } end)
  after_each(function() w:close() end)

  for _, row in ipairs { { "observe_semantic", 0, 0 }, { "preview_action", 0, 0 }, { "reserve_target", 1, 0 },
    { "acquire_lease", 1, 1 } } do
    it("to " .. row[1] .. " fails the run after its time, with no effect", function()
      w.desk:lose(row[1])
      local run = w:start()
      w:go()
      w:advance(4999)
      assert.are.equal("moving", run:state())
      w:advance(1)
      local s = run:summary()
      assert.are.equal("failed", s.status)
      assert.are.equal("timeout", s.error.code)
      assert.are.equal("none", s.effect)
      assert.are.equal(0, w.desk.effects)
      assert.are.equal(row[2], w.desk:asked "reserve_target")
      assert.are.equal(row[1] == "acquire_lease" and 1 or 0, w.desk:asked "release_target")
    end)
  end

  it("to verify leaves what is known: committed, unverified, with the error", function()
    w.desk:lose "verify"
    local postcondition = { kind = "window", windowId = 7, exists = true }
    local run = w:start { proposal = world.proposal { postcondition = postcondition } }
    w:go()
    w:advance(5000)
    local s = run:summary()
    assert.are.equal("committed_unverified", s.status)
    assert.are.equal("timeout", s.error.code)
    says.counts(w, 1, 1, 1)
  end)

  it("to a release is a release failure, and the run ends", function()
    w.desk:lose "release_lease"
    local run = w:start()
    w:go()
    w:advance(5000)
    local s = run:summary()
    assert.are.equal("committed_unverified", s.status)
    assert.are.equal("timeout", s.error.code)
    assert.are.equal(8, s.exit_status)
    says.counts(w, 1, 1, 1)
  end)
end)

describe("cancelling a run", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  local STATES = {
    { "queued", nil, 0, 0 }, { "observing", "observe_visual", 0, 0 }, { "previewing", "preview_action", 0, 0 },
    { "reserving", "reserve_target", 1, 0 }, { "leasing", "acquire_lease", 1, 1 },
  }
  for _, state in ipairs(STATES) do
    it("that is " .. state[1] .. " sends nothing, gives back what is held, and ends cancelled", function()
      if state[2] then w.desk:hold(state[2]) end
      local run = w:start()
      if state[2] then w:go() end
      assert(run:cancel "changed my mind")
      w:go()
      for _ = 1, #w.desk.held do w.desk:deliver(w.host, state[2]) end
      w:go()
      local s = run:summary()
      assert.are.equal("cancelled", s.status)
      assert.are.equal("none", s.effect)
      assert.are.equal("cancelled", s.error.code)
      assert.are.equal(1, s.exit_status)
      says.counts(w, 0, state[3], state[3], state[4], state[4])
    end)
  end

  it("that waits needs no runtime", function()
    w:asks_approval()
    local run = w:start()
    w:go()
    local asked = #w.desk.calls
    assert(run:cancel "changed my mind")
    w:go()
    assert.are.equal("cancelled", run:summary().status)
    assert.are.equal(asked, #w.desk.calls)
    local ok = w.run:answer '{"requestId":"x"}'
    assert.is_nil(ok)
    says.counts(w, 0, 0, 0)
  end)

  it("that waits with a reservation gives it back", function()
    w:asks_approval()
    local run = w:start { workflow = [[return function(run)
      run:preview() run:reserve() run:request_approval() run:acquire_lease() run:execute() end]] }
    w:go()
    assert.are.equal("waiting", run:state())
    assert.are.equal(1, w.desk:asked "reserve_target")
    assert(run:cancel "changed my mind")
    w:go()
    assert.are.equal("cancelled", run:summary().status)
    says.counts(w, 0, 1, 1, 0)
  end)

  it("while execute is in flight changes nothing about what happened: it verifies and releases", function()
    w.desk:hold "execute_action"
    local run = w:start()
    w:go()
    run:cancel "changed my mind"
    w:go()
    w.desk:deliver(w.host, "execute_action")
    w:go()
    local s = run:summary()
    assert.are.equal("committed_unverified", s.status)
    assert.are.equal("committed", s.effect)
    says.counts(w, 1, 1, 1)
  end)

  it("while a lost execute is recovered never sends it again", function()
    w:close()
    w = world.open { request_timeout_ms = 5000 }
    w.desk:lose("execute_action", 1)
    w.desk:hold "recover"
    w.desk:answer("recover", '"not_started"')
    local run = w:start()
    w:go()
    w:advance(5000)
    run:cancel "changed my mind"
    w.desk:deliver(w.host, "recover")
    w:go()
    assert.are.equal("ended", run:state())
    assert.are.equal(1, w.desk:asked "execute_action")
    says.counts(w, 0, 1, 1)
  end)

  it("by giving back its handle is the same, for a run that waits with a reservation", function()
    w:asks_approval()
    local run = w:start { workflow = [[return function(run)
      run:preview() run:reserve() run:request_approval() run:acquire_lease() run:execute() end]] }
    w:go()
    run:free()
    w:go()
    says.counts(w, 0, 1, 1, 0)
  end)

  it("that has ended is refused and changes nothing", function()
    local _, run = w:play()
    local before = run:document()
    local ok = run:cancel "changed my mind"
    w:go()
    assert.is_nil(ok)
    assert.are.equal(before, run:document())
  end)

  it("whose handle was given back goes on to its release", function()
    w.desk:hold "acquire_lease"
    local run = w:start()
    w:go()
    run:free()
    w:go()
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    says.counts(w, 0, 1, 1, 1, 1)
  end)
end)
