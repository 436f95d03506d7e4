-- What went wrong a while ago, and how long it counts.

local edit = { tool = "write_clipboard" }
local look = { tool = "screenshot", action_class = "observe" }

local function after(name, history, expect, more)
  local c = { name = name, action = edit, history = history, expect = expect }
  for member, value in pairs(more or {}) do c[member] = value end
  return c
end

local function denied(outcome, phase)
  return { verdict = "deny", policy = "cool-down/cool-down", phase = phase or "preview",
    code = "cool_down_" .. outcome }
end

local function one(outcome, ago, session) return { outcome = outcome, ago = ago, session = session } end

return {
  after("nothing", nil, "none"),
  after("what worked", { one("verified", "1s"), one("verified", "2s") }, "none"),

  after("an unknown end, just now", { one("indeterminate", "1s") }, denied "indeterminate"),
  after("an unknown end, some time ago", { one("indeterminate", "29m") }, denied "indeterminate"),
  after("an unknown end, long ago", { one("indeterminate", "31m") }, "none"),
  after("a failure, just now", { one("failed", "4m") }, denied "failed"),
  after("a failure, a while ago", { one("failed", "6m") }, "none"),
  after("both: the worse is told", { one("failed", "1m"), one("indeterminate", "2m") }, denied "indeterminate"),
  after("the reason says how long", { one("failed", "1m") },
    { verdict = "deny", reason = "an action failed within 5m" }),

  after("two that nobody could verify", { one("unverified", "1m"), one("unverified", "2m") }, "none"),
  after("three", { one("unverified", "1m"), one("unverified", "2m"), one("unverified", "9m") },
    { verdict = "deny", code = "cool_down_unverified", reason = "3 actions could not be verified within 10m" }),
  after("three, one of them long ago", { one("unverified", "1m"), one("unverified", "2m"), one("unverified", "11m") },
    "none"),
  after("one is enough by parameter", { one("unverified", "1m") }, denied "unverified",
    { params = { unverified_actions = 1 } }),

  after("another session", { one("failed", "1m", "another") }, "none"),
  after("any session, by parameter", { one("failed", "1m", "another") }, denied "failed",
    { params = { session = "any" } }),
  after("looking is allowed", { one("indeterminate", "1s"), one("failed", "1s") }, "none", { action = look }),
  after("times are parameters: indeterminate", { one("indeterminate", "2m") }, "none",
    { params = { after_indeterminate = "1m" } }),
  after("times are parameters: failed", { one("failed", "2m") }, "none", { params = { after_failed = "1m" } }),
  after("none: indeterminate", { one("indeterminate", "1s") }, "none", { params = { after_indeterminate = "" } }),
  after("none: failed", { one("failed", "1s") }, "none", { params = { after_failed = "" } }),
  after("none: unverified", { one("unverified", "1s") }, "none",
    { params = { after_unverified = "", unverified_actions = 1 } }),
  after("a time that is none never allows", nil, "error", { params = { after_failed = "soon" } }),

  after("when it goes out: a failure since", { one("failed", "1s") }, denied("failed", "execute"),
    { phase = "execute" }),
  after("when it goes out: nothing since", nil, "none", { phase = "execute" }),
}
