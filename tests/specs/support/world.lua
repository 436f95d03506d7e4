-- A world for one spec: a host with a virtual clock, the stand-in runtime, everything that happened. A spec bends the
-- stand-in, plays a run and looks. Must never wait for real time.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local desk = require "tests.specs.support.desk"

local world = {}
world.__index = world

local clock = {}
clock.__index = clock

--- Time of the wall in milliseconds since the start, plus `ms`, as RFC 3339.
function clock:text(ms)
  local at = self.wall_ms + (ms or 0)
  return os.date("!%Y-%m-%dT%H:%M:%S", at // 1000) .. (".%03dZ"):format(at % 1000)
end

local function new_clock()
  return setmetatable({ wall_ms = interlock.time "2026-11-30T18:00:00Z" * 1000, boot_ms = 5000 }, clock)
end

world.TARGET = { platform = "linux", appId = "org.example.Editor", windowId = 7, displayId = "1",
  observationId = "observation-1", confidence = 1, capturedAt = "2026-11-30T18:00:00Z" }

-- `t` with the members of `change`; one that is null there is left out.
local function merged(t, change)
  for name, value in pairs(change or {}) do
    if value == json.null then t[name] = nil else t[name] = value end
  end
  return t
end

--- A proposal as a table: names in `change` are added or replaced. Its arguments hold a capital letter, so that the
--- runtime's digest rule cannot be computed by the library and a fixed digest serves.
function world.proposal(change)
  return merged({ tool = "write_clipboard", arguments = { Text = "hi" }, target = world.TARGET }, change)
end

--- Opens a world. `options` go to the host; `store` is set on it, `clock` and `desk` are those of another world.
function world.open(options)
  local given = options or {}
  local self = setmetatable({ clock = given.clock or new_clock(), events = {}, interrupts = {}, runs = {},
    options = given, store = given.store }, world)
  self.desk = given.desk or desk.new(self.clock)
  local o = { trace = true }
  for name, value in pairs(given) do o[name] = value end
  o.without, o.store, o.desk = nil, nil, nil
  function o.clock()
    local c = self.clock
    if self.on_clock then self.on_clock() end
    return c.wall_ms // 1000, c.wall_ms % 1000 * 1000000, c.boot_ms * 1000000
  end
  function o.event(event) table.insert(self.events, event) end
  function o.interrupt(session, reason)
    table.insert(self.interrupts, { session = session, reason = reason, asked = #self.desk.calls })
  end
  self.host = assert(interlock.host(o))
  if self.store then assert(self.host:set_store(self.store)) end
  for _, op in ipairs(given.without or {}) do self.desk.without[op] = true end
  assert(self.host:set_runtime(self.desk:functions()))
  return self
end

--- Starts a run. `options` replace those of the run; `proposal` may be a table or a text.
function world:start(options)
  local o = { principal = "operator-1", session = "session-1", agent = "agent-1", group = "group-1",
    scopes = { "computer:plan", "computer:execute:background", "computer:execute:foreground" } }
  o = merged(o, options)
  o.proposal = o.proposal or world.proposal()
  if type(o.proposal) == "table" then o.proposal = json.encode(o.proposal) end
  local run = assert(self.host:run(o))
  self.run = self.run or run
  self.runs[#self.runs + 1] = run -- a handle that is collected gives its run back, which would cancel it
  return run
end

--- Lets everything happen that can happen now.
function world:go()
  local tick
  for _ = 1, 10000 do
    tick = assert(self.host:tick(0))
    if not tick.more then return tick end
  end
  error "the host never comes to rest"
end

--- Starts a run and lets it go as far as it can.
function world:play(options)
  local run = self:start(options)
  self:go()
  return run:summary(), run
end

--- Both clocks go on.
function world:advance(ms)
  self.clock.wall_ms = self.clock.wall_ms + ms
  self.clock.boot_ms = self.clock.boot_ms + ms
  return self:go()
end

--- The document of a run, as a table.
function world:document(run)
  return json.decode(assert((run or self.run):document()))
end

--- The runtime asks for an approval of every action.
function world:asks_approval()
  self.desk:edit("preview_action", function(answer)
    answer.executable, answer.blocker = false, "approval_required"
  end)
end

--- The answer to the open request: exact digests, and what `change` says.
function world:answer_of(run, change)
  local doc = self:document(run)
  local answer = { requestId = doc.requestId, actionDigest = doc.actionDigest, policyDigest = doc.policyDigest }
  for name, value in pairs(change or {}) do answer[name] = value end
  return answer
end

--- Answers the waiting run and lets it go on.
function world:answer(change, run)
  run = run or self.run
  local ok, err = run:answer(json.encode(self:answer_of(run, change)))
  self:go()
  return ok, err
end

--- A decision about the open request.
function world:decide(change, run)
  run = run or self.run
  local doc = self:document(run)
  local function text(value) return value ~= json.null and value or nil end
  local d = { request_id = doc.requestId, action_digest = text(doc.actionDigest), decision = "approve",
    policy_digest = text(doc.policyDigest), proposal_digest = text(doc.proposalDigest) }
  for name, value in pairs(change or {}) do d[name] = value end
  local ok, err = run:decide(d)
  self:go()
  return ok, err
end

--- Adds a bundle of policies: { { level, source }, ... }; with `how`, by that function of the host.
function world:bundle(policies, name, how)
  local files, list = {}, json.list()
  for i, policy in ipairs(policies) do
    local file = ("policy%d.lua"):format(i)
    files[file] = policy[2]
    list[i] = { file = file, level = policy[1], params = {} }
  end
  files["bundle.json"] = json.encode { name = name or "bundle", version = "1.0.0", requires = 1, policies = list,
    files = json.list() }
  return self.host[how or "add_bundle"](self.host, files)
end

--- Every record of a run's journal, body decoded.
function world:journal(run)
  local records, seq = {}, 0
  while true do
    local record = (run or self.run):record(seq)
    if not record then return records end
    record.record = json.decode(record.text)
    record.kind, record.body = record.record.kind, record.record.body
    seq = seq + 1
    records[seq] = record
  end
end

--- The first record of that kind.
function world:find(kind, run)
  for _, record in ipairs(self:journal(run)) do
    if record.kind == kind then return record end
  end
end

--- Everything that a run shows outside its journal: its document, its summary, the events.
function world:shown(run)
  local parts = { (assert((run or self.run):document())) }
  for name, value in pairs((run or self.run):summary()) do
    if name ~= "error" then parts[#parts + 1] = tostring(value) end
  end
  for _, event in ipairs(self.events) do
    for _, value in pairs(event) do parts[#parts + 1] = tostring(value) end
  end
  return table.concat(parts, "\n")
end

--- True when `text` is one of the checks that were traced: "object field".
function world:checked(object, field, ok)
  for _, event in ipairs(self.events) do
    if event.type == "check" and event.object == object and event.field == field and event.ok == ok then return true end
  end
  return false
end

--- Opens a world whose runs are kept in a store.
function world.durable(options)
  return world.open(merged({ store = assert(interlock.store {}) }, options))
end

--- The next life: the host is closed, and another one opened over the same store, at the same desk and clock, as
--- another process would. `change` replaces its options. It knows the run's id, and what it is to resume.
function world:next(change)
  local o = merged({ clock = self.clock, desk = self.desk }, self.options)
  local id = self.run_id or self.run:id()
  self.host:close()
  local life = world.open(merged(o, change))
  life.run_id = id
  return life
end

--- Resumes the run of the life before, and lets it go as far as it can. `change` replaces options of the resume.
function world:resume(change)
  local o = { run = self.run_id, principal = "operator-1",
    scopes = { "computer:plan", "computer:execute:background", "computer:execute:foreground" } }
  local run, err = self.host:resume(merged(o, change))
  if not run then return nil, err end
  self.run = run
  self.runs[#self.runs + 1] = run
  self:go()
  return run
end

--- What the store tells of the run, without taking it over.
function world:stored(id) return json.decode(assert(self.host:show(id or self.run_id))) end

--- The answer that the store's own view of the wait asks for.
function world:letter_of(change)
  local doc = self:stored()
  return merged({ requestId = doc.requestId, actionDigest = doc.actionDigest, policyDigest = doc.policyDigest }, change)
end

--- Leaves a letter for whoever owns the run.
function world:submit(kind, body)
  return self.store:submit(self.run_id or self.run:id(), kind, type(body) == "table" and json.encode(body) or body)
end

--- Everything the store holds of the run's journal, as one text.
function world:text()
  local parts = {}
  for i, record in ipairs(assert(self.store:records(self.run_id or self.run:id()))) do
    parts[i] = record.text .. record.hash .. (record.payload or "")
  end
  return table.concat(parts, "\n")
end

function world:close() self.host:close() end

return world
