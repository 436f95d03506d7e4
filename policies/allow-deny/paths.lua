-- Which files may be read and changed: folders, with all that is below them. Both what will be sent and what the
-- runtime says of it must be fine. Tools whose `path` is none of the file system stand in `no_path_tools`.

local policy = require "interlock.policy"
local judge = require "lib.lists"
local named = require "lib.named"

local function path(value)
  if type(value) ~= "string" then return nil, "it is no text" end
  return policy.path(value)
end

local rule = {
  what = "path",
  read = path,
  denies = policy.under,
  allows = policy.under,
}

return policy {
  name = "paths",

  preview = function(action, ctx)
    local params, resource = ctx.params, action.resource
    local members = policy.has(params.no_path_tools, action.tool) and {} or params.path_members
    local paths = named(action.arguments, members, {
      resource and resource.filesystem_path, resource and resource.filesystem_destination,
    })
    return judge(rule, paths, params.allow_paths, params.deny_paths)
  end,
}
