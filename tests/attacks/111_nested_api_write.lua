-- HOST MUST make nested API tables read-only as well. [expect=safe]
local core = require "core"
if core and core.limits then
  pcall(function() core.limits.max = 1e9 end)
  if core.limits.max ~= 100 then return "ESCAPED" end
end
return "SAFE"
