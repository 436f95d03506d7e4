-- The simulated runtime with a policy that asks a person for every action, and one grant that it has given out.

local _, runtime = ...
return require "interlock.fake" ({
  policy = "confirm",
  policy_digest = "sha256:examples-approval",
}, runtime)
