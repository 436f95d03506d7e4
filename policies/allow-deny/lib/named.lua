-- What an action names: the values of some members of its arguments, at any depth. Every server names them as it likes,
-- so that "path" stands for "new_path", "savePath" and "Paths", too.

local function is_container(value)
  return type(value) == "userdata" and value ~= json.null
end

local function is_named(member, key)
  return key == member or key:sub(-#member - 1) == "_" .. member
end

-- "savePaths", "save-path" and "save_path" are one name.
local function is_wanted(members, key)
  local name = key:gsub("(%l)(%u)", "%1_%2"):gsub("-", "_"):lower()
  for _, member in ipairs(members) do
    if is_named(member, name) or is_named(member .. "s", name) then return true end
  end
  return false
end

-- `wanted`: a member around this value has one of the names; then all that it holds counts.
local function collect(value, members, wanted, found)
  if not is_container(value) then
    if wanted then found[#found + 1] = value end
    return
  end
  local before = #found
  for key, inner in pairs(value) do
    local named = type(key) == "string" and is_wanted(members, key)
    collect(inner, members, wanted or named, found)
  end
  if wanted and #found == before then found[#found + 1] = value end -- an empty list is no name, and is told so
end

---The values of the members that `members` lists, and those of `more` that are not nil.
---@param arguments table
---@param members string[] in lower case, with underscores
---@param more table
---@return any[]
return function(arguments, members, more)
  local found = {}
  collect(arguments, members, false, found)
  for _, value in pairs(more) do found[#found + 1] = value end
  return found
end
