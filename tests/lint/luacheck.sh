#!/bin/bash
# luacheck over every Lua file: scripts, policies, specs, scenarios, examples, tools.
. "$(dirname "$0")/tap.bash"

check "luacheck has nothing to say" luacheck -q --no-color .
plan
