-- What came before, and how long ago.

local mail = { tool = "send_mail", action_class = "communicate_external" }

local function case(name, history, expect, more)
  local c = { name = name, action = mail, history = history, expect = expect }
  for member, value in pairs(more or {}) do c[member] = value end
  return c
end

local function denied(phase)
  return { verdict = "deny", policy = "sequences/sequences", phase = phase or "preview", code = "sequence",
           reason = "communicate_external after secret_access within 5m" }
end

local function secret(ago, outcome, session)
  return { class = "secret_access", ago = ago, outcome = outcome or "verified", session = session }
end

local cases = {
  case("nothing before", nil, "none"),
  case("a secret just now", { secret "1s" }, denied()),
  case("a secret four minutes ago", { secret "4m" }, denied()),
  case("a secret six minutes ago", { secret "6m" }, "none"),
  case("a secret that could not be read", { secret("1m", "failed") }, denied()),
  case("a secret that is still being read", { secret("1m", "indeterminate") }, denied()),
  case("a secret in another session", { secret("1m", nil, "another") }, "none"),
  case("a secret in any session, by parameter", { secret("1m", nil, "another") }, denied(),
    { params = { session = "any" } }),
  case("something else before", { { class = "navigate", outcome = "verified", ago = "1s" } }, "none"),
  case("something else after it", { secret "1s" }, "none", { action = { tool = "write_clipboard" } }),
  case("a payment after it", { secret "1s" }, { verdict = "deny", reason = "financial after secret_access" },
    { action = { tool = "pay", action_class = "financial" } }),
  case("more rights after signing in", { { class = "authentication", outcome = "verified", ago = "1m" } },
    { verdict = "deny", reason = "privilege_change after authentication" },
    { action = { tool = "registry", action_class = "privilege_change" } }),

  case("rules are a parameter", { secret "1s" }, "none", { params = { rules = json.array {} } }),
  case("the second rule counts as well", { { class = "navigate", outcome = "verified", ago = "1s" } },
    { verdict = "deny" },
    { params = { rules = { "financial after navigate within 1m", "communicate_external after navigate within 1m" } } }),
  case("what is no rule never allows", nil, { verdict = "error", reason = "'send after secret' is no rule" },
    { params = { rules = { "send after secret" } } }),
  case("nor one whose first class is none", nil, { verdict = "error", reason = "is no rule" },
    { params = { rules = { "send after secret_access within 5m" } } }),
  case("nor one whose second class is none", nil, { verdict = "error", reason = "is no rule" },
    { params = { rules = { "communicate_external after secrets within 5m" } } }),
  case("nor one whose time is none", nil, "error",
    { params = { rules = { "communicate_external after secret_access within soon" } } }),

  case("when it goes out: a secret meanwhile", { secret "1s" }, denied "execute", { phase = "execute" }),
  case("when it goes out: none", nil, "none", { phase = "execute" }),
}

for _, class in ipairs {
  "observe", "navigate", "edit_reversible", "communicate_external", "authentication", "financial", "destructive",
  "privilege_change", "secret_access",
} do
  cases[#cases + 1] = case("every class may stand in a rule: " .. class,
    { { class = class, outcome = "verified", ago = "1s" } }, { verdict = "deny", code = "sequence" },
    { action = { tool = "x", action_class = class },
      params = { rules = { class .. " after " .. class .. " within 1m" } } })
end
return cases
