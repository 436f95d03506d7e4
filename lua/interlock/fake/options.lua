-- Reading the options of the simulated runtime: every name is checked; a wrong one is answered with those there are.

local options = {}

---The nearest of the names is not guessed at; all of them are told, sorted.
---@param names table<string, string>
---@return string
local function listed(names)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  return table.concat(list, ", ") -- pairs visits names in order
end

---@param value any
---@param kind string "table", "string", "number", "boolean", "integer", or several with | between them
---@return boolean
local function is_kind(value, kind)
  for one in kind:gmatch("[^|]+") do
    if one == "integer" then
      if math.type(value) == "integer" then return true end
    elseif type(value) == one then
      return true
    end
  end
  return false
end

---Checks a table of options against {name = kind}; absent ones are fine.
---@param given table
---@param names table<string, string>
---@param what string how the table is called in messages
---@return table given
function options.check(given, names, what)
  if type(given) ~= "table" then error(what .. " must be a table", 0) end
  for name, value in pairs(given) do
    local kind = names[name]
    if not kind then
      error(("%s has no \"%s\"; there are: %s"):format(what, tostring(name), listed(names)), 0)
    end
    if value ~= json.null and not is_kind(value, kind) then
      error(("%s: %s must be a %s, not a %s"):format(what, name, kind:gsub("|", " or a "), type(value)), 0)
    end
  end
  return given
end

---@param value any
---@param choices string[]
---@param what string
---@return any value
function options.choice(value, choices, what)
  for _, choice in ipairs(choices) do
    if value == choice then return value end
  end
  error(("%s must be \"%s\""):format(what, table.concat(choices, "\" or \"")), 0)
end

---A copy of plain data, so that nothing which is handed out can be changed behind our back.
---@param value any
---@return any
function options.copy(value)
  if type(value) ~= "table" then return value end
  local to = {}
  if json.kind(value) == "array" then to = json.array(to) end
  for key, item in pairs(value) do to[key] = options.copy(item) end
  return to
end

return options
