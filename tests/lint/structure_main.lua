-- Runs the structure lint over the tracked files, then its self-test; prints TAP.
local structure = dofile("tests/lint/structure.lua")
local cases = dofile("tests/lint/structure_self.lua")

local function tracked()
  local pipe = assert(io.popen("git ls-files --cached --others --exclude-standard 2>/dev/null"))
  local list = pipe:read("a")
  pipe:close()
  if list == "" then
    pipe = assert(io.popen("find . -path ./build -prune -o -path ./.git -prune -o -name node_modules -prune -o "
      .. "-name .venv -prune -o -type f -print | sed 's,^\\./,,'"))
    list = pipe:read("a")
    pipe:close()
  end
  local files = {}
  for path in list:gmatch("[^\n]+") do
    local file = io.open(path, "rb")
    local text = file and file:read("a")
    if file then file:close() end
    if text then files[path] = text end
  end
  return files
end

local count, failures = 0, 0
local function ok(cond, name, notes)
  count = count + 1
  if not cond then failures = failures + 1 end
  print(("%sok %d - %s"):format(cond and "" or "not ", count, name))
  for _, note in ipairs(cond and {} or notes) do print("#   " .. note) end
end

local by_rule = {}
for _, v in ipairs(structure.check(tracked())) do
  by_rule[v.rule] = by_rule[v.rule] or {}
  table.insert(by_rule[v.rule], ("%s%s: %s"):format(v.path, v.line and ":" .. v.line or "", v.text))
end
for _, rule in ipairs(structure.rules) do
  ok(by_rule[rule[1]] == nil, "structure: " .. rule[2], by_rule[rule[1]] or {})
end

local tried = {}
for _, case in ipairs(cases) do
  tried[case.rule] = true
  local seen = {}
  for _, v in ipairs(structure.check(case.files)) do seen[#seen + 1] = v.rule .. ": " .. v.text end
  local hit = #seen > 0
  for _, text in ipairs(seen) do hit = hit and text:find(case.rule .. ":", 1, true) == 1 end
  if case.good then hit = #seen == 0 end
  ok(hit, ("structure self-test: %s %s"):format(case.good and "accepts" or case.rule .. " refuses", case.name), seen)
end
for _, rule in ipairs(structure.rules) do
  if not tried[rule[1]] then ok(false, "structure self-test: " .. rule[1] .. " is tried", {}) end
end
print("1.." .. count)
os.exit(failures == 0)
