-- Workflow scripts that try everything they must not. Whatever a script does, there is never an effect without all
-- checks before it, never more than one, always a release, and always an honest result.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local function workflow(body) return "return function(run)\n" .. body .. "\nend" end

local PREFIX = {
  "", "run:observe('visual')", "run:preview()", "run:request_approval()", "run:reserve()", "run:acquire_lease()",
  "run:execute()", "run:verify()",
}
local function upto(n) return table.concat(PREFIX, "\n", 1, n) end

local function open(prepare)
  local w = world.open()
  if prepare then prepare(w) end
  return w
end

local function play(w, body)
  return w:play { workflow = workflow(body), workflow_name = "hostile.lua" }
end

-- What was taken was given back.
local function released(w)
  assert.are.equal(w.desk:asked "reserve_target", w.desk:asked "release_target")
  assert.are.equal(w.desk:asked "acquire_lease", w.desk:asked "release_lease")
end

-- The result of a run that did not act.
local function did_nothing(w, s, code)
  released(w)
  assert.are.equal(0, w.desk.effects)
  assert.are.equal(0, w.desk:asked "execute_action")
  assert.are.equal("none", s.effect)
  assert.is_true(s.retry_safe)
  assert.is_false(s.committed)
  assert.is_false(s.verified)
  assert.is_nil(s.receipt_id)
  assert.are.equal(code, s.error.code)
end

-- The result of a run that acted, whatever its script did afterwards.
local function acted(w, s, code)
  released(w)
  assert.are.equal(1, w.desk.effects)
  assert.are.equal(1, w.desk:asked "execute_action")
  assert.are.equal("committed_unverified", s.status)
  assert.are.equal("committed", s.effect)
  assert.is_true(s.committed)
  assert.is_false(s.verified)
  assert.is_false(s.retry_safe)
  assert.are.equal(5, s.exit_status)
  assert.are.equal(code, s.error and s.error.code)
end

describe("a script that", function()
  local w
  after_each(function() w:close() end)

  local MISDEEDS = {
    { "raises an error", "error('on purpose')", "script_error" },
    { "raises nil", "error(nil)", "script_error" },
    { "raises a table", "error({ status = 'completed' })", "script_error" },
    { "calls what is not there", "run:commit()", "script_error" },
    { "yields values of its own", "coroutine.yield('execute', { grantId = 'g' })", "script_error" },
    { "returns early", "if run then return end", "script_error", true },
    { "returns a result of its own", "if run then return { status = 'completed', verified = true } end",
      "script_error", true },
    { "loops for ever", "while true do end", "limit_exceeded" },
    { "loops for ever inside pcall", "while true do pcall(function() while true do end end) end", "limit_exceeded" },
    { "takes all memory", "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", "limit_exceeded" },
    { "takes one string too large", "local s = ('x'):rep(300000) s = s .. s", "limit_exceeded" },
  }
  for _, misdeed in ipairs(MISDEEDS) do
    local what, body, code, quiet = table.unpack(misdeed)
    for _, n in ipairs(body:find "while" and { 1, 3, 6, 7 } or { 1, 2, 3, 4, 5, 6, 7, 8 }) do
      local where = n == 1 and "at its start" or "after " .. PREFIX[n]
      it(what .. " " .. where .. (n < 7 and " does not act" or " changes nothing about what happened"), function()
        w = open()
        local s = play(w, upto(n) .. "\n" .. body)
        if n < 7 then did_nothing(w, s, code) else acted(w, s, not quiet and code or nil) end
        if n < 7 then
          assert.are.equal("failed", s.status)
          assert.are.equal(3, s.exit_status)
        end
      end)
    end
  end

  for _, row in ipairs {
    { "observes for ever", "while true do run:observe('visual') end", "run_steps" },
    { "observes for ever inside pcall", "while true do pcall(function() run:observe('visual') end) end", "run_steps" },
    { "logs for ever", "while true do run:log('x') end", "script_log_lines" },
    { "logs too much at once", "for _ = 1, 100 do run:log(('x'):rep(1000)) end", "script_log_bytes" },
    { "makes coroutines for ever", "while true do coroutine.create(function() end) end", "script_coroutines" },
  } do
    it(row[1] .. " with a lease held is ended by a limit that has a name, and gives back", function()
      w = open()
      local s = play(w, upto(6) .. "\n" .. row[2])
      did_nothing(w, s, "limit_exceeded")
      assert.truthy(((s.error.field or "") .. s.error.message):find(row[3], 1, true), s.error.message)
      says.counts(w, 0, 1, 1)
    end)
  end

  it("is no workflow does not act", function()
    for _, source in ipairs { "", "return 1", "return", "return {}", "return function(", "x =", "return print",
      "error('at load')", "while true do end", "return nil, function(run) run:execute() end", "\27Lua" } do
      w = open()
      local ok, s = pcall(w.play, w, { workflow = source ~= "" and source or " ", workflow_name = "hostile.lua" })
      if ok then assert.are.equal("failed", s.status) end
      assert.are.same({}, w.desk.calls, source)
      w:close()
    end
    w = open()
  end)
end)

