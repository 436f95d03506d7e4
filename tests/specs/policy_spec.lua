-- Policies of the host: every one is asked at each of its phases in every run, whatever the workflow does; words only
-- tighten; an error never allows; and a bundle that is not whole is not taken.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

-- A policy whose phases have these bodies.
local function policy(phases, name)
  local parts = {}
  for _, phase in ipairs { "propose", "preview", "approve", "execute" } do
    if phases[phase] then
      parts[#parts + 1] = ("%s = function(action, ctx) %s end"):format(phase, phases[phase])
    end
  end
  return ('local policy = require "interlock.policy"\nreturn policy { name = "%s", %s }'):format(name or "p",
    table.concat(parts, ",\n"))
end
local ASK, DENY = 'return policy.ask("because")', 'return policy.deny("because")'

local function verdicts(w)
  local seen = {}
  for _, event in ipairs(w.events) do
    if event.type == "policy" then
      seen[#seen + 1] = ("%s %s %s %s"):format(event.object, event.field, event.expected, event.actual)
    end
  end
  return seen
end

describe("every policy", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  it("is asked in each of its phases, in order, whatever the workflow is", function()
    local say = { propose = "", preview = "", execute = "" }
    assert(w:bundle({ { "hard", policy(say, "one") }, { "advisory", policy(say, "two") } }, "first"))
    assert(w:bundle({ { "soft", policy(say, "three") } }, "second"))
    w:play { workflow = "return function(run) run:preview() run:acquire_lease() run:execute() end" }
    assert.are.same({
      "first/one propose hard none", "first/two propose advisory none", "second/three propose soft none",
      "first/one preview hard none", "first/two preview advisory none", "second/three preview soft none",
      "first/one execute hard none", "first/two execute advisory none", "second/three execute soft none",
    }, verdicts(w))
    assert.are.equal(1, w.desk.effects)
  end)

  it("is asked also after another one denied: all verdicts stand in the journal", function()
    assert(w:bundle { { "hard", policy({ preview = DENY }, "no") }, { "hard", policy({ preview = ASK }, "ask") },
      { "hard", policy({ preview = DENY }, "never") } })
    local s = w:play()
    assert.are.equal("blocked", s.status)
    assert.truthy(s.error.message:find("bundle/no", 1, true))
    local said = {}
    for _, record in ipairs(w:journal()) do
      if record.kind == "verdict" then said[#said + 1] = record.body.policy .. " " .. record.body.said end
    end
    assert.are.same({ "bundle/no deny", "bundle/ask ask", "bundle/never deny" }, said)
  end)

  it("has a state of its own: no bundle sees another's globals, nor a workflow's", function()
    assert(w:bundle({ { "hard", policy { preview = "seen = 'by first'" } } }, "first"))
    local look = "if pcall(function() return #seen end) then " .. DENY .. " end"
    assert(w:bundle({ { "hard", policy { preview = look } } }, "second"))
    local s = w:play { workflow = "seen = 'x'\n" ..
      "return function(run) run:preview() run:acquire_lease() run:execute() end" }
    assert.are.equal("committed_unverified", s.status)
  end)

  it("cannot be answered for by a script: the need stays whatever the workflow says", function()
    assert(w:bundle { { "hard", policy { preview = ASK } } })
    local s = w:play { workflow = [[return function(run)
      local policy = { ask = function() end }
      run:preview() pcall(function() run:request_approval({ granted = true }) end) run:acquire_lease() run:execute()
    end]] }
    assert.are.equal("failed", s.status)
    assert.are.equal("invariant", s.error.code)
    says.counts(w, 0, 0, 0, 0)
  end)

  it("sees the proposal before the preview and the envelope after it, read-only", function()
    assert(w:bundle { { "hard", policy {
      propose = [[if action.tool ~= "write_clipboard" or action.arguments.Text ~= "hi" then return policy.deny("a") end
        if pcall(function() return ctx.route end) then return policy.deny("b") end]],
      preview = [[if ctx.route ~= "allowed" or action.action_class ~= "edit_reversible" then return policy.deny("c") end
        if action.arguments.Text ~= "hi" or ctx.principal ~= "operator-1" then return policy.deny("d") end
        if pcall(function() action.tool = "x" end) then return policy.deny("e") end
        if pcall(function() action.arguments.Text = "x" end) then return policy.deny("f") end
        if pcall(function() return ctx.lease end) then return policy.deny("g") end]],
      execute = [[if ctx.lease.action_budget ~= 1 then return policy.deny("h") end
        if pcall(function() return ctx.lease.lease_id end) then return policy.deny("i") end]],
    } } })
    local s = w:play()
    assert.are.equal(nil, s.error and s.error.message)
  end)

  it("reads the time from the run, not from the machine", function()
    assert(w:bundle { { "hard", policy { preview = [[
      local time = ctx.time
      if time.hour ~= 18 or time.year ~= 2026 then return policy.deny("the time is " .. time.text) end]] } } })
    assert.are.equal(nil, (w:play()).error)
  end)
end)

describe("a verdict", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  -- level, phase, what is said; how the run ends, how often it reserved.
  local ROWS = {
    { "advisory", "propose", DENY, "committed_unverified" },
    { "advisory", "preview", DENY, "committed_unverified" },
    { "advisory", "execute", DENY, "committed_unverified" },
    { "advisory", "preview", ASK, "committed_unverified" },
    { "advisory", "execute", ASK, "committed_unverified" },
    { "soft", "propose", DENY, "waiting" },
    { "soft", "preview", DENY, "waiting" },
    { "soft", "execute", DENY, "blocked" },
    { "soft", "preview", ASK, "waiting" },
    { "soft", "execute", ASK, "blocked" },
    { "hard", "propose", DENY, "blocked" },
    { "hard", "preview", DENY, "blocked" },
    { "hard", "execute", DENY, "blocked" },
    { "hard", "propose", ASK, "waiting" },
    { "hard", "preview", ASK, "waiting" },
    { "hard", "execute", ASK, "blocked" },
    { "advisory", "propose", "error('broken')", "waiting" },
    { "advisory", "preview", "error('broken')", "waiting" },
    { "advisory", "execute", "error('broken')", "blocked" },
    { "soft", "preview", "error('broken')", "waiting" },
    { "soft", "execute", "error('broken')", "blocked" },
    { "hard", "propose", "error('broken')", "blocked" },
    { "hard", "preview", "error('broken')", "blocked" },
    { "hard", "execute", "error('broken')", "blocked" },
    { "hard", "preview", "return true", "blocked" },
    { "hard", "preview", "return 'allow'", "blocked" },
    { "hard", "preview", "return false", "blocked" },
    { "hard", "preview", "return { verdict = 'allow' }", "blocked" },
    { "hard", "preview", "return nil, policy.deny('x')", "blocked" },
    { "hard", "preview", "while true do end", "blocked" },
    { "hard", "execute", "while true do end", "blocked" },
    { "hard", "preview", "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", "blocked" },
    { "hard", "preview", "coroutine.yield()", "blocked" },
    { "hard", "preview", "return nil", "committed_unverified" },
  }
  for _, row in ipairs(ROWS) do
    local level, phase, body, status = table.unpack(row)
    it(("of a %s policy in %s, `%s`, ends or halts the run as %s"):format(level, phase, body, status), function()
      assert(w:bundle { { level, policy { [phase] = body } } })
      local s = w:play()
      assert.are.equal(status, s.status)
      if status == "committed_unverified" then
        says.counts(w, 1, 1, 1)
        return
      end
      assert.are.equal(0, w.desk.effects)
      assert.are.equal("none", s.effect)
      says.nothing(w)
      if status ~= "blocked" then return end
      local broken = not body:find "^return policy"
      assert.are.equal(broken and "policy_error" or "policy_denied", s.reason)
      assert.are.equal(broken and "policy_error" or "policy_denied", s.error.code)
      assert.are.equal(broken and 3 or 1, s.exit_status)
      assert.are.equal(phase == "propose" and 0 or 1, w.desk:asked "preview_action")
    end)
  end

  it("never lowers the runtime's: allowed by every policy, an approval is still needed", function()
    assert(w:bundle { { "hard", policy { preview = "" } } })
    w:asks_approval()
    assert.are.equal("waiting", w:play().status)
  end)

  it("never lowers another policy's: the strictest word counts", function()
    assert(w:bundle { { "hard", policy({ preview = "" }, "a") }, { "hard", policy({ preview = ASK }, "b") },
      { "advisory", policy({ preview = DENY }, "c") } })
    assert.are.equal("waiting", w:play().status)
    says.counts(w, 0, 0, 0, 0)
  end)

  it("of a policy that is advisory is reported", function()
    assert(w:bundle { { "advisory", policy { preview = DENY } } })
    w:play()
    assert.are.same({ "bundle/p preview advisory deny" }, verdicts(w))
  end)

  it("blocks with the runtime's reason when the runtime blocks as well", function()
    assert(w:bundle { { "hard", policy { preview = DENY } } })
    w.desk:edit("preview_action", function(a) a.executable, a.blocker = false, "target_sensitive" end)
    assert.are.equal("target_sensitive", w:play().reason)
  end)

  it("that a limit killed does not end the policy for later runs", function()
    assert(w:bundle { { "hard",
      policy { preview = "if action.arguments.Text == 'loop' then while true do end end" } } })
    assert.are.equal("blocked", w:play({ proposal = world.proposal { arguments = { Text = "loop" } } }).status)
    assert.are.equal("committed_unverified", w:play().status)
  end)
end)

describe("the deny of a soft policy", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  it("is overridden by one decision with a reason, and recorded as an override", function()
    assert(w:bundle { { "soft", policy { preview = DENY } } })
    local _, run = w:play()
    assert.is_true(w:document(run).needs[1].override)
    w:decide {}
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
    assert(w:decide { reason = "the customer asked for it" })
    assert.are.equal("committed_unverified", run:summary().status)
    assert.are.equal("override", w:find("verdict").body.ruled)
  end)

  it("in execute passes when this run overrode that same policy and code", function()
    local deny = 'return policy.deny("because", { code = "hours" })'
    assert(w:bundle { { "soft", policy { preview = deny, execute = deny } } })
    local _, run = w:play()
    assert(w:decide { reason = "known" })
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  for _, row in ipairs { { "another code", 'return policy.deny("because", { code = "amount" })' },
    { "an error", "error('broken')" } } do
    it("in execute is not passed by an override when it is " .. row[1], function()
      assert(w:bundle { { "soft", policy { preview = 'return policy.deny("because", { code = "hours" })',
        execute = row[2] } } })
      local _, run = w:play()
      assert(w:decide { reason = "known" })
      assert.are.equal("blocked", run:summary().status)
      says.counts(w, 0, 1, 1)
    end)
  end

  it("in execute is not passed by the override of another policy", function()
    local deny = 'return policy.deny("because", { code = "hours" })'
    assert(w:bundle { { "soft", policy({ preview = deny }, "one") }, { "soft", policy({ execute = deny }, "two") } })
    local _, run = w:play()
    assert(w:decide { reason = "known" })
    assert.are.equal("blocked", run:summary().status)
    says.counts(w, 0, 1, 1)
  end)
end)

describe("a deny in the approve phase", function()
  it("makes that one decision not count; the request stays open", function()
    local w = world.open()
    assert(w.host:add_approver("ann", {}))
    assert(w.host:add_approver("ben", {}))
    assert(w:bundle { { "hard", policy { preview = ASK,
      approve = [[if ctx.decision.approver == "ann" then return policy.deny("not ann") end]] } } })
    local _, run = w:play()
    local ok, err = w:decide { approver = "ann" }
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    assert.are.equal("decision", err.field)
    assert.are.equal("waiting", run:state())
    assert.are.equal("policy_denied", w:find("decision").body.voided)
    says.counts(w, 0, 0, 0)
    assert(w:decide { approver = "ben" })
    assert.are.equal("committed_unverified", run:summary().status)
    w:close()
  end)

  it("that comes from an error also voids the decision", function()
    local w = world.open()
    assert(w:bundle { { "hard", policy { preview = ASK, approve = "error('broken')" } } })
    local _, run = w:play()
    assert.is_nil((w:decide {}))
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
    w:close()
  end)

  it("does not keep a person from saying no", function()
    local w = world.open()
    assert(w:bundle { { "hard", policy { preview = ASK, approve = DENY } } })
    local _, run = w:play()
    assert(w:decide { decision = "deny" })
    assert.are.equal("denied", run:summary().status)
    w:close()
  end)
end)

describe("a bundle", function()
  local w
  local GOOD = policy { preview = "" }
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  local function manifest(change)
    local m = { name = "b", version = "1", requires = 1, files = json.list(),
      policies = json.list { { file = "p.lua", level = "hard", params = {} } } }
    for name, value in pairs(change or {}) do m[name] = value end
    return json.encode(m)
  end

  local ROWS = {
    { "without bundle.json", { ["p.lua"] = GOOD } },
    { "that is empty", {} },
    { "whose policy is missing", { ["bundle.json"] = manifest() } },
    { "whose policy is empty", { ["bundle.json"] = manifest(), ["p.lua"] = "" } },
    { "whose policy does not compile", { ["bundle.json"] = manifest(), ["p.lua"] = "return policy {" } },
    { "whose policy is no policy", { ["bundle.json"] = manifest(), ["p.lua"] = "return {}" } },
    { "whose policy raises when it is loaded", { ["bundle.json"] = manifest(), ["p.lua"] = "error 'x'" } },
    { "whose policy loops when it is loaded", { ["bundle.json"] = manifest(), ["p.lua"] = "while true do end" } },
    { "with a file that is not listed", { ["bundle.json"] = manifest(), ["p.lua"] = GOOD, ["q.lua"] = GOOD } },
    { "with a listed file that is missing", { ["bundle.json"] = manifest { files = json.list { "m.lua" } },
      ["p.lua"] = GOOD } },
    { "with an unknown member", { ["bundle.json"] = manifest { trial = true }, ["p.lua"] = GOOD } },
    { "without policies", { ["bundle.json"] = manifest { policies = json.list() } } },
    { "with an unknown level", { ["p.lua"] = GOOD,
      ["bundle.json"] = manifest { policies = json.list { { file = "p.lua", level = "mandatory", params = {} } } } } },
    { "that needs a later script API", { ["bundle.json"] = manifest { requires = 99 }, ["p.lua"] = GOOD } },
    { "whose manifest is broken", { ["bundle.json"] = "{", ["p.lua"] = GOOD } },
    { "with a path that climbs", { ["../p.lua"] = GOOD,
      ["bundle.json"] = manifest { policies = json.list { { file = "../p.lua", level = "hard", params = {} } } } } },
    { "with compiled code", { ["bundle.json"] = manifest(), ["p.lua"] = "\27Lua" } },
  }
  for _, row in ipairs(ROWS) do
    it(row[1] .. " is refused, and adds nothing", function()
      local before = w.host:policy_digest()
      local ok, err = w.host:add_bundle(row[2])
      assert.is_nil(ok)
      assert.is_string(err.message)
      assert.are.equal(before, w.host:policy_digest())
      w:play()
      assert.are.same({}, verdicts(w))
    end)
  end

  it("twice by the same name is refused", function()
    assert(w.host:add_bundle { ["bundle.json"] = manifest(), ["p.lua"] = GOOD })
    assert.is_nil((w.host:add_bundle { ["bundle.json"] = manifest(), ["p.lua"] = GOOD }))
  end)

  it("that does not exist as a folder is refused", function()
    assert.is_nil((w.host:add_bundle_dir "tests/specs/no-such-folder"))
  end)

  it("takes parameters by name and type; a value that is not declared or has another type is refused", function()
    local files = { ["p.lua"] = policy { preview = "if ctx.params.most < 3 then return policy.deny('few') end" },
      ["bundle.json"] = manifest { policies = json.list { { file = "p.lua", level = "hard",
        params = { most = { type = "integer", default = 3 } } } } } }
    for _, params in ipairs { '{"least":1}', '{"most":"4"}', '{"most":1.5}', "[]", "{" } do
      assert.is_nil((w.host:add_bundle(files, params)), params)
    end
    assert(w.host:add_bundle(files, '{"most":2}'))
    assert.are.equal("blocked", w:play().status)
  end)

  it("is part of the host policy digest with every byte and parameter", function()
    local seen = {}
    local function digest(m, source, params)
      local other = world.open()
      assert(other.host:add_bundle({ ["bundle.json"] = m, ["p.lua"] = source }, params))
      local d = other.host:policy_digest()
      other:close()
      assert.is_nil(seen[d])
      seen[d] = true
      return d
    end
    local declared = manifest { policies = json.list { { file = "p.lua", level = "hard",
      params = { most = { type = "integer", default = 3 } } } } }
    assert.is_nil(w.host:policy_digest())
    local first = digest(manifest(), GOOD)
    assert.truthy(first:find("^sha256:%x+$"))
    digest(manifest(), GOOD .. " ")
    digest(manifest { version = "2" }, GOOD)
    digest(declared, GOOD)
    digest(declared, GOOD, '{"most":4}')
    assert(w.host:add_bundle { ["bundle.json"] = manifest(), ["p.lua"] = GOOD })
    assert.are.equal(first, w.host:policy_digest())
  end)

  it("has the digest that is the SHA-256 of the canonical manifest, parameters and files", function()
    local m = manifest()
    assert(w.host:add_bundle { ["bundle.json"] = m, ["p.lua"] = GOOD })
    local text = assert(w.host:canonical(json.encode {
      manifest = json.raw(m), params = {}, files = json.list {
        { path = "p.lua", size = #GOOD, sha256 = interlock.sha256(GOOD) } } }))
    assert.are.equal("sha256:" .. interlock.sha256(text), w.host:policy_digest())
  end)
end)
