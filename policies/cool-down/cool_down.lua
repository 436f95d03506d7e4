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

-- How many actions of the session ended so; a while of "" looks at none.
local function count(ctx, outcome, within)
  if within == "" then return 0 end
  local found = ctx.history { outcome = outcome, within = within, session = ctx.params.session }
  return found
end

local function check(action, ctx)
  local params = ctx.params
  if action.action_class == "observe" then return end
  if count(ctx, "indeterminate", params.after_indeterminate) > 0 then
    return deny("indeterminate", params.after_indeterminate, "nobody knows whether an action took place,")
  end
  if count(ctx, "failed", params.after_failed) > 0 then
    return deny("failed", params.after_failed, "an action failed")
  end
  local unverified = count(ctx, "unverified", params.after_unverified)
  if unverified >= params.unverified_in_a_row then
    return deny("unverified", params.after_unverified, ("%d actions could not be verified"):format(unverified))
  end
end

return policy {
  name = "cool-down",
  preview = check,
  execute = check, -- something may have gone wrong since
}
