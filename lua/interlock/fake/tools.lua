-- The tools of the simulated desktop: what class an action has, in which modes it can be done, whether it needs a
-- target, and what it does to the world. A tool whose class depends on `arguments.mode` has one row per mode.

local tools = {}

---@class interlock.fake.Tool
---@field class string             the class of the action
---@field modes string[]?          the modes it can be done in; all by default
---@field target boolean?          needs evidence of where it aims
---@field effect fun(world: table, arguments: table, target: table?)? nothing is changed without one

local FOCUS = { "shadow", "foreground" }

local function text(arguments, name)
  local value = arguments[name]
  if type(value) ~= "string" then return "" end
  return value
end

---The element that an action names by role and label, or nil.
---@param world table
---@param role string?
---@param label string?
---@return table?
function tools.element(world, role, label)
  for _, element in ipairs(world.elements) do
    local same_role = role == nil or element.role == role
    local same_label = label == nil or element.label == label
    if same_role and same_label and (role or label) then return element end
  end
  return nil
end

---Keeps the last hundred.
local function add(list, item)
  if #list >= 100 then table.remove(list, 1) end
  list[#list + 1] = item
end

local function typed(world, characters)
  world.typed = (world.typed .. characters):sub(-4000)
end

local function click(world) world.clicks = world.clicks + 1 end

local function press(world, arguments)
  click(world)
  local element = tools.element(world, arguments.role, arguments.label)
  if element then element.pressed = (element.pressed or 0) + 1 end
end

local function set_value(world, arguments)
  local element = tools.element(world, arguments.role, arguments.label)
  if not element then
    element = { role = arguments.role, label = arguments.label }
    world.elements[#world.elements + 1] = element
  end
  element.value = text(arguments, "value")
end

local function fill_form(world, arguments)
  if type(arguments.fields) ~= "table" then return end
  for _, field in ipairs(arguments.fields) do
    if type(field) == "table" then set_value(world, field) end
  end
end

local function keep(list, name)
  return function(world, arguments)
    local kept = {}
    for i, item in ipairs(world[list]) do
      if item[name] ~= arguments[name] then kept[#kept + 1] = world[list][i] end
    end
    world[list] = json.array(kept)
  end
end

local function registry(world, arguments, value)
  local path = text(arguments, "path")
  world.registry[path] = world.registry[path] or {}
  world.registry[path][text(arguments, "name")] = value
end

---@type table<string, interlock.fake.Tool>
local known = {
  snapshot = { class = "observe" },
  screenshot = { class = "observe" },
  get_ui_tree = { class = "observe" },
  list_windows = { class = "observe" },
  get_window = { class = "observe" },
  find_element = { class = "observe" },
  ["filesystem.read"] = { class = "observe" },
  read_clipboard = { class = "secret_access" },

  left_click = { class = "navigate", modes = FOCUS, target = true, effect = click },
  right_click = { class = "navigate", modes = FOCUS, target = true, effect = click },
  double_click = { class = "navigate", modes = FOCUS, target = true, effect = click },
  scroll = { class = "navigate", modes = FOCUS, target = true, effect = click },
  click_element = { class = "navigate", modes = FOCUS, target = true, effect = press },
  press_button = { class = "navigate", modes = FOCUS, target = true, effect = press },
  select_menu_item = { class = "navigate", modes = FOCUS, target = true, effect = press },
  activate_app = { class = "navigate", modes = FOCUS, effect = click },
  close_window = { class = "navigate", effect = keep("windows", "window_id") },

  type = {
    class = "edit_reversible", modes = FOCUS, target = true,
    effect = function(world, arguments) typed(world, text(arguments, "text")) end,
  },
  key = {
    class = "edit_reversible", modes = FOCUS, target = true,
    effect = function(world, arguments) typed(world, "<" .. text(arguments, "key") .. ">") end,
  },
  set_value = { class = "edit_reversible", modes = FOCUS, target = true, effect = set_value },
  fill_form = { class = "edit_reversible", modes = FOCUS, target = true, effect = fill_form },
  write_clipboard = {
    class = "edit_reversible",
    effect = function(world, arguments) world.clipboard = text(arguments, "text") end,
  },
  ["filesystem.write"] = {
    class = "edit_reversible",
    effect = function(world, arguments) world.files[text(arguments, "path")] = text(arguments, "content") end,
  },
  ["filesystem.append"] = {
    class = "edit_reversible",
    effect = function(world, arguments)
      local path = text(arguments, "path")
      world.files[path] = (world.files[path] or "") .. text(arguments, "content")
    end,
  },
  ["filesystem.copy"] = {
    class = "edit_reversible",
    effect = function(world, arguments)
      world.files[text(arguments, "destination")] = world.files[text(arguments, "path")]
    end,
  },
  ["filesystem.move"] = {
    class = "edit_reversible",
    effect = function(world, arguments)
      local path = text(arguments, "path")
      world.files[text(arguments, "destination")], world.files[path] = world.files[path], nil
    end,
  },

  notification = {
    class = "communicate_external",
    effect = function(world, arguments)
      add(world.notifications, { title = text(arguments, "title"), message = text(arguments, "message") })
    end,
  },
  send_mail = {
    class = "communicate_external",
    effect = function(world, arguments)
      add(world.mails, { to = arguments.to, subject = arguments.subject, text = arguments.text })
    end,
  },
  ["filesystem.delete"] = {
    class = "destructive",
    effect = function(world, arguments) world.files[text(arguments, "path")] = nil end,
  },
  process_kill = { class = "destructive", effect = keep("processes", "pid") },
  ["registry.delete"] = {
    class = "destructive",
    effect = function(world, arguments) registry(world, arguments, nil) end,
  },
  ["registry.set"] = {
    class = "privilege_change",
    effect = function(world, arguments) registry(world, arguments, text(arguments, "value")) end,
  },
  run_script = {
    class = "privilege_change",
    effect = function(world, arguments) add(world.scripts, text(arguments, "script")) end,
  },
}

-- A password field by any of its names makes an edit an access to a secret.
local SECRET = {
  "password", "passcode", "secret", "token", "credential", "otp", "one time", "api key", "apikey", "pin",
}

local function names_secret(arguments)
  local words = (text(arguments, "role") .. " " .. text(arguments, "label")):lower():gsub("[-_]", " ")
  for _, word in ipairs(SECRET) do
    if words:find(word, 1, true) then return true end
  end
  return false
end

---The tool of an operation, or nil: "filesystem.delete" before "filesystem", those of the options before ours.
---@param extra table<string, interlock.fake.Tool>
---@param name string
---@param operation string?
---@return interlock.fake.Tool?
function tools.find(extra, name, operation)
  return extra[operation] or extra[name] or known[operation] or known[name]
end

---@param tool interlock.fake.Tool
---@param name string
---@param arguments table
---@return string class
function tools.class(tool, name, arguments)
  if name == "set_value" and names_secret(arguments) then return "secret_access" end
  if name == "fill_form" and type(arguments.fields) == "table" then
    for _, field in ipairs(arguments.fields) do
      if type(field) == "table" and names_secret(field) then return "secret_access" end
    end
  end
  return tool.class
end

---Every operation that is known, sorted.
---@param extra table<string, interlock.fake.Tool>
---@return string[]
function tools.names(extra)
  local all, list = {}, {}
  for name in pairs(known) do all[name] = true end
  for name in pairs(extra) do all[name] = true end
  for name in pairs(all) do list[#list + 1] = name end
  return json.array(list)
end

return tools
