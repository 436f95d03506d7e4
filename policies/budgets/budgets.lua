-- How much may be done in a while: per session, per app and session, and per class of all sessions together. The core
-- counts what is really sent, in one step with the sending. Soft: a person may let one more through, and says why.

local policy = require "interlock.policy"

-- "10 per 1h" as 10, "1h"; nothing for an empty text, which is no budget.
local function budget(text)
  if text == "" then return nil end
  local max, per = text:match("^(%d+) per (%w+)$")
  if not max then error(("'%s' is no budget: write \"10 per 1h\", or \"\" for none"):format(text)) end
  return tonumber(max), per
end

-- Claims one unit; where none is left, the core denies in the name of this policy.
local function claim(ctx, key, text)
  local max, per = budget(text)
  if max then ctx.limit { key = key, max = max, per = per } end
end

local function class_budget(entries, class)
  for _, entry in ipairs(entries) do
    local name, text = entry:match("^([%w_]+): (.+)$")
    if not name then error(("'%s' is no budget of a class: write \"financial: 2 per 1d\""):format(entry)) end
    if name == class then return text end
  end
  return ""
end

-- Whoever leaves out what it aims at does not get around the budget of the app that the runtime names.
local function app_of(action)
  local target, resource = action.target, action.resource
  return target and target.app_id or resource and resource.target_app_id
end

return policy {
  name = "budgets",

  preview = function(action, ctx)
    local params, class = ctx.params, action.action_class
    local app = app_of(action)
    claim(ctx, "class:" .. class, class_budget(params.classes, class))
    if class == "observe" then return end
    claim(ctx, "session:" .. ctx.session_id, params.session)
    if app then claim(ctx, ("app:%s:%s"):format(ctx.session_id, app), params.app) end
  end,
}
