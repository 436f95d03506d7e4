-- Evidence (SPEC §9): what a session did is held against what was expected of it, and an evaluation receipt is sealed,
-- verified and signed.

local interlock = require "interlock"
local json = require "tests.specs.support.json"

-- Events in the order given: event("action.started", "a", { ... }).
local count
local function event(kind, action, payload)
  count = count + 1
  return {
    schemaVersion = 1, eventId = "event-" .. count, sequence = count, sessionId = "session-1", actionId = action,
    type = kind, at = "2026-11-30T18:00:00Z", payload = payload,
  }
end
local function started(action, tool, more)
  local payload = { tool = tool or "write_clipboard", mode = "background", leaseId = "lease-1" }
  for name, value in pairs(more or {}) do payload[name] = value or nil end
  return event("action.started", action, payload)
end
local function verified(action, how) return event("action.verified", action, { verified = how == nil or how }) end
local function committed(action, receipt) return event("action.committed", action, { receiptId = receipt }) end
local function looked(action) return started(action, "snapshot", { mode = "shadow", leaseId = false }) end

local function evaluate(events, steps)
  local passed, result = interlock.evaluate(json.encode(json.list(events)), json.encode(json.list(steps or {})))
  assert(passed ~= nil, result and result.message)
  return passed, json.decode(result)
end
local function violates(events, ...)
  local passed, result = evaluate(events)
  assert.is_false(passed)
  assert.same({ ... }, result.violations)
  return result
end

local CLIPBOARD = { tool = "write_clipboard" }

