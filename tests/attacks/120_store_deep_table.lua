-- HOST MUST bound the depth of values that it copies: recursion in C over a nested table. [expect=contained]
local core = require "core"
if not (core and core.store) then return "SAFE" end
local t = {} local r = t for i = 1, 100000 do t.n = {} t = t.n end
if pcall(core.store, r) then return "ESCAPED" end
return "SAFE"
