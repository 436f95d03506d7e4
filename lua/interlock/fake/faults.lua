-- Faults of the simulated runtime: for every call of an operation, or its n-th, what goes wrong. Values in answers are
-- named by JSON pointers (RFC 6901).

local options = require "interlock.fake.options"

local faults = {}

local MEMBERS = {
  op = "string", nth = "integer", set = "table", remove = "table", lose = "string", crash = "string", fail = "table",
  when = "string", raw = "string", late = "string|integer", twice = "boolean",
}
local FAIL = { code = "string", reason = "string", message = "string" }
local WHEN = { "before", "after" }

---@param pointer string
---@return string[]
local function split(pointer)
  if pointer == "" then return {} end
  if pointer:sub(1, 1) ~= "/" then error("a JSON pointer begins with /: " .. pointer, 0) end
  local parts = {}
  for part in (pointer:sub(2) .. "/"):gmatch("([^/]*)/") do
    parts[#parts + 1] = part:gsub("~1", "/"):gsub("~0", "~")
  end
  return parts
end

---The key of a step in a table: a position counts from 0 in a pointer.
local function key_of(container, part)
  if json.kind(container) == "array" then return (tonumber(part) or 0) + 1 end
  return part
end

---Sets (or, with nil, removes) the value at a pointer; steps that are missing are made.
---@param root table
---@param pointer string
---@param value any
---@return any root
local function put(root, pointer, value)
  local parts = split(pointer)
  if #parts == 0 then return value end
  if type(root) ~= "table" then root = {} end
  local at = root
  for i = 1, #parts - 1 do
    local key = key_of(at, parts[i])
    if type(at[key]) ~= "table" then at[key] = {} end
    at = at[key]
  end
  local key = key_of(at, parts[#parts])
  if value == nil and math.type(key) == "integer" then table.remove(at, key)
  else at[key] = value end
  return root
end

local function check(fault, operations)
  options.check(fault, MEMBERS, "a fault")
  if not fault.op then error("a fault needs op, the name of an operation", 0) end
  if not operations[fault.op] then
    error(("a fault names the operation \"%s\", which there is not"):format(fault.op), 0)
  end
  if fault.nth and fault.nth < 1 then error("nth of a fault counts from 1", 0) end
  if fault.lose then options.choice(fault.lose, WHEN, "lose of a fault") end
  if fault.crash then options.choice(fault.crash, WHEN, "crash of a fault") end
  if fault.when then options.choice(fault.when, WHEN, "when of a fault") end
  if fault.fail then
    options.check(fault.fail, FAIL, "fail of a fault")
    options.choice(fault.fail.code or "runtime", { "runtime", "transport" }, "code of a failing fault")
  end
  for pointer in pairs(fault.set or {}) do split(pointer) end
  for _, pointer in ipairs(fault.remove or {}) do split(pointer) end
end

---@param given table[]? the option `faults`
---@param operations table<string, any>
---@return table[]
function faults.new(given, operations)
  local list = options.copy(given or {})
  for _, fault in ipairs(list) do check(fault, operations) end
  return list
end

---Everything that goes wrong in one call, in one table; a later fault of the list wins.
---@param list table[]
---@param op string
---@param call integer
---@return table
function faults.of(list, op, call)
  local all = { edits = {} }
  for _, fault in ipairs(list) do
    if fault.op == op and (fault.nth or call) == call then
      for _, name in ipairs { "lose", "crash", "fail", "when", "raw", "late", "twice" } do
        if fault[name] ~= nil then all[name] = fault[name] end
      end
      if fault.set or fault.remove then all.edits[#all.edits + 1] = fault end
    end
  end
  return all
end

---@param fault table
---@param answer any
---@return any
function faults.edit(fault, answer)
  if #fault.edits == 0 then return answer end
  answer = options.copy(answer)
  for _, edit in ipairs(fault.edits) do
    for pointer, value in pairs(edit.set or {}) do answer = put(answer, pointer, options.copy(value)) end
    for _, pointer in ipairs(edit.remove or {}) do answer = put(answer, pointer, nil) end
  end
  return answer
end

return faults
