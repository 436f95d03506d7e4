-- Which apps may be worked with: globs such as "org.example.*". A deny entry matches in any case, an allow entry only
-- in its own: both are the stricter reading.

local policy = require "interlock.policy"
local judge = require "lib.lists"
local named = require "lib.named"

local function text(value)
  if type(value) ~= "string" or value == "" then return nil, "it is no text" end
  return policy.nfc(value)
end

local rule = {
  what = "app",
  read = text,
  denies = function(app, entry) return policy.glob(entry:lower(), app:lower()) end,
  allows = function(app, entry) return policy.glob(entry, app) end,
}

return policy {
  name = "apps",

  preview = function(action, ctx)
    local params, target, resource = ctx.params, action.target, action.resource
    local apps = named(action.arguments, params.app_members, {
      target and target.app_id, resource and resource.target_app_id,
    })
    local listed = #params.allow_apps > 0 or #params.deny_apps > 0
    if listed and #apps == 0 and action.mode == "foreground" then
      return policy.deny("it would act on whichever app is in front", {
        code = "app_unnamed", remedy = "give the target that it aims at",
      })
    end
    return judge(rule, apps, params.allow_apps, params.deny_apps)
  end,
}
