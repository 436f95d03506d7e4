-- No private data leaves after untrusted text was read: a mail or a web page must not be able to talk the agent into
-- handing out what it saw elsewhere. Untrusted is an action whose provenance says so, and one that follows within a
-- while on work with an app or tool that shows untrusted text.

local policy = require "interlock.policy"

-- Nothing said, or "unknown", counts as private.
local function is_private(labels, public)
  for _, label in ipairs(labels) do
    if not policy.has(public, label) then return true end
  end
  return #labels == 0
end

-- What was worked with a while ago that shows untrusted text, or nil.
local function read_before(params, ctx)
  for _, app in ipairs(params.untrusted_apps) do
    if ctx.history { app = app, within = params.within, session = params.session } > 0 then return app end
  end
  for _, tool in ipairs(params.untrusted_tools) do
    if ctx.history { tool = tool, within = params.within, session = params.session } > 0 then return tool end
  end
  return nil
end

local function private_data_leaves(action, params)
  local has_effect = params.outside_effects and action.external_side_effect
  local leaves = has_effect or policy.has(params.sending_classes, action.action_class)
  return leaves and is_private(action.data_labels, params.public_labels)
end

local function deny(reason)
  return policy.deny(reason, {
    code = "private_data_out", remedy = "have a person send it, or label as public what is public",
  })
end

local function check_untrusted(provenance, ctx)
  if provenance and provenance.untrusted_instruction then
    return deny "an untrusted text asks for private data to leave"
  end
  local source = read_before(ctx.params, ctx)
  if source then return deny("private data would leave after untrusted text was read: " .. source) end
  return nil
end

-- What is not known to be untrusted, and not known to be harmless either, is for a person.
local function check_unclear(provenance, params)
  if not provenance then
    return policy.ask("private data leaves, and nothing says on whose word", {
      approvers = params.approvers, code = "provenance_missing", remedy = "state the provenance of the action",
    })
  end
  if provenance.crosses_data_boundary then
    return policy.ask("private data crosses a boundary", {
      approvers = params.approvers, code = "data_boundary", remedy = "leave out what the other side need not see",
    })
  end
  return nil
end

return policy {
  name = "untrusted-data",

  preview = function(action, ctx)
    if not private_data_leaves(action, ctx.params) then return end
    return check_untrusted(action.provenance, ctx) or check_unclear(action.provenance, ctx.params)
  end,

  -- Something may have been read while people decided.
  execute = function(action, ctx)
    if private_data_leaves(action, ctx.params) then return check_untrusted(action.provenance, ctx) end
  end,
}
