-- RFC 3339 times as seconds since 1970. A fraction of a second is dropped, a leap second counts as the next second.

local PATTERN = "^(%d%d%d%d)%-(%d%d)%-(%d%d)[Tt](%d%d):(%d%d):(%d%d)(.*)$"
local MONTHS = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }

local function is_leap(year)
  return year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
end

local function days_of_month(year, month)
  return month == 2 and is_leap(year) and 29 or MONTHS[month]
end

-- Days since 1970-01-01. Years are counted from march, so that a leap day is the last of its year.
local function day_number(year, month, day)
  if month <= 2 then year, month = year - 1, month + 12 end
  return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day - 719469
end

-- Seconds east of UTC of what stands behind the seconds: a fraction, then "Z" or "+01:00".
local function offset(rest)
  local zone = rest:match("^%.%d+(.+)$") or rest
  if zone == "Z" or zone == "z" then return 0 end
  local sign, hours, minutes = zone:match("^([+-])(%d%d):(%d%d)$")
  hours, minutes = tonumber(hours), tonumber(minutes)
  if not sign or hours > 23 or minutes > 59 then return nil end
  local seconds = hours * 3600 + minutes * 60
  return sign == "-" and -seconds or seconds
end

---@param text string
---@return integer? seconds nil when it is no time
return function(text)
  local year, month, day, hour, minute, second, rest = text:match(PATTERN)
  if not year then return nil end
  year, month, day = tonumber(year), tonumber(month), tonumber(day)
  hour, minute, second = tonumber(hour), tonumber(minute), tonumber(second)
  local east = offset(rest)
  if not east or month < 1 or month > 12 or day < 1 or day > days_of_month(year, month) then return nil end
  if hour > 23 or minute > 59 or second > 60 then return nil end
  return day_number(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - east
end
