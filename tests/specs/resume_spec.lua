-- Resume: a run that waits is left by its process and taken up by another. What its first record pins must be as it
-- was; anything else is a conflict, nothing is sent, and the run stays as it is.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local null = json.null

local function workflow(body) return "return function(run)\n" .. body .. "\nend" end

-- A run that waits for the runtime's approval, and was left.
local function left(options, start)
  local w = world.durable(options)
  w:asks_approval()
  local _, run = w:play(start)
  assert.are.equal("waiting", run:state())
  w.run_id = run:id()
  assert(run:leave())
  return w
end

describe("a run that was left", function()
  local w
  after_each(function() w:close() end)

  it("is shown as it was, byte for byte, card included, by a host that has no runtime", function()
    w = world.durable()
    w:asks_approval()
    local _, run = w:play()
    local before, card = run:document(), run:card()
    assert(run:leave())
    local host = assert(interlock.host { clock = function()
      return w.clock.wall_ms // 1000, 0, w.clock.boot_ms * 1000000
    end })
    assert(host:set_store(w.store))
    local shown = assert(host:show(w.store:list()[1].run_id))
    assert.are.equal(before, shown)
    assert.are.equal(card, json.decode(shown).card)
    host:close()
  end)

  it("goes on in the next host with an answer, and asks nothing a second time", function()
    w = left():next()
    local asked = #w.desk.calls
    local run = assert(w:resume())
    assert.are.equal("waiting", run:state())
    assert.are.equal(asked, #w.desk.calls)
    assert(w:answer { grantId = "grant-1" })
    assert.are.same({ "reserve_target", "acquire_lease", "execute_action", "release_lease", "release_target" },
      table.move(w.desk.calls, asked + 1, #w.desk.calls, 1, {}))
    assert.are.equal("committed_unverified", run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("sends the grant of the answer that was given after it was resumed", function()
    w = left():next()
    assert(w:resume())
    assert(w:answer { grantId = "grant-1" })
    assert.are.equal("grant-1", w.desk.bodies.execute_action[1].grantId)
  end)

  it("may be left and resumed any number of times: one request, one card, one effect", function()
    w = left()
    local card, request = w:stored().card, w:stored().requestId
    for _ = 1, 5 do
      w = w:next()
      local run = assert(w:resume())
      assert.are.equal(request, w:document().requestId)
      assert.are.equal(card, w:document().card)
      assert(run:leave())
    end
    w = w:next()
    assert(w:resume())
    assert(w:answer { runtimeApproved = true })
    assert.are.equal("committed_unverified", w.run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("is the same run: its records stay, others follow", function()
    w = left()
    local before = w:text()
    w = w:next()
    assert(w:resume())
    assert(w:answer { runtimeApproved = true })
    assert.are.equal(before, w:text():sub(1, #before))
    local journal = w:journal()
    for i, record in ipairs(w.store:records(w.run_id)) do assert.are.equal(record.hash, journal[i].hash) end
  end)

  it("goes on to the end with what is journaled, once the answer was given before it was left", function()
    w = world.durable()
    w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "two", preview = function() return policy.ask("twice", { approvers = 2 }) end }]] } }
    w:asks_approval()
    assert(w.host:add_approver "a")
    assert(w.host:add_approver "b")
    local _, run = w:play()
    assert(w:answer { grantId = "grant-1" })
    assert.are.equal("waiting", run:state())
    assert(run:leave())
    w.run_id = w.store:list()[1].run_id
    local first = w
    w = w:next()
    w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "two", preview = function() return policy.ask("twice", { approvers = 2 }) end }]] } }
    assert(w.host:add_approver "a")
    assert(w.host:add_approver "b")
    assert(w:resume())
    assert(w:decide { approver = "a" })
    assert.are.equal("waiting", w.run:state())
    assert(w:decide { approver = "b" })
    assert.are.equal("committed_unverified", w.run:summary().status)
    assert.are.equal("grant-1", w.desk.bodies.execute_action[1].grantId)
    first:close()
  end)

  it("replays a workflow that looks at what it observed as it went then, whatever is to be seen now", function()
    local n = 0
    w = world.durable()
    w:asks_approval()
    w.desk:edit("observe_visual", function(a)
      n = n + 1
      a.frame = "frame-" .. n
    end)
    w:play { workflow = workflow [[
      local seen = run:observe("visual").visual.frame
      if seen == "frame-1" then run:observe("semantic") end
      run:preview() run:request_approval() run:acquire_lease() run:execute()]] }
    w.run_id = w.run:id()
    assert(w.run:leave())
    w = w:next()
    assert(w:resume { workflow = workflow [[
      local seen = run:observe("visual").visual.frame
      if seen == "frame-1" then run:observe("semantic") end
      run:preview() run:request_approval() run:acquire_lease() run:execute()]] })
    assert(w:answer { runtimeApproved = true })
    assert.are.equal(nil, w.run:summary().error and w.run:summary().error.message)
    assert.are.equal(1, n)
    says.counts(w, 1, 0, 0, 1)
  end)

  it("is cancelled in the next host without its runtime being asked", function()
    w = left():next()
    local asked = #w.desk.calls
    local run = assert(w:resume())
    assert(run:cancel "no more")
    w:go()
    assert.are.equal("cancelled", run:summary().status)
    assert.are.equal("none", run:summary().effect)
    assert.are.equal(asked, #w.desk.calls)
  end)

  it("gives back what it held before it waited, when it is cancelled after it was resumed", function()
    w = world.durable()
    w:asks_approval()
    w:play { workflow = workflow [[
      run:preview() run:reserve() run:request_approval() run:acquire_lease() run:execute()]] }
    w.run_id = w.run:id()
    assert(w.run:leave())
    w = w:next()
    assert(w:resume { workflow = workflow [[
      run:preview() run:reserve() run:request_approval() run:acquire_lease() run:execute()]] })
    assert(w.run:cancel "no more")
    w:go()
    assert.are.equal("cancelled", w.run:summary().status)
    says.counts(w, 0, 1, 1, 0)
    assert.are.equal("reservation-1", w.desk.bodies.release_target[1].reservationId)
  end)
end)

