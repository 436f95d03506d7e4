-- What cannot be taken back, or leaves the machine, needs two people within the time-out. Neither the principal nor the
-- agent of the run counts as one of them: the core sees to that.

local policy = require "interlock.policy"

return policy {
  name = "two-person",

  preview = function(action, ctx)
    local params = ctx.params
    if not policy.has(params.classes, action.action_class) then return end
    return policy.ask("more than one person decides on " .. action.action_class, {
      approvers = params.approvers,
      timeout = params.timeout,
      code = "two_person",
      remedy = "have another approver look at the card",
    })
  end,
}
