-- Every check of what the runtime returns, through a run: one wrong answer each. The run is refused, the refusal names
-- object and field, and nothing acts. Where a rule lets something pass, that is a spec as well.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local list = json.list
local TARGET = world.TARGET
local POSTCONDITION = { kind = "window", windowId = 7, exists = true }
local PROVENANCE = { untrustedInstruction = false, sourceObservationIds = list { "observation-1" } }

local function changed(t, change)
  local copy = {}
  for name, value in pairs(t) do copy[name] = value end
  for name, value in pairs(change) do copy[name] = value end
  for name, value in pairs(copy) do
    if value == json.null then copy[name] = nil end
  end
  return copy
end

-- A row: what is wrong, the field that the refusal names, how the answer is bent; and changes of the proposal.
local function full() return { postcondition = POSTCONDITION, provenance = PROVENANCE } end

-- Two clocks of a spec go on without a tick.
local function pass(w, ms) w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + ms, w.clock.boot_ms + ms end

local function refuses(op, object, rows, look)
  for _, row in ipairs(rows) do
    it("refuses " .. row[1], function()
      local w <close> = setmetatable(world.open(), { __close = world.close, __index = world })
      w.desk:edit(op, function(answer, body) row[3](answer.envelope or answer, w, body) end)
      local s, run = w:play { proposal = world.proposal(row[4]) }
      look(w, s, object, row[2], run)
      assert.truthy(s.error.expected or s.error.actual)
      assert.truthy(s.error.message:find(row[2], 1, true), s.error.message)
      assert.is_true(w:checked(object, row[2], false))
    end)
  end
end

local function accepts(op, rows)
  for _, row in ipairs(rows) do
    it("accepts " .. row[1], function()
      local w <close> = setmetatable(world.open(), { __close = world.close, __index = world })
      w.desk:edit(op, function(answer, body) row[2](answer.envelope or answer, w, body) end)
      local s = w:play { proposal = world.proposal(row[3]) }
      assert.are.equal(nil, s.error and s.error.message)
      assert.are.equal(1, w.desk.effects)
    end)
  end
end

