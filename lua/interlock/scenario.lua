-- The scenario language: what a scenario file can say. Every word comes down to one call of the host (`call`), which
-- drives real runs on a virtual clock; nothing here decides anything about a run.
local call = require("interlock.scenario.host").call

local M = { scenarios = {} }

-- The wire speaks camelCase; here members may be written either way. Free-form values are left alone.
local FREE = { arguments = true, result = true, error = true, payload = true }
local function wire(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, member in pairs(value) do
    local name = key
    if type(key) == "string" then
      name = key:gsub("_(%l)", function(letter) return letter:upper() end)
    end
    out[name] = FREE[key] and member or wire(member)
  end
  if #value > 0 then return json.array(out) end
  return out
end

local function show(value)
  if type(value) == "string" then return '"' .. value .. '"' end
  return tostring(value)
end

-- One run of a scenario. `s` itself acts on the run that was started last.
local methods = {}

-- The run of a run object; of `s` the one that was started last. `level` points an error at the scenario's own line.
local function current(self, level)
  local run = self.run or self.last
  if not run then error("nothing was started yet: s:start { tool = ... } comes first", level or 3) end
  return run
end

local function document(self)
  return call("document", { run = current(self, 4) })
end

local function expect(ok, format, ...)
  if not ok then error(string.format(format, ...), 3) end
end

-- Takes what an answer came to, and holds it against `expect = "approval_mismatch"` (nothing: it must be taken). Most
-- words end in this call, so that the line of the scenario is one level up; `level` says where it is not.
local function settle(result, want, what, level)
  level = level or 2
  if want == nil then
    if not result.ok then error(what .. " was refused: " .. tostring(result.message), level) end
    return result
  end
  if result.ok then error(what .. " was taken, but " .. want .. " was expected", level) end
  if result.code ~= want then
    error(string.format("%s was refused with %s (%s), but %s was expected", what, result.code, result.message, want),
      level)
  end
  return result
end

-- The handle of a run, which `s` means from now on.
local function handle(all, number)
  all.last = number
  local run = { run = number, all = all }
  for name, method in pairs(methods) do run[name] = method end
  return run
end

--- Starts a run of a proposal. `options`: principal, tenant, session, agent, group, scopes, workflow_source,
--- identity_expires_at; action_id and run_id (UUIDs) play a recording with its own ids; `expect` names the code with
--- which it must not start.
function methods.start(self, proposal, options)
  if type(proposal) ~= "table" and type(proposal) ~= "string" then
    error("s:start takes a proposal: s:start { tool = ..., arguments = { ... } }", 2)
  end
  local result = call("start", { proposal = wire(proposal), options = options }) -- a text goes as it stands
  if not result.ok then
    if options and options.expect then return settle(result, options.expect, "the proposal") end
    error("the run did not start: " .. tostring(result.message), 2)
  end
  if options and options.expect then
    error("the run started, but " .. options.expect .. " was expected", 2)
  end
  return handle(self.all or self, result.run)
end

--- Lets time pass: "45s", "5m", "250ms" or seconds.
function methods.advance(_, time)
  call("advance", { time = time })
end

--- Turns the wall clock alone ("-1h", "+1h"); the monotonic clock goes its way.
function methods.turn_clock(_, time)
  call("turn_clock", { time = time })
end

--- Answers the open request with approval, whatever needs it has. `by`, `reason`; for the runtime's need `grant`
--- (default "grant-1") or `runtime_approved = true`; any member of the answer can be replaced: `request`,
--- `action_digest`, `policy_digest`. `expect` names the code of the refusal.
function methods.approve(self, o)
  o = o or {}
  local d = document(self)
  local runtime, host = false, false
  for _, need in ipairs(d.needs or {}) do
    if need.kind == "runtime" then runtime = not need.met else host = true end
  end
  local id = { requestId = o.request or d.requestId, actionDigest = o.action_digest or d.actionDigest,
    policyDigest = o.policy_digest or d.policyDigest }
  local result = { ok = true }
  if runtime or not host then
    id.grantId = o.grant or (not o.runtime_approved and "grant-1") or nil
    id.runtimeApproved = o.runtime_approved
    result = call("answer", { run = current(self), answer = id })
  end
  if result.ok and host then
    result = call("decide", { run = current(self), approver = o.by, decision = "approve", reason = o.reason,
      requestId = id.requestId, actionDigest = id.actionDigest, policyDigest = id.policyDigest,
      proposalDigest = o.proposal_digest or d.proposalDigest })
  end
  return settle(result, o.expect, "the approval")
end

local function decide(self, decision, o)
  o = o or {}
  local d = document(self)
  local result = call("decide", { run = current(self), approver = o.by, decision = decision, reason = o.reason,
    requestId = o.request or d.requestId, actionDigest = o.action_digest or d.actionDigest,
    policyDigest = o.policy_digest or d.policyDigest, proposalDigest = o.proposal_digest or d.proposalDigest })
  return settle(result, o.expect, "the decision")
end

--- A person says no.
function methods.deny(self, o) return decide(self, "deny", o) end
--- A person leaves the request open.
function methods.defer(self, o) return decide(self, "defer", o) end
--- A person wants it looked at afresh.
function methods.reobserve(self, o) return decide(self, "re-observe", o) end

--- A decision by its name: "approve", "deny", "defer" or "re-observe".
function methods.decide(self, decision, o) return decide(self, decision, o) end

--- Answers the runtime's need alone: `grant`, or `runtime_approved = true`.
function methods.authorize(self, o)
  local d = document(self)
  return settle(call("answer", { run = current(self), answer = { requestId = d.requestId,
    actionDigest = d.actionDigest, policyDigest = d.policyDigest, runtimeApproved = o.runtime_approved,
    grantId = o.grant } }), o.expect, "the answer")
end

--- The process ends, as it were, once the latest run has written that many records (s:start and whatever makes it go on
--- come after this): what it was doing is lost, and s:resume takes the run up from its journal. Needs store = true.
function methods.crash_after(_, records)
  return settle(call("crash_after", { records = records }), nil, "the crash")
end

--- Answers with a document as it stands (a table, or text). Members in wire form.
function methods.answer(self, answer, o)
  o = o or {}
  return settle(call("answer", { run = current(self), answer = answer, file = o.file }), o.expect, "the answer")
end

--- Cancels the run.
function methods.cancel(self, reason)
  return settle(call("cancel", { run = current(self), reason = reason }), nil, "the cancel")
end

--- Leaves a run that waits in the store (store = true): it is shown from there, and answers to it go by letter, until
--- s:resume takes it up again. `expect` names the code with which it must not be left.
function methods.leave(self, o)
  return settle(call("leave", { run = current(self) }), o and o.expect, "the leaving")
end

--- Takes a run up again from its journal: principal, tenant, session, scopes, workflow_source, identity_expires_at, as
--- for s:start; `renew = true` begins the successor of one that ended and changed nothing. `expect` names the code with
--- which it must be refused.
function methods.resume(self, o)
  local result = call("resume", { run = current(self), options = o })
  settle(result, o and o.expect, "the resume", 3)
  return result.ok and handle(self.all or self, result.run) or result
end

--- Leaves a letter as it stands: "answer", "decision" or "cancel", and its document (a table in wire form, or text).
function methods.letter(self, kind, body, o)
  return settle(call("letter", { run = current(self), kind = kind, body = body }), o and o.expect, "the letter")
end

--- Pauses or stops the session of the run, or everything. Returns what came of it: {ok, code, message, interrupted}.
function methods.pause(_, o) return call("stop", { what = "pause_session", session = o and o.session }) end
function methods.stop(_, o) return call("stop", { what = "stop_session", session = o and o.session }) end
function methods.emergency_stop(_) return call("stop", { what = "emergency_stop" }) end
--- An operator lifts a stop.
function methods.lift(_, session) return call("lift", { session = session }) end

--- The result or waiting document of the run, as a table.
function methods.document(self) return document(self) end
--- What the fake runtime counted: effects, reservations, releases, leases, calls per operation, order.
function methods.runtime(_) return call("inspect", {}) end
--- The events so far, oldest first.
function methods.events(self) return call("events", { run = self.run }).events end

--- Fails the scenario with `message` unless `ok`.
function methods.expect(_, ok, message)
  if not ok then error(message or "expectation failed", 2) end
end

function methods.expect_status(self, want)
  local d = document(self)
  expect(d.status == want, "status: expected %s, saw %s%s", show(want), show(d.status),
    d.error and (" (" .. tostring(d.error.message) .. ")") or "")
end
function methods.expect_waiting(self)
  local d = document(self)
  expect(d.status == "waiting", "expected the run to wait, saw status %s%s", show(d.status),
    d.error and (" (" .. tostring(d.error.message) .. ")") or "")
end
function methods.expect_effect(self, want)
  local d = document(self)
  expect(d.effect == want, "effect: expected %s, saw %s", show(want), show(d.effect))
end
function methods.expect_verified(self, want)
  local d = document(self)
  expect(d.verified == want, "verified: expected %s, saw %s", show(want), show(d.verified))
end
function methods.expect_committed(self, want)
  local d = document(self)
  expect(d.committed == want, "committed: expected %s, saw %s", show(want), show(d.committed))
end
function methods.expect_retry_safe(self, want)
  local d = document(self)
  expect(d.retrySafe == want, "retrySafe: expected %s, saw %s", show(want), show(d.retrySafe))
end
function methods.expect_exit(self, want)
  local d = document(self)
  expect(d.exit == want, "exit status: expected %s, saw %s", show(want), show(d.exit))
end
function methods.expect_reason(self, want)
  local d = document(self)
  local reason = d.result and d.result.reason
  expect(reason == want, "reason: expected %s, saw %s", show(want), show(reason))
end
function methods.expect_detail(self, part)
  local d = document(self)
  local detail = d.result and d.result.verificationDetail
  expect(type(detail) == "string" and detail:find(part, 1, true), "verification detail: expected %s in it, saw %s",
    show(part), show(detail))
end
function methods.expect_no_error(self)
  local d = document(self)
  expect(d.error == nil, "expected no error, saw %s", show(d.error and d.error.message))
end
--- Each verdict of the run in the order in which they were given: "PHASE POLICY SAID RULED".
function methods.expect_verdicts(self, want)
  local seen = call("verdicts", { run = current(self) }).verdicts
  for i = 1, math.max(#want, #seen) do
    expect(want[i] == seen[i], "verdict %d: expected %s, saw %s", i, show(want[i]), show(seen[i]))
  end
end
--- Each member given must be the error's: code, object, field, step; `message` must be part of it; `cleanup` names the
--- code of the cleanup error.
function methods.expect_error(self, want)
  local d = document(self)
  local e = d.error
  expect(e ~= nil, "expected an error, saw none (status %s)", show(d.status))
  for name, value in pairs(want) do
    if name == "message" then
      local found = tostring(e.message):find(value, 1, true)
      expect(found, "error message: expected %s in it, saw %s", show(value), show(e.message))
    elseif name == "cleanup" then
      expect(e.cleanup and e.cleanup.code == value, "cleanup error: expected %s, saw %s", show(value),
        show(e.cleanup and e.cleanup.code))
    else
      expect(e[name] == value, "error %s: expected %s, saw %s (%s)", name, show(value), show(e[name]),
        tostring(e.message))
    end
  end
end

local function expect_count(name, what)
  return function(_, want)
    local seen = call("inspect", {})[name]
    expect(seen == want, "%s: expected %s, saw %s", what, show(want), show(seen))
  end
end
methods.expect_effects = expect_count("effects", "effects at the runtime")
methods.expect_reservations = expect_count("reservations", "reservations made")
methods.expect_releases = expect_count("releases", "reservations released")
methods.expect_leases = expect_count("leases", "leases given")
methods.expect_lease_releases = expect_count("lease_releases", "leases released")
function methods.expect_calls(_, op, want)
  local calls = call("inspect", {}).calls
  local seen = calls and calls[op] or 0
  expect(seen == want, "calls of %s: expected %s, saw %s", op, show(want), show(seen))
end

--- A fake runtime with these options (lua/README.md).
function M.fake(options)
  return { fake = options or {} }
end
--- A runtime from a Lua file beside the scenario, with what the file gets as its options.
function M.lua_runtime(file, options)
  return { file = file, options = options }
end

--- The answers of a recorded run, by operation (lua/runtimes/recorded.lua); `options.rehash`: its values were masked.
function M.recorded(answers, options)
  return { recorded = { answers = answers, rehash = options and options.rehash } }
end

local MEMBERS = { before = true, runtime = true, store = true, policies = true, workflow = true, workflow_source = true,
  approvers = true, options = true, now = true, principal = true, tenant = true, scopes = true, session = true,
  agent = true, group = true, play = true }

--- scenario "what must be seen" { runtime = fake { ... }, play = function(s) ... end }
function M.scenario(name)
  if type(name) ~= "string" or name == "" then error('a scenario needs a name: scenario "..." { ... }', 2) end
  return function(definition)
    if type(definition) ~= "table" or type(definition.play) ~= "function" then
      error("scenario " .. show(name) .. " needs play = function(s) ... end", 2)
    end
    for member in pairs(definition) do
      if not MEMBERS[member] then
        error("scenario " .. show(name) .. " has no member " .. show(member), 2)
      end
    end
    M.scenarios[#M.scenarios + 1] = { name = name, definition = definition }
  end
end

function M.count() return #M.scenarios end
function M.name(at) return M.scenarios[at].name end
function M.setup(at)
  local setup = {}
  for name, value in pairs(M.scenarios[at].definition) do
    if name ~= "play" then setup[name] = value end
  end
  return setup
end
function M.play(at)
  local s = {}
  for name, method in pairs(methods) do s[name] = method end
  return M.scenarios[at].definition.play(s)
end

return M
