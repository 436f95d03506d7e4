-- A game in which a robot proposes and the player decides. Each second the robot wants to do something; what the policy
-- asks about stands on a card until Y or N is pressed. The library moves in love.update, 2 ms a frame at most.
--
--   love examples/love build/release/libinterlock.so [--demo DIR]
--
-- --demo presses Y and N by itself, saves card.png and outcomes.png into DIR, prints what it has seen, and ends.

local interlock = require "interlock"

local BUDGET_US = 2000

local manifest = [[{"name":"robot","version":"1","requires":1,"policies":[{"file":"robot.lua","level":"hard"}]}]]
local policy = [[
local policy = require "interlock.policy"
return policy {
  name = "robot",
  preview = function(action)
    local text = action.arguments.text
    if text:find "^open" then return policy.ask("the player decides about doors (" .. type(jit) .. ")") end
    if text:find "^burn" then return policy.deny("robots set nothing on fire") end
  end,
}
]]

local wishes = { "greet the guard", "open the gate", "burn the barn", "open the cellar", "sweep the yard" }
local host, version, demo, over
local runs, clock = {}, 0

-- ---- the robot and the player ---------------------------------------------------------------------------------------

local function propose(wish)
  local action = ('{"tool":"write_clipboard","arguments":{"text":"%s"}}'):format(wish)
  runs[#runs + 1] = { wish = wish, run = host:start("robot-1", "yard", action), outcome = "..." }
end

local function waiting()
  for _, one in ipairs(runs) do
    if one.run:state() == interlock.WAITING then return one end
  end
end

local function answer(what)
  local one = waiting()
  if one then one.run:decide("player", what) end
end

-- ---- that two Luas never meet ---------------------------------------------------------------------------------------

local function shape()
  local names = {}
  for name in pairs(package.loaded) do names[#names + 1] = name end
  for name in pairs(_G) do names[#names + 1] = "_G." .. name end
  for name in pairs(getmetatable("").__index) do names[#names + 1] = "string." .. name end
  table.sort(names)
  return table.concat(names, " ")
end

-- What a whole run, Lua policy included, takes of this Lua's memory: nothing.
local function taken()
  local run = host:start("robot-1", "yard", '{"tool":"write_clipboard","arguments":{"text":"wave"}}')
  local move = interlock.mover(host, run)
  jit.off()
  collectgarbage "stop"
  local was = collectgarbage "count"
  move()
  local now = collectgarbage "count"
  collectgarbage "restart"
  jit.on()
  return run:state() == interlock.ENDED and (now - was) * 1024 or -1
end

local function apart(before)
  local found = {}
  if shape() ~= before then found[#found + 1] = "globals changed" end
  if taken() ~= 0 then found[#found + 1] = "a run took memory of the game's Lua" end
  for _, name in ipairs { "lua_newstate", "luaL_newstate", "lua_pcallk", "luaopen_base" } do
    if pcall(function() return interlock.library[name] end) then found[#found + 1] = "the library shows " .. name end
  end
  local seen = runs[2] and runs[2].card or ""
  if not seen:find("doors (nil)", 1, true) then found[#found + 1] = "the policy saw the game's jit" end
  return #found == 0 and "apart" or table.concat(found, ", ")
end

-- ---- the loop -------------------------------------------------------------------------------------------------------

local before

function love.load(arguments)
  require "ffi"
  before = shape()
  version = interlock.load(arguments[1] or "libinterlock.so")
  demo = arguments[2] == "--demo" and arguments[3] or nil
  host = interlock.host()
  host:simulate "{}"
  host:add_bundle { ["bundle.json"] = manifest, ["robot.lua"] = policy }
  host:add_approver "player"
end

local function note_outcomes()
  for _, one in ipairs(runs) do
    local state = one.run:state()
    if state == interlock.WAITING and not one.card then one.card = one.run:card() end
    if state == interlock.ENDED then one.outcome = one.run:document():match '"status":"([^"]*)"' end
  end
end

local function save(name, after)
  love.graphics.captureScreenshot(function(image)
    local out = assert(io.open(demo .. "/" .. name, "wb"))
    out:write(image:encode("png"):getString())
    out:close()
    if after then after() end
  end)
end

local function tell()
  for _, one in ipairs(runs) do print(one.wish .. ": " .. one.outcome) end
  print("two Luas: " .. _VERSION .. " with " .. jit.version .. ", " .. apart(before))
  love.event.quit()
end

-- A card is looked at for twenty frames before it is answered.
local function play_demo()
  local one = waiting()
  if one then
    one.frames = (one.frames or 0) + 1
    if one.frames == 10 then save "card.png" end
    if one.frames == 20 then answer(one.wish == "open the gate" and "approve" or "deny") end
  elseif not over and #runs == #wishes and runs[#runs].run:state() == interlock.ENDED then
    over = true
    save("outcomes.png", tell)
  end
end

function love.update(dt)
  clock = clock + (demo and 0.5 or dt)
  if #runs < #wishes and clock >= #runs + 1 then propose(wishes[#runs + 1]) end
  host:tick(BUDGET_US)
  note_outcomes()
  if demo then play_demo() end
end

function love.keypressed(key)
  if key == "y" then answer "approve" end
  if key == "n" then answer "deny" end
  if key == "escape" then love.event.quit() end
end

local colors = { denied = { 0.9, 0.5, 0.3 }, blocked = { 0.9, 0.3, 0.3 }, committed_unverified = { 0.4, 0.8, 0.4 } }

function love.draw()
  love.graphics.clear(0.10, 0.12, 0.16)
  love.graphics.setColor(1, 1, 1)
  love.graphics.print("Interlock " .. version .. " in LÖVE: a robot proposes, the player decides", 16, 12)
  for i, one in ipairs(runs) do
    love.graphics.setColor(colors[one.outcome] or { 0.8, 0.8, 0.8 })
    love.graphics.rectangle("fill", 16, 26 + i * 20, 12, 12)
    love.graphics.print(one.wish, 40, 24 + i * 20)
    love.graphics.print(one.outcome, 200, 24 + i * 20)
  end
  local one = waiting()
  if not one or not one.card then return end
  love.graphics.setColor(0.2, 0.25, 0.35)
  love.graphics.rectangle("fill", 16, 160, 608, 344, 6)
  love.graphics.setColor(1, 0.9, 0.5)
  love.graphics.print("Y: approve    N: deny", 28, 168)
  love.graphics.setColor(1, 1, 1)
  love.graphics.printf(one.card, 28, 192, 584)
end
