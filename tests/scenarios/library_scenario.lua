-- Each shipped bundle at work in whole runs: what it stops has no effect, what it lets through has one.

local NIGHT, NOON = "2026-01-05T03:00:00Z", "2026-01-05T12:00:00Z" -- a monday

local function target(app, captured_at)
  return { platform = "linux", app_id = app, window_id = 7, observation_id = "o", confidence = 1,
           captured_at = captured_at or NOON }
end

local WRITE = { tool = "write_clipboard", arguments = { text = "hi" } }
local MAIL = {
  tool = "send_mail", arguments = { to = "bob", text = "hi" }, data_labels = { "private" },
  provenance = { untrusted_instruction = false, source_observation_ids = { "seen-1" } },
}
local CLICK = { tool = "left_click", mode = "foreground", arguments = {}, target = target "org.example.Editor" }
local SCOPES = { "computer:plan", "computer:execute:background", "computer:execute:foreground" }
local PEOPLE = { { id = "ann" }, { id = "bob" } }

local function shipped(name, params) return { { dir = "../../policies/" .. name, params = params } } end

-- A scenario with one bundle, at noon, on a runtime that allows everything unless it says otherwise.
local function with(bundle, play, more)
  local s = { runtime = fake { policy = "allow" }, policies = bundle, now = NOON, scopes = SCOPES, approvers = PEOPLE,
              play = play }
  for member, value in pairs(more or {}) do s[member] = value end
  return s
end

local function expect_blocked(s)
  s:expect_status "blocked"
  s:expect_reason "policy_denied"
  s:expect_effect "none"
end

scenario "office hours: at night two people must agree" (with(shipped "office-hours", function(s)
  s:start(WRITE)
  s:expect_waiting()
  s:approve { by = "ann" }
  s:expect_effects(0)
  s:approve { by = "bob" }
  s:expect_effects(1)
  s:advance "5h"
  s:start(WRITE)
  s:expect_effects(2)
end, { now = NIGHT }))

scenario "two persons: one of them is not enough, and the hour passes" (with(shipped "two-person", function(s)
  s:start(MAIL)
  s:approve { by = "ann" }
  s:approve { by = "ann" } -- again: one person is one
  s:expect_waiting()
  s:advance "59m"
  s:expect_waiting()
  s:advance "1m"
  s:expect_status "expired"
  s:expect_effects(0)
end, { runtime = fake { policy = "allow", envelope = { expires_in = "2h" } }, options = { envelope_ttl = "2h" } }))

local PASSWORD = {
  assessment = "sensitive", source = "accessibility", signals = { "secure_role" }, fieldsChecked = 1, observedAt = NOON,
}

scenario "sensitive fields: a password is not typed by an agent" (with(shipped "sensitive-fields", function(s)
  s:start { tool = "set_value", mode = "foreground", arguments = { label = "Pass", value = "x" },
            target = target "org.example.Editor" }
  expect_blocked(s)
end, { runtime = fake { policy = "allow", envelope = { targetSensitivity = PASSWORD } } }))

scenario "sensitive fields: what nobody could look up is a person's to say" (with(shipped "sensitive-fields",
  function(s)
  s:start { tool = "set_value", mode = "foreground", arguments = { label = "Name", value = "x" },
            target = target "org.example.Editor" }
  s:expect_waiting()
  s:approve { by = "ann" }
  s:expect_effects(1)
end))

scenario "lists: only below the allowed folder" (with(
  shipped("allow-deny", { allow_paths = { "/home/me" }, deny_paths = { "/home/me/.ssh" } }),
  function(s)
    local function write(path)
      s:start { tool = "filesystem", arguments = { mode = "write", path = path, content = "x" } }
    end
    write "/home/me/notes.txt"
    s:expect_effects(1)
    for _, path in ipairs { "/etc/passwd", "/home/me/.ssh/id", "/home/me/../you/x", "notes.txt" } do
      write(path)
      expect_blocked(s)
    end
    s:expect_effects(1)
  end))

scenario "lists: what the runtime says it will touch counts as well" (with(
  shipped("allow-deny", { allow_paths = { "/home/me" } }),
  function(s)
    s:start { tool = "filesystem", arguments = { mode = "write", path = "/home/me/x", content = "x" } }
    expect_blocked(s)
  end, { runtime = fake { policy = "allow", envelope = { resource = { filesystemPath = "/etc/passwd" } } } }))

scenario "lists: an app and a window that are not named ones" (with(
  shipped("allow-deny", { allow_apps = { "org.example.*" }, deny_windows = { "7" } }),
  function(s)
    s:start { tool = "left_click", mode = "foreground", arguments = {}, target = target "org.evil.Editor" }
    expect_blocked(s)
    s:start(CLICK) -- in window 7
    expect_blocked(s)
  end))

scenario "lists: an address below a denied domain" (with(
  shipped("allow-deny", { deny_domains = { "*.evil.example" } }),
  function(s)
    s:start { tool = "send_mail", arguments = { url = "https://ok@WWW.evil.example./x" } }
    expect_blocked(s)
  end))

scenario "evidence: stale is denied, and what got stale while people decided as well" (with(
  { { dir = "../../policies/target-evidence" },
    { dir = "../../policies/two-person", params = { classes = { "navigate" } } } },
  function(s)
    s:start(CLICK)
    s:expect_waiting()
    s:approve { by = "ann" }
    s:advance "301s"
    s:approve { by = "bob" }
    expect_blocked(s)
    s:start(CLICK)
    expect_blocked(s)
    s:expect_effects(0)
    s:expect_leases(1)
    s:expect_lease_releases(1)
  end, { runtime = fake { policy = "allow", envelope = { expires_in = "1h" } }, options = { envelope_ttl = "1h" } }))

