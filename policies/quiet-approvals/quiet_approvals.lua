-- Every change is asked about, unless somebody approved it beforehand: exactly this tool on this app, for this
-- principal, up to a time and a number of uses (lib/standing.lua). What cannot be taken back, what an untrusted text
-- asks for and what may be a secret is never done quietly, whatever was approved.

local policy = require "interlock.policy"
local standing = require "lib.standing"

local QUIET_LABELS = { "public", "private" }

local function has_other_labels(labels)
  for _, label in ipairs(labels) do
    if not policy.has(QUIET_LABELS, label) then return true end
  end
  return #labels == 0
end

-- Why an action is asked about even under a standing approval; nil when nothing speaks against it.
local function too_loud(action)
  local provenance, sensitivity = action.provenance, action.target_sensitivity
  if not action.target then return "it aims at no app" end
  if not action.reversible then return "it cannot be taken back" end
  if provenance and provenance.untrusted_instruction then return "an untrusted text asks for it" end
  if sensitivity and sensitivity.assessment ~= "non_sensitive" then return "the field may hold a secret" end
  if has_other_labels(action.data_labels) then return "its data is more than public or private" end
  return nil
end

-- The first standing approval that covers the action and has a use left is taken.
local function is_approved(entries, action, ctx)
  for _, entry in ipairs(entries) do
    if standing.covers(entry, action, ctx) and standing.take(entry, ctx) then return true end
  end
  return false
end

return policy {
  name = "quiet-approvals",

  preview = function(action, ctx)
    local params = ctx.params
    local entries = standing.read(params.standing)
    if not policy.has(params.classes, action.action_class) then return end
    local why = too_loud(action)
    if not why and is_approved(entries, action, ctx) then return end
    return policy.ask("a person decides: " .. (why or "no standing approval covers it"), {
      approvers = params.approvers, timeout = params.timeout, code = "not_approved",
      remedy = "approve it, or give a standing approval for exactly this",
    })
  end,
}
