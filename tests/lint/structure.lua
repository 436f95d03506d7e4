-- The structure of the source tree, as rules over its files: who may include whom, how long things may be, which calls
-- are banned, where Lua may be entered. `check(files)` is pure: a table of path to text goes in, a list of violations
-- comes out; tests/lint/structure_self.lua feeds it small bad trees.
-- The scripts below tests/attacks are as bad as they look, and are left alone.
-- Must never be relaxed to make a change pass: a rule that is wrong is changed here, with its self-test.

local scan = dofile("tests/lint/scan.lua")

local M = {}

-- Each layer, the folders it may include from, and single headers beyond them.
local LAYERS = {
  include = {},
  base = { "include" },
  wire = { "include", "base" },
  contract = { "include", "base", "wire" },
  check = { "include", "base", "wire", "contract" },
  run = { "include", "base", "wire", "contract", "check" },
  store = { "include", "base", "wire", ["run/store.h"] = true },
  runtime = { "include", "base", "wire", "contract", ["run/runtime.h"] = true,
    ["run/approver.h"] = true },
  script = { "include", "base", "wire", "contract", "check", "run" },
  evidence = { "include", "base", "wire", "contract", "check", "run" },
  host = { "include", "base", "wire", "contract", "check", "run", "store", "runtime", "script", "evidence" },
  luamod = { "include" },
  cli = { "include" },
}

-- Foreign headers, and the folders that own them.
local OWNERS = {
  ["lua.h"] = { script = true, luamod = true },
  ["lauxlib.h"] = { script = true, luamod = true },
  ["lualib.h"] = { script = true, luamod = true },
  ["sqlite3.h"] = { store = true },
  ["utf8proc.h"] = { check = true },
  ["curl/curl.h"] = { runtime = true, cli = true }, -- of the command: notice.c
}

local BANNED = {
  "strcpy", "strcat", "sprintf", "vsprintf", "gets", "atoi", "atol", "atoll", "atof", "strtok", "system", "popen",
  "tmpnam", "mktemp", "localtime", "gmtime", "setlocale", "strtod", "strtof", "strtold", "alloca", "rand", "srand",
  "scanf", "sscanf", "fscanf", "asctime", "ctime", "strncpy", "strncat",
}
local ALLOCATORS = { "malloc", "calloc", "realloc", "free", "strdup", "strndup", "asprintf", "vasprintf" }
local LUA_ENTRIES = {
  "lua_pcall", "lua_pcallk", "lua_resume", "lua_load", "luaL_loadbuffer", "luaL_loadbufferx", "luaL_loadstring",
  "luaL_loadfile", "luaL_loadfilex", "luaL_dostring", "luaL_dofile",
}
local TOP_LEVEL = {
  src = true, lua = true, policies = true, tests = true, examples = true, Makefile = true, ["README.md"] = true,
  LICENSE = true, ["CHANGELOG.md"] = true,
}
-- Spelled in halves, so that this file passes its own rule.
local WORDS = { "TO" .. "DO", "FIX" .. "ME", "X" .. "XX", "HA" .. "CK" }
local MACHINE_PATHS = { "/ro" .. "ot/", "/wo" .. "rk/", "/tmp" .. "/wt", "/tmp" .. "/brief" }
local PEOPLE = { user = true, alice = true, bob = true, me = true, ana = true }

local MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_COLUMNS = 600, 60, 120
-- The public header is one file, so that embedders copy and read one: it declares, and holds no code.
-- The types for editors are made, not written (tests/lint/reference.sh).
local LONGER_FILES = { ["src/include/interlock.h"] = 1200, ["lua/meta/interlock.lua"] = 2000 }

