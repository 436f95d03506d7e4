-- Random worlds: workflows of random verbs, runtimes with random faults, clocks that jump, people who answer, stop and
-- cancel at random moments, several runs at once. Whatever happens, what must hold holds. A seed that fails is named
-- and plays the same again: SEED=n; WORLDS=n plays more of them.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"

local POSTCONDITION = { kind = "window", windowId = 7, exists = true }
local SEEDS, STEPS = tonumber(os.getenv "WORLDS") or 300, 60

-- A generator of its own, so that a seed means the same everywhere.
local function generator(seed)
  local state = seed * 7919 + 17
  return function(n)
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % n + 1
  end
end

local VERBS = { "run:observe('visual')", "run:observe('capabilities', 'visual', 'semantic')", "run:preview()",
  "run:request_approval()", "run:reserve()", "run:acquire_lease()", "run:execute()", "run:verify()", "run:block()",
  "run:deny('no')", "error('x')", "pcall(function() run:execute() end)", "pcall(function() run:preview() end)",
  "pcall(function() run:acquire_lease() end)", "coroutine.yield()", "if run then return end" }
local ORDER = { 1, 3, 4, 5, 6, 7, 8 }

-- Mostly the reference order, with verbs left out, repeated and put in.
local function random_workflow(pick)
  local lines = { "return function(run)" }
  for _, verb in ipairs(ORDER) do
    if pick(12) > 1 then lines[#lines + 1] = VERBS[verb] end
    if pick(10) == 1 then lines[#lines + 1] = VERBS[pick(#VERBS)] end
  end
  lines[#lines + 1] = "end"
  return table.concat(lines, "\n")
end

local OPS = { "observe_visual", "preview_action", "reserve_target", "acquire_lease", "execute_action", "verify",
  "recover", "release_lease", "release_target" }
local EDITS = {
  function(a) a.sessionId = "another" end, function(a) a.state = "released" end, function(a) a.expiresAt = "never" end,
  function(a) a.actionDigest, a.intentId, a.actionsUsed = "x", "y", 1 end, function(a) a.principalId = "another" end,
  function(a) if a.envelope then a.envelope.tool = "other" end end,
  function(a) if a.envelope then a.executable, a.blocker = false, "approval_required" end end,
  function(a) a.status = "rejected" end, function(a) a.status = "interrupted" end,
}

local function random_faults(w, pick)
  for _ = 1, pick(4) - 1 do
    local op, nth = OPS[pick(#OPS)], pick(3)
    local kind = pick(6)
    if kind == 1 then w.desk:fail(op, "internal_error", nth, pick(2) == 1)
    elseif kind == 2 then w.desk:lose(op, nth, pick(2) == 1)
    elseif kind == 3 then w.desk:answer(op, "{", nth)
    else
      local edit = EDITS[pick(#EDITS)]
      w.desk:edit(op, function(a) if type(a) == "table" then edit(a) end end, nth)
    end
  end
  for _, op in ipairs(OPS) do
    if pick(4) == 1 then w.desk:hold(op) end
  end
  w.desk.proves = pick(2) == 1
  if pick(3) == 1 then w:asks_approval() end
  if pick(4) == 1 then
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", preview = function() return policy.ask("why") end, execute = function() end }]] } })
  end
end

-- A lease or reservation that reached the library with a readable id; of a lease only one of its own session counts.
local function took(seen, op, text)
  local ok, object = pcall(json.decode, text)
  if not ok or type(object) ~= "table" then return end
  local ours = object.sessionId == "session-1" and object.principalId == "operator-1"
  if op == "acquire_lease" and ours then seen.taken[object.leaseId] = "leases" end
  if op == "reserve_target" then seen.taken[object.reservationId] = "reservations" end
end

local function deliver(w, seen, at)
  local held = table.remove(w.desk.held, at)
  if w.host:complete(held.token, held.text) then took(seen, held.op, held.text) end
end

-- What is known of the world beside the library: who was told yes, what is held, what was stopped.
local function watch(w)
  local seen = { sent = {}, effects = {}, approved = {}, asked = {}, leases = {}, reservations = {},
    taken = {} }
  w.desk.on_answer = function(op, text) took(seen, op, text) end
  w.desk:edit("preview_action", function(a)
    if type(a) ~= "table" or type(a.envelope) ~= "table" then return end
    seen.asked[a.envelope.actionId] = a.blocker == "approval_required"
  end)
  w.desk:before("execute_action", function(body)
    local id = body.actionId
    seen.sent[id] = (seen.sent[id] or 0) + 1
    assert.is_true(seen.sent[id] <= (w.desk.proves and 2 or 1), "an execute too many")
    assert.is_true(seen.sent[id] == 1 or w.desk:asked "recover" > 0, "sent again without asking what became of it")
    assert.is_true(interlock.time(body.envelope.expiresAt) * 1000 > w.clock.wall_ms - 1000, "sent after the expiry")
    assert.is_true(not seen.asked[id] or seen.approved[id] == true, "sent without the approval that was asked for")
    assert.is_nil(seen.leases[body.lease.leaseId], "sent with a lease that was given back")
    assert.is_falsy(w.stopped, "sent although the session was stopped")
    assert.is_false(seen.cancelled and seen.cancelled[id] or false, "sent although the run was cancelled")
  end)
  w.desk:before("release_lease", function(body)
    assert.is_nil(seen.leases[body.leaseId], "a lease given back twice")
    seen.leases[body.leaseId] = true
  end)
  w.desk:before("release_target", function(body)
    assert.is_nil(seen.reservations[body.reservationId], "a reservation given back twice")
    seen.reservations[body.reservationId] = true
  end)
  return seen
end

local function approve(w, run, seen)
  if run:state() ~= "waiting" then return end
  local doc = w:document(run)
  for _, need in ipairs(doc.needs) do
    if need.kind == "runtime" and w:answer({ grantId = "grant-1" }, run) then seen.approved[run:action_id()] = true end
    if need.kind == "host" and run:state() == "waiting" then w:decide({}, run) end
  end
end

local function step(w, pick, runs, seen)
  local what = pick(14)
  local run = runs[pick(#runs)]
  if what <= 3 then approve(w, run, seen)
  elseif what == 4 then w:advance(pick(4000))
  elseif what == 5 and pick(6) == 1 then w:advance(400000)
  elseif what == 6 and pick(8) == 1 then
    if run:cancel "at random" then
      seen.cancelled = seen.cancelled or {}
      seen.cancelled[run:action_id()] = true
    end
  elseif what == 7 and pick(12) == 1 then
    w.stopped = true
    w.host:stop_session("session-1", "at random")
  elseif what == 8 and w.stopped and pick(4) == 1 then
    w.stopped = false
    assert(w.host:lift_stop "session-1")
  elseif what == 9 and pick(4) == 1 then w.clock.wall_ms = w.clock.wall_ms - 100000
  elseif #w.desk.held > 0 then deliver(w, seen, pick(#w.desk.held))
  end
  w:go()
end

-- Everything comes to its end: what is held back is delivered, every time-out passes.
local function settle(w, seen)
  for _ = 1, 12 do
    while #w.desk.held > 0 do
      deliver(w, seen, 1)
      w:go()
    end
    w:advance(301000)
  end
end

local function honest(w, run, seen)
  local s, id = run:summary(), run:action_id()
  local acted = w.desk.acted[id] or 0
  assert.are.equal("ended", run:state())
  assert.are.equal(s.effect == "none", s.retry_safe)
  assert.is_true(acted <= 1)
  if s.effect == "none" and w.desk.rejected[id] == nil then assert.are.equal(0, acted) end
  if s.effect == "committed" then assert.are.equal(1, acted) end
  if not seen.sent[id] then assert.are.equal("none", s.effect) end
  if s.verified then assert.are.equal("completed", s.status) end
  if s.status == "completed" or s.status == "committed_unverified" then assert.are.equal("committed", s.effect) end
  if s.effect == "unknown" then assert.are.equal(7, s.exit_status) end
  local prev = ""
  for _, record in ipairs(w:journal(run)) do
    assert.are.equal(prev, record.record.prev)
    prev = record.hash
  end
  json.decode(run:document())
end

local function play(seed)
  local pick = generator(seed)
  local w = world.open { trace = false, request_timeout_ms = 20000, lease_wait_ms = 10000, max_moving_runs = pick(3) }
  local seen = watch(w)
  random_faults(w, pick)
  local runs = {}
  for i = 1, pick(3) do
    runs[i] = w:start { workflow = random_workflow(pick),
      proposal = world.proposal { postcondition = pick(2) == 1 and POSTCONDITION or nil,
        mode = pick(10) == 1 and "shadow" or "background" } }
  end
  w:go()
  for _ = 1, STEPS do step(w, pick, runs, seen) end
  settle(w, seen)
  for _, run in ipairs(runs) do honest(w, run, seen) end
  for id, kind in pairs(seen.taken) do assert.is_true(seen[kind][id], id .. " was never given back") end
  local tick = w:go()
  assert.are.same({ 0, 0, 0 }, { tick.moving, tick.queued, tick.waiting })
  w:close()
end

describe("a random world", function()
  local only = tonumber(os.getenv "SEED")
  for from = only or 1, only or SEEDS, 50 do
    local to = only or math.min(from + 49, SEEDS)
    local what = "of the seeds %d to %d: one effect at most, nothing unasked, all given back once, the truth told"
    it(what:format(from, to), function()
      for seed = from, to do
        local ok, err = xpcall(play, function(e)
          return ("seed %d: %s\n%s"):format(seed, tostring(type(e) == "table" and e.message or e), debug.traceback())
        end, seed)
        if not ok then error(err, 0) end
      end
    end)
  end
end)