describe("resume", function()
  local w
  after_each(function() w:close() end)

  -- The resume was a conflict that names the field, nothing was asked for, and the run is as it was.
  local function conflicts(field, change, life)
    local before, asked, shown = w:text(), #w.desk.calls, w.host:show(w.run_id)
    w = w:next(life)
    local run, err = w:resume(change)
    assert.is_nil(run)
    assert.are.equal("conflict", err.code)
    assert.are.equal(field, err.field)
    assert.are.equal(asked, #w.desk.calls)
    assert.are.equal(before, w:text())
    assert.are.equal(shown, w.host:show(w.run_id))
    w = w:next { without = null }
    return err
  end

  for _, row in ipairs {
    { "another principal", "principal", { principal = "operator-2" } },
    { "a tenant where there was none", "tenant", { tenant = "tenant-1" } },
    { "another workflow", "workflow", { workflow = workflow "run:preview() return run:deny('no')" } },
    { "another session", "session", { session = "session-2" } },
  } do
    it("with " .. row[1] .. " is a conflict and changes nothing", function()
      w = left()
      conflicts(row[2], row[3])
      w:asks_approval()
      assert(w:resume())
      assert(w:answer { runtimeApproved = true })
      assert.are.equal("committed_unverified", w.run:summary().status)
    end)
  end

  it("with another tenant, or with none where there was one, is a conflict", function()
    w = left(nil, { tenant = "tenant-1" })
    conflicts("tenant", { tenant = "tenant-2" })
    conflicts("tenant")
    assert(w:resume { tenant = "tenant-1" })
  end)

  it("names what was and what is, for who looks", function()
    w = left()
    local err = conflicts("principal", { principal = "operator-2" })
    assert.are.equal("operator-1", err.expected)
    assert.are.equal("operator-2", err.actual)
  end)

  it("with the same session named is none", function()
    w = left():next()
    assert(w:resume { session = "session-1" })
  end)

  it("at a runtime of another kind is a conflict", function()
    w = left()
    local before = w:text()
    w.host:close()
    local host = assert(interlock.host {})
    assert(host:set_store(w.store))
    assert(host:set_runtime_simulated "{}")
    local run, err = host:resume { run = w.run_id, principal = "operator-1" }
    assert.is_nil(run)
    assert.are.equal("conflict runtime", err.code .. " " .. err.field)
    assert.are.equal(before, w:text())
    host:close()
  end)

  it("of the host's own workflow with another default by then is a conflict", function()
    w = world.durable()
    w:asks_approval()
    local source = workflow "run:preview() run:request_approval() run:acquire_lease() run:execute()"
    assert(w.host:set_workflow("first.lua", source))
    w:play()
    w.run_id = w.run:id()
    assert(w.run:leave())
    conflicts("workflow")
    assert(w.host:set_workflow("moved.lua", source))
    assert(w:resume(), "its name may be another, its text is not")
    assert(w:answer { runtimeApproved = true })
    assert.are.equal(1, w.desk.effects)
  end)

  it("without a principal is refused before the store is read", function()
    w = left()
    local run, err = w.host:resume { run = w.run_id }
    assert.is_nil(run)
    assert.are.equal("invalid_request principal", err.code .. " " .. err.field)
  end)

  it("of a run that the host has is a conflict", function()
    w = left():next()
    assert(w:resume())
    local again, err = w.host:resume { run = w.run_id, principal = "operator-1" }
    assert.is_nil(again)
    assert.are.equal("conflict", err.code)
    assert.are.equal("waiting", w.run:state())
  end)

  for _, id in ipairs { "run-0000", "", ("x"):rep(4096), "run-' or 1=1 --", "run\0-1" } do
    it(("of a run that is not there is a conflict: %q"):format(id:sub(1, 12)), function()
      w = left()
      local run, err = w.host:resume { run = id, principal = "operator-1" }
      assert.is_nil(run)
      assert.are.equal("conflict", err.code)
      local shown, why = w.host:show(id)
      assert.is_nil(shown)
      assert.are.equal("conflict", why.code)
    end)
  end

  it("of a run that has ended is a conflict, whatever it ended with", function()
    local function cancel(run) assert(run:cancel "x") end
    local function answer() assert(w:answer { runtimeApproved = true }) end
    for _, ends in ipairs { cancel, answer } do
      w = left():next()
      local run = assert(w:resume())
      ends(run)
      w:go()
      assert.are.equal("ended", run:state())
      conflicts "state"
      w:close()
    end
  end)

  it("of a run whose process lives is a conflict", function()
    local path = os.tmpname()
    os.remove(path)
    w = world.durable { store = assert(interlock.store { path = path, create = true }) }
    w:asks_approval()
    w:play()
    w.run_id = w.run:id()
    local other = assert(interlock.store { path = path })
    local second = world.open { store = other, clock = w.clock, desk = w.desk }
    second.run_id = w.run_id
    assert.is_true(other:list()[1].owned)
    local run, err = second:resume()
    assert.is_nil(run)
    assert.are.equal("conflict", err.code)
    w:close()
    w.store:close()
    assert.is_false(other:list()[1].owned)
    assert(second:resume())
    assert(second:answer { runtimeApproved = true })
    assert.are.equal("committed_unverified", second.run:summary().status)
    assert.are.equal(1, w.desk.effects)
    second:close()
    other:close()
    os.execute("rm -rf '" .. path .. "' '" .. path .. "'-* '" .. path .. "'.*")
  end)

  it("without a store is refused", function()
    w = left()
    local host = assert(interlock.host {})
    assert(host:set_runtime_simulated "{}")
    local run, err = host:resume { run = w.run_id, principal = "operator-1" }
    assert.is_nil(run)
    assert.are.equal("invalid_request store", err.code .. " " .. err.field)
    host:close()
  end)
end)

describe("scopes of a resume", function()
  local w
  after_each(function() w:close() end)

  it("may be fewer: what is gone is missing at execute", function()
    w = left():next()
    assert(w:resume { scopes = { "computer:plan" } })
    w:answer { runtimeApproved = true }
    assert.are.equal("refused", w.run:summary().status)
    assert.are.equal("missing_scope", w.run:summary().error.code)
    says.nothing(w)
  end)

  it("are never more than the run began with", function()
    w = left(nil, { scopes = { "computer:plan" } }):next()
    assert(w:resume())
    w:answer { runtimeApproved = true }
    assert.are.equal("refused", w.run:summary().status)
    assert.are.equal("missing_scope", w.run:summary().error.code)
    says.nothing(w)
  end)

  it("that were fewer in one life are those of its own token in the next", function()
    w = left():next()
    assert(w:resume { scopes = { "computer:plan" } })
    assert(w.run:leave())
    w = w:next()
    assert(w:resume())
    w:answer { runtimeApproved = true }
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("belong to an identity whose new expiry counts", function()
    w = left()
    local ends = w.clock:text(1000)
    w = w:next()
    assert(w:resume { identity_expires_at = ends })
    w:advance(1000)
    w:answer { runtimeApproved = true }
    assert.are.equal("refused", w.run:summary().status)
    assert.are.equal("identity", w.run:summary().error.object)
    says.nothing(w)
  end)

  it("of an identity that had expired go on with a fresh one", function()
    w = world.durable()
    w:asks_approval()
    w:play { identity_expires_at = w.clock:text(1000) }
    w.run_id = w.run:id()
    assert(w.run:leave())
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 2000, w.clock.boot_ms + 2000
    w = w:next()
    assert(w:resume { identity_expires_at = w.clock:text(60000) })
    assert(w:answer { runtimeApproved = true })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)
end)