-- The rules in the order they are reported.
M.rules = {
  { "layers", "an include points down the layers, never sideways or up" },
  { "owners", "foreign headers stay in the folder that owns them" },
  { "circles", "no circle of includes" },
  { "file-length", "no file is longer than " .. MAX_FILE_LINES .. " lines (the public header: 1200)" },
  { "function-length", "no function is longer than " .. MAX_FUNCTION_LINES .. " lines unless `long:` says why" },
  { "banned-calls", "no call that overflows, shells out or follows the locale" },
  { "allocation", "memory comes from src/base/mem.c alone (in the command: src/cli/mem.c)" },
  { "lua-entries", "Lua is entered in src/script/call.c alone" },
  { "opening-comment", "each file opens with a comment that says what it is" },
  { "shape", "LF, no tabs, nothing behind a line's end, at most 120 columns" },
  { "words", "no note about work left undone" },
  { "machine-paths", "no path of somebody's machine" },
  { "mutable-state", "no mutable variable outside functions, none static inside" },
  { "recursion", "no function calls itself unless `recurses:` says why" },
  { "conditionals", "no #if inside a function" },
  { "top-level", "the top level holds what belongs there" },
}

local function set(list)
  local s = {}
  for _, name in ipairs(list) do s[name] = true end
  return s
end

local function lines_of(text)
  local _, n = text:gsub("\n", "")
  if text ~= "" and text:sub(-1) ~= "\n" then n = n + 1 end
  return n
end

-- The path of an include as it stands below src/, or nil for a system header.
local function include_target(files, from, name)
  if name == "interlock.h" then return "src/include/interlock.h" end
  if files["src/" .. name] or name:find("/", 1, true) then return "src/" .. name end
  return from:match("^(.*/)") .. name
end

local function check_include(from, layer, target, report)
  local folder, rest = target:match("^src/([^/]+)/(.+)$")
  if not folder or folder == layer then return end
  local allowed = LAYERS[layer]
  if allowed[folder .. "/" .. rest] then return end
  for _, name in ipairs(allowed) do
    if name == folder then return end
  end
  report("layers", from, nil, ("src/%s must not include %s/%s"):format(layer, folder, rest))
end

