-- HOST MUST refuse functions, coroutines and userdata in stored values. [expect=contained]
local core = require "core"
if not (core and core.store) then return "SAFE" end
if pcall(core.store, { print }) or pcall(core.store, { coroutine.create(function() end) }) or pcall(core.store, { core }) then return "ESCAPED" end
return "SAFE"
