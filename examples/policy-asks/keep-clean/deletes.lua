-- Deleting files: some places are kept, everywhere else a person is asked.

local policy = require "interlock.policy"

return policy {
  name = "deletes",
  preview = function(action, ctx)
    if action.tool ~= "filesystem" or action.arguments.mode ~= "delete" then return end
    for _, place in ipairs(ctx.params.keep) do
      if action.arguments.path:sub(1, #place) == place then
        return policy.deny("nothing below " .. place .. " is deleted", { code = "kept_place" })
      end
    end
    return policy.ask("deleting " .. action.arguments.path .. " cannot be undone", { timeout = "10m" })
  end,
}
