-- What all lists have in common: deny wins over allow; an empty allow list allows everything; and what cannot be read
-- is denied.

local policy = require "interlock.policy"

local function first(entries, matches, name)
  for _, entry in ipairs(entries) do
    if matches(name, entry) then return entry end
  end
  return nil
end

-- An entry that is no pattern would never match. Matched once, with itself, the helpers raise an error that names it.
local function check_entries(entries, matches)
  for _, entry in ipairs(entries) do matches(entry, entry) end
end

---@class Rule
---@field what string                             what the lists hold, "path"
---@field read fun(value: any): string?, string?  its canonical form, or nil and why there is none
---@field denies fun(name: string, entry: string): boolean
---@field allows fun(name: string, entry: string): boolean

---@param rule Rule
---@param values any[] what the action names
---@param allow string[]
---@param deny string[]
return function(rule, values, allow, deny)
  check_entries(allow, rule.allows)
  check_entries(deny, rule.denies)
  if #allow == 0 and #deny == 0 then return nil end
  for _, value in ipairs(values) do
    local name, why = rule.read(value)
    if not name then
      return policy.deny(("the %s cannot be read: %s"):format(rule.what, why), {
        code = rule.what .. "_unreadable", remedy = ("name the %s in its plain form"):format(rule.what),
      })
    end
    local denied = first(deny, rule.denies, name)
    if denied then
      return policy.deny(("this %s is on the deny list: %s"):format(rule.what, denied), {
        code = rule.what .. "_denied", remedy = ("work with another %s"):format(rule.what),
      })
    end
    if #allow > 0 and not first(allow, rule.allows, name) then
      return policy.deny(("this %s is not on the allow list"):format(rule.what), {
        code = rule.what .. "_not_allowed", remedy = ("work with one that is, such as %s"):format(allow[1]),
      })
    end
  end
  return nil
end