describe("the envelope of a preview", function()
  refuses("preview_action", "action envelope", {
    { "a time of proposal that is no RFC 3339 time", "proposed_at", function(e) e.proposedAt = "yesterday" end },
    { "a time of proposal with a blank for the T", "proposed_at",
      function(e) e.proposedAt = "2026-11-30 18:00:00Z" end },
    { "a time of proposal on a day that is not in the calendar", "proposed_at",
      function(e) e.proposedAt = "2026-02-29T18:00:00Z" end },
    { "an expiry that is no RFC 3339 time", "expires_at", function(e) e.expiresAt = "tomorrow" end },
    { "an expiry with ten digits of a second", "expires_at",
      function(e) e.expiresAt = "2026-12-30T18:00:00.1234567890Z" end },
    { "an expiry equal to the time of proposal", "expires_at",
      function(e, w) e.proposedAt, e.expiresAt = w.clock:text(1000), w.clock:text(1000) end },
    { "an expiry before the time of proposal", "expires_at",
      function(e, w) e.proposedAt, e.expiresAt = w.clock:text(2000), w.clock:text(1000) end },
    { "an expiry that is now: equal is expired", "expires_at",
      function(e, w) e.proposedAt, e.expiresAt = w.clock:text(-1000), w.clock:text() end },
    { "an expiry in the past", "expires_at",
      function(e, w) e.proposedAt, e.expiresAt = w.clock:text(-2000), w.clock:text(-1000) end },
    { "an empty digest", "args_digest", function(e) e.argsDigest = "" end },
    { "another session", "session_id", function(e) e.sessionId = "session-2" end },
    { "a session that only begins the same", "session_id", function(e) e.sessionId = "session-10" end },
    { "another principal", "principal_id", function(e) e.principalId = "operator-2" end },
    { "a principal in other letters", "principal_id", function(e) e.principalId = "Operator-1" end },
    { "another agent", "agent_id", function(e) e.agentId = "agent-2" end },
    { "another execution group", "execution_group_id", function(e) e.executionGroupId = "group-2" end },
    { "another action id", "action_id", function(e) e.actionId = "another" end },
    { "another tool", "tool", function(e) e.tool = "delete_file" end },
    { "another operation", "operation", function(e) e.operation = "write_clipboard.append" end },
    { "another mode", "requested_mode", function(e) e.requestedMode = "foreground" end },
    { "another app as target", "target", function(e) e.target = changed(TARGET, { appId = "org.example.Mail" }) end },
    { "another window as target", "target", function(e) e.target = changed(TARGET, { windowId = 8 }) end },
    { "the window id of the target as text", "target", function(e) e.target = changed(TARGET, { windowId = "7" }) end },
    { "another observation in the target", "target",
      function(e) e.target = changed(TARGET, { observationId = "observation-2" }) end },
    { "a target with one member more", "target", function(e) e.target = changed(TARGET, { role = "button" }) end },
    { "a target with one member less", "target",
      function(e) e.target = changed(TARGET, { displayId = json.null }) end },
    { "no target where one was proposed", "target", function(e) e.target = nil end },
    { "a target where none was proposed", "target", function(e) e.target = TARGET end, { target = json.null } },
    { "another postcondition", "postcondition",
      function(e) e.postcondition = changed(POSTCONDITION, { exists = false }) end, full() },
    { "no postcondition where one was proposed", "postcondition", function(e) e.postcondition = nil end, full() },
    { "a postcondition where none was proposed", "postcondition", function(e) e.postcondition = POSTCONDITION end },
    { "another provenance", "provenance",
      function(e) e.provenance = changed(PROVENANCE, { untrustedInstruction = true }) end, full() },
    { "no provenance where one was proposed", "provenance", function(e) e.provenance = nil end, full() },
    { "a provenance where none was proposed", "provenance", function(e) e.provenance = PROVENANCE end },
    { "a data label more", "data_labels", function(e) table.insert(e.dataLabels, "public") end,
      { dataLabels = { "private" } } },
    { "a data label less", "data_labels", function(e) e.dataLabels = list() end, { dataLabels = { "private" } } },
    { "another data label", "data_labels", function(e) e.dataLabels = list { "public" } end,
      { dataLabels = { "private" } } },
    { "a data label where none was proposed, which is `unknown`", "data_labels",
      function(e) e.dataLabels = list { "public" } end },
    { "no data label at all", "data_labels", function(e) e.dataLabels = list() end },
    { "a data label of two missing", "data_labels", function(e) e.dataLabels = list { "private" } end,
      { dataLabels = { "private", "health" } } },
  }, function(w, s, object, field)
    says.refused(s, object, field)
    says.counts(w, 0, 0, 0, 0)
    assert.is_nil(w:find "preview")
  end)

  accepts("preview_action", {
    { "no agent: under-specified", function(e) e.agentId = nil end },
    { "no execution group: under-specified", function(e) e.executionGroupId = nil end },
    { "the data label `credential`, which a runtime may add",
      function(e) table.insert(e.dataLabels, "credential") end, { dataLabels = { "private" } } },
    { "a time of proposal in the future", function(e, w) e.proposedAt = w.clock:text(60000) end },
    { "a member that nobody knows", function(e) e.note = "new in the next version" end },
    { "null for an optional member", function(e) e.resource = json.null end },
  })

  it("names the first of several faults, in the order of the rule", function()
    local w = world.open()
    w.desk:edit("preview_action", function(a)
      a.envelope.sessionId, a.envelope.tool, a.envelope.proposedAt = "session-2", "other", "never"
    end)
    assert.are.equal("proposed_at", w:play().error.field)
    w:close()
  end)

  it("is checked again at execute: an envelope that expired meanwhile does not act", function()
    local w = world.open()
    w.desk:before("acquire_lease", function() pass(w, 300000) end)
    w.desk:edit("acquire_lease", function(l) l.expiresAt = w.clock:text(60000) end)
    says.refused(w:play { proposal = world.proposal { target = json.null } }, "action envelope", "expires_at")
    says.counts(w, 0, 1, 0, 1, 1)
    w:close()
  end)
end)

