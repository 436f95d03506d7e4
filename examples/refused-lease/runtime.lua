-- The simulated runtime, which hands out the lease of another session: Interlock must see it.

local _, runtime = ...
return require "interlock.fake" ({
  faults = { { op = "acquire_lease", set = { ["/sessionId"] = "somebody-elses" } } },
}, runtime)
