-- Durable runs: what waits outlives its host and its handle; a process that dies in the middle leaves a run that goes
-- on elsewhere, with one effect at most; no clock that is turned, and no restart of the machine, lengthens anything.

local interlock = require "interlock"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"
local process = require "tests.specs.support.process"

local w

local function waiting(options, start)
  w = world.durable(options)
  w:asks_approval()
  w:play(start)
  assert.are.equal("waiting", w.run:state())
  w.run_id = w.run:id()
end

describe("a run in a store", function()
  after_each(function() w:close() end)

  it("that waits is left when its host is closed", function()
    waiting()
    w.host:close()
    assert.are.equal("waiting", w.store:list()[1].status)
  end)

  it("that waits is left when its handle is collected", function()
    waiting()
    w.run, w.runs = nil, {}
    collectgarbage()
    collectgarbage()
    w:go()
    assert.are.equal("waiting", w:stored().status)
    w = w:next()
    assert(w:resume())
  end)

  it("that waits is cancelled when its handle is freed", function()
    waiting()
    w.run:free()
    w:go()
    assert.are.equal("cancelled", w.store:list()[1].status)
  end)

  it("that moves is ended when its host is closed, and what it holds is given back", function()
    w = world.durable()
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    w.host:close()
    assert.are.equal("cancelled", w.store:list()[1].status)
    says.counts(w, 0, 1, 1, 1, 0)
  end)

  it("that moves, or has ended, is not left", function()
    w = world.durable()
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    local ok, err = w.run:leave()
    assert.is_nil(ok)
    assert.are.equal("conflict leave", err.code .. " " .. err.field)
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    ok, err = w.run:leave()
    assert.is_nil(ok)
    assert.are.equal("conflict leave", err.code .. " " .. err.field)
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("of a host without a store is not left", function()
    w = world.open()
    w:asks_approval()
    w:play()
    local ok, err = w.run:leave()
    assert.is_nil(ok)
    assert.are.equal("conflict leave", err.code .. " " .. err.field)
    assert.are.equal("waiting", w.run:state())
  end)

  it("that was left has no handle any more", function()
    waiting()
    local run = w.run
    assert(run:leave())
    assert.has_error(function() run:state() end, "this run was freed")
    assert.has_error(function() run:leave() end, "this run was freed")
    run:free()
    assert.are.equal("waiting", w.store:list()[1].status)
  end)

  it("may be resumed by the host that left it", function()
    waiting()
    assert(w.run:leave())
    assert(w:resume())
    assert(w:answer { runtimeApproved = true })
    assert.are.equal("committed_unverified", w.run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("is listed by state, with what people look for", function()
    waiting(nil, { tenant = "tenant-1" })
    local row = w.store:list({ state = "waiting" })[1]
    assert.are.equal(w.run_id, row.run_id)
    assert.are.equal(w:document().requestId, row.request_id)
    assert.are.same({ "write_clipboard", "background", "session-1", "operator-1", "tenant-1", "waiting", 0, true },
      { row.tool, row.mode, row.session, row.principal, row.tenant, row.state, row.letters, row.owned })
    assert.are.equal(w:document().expiresAt, w.clock:text(row.expires_ms - w.clock.wall_ms))
    assert.are.same({}, w.store:list { state = "ended" })
    assert.are.same({}, w.store:list { state = "moving" })
    w:answer { runtimeApproved = true }
    row = w.store:list({ state = "ended" })[1]
    assert.are.equal("committed_unverified", row.status)
    assert.are.equal(#w:journal(), row.records)
    assert.are.equal(0, row.expires_ms)
  end)

  it("is shown after its end as its document was", function()
    waiting()
    w:answer { runtimeApproved = true }
    assert.are.equal(w.run:document(), w.host:show(w.run_id))
  end)
end)

describe("a store", function()
  after_each(function() w:close() end)

  it("is not closed under a host", function()
    waiting()
    assert.has_error(function() w.store:close() end, "a host uses this store: close the host first")
    assert(w:answer { runtimeApproved = true })
    w.host:close()
    w.store:close()
    assert.has_error(function() w.store:list() end, "this store was closed")
    w.store:close()
  end)

  it("is set once, and before the first run", function()
    w = world.durable()
    local other = assert(interlock.store {})
    local ok, err = w.host:set_store(other)
    assert.is_nil(ok)
    assert.are.equal("conflict store", err.code .. " " .. err.field)
    other:close()
    w:close()
    w = world.open()
    w:asks_approval()
    w:play()
    other = assert(interlock.store {})
    ok, err = w.host:set_store(other)
    assert.is_nil(ok)
    assert.are.equal("conflict store", err.code .. " " .. err.field)
    other:close()
  end)

  it("that nobody names any more lives as long as its host, and both may be left to the collector", function()
    local path = os.tmpname()
    os.remove(path)
    local script = [[local interlock = require "interlock"
      local host = interlock.host {}
      local store = assert(interlock.store { path = "%s", create = true })
      assert(host:set_store(store))
      local function never() return true end
      assert(host:set_runtime { discover_capabilities = never, observe_visual = never, observe_semantic = never,
        preview_action = never, acquire_lease = never, execute_action = never })
      store = nil
      collectgarbage() collectgarbage()
      local proposal = '{"tool":"write_clipboard","arguments":{"text":"hi"}}'
      local run = assert(host:run { proposal = proposal, principal = "p", session = "s" })
      for _ = 1, 5 do host:tick(1000) end
      assert(run:state() == "moving")]]
    local file = os.tmpname()
    local f = assert(io.open(file, "w"))
    f:write(script:format(path))
    f:close()
    local ok, how, status = os.execute("lua5.4 " .. file)
    os.remove(file)
    assert.are.same({ true, "exit", 0 }, { ok, how, status })
    w = world.durable { store = assert(interlock.store { path = path }) }
    assert.are.equal("cancelled", w.store:list()[1].status)
    w:close()
    w.store:close()
    process.remove(path)
  end)
end)

describe("the clock of a resumed run", function()
  after_each(function() w:close() end)

  local function left(options)
    waiting(options)
    assert(w.run:leave())
  end

  it("goes on in the same boot: a wall clock turned back lengthens nothing", function()
    left()
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms - 86400000, w.clock.boot_ms + 300000
    w = w:next()
    assert(w:resume())
    assert.are.equal("expired", w.run:summary().status)
    says.nothing(w)
  end)

  it("expires by the wall, too, however little the other clock counted", function()
    left()
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 300000, w.clock.boot_ms + 1
    w = w:next()
    assert(w:resume())
    assert.are.equal("expired", w.run:summary().status)
  end)

  it("is not turned back by a host whose wall clock is behind: the last time in the journal is the least", function()
    left()
    w.clock.wall_ms = w.clock.wall_ms - 3600000
    w = w:next()
    assert(w:resume())
    local records = w:journal()
    assert.are.equal("resumed", records[#records].kind)
    assert.is_true(records[#records].record.at >= records[#records - 1].record.at)
    w:advance(299999)
    assert.are.equal("waiting", w.run:state())
    w:advance(1)
    assert.are.equal("expired", w.run:summary().status)
  end)

  it("says nothing of a restart when there was none", function()
    left { boot_id = "boot-1" }
    w = w:next()
    assert(w:resume())
    assert.is_nil(w:document().clock)
  end)

  it("is the wall's alone after a restart of the machine, and the result says so", function()
    left { boot_id = "boot-1" }
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 299999, 10
    w = w:next { boot_id = "boot-2" }
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    assert.is_truthy(w:document().clock:find("wall only", 1, true))
    assert.are.equal(1, w:find("resumed").body.rebooted)
    assert(w:answer { runtimeApproved = true })
    assert.are.equal("committed_unverified", w.run:summary().status)
    assert.is_truthy(w:document().clock:find("wall only", 1, true))
  end)

  it("is the wall's alone after a restart, also when the new boot is older than the one before", function()
    left { boot_id = "boot-1" }
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 1000, 86400000
    w = w:next { boot_id = "boot-2" }
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    w:advance(299000)
    assert.are.equal("expired", w.run:summary().status)
  end)

  it("that was turned back over a restart still is not before the last record", function()
    left { boot_id = "boot-1" }
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms - 86400000, 10
    w = w:next { boot_id = "boot-2" }
    assert(w:resume())
    local records = w:journal()
    assert.is_true(records[#records].record.at >= records[#records - 1].record.at)
  end)
end)

describe("a process that dies in the middle of a run, at", function()
  local path, store
  before_each(function()
    path = os.tmpname()
    os.remove(path)
  end)
  after_each(function()
    if w then w:close() end
    if store then store:close() end
    process.remove(path)
  end)

  -- Resumes what the other process left; its stand-in knows what that one did.
  local function goes_on(op, moment, proves)
    local past = process.crash(path, op, moment)
    store = assert(interlock.store { path = path })
    w = world.open { store = store }
    w.desk.effects, w.desk.receipts, w.desk.proves = past.effects, past.receipts, proves
    w.desk.count.reserve_target, w.desk.count.acquire_lease = 10, 10
    w.run_id = store:list()[1].run_id
    assert(w:resume())
    w:advance(60000)
    return w.run:summary(), past
  end

  for _, op in ipairs { "discover_capabilities", "observe_visual", "observe_semantic", "preview_action",
    "reserve_target" } do
    for _, moment in ipairs { "before", "after" } do
      it(("%s, %s its answer, is followed by one that asks it again"):format(op, moment), function()
        local s, past = goes_on(op, moment)
        assert.are.equal(0, past.effects)
        assert.are.equal("committed_unverified", s.status)
        assert.are.equal(1, w.desk.effects)
        assert.is_true(w.desk:asked(op) >= 1)
      end)
    end
  end

  for _, moment in ipairs { "before", "after" } do
    it(("acquire_lease, %s its answer, is never followed by a second lease"):format(moment), function()
      local s = goes_on("acquire_lease", moment)
      assert.are.equal("failed", s.status)
      assert.are.equal("none", s.effect)
      assert.is_truthy(s.error.message:find("perhaps held until", 1, true))
      assert.are.equal(10, w.desk:asked "acquire_lease")
      assert.are.equal(0, w.desk.effects)
      assert.are.equal("reservation-1", w.desk.bodies.release_target[1].reservationId)
    end)
  end

  it("execute_action, before it acted, is not sent again unless it is proved that it never started", function()
    local s = goes_on("execute_action", "before")
    assert.are.equal("indeterminate", s.status)
    assert.are.equal("unknown", s.effect)
    assert.are.equal(0, w.desk.effects)
    assert.are.equal(0, w.desk:asked "execute_action")
    assert.are.equal(1, w.desk:asked "recover")
    assert.are.equal(7, s.exit_status)
  end)

  it("execute_action, before it acted, is sent once more when that is proved, with all checks made again", function()
    local s = goes_on("execute_action", "before", true)
    assert.are.equal("committed", s.effect)
    assert.are.equal(1, w.desk.effects)
    assert.are.equal(1, w.desk:asked "execute_action")
  end)

  for _, proves in ipairs { false, true } do
    local where = proves and "a runtime that can prove more" or "a runtime that proves nothing"
    it("execute_action, after it acted, is recovered by its receipt, at " .. where, function()
      local s, past = goes_on("execute_action", "after", proves)
      assert.are.equal(1, past.effects)
      assert.are.equal("committed", s.effect)
      assert.are.equal(1, w.desk.effects)
      assert.are.equal(0, w.desk:asked "execute_action")
    end)
  end

  for _, op in ipairs { "release_lease", "release_target" } do
    for _, moment in ipairs { "before", "after" } do
      it(("%s, %s its answer, has acted and says so: what is held is given back"):format(op, moment), function()
        local s = goes_on(op, moment)
        assert.are.equal("committed_unverified", s.status)
        assert.are.equal(1, w.desk.effects)
        assert.are.equal(0, w.desk:asked "execute_action")
        assert.are.equal(1, w.desk:asked "release_target")
      end)
    end
  end
end)
