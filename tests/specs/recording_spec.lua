-- A recorded run as a scenario: it plays again as it was, whatever became of the run; it holds no ticket; and one that
-- is bent does not pass.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local process = require "tests.specs.support.process"
local world = require "tests.specs.support.world"

local w, folder

-- A bundle in the folder of the spec, and on the host.
local function bundle(name, phases, level)
  local parts = {}
  for phase, body in pairs(phases) do
    parts[#parts + 1] = ("%s = function(action, ctx) %s end"):format(phase, body)
  end
  table.sort(parts)
  local files = {
    ["bundle.json"] = json.encode { name = name, version = "1", requires = 1,
      policies = json.list { { file = "p.lua", level = level or "hard" } } },
    ["p.lua"] = ('local policy = require "interlock.policy"\nreturn policy { name = "p", %s }'):format(
      table.concat(parts, ",\n")),
  }
  local dir = folder .. "/" .. name
  os.execute("mkdir -p " .. dir)
  for path, bytes in pairs(files) do
    local f = assert(io.open(dir .. "/" .. path, "w"))
    f:write(bytes)
    f:close()
  end
  return { dir = name, add = function(life) assert(life.host:add_bundle_dir(dir)) end }
end

local function record(policies, options)
  local o = { policies = {} }
  for i, p in ipairs(policies or {}) do o.policies[i] = { dir = p.dir } end
  for name, value in pairs(options or {}) do o[name] = value end
  local source, err = w.store:scenario(w.run_id or w.run:id(), o)
  return source, err
end

local function play(source) return assert(interlock.play(folder .. "/x_scenario.lua", source))[1] end

-- Records, plays, and looks that what was expected is told.
local function holds(policies, ...)
  local source, err = record(policies)
  if not source then error(err.message) end
  local result = play(source)
  assert.is_true(result.passed, ("%s (line %s)\n%s"):format(result.message, result.line, source))
  for _, part in ipairs { ... } do assert.truthy(source:find(part, 1, true), part .. " is not in\n" .. source) end
  return source
end

describe("a scenario of a run", function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. folder)
    w = world.durable()
  end)
  after_each(function()
    w:close()
    os.execute("rm -rf " .. folder)
  end)

  it("that was completed plays", function()
    w:play { proposal = world.proposal { postcondition = { kind = "filesystem", path = "/a", exists = true } } }
    holds({}, 's:expect_effect("committed")', 's:expect_calls("execute_action", 1)')
  end)

  it("whose verification failed plays", function()
    w.desk:edit("verify", function(answer) answer.satisfied = false end)
    w:play { proposal = world.proposal { postcondition = { kind = "filesystem", path = "/a", exists = true } } }
    holds({}, 's:expect_status("verification_failed")', "s:expect_verified(false)")
  end)

  it("that a policy denied plays", function()
    local no = bundle("no", { preview = 'return policy.deny("never", { code = "x" })' })
    no.add(w)
    w:play()
    holds({ no }, 's:expect_status("blocked")', '"preview no/p deny deny"', 'code = "policy_denied"')
  end)

  it("that the runtime blocked plays", function()
    w.desk:edit("preview_action", function(answer) answer.executable, answer.blocker = false, "stale_target" end)
    w:play()
    holds({}, 's:expect_status("blocked")', "stale_target")
  end)

  it("that two people approved plays, with one whom a policy refused", function()
    local two = bundle("two", { preview = 'return policy.ask("two", { approvers = 2, roles = { "lead" } })',
      approve = 'if ctx.decision.approver == "cleo" then return policy.deny "not her" end' })
    two.add(w)
    for _, name in ipairs { "anna", "ben", "cleo" } do assert(w.host:add_approver(name, { "lead" })) end
    w:play()
    w:advance(60000)
    w:decide { approver = "anna", reason = "fine" }
    w:decide { approver = "cleo" }
    w:advance(1500)
    w:decide { approver = "ben" }
    holds({ two }, 's:advance "60s"', 's:advance "1500ms"', 's:decide("approve", { by = "anna", reason = "fine" })',
      'expect = "approval_mismatch"', "s:expect_waiting()")
  end)

  it("that a person denied plays", function()
    local ask = bundle("ask", { propose = 'return policy.ask "why"' })
    ask.add(w)
    w:play()
    w:decide { decision = "deny", reason = 'no "way"\n' }
    holds({ ask }, 's:expect_status("denied")')
  end)

  it("that a grant allowed plays, and does not hold it", function()
    w:asks_approval()
    w:play()
    w:advance(5000)
    w:answer { grantId = "grant-of-the-server" }
    local lease = json.decode(w:find("leased").payload).leaseId
    local source = holds({}, "s:authorize { grant = \"grant-")
    assert.is_nil(source:find("grant-of-the-server", 1, true))
    assert.is_nil(source:find('"' .. lease .. '"', 1, true))
  end)

  it("that expired plays", function()
    local ask = bundle("ask", { preview = 'return policy.ask("why", { approvers = 2, timeout = "5s" })' })
    ask.add(w)
    assert(w.host:add_approver("anna", {}))
    assert(w.host:add_approver("ben", {}))
    w:play()
    w:advance(7000)
    assert.are.equal("expired", w.run:summary().status)
    holds({ ask }, 's:expect_status("expired")')
  end)

  it("that was cancelled plays", function()
    w:asks_approval()
    w:play()
    w.run:cancel("enough")
    w:go()
    holds({}, 's:cancel "enough"', 's:expect_status("cancelled")')
  end)

  it("that still waits plays", function()
    w:asks_approval()
    w:play()
    holds({}, "s:expect_waiting()")
  end)

  it("that lost its receipt plays: found again, never started, and never known", function()
    for _, found in ipairs { "receipt", "not_started", "unknown" } do
      w = world.durable()
      w.desk:lose("execute_action", 1, found == "receipt")
      if found == "unknown" then w.desk:answer("recover", '"unknown"') end
      w:play()
      w:advance(31000)
      holds({}, "lost = true", "recover = {")
      w:close()
    end
    w = world.durable()
  end)

  it("that was left, and taken up again, plays", function()
    local ask = bundle("ask", { preview = 'return policy.ask "why"' })
    ask.add(w)
    w:play()
    w = w:next()
    ask.add(w)
    w:advance(30000)
    assert(w:resume())
    w:decide { reason = "late" }
    holds({ ask }, "s:leave()", "s:resume()", 's:expect_effect("committed")')
  end)

  for _, cut in ipairs { { "execute_action", "before" }, { "execute_action", "after" }, { "observe_visual", "before" },
    { "preview_action", "after" }, { "reserve_target", "before" }, { "acquire_lease", "after" },
    { "release_lease", "before" } } do
    it(("whose process died at %s, %s, plays"):format(cut[1], cut[2]), function()
      local path = folder .. "/s.db"
      process.crash(path, cut[1], cut[2])
      w:close()
      w = world.durable { store = assert(interlock.store { path = path }) }
      w.run_id = w.store:list()[1].run_id
      assert(w:resume())
      holds({}, "s:crash_after(", "s:resume()")
      w.run_id = nil
    end)
  end

  it("that met a limit plays: what was used before is used again", function()
    local few = bundle("few", { preview = 'ctx.limit { key = "edits", max = 2, per = "1h" }' })
    few.add(w)
    for i = 1, 3 do
      w.run = nil
      w:play()
      w:advance(i * 1000)
    end
    assert.are.equal("blocked", w.run:summary().status)
    holds({ few }, "before = ", '"limit":"few/edits"', '"preview few/p deny deny"')
  end)

  it("that looked at the history plays", function()
    local calm = bundle("calm", { preview = 'local n, s = ctx.history { outcome = "unverified", within = "10m" }\n' ..
      'if n > 1 and s < 60 then return policy.ask("slowly") end' })
    calm.add(w)
    for _ = 1, 3 do
      w.run = nil
      w:play()
      w:advance(10000)
    end
    assert.are.equal("waiting", w.run:summary().status)
    holds({ calm }, "before = ", '"preview calm/p ask ask"')
  end)

  it("is slow where the run was", function()
    w.desk:hold "preview_action"
    w:start()
    w:go()
    w:advance(2500)
    w.desk:deliver(w.host, "preview_action")
    w:go()
    holds({}, 'after = "2500ms"', 's:advance "2500ms"')
  end)

  it("leaves out what is masked, and plays all the same", function()
    local p = world.proposal { tool = "set_value", arguments = { value = "secret word", list = { 1, 2 } } }
    w.desk:edit("preview_action", function(answer) answer.envelope.argsDigest = w.desk.args_digest(p) end)
    w.desk:edit("execute_action", function(answer) answer.actionDigest = w.desk.args_digest(p) end)
    w:play { proposal = p }
    assert.are.equal("committed_unverified", w.run:summary().status)
    local source = assert(record({}, { masks = { "/arguments/value", "/arguments/list" } }))
    assert.is_nil(source:find("secret word", 1, true))
    assert.truthy(source:find('"value": "masked"', 1, true))
    assert.truthy(source:find("but for", 1, true))
    local result = play(source)
    assert.is_true(result.passed, tostring(result.message) .. source)
  end)

  it("does not pass when the run would end otherwise", function()
    local no = bundle("no", { preview = 'return policy.deny "never"' })
    no.add(w)
    w:play()
    local source = holds { no }
    bundle("no", { preview = "" })
    assert.is_false(play(source).passed)
    assert.is_false(play((source:gsub('expect_status%("blocked"%)', 'expect_status("denied")'))).passed)
  end)

  it("holds quotes, brackets and other scripts as they were", function()
    w:play { proposal = world.proposal { arguments = { Text = ']] ]=] "\\ \n ü 漢 --[[' } } }
    holds {}
  end)

  it("is not made of a run whose answer was refused", function()
    w.desk:edit("preview_action", function(answer) answer.envelope.sessionId = "other" end)
    w:play()
    local source, err = record {}
    assert.is_nil(source)
    assert.are.equal("unsupported", err.code)
  end)

  it("is refused for no run, and for masks that are none", function()
    w:play()
    local _, err = w.store:scenario "none"
    assert.are.equal("conflict", err.code)
    _, err = record({}, { masks = { "arguments" } })
    assert.are.equal("invalid_request", err.code)
  end)
end)
