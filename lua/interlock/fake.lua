-- A simulated computer-use runtime: sessions, previews with a class and a policy, reservations, one lease, receipts
-- that replay, evidence for postconditions. It acts on a small world of its own and on nothing else; by its options it
-- can be made to fail in every way a real one might. See "The simulated runtime" in lua/README.md.

local faults = require "interlock.fake.faults"
local options = require "interlock.fake.options"
local tools = require "interlock.fake.tools"
local world = require "interlock.fake.world"

local OPTIONS = {
  principal = "string", policy = "string", policy_digest = "string", grants = "table", runtime_held = "boolean",
  sessions = "table", envelope = "table", reservation = "table", lease = "table", tools = "table", world = "table",
  latency = "string|integer|table", verify = "boolean", receipt_evidence = "boolean", faults = "table",
}
local POLICIES = { "class", "allow", "confirm", "deny" }
local CONFIRMED = {
  communicate_external = true, authentication = true, financial = true, destructive = true, privilege_change = true,
  secret_access = true,
}
local DENIED_UNTRUSTED = { authentication = true, financial = true, destructive = true, privilege_change = true }
local REVERSIBLE = { observe = true, navigate = true, edit_reversible = true }
local EXTERNAL = { communicate_external = true, authentication = true, financial = true }
local ORDER_KEPT = 200    -- names of the last operations
local RECEIPTS_KEPT = 1000 -- older ones are forgotten, as after a restart

---@param list any[]
---@param value any
---@return boolean
local function holds(list, value)
  for _, item in ipairs(list) do
    if item == value then return true end
  end
  return false
end