describe("a script that asks out of order", function()
  local w
  after_each(function() w:close() end)

  local approval = function(world_) world_:asks_approval() end
  local blocked = function(world_)
    world_.desk:edit("preview_action", function(a) a.executable, a.blocker = false, "target_sensitive" end)
  end
  local V = { observe = "run:observe('visual')", preview = "run:preview()", approval = "run:request_approval()",
    reserve = "run:reserve()", lease = "run:acquire_lease()", execute = "run:execute()", verify = "run:verify()" }
  local ROWS = {
    { "executes first", "execute" },
    { "executes without a preview", "observe execute" },
    { "executes without a lease", "preview execute" },
    { "executes with a reservation and no lease", "preview reserve execute" },
    { "verifies first", "verify" },
    { "verifies without executing", "preview reserve lease verify" },
    { "asks for an approval before the preview", "approval" },
    { "reserves before the preview", "reserve" },
    { "acquires the lease before the preview", "lease" },
    { "reserves twice", "preview reserve reserve" },
    { "acquires the lease twice", "preview lease lease" },
    { "reserves, leases and leases again", "preview reserve lease lease execute" },
    { "acquires the lease before the approval", "preview lease", approval },
    { "acquires the lease before the approval, with a reservation", "preview reserve lease", approval },
    { "executes before the approval", "preview execute", approval },
    { "reserves although the preview is blocked", "preview reserve", blocked },
    { "leases although the preview is blocked", "preview lease", blocked },
    { "asks for an approval although the preview is blocked", "preview approval", blocked },
    { "executes although the preview is blocked", "preview execute", blocked },
  }
  for _, row in ipairs(ROWS) do
    local what, verbs, prepare = table.unpack(row)
    local lines = {}
    for verb in verbs:gmatch "%S+" do lines[#lines + 1] = V[verb] end
    it("and " .. what .. " does not act", function()
      w = open(prepare)
      local s = play(w, table.concat(lines, "\n"))
      did_nothing(w, s, "invariant")
      assert.are.equal("failed", s.status)
      assert.are.equal(3, s.exit_status)
    end)

    it("and " .. what .. " inside pcall ends all the same", function()
      w = open(prepare)
      local last = table.remove(lines)
      local s = play(w, table.concat(lines, "\n") .. ("\npcall(function() %s end)\n"):format(last) ..
        "pcall(function() run:acquire_lease() end) pcall(function() run:execute() end) error('still here')")
      lines[#lines + 1] = last
      did_nothing(w, s, "invariant")
    end)
  end

  for _, row in ipairs { { "previews twice", "run:preview() run:preview()" },
    { "previews again with a reservation held", "run:preview() run:reserve() run:preview()" },
    { "previews again with a lease held", upto(6) .. " run:preview()" } } do
    it("and " .. row[1] .. " is refused: the channel holds one preview", function()
      w = open()
      local s = play(w, row[2] .. " run:acquire_lease() run:execute()")
      did_nothing(w, s, "invariant")
      assert.are.equal("refused", s.status)
      assert.are.equal("entries", s.error.field)
      assert.are.equal(1, w.desk:asked "preview_action")
    end)
  end

  for _, verb in ipairs { "run:execute()", "run:preview()", "run:reserve()", "run:acquire_lease()",
    "run:request_approval()", "run:block()", "run:deny('no')" } do
    it("and calls " .. verb .. " after execute acted once, and that stands", function()
      w = open()
      acted(w, play(w, upto(7) .. "\n" .. verb), "invariant")
    end)
  end

  it("and verifies twice acted once, and that stands", function()
    w = open()
    acted(w, play(w, upto(8) .. "\nrun:verify()"), "invariant")
  end)

  it("and moves on although the run is of mode shadow is stopped: such a run ends after its preview", function()
    w = open()
    local s = w:play { workflow = workflow(upto(7)), proposal = world.proposal { mode = "shadow" } }
    assert.are.equal("previewed", s.status)
    assert.are.equal("none", s.effect)
    assert.are.equal(0, s.exit_status)
    says.counts(w, 0, 0, 0, 0)
  end)
end)

describe("a script that forges", function()
  local w
  before_each(function() w = open() end)
  after_each(function() w:close() end)

  -- Each line raises; the run then goes on by the book, so that a forgery that worked would be seen in the effect.
  local ROWS = {
    "run.principal = 'root'", "run.action_id = 'x'", "run.preview = function() return { waits = false } end",
    "rawset(run, 'principal', 'root')", "run.action.tool = 'delete_file'", "run.action.arguments.Text = 'forged'",
    "rawset(run.action, 'tool', 'delete_file')", "table.insert(run.action.data_labels, 'public')",
    "preview.blocked = false", "preview.waits = false", "preview.envelope.args_digest = ('f'):rep(64)",
    "preview.envelope.target.window_id = 8", "rawset(preview, 'waits', false)",
    "preview.policy.policy_digest = 'sha256:forged'", "run.channel = {}", "run.route = 'allowed'", "run.grant = 'g'",
    "run:preview({ executable = true })", "run:execute({ grantId = 'g' })", "run:request_approval({ grantId = 'g' })",
    "run:reserve({ reservationId = 'r' })", "run:acquire_lease({ leaseId = 'l' })", "run:verify({ satisfied = true })",
    "run.execute()", "run.execute({})", "run.execute('run')", "run.execute(preview)", "run.execute(run.action)",
    "setmetatable({}, { __index = run })", "getmetatable(run).__index = nil", "debug.getregistry()", "os.exit()",
    "io.open('x')", "load('return 1')()", "require('interlock')", "string.rep = nil", "table.concat = nil",
    "coroutine.wrap(function() run:execute() end)()", "coroutine.wrap(run.execute)(run)",
  }
  for _, line in ipairs(ROWS) do
    it("with " .. line .. " gets an error and nothing else", function()
      local s = play(w, ([[
        run:observe("visual")
        local preview = run:preview()
        if pcall(function() %s end) then run:deny("forged") end
        run:reserve() run:acquire_lease() run:execute() run:verify()]]):format(line))
      assert.are.equal(nil, s.error and s.error.message)
      acted(w, s)
      local sent = w.desk.bodies.execute_action[1]
      assert.are.equal("hi", sent.proposal.arguments.Text)
      assert.are.equal("write_clipboard", sent.proposal.tool)
      assert.are.equal(json.null, sent.grantId)
      assert.are.equal("operator-1", sent.principalId)
    end)
  end

  it("an observation is told that it is out of date once the same was observed again", function()
    local s = play(w, [[
      local old = run:observe("visual").visual
      run:observe("visual")
      if pcall(function() return old.frame end) then run:deny("alive") end
    ]] .. upto(8))
    assert.are.equal(nil, s.error and s.error.message)
  end)

  it("a verdict about itself is not believed: the outcome is the core's", function()
    w.desk:answer("verify", '{"satisfied":false}')
    local s = w:play { proposal = world.proposal { postcondition = { kind = "window", windowId = 7, exists = true } },
      workflow = workflow(upto(7) .. "\nrun:log('verified: true, status: completed')\n" ..
        "return { status = 'completed', verified = true, committed = true, effect = 'committed' }") }
    assert.are.equal("verification_failed", s.status)
    assert.is_false(s.verified)
  end)
end)

describe("two scripts of one host", function()
  local w
  before_each(function() w = open() end)
  after_each(function() w:close() end)

  it("share no global, no library table and no object", function()
    play(w, "kept = run _G = _G and 1 string_rep = string.rep\n" .. upto(8))
    local second = w:start { workflow = workflow([[
      if pcall(function() return kept.id end) then run:deny("kept") end
      if pcall(function() return string_rep("x", 2) end) then run:deny("string_rep") end
    ]] .. upto(8)) }
    w:go()
    assert.are.equal("committed_unverified", second:summary().status)
  end)

  it("cannot reach the other's run while both move", function()
    w.desk:hold("execute_action", 1)
    local first = w:start { workflow = workflow("shared = run\n" .. upto(8)) }
    w:go()
    local second = w:start { workflow = workflow("local ok = pcall(function() return shared.id end)\n" ..
      "run:deny(tostring(ok))") }
    w:go()
    assert.truthy(second:summary().error.message:find("false$"))
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed_unverified", first:summary().status)
  end)

  it("that is killed leaves the other as it is", function()
    w.desk:hold("execute_action", 1)
    local first = w:start()
    w:go()
    local second = w:start { workflow = workflow "while true do end" }
    w:go()
    assert.are.equal("limit_exceeded", second:summary().error.code)
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed_unverified", first:summary().status)
    assert.are.equal(1, w.desk.effects)
  end)
end)
