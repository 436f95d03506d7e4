-- One standing approval, and everything that it does not cover. Noon on 2026-01-05 is the time of every case.

local INVOICES = "id=invoices; tool=set_value; operation=set_value; app=org.example.Editor; class=edit_reversible; " ..
  "mode=foreground; principal=ann; session=any; until=2026-01-09T18:00:00Z; uses=20"

-- The approval with some of its text replaced.
local function changed(from, to)
  local text, count = INVOICES:gsub(from, to, 1)
  assert(count == 1, from)
  return text
end

-- The action that it covers, with members replaced; `NONE` takes one away.
local NONE = {}
local function fill(change)
  local action = {
    tool = "set_value", operation = "set_value", action_class = "edit_reversible", mode = "foreground",
    arguments = { role = "textbox", label = "Total", value = "12" }, data_labels = { "private" },
    target = { app_id = "org.example.Editor" },
  }
  for member, value in pairs(change or {}) do
    if value == NONE then value = nil end
    action[member] = value
  end
  return action
end

local function case(name, action, expect, more)
  local c = { name = name, action = action, principal = "ann", params = { standing = { INVOICES } }, expect = expect }
  for member, value in pairs(more or {}) do c[member] = value end
  return c
end

local function with(...) return { params = { standing = json.array { ... } } } end

local function target(app) return { app_id = app } end

local function field(assessment)
  if assessment == "unknown" then return { assessment = assessment, source = "unavailable" } end
  local signals = assessment == "sensitive" and { "secure_role" } or nil
  return { assessment = assessment, signals = signals }
end

local asked = { verdict = "ask", policy = "quiet-approvals/quiet-approvals", phase = "preview", code = "not_approved",
                reason = "no standing approval covers it", approvers = 1, timeout = "1h" }

local function loud(reason) return { verdict = "ask", code = "not_approved", reason = reason } end
local function wrong(reason) return { verdict = "error", reason = reason } end

