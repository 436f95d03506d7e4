-- Bundles on trial: asked beside those that count, journaled, and without any say. Whatever they do, a run ends as it
-- would without them: the same requests, the same document, the same times.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"

local ASK, DENY = 'return policy.ask("because")', 'return policy.deny("because", { code = "c" })'

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

local function on_trial(w, phases, level, name)
  assert(w:bundle({ { level or "hard", policy(phases) } }, name or "tried", "add_trial_bundle"))
end

local function compared(w, run)
  local seen = {}
  for _, record in ipairs(w:journal(run)) do
    local b = record.body
    if record.kind == "compared" then
      seen[#seen + 1] = ("%s %s %s->%s"):format(b.phase, b.change, b.enforced, b.trial)
    end
  end
  return seen
end

local function kinds(w)
  local seen = {}
  for _, record in ipairs(w:journal()) do
    if record.kind ~= "trial" and record.kind ~= "compared" then seen[#seen + 1] = record.kind end
  end
  return table.concat(seen, " ")
end

-- Everything of a run that is not about a trial, without ids.
local function outside(w)
  local document = w:document()
  document.trial, document.runId, document.actionId, document.requestId = nil, nil, nil, nil
  document.card, document.cardDigest, document.proposalDigest = nil, nil, nil
  local calls = {}
  for i, call in ipairs(w.desk.calls) do calls[i] = call.op or call[1] or tostring(call) end
  return { document = document, kinds = kinds(w), exit = w.run:summary().exit_status, calls = #calls,
    effects = w.desk.effects, clock = w.clock:text() }
end

-- How a run goes with these on trial, and without.
local function both(setup, phases, play)
  local seen = {}
  for i = 1, 2 do
    local w = world.durable()
    setup(w)
    if i == 2 then on_trial(w, phases) end
    play(w)
    seen[i] = outside(w)
    w:close()
  end
  assert.are.same(seen[1], seen[2])
end

local nothing = function() end
local plays = function(w) w:play() end

describe("a bundle on trial", function()
  it("is asked in each of its phases, after those that count, and journaled", function()
    local w = world.durable()
    assert(w:bundle({ { "hard", policy { propose = "", preview = ASK, approve = "", execute = "" } } }))
    on_trial(w, { propose = DENY, preview = "", approve = DENY, execute = DENY })
    w:play()
    w:decide()
    assert.are.equal("committed_unverified", w.run:summary().status)
    local seen = {}
    for _, record in ipairs(w:journal()) do
      local b = record.body
      if record.kind == "verdict" or record.kind == "trial" then
        seen[#seen + 1] = ("%s %s %s %s %s"):format(record.kind, b.policy, b.phase, b.said, b.ruled)
      end
    end
    assert.are.same({
      "verdict bundle/p propose none none", "trial tried/p propose deny deny",
      "verdict bundle/p preview ask ask", "trial tried/p preview none none",
      "verdict bundle/p approve none none", "trial tried/p approve deny deny",
      "verdict bundle/p execute none none", "trial tried/p execute deny deny",
    }, seen)
    assert.are.same({ "propose denied none->deny", "preview allowed ask->none", "approve denied none->deny",
      "execute denied none->deny" }, compared(w))
    local document = w:document()
    assert.are.equal(4, document.trial.differs)
    assert.are.same({ phase = "preview", change = "allowed", enforced = "ask", trial = "none", policy = "bundle/p",
      line = 3, reason = "because" }, document.trial.phases[2])
    w:close()
  end)

  it("tells nobody as a policy does", function()
    local w = world.durable()
    on_trial(w, { preview = DENY })
    w:play()
    for _, event in ipairs(w.events) do assert.are_not.equal("policy", event.type) end
    w:close()
  end)

  for name, body in pairs { denies = DENY, asks = ASK, fails = 'error "x"', loops = "while true do end",
    ["eats its memory"] = "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
    ["says nonsense"] = "return 7" } do
    it("that " .. name .. " changes nothing of a run", function()
      both(nothing, { propose = body, preview = body, execute = body }, plays)
    end)
  end

  it("changes nothing of a run that waits, is approved and expires", function()
    local function setup(w) assert(w:bundle { { "hard", policy { preview = ASK } } }) end
    local all = { propose = ASK, preview = DENY, approve = DENY, execute = ASK }
    both(setup, all, function(w) w:play() end)
    both(setup, all, function(w)
      w:play()
      w:decide()
    end)
    both(setup, all, function(w)
      w:play()
      w:advance(3600000)
    end)
  end)

  it("changes nothing of a run that is denied", function()
    local function setup(w) assert(w:bundle { { "hard", policy { preview = DENY } } }) end
    both(setup, { preview = "", execute = "" }, plays)
    local w = world.durable()
    assert(w:bundle { { "hard", policy { preview = DENY } } })
    on_trial(w, { preview = "" })
    w:play()
    assert.are.same({ "preview allowed deny->none" }, compared(w))
    w:close()
  end)

  it("is not in the host policy digest, and has one of its own in record 0", function()
    local w = world.durable()
    assert(w:bundle { { "hard", policy { preview = "" } } })
    local digest = w.host:policy_digest()
    assert.is_nil(w.host:trial_digest())
    on_trial(w, { preview = "" })
    assert.are.equal(digest, w.host:policy_digest())
    assert.are_not.equal(digest, w.host:trial_digest())
    w:play()
    local created = w:find("created").body
    assert.are.equal(digest, created.hostPolicyDigest)
    assert.are.equal(w.host:trial_digest(), created.trialDigest)
    assert.is_nil(w:document().trial)
    w:close()
  end)

  it("may be gone, another, or new when a run is resumed", function()
    for _, now in ipairs { "gone", "another", "new" } do
      local w = world.durable()
      assert(w:bundle { { "hard", policy { preview = ASK } } })
      if now ~= "new" then on_trial(w, { preview = DENY }) end
      w:play()
      local request = w:document().requestId
      w = w:next()
      assert(w:bundle { { "hard", policy { preview = ASK } } })
      if now ~= "gone" then on_trial(w, { preview = DENY, execute = DENY }, "hard", "later") end
      assert.are.equal(now ~= "new" and 1 or nil, w:stored().trial and w:stored().trial.differs)
      assert(w:resume())
      assert.are.equal(request, w:document().requestId)
      w:decide()
      assert.are.equal("committed_unverified", w.run:summary().status)
      assert.are.equal(w.host:trial_digest(), w:find("resumed").body.trialDigest)
      w:close()
    end
  end)

  it("that is soft is overridden at execute by itself, as if somebody had answered", function()
    local w = world.durable()
    on_trial(w, { preview = DENY, execute = DENY }, "soft")
    w:play()
    assert.are.same({ "preview asked none->ask", "execute same none->none" }, compared(w))
    w:close()
  end)

  it("may bear the name of one that counts", function()
    local w = world.durable()
    assert(w:bundle { { "hard", policy { preview = DENY } } })
    on_trial(w, { preview = "" }, "hard", "bundle")
    assert.are.equal("blocked", (w:play()).status)
    w:close()
  end)

  it("leaves a chain that holds", function()
    local w = world.durable()
    on_trial(w, { propose = DENY, preview = ASK, execute = 'error "x"' })
    w:play()
    local prev = ""
    for _, record in ipairs(w:journal()) do
      assert.are.equal(prev, record.record.prev)
      prev = record.hash
    end
    w:close()
  end)

  it("has half a second in a phase, with all others on trial together (trial_ms)", function()
    local w = world.durable()
    local many = {}
    for i = 1, 32 do many[i] = { "hard", policy({ preview = "while true do end" }, "p" .. i) } end
    assert(w:bundle(many, "slow", "add_trial_bundle"))
    w:play()
    local asked, late = 0, 0
    for _, record in ipairs(w:journal()) do
      if record.kind == "trial" then
        local not_asked = record.body.reason:find("have 500 ms in a phase", 1, true)
        if not_asked then late = late + 1 else asked = asked + 1 end
      end
    end
    assert.are.equal(32, asked + late)
    assert.is_true(asked > 0 and late > 0)
    assert.are.equal("committed_unverified", w.run:summary().status)
    w:close()
  end)

  it("consumes no unit of a limit", function()
    local LIMIT = 'ctx.limit { key = "edits", max = 1, per = "1h" }'
    local seen = {}
    for i = 1, 2 do
      local w = world.durable()
      if i == 2 then
        local many = {}
        for k = 1, 60 do many[k] = { "hard", policy({ propose = LIMIT, preview = "" }, "p" .. k) } end
        assert(w:bundle(many, "counts", "add_trial_bundle"))
      end
      w:play { workflow = "return function(run) run:preview() while true do run:observe 'visual' end end" }
      local own = 0
      for _, record in ipairs(w:journal()) do
        if record.kind ~= "trial" and record.kind ~= "compared" then own = own + 1 end
        if record.kind == "trial" then assert.are.equal("none", record.body.said) end
      end
      seen[i] = own
      for _ = 1, 2 do
        w.run = nil
        w:play()
        assert.are.equal("committed_unverified", w.run:summary().status)
        for _, record in ipairs(w:journal()) do
          if record.kind == "trial" then assert.are.equal("none", record.body.said) end
        end
      end
      assert.are.same({}, w.store:limits())
      w:close()
    end
    assert.are.equal(seen[1], seen[2])
  end)

  it("is refused while a run goes, as any other", function()
    local w = world.durable()
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    local ok, err = w:bundle({ { "hard", policy { preview = "" } } }, "late", "add_trial_bundle")
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
    w:close()
  end)
end)

describe("more than less", function()
  local function asks(options) return ('return policy.ask("why", { %s })'):format(options) end
  local function change(enforced, trial)
    local w = world.durable()
    assert(w.host:add_approver("anna", { "lead", "chief" }))
    assert(w:bundle { { "hard", policy { preview = enforced } } })
    on_trial(w, { preview = trial })
    w:play()
    local seen = compared(w)[1]
    w:close()
    return seen:match "^preview (%a+)"
  end

  for _, row in ipairs {
    { "approvers = 2", "approvers = 1", "allowed" }, { "approvers = 1", "approvers = 2", "asked" },
    { 'roles = { "lead" }', "", "allowed" }, { "", 'roles = { "lead" }', "asked" },
    { 'roles = { "lead" }', 'roles = { "lead", "chief" }', "allowed" },
    { 'roles = { "lead", "chief" }', 'roles = { "chief" }', "asked" },
    { 'roles = { "lead" }', 'roles = { "chief" }', "allowed" },
    { "approvers = 2", "approvers = 2", "same" },
  } do
    it(("of a need: {%s} -> {%s} is %s"):format(table.unpack(row)), function()
      assert.are.equal(row[3], change(asks(row[1]), asks(row[2])))
    end)
  end
end)

describe("the report", function()
  it("counts phases over all runs, and tells each difference", function()
    local w = world.durable()
    assert(w:bundle { { "hard", policy { propose = 'if action.arguments.Text == "no" then ' .. DENY .. " end" } } })
    on_trial(w, { propose = 'if action.arguments.Text == "ask" then return policy.ask("why") end',
      preview = 'if action.arguments.Text == "bad" then error "broken" end' })
    for _, text in ipairs { "fine", "no", "ask", "bad" } do
      w:start { proposal = world.proposal { arguments = { Text = text } } }
      w:go()
    end
    local total, lines = w.store:trial_report()
    assert.are.equal(4, total.runs)
    assert.are.equal(3, total.differ)
    assert.are.same({ same = 2, denied = 0, asked = 1, allowed = 1, errors = 0 }, total.propose)
    assert.are.same({ same = 2, denied = 1, asked = 0, allowed = 0, errors = 1 }, total.preview)
    local seen = {}
    for i, line in ipairs(lines) do
      local l = json.decode(line)
      assert.truthy(l.run and l.at)
      seen[i] = ("%s %s %s %d"):format(l.phase, l.change, l.policy, l.line)
    end
    table.sort(seen)
    assert.are.same({ "preview denied tried/p 3", "preview error tried/p 3", "propose allowed bundle/p 2",
      "propose asked tried/p 2" }, seen)
    w:close()
  end)

  it("leaves out what was before, and refuses what is no time", function()
    local w = world.durable()
    on_trial(w, { preview = DENY })
    w:play()
    assert.are.equal(1, w.store:trial_report(w.clock:text()).runs)
    assert.are.equal(0, w.store:trial_report(w.clock:text(1)).runs)
    local _, err = w.store:trial_report "yesterday"
    assert.are.equal("invalid_request", err.code)
    w:close()
  end)

  it("is empty for a store without trials", function()
    local store = assert(interlock.store {})
    local total, lines = store:trial_report()
    assert.are.equal(0, total.runs)
    assert.are.same({}, lines)
  end)
end)
