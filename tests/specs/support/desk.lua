-- A stand-in runtime as Lua functions: it previews, reserves, leases, acts on a counter and keeps every receipt. Each
-- answer can be bent, replaced, failed, lost or held back, for the n-th call of an operation or for all of them.
-- It checks nothing: whatever it lets through is what the library must not.

local interlock = require "interlock"
local json = require "tests.specs.support.json"

local list = json.list

local desk = {}
desk.__index = desk

--- The digest that the stand-in gives every action whose arguments hold a capital letter.
desk.ACTION_DIGEST = ("0123456789abcdef"):rep(4)
desk.POLICY_DIGEST = "sha256:policy-of-the-runtime"

local OPERATIONS = { "discover_capabilities", "observe_visual", "observe_semantic", "preview_action", "reserve_target",
  "release_target", "acquire_lease", "release_lease", "execute_action", "verify", "recover", "pause_session",
  "stop_session", "emergency_stop" }

---@param clock table the virtual clock
function desk.new(clock)
  return setmetatable({ clock = clock, faults = {}, calls = {}, count = {}, bodies = {}, effects = 0, receipts = {},
    held = {}, cancelled = {}, acted = {}, rejected = {}, digest = desk.ACTION_DIGEST, without = {} }, desk)
end

-- ---- faults -------------------------------------------------------------------------------------------------------

local function add(self, op, nth, fault)
  fault.nth = nth
  self.faults[op] = self.faults[op] or {}
  table.insert(self.faults[op], fault)
end

--- Changes the answer, a table, before it is written.
function desk:edit(op, fn, nth) add(self, op, nth, { edit = fn }) end

--- Answers with this text instead.
function desk:answer(op, text, nth) add(self, op, nth, { text = text }) end

--- Answers with an error of the runtime. `acts`: although it acted.
function desk:fail(op, reason, nth, acts) add(self, op, nth, { fail = reason, acts = acts }) end

--- Never answers. `acts`: but the action happens.
function desk:lose(op, nth, acts) add(self, op, nth, { lose = true, acts = acts }) end

--- Keeps the answer back until `desk:deliver`.
function desk:hold(op, nth) add(self, op, nth, { hold = true }) end

--- Calls `fn(body)` before the answer is made.
function desk:before(op, fn, nth) add(self, op, nth, { before = fn }) end

-- ---- answers ------------------------------------------------------------------------------------------------------

local answers = {}

function answers.discover_capabilities() return { tools = list { "write_clipboard" } } end
function answers.observe_visual() return { frame = "frame-1" } end
function answers.observe_semantic() return { tree = list { { role = "button" } } } end

function answers.preview_action(self, body)
  local p = body.proposal
  local envelope = {
    actionId = p.actionId, sessionId = p.sessionId, principalId = body.principalId, agentId = p.agentId,
    executionGroupId = p.executionGroupId, tool = p.tool, operation = p.operation, actionClass = "edit_reversible",
    requestedMode = p.mode, target = p.target, provenance = p.provenance, postcondition = p.postcondition,
    dataLabels = list(p.dataLabels or { "unknown" }), reversible = true, externalSideEffect = false,
    argsDigest = self.digest, proposedAt = self.clock:text(), expiresAt = self.clock:text(p.expiresInMs),
  }
  if envelope.provenance then list(envelope.provenance.sourceObservationIds) end
  return {
    envelope = envelope, executable = true,
    policy = { decision = "allow", policyDigest = desk.POLICY_DIGEST, reasons = list { "allow:edit_reversible" } },
    capability = { appId = "org.example.Editor", operation = p.operation, backend = "none",
      supportedModes = list { "shadow", "background", "foreground" }, interference = "none", confidence = 1,
      verificationSource = "platform_rule" },
  }
end

function answers.reserve_target(self, body)
  local e = body.envelope
  if not e.target then return json.null end
  return {
    reservationId = "reservation-" .. self.count.reserve_target, revision = 1, intentId = e.actionId,
    sessionId = e.sessionId, principalId = e.principalId, executionGroupId = e.executionGroupId, agentId = e.agentId,
    scope = { appId = e.target.appId, windowId = e.target.windowId }, state = "active",
    acquiredAt = self.clock:text(), expiresAt = self.clock:text(body.ttlMs),
  }
end

