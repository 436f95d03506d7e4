-- The three ways to prove something, and what proves nothing.

local DIGEST = "sha256:" .. ("0"):rep(64)

local function file(exists, digest)
  return { kind = "filesystem", path = "/tmp/x", exists = exists, content_digest = digest }
end

local function case(name, postcondition, expect, action)
  action = action or { tool = "filesystem", action_class = "destructive", reversible = false }
  local given = { postcondition = postcondition }
  for member, value in pairs(action) do given[member] = value end
  return { name = name, action = given, expect = expect }
end

local function denied(code)
  return { verdict = "deny", policy = "irreversible-needs-proof/irreversible-needs-proof", phase = "preview",
    code = code }
end

local function with(params, c)
  c.params = params
  return c
end

local missing, too_little = denied "postcondition_missing", denied "digest_missing"
local proof_only = { absence_is_proof = false }

return {
  case("nothing declared", nil, missing),
  case("a file that exists", file(true), too_little),
  case("a file with its digest", file(true, DIGEST), "none"),
  case("a file that is gone", file(false), "none"),
  with(proof_only, case("a file that is gone, where only digests count", file(false), too_little)),
  with(proof_only, case("a file with its digest, where only digests count", file(true, DIGEST), "none")),
  case("a process that ended", { kind = "process", pid = 7, running = false }, "none"),
  with(proof_only,
    case("a process that ended, where only digests count", { kind = "process", pid = 7, running = false },
    too_little)),
  case("a window that is there", { kind = "window", window_id = 7, exists = true }, too_little),
  case("a window that is closed", { kind = "window", window_id = 7, exists = false }, "none"),
  case("a field with the digest of its value",
    { kind = "ui_element", role = "textbox", exists = true, value_digest = DIGEST }, "none"),
  case("a field without", { kind = "ui_element", role = "textbox", exists = true }, too_little),
  case("a registry value with its digest",
    { kind = "registry", path = "HKCU\\X", name = "v", exists = true, value_digest = DIGEST }, "none"),

  case("what can be taken back needs no proof", nil, "none", { tool = "write_clipboard" }),
  case("a class that needs it all the same", nil, missing,
    { tool = "pay", action_class = "financial", reversible = true }),
  case("destructive is one", nil, missing, { tool = "x", action_class = "destructive", reversible = true }),
  with({ classes = json.array {} },
    case("classes are a parameter", nil, "none", { tool = "pay", action_class = "financial", reversible = true })),
  case("a mail cannot be proven: a person says why it goes out", nil, missing,
    { tool = "send_mail", action_class = "communicate_external", reversible = false, external_side_effect = true }),
  case("looking needs none", nil, "none", { tool = "screenshot", action_class = "observe", reversible = false }),
}
