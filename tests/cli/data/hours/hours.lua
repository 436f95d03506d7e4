-- Asks or denies as the action's arguments say.
local policy = require "interlock.policy"

return policy {
  name = "hours",
  propose = function(action)
    if action.arguments.early then return policy.ask("before the preview", { approvers = 1 }) end
  end,
  preview = function(action, ctx)
    if action.arguments.two then return policy.ask("two people", { approvers = 2 }) end
    if action.arguments.deny then return policy.deny("never on a \27[31mMonday") end
    if action.arguments.ask then return policy.ask(ctx.params.say, { approvers = 1 }) end
  end,
}
