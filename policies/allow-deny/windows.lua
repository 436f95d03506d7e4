-- Which windows may be worked with, by id. 42 and "42" are two ids: the entry `42` is the number, `"42"` the text.

local policy = require "interlock.policy"
local judge = require "lib.lists"
local named = require "lib.named"

local function same(id, entry) return id == entry end

local rule = {
  what = "window",
  read = function(id)
    if math.type(id) == "integer" then return ("%d"):format(id) end
    if type(id) ~= "string" or id == "" then return nil, "it is neither a whole number nor a text" end
    return id:find("^-?%d+$") and ('"%s"'):format(id) or id
  end,
  denies = same,
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
