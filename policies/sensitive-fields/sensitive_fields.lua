-- Fields for passwords and the like. What the runtime found `sensitive` is denied (or asked), whatever the tool. Of the
-- tools that write into fields it must have found out: `unknown`, and no assessment at all, are asked (or denied).

local policy = require "interlock.policy"

local WORDS = { deny = policy.deny, ask = policy.ask }

-- The verdict that a parameter names. A word that is none ends in an error, and an error never allows.
local function say(params, name, reason, remedy)
  local verdict = WORDS[params[name]]
  if not verdict then error(('parameter %s: write "deny" or "ask", not "%s"'):format(name, params[name])) end
  local options = { code = name .. "_field", remedy = remedy }
  if verdict == policy.ask then options.approvers = params.approvers end
  return verdict(reason, options)
end

return policy {
  name = "sensitive-fields",

  preview = function(action, ctx)
    local found = action.target_sensitivity
    local assessment = found and found.assessment or "unknown"
    if assessment == "sensitive" then
      return say(ctx.params, "sensitive", "the field holds a secret: " .. found.signals[1],
        "have a person type it at the desktop")
    end
    if assessment == "unknown" and policy.has(ctx.params.tools, action.tool) then
      return say(ctx.params, "unknown", "nobody knows whether the field holds a secret",
        "aim at a field by its role and label, so that the runtime can look it up")
    end
  end,
}
