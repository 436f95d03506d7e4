-- What cannot be taken back, or leaves the machine, needs two people within the time-out. Neither the principal nor the
-- agent of the run counts as one of them: the core sees to that.

local policy = require "interlock.policy"
local list = require "lib.list"

return policy {
  name = "two-person",

  preview = function(action, ctx)
    if not list.has(ctx.params.classes, action.action_class) then return end
    return policy.ask("two people decide on " .. action.action_class, {
      approvers = ctx.params.approvers,
      timeout = ctx.params.timeout,
      code = "two_person",
      remedy = "have another approver look at the card",
    })
  end,
}
