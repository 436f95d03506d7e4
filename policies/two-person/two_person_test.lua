-- Class by class: which of them more than one person decides on.

local function of_class(class, verdict, params, name)
  return { name = name or class, action = { tool = "anything", action_class = class }, params = params,
           expect = verdict }
end

local asks_two = { verdict = "ask", policy = "two-person/two-person", phase = "preview", code = "two_person",
                   approvers = 2, timeout = "1h", reason = "more than one person decides on " }

return {
  of_class("destructive", asks_two),
  of_class("financial", asks_two),
  of_class("privilege_change", asks_two),
  of_class("communicate_external", asks_two),
  of_class("observe", "none"),
  of_class("navigate", "none"),
  of_class("edit_reversible", "none"),
  of_class("authentication", "none"),
  of_class("secret_access", "none"),

  of_class("secret_access", { verdict = "ask", approvers = 3, timeout = "10m" },
    { classes = { "secret_access" }, approvers = 3, timeout = "10m" }, "classes, people and time are parameters"),
  of_class("destructive", "none", { classes = { "secret_access" } }, "a class that is not named"),
  of_class("destructive", "none", { classes = { "Destructive", "destructive " } }, "a class is an exact word"),
  of_class("destructive", "error", { timeout = "soon" }, "a time-out that is none never allows"),
  of_class("destructive", "error", { approvers = 0 }, "nor does nobody"),
}
