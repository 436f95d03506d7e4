-- Which windows may be worked with, by id. For an allow list 42 and "42" are two ids: the entry `42` is the number,
-- `"42"` the text. A deny entry matches both, and every other text of that number: a server may read them alike.

local policy = require "interlock.policy"
local judge = require "lib.lists"
local named = require "lib.named"

local function same(id, entry) return id == entry end

-- 7 for 7, "7", "007" and "7.0"; the text itself for what is no whole number.
local function plain(id)
  local text = id:match('^"(.*)"$') or id
  return math.tointeger(tonumber(text)) or text
end

local rule = {
  what = "window",
  read = function(id)
    if math.type(id) == "integer" then return ("%d"):format(id) end
    if type(id) ~= "string" or id == "" then return nil, "it is neither a whole number nor a text" end
    return id:find("^-?%d+$") and ('"%s"'):format(id) or id
  end,
  denies = function(id, entry) return plain(id) == plain(entry) end,
  allows = same,
}

return policy {
  name = "windows",

  preview = function(action, ctx)
    local params, target, resource = ctx.params, action.target, action.resource
    local windows = named(action.arguments, params.window_members, {
      target and target.window_id, resource and resource.target_window_id,
    })
    return judge(rule, windows, params.allow_windows, params.deny_windows)
  end,
}