-- An approval up to `ends` still covers the second before it, `last`, and does not cover the end itself.
local function ends_at(cases, last, ends)
  local params = { standing = { changed("until=2026%-01%-09T18:00:00Z", "until=" .. ends) } }
  cases[#cases + 1] = case("the second before " .. ends, fill(), "none", { at = last, params = params })
  cases[#cases + 1] = case("the end at " .. ends, fill(), asked, { at = ends, params = params })
end

local cases = {
  case("what is covered is not asked about", fill(), "none"),
  case("without standing approvals everything is", fill(), asked, with()),
  case("as many people, as long as the parameters say", fill(), { verdict = "ask", approvers = 2, timeout = "5m" },
    { params = { approvers = 2, timeout = "5m" } }),
  case("what is none of the classes is not", fill { action_class = "navigate" }, "none", with()),
  case("what is looked at is not", { tool = "screenshot", action_class = "observe" }, "none", with()),
  case("classes are a parameter", fill(), "none", { params = { classes = { "destructive" } } }),

  -- The scope is exact.
  case("another tool", fill { tool = "type", operation = "type" }, asked),
  case("another operation of it", fill { operation = "set_value.append", arguments = { mode = "append" } }, asked),
  case("another app", fill { target = target "org.example.Mail" }, asked),
  case("the app in another case", fill { target = target "org.example.editor" }, asked),
  case("another class", fill { action_class = "secret_access" }, asked),
  case("another mode", fill { mode = "background" }, asked),
  case("another principal", fill(), asked, { principal = "bob" }),
  case("an approval for one session, in it", fill(), "none",
    { session_id = "s-1", params = { standing = { changed("session=any", "session=s-1") } } }),
  case("an approval for one session, in another", fill(), asked,
    { session_id = "s-2", params = { standing = { changed("session=any", "session=s-1") } } }),
  case("the second of two approvals", fill(), "none",
    with(changed("id=invoices; tool=set_value", "id=b; tool=type"), INVOICES)),

  -- Time.
  case("the last second", fill(), "none", { at = "2026-01-09T17:59:59Z" }),
  case("the end", fill(), asked, { at = "2026-01-09T18:00:00Z" }),
  case("the first of the 31 days before the end", fill(), "none", { at = "2025-12-09T18:00:00Z" }),
  case("the second before them", fill(), asked, { at = "2025-12-09T17:59:59Z" }),

  -- Uses.
  case("the last use", fill(), "none", { limits = { ["standing:invoices"] = 19 } }),
  case("no use left: a person is asked, nothing is denied", fill(), asked, { limits = { ["standing:invoices"] = 20 } }),
  case("the uses of another approval", fill(), "none", { limits = { ["standing:b"] = 20 } }),
  case("the next approval that covers it has some left", fill(), "none",
    { limits = { ["standing:invoices"] = 20 }, params = { standing = { INVOICES, changed("invoices", "more") } } }),

  -- Never quiet.
  case("at no app", fill { target = NONE }, loud "aims at no app"),
  case("what cannot be taken back", fill { reversible = false }, loud "cannot be taken back"),
  case("on an untrusted word",
    fill { provenance = { untrusted_instruction = true } },
      loud "an untrusted text"),
  case("on a trusted word",
    fill { provenance = { untrusted_instruction = false } },
    "none"),
  case("into a field that holds a secret", fill { target_sensitivity = field "sensitive" }, loud "may hold a secret"),
  case("into a field that may", fill { target_sensitivity = field "unknown" }, loud "may hold a secret"),
  case("into one that does not", fill { target_sensitivity = field "non_sensitive" }, "none"),
  case("with a credential", fill { data_labels = { "private", "credential" } }, loud "more than public or private"),
  case("with data of which nothing is known", fill { data_labels = { "unknown" } }, loud "more than public or private"),
  case("with data of which nothing is said", fill { data_labels = json.array {} }, loud "more than public or private"),
  case("with public data", fill { data_labels = { "public" } }, "none"),

  -- What is written wrong never allows, whatever is done.
  case("a member that is none", fill(), wrong "is no member of it", with(INVOICES .. "; window=7")),
  case("a word", fill(), wrong "is no member of it", with "everything"),
  case("nothing", fill(), wrong "id is missing", with ""),
  case("a member that is missing", fill(), wrong "mode is missing", with(changed("mode=foreground; ", ""))),
  case("a member that stands twice", fill(), wrong "uses stands twice", with(INVOICES .. "; uses=30")),
  case("a wide member", fill(), wrong "app needs one exact value", with(changed("app=org.example.Editor", "app=*"))),
  case("an empty member", fill(), wrong "principal needs one exact value",
    with(changed("principal=ann", "principal="))),
  case("a date for a time", fill(), wrong "until is a time", with(changed("T18:00:00Z", ""))),
  case("a time of another zone", fill(), wrong "until is a time", with(changed("18:00:00Z", "18:00:00+01:00"))),
  case("no use", fill(), wrong "uses is a number", with(changed("uses=20", "uses=0"))),
  case("too many uses", fill(), wrong "uses is a number", with(changed("uses=20", "uses=10001"))),
  case("many uses", fill(), "none", with(changed("uses=20", "uses=10000"))),
  case("uses in words", fill(), wrong "uses is a number", with(changed("uses=20", "uses=1e2"))),
  case("an id that stands twice", fill(), wrong "its id stands twice", with(INVOICES, INVOICES)),
  case("also for what is not asked about", { tool = "screenshot", action_class = "observe" }, wrong "id is missing",
    with ""),
}

ends_at(cases, "2026-06-15T17:59:59Z", "2026-06-15T18:00:00Z")
ends_at(cases, "2026-06-15T18:29:44Z", "2026-06-15T18:29:45Z")
local LAST = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30 }
for month, day in ipairs(LAST) do
  ends_at(cases, ("2026-%02d-%02dT23:59:59Z"):format(month, day), ("2026-%02d-01T00:00:00Z"):format(month + 1))
end
ends_at(cases, "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z")
ends_at(cases, "2028-02-29T23:59:59Z", "2028-03-01T00:00:00Z")
ends_at(cases, "2099-06-15T17:59:59Z", "2099-06-15T18:00:00Z")
ends_at(cases, "2100-02-28T23:59:59Z", "2100-03-01T00:00:00Z")
ends_at(cases, "2399-06-15T17:59:59Z", "2399-06-15T18:00:00Z")
ends_at(cases, "2400-02-29T23:59:59Z", "2400-03-01T00:00:00Z")
return cases
