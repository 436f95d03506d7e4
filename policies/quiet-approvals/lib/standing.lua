-- Standing approvals as they stand in a parameter: one text each, "name=value" pairs between semicolons. All members
-- are needed, each once; `session=any` is the only one that may be wide:
--
--   id=invoices; tool=set_value; operation=set_value; app=org.example.Editor; class=edit_reversible; mode=foreground;
--   principal=ann; session=any; until=2026-03-09T18:00:00Z; uses=20

local policy = require "interlock.policy"

local MEMBERS = {
  "id", "tool", "operation", "app", "class", "mode", "principal", "session", "until", "uses",
}
local LONGEST = 31 * 86400 -- uses are counted for so long, so an approval is good in the last 31 days before its end


local standing = {}

local function fail(text, why)
  error(("standing approval '%s': %s"):format(text, why))
end

-- Seconds since 1970 of "2026-03-09T18:00:00Z". Years are counted from march: a leap day is the last of its year.
local function instant(text)
  local year, month, day, hour, minute, second = text:match("^(%d%d%d%d)%-(%d%d)%-(%d%d)T(%d%d):(%d%d):(%d%d)Z$")
  if not year then return nil end
  year, month = tonumber(year), tonumber(month)
  if month <= 2 then year, month = year - 1, month + 12 end
  local days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + tonumber(day) - 719469
  return days * 86400 + tonumber(hour) * 3600 + tonumber(minute) * 60 + tonumber(second)
end

local function parse(text)
  local entry = {}
  for pair in text:gmatch("[^;]+") do
    local name, value = pair:match("^%s*(%l+)=(.-)%s*$")
    if not name or not policy.has(MEMBERS, name) then fail(text, "'" .. pair .. "' is no member of it") end
    if entry[name] then fail(text, name .. " stands twice") end
    if value == "" or value:find("%*") then fail(text, name .. " needs one exact value") end
    entry[name] = value
  end
  for _, name in ipairs(MEMBERS) do
    if not entry[name] then fail(text, name .. " is missing") end
  end
  entry.ends = instant(entry["until"]) or fail(text, "until is a time such as 2026-03-09T18:00:00Z")
  if not entry.uses:find("^[1-9]%d*$") or tonumber(entry.uses) > 10000 then
    fail(text, "uses is a number from 1 to 10000")
  end
  return entry
end

---All of them; an error when one cannot be read, or two have the same id.
---@param texts string[]
---@return table[]
function standing.read(texts)
  local entries, ids = {}, {}
  for _, text in ipairs(texts) do
    local entry = parse(text)
    if ids[entry.id] then fail(text, "its id stands twice") end
    ids[entry.id] = true
    entries[#entries + 1] = entry
  end
  return entries
end

---Whether an entry was given for exactly this, and is good now.
function standing.covers(entry, action, ctx)
  local left = entry.ends - ctx.time.unix
  return left > 0 and left <= LONGEST
    and entry.tool == action.tool
    and entry.operation == action.operation
    and entry.app == action.target.app_id
    and entry.class == action.action_class
    and entry.mode == action.mode
    and entry.principal == ctx.principal
    and (entry.session == "any" or entry.session == ctx.session_id)
end

---Takes one use; false when there is none left. The first call looks; the second claims, and has the core deny whoever
---loses a race for the last one.
function standing.take(entry, ctx)
  local use = { key = "standing:" .. entry.id, max = tonumber(entry.uses), per = "31d", over = "count" }
  if ctx.limit(use) == 0 then return false end
  use.over = "deny"
  ctx.limit(use)
  return true
end

return standing
