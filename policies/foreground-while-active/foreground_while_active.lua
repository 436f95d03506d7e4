-- Nobody takes the pointer out of the hand of a person at work. No runtime says whether somebody sits there, so the
-- parameters do: the hours in which the desktop has a person. In them nothing acts in the foreground, or in another way
-- that the runtime says would interfere. Outside of them it may, under a lease that a hand on the mouse takes back.
-- Soft: whoever sits there, and does not mind, says so.

local policy = require "interlock.policy"

local function is_active(now, params)
  if not policy.has(params.days, now.weekday) then return false end
  return now.hour >= params.active_from and now.hour < params.active_until
end

local function interferes(action, ctx)
  if action.mode == "shadow" then return false end
  return action.mode == "foreground" or not policy.has(ctx.params.harmless, ctx.capability.interference)
end

return policy {
  name = "foreground-while-active",

  preview = function(action, ctx)
    local params, now = ctx.params, ctx.time_in(ctx.params.zone)
    if not interferes(action, ctx) or not is_active(now, params) then return end
    return policy.deny("it would interfere with the person at the desktop: " .. ctx.capability.interference, {
      code = "person_active",
      remedy = ("act in the background, or after %d:00 (%s)"):format(params.active_until, now.zone),
    })
  end,

  -- Runtimes take a cooperative lease back as soon as a person moves; an exclusive one they let go on.
  execute = function(action, ctx)
    if not interferes(action, ctx) or policy.has(ctx.params.lease_kinds, ctx.lease.kind:lower()) then return end
    return policy.deny("a person could not interrupt it: the lease is " .. ctx.lease.kind, {
      code = "lease_kind", remedy = "take a cooperative lease",
    })
  end,
}
