-- Plays a page: `lua5.4 page.lua PAGE FOLDER` writes the files that the page shows into FOLDER, runs its commands
-- there, and prints the page with what they really print. A block ```LANGUAGE PATH is a file; in a block ```console
-- each line `$ COMMAND` is a command, and what stands below it its output. Ids that an earlier command printed are
-- others now: in the commands those of the page are replaced.

local page, folder = arg[1], arg[2]

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local IDS = { "%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x+", "req%-%x+" }
local now = {} -- what stands on the page -> what it is now

local function note_ids(was, is)
  for _, pattern in ipairs(IDS) do
    local given = is:gmatch(pattern)
    for id in was:gmatch(pattern) do now[id] = now[id] or given() end
  end
end

-- What it prints, and the command as it was run.
local function run(command)
  for _, pattern in ipairs(IDS) do command = command:gsub(pattern, now) end
  write(folder .. "/.command", "cd " .. quote(folder) .. "\n" .. command .. "\n")
  local pipe = assert(io.popen("bash " .. quote(folder .. "/.command") .. " 2>&1 </dev/null"))
  local said = pipe:read("a")
  pipe:close()
  return said, command
end

-- The commands of a block, each with what is printed.
local function play(block)
  local out, command, said = {}, nil, {}
  local function finish()
    if not command then return end
    local is, as_run = run(command)
    note_ids(table.concat(said, "\n"), is)
    out[#out + 1] = "$ " .. as_run .. "\n" .. is
    said = {}
  end
  for line in block:gmatch("([^\n]*)\n") do
    if line:sub(1, 2) == "$ " then
      finish()
      command = line:sub(3)
    elseif command and command:sub(-1) == "\\" and #said == 0 then
      command = command .. "\n" .. line
    else
      said[#said + 1] = line
    end
  end
  finish()
  return table.concat(out)
end

local text, at = read(page), 1
while true do
  local from, to, info, block = text:find("\n```([^\n]*)\n(.-\n)```\n", at)
  if not from then break end
  io.write(text:sub(at, from))
  local path = info:match("^%a+ ([%w_./-]+)$")
  if path then write(folder .. "/" .. path, block) end
  if info == "console" then block = play(block) end
  io.write("```", info, "\n", block, "```\n")
  at = to + 1
end
io.write(text:sub(at))
