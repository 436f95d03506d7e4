-- What must not follow on what: "communicate_external after secret_access within 5m" keeps anything from being sent for
-- five minutes after a secret was accessed, however that access ended, and also while it is still on its way.

local policy = require "interlock.policy"

local CLASSES = {
  "observe", "navigate", "edit_reversible", "communicate_external", "authentication", "financial", "destructive",
  "privilege_change", "secret_access",
}

local function parse(rule)
  local class, before, within = rule:match("^(%S+) after (%S+) within (%S+)$")
  if not class or not policy.has(CLASSES, class) or not policy.has(CLASSES, before) then
    error(("'%s' is no rule: write \"CLASS after CLASS within 5m\""):format(rule))
  end
  return class, before, within
end

local function check(action, ctx)
  for _, rule in ipairs(ctx.params.rules) do
    local class, before, within = parse(rule)
    local query = { class = before, within = within, session = ctx.params.session }
    if class == action.action_class and ctx.history(query) > 0 then
      return policy.deny("it must not follow so soon: " .. rule, {
        code = "sequence", remedy = ("wait until %s have passed"):format(within),
      })
    end
  end
end

return policy {
  name = "sequences",
  preview = check,
  execute = check, -- the other action may have gone out since
}
