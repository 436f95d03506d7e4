-- The list of windows: ids are compared by type and value.

local function click(window)
  return { tool = "left_click", mode = "foreground", target = { app_id = "org.example.Editor", window_id = window } }
end

local function case(name, action, params, expect)
  return { name = name, action = action, params = params, expect = expect }
end

local function denied(code)
  return { verdict = "deny", policy = "allow-deny/windows", phase = "preview", code = code }
end

local only_7 = { allow_windows = { "7" } }
local not_7 = { deny_windows = { "7" } }

return {
  case("without lists every window is fine", click(7), {}, "none"),
  case("a window on the allow list", click(7), only_7, "none"),
  case("a window that is not", click(8), only_7, denied "window_not_allowed"),
  case('the text "7" is not the number 7', click "7", only_7, denied "window_not_allowed"),
  case("but can be listed", click "7", { allow_windows = { '"7"' } }, "none"),
  case("a text that is no number is listed as it is", click "main", { allow_windows = { "main" } }, "none"),
  case("a window on the deny list", click(7), not_7, denied "window_denied"),
  case("nor by the other spelling of its id", click "7", not_7, denied "window_denied"),
  case("with a zero in front", click "007", not_7, denied "window_denied"),
  case("as a fraction", click "7.0", not_7, denied "window_denied"),
  case("listed as a text", click(7), { deny_windows = { '"7"' } }, denied "window_denied"),
  case("a text on the deny list", click "main", { deny_windows = { "main" } }, denied "window_denied"),
  case("another text", click "menu", { deny_windows = { "main", "7" } }, "none"),
  case("another one", click(-7), not_7, "none"),
  case("in a longer member", { tool = "x", arguments = { parentWindowId = 7 } }, not_7, denied "window_denied"),
  case("deny wins over allow", click(7), { allow_windows = { "7" }, deny_windows = { "7" } }, denied "window_denied"),
  case("no window at all", click(nil), only_7, "none"),
  case("no target at all", { tool = "x" }, only_7, "none"),
  case("the arguments name another", { tool = "x", target = click(7).target, arguments = { target_window_id = 8 } },
    only_7,
    denied "window_not_allowed"),
  case("the runtime names another", { tool = "x", target = click(7).target, resource = { target_window_id = 8 } },
    only_7,
    denied "window_not_allowed"),
  case("a list of windows, one of them denied", { tool = "x", arguments = { window_id = { 6, 7 } } }, not_7,
    denied "window_denied"),
  case("a fraction is no id", { tool = "x", arguments = { window_id = 7.5 } }, not_7, denied "window_unreadable"),
  case("nor is an empty text", { tool = "x", arguments = { window_id = "" } }, not_7, denied "window_unreadable"),
  case("nor an empty list", { tool = "x", arguments = { window_id = json.array {} } }, not_7,
    denied "window_unreadable"),
  case("nor true", { tool = "x", arguments = { window_id = true } }, not_7, denied "window_unreadable"),
}