describe("a control lease", function()
  refuses("acquire_lease", "control lease", {
    { "an agent that is another", "agent_id", function(l) l.agentId = "agent-2" end },
    { "another mode", "execution_mode", function(l) l.executionMode = "foreground" end },
    { "a state that is not active", "state", function(l) l.state = "released" end },
    { "a state that only begins so", "state", function(l) l.state = "active " end },
    { "a budget that is used up", "action_budget", function(l) l.actionsUsed = 1 end },
    { "a budget of none", "action_budget", function(l) l.actionBudget = 0 end },
    { "an expiry that is no time", "expires_at", function(l) l.expiresAt = "later" end },
    { "an expiry that is now: equal is expired", "expires_at", function(l, w) l.expiresAt = w.clock:text() end },
    { "another app in its boundaries", "boundaries.app_ids",
      function(l) l.boundaries.appIds = list { "org.example.Mail" } end },
    { "another window in its boundaries", "boundaries.window_ids",
      function(l) l.boundaries.windowIds = list { 8 } end },
    { "the window as text where the target has a number", "boundaries.window_ids",
      function(l) l.boundaries.windowIds = list { "7" } end },
    { "another display in its boundaries", "boundaries.display_ids",
      function(l) l.boundaries.displayIds = list { "2" } end },
    { "a list of windows when the target names none", "boundaries.window_ids",
      function(l) l.boundaries.windowIds = list { 7 } end, { target = changed(TARGET, { windowId = json.null }) } },
    { "a list of displays when the target names none", "boundaries.display_ids",
      function(l) l.boundaries.displayIds = list { "1" } end, { target = changed(TARGET, { displayId = json.null }) } },
    { "a list of apps when the action has no target", "boundaries.app_ids",
      function(l) l.boundaries.appIds = list { "org.example.Editor" } end, { target = json.null } },
    { "a list of windows when the action has no target", "boundaries.window_ids",
      function(l) l.boundaries.windowIds = list { 7 } end, { target = json.null } },
    { "a list of displays when the action has no target", "boundaries.display_ids",
      function(l) l.boundaries.displayIds = list { "1" } end, { target = json.null } },
  }, function(w, s, object, field)
    says.refused(s, object, field)
    assert.are.equal(0, w.desk.effects)
    assert.are.equal(1, w.desk:asked "release_lease")
    assert.is_nil(w:find "leased")
  end)

  for _, row in ipairs { { "sessionId", "session_id" }, { "principalId", "principal_id" } } do
    it("of another " .. row[2] .. " is refused, reported and never released", function()
      local w = world.open()
      w.desk:edit("acquire_lease", function(l) l[row[1]] = "another" end)
      local s = w:play()
      says.refused(s, "control lease", row[2])
      says.counts(w, 0, 1, 1, 1, 0)
      assert.are.equal("identity_mismatch", s.error.cleanup.code)
      w:close()
    end)
  end

  accepts("acquire_lease", {
    { "no agent: under-specified", function(l) l.agentId = nil end },
    { "a state in other letters", function(l) l.state = "ACTIVE" end },
    { "empty boundaries: not scoped", function(l) l.boundaries = { appIds = list(), windowIds = list(),
      displayIds = list() } end },
    { "no boundaries: not scoped", function(l) l.boundaries = nil end },
    { "boundaries that list the target among others",
      function(l) l.boundaries.windowIds = list { 8, "7", 7 } end },
    { "a budget with one action left", function(l) l.actionBudget, l.actionsUsed = 2, 1 end },
  })

  it("may name any agent where the envelope states none", function()
    local w = world.open()
    w.desk:edit("acquire_lease", function(l) l.agentId = "agent-9" end)
    assert.is_nil(w:play({ agent = json.null }).error)
    assert.are.equal(1, w.desk.effects)
    w:close()
  end)
end)

