-- HOST MUST read each field of an argument once and raw: the second read returns another value. [expect=contained]
local core = require "core"
if not (core and core.transfer and setmetatable) then return "SAFE" end
local n = 0
local req = setmetatable({}, { __index = function(_, k) n = n + 1 if k == "amount" then return n == 1 and 5 or 1000000 end return "bob" end })
local ok, v = pcall(core.transfer, req)
if ok and v ~= 5 then return "ESCAPED" end
return "SAFE"
