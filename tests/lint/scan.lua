-- A small scanner for C, enough for the structure lint: includes, calls, functions with their extent, variables at file
-- scope, static variables inside functions, conditionals inside functions. Comments and strings are blanked first, so
-- that nothing inside them counts; line numbers stay true.
-- It reads the C of this project, not all of C: no K&R definitions, one declaration a statement.

local M = {}

local function blank(s)
  return (s:gsub("[^\n]", " "))
end

-- The text with comments, strings and character constants blanked out.
local function strip(text)
  local out, i, n = {}, 1, #text
  while i <= n do
    local c, two = text:sub(i, i), text:sub(i, i + 1)
    local stop
    if two == "/*" then
      local _, e = text:find("*/", i + 2, true)
      stop = e or n
    elseif two == "//" then
      stop = (text:find("\n", i, true) or n + 1) - 1
    elseif c == '"' or c == "'" then
      stop = i + 1
      while stop <= n and text:sub(stop, stop) ~= c do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
      out[#out + 1] = c .. blank(text:sub(i + 1, stop - 1)) .. c
      i = stop + 1
      goto continue
    else
      local e = text:find("[/\"']", i + 1) or n + 1
      out[#out + 1] = text:sub(i, e - 1)
      i = e
      goto continue
    end
    out[#out + 1] = blank(text:sub(i, stop))
    i = stop + 1
    ::continue::
  end
  return table.concat(out)
end

local function split(text)
  local lines = {}
  for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  return lines
end

-- Takes directives out of `lines` (blanked in place); returns includes and the line numbers of conditionals.
local function directives(lines, original)
  local includes, conditionals, continued = {}, {}, false
  for number, line in ipairs(lines) do
    local directive = line:match("^%s*#%s*(%a+)")
    if directive or continued then
      if directive == "include" then
        local open, name = original[number]:match('#%s*include%s*([<"])([^>"]+)')
        if name then includes[#includes + 1] = { name = name, quoted = open == '"', line = number } end
      elseif directive and directive:find("^if") then
        conditionals[#conditionals + 1] = number
      end
      continued = line:find("\\%s*$") ~= nil
      lines[number] = ""
    end
  end
  return includes, conditionals
end

-- The comment lines that end directly above line `number`.
local function comment_above(original, number)
  local taken, at = {}, number - 1
  if not (original[at] or ""):find("%*/%s*$") then return "" end
  while at >= 1 do
    table.insert(taken, 1, original[at])
    if original[at]:find("/%*") then break end
    at = at - 1
  end
  return table.concat(taken, "\n")
end

-- Whether the declaration (without its initializer) defines an object that can change.
local function is_mutable(decl)
  local head = decl:gsub("__attribute__%s*%b()%s*", ""):gsub("_Alignas%s*%b()", ""):gsub("%b[]", "")
  if head:find("%f[%w_]typedef%f[^%w_]") or head:find("%f[%w_]extern%f[^%w_]") then return false end
  if head:find("_Static_assert") or head:find("static_assert") then return false end
  if head:find("^[^(]*[%w_]%s*%([^*]") or head:find("^[^(]*[%w_]%s*%($") then return false end -- a function
  if not head:find("[%w_]+%s+%*?%s*[%w_]") and not head:find("%*") and not head:find("}") then return false end
  local pointer = head:find("%(%s*%*") and head:match("%(%s*%*([^)]*)%)") or head:match(".*%*(.*)$")
  return not (pointer or head):find("%f[%w_]const%f[^%w_]")
end

-- `struct x { ... };`, `enum { ... };` define types, not objects.
local function is_bare_type(decl)
  local rest = decl:gsub("%b{}", "{}")
  return rest:find("^%s*struct%s+[%w_]+%s*$") or rest:find("^%s*union%s+[%w_]+%s*$")
    or rest:find("^%s*[%w_ ]*{}%s*$") or rest:find("^%s*enum%s+[%w_]+%s*$")
end

local KEYWORDS = { ["if"] = true, ["while"] = true, ["for"] = true, ["switch"] = true, ["return"] = true,
  ["sizeof"] = true, ["do"] = true, ["else"] = true, ["case"] = true }

-- Reads one function body from `open` (its brace); returns the position of the closing brace.
local function body_end(code, open)
  local _, close = code:find("%b{}", open)
  return close or #code
end

local function line_index(code)
  local starts, at = { 1 }, 1
  while true do
    local e = code:find("\n", at, true)
    if not e then break end
    starts[#starts + 1] = e + 1
    at = e + 1
  end
  return function(pos)
    local lo, hi = 1, #starts
    while lo < hi do
      local mid = (lo + hi + 1) // 2
      if starts[mid] <= pos then lo = mid else hi = mid - 1 end
    end
    return lo
  end
end

local function static_locals(body, offset, line_at, mutable)
  local at = 1
  while true do
    local from, to = body:find("%f[%w_]static%f[^%w_]", at)
    if not from then return end
    local stop = to + 1
    while not body:sub(stop, stop):find("[;=]") and stop <= #body do -- steps over the members of a struct
      stop = body:sub(stop, stop) == "{" and body_end(body, stop) + 1 or stop + 1
    end
    local decl = body:sub(from, stop - 1):gsub("%b{}", "{}")
    if not decl:find("_assert") and is_mutable(decl) then
      mutable[#mutable + 1] = { line = line_at(offset + from - 1), text = (decl:gsub("%s+", " ")) }
    end
    at = stop
  end
end

-- Walks the file scope: hands each function to `on_function` and each other declaration to `on_declaration`.
local function walk(code, on_function, on_declaration)
  local at, begin = 1, 1
  while true do
    local pos = code:find("[;{]", at)
    if not pos then break end
    local head = code:sub(begin, pos - 1)
    if code:sub(pos, pos) == ";" then
      on_declaration(head, begin)
      at, begin = pos + 1, pos + 1
    elseif head:find('extern%s*"') then -- extern "C" {
      at, begin = pos + 1, pos + 1
    elseif not head:find("=") and head:gsub("__attribute__%s*%b()", ""):find("%)%s*[%u_]*%s*$") then
      local close = body_end(code, pos)
      on_function(head, begin, pos, close)
      at, begin = close + 1, close + 1
    else -- a type or an initializer: goes on to its semicolon
      at = body_end(code, pos) + 1
    end
  end
end

function M.c(text)
  local original, code = split(text), strip(text)
  local lines = split(code)
  local unit = { functions = {}, calls = {}, mutable = {}, conditionals = {} }
  local conditionals
  for at, name in code:gmatch("()%f[%w_]([%a_][%w_]*)%s*%(") do
    if not KEYWORDS[name] and not code:sub(at - 1, at - 1):find("[.>]") then
      unit.calls[#unit.calls + 1] = { name = name, at = at }
    end
  end
  local line_at = line_index(code)
  for _, call in ipairs(unit.calls) do call.line = line_at(call.at) end

  unit.includes, conditionals = directives(lines, original)
  code = table.concat(lines, "\n")
  line_at = line_index(code)

  walk(code, function(head, begin, open, close)
    local name = head:match("([%a_][%w_]*)%s*%(") or "?"
    local start = line_at(begin + #head:match("^[%s}]*"))
    local body = code:sub(open, close)
    unit.functions[#unit.functions + 1] = {
      name = name, start = start, first = line_at(open), last = line_at(close),
      comment = comment_above(original, start),
      recursive = body:gsub("[.>]%s*[%w_]+%s*%(", ""):find("%f[%w_]" .. name .. "%s*%(") ~= nil,
    }
    static_locals(body, open, line_at, unit.mutable)
  end, function(head, begin)
    local decl = head:gsub("^[%s}]+", "")
    local shape = decl:gsub("%b{}", "{}"):gsub("=.*$", "")
    if decl ~= "" and not is_bare_type(decl) and is_mutable(shape) then
      local line = line_at(begin + #head:match("^[%s}]*"))
      unit.mutable[#unit.mutable + 1] = { line = line, text = (shape:gsub("%s+", " ")) }
    end
  end)

  for _, number in ipairs(conditionals) do
    for _, fn in ipairs(unit.functions) do
      if number > fn.first and number < fn.last then table.insert(unit.conditionals, number) end
    end
  end
  return unit
end

return M