scenario "untrusted data: after work in the browser nothing private leaves for a while" (with(
  shipped("untrusted-data", { untrusted_apps = { "org.example.Browser" } }),
  function(s)
    s:start(MAIL)
    s:expect_effects(1)
    s:start { tool = "left_click", mode = "foreground", arguments = {}, target = target "org.example.Browser" }
    s:expect_effects(2)
    s:start(MAIL)
    expect_blocked(s)
    s:advance "31m"
    s:start(MAIL)
    s:expect_effects(3)
  end))

scenario "budgets: the third mail of the hour needs a reason" (with(
  shipped("budgets", { classes = { "communicate_external: 2 per 1h" } }),
  function(s)
    s:start(MAIL)
    s:start(MAIL)
    s:expect_effects(2)
    s:start(MAIL)
    s:expect_waiting()
    s:expect_effects(2)
    s:approve { by = "ann", reason = "the last invoice" }
    s:expect_effects(3)
    s:advance "1h"
    s:start(MAIL)
    s:expect_effects(4)
  end))

scenario "proof: a delete says that the file will be gone" (with(shipped "irreversible-needs-proof", function(s)
  local function delete(postcondition)
    s:start { tool = "filesystem", arguments = { mode = "delete", path = "/tmp/x" }, postcondition = postcondition }
  end
  delete { kind = "filesystem", path = "/tmp/x", exists = false }
  s:expect_status "completed"
  delete(nil)
  s:expect_waiting() -- for one who says why
  s:expect_effects(1)
end))

scenario "cool-down: after a lost action a person looks first, or half an hour passes" (with(
  shipped "cool-down",
  function(s)
    s:start(WRITE)
    s:expect_status "indeterminate"
    s:start(WRITE)
    s:expect_waiting()
    s:deny { by = "ann" }
    s:advance "31m"
    s:start(WRITE)
    s:expect_effects(2)
  end,
  { runtime = fake { policy = "allow", faults = {
    { op = "execute_action", nth = 1, crash = "after" }, { op = "recover", fail = { reason = "no_idea" } },
  } } }))

local STANDING = "id=clicks; tool=left_click; operation=left_click; app=org.example.Editor; class=navigate; " ..
  "mode=foreground; principal=operator-1; session=any; until=2026-01-06T00:00:00Z; uses=2"

scenario "quiet approvals: two uses, then a person is asked" (with(
  shipped("quiet-approvals", { standing = { STANDING }, classes = { "navigate" } }),
  function(s)
    local click = { tool = "left_click", mode = "foreground", arguments = {}, target = target "org.example.Editor",
                    data_labels = { "public" } }
    s:start(click)
    s:start(click)
    s:expect_effects(2)
    s:start(click)
    s:expect_waiting()
    s:approve { by = "ann" }
    s:expect_effects(3)
    click.target = target "org.example.Mail"
    s:start(click)
    s:expect_waiting()
  end))

scenario "quiet approvals: of two runs that want the last use, one gets it" {
  runtime = fake { policy = "allow" }, now = NOON, scopes = SCOPES, approvers = PEOPLE,
  policies = {
    { dir = "../../policies/quiet-approvals",
      params = { standing = { (STANDING:gsub("uses=2", "uses=1")) }, classes = { "navigate" } } },
    { dir = "../../policies/two-person", params = { classes = { "navigate" }, approvers = 1 } },
  },
  play = function(s)
    local click = { tool = "left_click", mode = "foreground", arguments = {}, target = target "org.example.Editor",
                    data_labels = { "public" } }
    local first, second = s:start(click), s:start(click) -- both see the use, and wait for a person
    first:approve { by = "ann" }
    first:expect_status "committed_unverified"
    second:approve { by = "ann" }
    second:expect_status "blocked"
    s:expect_effects(1)
  end,
}

scenario "the foreground: by day only for who does not mind, by night under a cooperative lease" (with(
  shipped "foreground-while-active",
  function(s)
    s:start(CLICK)
    s:expect_waiting()
    s:approve { by = "ann", reason = "I am at lunch" }
    s:expect_effects(1)
    s:start(WRITE)
    s:expect_effects(2)
    s:advance "7h"
    s:start(CLICK)
    s:expect_effects(3)
  end))

scenario "the foreground: not under a lease that a person cannot interrupt" (with(
  shipped "foreground-while-active",
  function(s)
    s:start(CLICK)
    s:expect_status "blocked"
    s:expect_effects(0)
    s:expect_lease_releases(1)
  end, { now = NIGHT, runtime = fake { policy = "allow", lease = { kind = "exclusive" } } }))

scenario "sequences: nothing is sent for five minutes after a secret was read" (with(shipped "sequences", function(s)
  s:start(MAIL)
  s:expect_effects(1)
  s:start { tool = "read_clipboard", arguments = {} }
  s:expect_effects(2)
  s:start(MAIL)
  expect_blocked(s)
  s:advance "301s"
  s:start(MAIL)
  s:expect_effects(3)
end))

scenario "all bundles beside one another let an ordinary action through" {
  runtime = fake { policy = "allow" }, now = NOON, scopes = SCOPES,
  policies = {
    { dir = "../../policies/office-hours" }, { dir = "../../policies/two-person" },
    { dir = "../../policies/sensitive-fields" }, { dir = "../../policies/allow-deny" },
    { dir = "../../policies/target-evidence" }, { dir = "../../policies/untrusted-data" },
    { dir = "../../policies/budgets" }, { dir = "../../policies/irreversible-needs-proof" },
    { dir = "../../policies/cool-down" },
      { dir = "../../policies/quiet-approvals", params = { classes = json.array {} } },
    { dir = "../../policies/foreground-while-active" }, { dir = "../../policies/sequences" },
  },
  play = function(s)
    s:start(WRITE)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}