local function check_circles(graph, report)
  local state = {} -- nil: not seen, 1: on the path, 2: done
  local paths = {}
  for path in pairs(graph) do paths[#paths + 1] = path end
  table.sort(paths)
  local function visit(path, trail)
    if state[path] == 2 or not graph[path] then return end
    if state[path] == 1 then
      report("circles", path, nil, "included by itself through " .. table.concat(trail, " > "))
      return
    end
    state[path] = 1
    trail[#trail + 1] = path
    for _, target in ipairs(graph[path]) do visit(target, trail) end
    trail[#trail] = nil
    state[path] = 2
  end
  for _, path in ipairs(paths) do visit(path, {}) end
end

local function check_calls(path, unit, report)
  local banned, allocators, entries = set(BANNED), set(ALLOCATORS), set(LUA_ENTRIES)
  for _, call in ipairs(unit.calls) do
    if banned[call.name] then report("banned-calls", path, call.line, call.name .. " is banned") end
    if allocators[call.name] and path ~= "src/base/mem.c" and path ~= "src/cli/mem.c" then
      report("allocation", path, call.line, call.name .. ": use base/mem.h (in the command: src/cli/mem.c)")
    end
    if entries[call.name] and path ~= "src/script/call.c" and not path:find("^src/luamod/") then
      report("lua-entries", path, call.line, call.name .. ": use script/call.h")
    end
  end
end

local function check_source(path, text, files, graph, report)
  local layer = path:match("^src/([^/]+)/")
  if not layer then return end
  if not LAYERS[layer] then
    report("layers", path, nil, "src/" .. layer .. " is no layer: see src/README.md")
    return
  end
  local unit = scan.c(text)
  graph[path] = {}
  for _, include in ipairs(unit.includes) do
    local owners = OWNERS[include.name]
    if owners and not owners[layer] then
      report("owners", path, include.line, include.name .. " does not belong in src/" .. layer)
    end
    if include.quoted or include.name == "interlock.h" then
      local target = include_target(files, path, include.name)
      graph[path][#graph[path] + 1] = target
      check_include(path, layer, target, report)
    end
  end
  check_calls(path, unit, report)
  for _, fn in ipairs(unit.functions) do
    local n = fn.last - fn.first - 1
    if n > MAX_FUNCTION_LINES and not fn.comment:find("long:", 1, true) then
      report("function-length", path, fn.start, ("%s has %d lines"):format(fn.name, n))
    end
    if fn.recursive and not fn.comment:find("recurses:", 1, true) then
      report("recursion", path, fn.start, fn.name .. " calls itself")
    end
  end
  for _, var in ipairs(unit.mutable) do report("mutable-state", path, var.line, var.text) end
  for _, line in ipairs(unit.conditionals) do report("conditionals", path, line, "#if inside a function") end
end

local function is_text(path)
  return path:find("%.[ch]$") or path:find("%.lua$") or path:find("%.sh$") or path:find("%.md$")
    or path == "Makefile" or path:find("^%.")
end

local function opens_with_comment(path, text)
  if path:find("%.[ch]$") then return text:find("^/%*") ~= nil end
  if path:find("%.lua$") then return text:gsub("^#![^\n]*\n", ""):find("^%-%-") ~= nil end
  if path:find("%.sh$") then return text:gsub("^#![^\n]*\n", ""):find("^#") ~= nil end
  return true
end

local function check_shape(path, line, number, report)
  if line:find("\r", 1, true) then report("shape", path, number, "carriage return") end
  if line:find("[ \t]$") then report("shape", path, number, "blank at the end of the line") end
  if not path:find("%.[ch]$") and not path:find("%.lua$") and not path:find("%.sh$") then return end
  if line:find("\t", 1, true) then report("shape", path, number, "tab") end
  local width = utf8.len(line) or #line
  if width > MAX_COLUMNS then report("shape", path, number, width .. " columns") end
end

local function check_text(path, text, report)
  if path:find("%.[ch]$") or path:find("%.lua$") then
    local n, most = lines_of(text), LONGER_FILES[path] or MAX_FILE_LINES
    if n > most then report("file-length", path, nil, n .. " lines: split it by noun") end
  end
  if not opens_with_comment(path, text) then report("opening-comment", path, 1, "says nothing about itself") end
  if text ~= "" and text:sub(-1) ~= "\n" then report("shape", path, nil, "no line break at the end of the file") end
  local number = 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    check_shape(path, line, number, report)
    for _, word in ipairs(WORDS) do
      if line:find("%f[%w_]" .. word .. "%f[^%w_]") then report("words", path, number, word) end
    end
    for _, place in ipairs(MACHINE_PATHS) do
      if line:find("%f[%w/]" .. place) then report("machine-paths", path, number, place) end
    end
    for name in line:gmatch("/home/([%w_]+)") do
      if not PEOPLE[name] then report("machine-paths", path, number, "/home/" .. name) end
    end
  end
end

-- `files`: path to text. Returns a list of { rule =, path =, line =, text = }.
function M.check(files)
  local found, graph, paths = {}, {}, {}
  local function report(rule, path, line, text)
    found[#found + 1] = { rule = rule, path = path, line = line, text = text }
  end
  for path in pairs(files) do paths[#paths + 1] = path end
  table.sort(paths)
  local seen = {}
  for _, path in ipairs(paths) do
    local top = path:match("^[^/]+")
    if not seen[top] and not TOP_LEVEL[top] and top:sub(1, 1) ~= "." then
      report("top-level", top, nil, "does not belong at the top level")
    end
    seen[top] = true
    if is_text(path) and not path:find("^tests/attacks/") then check_text(path, files[path], report) end
    if path:find("%.[ch]$") then check_source(path, files[path], files, graph, report) end
  end
  check_circles(graph, report)
  return found
end

return M
