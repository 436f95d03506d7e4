-- After something went wrong the desktop is not what the agent believes it to be: it looks, and does nothing for a
-- while. One lost or failed action is enough; of actions that nobody could verify it takes some. Soft: a person who has
-- looked may let it go on, and says why.

local policy = require "interlock.policy"

local function deny(outcome, within, reason)
  return policy.deny(("%s within %s"):format(reason, within), {
    code = "cool_down_" .. outcome,
    remedy = ("look at what happened; after %s it goes on by itself"):format(within),
  })
end

-- Whether as many actions of the session ended so within a while; one of "" is no while.
local function happened(ctx, outcome, within, times)
  if within == "" then return false end
  return ctx.history { outcome = outcome, within = within, session = ctx.params.session } >= times
end

local function check(action, ctx)
  local params = ctx.params
  if action.action_class == "observe" then return end
  if happened(ctx, "indeterminate", params.after_indeterminate, 1) then
    return deny("indeterminate", params.after_indeterminate, "nobody knows whether an action took place,")
  end
  if happened(ctx, "failed", params.after_failed, 1) then
    return deny("failed", params.after_failed, "an action failed")
  end
  if happened(ctx, "unverified", params.after_unverified, params.unverified_actions) then
    return deny("unverified", params.after_unverified,
      ("%d actions could not be verified"):format(params.unverified_actions))
  end
end

return policy {
  name = "cool-down",
  preview = check,
  execute = check, -- something may have gone wrong since
}