function answers.acquire_lease(self, body)
  return {
    leaseId = "lease-secret-" .. self.count.acquire_lease, revision = 1, sessionId = body.sessionId,
    principalId = body.principalId, agentId = body.agentId, kind = body.kind, executionMode = body.mode,
    state = "active", acquiredAt = self.clock:text(), expiresAt = self.clock:text(body.ttlMs),
    actionBudget = body.actionBudget, actionsUsed = 0,
    boundaries = { appIds = list(body.appIds), windowIds = list(body.windowIds), displayIds = list(body.displayIds) },
  }
end

function answers.execute_action(self, body)
  local receipt = {
    receiptId = "receipt-" .. self.count.execute_action, sessionId = body.sessionId, actionId = body.actionId,
    actionDigest = body.envelope.argsDigest, attempt = body.attempt, status = "committed", result = { ok = true },
  }
  return receipt
end

function answers.verify() return { satisfied = true } end
-- With `proves` the stand-in knows that what it has no receipt of never started.
function answers.recover(self, body)
  return self.receipts[body.actionId] or (self.proves and "not_started" or "unknown")
end
function answers.release_target() return json.null end
function answers.release_lease() return json.null end
function answers.pause_session() return json.null end
function answers.stop_session() return json.null end
function answers.emergency_stop() return json.null end

-- ---- operations ---------------------------------------------------------------------------------------------------

-- The faults of this call, joined.
local function fault_of(self, op, body)
  local all = { edits = {} }
  for _, fault in ipairs(self.faults[op] or {}) do
    if not fault.nth or fault.nth == self.count[op] then
      if fault.before then fault.before(body) end
      if fault.edit then table.insert(all.edits, fault.edit) end
      for name, value in pairs(fault) do all[name] = value end
    end
  end
  return all
end

local function act(self, body, answer)
  self.effects = self.effects + 1
  self.acted[body.actionId] = (self.acted[body.actionId] or 0) + 1
  self.receipts[body.actionId] = answer
end

local function operate(self, op, request)
  local body = json.decode(request.body)
  self.calls[#self.calls + 1] = op
  self.count[op] = (self.count[op] or 0) + 1
  self.bodies[op] = self.bodies[op] or {}
  table.insert(self.bodies[op], body)
  local fault = fault_of(self, op, body)
  local answer = answers[op](self, body)
  local does = op == "execute_action" and (fault.acts or not (fault.fail or fault.lose))
  if does then act(self, body, answer) end
  for _, edit in ipairs(fault.edits) do edit(answer, body) end
  if does and answer.status == "rejected" then self.rejected[body.actionId] = true end -- it lies
  local text = fault.text or json.encode(answer)
  if fault.fail then return nil, fault.fail, "the stand-in was told to fail" end
  if fault.lose then
    self.lost = request.token
    return true
  end
  if not fault.hold then
    if self.on_answer then self.on_answer(op, text) end
    return text
  end
  self.held[#self.held + 1] = { op = op, token = request.token, text = text }
  return true
end

--- The runtime as `host:set_runtime` takes it; operations named in `without` are not offered.
function desk:functions()
  local functions = { cancel = function(token) self.cancelled[token] = true end }
  for _, op in ipairs(OPERATIONS) do
    if not self.without[op] then
      functions[op] = function(request) return operate(self, op, request) end
    end
  end
  return functions
end

--- Delivers the first answer that is held back for `op`.
function desk:deliver(host, op)
  for i, held in ipairs(self.held) do
    if held.op == op then
      table.remove(self.held, i)
      return host:complete(held.token, held.text)
    end
  end
  error("nothing is held back for " .. op)
end

--- How often an operation was asked for.
function desk:asked(op) return self.count[op] or 0 end

--- The place of the first call of `op` in the order of all calls, or nil.
function desk:place(op)
  for i, called in ipairs(self.calls) do
    if called == op then return i end
  end
end

--- The argsDigest of an action by the runtime's own rule, for names of a-z and '_' alone.
function desk.args_digest(p)
  local undefined = json.raw "undefined"
  return interlock.sha256(json.encode {
    args = p.arguments, dataLabels = list(p.dataLabels or { "unknown" }), mode = p.mode or "background",
    operation = p.operation or p.tool, postcondition = p.postcondition or undefined,
    provenance = p.provenance or undefined, resource = {}, target = p.target or undefined,
    targetSensitivity = undefined, tool = p.tool,
  })
end

return desk
