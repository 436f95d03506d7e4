-- The module itself: what it refuses from its caller, what it says of failures, and what an error in a callback does.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

describe("the module", function()
  it("names its version, limits and kinds", function()
    assert.truthy(interlock.version:find "^%d+%.%d+%.%d+")
    local limits = interlock.limits()
    assert.are.equal(1048576, limits.contract_bytes.value)
    assert.are.equal(10000, limits.lease_wait_ms.value)
    assert.are.equal("ms", limits.lease_wait_ms.unit)
    local kinds = {}
    for _, kind in ipairs(interlock.kinds()) do kinds[kind] = true end
    for _, kind in ipairs { "preview", "envelope", "lease", "reservation", "receipt", "approval", "grant",
      "outcome" } do
      assert.is_true(kinds[kind], kind)
    end
  end)

  it("has SHA-256", function()
    assert.are.equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", interlock.sha256 "")
    assert.are.equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", interlock.sha256 "abc")
  end)
end)

describe("a host", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  it("starts no run without a runtime", function()
    local host = interlock.host {}
    local run, err = host:run { proposal = '{"tool":"key"}', principal = "p", session = "s", scopes = {} }
    assert.is_nil(run)
    assert.is_string(err.code)
    host:close()
  end)

  for _, missing in ipairs { "principal", "session", "proposal" } do
    it("starts no run without " .. missing, function()
      local options = { proposal = '{"tool":"key"}', principal = "p", session = "s", scopes = {} }
      options[missing] = nil
      local run, err = w.host:run(options)
      assert.is_nil(run)
      assert.is_string(err.message)
      options[missing] = ""
      assert.is_nil((w.host:run(options)))
      assert.are.same({}, w.desk.calls)
    end)
  end

  for _, text in ipairs { "{", "[]", "null", '{"tool":""}', '{"tool":1}', '{"tool":"key","tool":"key"}',
    '{"tool":"key","arguments":[]}', '{"tool":"key","mode":"Background"}', '{"tool":"key","zz":1}',
    '{"tool":"key","arguments":{"n":123456789012345678901}}', '\xEF\xBB\xBF{"tool":"key"}', '{"tool":"key"} x' } do
    it("starts no run of the proposal " .. text:gsub("%c", "?"), function()
      local run, err = w.host:run { proposal = text, principal = "p", session = "s", scopes = {} }
      assert.is_nil(run)
      assert.is_true(err.code == "decode" or err.code == "invalid_request", err.code)
      assert.are.same({}, w.desk.calls)
    end)
  end

  it("refuses a runtime twice, and changes nothing", function()
    assert.is_nil((w.host:set_runtime {}))
    assert.are.equal("committed_unverified", w:play().status)
  end)

  it("tells of checks that passed only when it is asked to trace, of those that failed always", function()
    local quiet = world.open { trace = false }
    quiet.desk:edit("acquire_lease", function(l) l.state = "released" end)
    quiet:play()
    local seen = {}
    for _, event in ipairs(quiet.events) do
      if event.type == "check" then seen[#seen + 1] = ("%s %s %s"):format(event.object, event.field, event.ok) end
    end
    assert.are.same({ "control lease state false" }, seen)
    quiet:close()
  end)

  it("that was closed says so, and its runs as well", function()
    local run = w:start()
    w.host:close()
    assert.has_error(function() w.host:tick() end)
    assert.has_error(function() run:summary() end)
    w.host:close()
  end)

  it("shares nothing with another host", function()
    local other = world.open()
    assert(w.host:emergency_stop "fire")
    assert.are.equal("committed_unverified", other:play().status)
    assert.are.equal("cancelled", w:play().status)
    other:close()
  end)

  it("raises what a callback of its embedder raised, from the call that caused it", function()
    w.desk:before("observe_visual", function() error "the embedder's own mistake" end)
    w:start()
    local ok, err = pcall(w.go, w)
    assert.is_false(ok)
    assert.truthy(tostring(err):find("the embedder's own mistake", 1, true))
  end)

  it("whose execute callback raises does not know whether it acted: never `none`, and never sent again", function()
    w.desk:before("execute_action", function() error "the embedder's own mistake" end)
    w:start()
    pcall(w.go, w)
    w:go()
    local s = w.run:summary()
    assert.are.equal("indeterminate", s.status)
    assert.are.equal("unknown", s.effect)
    assert.are.equal(1, w.desk:asked "execute_action")
    assert.are.equal(1, w.desk:asked "release_lease")
  end)

  it("is not called back into: a tick inside a callback is refused", function()
    local inner, err
    w.desk:before("preview_action", function() inner, err = w.host:tick() end)
    w:play()
    assert.is_nil(inner)
    assert.are.equal("conflict", err.code)
    says.counts(w, 1, 1, 1)
  end)

  it("that has only so much memory ends runs with out_of_memory, and effects stay honest", function()
    for bytes = 200000, 1600000, 100000 do
      local small = world.open { memory_bytes = bytes }
      local ok, run = pcall(small.start, small)
      if ok then
        pcall(small.go, small)
        local s = run:summary()
        if small.desk.effects == 1 then assert.are_not.equal("none", s.effect) end
        if small.desk:asked "execute_action" == 0 then assert.are_not.equal("committed", s.effect) end
      end
      small:close()
    end
  end)

  it("does not take a completion for what is not in flight", function()
    for _, token in ipairs { 0, 1, -1, 1 << 40 } do
      local ok, err = w.host:complete(token, "{}")
      assert.is_nil(ok)
      assert.are.equal("conflict", err.code)
    end
  end)

  it("does not let a completion of one run serve another", function()
    w.desk:hold "acquire_lease"
    w.desk:hold "preview_action"
    w:start()
    w:go()
    local first = w.desk.held[1]
    local second = w:start { session = "session-2" }
    w:go()
    assert(w.host:complete(w.desk.held[2].token, first.text))
    w:go()
    says.refused(second:summary(), "action envelope", "session_id")
  end)
end)

describe("the simulated runtime", function()
  it("acts on nothing, and plays a whole run", function()
    local host = interlock.host {}
    assert(host:set_runtime_simulated())
    local run = assert(host:run { proposal = json.encode(world.proposal { arguments = { text = "hi" } }),
      principal = "operator-1", session = "session-1", scopes = { "computer:execute:background" } })
    for _ = 1, 1000 do host:tick(0) end
    assert.are.equal("ended", run:state())
    assert.are.equal(nil, run:summary().error and run:summary().error.message)
    host:close()
  end)
end)
