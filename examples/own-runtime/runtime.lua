-- A runtime of one's own: a notebook that can be written to. It answers with the port's documents; every one of them is
-- checked like that of any other runtime.

local _, runtime = ...

local notes, leases, effects = {}, {}, 0

local function preview_action(request)
  local proposal = request.proposal
  local envelope = {
    actionId = proposal.actionId,
    sessionId = proposal.sessionId,
    executionGroupId = proposal.executionGroupId,
    principalId = request.principalId,
    agentId = proposal.agentId,
    tool = proposal.tool,
    operation = proposal.operation,
    actionClass = "edit_reversible",
    requestedMode = proposal.mode,
    postcondition = proposal.postcondition,
    dataLabels = proposal.dataLabels or json.array { "unknown" },
    reversible = true,
    externalSideEffect = false,
    proposedAt = runtime.now(),
    expiresAt = runtime.time("+30s"),
    argsDigest = "",
  }
  envelope.argsDigest = runtime.args_digest(envelope, proposal.arguments)
  return {
    envelope = envelope,
    executable = proposal.tool == "write_note",
    blocker = proposal.tool ~= "write_note" and "unknown_tool" or nil,
    policy = { decision = "allow", policyDigest = "sha256:notebook", reasons = json.array { "allow:edit_reversible" } },
    capability = {
      appId = "notebook", operation = proposal.operation, backend = "lua", supportedModes = json.array { "background" },
      interference = "none", confidence = 1, verificationSource = "notebook",
    },
  }
end

local function acquire_lease(request)
  local lease = {
    leaseId = runtime.uuid(), revision = 1, sessionId = request.sessionId, principalId = request.principalId,
    kind = request.kind, executionMode = request.mode, state = "active", expiresAt = runtime.time("+10s"),
    actionBudget = request.actionBudget, actionsUsed = 0,
  }
  leases[lease.leaseId] = true
  return lease
end

local function execute_action(request)
  if not leases[request.lease.leaseId] then runtime.fail("lease_not_active", "no such lease") end
  notes[#notes + 1] = request.proposal.arguments.text
  effects = effects + 1
  return {
    receiptId = runtime.uuid(), sessionId = request.sessionId, actionId = request.actionId,
    actionDigest = request.envelope.argsDigest, attempt = 1, status = "committed", result = { notes = #notes },
  }
end

return {
  discover_capabilities = function() return { tools = json.array { "write_note" } } end,
  observe_visual = function() return { pages = #notes } end,
  observe_semantic = function() return { notes = json.array(notes) } end,
  preview_action = preview_action,
  acquire_lease = acquire_lease,
  release_lease = function(request) leases[request.leaseId] = nil end,
  execute_action = execute_action,
  inspect = function() return { effects = effects, notes = json.array(notes) } end,
}
