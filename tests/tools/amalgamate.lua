-- Writes the library as one C file: `lua5.4 tests/tools/amalgamate.lua VERSION FILE.c... >interlock.c`. Headers are put
-- in where they are first included, system headers once at the top. What is local to a file (static functions, tags,
-- constants, macros) and would meet its like of another file gets the file's number behind its name.
-- Must never change anything but names: strings, comments and members stay as they are.

local version = table.remove(arg, 1)
local files = arg

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- ---- tokens ---------------------------------------------------------------------------------------------------------

local AGGREGATE = { struct = true, union = true }
local TAGGED = { struct = true, union = true, enum = true }

-- Calls `word(name, is_member)` for each identifier outside of strings and comments; what it returns takes its
-- place.
local function map_words(text, word)
  local out, at, before, before2, braces = {}, 1, "", "", {}
  local function put(piece)
    out[#out + 1] = piece
    at = at + #piece
  end
  local function seen(token)
    before2, before = before, token
  end
  local function name_at()
    local name = text:match("^[%w_]+", at)
    at = at + #name
    local member = before == "." or before == "->"
    if braces[#braces] and not TAGGED[before] then
      local follows = text:match("^%s*(.)", at)
      member = member or follows:find "[;,%[:]" ~= nil or (follows == ")" and before == "*")
    end
    out[#out + 1] = word(name, member)
    seen(name)
  end
  while at <= #text do
    local c = text:sub(at, at)
    local two = text:sub(at, at + 1)
    if two == "/*" then
      put(text:sub(at, select(2, text:find("*/", at + 2, true))))
    elseif c == '"' or c == "'" then
      local stop = at + 1
      while text:sub(stop, stop) ~= c do stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1) end
      put(text:sub(at, stop))
      seen(c)
    elseif c:find "[%a_]" then
      name_at()
    elseif c:find "%d" then
      put(text:match("^[%w_.]+", at))
      seen "0"
    elseif two == "->" then
      put(two)
      seen(two)
    else
      if c == "{" then braces[#braces + 1] = AGGREGATE[before] or AGGREGATE[before2] or false end
      if c == "}" then braces[#braces] = nil end
      put(c)
      if not c:find "%s" then seen(c) end
    end
  end
  return table.concat(out)
end

-- The text with comments and strings blanked, for looking at its structure.
local function bare(text)
  return (text:gsub("/%*.-%*/", function(s) return (s:gsub("[^\n]", " ")) end)
    :gsub('"[^"\n]-\\?"', function(s) return (s:gsub("[^\n]", " ")) end))
end

-- ---- what is local to a file ----------------------------------------------------------------------------------------

local function locals_of(text)
  local names, macros = {}, {}
  local function add(name)
    if name and not name:find "^il_" then names[name] = true end
  end
  local plain = bare(text)
  local depth = 0
  for line in (plain .. "\n"):gmatch "(.-)\n" do
    if depth == 0 then
      local declared = line:match "^static%s+(.*)" or line:match "^_Noreturn%s+static%s+(.*)"
      if declared then
        local first = declared:match "([%a_][%w_]*)%s*[%(%[=;]"
        add(first)
        if not declared:find("(", 1, true) or declared:find "^[^(]*=" then
          for further in declared:gmatch ",%s*([%a_][%w_]*)%s*[%[%]]*%s*=" do add(further) end
        end
      end
      local tag = line:match "^struct%s+([%a_][%w_]*)%s*{" or line:match "^enum%s+([%a_][%w_]*)%s*{" or
        line:match "^union%s+([%a_][%w_]*)%s*{" or line:match "^struct%s+([%a_][%w_]*)%s*;"
      add(tag)
      local typedef = line:match "^typedef.-%(%*([%a_][%w_]*)%)" or line:match "^typedef.-([%a_][%w_]*)%s*;"
      add(typedef)
    end
    for _ in line:gmatch "{" do depth = depth + 1 end
    for _ in line:gmatch "}" do depth = depth - 1 end
    local macro = line:match "^%s*#%s*define%s+([%a_][%w_]*)"
    if macro then macros[macro] = true end
    local gone = line:match "^%s*#%s*undef%s+([%a_][%w_]*)"
    if gone then macros[gone] = nil end
  end
  for body in plain:gmatch "\nenum%s*[%w_]*%s*(%b{})" do
    for item in (body:sub(2, -2) .. ","):gmatch "([^,]*)," do
      add(item:match "^%s*([%a_][%w_]*)")
    end
  end
  return names, macros
end

-- ---- the parts ------------------------------------------------------------------------------------------------------

local system, system_seen, seen_header, body = {}, {}, {}, {}

local function take_system(text)
  return (("\n" .. text):gsub("\n[ \t]*#include <([^>\n]+)>[^\n]*", function(name)
    if not system_seen[name] then
      system_seen[name] = true
      system[#system + 1] = name
    end
    return "\n"
  end):sub(2))
end

-- Puts in each header of ours where it is first named; headers include headers.
local function take_headers(text, depth)
  assert(depth < 64, "headers include one another in a circle")
  return (("\n" .. text):gsub("\n[ \t]*#include \"([^\"\n]+)\"[^\n]*", function(name)
    if name == "include/interlock.h" or name == "interlock.h" or seen_header[name] then return "\n" end
    seen_header[name] = true
    return "\n/* ---- " .. name .. " ---- */\n" .. take_headers(take_system(read("src/" .. name)), depth + 1)
  end):sub(2))
end

local parts = {}
for i, path in ipairs(files) do
  local text = take_system(read(path))
  local names, macros = locals_of(text)
  parts[i] = { path = path, text = text, names = names, macros = macros }
end

for i, part in ipairs(parts) do
  local headers, rest = {}, part.text
  rest = rest:gsub("[ \t]*#include \"([^\"\n]+)\"[^\n]*\n", function(name)
    headers[#headers + 1] = '#include "' .. name .. '"\n'
    return ""
  end)
  body[#body + 1] = take_headers(table.concat(headers), 0)
  body[#body + 1] = "\n/* ==== " .. part.path .. " ==== */\n"
  body[#body + 1] = map_words(rest, function(name, is_member)
    return part.names[name] and not is_member and name .. "__" .. i or name
  end)
  local macros = {}
  for name in pairs(part.macros) do macros[#macros + 1] = name end
  table.sort(macros)
  for _, name in ipairs(macros) do body[#body + 1] = "#undef " .. name .. "\n" end
end

-- ---- out ------------------------------------------------------------------------------------------------------------

io.write("/* Interlock ", version, " in one file: compile it with `cc -std=c11 -c interlock.c`.\n",
  " * Made from the sources; change those. The public interface is interlock.h. */\n",
  "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include \"interlock.h\"\n\n")
for _, name in ipairs(system) do io.write("#include <", name, ">\n") end
io.write "\n#pragma GCC visibility push(hidden)\n"
for _, piece in ipairs(body) do io.write(piece) end
io.write "#pragma GCC visibility pop\n"
