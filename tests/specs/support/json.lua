-- JSON for the specs: text to tables by lua-cjson, tables to text by a small writer that keeps lists, sorts members and
-- can write what is not JSON. Must never be used by the library: only the specs and their stand-in read with it.

local cjson = require "cjson"

local json = { null = cjson.null }

local list_mt, raw_mt = {}, {}

--- A table that is written as an array, also when it is empty.
function json.list(t)
  return setmetatable(t or {}, list_mt)
end

--- A text that is written as it is: a number beyond doubles, a bare word, broken bytes.
function json.raw(text)
  return setmetatable({ text }, raw_mt)
end

json.decode = cjson.decode

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\b"] = "\\b",
  ["\f"] = "\\f" }

local function quote(s)
  return '"' .. s:gsub('[%c"\\]', function(c)
    return ESCAPES[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function number(n)
  local whole = math.tointeger(n)
  return whole and tostring(whole) or ("%.17g"):format(n)
end

local encode

local function members(t)
  local names, out = {}, {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do out[i] = quote(name) .. ":" .. encode(t[name]) end
  return "{" .. table.concat(out, ",") .. "}"
end

local function items(t)
  local out = {}
  for i, item in ipairs(t) do out[i] = encode(item) end
  return "[" .. table.concat(out, ",") .. "]"
end

function encode(value)
  local kind = type(value)
  if kind == "string" then return quote(value) end
  if kind == "number" then return number(value) end
  if kind ~= "table" then return value == json.null and "null" or tostring(value) end
  local mt = getmetatable(value)
  if mt == raw_mt then return value[1] end
  if mt == list_mt or #value > 0 then return items(value) end
  return members(value)
end

json.encode = encode

return json
