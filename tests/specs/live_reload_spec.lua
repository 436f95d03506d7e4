-- Bundles that a living host is given in place of those that it has; and whose bundles it loads.

local world = require "tests.specs.support.world"

local MANIFEST = '{"name":"b","version":"1","requires":1,"policies":[{"file":"p.lua","level":"hard"}]}'

local function policy(body)
  return ([[local policy = require "interlock.policy"
  return policy { name = "look", preview = function(action, ctx) %s end }]]):format(body)
end

local function bundle(body)
  return { files = { ["bundle.json"] = MANIFEST, ["p.lua"] = policy(body) } }
end

local ASK, DENY = 'return policy.ask "have a look"', 'return policy.deny("no", { code = "no" })'

local w

local function waiting()
  w = world.open()
  assert(w.host:add_bundle(bundle(ASK).files))
  w:play()
  assert.are.equal("waiting", w.run:state())
end

local function results()
  local all = {}
  for _, record in ipairs(w:journal()) do
    if record.kind == "reload" then all[#all + 1] = record.body.result end
  end
  return table.concat(all, ", ")
end

describe("bundles that are reloaded in a living host", function()
  after_each(function() w:close() end)

  it("keep a run that waits, under a new request, when they say the same", function()
    waiting()
    local before = w:document().requestId
    assert(w.host:reload_bundles { bundle(ASK .. " --[[as before]]") })
    assert.are.equal("kept", results())
    assert.are.equal("waiting", w.run:state())
    assert.are_not.equal(before, w:document().requestId)
  end)

  it("end a run that waits when they deny", function()
    waiting()
    assert(w.host:reload_bundles { bundle(DENY) })
    w:go()
    assert.are.equal("voided", results())
    assert.are.equal("blocked", w.run:summary().status)
  end)

  it("stand in the store: another host goes on with what is asked now", function()
    w = world.durable()
    assert(w.host:add_bundle(bundle(ASK).files))
    w:play()
    w.run_id = w.run:id()
    local longer = bundle 'return policy.ask "have a longer look"'
    assert(w.host:reload_bundles { longer })
    assert.are.equal("asked again", results())
    local request = w:document().requestId
    assert(w.run:leave())
    w = w:next()
    assert(w.host:add_bundle(longer.files))
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    assert.are.equal(request, w:document().requestId)
    assert.are.equal("asked again", results())
  end)

  it("change nothing unless every one of them loads", function()
    waiting()
    local digest, request = w.host:policy_digest(), w:document().requestId
    local ok, err = w.host:reload_bundles { bundle(DENY), { path = "tests/specs/no-such-folder" } }
    assert.is_nil(ok)
    assert.truthy(err.message:find("no-such-folder", 1, true))
    assert.is_nil((w.host:reload_bundles {}))
    assert.are.equal(digest, w.host:policy_digest())
    assert.are.equal(request, w:document().requestId)
    assert.are.equal("", results())
  end)

  it("are files or a path, and neither both nor none", function()
    waiting()
    assert.has_error(function() w.host:reload_bundles { {} } end)
    assert.has_error(function() w.host:reload_bundles { { path = "x", files = {} } } end)
    assert.has_error(function() w.host:reload_bundles "policies/office-hours" end)
  end)

  it("come from folders as well, with parameters", function()
    w = world.open()
    assert(w.host:reload_bundles { { path = "policies/office-hours", params = '{"opens":0,"closes":24}' } })
    local first = w.host:policy_digest()
    assert(w.host:reload_bundles { { path = "policies/office-hours" }, { path = "policies/two-person" } })
    assert.are_not.equal(first, w.host:policy_digest())
  end)

  it("must be signed where keys are trusted", function()
    w = world.open()
    assert.is_nil((w.host:trust_bundles { "nonsense" }))
    assert(w.host:trust_bundles { "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" })
    for _, try in ipairs {
      function() return w.host:add_bundle(bundle(ASK).files) end,
      function() return w.host:add_bundle_dir "policies/office-hours" end,
      function() return w.host:reload_bundles { bundle(ASK) } end,
    } do
      local ok, err = try()
      assert.is_nil(ok)
      assert.are.equal("policy_error", err.code)
      assert.truthy(err.message:find("bundle.sig: is missing", 1, true))
    end
    assert.is_nil(w.host:policy_digest())
  end)
end)
