-- What an action names: the values of some members of its arguments, at any depth.

local policy = require "interlock.policy"

local function is_container(value)
  return type(value) == "userdata" and value ~= json.null
end

-- `wanted`: a member around this value has one of the names; then all that it holds counts.
local function collect(value, members, wanted, found)
  if not is_container(value) then
    if wanted then found[#found + 1] = value end
    return
  end
  local before = #found
  for key, inner in pairs(value) do
    local named = type(key) == "string" and policy.has(members, key:lower())
    collect(inner, members, wanted or named, found)
  end
  if wanted and #found == before then found[#found + 1] = value end -- an empty list is no name, and is told so
end

---The values of the members that `members` lists, and those of `more` that are not nil.
---@param arguments table
---@param members string[] in lower case; the case of what is sent does not matter
---@param more table
---@return any[]
return function(arguments, members, more)
  local found = {}
  collect(arguments, members, false, found)
  for _, value in pairs(more) do found[#found + 1] = value end
  return found
end