---@param given table the options
---@param runtime interlock.Runtime
---@return interlock.LuaRuntime
return function(given, runtime)
  options.check(given, OPTIONS, "the simulated runtime")
  local policy = options.choice(given.policy or "class", POLICIES, "policy")
  local envelope_options = given.envelope or {}
  local lease_options = options.check(given.lease or {}, { expires_in = "string", kind = "string" }, "lease")
  local reservation_options =
    options.check(given.reservation or {}, { expires_in = "string", none = "boolean" }, "reservation")
  local extra = given.tools or {}
  local state = world.new(given.world)
  local sessions = options.copy(given.sessions or {})
  local counts = {
    calls = {}, order = json.array {}, effects = 0, previews = 0,
    reservations = 0, releases = 0, leases = 0, lease_releases = 0,
  }
  local effects_of = {}
  local leases, reservations = {}, {}
  local receipts, order, at, forgotten = {}, {}, 1, false
  local stopped = false

  ---- sessions ----

  local function session_state(id)
    return sessions[id] or "running"
  end

  local function check_session(id)
    local is = session_state(id)
    if is ~= "running" and is ~= "waiting_for_user" then
      runtime.fail("session_not_running", "session cannot execute while " .. is)
    end
  end

  ---Ends what a session holds.
  local function revoke(id)
    for _, lease in pairs(leases) do
      if (id == nil or lease.sessionId == id) and lease.state == "active" then lease.state = "revoked" end
    end
    for _, reservation in pairs(reservations) do
      if (id == nil or reservation.sessionId == id) and reservation.state == "active" then
        reservation.state = "cancelled"
      end
    end
  end

  ---- preview ----

  local function later_than_now(expires_at)
    return expires_at > runtime.now() -- both are UTC with milliseconds
  end

  local function resource_of(proposal)
    local arguments, target, resource = proposal.arguments or {}, proposal.target, {}
    if target then
      resource.targetAppId = target.appId
      resource.targetWindowId = target.windowId
    end
    if proposal.tool == "filesystem" then
      resource.filesystemPath = arguments.path
      resource.filesystemDestination = arguments.destination
    elseif proposal.tool == "registry" then
      resource.registryPath = arguments.path
    elseif proposal.tool == "process_kill" then
      resource.processId = arguments.pid
    end
    return resource
  end

  local function envelope_of(request, tool)
    local proposal = request.proposal
    local arguments = proposal.arguments or {}
    local class = tools.class(tool, proposal.tool, arguments)
    local expires_in = envelope_options.expires_in or ((proposal.expiresInMs or 30000) .. "ms")
    local envelope = {
      actionId = proposal.actionId, sessionId = proposal.sessionId, executionGroupId = proposal.executionGroupId,
      principalId = given.principal or request.principalId, agentId = proposal.agentId, tool = proposal.tool,
      operation = proposal.operation, actionClass = class, requestedMode = proposal.mode, target = proposal.target,
      resource = resource_of(proposal), provenance = proposal.provenance,
      dataLabels = proposal.dataLabels or json.array { "unknown" }, postcondition = proposal.postcondition,
      reversible = REVERSIBLE[class] or false, externalSideEffect = EXTERNAL[class] or false,
      proposedAt = runtime.now(), expiresAt = runtime.time("+" .. expires_in:gsub("^%+", "")),
    }
    for name, value in pairs(envelope_options) do
      if name ~= "expires_in" then envelope[name] = options.copy(value) end
    end
    if not envelope.argsDigest then
      envelope.argsDigest = runtime.args_digest(envelope, arguments)
        or runtime.sha256(runtime.encode { arguments, envelope.operation, envelope.requestedMode })
    end
    return envelope
  end

  ---What the runtime's own policy says of an action.
  local function decide(envelope)
    local class = envelope.actionClass
    if policy ~= "class" then return policy, policy .. ":configured" end
    if envelope.provenance and envelope.provenance.untrustedInstruction then
      if DENIED_UNTRUSTED[class] then return "deny", "deny:untrusted_instruction" end
      return "confirm", "confirm:untrusted_instruction"
    end
    if CONFIRMED[class] then return "confirm", "confirm:" .. class end
    if holds(envelope.dataLabels, "credential") or holds(envelope.dataLabels, "payment") then
      return "confirm", "confirm:data_labels"
    end
    return "allow", "allow:" .. class
  end

  local function blocker_of(envelope, tool, decision)
    local modes = tool.modes or { "shadow", "background", "foreground" }
    if envelope.requestedMode == "shadow" and tool.effect then return "shadow_mutation" end
    if not holds(modes, envelope.requestedMode) then return "foreground_required" end
    if decision == "deny" then return "policy_denied" end
    if tool.target and not envelope.target then return "target_evidence_required" end
    if decision == "confirm" then return "approval_required" end
    return nil
  end

  local function tool_of(proposal)
    local tool = tools.find(extra, proposal.tool, proposal.operation)
    if not tool then runtime.fail("unknown_tool", "there is no tool " .. proposal.tool) end
    return tool
  end

  local function preview_of(request)
    local proposal = request.proposal
    local tool = tool_of(proposal)
    local envelope = envelope_of(request, tool)
    local decision, reason = decide(envelope)
    local blocker = blocker_of(envelope, tool, decision)
    return {
      envelope = envelope, executable = blocker == nil, blocker = blocker,
      policy = {
        decision = decision, reasons = json.array { reason },
        policyDigest = given.policy_digest or "sha256:" .. runtime.sha256("simulated policy: " .. policy),
      },
      capability = {
        appId = proposal.target and proposal.target.appId or "*", operation = envelope.operation, backend = "simulated",
        supportedModes = json.array(options.copy(tool.modes or { "shadow", "background", "foreground" })),
        interference = tool.modes and "takes_foreground" or "none", confidence = 1,
        verificationSource = "simulation",
      },
    }, tool
  end

  ---- reservations and leases ----

  local function conflicts(a, b)
    if a.appId:lower() ~= b.appId:lower() then return false end
    return a.windowId == nil or b.windowId == nil or a.windowId == b.windowId
  end

  local function active(held)
    if held.state == "active" and not later_than_now(held.expiresAt) then held.state = "expired" end
    return held.state == "active"
  end

  local function reserve(request)
    local target = request.envelope.target
    if reservation_options.none or not target then return nil end
    check_session(request.sessionId)
    local scope = { appId = target.appId, windowId = target.windowId }
    for _, other in pairs(reservations) do
      local ours = other.sessionId == request.sessionId and other.intentId == request.actionId
      if active(other) and ours then return other end
      if active(other) and conflicts(other.scope, scope) then
        runtime.fail("target_conflict", "another planner has reserved the target")
      end
    end
    local reservation = {
      reservationId = runtime.uuid(), revision = 1, intentId = request.actionId, sessionId = request.sessionId,
      principalId = given.principal or request.principalId, executionGroupId = request.envelope.executionGroupId,
      agentId = request.envelope.agentId, scope = scope, state = "active", acquiredAt = runtime.now(),
      expiresAt = runtime.time("+" .. (reservation_options.expires_in or (request.ttlMs or 30000) .. "ms")),
    }
    reservations[reservation.reservationId] = reservation
    counts.reservations = counts.reservations + 1
    return reservation
  end

  local function release_target(request)
    local reservation = reservations[request.reservationId]
    if not reservation or not active(reservation) then
      runtime.fail("reservation_not_active", "there is no active reservation of that id")
    end
    if reservation.sessionId ~= request.sessionId then
      runtime.fail("target_conflict", "target reservation belongs to another session")
    end
    reservations[request.reservationId] = nil
    counts.releases = counts.releases + 1
    reservation.state, reservation.revision, reservation.terminalReason = "released", 2, "released"
    return reservation
  end

  local function acquire(request)
    if stopped then runtime.fail("interrupted", "emergency stop is active") end
    check_session(request.sessionId)
    for id, other in pairs(leases) do
      if active(other) then runtime.fail("lease_conflict", "another lease is active") end
      leases[id] = nil
    end
    local lease = {
      leaseId = runtime.uuid(), revision = 1, sessionId = request.sessionId,
      principalId = given.principal or request.principalId, agentId = request.agentId,
      kind = lease_options.kind or request.kind or "cooperative", executionMode = request.mode, state = "active",
      acquiredAt = runtime.now(), actionBudget = request.actionBudget or 1, actionsUsed = 0,
      expiresAt = runtime.time("+" .. (lease_options.expires_in or (request.ttlMs or 30000) .. "ms")),
      boundaries = {
        appIds = request.appIds, windowIds = request.windowIds, displayIds = request.displayIds,
      },
    }
    leases[lease.leaseId] = lease
    counts.leases = counts.leases + 1
    return lease
  end

  local function release_lease(request)
    local lease = leases[request.leaseId]
    if not lease or not active(lease) then runtime.fail("lease_not_active", "there is no active lease of that id") end
    leases[request.leaseId] = nil
    counts.lease_releases = counts.lease_releases + 1
    lease.state, lease.revision = "released", lease.revision + 1
    return lease
  end

  ---- execute ----

  local function receipt_key(session_id, action_id)
    return #session_id .. ":" .. session_id .. action_id
  end

  ---The oldest receipt makes room for a new one: a ring of keys.
  local function remember(key, receipt)
    local old = order[at]
    if old then
      effects_of[receipts[old].actionId] = nil
      receipts[old] = nil
      forgotten = true
    end
    receipts[key], order[at] = receipt, key
    at = at % RECEIPTS_KEPT + 1
  end

  ---Why this lease does not allow the action; nil when it does.
  local function lease_refusal(request)
    local lease = request.lease and leases[request.lease.leaseId]
    if not lease then return "lease_conflict", "mutating execution requires a lease" end
    if not active(lease) then return "lease_revoked", "the lease is " .. lease.state end
    if lease.sessionId ~= request.sessionId then return "lease_revoked", "the lease belongs to another session" end
    if lease.actionsUsed >= lease.actionBudget then return "lease_revoked", "the lease is used up" end
    lease.actionsUsed = lease.actionsUsed + 1
    return nil
  end

  local function approved(request)
    if request.grantId == nil or request.grantId == json.null then return given.runtime_held ~= false end
    return given.grants == nil or holds(given.grants, request.grantId)
  end

  local function act(tool, request)
    if tool.effect then tool.effect(state, request.proposal.arguments or {}, request.proposal.target) end
    counts.effects = counts.effects + 1
    effects_of[request.actionId] = (effects_of[request.actionId] or 0) + 1
  end

  local function execute(request)
    check_session(request.sessionId)
    if stopped then runtime.fail("interrupted", "emergency stop is active") end
    local preview, tool = preview_of(request)
    if preview.blocker and preview.blocker ~= "approval_required" then
      runtime.fail(preview.blocker, "the action is blocked")
    end
    local key = receipt_key(request.sessionId, request.actionId)
    local receipt = receipts[key]
    if receipt then
      if receipt.actionDigest == preview.envelope.argsDigest then return receipt end
      runtime.fail("action_id_conflict", "action_id was reused with a different digest")
    end
    if preview.blocker and not approved(request) then
      runtime.fail("approval_required", "the action is not approved")
    end
    receipt = {
      receiptId = runtime.uuid(), sessionId = request.sessionId, actionId = request.actionId,
      actionDigest = preview.envelope.argsDigest, attempt = request.attempt or 1, status = "committed",
      createdAt = runtime.now(), updatedAt = runtime.now(),
    }
    remember(key, receipt)
    local code, message = lease_refusal(request)
    if tool.effect and code then
      receipt.status, receipt.error = "rejected", { code = code, message = message }
      runtime.fail(code, message)
    end
    act(tool, request)
    receipt.result = { ok = true }
    local wanted = preview.envelope.postcondition
    if given.receipt_evidence and wanted then receipt.result.verification = world.verify(state, wanted, runtime) end
    return receipt
  end

  local function verify(request)
    if given.verify == false or not request.postcondition then return nil end
    return world.verify(state, request.postcondition, runtime)
  end

  ---A receipt that is still there proves the end; without one nothing was begun, unless receipts were forgotten.
  local function recover(request)
    local receipt = receipts[receipt_key(request.sessionId, request.actionId)]
    if receipt then return receipt end
    if forgotten or (effects_of[request.actionId] or 0) > 0 then return "unknown" end
    return "not_started"
  end

  ---- control ----

  local function pause(request)
    if session_state(request.sessionId) == "stopped" then
      runtime.fail("runtime_error", "invalid session transition: stopped -> paused_by_user")
    end
    revoke(request.sessionId)
    sessions[request.sessionId] = "paused_by_user"
    return { sessionId = request.sessionId, state = "paused_by_user" }
  end

  local function stop(request)
    revoke(request.sessionId)
    sessions[request.sessionId] = "stopped"
    return { sessionId = request.sessionId, state = "stopped" }
  end

  local function emergency_stop()
    revoke(nil)
    stopped = true
    return { stopped = true }
  end

  ---- the operations, with their faults ----

  local handlers = {
    discover_capabilities = function() return { tools = tools.names(extra), platform = "simulated" } end,
    observe_visual = function() return world.visual(state) end,
    observe_semantic = function() return world.semantic(state) end,
    preview_action = function(request)
      check_session(request.sessionId)
      counts.previews = counts.previews + 1
      return (preview_of(request))
    end,
    reserve_target = reserve, release_target = release_target,
    acquire_lease = acquire, release_lease = release_lease,
    execute_action = execute, verify = verify, recover = recover,
    pause_session = pause, stop_session = stop, emergency_stop = emergency_stop,
  }
  local fault_list = faults.new(given.faults, handlers)

  local function delay_of(op)
    local latency = given.latency
    if type(latency) == "table" then return latency[op] end
    return latency
  end

  local function failure(fault)
    local fail = fault.fail
    if fail.code == "transport" then return runtime.crash() end
    return runtime.failure(fail.reason or "simulated_failure", fail.message or "a failure on purpose")
  end

  local function wrong_before(fault)
    if fault.lose == "before" then return runtime.lost() end
    if fault.crash == "before" then return runtime.crash() end
    if fault.fail and fault.when ~= "after" then return failure(fault) end
    return nil
  end

  local function wrong_after(fault, answer)
    if fault.lose == "after" then return runtime.lost() end
    if fault.crash == "after" then return runtime.crash() end
    if fault.fail then return failure(fault) end
    if fault.raw then return runtime.raw(fault.raw) end
    return faults.edit(fault, answer)
  end

  local function operation(op, handler)
    counts.calls[op] = 0
    return function(request)
      counts.calls[op] = counts.calls[op] + 1
      if #counts.order == ORDER_KEPT then table.remove(counts.order, 1) end
      counts.order[#counts.order + 1] = op
      local fault = faults.of(fault_list, op, counts.calls[op])
      local answer = wrong_before(fault)
      if answer == nil then answer = wrong_after(fault, handler(request)) end
      local delay = fault.late or delay_of(op)
      if delay then answer = runtime.later(delay, answer) end
      if fault.twice then answer = runtime.twice(answer) end
      return answer
    end
  end

  local simulated = {}
  for op, handler in pairs(handlers) do simulated[op] = operation(op, handler) end

  ---What was done, for tests: counters, and the world as it is.
  function simulated.inspect()
    local held_leases, held_reservations = 0, 0
    for _, lease in pairs(leases) do
      if active(lease) then held_leases = held_leases + 1 end
    end
    for _, reservation in pairs(reservations) do
      if active(reservation) then held_reservations = held_reservations + 1 end
    end
    local all = options.copy(counts)
    all.held_leases, all.held_reservations = held_leases, held_reservations
    all.effects_of, all.world, all.sessions = options.copy(effects_of), options.copy(state), options.copy(sessions)
    all.emergency = stopped
    return all
  end

  return simulated
end
