-- Writes the truth tables beside this file: `lua5.4 tests/vectors/tables/generate.lua [FOLDER]`.
-- A second implementation of the pure rules (outcome, route, verdict, runtime need, scope, exit, time), written from
-- their wording and not from the C code; the tests compare both, row by row. Every table is
-- {about, columns, rows, and the sample values that rows name}; null means absent unless `about` says otherwise.

local folder = arg[1] or arg[0]:match("^(.*)/[^/]*$") or "."

-- ---- writing -------------------------------------------------------------------------------------------------------

local null = setmetatable({}, { __tostring = function() return "null" end })

local function text(s)
  return '"' .. s:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

-- Tables with `[1]` (or marked `list`) are lists; others are objects, members sorted.
local function json(v)
  if v == nil or v == null then return "null" end
  if type(v) == "string" then return text(v) end
  if type(v) ~= "table" then return tostring(v) end
  local out = {}
  if v[1] ~= nil or v.list then
    for i = 1, #v do out[i] = json(v[i]) end
    return "[" .. table.concat(out, ",") .. "]"
  end
  for name in pairs(v) do out[#out + 1] = name end
  table.sort(out)
  for i, name in ipairs(out) do out[i] = text(name) .. ":" .. json(v[name]) end
  return "{" .. table.concat(out, ",") .. "}"
end

local function write(name, t)
  local parts, names = {}, {}
  for member in pairs(t) do
    if member ~= "rows" and member ~= "about" then names[#names + 1] = member end
  end
  table.sort(names)
  parts[1] = '{\n"about":' .. text(t.about)
  for _, member in ipairs(names) do parts[#parts + 1] = text(member) .. ":" .. json(t[member]) end
  local rows = {}
  for i, row in ipairs(t.rows) do
    local cells = {}
    for c = 1, #t.columns do cells[c] = json(row[c]) end
    rows[i] = "[" .. table.concat(cells, ",") .. "]"
  end
  parts[#parts + 1] = '"rows":[\n' .. table.concat(rows, ",\n") .. "\n]\n}\n"
  local file = assert(io.open(folder .. "/" .. name .. ".json", "wb"))
  assert(file:write(table.concat(parts, ",\n")))
  assert(file:close())
end

-- Calls `each` with every combination of one value from each list.
local function cross(lists, each)
  local at = {}
  local function walk(i)
    if i > #lists then return each(table.unpack(at, 1, #lists)) end
    for _, v in ipairs(lists[i]) do
      at[i] = v
      walk(i + 1)
    end
  end
  walk(1)
end

local function member(list, v)
  for _, x in ipairs(list) do
    if x == v then return true end
  end
  return false
end

-- ---- outcome: receipt status, declared postcondition, two pieces of evidence ----------------------------------------

local DECLARED = "sha256:" .. ("ab"):rep(32)
local OTHER = "sha256:" .. ("cd"):rep(32)

local function outcome()
  local postconditions = {
    none = null,
    ["without digest"] = { kind = "filesystem", path = "/tmp/report.txt", exists = true },
    ["with digest"] = { kind = "filesystem", path = "/tmp/report.txt", exists = true, contentDigest = DECLARED },
  }
  local evidence, kinds, names = { absent = null, ["no object"] = "yes" }, {}, { "absent", "no object" }
  local satisfied = { { "true", true }, { "false", false }, { "absent" }, { "wrong", "true" } }
  local observed = { { "equal", DECLARED }, { "differs", OTHER }, { "absent" }, { "wrong", 7 } }
  cross({ satisfied, observed }, function(s, o)
    local name = s[1] .. "/" .. o[1]
    names[#names + 1] = name
    kinds[name] = { s[1], o[1] }
    evidence[name] = { satisfied = s[2], observedDigest = o[2], method = "stat" }
  end)

  local function judge(postcondition, name)
    local k = kinds[name]
    if not k then return "CommittedUnverified" end
    local said, digest = k[1], k[2]
    if said == "false" then return "Failed" end
    if postcondition == "with digest" then
      if digest == "equal" then return "Verified" end
      if digest == "differs" then return "Failed" end
      return "CommittedUnverified"
    end
    return said == "true" and "Verified" or "CommittedUnverified"
  end

  local effects = { committed = "committed", rejected = "none", interrupted = "unknown", indeterminate = "unknown" }
  local statuses = {
    Verified = "completed", CommittedUnverified = "committed_unverified", Failed = "verification_failed",
  }
  local rows = {}
  cross({ { "committed", "rejected", "interrupted", "indeterminate" }, { "none", "without digest", "with digest" },
    names, names }, function(receipt, postcondition, own, port)
    local result
    if receipt ~= "committed" then
      result = "Failed"
    elseif postcondition == "none" then
      result = "CommittedUnverified"
    else
      local a, b = judge(postcondition, own), judge(postcondition, port)
      if a == "Failed" or b == "Failed" then
        result = "Failed"
      elseif a == "Verified" or b == "Verified" then
        result = "Verified"
      else
        result = "CommittedUnverified"
      end
    end
    local effect = effects[receipt]
    rows[#rows + 1] = { receipt, postcondition, own, port, result, result == "Verified", result ~= "Failed",
      statuses[result], effect, effect == "none" }
  end)
  write("outcome", {
    about = "What a bound receipt amounts to. receiptEvidence is result.verification of the receipt, portEvidence what "
      .. "the port's verify returned; both name a sample of `evidence` (satisfied/observedDigest; wrong: its type).",
    columns = { "receiptStatus", "postcondition", "receiptEvidence", "portEvidence", "outcome", "verified", "committed",
      "status", "effect", "retrySafe" },
    postconditions = postconditions, evidence = evidence, rows = rows,
  })
end

-- ---- route: what the runtime's preview allows -----------------------------------------------------------------------

local function route()
  local rows = {}
  cross({ { true, false }, { null, "approval_required", "target_stale" }, { "allow", "confirm", "deny", "maybe" },
    { false, true } }, function(executable, blocker, decision, accept)
    local result, reason = "blocked", blocker == null and "policy_denied" or blocker
    if decision ~= "deny" then
      local standing = executable and decision == "confirm" and blocker == null
      if executable and blocker == null and decision == "allow" or standing and accept then
        result, reason = "allowed", null
      elseif blocker == "approval_required" or standing then
        result, reason = "approval", null
      end
    end
    rows[#rows + 1] = { executable, blocker, decision, accept, result, reason }
  end)
  write("route", {
    about = "The runtime's route. reason is the one of a blocked run. A blocker other than approval_required blocks, "
      .. "whatever the decision.",
    columns = { "executable", "blocker", "decision", "acceptStandingGrants", "route", "reason" }, rows = rows,
  })
end

-- ---- verdict: what one policy's word amounts to at its level, in a phase --------------------------------------------

local function verdict()
  local rows = {}
  local function add(level, phase, raw, overridden)
    -- An error counts as a deny of at least a soft policy.
    local strength = raw == "error" and level == "advisory" and "soft" or level
    local denies = raw == "deny" or raw == "error" or raw == "ask" and phase == "execute"
    local result, override = "none", false
    if strength ~= "advisory" and denies then
      result = "deny"
      if strength == "soft" then
        if phase == "propose" or phase == "preview" then
          result, override = "ask", true
        elseif phase == "execute" and overridden and raw ~= "error" then
          result = "none"
        end
      end
    elseif strength ~= "advisory" then
      result = raw
    end
    rows[#rows + 1] = { level, phase, raw, overridden, result, override, raw == "error" and "policy_error" or null }
  end
  cross({ { "advisory", "soft", "hard" }, { "propose", "preview", "approve", "execute" },
    { "none", "ask", "deny", "error" } }, function(level, phase, raw)
    if phase == "approve" and raw == "ask" then return end -- that phase may only deny
    add(level, phase, raw, false)
    if phase == "execute" and raw ~= "ask" then add(level, phase, raw, true) end
  end)
  write("verdict", {
    about = "One policy's verdict at its level. overridden: a decision of this run overrode the same policy and code. "
      .. "override: the ask wants one approver with a reason. In approve, deny means that the decision does not count. "
      .. "A reason of null is the policy's own.",
    columns = { "level", "phase", "raw", "overridden", "verdict", "override", "reason" }, rows = rows,
  })
end

-- ---- runtime need: an answer against an open wait -------------------------------------------------------------------

local A, B = ("a1"):rep(32), ("b2"):rep(32)

local function grants()
  local now, hour = "2026-11-30T18:00:30Z", "2026-11-30T19:00:00Z"
  local base = {
    grantId = "grant-1", scope = "exact_action", principalId = "operator-1", sessionId = "session-1",
    actionDigest = A, scopeDigest = A, policyDigest = "sha256:" .. B, tool = "set_value", operation = "set_value",
    actionClass = "edit_reversible", mode = "background", issuedAt = "2026-11-30T18:00:00Z", expiresAt = hour,
    remainingUses = 1, consumedByActionIds = { list = true },
  }
  local cases = {}
  local function case(name, change, accept, field)
    cases[#cases + 1] = { name = name, change = change, acceptStandingGrants = accept,
      want = field and "refused" or "accepted", field = field or null }
  end
  local standing = { scope = "session_operation", scopeDigest = B }
  local function with(more)
    local t = {}
    for k, v in pairs(standing) do t[k] = v end
    for k, v in pairs(more) do t[k] = v end
    return t
  end
  case("as it should be", {}, false)
  case("as it should be, standing grants accepted", {}, true)
  case("standing grant", standing, false, "scope")
  case("standing grant accepted", standing, true)
  case("standing grant accepted, other session", with { sessionId = "session-2" }, true, "session_id")
  case("standing grant accepted, no use left", with { remainingUses = 0 }, true, "remaining_uses")
  case("standing grant accepted, other mode", with { mode = "foreground" }, true, "mode")
  case("standing grant accepted, other tool", with { tool = "fill_form", operation = "fill_form" }, true, "tool")
  case("standing grant accepted, other policy", with { policyDigest = "sha256:" .. A }, true, "policy_digest")
  case("other session", { sessionId = "session-2" }, false, "session_id")
  case("session differs in case", { sessionId = "Session-1" }, false, "session_id")
  case("session is a prefix", { sessionId = "session-" }, false, "session_id")
  case("other principal", { principalId = "operator-2" }, false, "principal_id")
  case("principal is longer", { principalId = "operator-10" }, false, "principal_id")
  case("other action", { actionDigest = B, scopeDigest = B }, false, "action_digest")
  case("other policy", { policyDigest = "sha256:" .. A }, false, "policy_digest")
  case("policy digest without prefix", { policyDigest = B }, false, "policy_digest")
  case("other tool", { tool = "fill_form" }, false, "tool")
  case("other mode", { mode = "foreground" }, false, "mode")
  case("no use left", { remainingUses = 0, consumedByActionIds = { "action-0" } }, false, "remaining_uses")
  case("expires now", { expiresAt = now }, false, "expires_at")
  case("expired before", { expiresAt = "2026-11-30T18:00:29.999999999Z" }, false, "expires_at")
  case("expires a nanosecond later", { expiresAt = "2026-11-30T18:00:30.000000001Z" }, false)
  case("expires now in another zone", { expiresAt = "2026-11-30T19:00:30+01:00" }, false, "expires_at")
  case("expiry cannot be read", { expiresAt = "tomorrow" }, false, "expires_at")
  case("expiry with a blank for T", { expiresAt = "2026-11-30 19:00:00Z" }, false, "expires_at")
  case("issued in the future", { issuedAt = "2026-11-30T18:30:00Z" }, false)
  return {
    now = now, base = base, cases = cases,
    envelope = { sessionId = "session-1", principalId = "operator-1", argsDigest = A, tool = "set_value",
      operation = "set_value", requestedMode = "background" },
    policyDigest = "sha256:" .. B,
  }
end

local function runtime_need()
  local samples = {
    requestId = { right = "request-1", other = "request-2", absent = null },
    actionDigest = { equal = A, differs = B, absent = null },
    policyDigest = { equal = "sha256:" .. B, differs = "sha256:" .. A, absent = null },
    grantId = { given = "grant-1", empty = "", absent = null },
    runtimeApproved = { yes = true, no = false, absent = null },
  }
  local rows = {
    { true, false, true, false, null, null, null, null, null, "waiting", null },
    { true, true, true, false, null, null, null, null, null, "waiting", null },
  }
  local function add(need, host, required, request, action, policy, grant, approved)
    local faults = {}
    if request == "other" or request == "absent" and required then faults[#faults + 1] = "request_id" end
    if action ~= "equal" then faults[#faults + 1] = "action_digest" end
    if policy ~= "equal" then faults[#faults + 1] = "policy_digest" end
    local authorities = (grant == "given" and 1 or 0) + (approved == "yes" and 1 or 0)
    if not need then
      if authorities == 0 then return end -- an answer to host needs; decisions judge it
      faults[#faults + 1] = null -- stale
    elseif authorities ~= 1 then
      faults[#faults + 1] = null -- both or none: no field is prescribed
    end
    rows[#rows + 1] = { need, host, required, true, request, action, policy, grant, approved,
      #faults == 0 and "met" or "refused", #faults == 1 and faults[1] or null }
  end
  cross({ { true, false }, { false, true }, { true, false }, { "right", "other", "absent" },
    { "equal", "differs", "absent" }, { "equal", "differs", "absent" }, { "given", "empty", "absent" },
    { "yes", "no", "absent" } }, function(need, host, ...)
    if need or host then add(need, host, ...) end
  end)
  write("runtime_need", {
    about = "An answer against the runtime need of an open wait. Cells name a sample of `samples`; field: the only one "
      .. "at fault, null is not compared. The open request is request-1. `grants`: a grant object at hand, "
      .. "base with `change` applied, against envelope, policyDigest and now.",
    columns = { "runtimeNeed", "hostNeed", "requestIdRequired", "answered", "requestId", "actionDigest", "policyDigest",
      "grantId", "runtimeApproved", "want", "field" },
    samples = samples, grants = grants(), rows = rows,
  })
end

-- ---- scope: principal, tenant, scope, in this order -----------------------------------------------------------------

local function scope()
  local needed = { shadow = "computer:plan", background = "computer:execute:background",
    foreground = "computer:execute:foreground" }
  local sets = {
    { list = true }, { "computer:plan" }, { "computer:execute:background" }, { "computer:execute:foreground" },
    { "computer:plan", "computer:execute:background" }, { "computer:plan", "computer:execute:foreground" },
    { "computer:execute:background", "computer:execute:foreground" },
    { "computer:plan", "computer:execute:background", "computer:execute:foreground" },
    { "computer:execute" }, { "computer:*" }, { "*" }, { "" },
    { "COMPUTER:PLAN", "Computer:Execute:Background", "computer:execute:FOREGROUND" },
    { "computer:pla", "computer:plan2", "computer:execute:background:x", " computer:execute:foreground" },
    { "computer:plan computer:execute:background computer:execute:foreground" },
    { "other:scope", "computer:execute:foreground", "computer:plan" },
  }
  local principals = { { "operator-1", "operator-1" }, { "operator-2", "operator-1" }, { "Operator-1", "operator-1" },
    { "operator-1", "operator-10" } }
  local tenants = { { null, null }, { "acme", "acme" }, { "acme", "other" }, { "acme", null }, { null, "acme" },
    { "Acme", "acme" }, { "acme2", "acme" } }
  local rows = {}
  cross({ { "shadow", "background", "foreground" }, sets, principals, tenants }, function(mode, set, principal, tenant)
    local code, field = null, null
    if principal[1] ~= principal[2] then
      code, field = "principal_mismatch", "principal"
    elseif tenant[1] ~= tenant[2] then
      code, field = "tenant_mismatch", "tenant"
    elseif not member(set, needed[mode]) then
      code, field = "missing_scope", "scope"
    end
    rows[#rows + 1] = { mode, set, principal[1], principal[2], tenant[1], tenant[2], code == null, code, field }
  end)
  write("scope", {
    about = "The verified identity (principal, tenant, scopes) against the run's principal, tenant and mode.",
    columns = { "mode", "scopes", "principal", "runPrincipal", "tenant", "runTenant", "passes", "code", "field" },
    rows = rows,
  })
end

-- ---- exit status ----------------------------------------------------------------------------------------------------

local function exit()
  local codes = { null, "invalid_request", "identity_mismatch", "approval_mismatch", "missing_scope",
    "principal_mismatch", "tenant_mismatch", "policy_denied", "policy_error", "script_error", "limit_exceeded",
    "invariant", "diverged", "transport", "runtime", "unsupported", "timeout", "cancelled", "conflict", "store",
    "out_of_memory" }
  local early = { "script_error", "policy_error", "limit_exceeded", "invariant", "diverged" }
  local by_status = { completed = 0, previewed = 0, valid = 0, ["all passed"] = 0, committed_unverified = 5,
    verification_failed = 6, waiting = 4, blocked = 1, denied = 1, refused = 1, expired = 1, cancelled = 1,
    ["a test failed"] = 1, failed = 8, conflict = 8, ["evidence not valid"] = 9 }
  -- What can be: status, sent, effect.
  local ends = {
    { "completed", true, "committed" }, { "committed_unverified", true, "committed" },
    { "verification_failed", true, "committed" }, { "verification_failed", true, "none" },
    { "verification_failed", true, "unknown" }, { "indeterminate", true, "unknown" }, { "failed", true, "none" },
    { "failed", false, "none" }, { "previewed", false, "none" }, { "waiting", false, "none" },
    { "blocked", false, "none" }, { "denied", false, "none" }, { "refused", false, "none" },
    { "expired", false, "none" }, { "cancelled", false, "none" }, { "conflict", false, "none" },
  }
  local rows = {}
  cross({ ends, { false, true }, codes }, function(e, release_failed, code)
    local status, sent, effect = e[1], e[2], e[3]
    local result
    if effect == "unknown" then
      result = 7
    elseif release_failed then
      result = 8
    elseif not sent and member(early, code) then
      result = 3
    else
      result = by_status[status]
    end
    rows[#rows + 1] = { status, sent, effect, release_failed, code, result }
  end)
  for _, status in ipairs { "valid", "all passed", "a test failed", "evidence not valid" } do
    rows[#rows + 1] = { status, false, "none", false, null, by_status[status] }
  end
  write("exit", {
    about = "The exit status of the command line. The last four are no runs: a check, a test run, an audit.",
    columns = { "status", "sent", "effect", "releaseFailed", "code", "exit" }, rows = rows,
  })
end

-- ---- time: RFC 3339 as far as it is accepted ------------------------------------------------------------------------

-- Seconds since 1970, of the proleptic Gregorian calendar, counted year by year.
local function seconds(y, mo, d, h, mi, s, offset_minutes)
  local function leap(year) return year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0) end
  local days = 0
  for year = 1970, y - 1 do days = days + (leap(year) and 366 or 365) end
  for year = y, 1969 do days = days - (leap(year) and 366 or 365) end
  local lengths = { 31, leap(y) and 29 or 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
  for month = 1, mo - 1 do days = days + lengths[month] end
  return ((days + d - 1) * 24 + h) * 3600 + (mi - (offset_minutes or 0)) * 60 + s
end

local function time()
  local rows = {}
  local function reads(t, nanos, ...) rows[#rows + 1] = { t, true, seconds(...), nanos } end
  reads("1970-01-01T00:00:00Z", 0, 1970, 1, 1, 0, 0, 0)
  reads("2026-11-30T18:00:27.397Z", 397000000, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30t18:00:27z", 0, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30T18:00:27.1Z", 100000000, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30T18:00:27.000000001Z", 1, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30T18:00:27.999999999Z", 999999999, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30T18:00:27+00:00", 0, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30T18:00:27-00:00", 0, 2026, 11, 30, 18, 0, 27)
  reads("2026-11-30T18:00:27+05:30", 0, 2026, 11, 30, 18, 0, 27, 330)
  reads("2026-11-30T18:00:27-23:59", 0, 2026, 11, 30, 18, 0, 27, -1439)
  reads("2026-11-30T18:00:27+23:59", 0, 2026, 11, 30, 18, 0, 27, 1439)
  reads("2024-02-29T00:00:00Z", 0, 2024, 2, 29, 0, 0, 0)
  reads("2000-02-29T00:00:00Z", 0, 2000, 2, 29, 0, 0, 0)
  reads("0000-02-29T00:00:00Z", 0, 0, 2, 29, 0, 0, 0)
  reads("0000-01-01T00:00:00+23:59", 0, 0, 1, 1, 0, 0, 0, 1439)
  reads("0001-01-01T00:00:00Z", 0, 1, 1, 1, 0, 0, 0)
  reads("1969-12-31T23:59:59.5Z", 500000000, 1969, 12, 31, 23, 59, 59)
  reads("9999-12-31T23:59:59.999999999Z", 999999999, 9999, 12, 31, 23, 59, 59)
  reads("9999-12-31T23:59:59-23:59", 0, 9999, 12, 31, 23, 59, 59, -1439)
  reads("2016-12-31T23:59:60Z", 0, 2017, 1, 1, 0, 0, 0)
  reads("2015-06-30T23:59:60Z", 0, 2015, 7, 1, 0, 0, 0)
  reads("2026-06-30T23:59:60Z", 0, 2026, 7, 1, 0, 0, 0)
  reads("2017-01-01T00:59:60+01:00", 0, 2017, 1, 1, 0, 0, 0)
  reads("2016-12-31T18:59:60-05:00", 0, 2017, 1, 1, 0, 0, 0)
  reads("2015-07-01T05:29:60+05:30", 0, 2015, 7, 1, 0, 0, 0)
  for _, t in ipairs {
    "", " ", "now", "2026", "2026-11-30", "18:00:27Z", "2026-11-30T18:00:27", "2026-11-30T18:00Z",
    "2026-11-30 18:00:27Z", "2026-11-30_18:00:27Z", " 2026-11-30T18:00:27Z", "2026-11-30T18:00:27Z ",
    "2026-11-30T18:00:27Z\n", "2026-11-30T18:00:27ZZ", "2026-11-30T18:00:27,5Z", "2026-11-30T18:00:27.Z",
    "2026-11-30T18:00:27.0000000001Z", "2026-11-30T18:00:27.1234567890Z", "2026-11-30T18:00:27.5",
    "2026-11-30T18:00:27. 5Z", "2026-11-30T18:00:27+0100", "2026-11-30T18:00:27+01", "2026-11-30T18:00:27+1:00",
    "2026-11-30T18:00:27+24:00", "2026-11-30T18:00:27-24:00", "2026-11-30T18:00:27+00:60",
    "2026-11-30T18:00:27Z+01:00", "2026-11-30T18:00:27 +01:00", "2026-11-30T18:00:27UTC",
    "2026-11-30T18:00:27\u{2212}01:00", "2026-11-30T24:00:00Z", "2026-11-30T25:00:00Z", "2026-11-30T18:60:00Z",
    "2026-11-30T18:00:61Z", "2026-11-30T18:00:60Z", "2026-11-30T23:59:60Z", "2026-03-31T23:59:60Z",
    "2016-12-31T23:59:61Z", "2016-12-31T23:59:60+01:00", "2017-01-01T00:00:60Z", "2016-12-30T23:59:60Z",
    "2016-12-31T22:59:60Z", "2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z", "2026-11-00T00:00:00Z",
    "2026-11-31T00:00:00Z", "2026-12-32T00:00:00Z", "2026-04-31T00:00:00Z", "2026-06-31T00:00:00Z",
    "2026-09-31T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
    "2024-02-30T00:00:00Z", "10000-01-01T00:00:00Z", "+2026-11-30T18:00:27Z", "-001-01-01T00:00:00Z",
    "26-11-30T18:00:27Z", "2026-1-30T18:00:27Z", "2026-11-3T18:00:27Z", "2026-11-30T8:00:27Z", "2026/11/30T18:00:27Z",
    "20261130T180027Z", "2026-W48-1T18:00:27Z", "2026-334T18:00:27Z", "\u{0662}026-11-30T18:00:27Z",
    "2026-11-30T18:00:27Z\0", "1780077627",
  } do rows[#rows + 1] = { t, false, null, null } end
  write("time", {
    about = "Timestamps: whether they can be read, and their instant in seconds since 1970 and nanoseconds. Second 60 "
      .. "reads as the next second.",
    columns = { "text", "readable", "seconds", "nanoseconds" }, rows = rows,
  })
end

outcome()
route()
verdict()
runtime_need()
scope()
exit()
time()
