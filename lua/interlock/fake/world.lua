-- The small world that the simulated runtime acts on, and what can be seen of it afterwards.

local options = require "interlock.fake.options"
local tools = require "interlock.fake.tools"

local world = {}

local MEMBERS = {
  files = "table", clipboard = "string", elements = "table", windows = "table", processes = "table", registry = "table",
}

---@param given table? the option `world`
---@return table
function world.new(given)
  given = options.copy(options.check(given or {}, MEMBERS, "world"))
  return {
    files = given.files or { ["/home/me/report.txt"] = "draft" },
    clipboard = given.clipboard or "",
    elements = given.elements or json.array {
      { role = "button", label = "Save" },
      { role = "textbox", label = "Name", value = "" },
    },
    windows = given.windows or json.array {
      { window_id = 7, app_id = "org.example.Editor", title = "Report", pid = 4242 },
    },
    processes = given.processes or json.array { { pid = 4242, name = "editor" } },
    registry = given.registry or {},
    notifications = json.array {}, mails = json.array {}, scripts = json.array {},
    typed = "", clicks = 0,
  }
end

local function has(list, name, value)
  for _, item in ipairs(list) do
    if item[name] == value then return true end
  end
  return false
end

-- What is seen of each kind of postcondition: is it there, and what is its text.
local see = {}

function see.filesystem(state, wanted)
  local content = state.files[wanted.path]
  return content ~= nil, content, wanted.contentDigest
end

function see.ui_element(state, wanted)
  local element = tools.element(state, wanted.role, wanted.label)
  return element ~= nil, element and element.value, wanted.valueDigest
end

function see.registry(state, wanted)
  local key = state.registry[wanted.path]
  local value = key and key[wanted.name]
  return value ~= nil, value, wanted.valueDigest
end

function see.window(state, wanted)
  return has(state.windows, "window_id", wanted.windowId)
end

function see.process(state, wanted)
  return has(state.processes, "pid", wanted.pid)
end

---Evidence for a postcondition: what `verify` answers.
---@param state table
---@param wanted table a postcondition
---@param runtime interlock.Runtime
---@return table? evidence
function world.verify(state, wanted, runtime)
  local look = see[wanted.kind]
  if not look then return nil end
  local there, content, digest = look(state, wanted)
  local expected = wanted.exists
  if wanted.kind == "process" then expected = wanted.running end
  local evidence = { satisfied = there == expected, method = "postcondition." .. wanted.kind }
  if digest and type(content) == "string" then
    evidence.observedDigest = "sha256:" .. runtime.sha256(content)
    evidence.satisfied = evidence.satisfied and evidence.observedDigest == digest
  elseif digest then
    evidence.satisfied = false
  end
  return evidence
end

---What the screen shows.
---@param state table
---@return table
function world.visual(state)
  return {
    windows = options.copy(state.windows),
    frontmostWindowId = state.windows[1] and state.windows[1].window_id or json.null,
    clicks = state.clicks,
  }
end

---The tree of elements.
---@param state table
---@return table
function world.semantic(state)
  return { elements = options.copy(state.elements), processes = options.copy(state.processes) }
end

return world
