-- A computer-use server behind the module: the stand-in of tests/peers, started by the host over stdio, or here over
-- HTTP on a free port. The clock is the system's; what waits polls. Without node there is nothing to test.

local interlock = require "interlock"
local json = require "tests.specs.support.json"

local PEER = "node tests/peers/computer-use.mjs --principal operator-1 "
local TOKEN = "abcdefghijklmnopqrstuvwxyz"

local function works(command)
  return os.execute(command .. " >/dev/null 2>&1") == true
end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return "" end
  local text = file:read "a"
  file:close()
  return text
end

local function nap() os.execute "sleep 0.02" end

--- Ticks `host` until `done` says so; an error after 20 s.
local function until_(host, done)
  local ends = os.time() + 20
  while not done() do
    assert(os.time() < ends, "it takes too long")
    local tick = assert(host:tick(20000))
    if not tick.more then nap() end
  end
end

local function facts(host) return json.decode((assert(host:runtime_facts()))) end

local function settle(host)
  until_(host, function() return facts(host).state ~= "connecting" end)
  return facts(host)
end

--- A session command and its end: the document, or nil and the error.
local function ask(host, verb, args)
  local heard, answer, failure
  assert(host:session(verb, args and json.encode(args), function(text, err)
    heard, answer, failure = true, text, err
  end))
  until_(host, function() return heard end)
  return answer and not failure and json.decode(answer) or nil, failure
end

local function play(host, options)
  local o = { proposal = '{"tool":"write_clipboard","arguments":{"text":"hi"},"mode":"background"}',
    principal = "operator-1", session = facts(host).sessionId, scopes = { "computer:execute:background" } }
  for name, value in pairs(options or {}) do o[name] = value end
  local run = assert(host:run(o))
  until_(host, function() return run:state() == "ended" or run:state() == "waiting" end)
  return run:summary(), run
end

if not (works "command -v node" and works "test -d tests/peers/node_modules/@modelcontextprotocol") then
  describe("a computer-use server", function()
    it("is tested with node and the packages of tests/peers", function() pending "they are not installed" end)
  end)
  return
end

