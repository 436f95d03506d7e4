-- Limits that have a number: what is at the limit passes, one more is refused under the limit's name. Those of the JSON
-- reader, of scripts and of values stand in tests/unit; journal and runs in memory in tests/unit/limits_test.c.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"

local LIMITS = interlock.limits()
local function limit(name) return assert(LIMITS[name], name).value end

local w
local function open(options) w = world.open(options) return w end
local function workflow(body) return "return function(run)\n" .. body .. "\nend" end
local function play(body) return w:play { workflow = workflow(body), workflow_name = "limits.lua" } end

-- The error is of the limit `name`: in its field, or in its message.
local function names(name, err)
  assert.truthy(err, "nothing was refused at " .. name)
  local told = err.field == name or tostring(err.message):find(name, 1, true)
  assert.truthy(told, ("%s is not named: %s (%s)"):format(name, tostring(err.message), tostring(err.field)))
end

local QUIET = [[local policy = require "interlock.policy"
return policy { name = "%s", preview = function() end }]]
local function quiet(count)
  local policies = {}
  for i = 1, count do policies[i] = { "hard", QUIET:format("p" .. i) } end
  return policies
end

-- A bundle from its manifest's members and files.
local function bundle(manifest, files)
  local m = { name = "b", version = "1", requires = 1, policies = { { file = "p.lua", level = "hard" } } }
  for name, value in pairs(manifest) do m[name] = value end
  local all = { ["p.lua"] = QUIET:format "p", ["bundle.json"] = json.encode(m) }
  for name, text in pairs(files or {}) do all[name] = text end
  return w.host:add_bundle(all)
end

describe("bundles of policies", function()
  before_each(function() open() end)
  after_each(function() w:close() end)

  it("bundles: so many in one host", function()
    for i = 1, limit "bundles" do assert(w:bundle(quiet(1), "b" .. i)) end
    local _, err = w:bundle(quiet(1), "one-more")
    assert.are.equal("limit_exceeded", err.code)
    names("bundles", err)
  end)

  it("policies: so many in one bundle", function()
    local rows = {}
    for i = 1, limit "policies" + 1 do rows[i] = { file = ("p%d.lua"):format(i), level = "hard" } end
    local _, err = bundle { policies = rows }
    assert.are.equal("limit_exceeded", err.code)
    names("policies", err)
  end)

  it("policies: so many in all bundles", function()
    local half = limit "policies" // 2
    assert(w:bundle(quiet(half), "one"))
    assert(w:bundle(quiet(half - 1), "two"))
    assert(w:bundle(quiet(1), "three"))
    local _, err = w:bundle(quiet(1), "four")
    names("policies", err)
  end)

  it("bundle_files: so many files", function()
    local files = {}
    for i = 1, limit "bundle_files" - 2 do files[("f%d.md"):format(i)] = "x" end
    assert(bundle({}, files))
    files["g.md"] = "x"
    local _, err = bundle({ name = "c" }, files)
    names("bundle_files", err)
  end)

  it("bundle_bytes: so many bytes together", function()
    local used = #QUIET:format "p" + #json.encode { name = "b", version = "1", requires = 1,
      policies = { { file = "p.lua", level = "hard" } } }
    assert(bundle({}, { ["f.md"] = ("x"):rep(limit "bundle_bytes" - used) }))
    local _, err = bundle({ name = "c" }, { ["f.md"] = ("x"):rep(limit "bundle_bytes" - used + 1) })
    names("bundle_bytes", err)
  end)

  it("bundle_name_bytes: the name of a bundle", function()
    assert(bundle { name = ("n"):rep(limit "bundle_name_bytes") })
    local _, err = bundle { name = ("n"):rep(limit "bundle_name_bytes" + 1) }
    names("bundle_name_bytes", err)
  end)

  it("bundle_name_bytes: the name of a policy", function()
    assert(bundle({}, { ["p.lua"] = QUIET:format(("n"):rep(limit "bundle_name_bytes")) }))
    local _, err = bundle({ name = "c" }, { ["p.lua"] = QUIET:format(("n"):rep(limit "bundle_name_bytes" + 1)) })
    names("bundle_name_bytes", err)
  end)

  it("bundle_path_bytes: the path of a file", function()
    local path = ("d"):rep(limit "bundle_path_bytes" - 3) .. ".md"
    assert(bundle({}, { [path] = "x" }))
    local _, err = bundle({ name = "c" }, { ["d" .. path] = "x" })
    names("bundle_path_bytes", err)
  end)

  it("bundle_params: so many parameters of a policy", function()
    local function params(count)
      local all = {}
      for i = 1, count do all["p" .. i] = { type = "integer", default = i } end
      return { { file = "p.lua", level = "hard", params = all } }
    end
    assert(bundle { policies = params(limit "bundle_params") })
    local _, err = bundle { name = "c", policies = params(limit "bundle_params" + 1) }
    names("bundle_params", err)
  end)