describe("a target reservation", function()
  refuses("reserve_target", "target reservation", {
    { "another session", "session_id", function(r) r.sessionId = "session-2" end },
    { "another principal", "principal_id", function(r) r.principalId = "operator-2" end },
    { "another agent", "agent_id", function(r) r.agentId = "agent-2" end },
    { "another execution group", "execution_group_id", function(r) r.executionGroupId = "group-2" end },
    { "another intent", "intent_id", function(r) r.intentId = "another" end },
    { "a state that is not active", "state", function(r) r.state = "expired" end },
    { "an expiry that is no time", "expires_at", function(r) r.expiresAt = "soon" end },
    { "an expiry that is now: equal is expired", "expires_at", function(r, w) r.expiresAt = w.clock:text() end },
    { "another app", "scope.app_id", function(r) r.scope.appId = "org.example.Mail" end },
    { "another window", "scope.window_id", function(r) r.scope.windowId = 8 end },
    { "the window as text", "scope.window_id", function(r) r.scope.windowId = "7" end },
    { "no window where the target has one", "scope.window_id", function(r) r.scope.windowId = nil end },
    { "a window where the target has none", "scope.window_id", function(r) r.scope.windowId = 7 end,
      { target = changed(TARGET, { windowId = json.null }) } },
  }, function(w, s, object, field)
    says.refused(s, object, field)
    says.counts(w, 0, 1, 1, 0)
    assert.are.equal("session-1", w.desk.bodies.release_target[1].sessionId)
    assert.is_nil(w:find "reserved")
  end)

  it("for an action without target is refused", function()
    local w = world.open()
    w.desk:answer("reserve_target", json.encode { reservationId = "reservation-1", revision = 1, intentId = "x",
      sessionId = "session-1", principalId = "operator-1", scope = { appId = "org.example.Editor" }, state = "active",
      acquiredAt = w.clock:text(), expiresAt = w.clock:text(1000) })
    local s = w:play { proposal = world.proposal { target = json.null } }
    assert.are.equal("refused", s.status)
    assert.are.equal("target reservation", s.error.object)
    says.counts(w, 0, 1, 1, 0)
    w:close()
  end)

  it("for an action without target is refused for the target when all else fits", function()
    local w = world.open()
    w.desk:hold "reserve_target"
    local run = w:start { proposal = world.proposal { target = json.null } }
    w:go()
    w.desk.held[1].text = json.encode { reservationId = "reservation-1", revision = 1, intentId = run:action_id(),
      sessionId = "session-1", principalId = "operator-1", scope = { appId = "org.example.Editor" }, state = "active",
      acquiredAt = w.clock:text(), expiresAt = w.clock:text(1000) }
    w.desk:deliver(w.host, "reserve_target")
    w:go()
    says.refused(run:summary(), "target reservation", "target")
    says.counts(w, 0, 1, 1, 0)
    w:close()
  end)

  accepts("reserve_target", {
    { "no agent and no group: under-specified", function(r) r.agentId, r.executionGroupId = nil, nil end },
    { "a state in other letters", function(r) r.state = "Active" end },
  })

  it("that the runtime does not have is no obstacle", function()
    for _, how in ipairs { "none", "not offered" } do
      local w = world.open { without = how == "not offered" and { "reserve_target", "release_target" } or nil }
      w.desk:answer("reserve_target", "null")
      assert.is_nil(w:play().error)
      assert.are.equal(1, w.desk.effects)
      assert.are.equal(0, w.desk:asked "release_target")
      w:close()
    end
  end)
end)

describe("an execution receipt", function()
  refuses("execute_action", "execution receipt", {
    { "of another session", "session_id", function(r) r.sessionId = "session-2" end },
    { "of another action", "action_id", function(r) r.actionId = "another" end },
    { "of another digest", "action_digest", function(r) r.actionDigest = ("f"):rep(64) end },
    { "of the same digest in capitals", "action_digest", function(r) r.actionDigest = r.actionDigest:upper() end },
  }, function(w, s, object, field)
    assert.are.equal("indeterminate", s.status)
    assert.are.equal("unknown", s.effect)
    assert.is_false(s.retry_safe)
    assert.are.equal(object .. " " .. field, s.error.object .. " " .. s.error.field)
    assert.are.equal("identity_mismatch", s.error.code)
    assert.are.equal(1, w.desk:asked "execute_action")
    says.counts(w, 1, 1, 1)
    assert.is_nil(w:find "receipt")
    assert.is_nil(s.receipt_id)
  end)
end)

