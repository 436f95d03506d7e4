-- Outside office hours nobody looks at the desktop: more people must agree to what changes it. Hours are UTC.

local policy = require "interlock.policy"

local function works_on(days, weekday)
  for _, day in ipairs(days) do
    if day == weekday then return true end
  end
  return false
end

return policy {
  name = "office-hours",

  preview = function(action, ctx)
    local time, params = ctx.time, ctx.params
    if action.action_class == "observe" then return end
    local open = time.hour >= params.opens and time.hour < params.closes
    if open and works_on(params.days, time.weekday) then return end
    return policy.ask("outside office hours", {
      approvers = params.approvers,
      code = "office_hours",
      remedy = ("wait until %d:00 UTC, or have %d people approve"):format(params.opens, params.approvers),
    })
  end,
}
