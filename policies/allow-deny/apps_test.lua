-- The list of apps: what is named by the target, by the runtime and by the arguments, in any case.

local function click(app)
  return { tool = "left_click", mode = "foreground", target = app and { app_id = app } }
end

local function case(name, action, params, expect)
  return { name = name, action = action, params = params, expect = expect }
end

local function denied(code) return { verdict = "deny", policy = "allow-deny/apps", phase = "preview", code = code } end

local editor_only = { allow_apps = { "org.example.*" } }
local no_bank = { deny_apps = { "com.bank.*" } }

return {
  case("without lists every app is fine", click "com.bank.App", {}, "none"),
  case("without lists an app need not be named", click(nil), {}, "none"),
  case("an app on the allow list", click "org.example.Editor", editor_only, "none"),
  case("an app that is not", click "org.evil.Editor", editor_only, denied "app_not_allowed"),
  case("an allow entry counts in its own case only", click "Org.Example.Editor", editor_only, denied "app_not_allowed"),
  case("an app on the deny list", click "com.bank.App", no_bank, denied "app_denied"),
  case("a deny entry counts in any case", click "COM.Bank.app", no_bank, denied "app_denied"),
  case("an app on no list, with a deny list alone", click "org.example.Editor", no_bank, "none"),
  case("deny wins over allow", click "com.bank.App", { allow_apps = { "com.*" }, deny_apps = { "com.bank.*" } },
    denied "app_denied"),
  case("the second entry counts as well", click "org.b", { allow_apps = { "org.a", "org.b" } }, "none"),
  case("the reason names the entry", click "com.bank.App", no_bank,
    { verdict = "deny", reason = "this app is on the deny list: com.bank.*" }),

  case("in the foreground an app must be named", click(nil), editor_only, denied "app_unnamed"),
  case("also for a deny list", click(nil), no_bank, denied "app_unnamed"),
  case("in the background nothing is in front", { tool = "write_clipboard" }, editor_only, "none"),

  case("the arguments name it",
    { tool = "activate_app", mode = "foreground", arguments = { bundle_id = "com.bank.App" } },
    no_bank, denied "app_denied"),
  case("deep in the arguments", { tool = "batch", arguments = { steps = { { target_app = "com.bank.App" } } } },
    no_bank,
    denied "app_denied"),
  case("in another case of the member", { tool = "batch", arguments = { APP_ID = "com.bank.App" } }, no_bank,
    denied "app_denied"),
  case("in another member, which is no name of an app", { tool = "batch", arguments = { note = "com.bank.App" } },
    no_bank,
    "none"),
  case("a fine target with bad arguments",
    { tool = "x", target = { app_id = "org.example.Editor" }, arguments = { app = "org.evil" } }, editor_only,
    denied "app_not_allowed"),
  case("the runtime names it", { tool = "x", resource = { target_app_id = "com.bank.App" } }, no_bank,
    denied "app_denied"),
  case("what is no text cannot be read", { tool = "x", arguments = { app = 7 } }, no_bank,
    { verdict = "deny", code = "app_unreadable", reason = "the app cannot be read: it is no text" }),
  case("an empty text cannot be read", { tool = "x", arguments = { app = "" } }, no_bank, denied "app_unreadable"),
  case("other members can be named", { tool = "x", arguments = { program = "com.bank.App" } },
    { deny_apps = { "com.bank.*" }, app_members = { "program" } }, denied "app_denied"),
  case("a pattern that is none is an error, whatever is done", { tool = "write_clipboard" },
    { deny_apps = { "com.bank.*", "[" } }, "error"),
  case("in the allow list, too", { tool = "write_clipboard" }, { allow_apps = { "[" } }, "error"),
}
