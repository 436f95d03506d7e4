-- Reads a JSON document from standard input; succeeds when the Lua expression over it (as `d`) holds.
local cjson = require "cjson"
local d = cjson.decode(io.read "a")
local f = assert(load("local d, null = ... return " .. arg[1]))
os.exit(f(d, cjson.null) and 0 or 1)