describe("an answer that cannot be decoded", function()
  local rows = {
    { "preview_action", "failed", 0, 0, 0 },
    { "reserve_target", "failed", 0, 1, 0 },
    { "acquire_lease", "failed", 0, 1, 1 },
    { "execute_action", "indeterminate", 1, 1, 1 },
  }
  local breaks = {
    { "with a member twice", function(text) return '{"revision":1,"revision":1,' .. text:sub(2) end },
    { "with bytes after its end", function(text) return text .. "x" end },
    { "with a byte order mark", function(text) return "\xEF\xBB\xBF" .. text end },
    { "that is cut", function(text) return text:sub(1, -2) end },
    { "with invalid UTF-8", function(text) return text:sub(1, -2) .. ',"note":"\xff"}' end },
    { "with a lone surrogate in a name", function(text) return text:sub(1, -2) .. ',"\\ud800":1}' end },
    { "that lacks what it must have", function() return "{}" end },
    { "that is a list", function() return "[]" end },
  }
  for _, row in ipairs(rows) do
    for _, broken in ipairs(breaks) do
      it("to " .. row[1] .. " " .. broken[1] .. " ends the run without an effect that is not told", function()
        local w = world.open()
        w.desk:hold(row[1])
        w.desk:answer("recover", '"unknown"')
        local run = w:start()
        w:go()
        w.desk.held[1].text = broken[2](w.desk.held[1].text)
        w.desk:deliver(w.host, row[1])
        w:go()
        local s = run:summary()
        assert.are.equal(row[2], s.status)
        assert.are.equal("decode", s.error.code)
        local effects, reserved, leased = row[3], row[4], row[5]
        local given_back, lease_given_back = w.desk:asked "release_target", w.desk:asked "release_lease"
        says.counts(w, effects, reserved, given_back, leased, lease_given_back)
        assert.is_true(given_back + lease_given_back == reserved + leased or s.error.cleanup ~= nil)
        assert.are.equal(effects == 1 and "unknown" or "none", s.effect)
        w:close()
      end)
    end
  end

  it("has what it returned released as far as an id can be read", function()
    local w = world.open()
    w.desk:edit("acquire_lease", function(l) l.revision = "one" end)
    local s = w:play()
    assert.are.equal("decode", s.error.code)
    assert.are.equal("/revision", s.error.field)
    says.counts(w, 0, 1, 1, 1, 1)
    w:close()
  end)

  it("because a contract object is larger than 1 MiB is refused", function()
    local w = world.open()
    w.desk:edit("preview_action", function(p) p.envelope.note = ("x"):rep(1 << 20) end)
    local s = w:play()
    assert.are.equal("failed", s.status)
    assert.is_true(s.error.code == "decode" or s.error.code == "limit_exceeded")
    says.counts(w, 0, 0, 0, 0)
    w:close()
  end)

  for _, row in ipairs { { 2, true }, { 17, false } } do
    it(("because an observation has %d MiB is %s"):format(row[1], row[2] and "not the case" or "refused"), function()
      local w = world.open()
      w.desk:answer("observe_visual", '{"frame":"' .. ("x"):rep(row[1] << 20) .. '"}')
      local s = w:play()
      assert.are.equal(row[2] and "committed_unverified" or "failed", s.status)
      w:close()
    end)
  end

  it("names the place as a JSON pointer", function()
    local w = world.open()
    w.desk:edit("preview_action", function(a) a.envelope.target = changed(TARGET, { confidence = 2 }) end)
    local s = w:play()
    assert.are.equal("decode", s.error.code)
    assert.are.equal("/envelope/target/confidence", s.error.field)
    w:close()
  end)
end)