describe("the evaluator", function()
  before_each(function() count = 0 end)

  it("passes a session that did exactly what was expected", function()
    local passed, result = evaluate({ started "a", verified "a", committed("a", "r1") }, { CLIPBOARD })
    assert.is_true(passed)
    assert.same({}, result.violations)
    assert.equal(1, result.trajectoryScore)
    assert.same({ 1, 1, 0 }, { result.mutations, result.commits, result.observations })
  end)

  it("passes a session that did nothing where nothing was expected", function()
    assert.is_true((evaluate({}, {})))
  end)

  it("finds a mutation without a lease, and says at which event", function()
    local result = violates({ verified "x", started("a", nil, { leaseId = false }) },
      "verification_without_start:x", "mutation_without_lease:a")
    assert.equal(2, result.findings[2].sequence)
    assert.equal("event-2", result.findings[2].eventId)
  end)

  it("finds a commit of what was not started, and of what was not verified", function()
    violates({ committed("a", "r1") }, "commit_without_start:a", "commit_without_verification:a")
    violates({ started "a", verified("a", false), committed("a", "r1") }, "commit_without_verification:a")
  end)

  it("takes a verification wherever it stands", function()
    assert.is_true((evaluate({ started "a", committed("a", "r1"), verified "a" }, { CLIPBOARD })))
  end)

  it("finds a receipt that occurs twice, and a mutation that does", function()
    violates({ started "a", started "a", verified "a", committed("a", "r1"), committed("a", "r1") },
      "duplicate_receipt:r1", "duplicate_mutation:a:2")
  end)

  it("takes starts of mode shadow for observations, which break no rule", function()
    local passed, result = evaluate({ looked "o", committed("o", "r0"), looked "o" }, {})
    assert.is_true(passed)
    assert.same({ 0, 0, 2 }, { result.mutations, result.commits, result.observations })
  end)

  it("never lumps events without an action id together", function()
    violates({ started(nil), verified(nil), committed(nil, "r1") }, "verification_without_start:",
      "commit_without_start:", "commit_without_verification:")
  end)

  it("scores the longest common subsequence over the longer length", function()
    local function score(tools, expected)
      local events, steps = {}, {}
      for tool in tools:gmatch "." do events[#events + 1] = started("x" .. #events, tool) end
      for tool in expected:gmatch "." do steps[#steps + 1] = { tool = tool } end
      return select(2, evaluate(events, steps)).trajectoryScore
    end
    assert.equal(1, score("abc", "abc"))
    assert.equal(2 / 3, score("axc", "abc"))
    assert.equal(4 / 7, score("abcbdab", "bdcaba"))
    assert.equal(0, score("", "a"))
    assert.equal(0, score("a", ""))
  end)

  it("matches a step whose every argument is there and equal", function()
    local function passes(arguments)
      return (evaluate({ started("a", nil, { arguments = { text = "hi", n = 1 } }) },
        { { tool = "write_clipboard", arguments = arguments } }))
    end
    assert.is_true(passes { text = "hi" })
    assert.is_true(passes { n = 1.0, mode = "background", actionId = "a" })
    assert.is_false(passes { text = "ho" })
    assert.is_false(passes { missing = "hi" })
  end)

  it("refuses what it cannot decode, and names the place", function()
    local passed, err = interlock.evaluate('[{"type":"action.started"}]', "[]")
    assert.is_nil(passed)
    assert.equal("decode", err.code)
    assert.equal("session event", err.object)
    passed, err = interlock.evaluate("[]", '[{"tool":"a"},{"tool":""}]')
    assert.is_nil(passed)
    assert.same({ "decode", "/1/tool" }, { err.code, err.field })
  end)
end)

local function receipt(change)
  local digest = "sha256:" .. ("a"):rep(64)
  local r = {
    schemaVersion = 1, protocol = "adk-rust-computer-use-v8-evaluation", subjectVersion = "1.0",
    generatedAt = "2026-11-30T18:00:00Z", commands = { "make unit", "make scenarios" },
    assertions = { "no duplicates" },
    claims = {
      testsPassed = true, authBound = true, multimodalEvidence = true, duplicateMutations = 0, crashPointsCovered = 2,
      testCount = 1,
    },
    sources = { { path = "a.lua", digest = digest } }, sourceDigest = digest, outputDigest = digest,
  }
  if change then change(r) end
  return json.encode(r)
end
local function changed(sealed, change)
  local r = json.decode(sealed)
  change(r)
  return json.encode(r)
end
local function refused(code, field, ok, err)
  assert.is_nil(ok)
  assert.same({ code, field }, { err.code, err.field })
end

describe("an evaluation receipt", function()
  local sealed = assert(interlock.receipt.seal(receipt()))

  it("is sealed by a digest over its canonical text", function()
    local open = sealed:gsub('("receiptDigest":")[^"]*', "%1")
    assert.equal("sha256:" .. interlock.sha256(open), json.decode(sealed).receiptDigest)
    assert.is_true(interlock.receipt.verify(sealed))
    assert.equal(sealed, interlock.receipt.seal(sealed))
  end)

  it("does not hold once anything was changed", function()
    refused("identity_mismatch", "/receiptDigest",
      interlock.receipt.verify(changed(sealed, function(r) r.subjectVersion = "1.1" end)))
    refused("identity_mismatch", "/receiptDigest",
      interlock.receipt.verify(changed(sealed, function(r) r.claims.testCount = 2 end)))
  end)

  it("holds only with every claim, whatever its digest", function()
    for _, claim in ipairs { "testsPassed", "authBound", "multimodalEvidence" } do
      refused("identity_mismatch", "/claims/" .. claim,
        interlock.receipt.verify(changed(sealed, function(r) r.claims[claim] = false end)))
    end
    refused("identity_mismatch", "/claims/duplicateMutations",
      interlock.receipt.verify(changed(sealed, function(r) r.claims.duplicateMutations = 1 end)))
  end)

  it("is not sealed when it claims too little", function()
    refused("decode", "/claims/crashPointsCovered",
      interlock.receipt.seal(receipt(function(r) r.claims.crashPointsCovered = 1 end)))
  end)

  it("is signed beside itself, and the signature is checked with the signer's public key", function()
    local key, other = interlock.key.new(), interlock.key.new()
    local envelope = assert(interlock.receipt.sign(sealed, key))
    local public = interlock.key.public(key)
    assert.is_true(interlock.receipt.check_signature(sealed, envelope, public))
    refused("identity_mismatch", "signatures",
      interlock.receipt.check_signature(sealed, envelope, (interlock.key.public(other))))
    local another = interlock.receipt.seal(receipt(function(r) r.subjectVersion = "2.0" end))
    refused("identity_mismatch", "payload", interlock.receipt.check_signature(another, envelope, public))
  end)

  it("is not signed without its seal", function()
    refused("identity_mismatch", "/receiptDigest", interlock.receipt.sign(receipt(), interlock.key.new()))
  end)
end)

describe("a key", function()
  it("has a public half of 44 characters and an id of 16", function()
    local public, id = interlock.key.public(interlock.key.new())
    assert.equal(44, #public)
    assert.truthy(id:find "^%x+$" and #id == 16)
    assert.equal(public, (interlock.key.public(public)))
  end)

  it("is written once, and read only while nobody else may", function()
    local path, key = os.tmpname(), interlock.key.new()
    refused("conflict", path, interlock.key.write(path, key))
    os.remove(path)
    assert.is_true(interlock.key.write(path, key))
    assert.equal(key, interlock.key.read(path))
    refused("conflict", path, interlock.key.write(path, key))
    os.execute("chmod 640 " .. path)
    refused("invalid_request", path, interlock.key.read(path))
    os.remove(path)
  end)
end)
