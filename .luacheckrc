-- luacheck: everything that is written in Lua here.
std = "lua54"
max_line_length = 120
exclude_files = { "build/**", "**/node_modules/**", "tests/attacks/**" }
unused_args = true
self = false

-- Specs run under busted.
files["tests/specs/**"] = { std = "+busted" }
-- Scenario files and examples are read by `interlock scenario`, which offers these.
files["tests/scenarios/**"] = { globals = { "scenario", "fake", "lua_runtime", "recorded", "json" } }
files["examples/**"] = { globals = { "scenario", "fake", "lua_runtime", "recorded", "json" } }
files["examples/love/**"] = { std = "luajit+love" }
-- Scripts that run inside have the globals of the sandbox alone, as `interlock policy api` lists them.
stds.interlock = dofile("lua/meta/luacheck.lua").stds.interlock
files["lua/**"] = { std = "interlock" }
files["policies/**"] = { std = "interlock" }
-- Types for editors: declarations without bodies.
files["lua/meta/**"] = { unused = false, globals = { "scenario", "fake", "lua_runtime", "recorded", "json", "log" } }
