-- Limits and history: what is counted over runs, by the core, whatever becomes of the process that counts. Each rule
-- without a store, with one in memory, and with one in a file.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"

local ID_KINDS = { "no store", "memory", "file" }

-- A policy whose phases have these bodies.
local function policy(phases, name)
  local parts = {}
  for _, phase in ipairs { "propose", "preview", "approve", "execute" } do
    if phases[phase] then
      parts[#parts + 1] = ("%s = function(action, ctx) %s end"):format(phase, phases[phase])
    end
  end
  return ('local policy = require "interlock.policy"\nreturn policy { name = "%s", %s }'):format(name or "p",
    table.concat(parts, ",\n"))
end
local function limit(max, per, more)
  return ('ctx.limit { key = "edits", max = %d, per = "%s"%s }'):format(max, per or "1h", more or "")
end

local function remove(path)
  for _, suffix in ipairs { "", "-wal", "-shm" } do os.remove(path .. suffix) end
end

for _, kind in ipairs(ID_KINDS) do
  describe("with " .. kind .. ":", function()
    local w, path
    before_each(function()
      local store
      if kind == "memory" then store = assert(interlock.store {}) end
      if kind == "file" then
        path = os.tmpname()
        os.remove(path)
        store = assert(interlock.store { path = path, create = true })
      end
      w = world.open { store = store, max_moving_runs = 32, request_timeout_ms = 5000 }
    end)
    after_each(function()
      w:close()
      if w.store then w.store:close() end
      if path then remove(path) end
      path = nil
    end)

    it("a limit lets so many through and no more", function()
      assert(w:bundle { { "hard", policy { preview = limit(2) } } })
      assert.are.equal("committed_unverified", w:play().status)
      assert.are.equal("committed_unverified", w:play().status)
      local s, run = w:play()
      assert.are.equal("blocked", s.status)
      assert.are.equal("policy_denied", s.error.code)
      assert.are.equal("policy: bundle/p: limit bundle/edits: 2 of 2 used within 1h", s.error.message)
      assert.are.equal(2, w.desk.effects)
      local verdict
      for _, record in ipairs(w:journal(run)) do
        if record.kind == "verdict" and record.body.code == "limit" then verdict = record.body end
      end
      assert.are.equal("deny", verdict.ruled)
    end)

    it("64 runs at once on a limit of 8 have 8 effects", function()
      assert(w:bundle { { "hard", policy { preview = limit(8) } } })
      for _ = 1, 64 do w:start() end
      w:go()
      local ended = {}
      for _, run in ipairs(w.runs) do
        local status = run:summary().status
        ended[status] = (ended[status] or 0) + 1
      end
      assert.are.same({ committed_unverified = 8, blocked = 56 }, ended)
      assert.are.equal(8, w.desk.effects)
    end)

    it("a unit comes back when its time is over, not before", function()
      assert(w:bundle { { "hard", policy { preview = limit(1, "10s") } } })
      assert.are.equal("committed_unverified", w:play().status)
      w:advance(9999)
      assert.are.equal("blocked", w:play().status)
      w:advance(1)
      assert.are.equal("committed_unverified", w:play().status)
    end)

    it("what is claimed in any phase is consumed once, whatever phases there are", function()
      for _, phase in ipairs { "propose", "preview", "execute" } do
        local body = ('ctx.limit { key = "%s", max = 5, per = "1h" }'):format(phase)
        assert(w:bundle({ { "hard", policy { [phase] = body } } }, phase))
      end
      assert(w:bundle({ { "hard", policy { propose = limit(5), preview = limit(5), execute = limit(5) } } }, "all"))
      w:play()
      w:play()
      assert.are.same({ "all/edits", "execute/execute", "preview/preview", "propose/propose" },
        (function() local u = w:find("execute").body.units table.sort(u) return u end)())
      if w.store then
        for _, row in ipairs(assert(w.store:limits(w.clock.wall_ms))) do assert.are.equal(2, row.hour, row.key) end
        assert.are.equal(4, #w.store:limits(w.clock.wall_ms))
      end
      assert.are.same(w:find("execute").body.units, w:document().units)
    end)

    it("a script hears how many are left and how long to wait", function()
      assert(w:bundle { { "hard", policy { preview = 'local left, wait = ' .. limit(2, "1m", ', over = "count"') ..
        ' return policy.deny(left .. " left, wait " .. wait)' } } })
      local function says_so(run) return (run:summary().error.message:match("(%d+ left, wait %d+)")) end
      local _, run = w:play()
      assert.are.equal("2 left, wait 0", says_so(run))
    end)

    it("over = count refuses nothing and counts all", function()
      assert(w:bundle { { "hard", policy { preview = 'local left, wait = ' .. limit(1, "1m", ', over = "count"') ..
        ' if left == 0 and wait ~= 60 - 10 * (ctx.time.second // 10) then error(wait) end' } } })
      for _ = 1, 3 do assert.are.equal("committed_unverified", w:play().status) end
    end)

    it("a soft policy asks for an override instead, which holds at execute", function()
      assert(w:bundle { { "soft", policy { preview = limit(1) } } })
      w:play()
      local s, run = w:play()
      assert.are.equal("waiting", s.status)
      local need = w:document(run).needs[1]
      assert.are.equal("limit", need.code)
      assert.is_true(need.override)
      assert.are.equal("limit bundle/edits: 1 of 1 used within 1h", need.reason)
      assert(w:decide({ approver = "approver-1", reason = "it has to be" }, run))
      assert.are.equal("committed_unverified", run:summary().status)
      assert.are.same({ "bundle/edits" }, w:document(run).units)
    end)

    it("an override of one limit is none of another of the same policy", function()
      local both = 'ctx.limit { key = "edits", max = 1, per = "1h" } ctx.limit { key = "all", max = 2, per = "1h" }'
      assert(w:bundle { { "soft", policy { preview = both } } })
      w:play()
      local _, first = w:play()
      local _, second = w:play()
      assert.are.equal("limit bundle/edits: 1 of 1 used within 1h", w:document(first).needs[1].reason)
      assert(w:decide({ approver = "approver-1", reason = "it has to be" }, second))
      assert.are.equal("committed_unverified", second:summary().status)
      assert(w:decide({ approver = "approver-1", reason = "this one, too" }, first))
      assert.are.equal("blocked", first:summary().status)
      assert.are.equal("limit bundle/all: 2 of 2 used within 1h", first:summary().error.message:match("limit .*"))
      assert.are.equal(2, w.desk.effects)
    end)

    it("a soft policy that was not overridden ends the run when another one took the last unit", function()
      assert(w:bundle { { "soft", policy { preview = limit(1) } } })
      w:start()
      w:start()
      w:go()
      local ended = { w.runs[1]:summary().status, w.runs[2]:summary().status }
      table.sort(ended)
      assert.are.same({ "blocked", "committed_unverified" }, ended)
      assert.are.equal(1, w.desk.effects)
    end)

    it("an advisory policy counts and refuses nothing", function()
      assert(w:bundle { { "advisory", policy { preview = limit(1) } } })
      for _ = 1, 3 do assert.are.equal("committed_unverified", w:play().status) end
      assert.are.same({ "bundle/edits" }, w:document(w.runs[3]).units)
    end)

    it("who asks for people and has no unit left asks for both", function()
      local ask = ' return policy.ask("look at it", { timeout = "1m" })'
      assert(w:bundle { { "soft", policy { preview = limit(1) .. ask } } })
      local _, first = w:play()
      assert(w:decide({ approver = "approver-1" }, first))
      local _, second = w:play()
      local codes = {}
      for _, need in ipairs(w:document(second).needs) do codes[#codes + 1] = need.reason end
      assert.are.same({ "look at it", "limit bundle/edits: 1 of 1 used within 1h" }, codes)
    end)

    it("keys of two bundles are two counters", function()
      assert(w:bundle({ { "hard", policy { preview = limit(1) } } }, "one"))
      w:play()
      assert(w:bundle({ { "hard", policy { preview = limit(2) } } }, "two"))
      local s = w:play()
      assert.truthy(s.error.message:find("limit one/edits", 1, true))
    end)

    it("a shadow run consumes nothing", function()
      assert(w:bundle { { "hard", policy { preview = limit(1) } } })
      for _ = 1, 3 do
        assert.are.equal("previewed", w:play { proposal = world.proposal { mode = "shadow" } }.status)
      end
      assert.are.equal("committed_unverified", w:play().status)
    end)

    it("a run that failed after it was sent keeps its unit, one that was refused before has none", function()
      assert(w:bundle { { "hard", policy { preview = limit(1) } } })
      w.desk:fail("acquire_lease", "no", 1)
      w:play()
      w.desk:fail("execute_action", "no", 1)
      w:play()
      assert.are.equal("blocked", w:play().status)
    end)

    it("a second send takes no second unit", function()
      assert(w:bundle { { "hard", policy { preview = limit(2) } } })
      w.desk:lose("execute_action", 1)
      w.desk:answer("recover", '"not_started"', 1)
      w:start()
      w:go()
      w:advance(6000)
      assert.are.equal("committed_unverified", w.run:summary().status)
      assert.are.equal("committed_unverified", w:play().status)
      assert.are.equal("blocked", w:play().status)
    end)

    it("a second send is not counted against itself, nor is what became of it history", function()
      assert(w:bundle { { "hard", policy { preview = limit(1), execute = limit(1) ..
        ' if ctx.history { session = "any" } > 0 then return policy.deny("it has a past") end' } } })
      w.desk:lose("execute_action", 1)
      w.desk:answer("recover", '"not_started"', 1)
      w:start()
      w:go()
      w:advance(6000)
      assert.are.equal("committed_unverified", w.run:summary().status)
      assert.are.equal(1, w.desk.effects)
    end)

    -- ---- history

    -- A bundle that is asked for the history with the query that stands in the arguments, and says what it heard.
    local function ask_history()
      assert(w:bundle({ { "hard", policy { preview = [[
        if not action.arguments.query then return end
        local query = {}
        for name, value in pairs(action.arguments.query) do query[name] = value end
        local n, since = ctx.history(query)
        return policy.deny(n .. " " .. tostring(since))]] } } }, "asks"))
    end
    local function counted(query)
      local s = w:play { proposal = world.proposal { arguments = { Text = "hi", query = query } } }
      return s.error.message:match(": (%d+ %w+)$") or s.error.message
    end

    it("history counts what became of earlier runs", function()
      ask_history()
      w:play { proposal = world.proposal { postcondition = { kind = "window", windowId = 7, exists = true } } }
      w:play()
      w.desk:fail("execute_action", "no", 3)
      w:play()
      w:advance(4000)
      assert.are.equal("3 4", counted {})
    end)

    for _, row in ipairs {
      { "verified", function() w.desk:answer("verify", '{"satisfied":true}') w:play { proposal = world.proposal {
        postcondition = { kind = "window", windowId = 7, exists = true } } } end },
      { "unverified", function() w:play() end },
      { "failed", function() w.desk:answer("verify", '{"satisfied":false}') w:play { proposal = world.proposal {
        postcondition = { kind = "window", windowId = 7, exists = true } } } end },
      { "failed", function() w.desk:edit("execute_action", function(r) r.status = "rejected" end) w:play() end },
      { "indeterminate", function() w.desk:lose("execute_action") w:play() w:advance(6000) end },
      { "indeterminate", function() w.desk:hold("execute_action") w:play() end },
    } do
      it("history: a run is " .. row[1], function()
        ask_history()
        row[2]()
        local first = counted { outcome = row[1] }
        assert.truthy(first:find("^1 %d"), first .. " " .. w.runs[1]:summary().status)
        for _, other in ipairs { "verified", "unverified", "failed", "indeterminate" } do
          if other ~= row[1] then assert.are.equal("0 nil", counted { outcome = other }) end
        end
      end)
    end

    it("history: what never reached execute, or never left, is none of it", function()
      ask_history()
      w.desk:fail("acquire_lease", "no", 1)
      w:play()
      w:play { proposal = world.proposal { mode = "shadow" } }
      assert.are.equal("0 nil", counted {})
    end)

    it("history is told apart by session, tool, app, class and time", function()
      ask_history()
      w:play()
      w:advance(2000)
      for _, row in ipairs {
        { 1, {} }, { 1, { session = "any" } }, { 1, { tool = "write_clipboard" } }, { 0, { tool = "other" } },
        { 1, { app = "org.example.Editor" } }, { 0, { app = "org.example.Other" } },
        { 1, { class = "edit_reversible" } }, { 1, { class = json.list { "financial", "edit_reversible" } } },
        { 0, { class = "financial" } }, { 1, { within = "3s" } }, { 1, { within = 3 } }, { 0, { within = "2s" } },
        { 1, { outcome = json.list { "failed", "unverified" } } },
      } do
        assert.are.equal(row[1] .. (row[1] == 1 and " 2" or " nil"), counted(row[2]), json.encode(row[2]))
      end
    end)

    it("history of another session is asked for by name", function()
      ask_history()
      w:play { session = "session-2" }
      assert.are.equal("0 nil", counted {})
      assert.are.equal("1 0", counted { session = "any" })
    end)

    it("what was asked and claimed stands in the journal", function()
      assert(w:bundle { { "hard", policy { preview = 'ctx.history { outcome = "failed", within = "10m" } ' ..
        'ctx.history { session = "any", class = { "financial" }, tool = "t", app = "a" } ' .. limit(3) } } })
      w:play()
      local text
      for _, record in ipairs(w:journal()) do
        if record.kind == "verdict" then text = record.text end
      end
      assert.truthy(text:find('"asked":[' ..
        '{"count":0,"history":{"outcome":["failed"],"session":"this","withinMs":600000},"sinceMs":-1},' ..
        '{"count":0,"history":{"app":"a","class":["financial"],"session":"any","tool":"t"},"sinceMs":-1},' ..
        '{"limit":"bundle/edits","max":3,"perMs":3600000,"used":0,"waitMs":0}],' ..
        '"claims":[{"key":"bundle/edits","max":3,"perMs":3600000,"refuses":true}]', 1, true), text)
    end)

    if kind ~= "no store" then
      it("a run that waits claims what it claimed, also in the next life", function()
        assert(w:bundle { { "hard", policy { preview = limit(1) } } })
        w:asks_approval()
        w:play()
        w.run_id = w.run:id()
        local life = w:next()
        assert(life:bundle { { "hard", policy { preview = limit(1) } } })
        assert(life:resume())
        assert(life:answer { runtimeApproved = true })
        w = life
        assert.are.equal("committed_unverified", w.run:summary().status)
        assert.are.same({ "bundle/edits" }, w:document().units)
        assert.are.same({ "bundle/edits" }, w:stored().units)
      end)

      it("what was claimed stands, whatever the bundles of the next life say", function()
        assert(w:bundle { { "hard", policy { preview = limit(1) } } })
        w:asks_approval()
        w:play()
        w.run_id = w.run:id()
        local life = w:next()
        assert(life:bundle { { "hard", policy { preview = "" } } })
        assert(life:resume())
        assert(life:answer { runtimeApproved = true })
        w = life
        assert.are.same({ "bundle/edits" }, w:document().units)
      end)

      it("a run that waited is asked again: the last unit may be gone", function()
        assert(w:bundle { { "hard", policy { preview = limit(1) } } })
        w:asks_approval()
        local _, waits = w:play()
        local _, quick = w:play()
        assert(w:answer({ runtimeApproved = true }, quick))
        w.run_id = waits:id()
        local life = w:next()
        assert(life:bundle { { "hard", policy { preview = limit(1) } } })
        assert(life:resume())
        w = life
        assert.are.equal("blocked", w.run:summary().status)
        assert.are.equal(1, w.desk.effects)
      end)

      it("history and units are there in the next life, also when its clock stands before them", function()
        assert(w:bundle { { "hard", policy { preview = limit(1, "10s") } } })
        w:play()
        w.run_id = w.run:id()
        w = w:next()
        ask_history()
        assert(w:bundle { { "hard", policy { preview = limit(1, "10s") } } })
        w.clock.wall_ms = w.clock.wall_ms - 86400000
        assert.are.equal("1 0", counted { within = "1m" })
        assert.are.equal("blocked", w:play().status)
        w.clock.wall_ms = w.clock.wall_ms + 86400000 + 9999
        assert.are.equal("blocked", w:play().status)
        w:advance(1)
        assert.are.equal("committed_unverified", w:play().status)
      end)
    end
  end)
end

describe("history in a store", function()
  it("knows of a run that has only just ended", function()
    local w = world.durable { max_moving_runs = 1 }
    assert(w:bundle { { "hard", policy { propose =
      'local n = ctx.history { outcome = "unverified" } if n > 0 then return policy.deny("there are " .. n) end' } } })
    local at_once = "return function(run) run:preview() run:acquire_lease() run:execute() end" -- no request before it
    w:start { workflow = at_once }
    w:start { workflow = at_once }
    assert(w.host:tick(1000000)) -- both in one tick, which writes at its end
    w:go()
    assert.are.equal("committed_unverified", w.runs[1]:summary().status)
    assert.truthy(w.runs[2]:summary().error.message:find("there are 1", 1, true))
    w:close()
  end)
end)
