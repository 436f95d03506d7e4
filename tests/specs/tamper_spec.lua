-- A journal that was edited in its file: whoever resumes or shows the run is told which record it is, nothing is sent,
-- and the rest of the store can be used.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local process = require "tests.specs.support.process"

local path, w, store

local function slurp(name)
  local f = assert(io.open(name, "rb"))
  local bytes = f:read "a"
  f:close()
  return bytes
end

local function spill(name, bytes)
  local f = assert(io.open(name, "wb"))
  f:write(bytes)
  f:close()
end

-- A run that waits in a file that no process has open; its records.
local function left()
  w = world.durable { store = assert(interlock.store { path = path, create = true }) }
  w:asks_approval()
  w:play()
  local id = w.run:id()
  local records = assert(w.store:records(id))
  w:close()
  w.store:close()
  w.run_id = id
  return records
end

-- Writes `new` over `old`, of the same length, wherever the file holds it.
local function edit(old, new)
  assert(#old == #new)
  local bytes, from, count, parts = slurp(path), 1, 0, {}
  while true do
    local at = bytes:find(old, from, true)
    if not at then break end
    parts[#parts + 1] = bytes:sub(from, at - 1) .. new
    from, count = at + #old, count + 1
  end
  assert(count > 0, "the file does not hold it in one piece")
  spill(path, table.concat(parts) .. bytes:sub(from))
end

local function opened()
  store = assert(interlock.store { path = path })
  local life = world.open { store = store, clock = w.clock, desk = w.desk }
  life.run_id = w.run_id
  w = life
end

-- Resume and show refuse it, by the number of the record; no request left and nothing was written.
local function refused(seq)
  opened()
  local asked, before = #w.desk.calls, w:text()
  local run, err = w:resume()
  assert.is_nil(run)
  assert.are.equal("store", err.code)
  assert.is_truthy(err.message:find(("record %d"):format(seq), 1, true), err.message)
  local shown, why = w.host:show(w.run_id)
  assert.is_nil(shown)
  assert.are.equal("store", why.code)
  assert.are.equal(asked, #w.desk.calls)
  assert.are.equal(before, w:text())
  assert.are.equal(0, w.desk.effects)
end

describe("a journal that was edited in its file", function()
  before_each(function()
    path = os.tmpname()
    os.remove(path)
  end)
  after_each(function()
    w:close()
    if store then store:close() end
    store = nil
    process.remove(path)
  end)

  it("is found at each of its records, when a letter of it is another", function()
    local count = #left()
    local good = slurp(path)
    for i = 1, count do
      opened()
      local text = store:records(w.run_id)[i].text
      w:close()
      store:close()
      local changed, n = text:gsub('"kind":"(%w)', function(c)
        return '"kind":"' .. (c == "x" and "y" or "x")
      end)
      assert.are.equal(1, n)
      edit(text, changed)
      refused(i - 1)
      w:close()
      store:close()
      spill(path, good)
    end
  end)

  for _, row in ipairs {
    { "its principal", "created", '"principal":"operator-1"', '"principal":"operator-2"' },
    { "its session", "created", '"session":"session-1"', '"session":"session-2"' },
    { "its scopes", "created", "computer:plan", "computer:abcd" },
    { "its request", "wait", '"request":"req-', '"request":"qer-' },
    { "its expiry", "wait", '"expiresAt":"2026', '"expiresAt":"2027' },
  } do
    it("is refused when it is " .. row[1] .. " that was edited", function()
      local records, seq, text = left(), nil, nil
      for i, record in ipairs(records) do
        if json.decode(record.text).kind == row[2] then seq, text = i - 1, record.text end
      end
      local at, last = text:find(row[3], 1, true)
      edit(text, text:sub(1, at - 1) .. row[4] .. text:sub(last + 1))
      refused(seq)
    end)
  end

  it("is refused when what was received was edited beside it: the preview, the card", function()
    for _, kind in ipairs { "preview", "wait" } do
      local records, seq, payload = left(), nil, nil
      for i, record in ipairs(records) do
        if json.decode(record.text).kind == kind then seq, payload = i - 1, record.payload end
      end
      local piece = payload:match "write_clipboard[^%c]?"
      local at = payload:find(piece, 1, true)
      -- the place of this payload alone: a piece of it with what stands around it
      local around = payload:sub(math.max(1, at - 40), at + #piece + 20)
      edit(around, (around:gsub("write_clipboard", "write_clipbOard")))
      refused(seq)
      w:close()
      store:close()
      process.remove(path)
    end
  end)

  it("leaves the other runs of the store as they are", function()
    local records = left()
    opened()
    local other = w:start { session = "session-2" }
    w:go()
    local id = other:id()
    w:close()
    store:close()
    local text = records[3].text
    edit(text, (text:gsub('"kind":"%w', '"kind":"x')))
    opened()
    assert.is_nil((w:resume()))
    w.run_id = id
    assert(w:resume())
    assert(w:answer { runtimeApproved = true })
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)
end)
