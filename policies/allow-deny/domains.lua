-- Which domains may be visited: "example.org" is that host alone, "*.example.org" all below it. Addresses are compared
-- by their host in canonical form, so that case, a port, a trailing dot or another script make no difference.

local policy = require "interlock.policy"
local judge = require "lib.lists"
local named = require "lib.named"

local function domain(value)
  if type(value) ~= "string" then return nil, "it is no text" end
  return policy.domain(value)
end

local rule = {
  what = "domain",
  read = domain,
  denies = policy.domain_is,
  allows = policy.domain_is,
}

return policy {
  name = "domains",

  preview = function(action, ctx)
    local params, resource = ctx.params, action.resource
    local domains = named(action.arguments, params.domain_members, { resource and resource.browser_domain })
    return judge(rule, domains, params.allow_domains, params.deny_domains)
  end,
}
