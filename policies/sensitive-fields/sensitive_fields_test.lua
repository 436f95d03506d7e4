-- What the runtime found out about a field, and which tool is about to write into it.

local password = { assessment = "sensitive", signals = { "secure_role" } }
local unclear = { assessment = "unknown", source = "unavailable", signals = { "element_not_found" } }
local ordinary = { assessment = "non_sensitive" }

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
  { name = "an ordinary field is none of its business", action = field("set_value", ordinary),
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
