-- What cannot be taken back must be checkable afterwards: the action declares a postcondition with a digest, so that
-- "verified" means that the very content is there, or it declares that something is gone. Soft: what nothing can prove,
-- such as a mail that was sent, goes out when a person says why.

local policy = require "interlock.policy"

-- A digest, or the absence of what is deleted: nothing has a digest then. A process can only be declared to have ended,
-- and never exists.
local function proves(postcondition, absence_is_proof)
  if postcondition.value_digest or postcondition.content_digest then return true end
  return absence_is_proof and not postcondition.exists
end

local function deny(reason, code, remedy)
  return policy.deny(reason, { code = code, remedy = remedy })
end

return policy {
  name = "irreversible-needs-proof",

  preview = function(action, ctx)
    local params, postcondition = ctx.params, action.postcondition
    if action.action_class == "observe" then return end
    if action.reversible and not policy.has(params.classes, action.action_class) then return end
    if not postcondition then
      return deny("it cannot be taken back, and nothing says how to tell that it worked", "postcondition_missing",
        "declare a postcondition with a digest")
    end
    if not proves(postcondition, params.absence_is_proof) then
      return deny("it cannot be taken back, and its postcondition proves too little", "digest_missing",
        "add the digest of what must be there afterwards")
    end
  end,
}