--- What holds over both transports. `open(options)` sets the runtime of a new host.
local function governs(name, open, effects)
  describe("a computer-use server over " .. name, function()
    local host
    after_each(function()
      if host then host:close() end
      host = nil
    end)

    it("is connected to, and says what it is", function()
      host = open { accept_tools = { "approve_action" } }
      assert.are.equal("connecting", facts(host).state)
      assert.is_true(#host:descriptors() <= 64)
      local told = settle(host)
      assert.are.equal("ready", told.state)
      assert.are.equal("computer-use", told.serverName)
      assert.are.equal("operator-1", told.principalId)
      assert.is_true(told.startedSession)
      assert.is_nil(host:runtime_facts():find(TOKEN, 1, true))
    end)

    it("has descriptors to wait for, each with what is waited for", function()
      host = open { accept_tools = { "approve_action" } }
      local seen = 0
      until_(host, function()
        for _, one in ipairs(host:descriptors()) do
          assert.are.equal("integer", math.type(one.fd))
          assert.is_true(one.fd >= 0 and one.events > 0)
          seen = seen + 1
        end
        return facts(host).state ~= "connecting"
      end)
      assert.is_true(seen > 0)
    end)

    it("acts once for a run", function()
      host = open { accept_tools = { "approve_action" } }
      settle(host)
      local before = effects()
      local summary = play(host)
      assert.are.equal("committed_unverified", summary.status)
      assert.are.equal("committed", summary.effect)
      assert.is_false(summary.retry_safe)
      assert.are.equal(5, summary.exit_status)
      assert.are.equal(before + 1, effects())
    end)

    it("does nothing for a principal that is not its own", function()
      host = open { accept_tools = { "approve_action" } }
      settle(host)
      local before = effects()
      local summary = play(host, { principal = "somebody" })
      assert.are.equal("refused", summary.status)
      assert.are.equal("identity_mismatch", summary.error.code)
      assert.are.equal("none", summary.effect)
      assert.are.equal(before, effects())
    end)

    it("is refused when it offers a way around, unless that is accepted by name", function()
      host = open {}
      local told = settle(host)
      assert.are.equal("refused", told.state)
      assert.truthy(told.error.message:find("approve_action", 1, true))
    end)

    it("takes commands to a session, each answered once", function()
      host = open { accept_tools = { "approve_action" } }
      local id = settle(host).sessionId
      assert.are.equal(id, ask(host, "get").sessionId)
      assert.are.equal("tidy", ask(host, "submit", { instruction = "tidy" }).instruction)
      assert.are.equal("paused_by_user", ask(host, "pause", { reason = "lunch" }).state)
      assert.are.equal("running", ask(host, "resume", {}).state)
      assert.are.equal("stopped", ask(host, "stop", {}).state)
    end)

    it("tells a command that fails", function()
      host = open { accept_tools = { "approve_action" } }
      settle(host)
      local answer, err = ask(host, "get", { sessionId = "no-such-session" })
      assert.is_nil(answer)
      assert.are.equal("runtime", err.code)
      assert.truthy(err.message:find("session_not_found", 1, true))
      local began, why = host:session("approve", "{}", function() error "it is never called" end)
      assert.is_nil(began)
      assert.are.equal("verb", why.field)
    end)

    it("is used in the session that is named, and starts none", function()
      host = open { accept_tools = { "approve_action" } }
      settle(host)
      local given = ask(host, "start", { objective = "a session of our own" }).sessionId
      if name == "stdio" then return end -- the next connection is to another process
      host:close()
      host = open { accept_tools = { "approve_action" }, session = given }
      local told = settle(host)
      assert.are.equal(given, told.sessionId)
      assert.is_false(told.startedSession)
    end)

    it("can be connected to for commands alone: no session, no run", function()
      host = open { commands_only = true }
      local told = settle(host)
      assert.are.equal("ready", told.state)
      assert.is_nil(told.sessionId)
      local summary = play(host, { session = "s-1" })
      assert.are.equal("unsupported", summary.error.code)
      assert.are.equal("none", summary.effect)
    end)

    it("may be let go in the middle of anything", function()
      host = open { accept_tools = { "approve_action" } }
      assert(host:tick(1000))
      host:close()
      host = open { accept_tools = { "approve_action" } }
      settle(host)
      assert(host:session("get", nil, function() error "it is never called" end))
      host:close()
      host = nil
    end)
  end)
end

local function host_with(options)
  local host = assert(interlock.host {})
  assert(host:set_runtime_mcp(options))
  return host
end

local function lines(path)
  local count = select(2, read(path):gsub("\n", ""))
  return count
end

do
  local world = os.tmpname()
  os.remove(world)
  governs("stdio", function(options)
    options.endpoint = "stdio:" .. PEER .. "--world " .. world
    return host_with(options)
  end, function() return lines(world) end)
  teardown(function() os.remove(world) end)
end

do
  local world, out = os.tmpname(), os.tmpname()
  local server, url
  os.remove(world)
  setup(function()
    -- it ends with its standard input, which is the pipe
    server = assert(io.popen(("exec env -u LD_PRELOAD %s--http --leash --rate 100000 --token %s=operator-1 --world %s "
      .. ">%s 2>&1"):format(PEER, TOKEN, world, out), "w"))
    for _ = 1, 1000 do
      url = read(out):match '"url":"(http://[^"]+)"'
      if url then return end
      nap()
    end
    error("the server does not start: " .. read(out))
  end)
  teardown(function()
    server:close()
    os.remove(world)
    os.remove(out)
  end)
  governs("HTTP", function(options)
    options.endpoint, options.token = "mcp+" .. url, options.token or TOKEN
    return host_with(options)
  end, function() return lines(world) end)

  describe("a server over HTTP", function()
    it("is not connected to with a wrong token, which is told nowhere", function()
      local host = host_with { endpoint = "mcp+" .. url, token = "wrongwrongwrong" }
      local told = settle(host)
      assert.are.equal("closed", told.state)
      assert.truthy(told.error.message:find("401", 1, true))
      assert.is_nil(host:runtime_facts():find("wrongwrong", 1, true))
      host:close()
    end)
  end)
end

describe("set_runtime_mcp", function()
  local function refused(options, field)
    local host = assert(interlock.host {})
    local good, err = host:set_runtime_mcp(options)
    assert.is_nil(good)
    assert.are.equal("invalid_request", err.code)
    assert.are.equal(field, err.field)
    host:close()
  end

  it("refuses what it cannot connect to", function()
    refused({}, "endpoint")
    refused({ endpoint = "http://127.0.0.1/mcp" }, "scheme")
    refused({ endpoint = "mcp+http://desk.example/mcp" }, "url")
    refused({ endpoint = "mcp+http://127.0.0.1/mcp", token = "a b" }, "token")
    refused({ endpoint = "stdio:cat", token = "abc" }, "token")
    refused({ endpoint = "stdio:cat", ca_file = "x" }, "ca_file")
  end)

  it("raises for arguments of another type", function()
    local host = assert(interlock.host {})
    assert.has_error(function() host:set_runtime_mcp() end)
    assert.has_error(function() host:set_runtime_mcp { endpoint = {} } end)
    assert.has_error(function() host:set_runtime_mcp { endpoint = "stdio:cat", accept_tools = "approve" } end)
    assert.has_error(function() host:set_runtime_mcp { endpoint = "stdio:cat", connect_timeout_ms = -1 } end)
    host:close()
  end)

  it("gives up when the server says nothing for connect_timeout_ms", function()
    local host = host_with { endpoint = "stdio:sleep 20", connect_timeout_ms = 200 }
    local told = settle(host)
    assert.are.equal("closed", told.state)
    assert.are.equal("timeout", told.error.code)
    host:close()
  end)

  it("is the one runtime of its host", function()
    local host = host_with { endpoint = "stdio:cat" }
    local good, err = host:set_runtime_mcp { endpoint = "stdio:cat" }
    assert.is_nil(good)
    assert.are.equal("conflict", err.code)
    host:close()
  end)

  it("takes no session command without a server", function()
    local host = assert(interlock.host {})
    local good, err = host:session("get", nil, function() end)
    assert.is_nil(good)
    assert.are.equal("unsupported", err.code)
    assert.are.same({}, host:descriptors())
    assert.are.equal("{}", host:runtime_facts())
    host:close()
  end)
end)
