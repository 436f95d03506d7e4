-- Limits and history: what is counted over runs, by the core, whatever becomes of the process that counts. Each rule
-- without a store, with one in memory, and with one in a file.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

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
      w = world.open { store = store, max_moving_runs = 32 }
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
      assert.are.equal("policy: bundle/p: bundle/p: limit bundle/edits: 2 of 2 used within 1h", s.error.message)
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
  end)
end
