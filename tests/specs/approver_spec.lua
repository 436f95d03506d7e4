-- The approver connection: a credential of its own, and only for what a person has seen. What the server answers there
-- is tried field by field in tests/unit/grant_test.c, and with a server in tests/mcp/approver_test.sh.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

describe("an approver connection", function()
  local w
  before_each(function()
    w = world.open()
    w:asks_approval()
  end)
  after_each(function() w:close() end)

  local function ask(change, heard)
    local doc = w:document()
    local o = { requestId = doc.requestId, actionDigest = doc.actionDigest, policyDigest = doc.policyDigest }
    for name, value in pairs(change or {}) do o[name] = value end
    return w.run:obtain_grant(o.requestId, o.actionDigest, o.policyDigest, heard)
  end

  local function socket() return assert(w.host:set_approver { endpoint = "unix:/nowhere/at/all", token = "t" }) end

  it("is not there unless it is set", function()
    assert.are.equal("{}", w.host:approver_facts())
    w:play()
    local ok, err = ask()
    assert.is_nil(ok)
    assert.are.equal("unsupported", err.code)
    says.counts(w, 0, 0, 0)
  end)

  for name, options in pairs {
    ["a second process of a stdio server"] = { endpoint = "stdio:server", token = "t" },
    ["an address of another kind"] = { endpoint = "/run/approver", token = "t" },
    ["no token at a socket"] = { endpoint = "unix:/run/approver" },
    ["no token over HTTP"] = { endpoint = "mcp+http://127.0.0.1:1/mcp" },
    ["authorities for a socket"] = { endpoint = "unix:/run/approver", token = "t", ca_file = "ca.pem" },
    ["a path that is too long"] = { endpoint = "unix:/" .. ("x"):rep(200), token = "t" },
    ["plain HTTP to another machine"] = { endpoint = "mcp+http://desk.example/mcp", token = "t" },
  } do
    it("refuses " .. name, function()
      local ok, err = w.host:set_approver(options)
      assert.is_nil(ok)
      assert.are.equal("invalid_request", err.code)
      assert.are.equal("{}", w.host:approver_facts())
    end)
  end

  it("is refused with the runtime's own token, whichever is set first", function()
    local interlock = require "interlock"
    local server = { endpoint = "mcp+http://127.0.0.1:1/mcp", token = "one-and-the-same" }
    for _, order in ipairs { { "set_runtime_mcp", "set_approver" }, { "set_approver", "set_runtime_mcp" } } do
      local host = interlock.host {}
      assert(host[order[1]](host, server))
      local ok, err = host[order[2]](host, server)
      assert.is_nil(ok)
      assert.truthy(err.message:find "credential of its own")
      assert.is_nil(err.message:find "one-and-the-same", 1, true)
      host:close()
    end
  end)

  it("is one per host", function()
    socket()
    local ok, err = w.host:set_approver { endpoint = "unix:/other", token = "t" }
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
  end)

  it("is asked only with the digests that were seen", function()
    socket()
    w:play()
    for _, name in ipairs { "requestId", "actionDigest", "policyDigest" } do
      local ok, err = ask { [name] = "other" }
      assert.is_nil(ok)
      assert.are.equal("approval_mismatch", err.code)
    end
    assert.are.equal("idle", json.decode(w.host:approver_facts()).state)
  end)

  it("tells that it cannot be reached, and leaves the request open", function()
    socket()
    w:play()
    local told
    assert(ask(nil, function(err) told = err end))
    assert.is_nil(told, "not before a tick")
    w:go()
    assert.are.equal("transport", told.code)
    assert.are.equal("waiting", w.run:summary().status)
    assert.are.equal("asked", w:find("grant").body.state)
    assert(w:answer { runtimeApproved = true })
    says.counts(w, 1, 1, 1)
  end)

  it("is not asked for a run that has ended", function()
    socket()
    w:play()
    local doc = w:document()
    assert(w.run:cancel "enough")
    w:go()
    local ok, err = w.run:obtain_grant(doc.requestId, doc.actionDigest, doc.policyDigest)
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
  end)

  it("raises what the function raises from the call that ticks", function()
    socket()
    w:play()
    assert(ask(nil, function() error "no such luck" end))
    assert.has_error(function() w:go() end)
  end)
end)
