-- A runtime that does as the action's arguments say: `approval` wants an approval, `satisfied` is the evidence,
-- `session` and `state` change the lease, `brief` lets the envelope expire soon, `silent` never answers the preview,
-- `lost` loses the receipt, `unreleased` keeps the lease. It executes only what it previewed, or was handed back of
-- what an earlier life previewed: all but what is labelled `lost`.
local last, known = {}, {}

local runtime = {}

function runtime.discover_capabilities() return { tools = { "write_clipboard" } } end

function runtime.observe_visual() return { screenshot = "none" } end

function runtime.observe_semantic() return { tree = {} } end

function runtime.preview_action(request, tools)
  local p = request.proposal
  last = p.arguments
  known[p.actionId] = true
  if last.silent then return tools.lost() end
  local envelope = {
    actionId = p.actionId,
    sessionId = p.sessionId,
    principalId = request.principalId,
    tool = p.tool,
    operation = p.operation,
    actionClass = "edit_reversible",
    requestedMode = p.mode,
    dataLabels = p.dataLabels or { "unknown" },
    postcondition = p.postcondition,
    reversible = true,
    externalSideEffect = false,
    proposedAt = tools.now(),
    expiresAt = tools.time(last.brief and "+1s" or "+60s"),
    argsDigest = "",
  }
  envelope.argsDigest = tools.args_digest(envelope, p.arguments)
  return {
    envelope = envelope,
    executable = not last.approval,
    blocker = last.approval and "approval_required" or nil,
    policy = {
      decision = last.approval and "confirm" or "allow",
      policyDigest = "sha256:policy",
      reasons = { "because" },
    },
    capability = {
      appId = "app",
      operation = p.operation,
      backend = "lua",
      supportedModes = { "background" },
      interference = "none",
      confidence = 1.0,
      verificationSource = "none",
    },
  }
end

function runtime.acquire_lease(request, tools)
  return {
    leaseId = "lease-1",
    revision = 1,
    sessionId = last.session or request.sessionId,
    principalId = request.principalId,
    kind = "cooperative",
    executionMode = request.mode,
    state = last.state or "active",
    expiresAt = tools.time("+30s"),
    actionBudget = 1,
    actionsUsed = 0,
  }
end

function runtime.release_lease(_, tools)
  if last.unreleased then return tools.failure("stuck", "the lease cannot be given back") end
end

function runtime.retain(action_id, preview, tools)
  if preview.envelope.dataLabels[1] == "lost" then tools.fail("unknown_preview", "it is not known here") end
  known[action_id] = preview.executable ~= nil
end

function runtime.execute_action(request, tools)
  if not known[request.actionId] then tools.fail("not_previewed", "nothing of that id was previewed") end
  if last.lost then return tools.crash() end
  return {
    receiptId = "receipt-1",
    sessionId = request.sessionId,
    actionId = request.actionId,
    actionDigest = request.envelope.argsDigest,
    attempt = 1,
    status = "committed",
    result = { verification = { satisfied = last.satisfied } },
  }
end

return runtime
