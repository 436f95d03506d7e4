-- Who asked (provenance) times what would leave (labels) times whether it leaves at all.

local TRUSTED = { untrusted_instruction = false }
local UNTRUSTED = { untrusted_instruction = true }
local CROSSES = { untrusted_instruction = false, crosses_data_boundary = true }
local STAYS = { untrusted_instruction = false, crosses_data_boundary = false }

local function mail(labels, provenance)
  return { tool = "send_mail", action_class = "communicate_external", external_side_effect = true, reversible = false,
           data_labels = labels, provenance = provenance }
end

local function denied(phase)
  return { verdict = "deny", policy = "untrusted-data/untrusted-data", phase = phase or "preview",
           code = "private_data_out" }
end

local function asked(code)
  return { verdict = "ask", policy = "untrusted-data/untrusted-data", phase = "preview", code = code, approvers = 1 }
end

local function case(name, action, expect, more)
  local c = { name = name, action = action, expect = expect }
  for member, value in pairs(more or {}) do c[member] = value end
  return c
end

local browser = { untrusted_apps = { "org.example.Mail", "org.example.Browser" }, untrusted_tools = { "scrape" } }

local function seen(entry)
  entry.outcome = entry.outcome or "verified"
  return { params = browser, history = { entry } }
end

return {
  case("private data, asked for by an untrusted text", mail({ "private" }, UNTRUSTED), denied()),
  case("one private label among public ones", mail({ "public", "payment" }, UNTRUSTED), denied()),
  case("unknown counts as private", mail({ "unknown" }, UNTRUSTED), denied()),
  case("and so does nothing said", mail(json.array {}, UNTRUSTED), denied()),
  case("public data may leave", mail({ "public" }, UNTRUSTED), "none"),
  case("other labels may be public", mail({ "unknown" }, UNTRUSTED), "none",
    { params = { public_labels = { "unknown" } } }),
  case("private data on a trusted word", mail({ "private" }, TRUSTED), "none"),
  case("private data that says it stays inside", mail({ "private" }, STAYS), "none"),
  case("private data that crosses a boundary", mail({ "private" }, CROSSES), asked "data_boundary"),
  case("public data that crosses one", mail({ "public" }, CROSSES), "none"),
  case("private data on nobody's word", mail({ "private" }, nil), asked "provenance_missing"),
  case("as many people as the parameter says", mail({ "private" }, nil), { verdict = "ask", approvers = 2 },
    { params = { approvers = 2 } }),

  case("what stays on the machine is no matter",
    { tool = "write_clipboard", data_labels = { "private" }, provenance = UNTRUSTED }, "none"),
  case("a class that sends counts, whatever the runtime says of effects",
    { tool = "pay", action_class = "financial", data_labels = { "payment" }, provenance = UNTRUSTED }, denied()),
  case("an outside effect counts, whatever the class",
    { tool = "left_click", action_class = "navigate", external_side_effect = true, data_labels = { "private" },
      provenance = UNTRUSTED }, denied()),
  case("unless only classes are to count",
    { tool = "left_click", action_class = "navigate", external_side_effect = true, data_labels = { "private" },
      provenance = UNTRUSTED }, "none", { params = { outside_effects = false } }),
  case("classes can be named",
    { tool = "write_clipboard", action_class = "edit_reversible", data_labels = { "private" }, provenance = UNTRUSTED },
    denied(), { params = { sending_classes = { "edit_reversible" } } }),

  case("after work in an app that shows untrusted text", mail({ "private" }, TRUSTED),
    { verdict = "deny", code = "private_data_out", reason = "untrusted text was read: org.example.Browser" },
    seen { app = "org.example.Browser", ago = "29m" }),
  case("also when that work failed", mail({ "private" }, TRUSTED), denied(),
    seen { app = "org.example.Mail", outcome = "failed", ago = "1m" }),
  case("after a tool that reads it", mail({ "private" }, TRUSTED), denied(), seen { tool = "scrape", ago = "1s" }),
  case("that was long ago", mail({ "private" }, TRUSTED), "none", seen { app = "org.example.Browser", ago = "31m" }),
  case("that was in another session", mail({ "private" }, TRUSTED), denied(),
    seen { app = "org.example.Browser", ago = "1m", session = "another" }),
  case("with a tool, in another session", mail({ "private" }, TRUSTED), denied(),
    seen { tool = "scrape", ago = "1m", session = "another" }),
  case("that does not count", mail({ "private" }, TRUSTED), "none",
    { params = { untrusted_apps = browser.untrusted_apps, session = "this" },
      history = { { app = "org.example.Browser", outcome = "verified", ago = "1m", session = "another" } } }),
  case("another app", mail({ "private" }, TRUSTED), "none", seen { app = "org.example.Editor", ago = "1m" }),
  case("public data may leave then, too", mail({ "public" }, TRUSTED), "none",
    seen { app = "org.example.Browser", ago = "1m" }),

  case("when it goes out: an untrusted word", mail({ "private" }, UNTRUSTED), denied "execute", { phase = "execute" }),
  case("when it goes out: read meanwhile", mail({ "private" }, TRUSTED), denied "execute",
    { phase = "execute", params = browser, history = { { tool = "scrape", outcome = "verified", ago = "1s" } } }),
  case("when it goes out: who was asked was asked", mail({ "private" }, nil), "none", { phase = "execute" }),
  case("when it goes out: and so was this", mail({ "private" }, CROSSES), "none", { phase = "execute" }),
  case("when it goes out: public data", mail({ "public" }, UNTRUSTED), "none", { phase = "execute" }),
}
