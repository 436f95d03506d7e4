-- Callbacks that misbehave: what a callback of a host does must not harm the host that is calling it.

local world = require "tests.specs.support.world"

describe("a callback", function()
  it("cannot close its host", function()
    local w = world.open()
    local ok, why
    w.on_clock = function()
      w.on_clock = nil
      ok, why = pcall(w.host.close, w.host)
    end
    w.host:tick()
    assert.is_false(ok)
    assert.matches("own callback", why)
    assert(w.host:tick())
    w.host:close()
  end)

  it("may use the host from a coroutine that is gone afterwards", function()
    local w = world.open()
    w.on_clock = function()
      coroutine.wrap(function() w.host:policy_digest() end)()
      collectgarbage()
    end
    w:start()
    for _ = 1, 50 do w.host:tick() end
    w.on_clock = nil
    w.host:close()
  end)

  it("that gives no time leaves the time where it was", function()
    local w = world.open()
    w:start()
    w.host:tick()
    local before = #w.events
    w.on_clock = function() error("no clock today", 0) end
    local ok, why = pcall(w.host.tick, w.host)
    assert.is_false(ok)
    assert.matches("no clock today", why)
    w.on_clock = nil
    for _ = 1, 50 do w.host:tick() end
    assert.is_true(#w.events > before)
    w.host:close()
  end)
end)
