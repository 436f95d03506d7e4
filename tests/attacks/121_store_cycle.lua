-- HOST MUST refuse a cyclic value. [expect=contained]
local core = require "core"
if not (core and core.store) then return "SAFE" end
local t = {} t.t = t
if pcall(core.store, t) then return "ESCAPED" end
return "SAFE"
