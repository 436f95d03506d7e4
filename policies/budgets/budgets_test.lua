-- Every budget at its last unit, and one after it.

local function edit(app) return { tool = "set_value", target = app and { app_id = app } } end

local mail = { tool = "send_mail", action_class = "communicate_external" }
local look = { tool = "screenshot", action_class = "observe" }

local function case(name, action, used, expect, params)
  return { name = name, action = action, session_id = "s", limits = used, params = params, expect = expect }
end

local function used_up(reason)
  return { verdict = "deny", policy = "budgets/budgets", phase = "preview", code = "limit", reason = reason }
end

return {
  case("nothing used yet", edit "org.example.Editor", {}, "none"),
  case("the last one of the session", edit(nil), { ["session:s"] = 199 }, "none"),
  case("one too many in the session", edit(nil), { ["session:s"] = 200 }, used_up "200 of 200 used within 1h"),
  case("another session", edit(nil), { ["session:t"] = 200 }, "none"),
  case("the last one of the app", edit "org.example.Editor", { ["app:s:org.example.Editor"] = 99 }, "none"),
  case("one too many in the app", edit "org.example.Editor", { ["app:s:org.example.Editor"] = 100 },
    used_up "100 of 100 used within 1h"),
  case("one too many in the app that only the runtime names",
    { tool = "set_value", resource = { target_app_id = "org.example.Editor" } },
    { ["app:s:org.example.Editor"] = 100 }, used_up "100 of 100 used within 1h"),
  case("what names no app", { tool = "set_value", resource = { filesystem_path = "/tmp/x" } },
    { ["app:s:org.example.Editor"] = 100 }, "none"),
  case("another app", edit "org.example.Mail", { ["app:s:org.example.Editor"] = 100 }, "none"),
  case("the last mail", mail, { ["class:communicate_external"] = 9 }, "none"),
  case("one mail too many", mail, { ["class:communicate_external"] = 10 }, used_up "10 of 10 used within 1h"),
  case("another class", { tool = "pay", action_class = "financial" }, { ["class:communicate_external"] = 10 }, "none"),
  case("one payment too many", { tool = "pay", action_class = "financial" }, { ["class:financial"] = 2 },
    used_up "2 of 2 used within 1d"),

  case("looking costs the session nothing", look, { ["session:s"] = 200 }, "none"),
  case("unless it has a budget of its own", look, { ["class:observe"] = 3 }, used_up "3 of 3 used within 1m",
    { classes = { "financial: 1 per 1d", "observe: 3 per 1m" } }),
  case("no budget of the session", edit(nil), { ["session:s"] = 9999 }, "none", { session = "" }),
  case("no budget of an app", edit "org.example.Editor", { ["app:s:org.example.Editor"] = 9999 }, "none", { app = "" }),
  case("no budget of a class", mail, { ["class:communicate_external"] = 9999 }, "none", { classes = json.array {} }),
  case("other numbers", edit(nil), { ["session:s"] = 3 }, used_up "3 of 3 used within 10m", { session = "3 per 10m" }),

  case("an app whose name is too long to count never passes quietly", edit(("a"):rep(130)), {}, "error"),
  case("what is no budget never allows", edit(nil), {}, { verdict = "error", reason = "write \"10 per 1h\"" },
    { session = "10/1h" }),
  case("nor what is none of a class", edit(nil), {}, { verdict = "error", reason = "no budget of a class" },
    { classes = { "financial 10 per 1h" } }),
  case("nor a budget of nothing", edit(nil), {}, "error", { session = "0 per 1h" }),
  case("nor one for ever", edit(nil), {}, "error", { session = "1 per 32d" }),
}
