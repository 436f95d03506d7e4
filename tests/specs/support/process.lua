-- A process that is gone in the middle of a run: a second `lua5.4` opens a file store, starts a run at a stand-in of
-- its own, and ends without cleaning up when an operation is asked for (`before`) or answered (`after`). What the
-- stand-in did is written down for who resumes. Must never tidy up: nothing is closed, nothing is collected.

local json = require "tests.specs.support.json"

local process = {}

local function write(path, value)
  local f = assert(io.open(path, "w"))
  f:write(json.encode(value))
  f:close()
end

local function read(path)
  local f = assert(io.open(path))
  local text = f:read "a"
  f:close()
  return json.decode(text)
end

local function quote(s) return "'" .. s .. "'" end

--- Plays a run over a new store at `path` in a process that dies at `op`. Returns what its stand-in had done by then.
function process.crash(path, op, moment)
  local ok, how, status = os.execute(table.concat({ "lua5.4", "tests/specs/support/process.lua", quote(path), op,
    moment }, " "))
  assert(not ok and how == "exit" and status == 9, ("the other process ended with %s %s"):format(how, status))
  return read(path .. ".desk")
end

--- Removes a store and everything beside it.
function process.remove(path)
  os.execute(("rm -rf %s %s-* %s.*"):format(quote(path), quote(path), quote(path)))
end

-- Runs in the other process.
local function main(path, op, moment)
  local interlock = require "interlock"
  local world = require "tests.specs.support.world"
  local w = world.durable { store = assert(interlock.store { path = path, create = true }) }
  local function die()
    write(path .. ".desk", { effects = w.desk.effects, receipts = w.desk.receipts, calls = json.list(w.desk.calls) })
    os.exit(9, false)
  end
  if moment == "before" then w.desk:before(op, die) end
  w.desk.on_answer = function(answered) if moment == "after" and answered == op then die() end end
  w:play()
  error("the run never asked for " .. op)
end

if arg and arg[0] == "tests/specs/support/process.lua" then main(arg[1], arg[2], arg[3]) end

return process