describe("the identity", function()
  local MODES = {
    { "shadow", "computer:plan" },
    { "background", "computer:execute:background" },
    { "foreground", "computer:execute:foreground" },
  }
  for _, mode in ipairs(MODES) do
    for _, scope in ipairs(MODES) do
      local fits = mode[1] == scope[1]
      it(("with scope %s alone %s a run of mode %s"):format(scope[2], fits and "may start" or "is refused", mode[1]),
        function()
          local w = world.open()
          local s = w:play { scopes = { scope[2] }, proposal = world.proposal { mode = mode[1] } }
          if fits then
            assert.is_nil(s.error)
          else
            says.refused(s, "identity", "scope", "missing_scope")
            says.counts(w, 0, 0, 0, 0)
            assert.are.equal(mode[1] == "shadow" and 0 or 1, w.desk:asked "preview_action")
          end
          w:close()
        end)
    end
  end

  it("is needed: a run without principal does not start", function()
    local w = world.open()
    for _, principal in ipairs { "", json.null } do
      local ok, err = pcall(w.start, w, { principal = principal })
      assert.is_false(ok)
      assert.are.equal("invalid_request", err.code)
    end
    assert.are.same({}, w.desk.calls)
    w:close()
  end)

  it("that has expired is refused before anything is reserved", function()
    local w = world.open()
    says.refused(w:play { identity_expires_at = w.clock:text() }, "identity", "expires_at", "principal_mismatch")
    says.counts(w, 0, 0, 0, 0)
    w:close()
  end)

  it("that expires while the lease is acquired does not act", function()
    local w = world.open()
    w.desk:before("acquire_lease", function() pass(w, 1000) end)
    says.refused(w:play { identity_expires_at = w.clock:text(1000) }, "identity", "expires_at", "principal_mismatch")
    says.counts(w, 0, 1, 1, 1, 1)
    w:close()
  end)

  it("is what the host says, whatever the proposal says", function()
    local w = world.open()
    for _, name in ipairs { "sessionId", "principalId", "agentId", "executionGroupId", "actionId", "grantId", "lease",
      "leaseId", "certificationId", "attempt", "expiresAt" } do
      local ok, err = pcall(w.start, w, { proposal = world.proposal { [name] = "x" } })
      assert.is_false(ok, name)
      assert.are.equal("invalid_request", err.code)
      assert.truthy((err.field .. err.message):find(name, 1, true), name)
    end
    assert.are.same({}, w.desk.calls)
    w:close()
  end)
end)

describe("a proposal", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  for _, row in ipairs { { "the tool itself", "write_clipboard", { Text = "hi" } },
    { "the tool and its mode argument", "write_clipboard.append", { Text = "hi", mode = "append" } } } do
    it("may name as operation " .. row[1], function()
      local s = w:play { proposal = world.proposal { operation = row[2], arguments = row[3] } }
      assert.is_nil(s.error)
      assert.are.equal(row[2], w.desk.bodies.preview_action[1].proposal.operation)
    end)
  end

  for _, row in ipairs { { "another tool", "read_clipboard", { Text = "hi" } },
    { "a mode that the arguments do not have", "write_clipboard.append", { Text = "hi" } },
    { "another mode than the arguments have", "write_clipboard.append", { Text = "hi", mode = "replace" } } } do
    it("may not name as operation " .. row[1], function()
      local ok, err = pcall(w.start, w, { proposal = world.proposal { operation = row[2], arguments = row[3] } })
      assert.is_false(ok)
      assert.are.equal("invalid_request", err.code)
    end)
  end

  it("gets agent, group and a fresh action id from the host", function()
    w:play()
    local p = w.desk.bodies.preview_action[1].proposal
    assert.are.equal("agent-1", p.agentId)
    assert.are.equal("group-1", p.executionGroupId)
    assert.are.equal(w.run:action_id(), p.actionId)
    local other = w:start()
    assert.are_not.equal(p.actionId, other:action_id())
  end)

  it("is sent to execute exactly as it was previewed", function()
    w:play()
    local sent = w.desk.bodies.execute_action[1]
    assert.are.same(w.desk.bodies.preview_action[1].proposal, sent.proposal)
    assert.are.equal(1, sent.attempt)
  end)
end)
