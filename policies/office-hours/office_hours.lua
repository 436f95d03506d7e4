-- Outside office hours nobody looks at the desktop: more people must agree to what changes it. Hours and days are those
-- of `zone`: a fixed offset such as "+02:00", or a rule with summer time, "CET-1CEST,M3.5.0,M10.5.0/3".

local policy = require "interlock.policy"

-- `closes` is the first hour that is closed; an office that closes before it opens works through the night.
local function is_open(hour, opens, closes)
  if opens <= closes then return hour >= opens and hour < closes end
  return hour >= opens or hour < closes
end

return policy {
  name = "office-hours",

  preview = function(action, ctx)
    if action.action_class == "observe" then return end
    local params, now = ctx.params, ctx.time_in(ctx.params.zone)
    if is_open(now.hour, params.opens, params.closes) and policy.has(params.days, now.weekday) then return end
    return policy.ask("outside office hours", {
      approvers = params.approvers,
      code = "office_hours",
      remedy = ("wait until %d:00 (%s), or have %d people approve"):format(params.opens, now.zone, params.approvers),
    })
  end,
}
