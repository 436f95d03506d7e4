-- The stop latch in a store: from then nothing of that session, or of any, acquires or executes, in this host, the
-- next, or another process. Only an operator lifts it.

local interlock = require "interlock"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local w

local function waiting(options)
  w = world.durable(options)
  w:asks_approval()
  w:play()
  w.run_id = w.run:id()
end

local function stopped(run, field)
  local s = (run or w.run):summary()
  assert.are.equal("none", s.effect)
  assert.are.equal("cancelled", s.error.code)
  assert.are.equal("stop latch " .. field, s.error.object .. " " .. s.error.field)
  says.nothing(w)
end

describe("a stop in the store", function()
  after_each(function() w:close() end)

  it("of the session stops its run before the lease", function()
    waiting()
    assert(w.store:stop "session-1")
    w:answer { runtimeApproved = true }
    stopped(nil, "session")
    assert.are.equal(0, w.desk:asked "acquire_lease")
  end)

  it("of everything stops every session", function()
    w = world.durable()
    w:asks_approval()
    local runs = {}
    for i = 1, 3 do runs[i] = w:start { session = "session-" .. i } end
    w:go()
    assert(w.store:stop())
    for _, run in ipairs(runs) do
      w:answer({ runtimeApproved = true }, run)
      stopped(run, "emergency")
    end
    assert.are.equal(0, w.desk:asked "acquire_lease")
  end)

  it("of another session stops nothing", function()
    waiting()
    assert(w.store:stop "session-2")
    assert(w.store:stop "session-10")
    assert(w.store:stop "session-")
    w:answer { runtimeApproved = true }
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("stands in the next host, and the one after", function()
    waiting()
    assert(w.store:stop "session-1")
    for _ = 1, 3 do
      w = w:next()
      assert(w:resume())
      assert.are.equal("waiting", w.run:state())
    end
    w:answer { runtimeApproved = true }
    stopped(nil, "session")
  end)

  it("by a host stands when that host is gone", function()
    waiting()
    assert(w.host:stop_session("session-1", "a person said so"))
    w:go()
    local id = w.run_id
    w = w:next()
    w.run_id = id
    local run = w:start()
    w:go()
    w:answer({ runtimeApproved = true }, run)
    stopped(run, "session")
  end)

  it("by a host stands although the runtime refuses to stop", function()
    waiting()
    w.desk:fail("stop_session", "busy")
    local heard
    assert(w.host:stop_session("session-1", "now", function(err) heard = err or "done" end))
    w:go()
    assert.are.equal("runtime", heard.code)
    assert.are.equal(0, #w.interrupts)
    w = w:next()
    local run = w:start()
    w:go()
    w:answer({ runtimeApproved = true }, run)
    stopped(run, "session")
  end)

  it("in an emergency, by a host, stands for every session of the next host", function()
    waiting()
    assert(w.host:emergency_stop "fire")
    w:go()
    w = w:next()
    for i = 1, 2 do
      local run = w:start { session = "another-" .. i }
      w:go()
      w:answer({ runtimeApproved = true }, run)
      stopped(run, "emergency")
    end
  end)

  it("that comes while the lease is acquired stops the send, and gives back what is held", function()
    w = world.durable()
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    assert(w.store:stop "session-1")
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    stopped(nil, "session")
    says.counts(w, 0, 1, 1)
  end)

  for _, what in ipairs { "session", "emergency" } do
    it("of kind " .. what .. " that comes in the moment of the send stops it", function()
      w = world.durable()
      local on
      w.on_clock = function()
        if on or not w.run or not w:find "execute" then return end
        on = true
        assert(w.store:stop(what == "session" and "session-1" or nil))
      end
      w:start()
      w:go()
      assert.is_true(on)
      stopped(nil, what)
      says.counts(w, 0, 1, 1)
      assert.is_table(w:find "not_sent")
    end)
  end

  it("that comes after the send changes nothing of its outcome, and what is held is given back", function()
    w = world.durable()
    w.desk:hold "execute_action"
    w:start()
    w:go()
    assert(w.store:stop "session-1")
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed_unverified", w.run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("lets observing and previewing be: they are no acts", function()
    w = world.durable()
    assert(w.store:stop())
    w:play { proposal = world.proposal { mode = "shadow" } }
    assert.are.equal("previewed", w.run:summary().status)
  end)
end)

describe("a lift", function()
  after_each(function() w:close() end)

  it("of the session lets its runs act again", function()
    waiting()
    assert(w.store:stop "session-1")
    assert(w.store:lift "session-1")
    w:answer { runtimeApproved = true }
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("of another session lifts nothing", function()
    waiting()
    assert(w.store:stop "session-1")
    w.store:lift "session-2"
    w:answer { runtimeApproved = true }
    stopped(nil, "session")
  end)

  it("of everything leaves a session stopped that was stopped for itself", function()
    waiting()
    assert(w.store:stop "session-1")
    assert(w.store:stop())
    assert(w.store:lift())
    w:answer { runtimeApproved = true }
    stopped(nil, "session")
  end)

  it("of a session leaves the emergency stop on", function()
    waiting()
    assert(w.store:stop "session-1")
    assert(w.store:stop())
    assert(w.store:lift "session-1")
    w:answer { runtimeApproved = true }
    stopped(nil, "emergency")
  end)

  it("by a host of a session that was stopped under an emergency stop counts once that is lifted, too", function()
    waiting()
    assert(w.store:stop "session-1")
    assert(w.store:stop())
    assert(w.host:lift_stop "session-1")
    assert(w.host:lift_stop())
    w:answer { runtimeApproved = true }
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("by a host lifts what another host stopped", function()
    waiting()
    assert(w.host:stop_session "session-1")
    w:go()
    w = w:next()
    assert(w.host:lift_stop "session-1")
    local run = w:start()
    w:go()
    w:answer({ runtimeApproved = true }, run)
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("of nothing is a conflict that says so", function()
    waiting()
    local ok, err = w.host:lift_stop "session-1"
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
    ok, err = w.host:lift_stop()
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
  end)
end)

describe("a stop by another process", function()
  local path
  before_each(function()
    path = os.tmpname()
    os.remove(path)
  end)
  after_each(function()
    w:close()
    w.store:close()
    os.execute("rm -rf '" .. path .. "' '" .. path .. "'-* '" .. path .. "'.*")
  end)

  it("stops a run that moves here, and is seen without being asked for", function()
    w = world.durable { store = assert(interlock.store { path = path, create = true }) }
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    local script = "local s=assert(require'interlock'.store{path='%s'}) assert(s:stop 'session-1') s:close()"
    assert(os.execute(('lua5.4 -e "%s"'):format(script:format(path))))
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    stopped(nil, "session")
    says.counts(w, 0, 1, 1)
  end)
end)
