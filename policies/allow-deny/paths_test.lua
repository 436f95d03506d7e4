-- The list of folders: canonical paths, in what will be sent and in what the runtime says of it.

local function write(path)
  return { tool = "filesystem", operation = "filesystem.write", arguments = { mode = "write", path = path } }
end

local function case(name, action, params, expect)
  return { name = name, action = action, params = params, expect = expect }
end

local function denied(code) return { verdict = "deny", policy = "allow-deny/paths", phase = "preview", code = code } end

local papers = { allow_paths = { "/home/me/papers", "/tmp" } }
local no_keys = { deny_paths = { "/home/me/.ssh" } }

return {
  case("without lists every path is fine", write "/etc/shadow", {}, "none"),
  case("also one that cannot be read", write "x", {}, "none"),
  case("a file below an allowed folder", write "/home/me/papers/one.txt", papers, "none"),
  case("the folder itself", write "/home/me/papers", papers, "none"),
  case("the second folder", write "/tmp/x", papers, "none"),
  case("a file elsewhere", write "/etc/passwd", papers,
    { verdict = "deny", policy = "allow-deny/paths", code = "path_not_allowed",
      remedy = "one that is, such as /home/me/papers" }),
  case("reading counts as well", { tool = "filesystem", action_class = "observe",
    arguments = { mode = "read", path = "/etc/shadow" } }, papers, denied "path_not_allowed"),
  case("a folder whose name begins alike", write "/home/me/papers2/x", papers, denied "path_not_allowed"),
  case("dots lead out", write "/home/me/papers/../.ssh/id", papers, denied "path_not_allowed"),
  case("dots lead back in", write "/etc/../home/me/papers/x", papers, "none"),
  case("an address of a file is a path", write "file:///home/me/papers/x", papers, "none"),
  case("escaped dots cannot be told", write "file:///home/me/papers/%2e%2e/.ssh/id", papers, denied "path_unreadable"),

  case("a file below a denied folder", write "/home/me/.ssh/id", no_keys, denied "path_denied"),
  case("around a corner", write "/home/me/papers/.././.ssh//id", no_keys, denied "path_denied"),
  case("another file", write "/home/me/x", no_keys, "none"),
  case("in a member that ends so", { tool = "x", arguments = { new_path = "/home/me/.ssh/id" } }, no_keys,
    denied "path_denied"),
  case("in another way of writing", { tool = "x", arguments = { savePaths = { "/home/me/.ssh/id" } } }, no_keys,
    denied "path_denied"),
  case("with a dash", { tool = "x", arguments = { ["Output-File"] = "/home/me/.ssh/id" } }, no_keys,
    denied "path_denied"),
  case("in one that only begins so", { tool = "x", arguments = { path_count = 7, xpath = "//a" } }, no_keys, "none"),
  case("deny wins over allow", write "/home/me/.ssh/id",
    { allow_paths = { "/home" }, deny_paths = { "/home/me/.ssh" } },
    denied "path_denied"),

  case("a relative path cannot be told", write "papers/x", papers, denied "path_unreadable"),
  case("nor one from home", write "~/papers/x", papers, denied "path_unreadable"),
  case("nor a number", write(7), papers, denied "path_unreadable"),
  case("nor nothing among others", write(json.array { "/tmp/x", json.null }), papers, denied "path_unreadable"),
  case("nor an object", write { name = true }, papers, denied "path_unreadable"),
  case("an object with a path inside is read", write { name = "/etc/passwd" }, papers, denied "path_not_allowed"),
  case("no path at all", { tool = "write_clipboard", arguments = { text = "/etc/passwd" } }, papers, "none"),
  case("nothing sent at all", { tool = "write_clipboard" }, papers, "none"),

  case("where it goes counts", { tool = "filesystem", arguments = { path = "/tmp/x", destination = "/etc/x" } }, papers,
    denied "path_not_allowed"),
  case("what the runtime says counts", { tool = "filesystem", arguments = { path = "/tmp/x" },
    resource = { filesystem_path = "/etc/x" } }, papers, denied "path_not_allowed"),
  case("where it says it goes counts", { tool = "filesystem", arguments = { path = "/tmp/x" },
    resource = { filesystem_destination = "/etc/x" } }, papers, denied "path_not_allowed"),
  case("deep in the arguments, in any case", { tool = "x", arguments = { items = { { File = "/etc/x" } } } }, papers,
    denied "path_not_allowed"),

  case("a registry path is none", { tool = "registry", arguments = { path = "HKCU\\Software\\X" } }, papers, "none"),
  case("unless the runtime says so", { tool = "registry", arguments = { path = "HKCU\\Software\\X" },
    resource = { filesystem_path = "/etc/x" } }, papers, denied "path_not_allowed"),
  case("other tools may be left out", { tool = "menu", arguments = { path = "File > Open" } },
    { allow_paths = { "/tmp" }, no_path_tools = { "menu" } }, "none"),
  case("other members can be named", { tool = "x", arguments = { into = "/etc/x" } },
    { allow_paths = { "/tmp" }, path_members = { "into" } }, denied "path_not_allowed"),
  case("a folder that is none is an error", { tool = "x" }, { deny_paths = { "etc" } }, "error"),
  case("in the allow list, too", { tool = "x" }, { allow_paths = { "/tmp", "" } }, "error"),
}
