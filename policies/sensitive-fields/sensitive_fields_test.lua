-- What the runtime found out about a field, and which tool is about to write into it.

local function assessed(assessment, signals)
  local conclusive = assessment ~= "unknown"
  return {
    assessment = assessment, source = conclusive and "accessibility" or "unavailable",
      signals = signals or json.array {},
    fields_checked = conclusive and 1 or 0, observed_at = "2026-01-05T12:00:00Z",
  }
end

local password = assessed("sensitive", { "secure_role" })
local unclear = assessed("unknown", { "element_not_found" })

local function field(tool, sensitivity)
  return { tool = tool, arguments = { label = "Name", value = "Ada" }, target_sensitivity = sensitivity }
end

return {
  {
    name = "a password field is denied, with the signal",
    action = field("set_value", password),
    expect = { verdict = "deny", policy = "sensitive-fields/sensitive-fields", phase = "preview",
               code = "sensitive_field", reason = "the field holds a secret: secure_role",
               remedy = "have a person type it" },
  },
  {
    name = "a password field is denied to tools that do not write fields, too",
    action = field("left_click", password),
    expect = { verdict = "deny", code = "sensitive_field" },
  },
  {
    name = "a password field may be asked about instead",
    action = field("set_value", password), params = { sensitive = "ask", approvers = 2 },
    expect = { verdict = "ask", code = "sensitive_field", approvers = 2 },
  },
  {
    name = "set_value into a field that could not be looked up is asked",
    action = field("set_value", unclear),
    expect = { verdict = "ask", code = "unknown_field", approvers = 1, reason = "nobody knows",
               remedy = "by its role and label" },
  },
  {
    name = "fill_form of which nothing is said is asked as well",
    action = field("fill_form", nil),
    expect = { verdict = "ask", code = "unknown_field" },
  },
  {
    name = "unknown may be denied instead",
    action = field("fill_form", unclear), params = { unknown = "deny" },
    expect = { verdict = "deny", code = "unknown_field" },
  },
  { name = "an ordinary field is none of its business", action = field("set_value", assessed "non_sensitive"),
    expect = "none" },
  { name = "a click on something unknown is none either", action = field("left_click", unclear), expect = "none" },
  { name = "nor a click of which nothing is said", action = field("left_click", nil), expect = "none" },
  {
    name = "other tools can be named",
    action = field("type", nil), params = { tools = { "type" } },
    expect = { verdict = "ask", code = "unknown_field" },
  },
  {
    name = "a word that is no verdict never allows: sensitive",
    action = field("set_value", password), params = { sensitive = "allow" },
    expect = { verdict = "error", reason = 'write "deny" or "ask", not "allow"' },
  },
  {
    name = "a word that is no verdict never allows: unknown",
    action = field("set_value", unclear), params = { unknown = "Deny" },
    expect = { verdict = "error", reason = "parameter unknown" },
  },
}
