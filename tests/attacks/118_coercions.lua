-- HOST MUST check types exactly: numeric strings, floats, NaN, infinities, huge and negative values, embedded NULs. [expect=contained]
local core = require "core"
if not (core and core.transfer) then return "SAFE" end
for _, a in ipairs { "50", 5.0, 0 / 0, 1 / 0, -1 / 0, 2 ^ 53, 2 ^ 63, -1, math.mininteger, math.maxinteger, true, "5\0", "0x5", 100.5, -0.0 } do
  if pcall(core.transfer, { amount = a, to = "bob" }) then return "ESCAPED" end
end
for _, to in ipairs { 7, "bob\0evil", ("x"):rep(100), true } do
  if pcall(core.transfer, { amount = 1, to = to }) then return "ESCAPED" end
end
return "SAFE"
