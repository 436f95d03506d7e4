-- HOST MUST refuse table.insert, sort, move, remove on its API tables. [expect=safe]
local core = require "core"
local api = core or string
if pcall(table.insert, api, 1) or pcall(table.sort, api) or pcall(table.remove, api) or (table.move and pcall(table.move, { 1 }, 1, 1, 1, api)) then return "ESCAPED" end
return "SAFE"