end)

describe("people", function()
  before_each(function() open() end)
  after_each(function() w:close() end)

  it("approvers: so many in one host", function()
    for i = 1, limit "approvers" do assert(w.host:add_approver("person-" .. i, {})) end
    local _, err = w.host:add_approver("one-more", {})
    assert.are.equal("limit_exceeded", err.code)
    names("approvers", err)
  end)

  it("roles: so many of one approver", function()
    local roles = {}
    for i = 1, limit "roles" do roles[i] = "role-" .. i end
    assert(w.host:add_approver("ann", roles))
    roles[#roles + 1] = "one-more"
    local _, err = w.host:add_approver("ben", roles)
    assert.are.equal("limit_exceeded", err.code)
    names("roles", err)
  end)

  -- What comes of a policy that says this: the status, and what the policy's error said.
  local function said(ask)
    open()
    for i = 1, 17 do assert(w.host:add_approver("person-" .. i, { "role-1" })) end
    assert(w:bundle { { "hard", 'local policy = require "interlock.policy"\nreturn policy { name = "p", ' ..
      "preview = function() " .. ask .. " end }" } })
    local s = w:play()
    local text = {}
    for _, event in ipairs(w.events) do text[#text + 1] = tostring(event.actual) .. tostring(event.text) end
    w:close()
    return s.status, table.concat(text, "\n")
  end
  local function at_most(name, ask, at, part)
    it(name .. ": of one ask", function()
      assert.are.equal("waiting", (said(ask:format(at))))
      local status, text = said(ask:format(at + 1))
      assert.are.equal("blocked", status)
      assert.truthy(text:find(part, 1, true), text)
    end)
  end

  at_most("ask_approvers", "return policy.ask('x', { approvers = %d })", limit "ask_approvers", "approvers")
  at_most("ask_timeout", "return policy.ask('x', { timeout = %d })", limit "ask_timeout", "timeout")
  at_most("roles", "local r = {} for i = 1, %d do r[i] = 'role-' .. i end return policy.ask('x', { roles = r })",
    limit "roles", "at most 16 roles")
  at_most("verdict_text_bytes", "return policy.ask(('x'):rep(%d))", limit "verdict_text_bytes", "verdict_text_bytes")

  -- Each policy asks before the preview and after it.
  local function ask_twice(count)
    local policies = {}
    for i = 1, count do
      policies[i] = { "hard", ([[local policy = require "interlock.policy"
        local function ask() return policy.ask("x") end
        return policy { name = "p%d", propose = ask, preview = ask }]]):format(i) }
    end
    assert(w:bundle(policies))
    w:play()
    assert(w:decide())
    return w.run:summary()
  end
  it("needs: so many of one run", function()
    assert.are.equal("waiting", ask_twice(limit "needs" // 2).status)
  end)
  it("needs: one more ends the run", function()
    local s = ask_twice(limit "needs" // 2 + 1)
    assert.are.equal("failed", s.status)
    assert.are.equal("limit_exceeded", s.error.code)
    names("needs", s.error)
    assert.are.equal(0, w.desk.effects)
  end)

  it("decisions: so many of one run count", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", preview = function() return policy.ask("x", { approvers = 2 }) end }]] } })
    for i = 1, limit "decisions" + 1 do assert(w.host:add_approver("person-" .. i, {})) end
    w:play()
    for _ = 1, limit "decisions" do assert(w:decide { approver = "person-1", decision = "defer" }) end
    local ok, err = w:decide { approver = "person-1", decision = "defer" }
    if not ok then names("decisions", err) end
    assert.are.equal("waiting", w.run:summary().status)
  end)
end)

describe("one script", function()
  before_each(function() open() end)
  after_each(function() w:close() end)

  local function ended_by(name, body)
    local s = play(body)
    assert.are.equal("failed", s.status)
    assert.are.equal("limit_exceeded", s.error.code)
    names(name, s.error)
  end
  local function passes(body)
    assert.are.equal("blocked", play(body .. " run:deny('enough')").status)
  end

  it("script_results: of one unpack, byte or codepoint; more is an ordinary error", function()
    for _, call in ipairs { "table.unpack({}, 1, n)", "text:byte(1, n)", "utf8.codepoint(text, 1, n)" } do
      local head = ("local n = %%d local text = ('x'):rep(n) " ..
        "local ok, why = pcall(function() return select('#', %s) end) "):format(call)
      passes(head:format(limit "script_results") .. "if why ~= n then error('too few') end")
      passes(head:format(limit "script_results" + 1) ..
        "if ok or not why:find('script_results', 1, true) then error(tostring(why)) end")
    end
  end)

  it("script_fuel: half of it passes, twice of it does not", function()
    -- an empty loop costs about a unit for each round
    passes(("for _ = 1, %d do end"):format(limit "script_fuel" // 2))
    ended_by("script_fuel", ("for _ = 1, %d do end"):format(limit "script_fuel" * 2))
  end)

  it("script_c_stack: callbacks in callbacks", function()
    local nest = "local function nest(n) return n == 0 or ('x'):gsub('x', function() nest(n - 1) end) end nest(%d)"
    passes(nest:format(10))
    ended_by("script_c_stack", nest:format(190))
  end)
end)

describe("one run", function()
  before_each(function() open() end)
  after_each(function() w:close() end)

  it("run_steps: so many verbs", function()
    local function steps(count)
      return ("for _ = 1, %d do run:observe('visual') end run:deny('enough')"):format(count)
    end
    assert.are.equal("blocked", play(steps(limit "run_steps" - 1)).status)
    local s = play(steps(limit "run_steps"))
    assert.are.equal("failed", s.status)
    names("run_steps", s.error)
  end)

  it("run_requests: so many to the runtime", function()
    local function requests(count)
      return ("for _ = 1, %d do run:observe('capabilities', 'visual', 'semantic') end "):format(count // 3) ..
        ("for _ = 1, %d do run:observe('visual') end run:deny('enough')"):format(count % 3)
    end
    assert.are.equal("blocked", play(requests(limit "run_requests")).status)
    local s = play(requests(limit "run_requests" + 1))
    assert.are.equal("failed", s.status)
    names("run_requests", s.error)
  end)

  -- A proposal of exactly so many bytes.
  local function proposal(bytes)
    local text = '{"tool":"write_clipboard","arguments":{"Text":"%s"}}'
    return (text:format(("x"):rep(bytes - #text + 2)))
  end
  it("contract_bytes: of a proposal", function()
    assert.are.equal(limit "contract_bytes", #proposal(limit "contract_bytes"))
    assert(w:start { proposal = proposal(limit "contract_bytes") })
    local _, err = w.host:run { principal = "operator-1", session = "session-1",
      proposal = proposal(limit "contract_bytes" + 1) }
    assert.are.equal("decode", err.code)
    names("contract_bytes", err)
  end)

  it("result_bytes: of an answer", function()
    w.desk:answer("observe_visual", '{"a":"' .. ("x"):rep(limit "result_bytes" - 8) .. '"}', 1)
    w.desk:answer("observe_visual", '{"a":"' .. ("x"):rep(limit "result_bytes" - 7) .. '"}', 2)
    assert.are.equal("blocked", play("run:observe('visual') run:deny('enough')").status)
    local s = play("run:observe('visual') run:deny('enough')")
    assert.are.equal("failed", s.status)
    names("result_bytes", s.error)
  end)

  local function card(text)
    w:asks_approval()
    w:play { proposal = world.proposal { arguments = { Text = text } } }
    return w:document().card
  end
  it("card_value_bytes: of one value, quotes included; a longer one is cut, with its length and digest", function()
    local at = limit "card_value_bytes"
    assert.is_nil(card(("x"):rep(at - 2)):find("bytes, sha256", 1, true))
    w:close()
    open()
    local cut = card(("x"):rep(at - 1))
    assert.truthy(cut:find(("... (%d bytes, sha256 "):format(at + 1), 1, true), cut)
  end)

  it("card_bytes: of one card; a run whose card is longer waits for nobody", function()
    local function arguments(fill)
      local all = { Fill = ("x"):rep(fill) }
      for i = 1, 33 do all[("Argument_%03d"):format(i)] = ("x"):rep(1900) end
      return world.proposal { arguments = all }
    end
    w:asks_approval()
    local _, first = w:play { proposal = arguments(0) }
    local left = limit "card_bytes" - #w:document(first).card
    assert.is_true(left > 0 and left < 2000, left)
    local _, second = w:play { proposal = arguments(left) }
    assert.are.equal(limit "card_bytes", #w:document(second).card)
    local s = w:play { proposal = arguments(left + 1) }
    assert.are.equal("failed", s.status)
    names("card_bytes", s.error)
    assert.are.equal(0, w.desk.effects)
  end)

  it("control_timeout_ms: a stop that is not answered is given up", function()
    local outcome
    w.desk:lose "stop_session"
    assert(w.host:stop_session("session-1", "enough", function(err) outcome = err or "ok" end))
    w:advance(limit "control_timeout_ms" - 1)
    assert.is_nil(outcome)
    w:advance(1)
    assert.are.equal("timeout", outcome.code)
    assert.are.equal(0, #w.interrupts)
  end)
end)
