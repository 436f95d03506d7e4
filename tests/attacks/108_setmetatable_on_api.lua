-- HOST MUST refuse a new metatable on its API tables. [expect=safe]
local core = require "core"
if setmetatable and pcall(setmetatable, core or string, {}) then return "ESCAPED" end
if getmetatable and type(getmetatable(core or string)) == "table" then return "ESCAPED" end
return "SAFE"
