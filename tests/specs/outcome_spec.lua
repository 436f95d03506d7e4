-- What became of an action: the table of outcomes, for evidence in the receipt and evidence from the verification, each
-- alone and both together. Absence of evidence is never evidence of success.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local A, B = "sha256:" .. ("a"):rep(64), "sha256:" .. ("b"):rep(64)
local PLAIN = { kind = "window", windowId = 7, exists = true }
local DIGEST = { kind = "filesystem", path = "/home/user/report.txt", exists = true, contentDigest = A }

local STATUS = { Verified = "completed", CommittedUnverified = "committed_unverified", Failed = "verification_failed" }

-- The postcondition, the verification, the outcome.
local ROWS = {
  { PLAIN, '{"satisfied":true}', "Verified" },
  { PLAIN, '{"satisfied":false}', "Failed" },
  { PLAIN, "{}", "CommittedUnverified" },
  { PLAIN, "null", "CommittedUnverified" },
  { PLAIN, "true", "CommittedUnverified" },
  { PLAIN, "[true]", "CommittedUnverified" },
  { PLAIN, '"satisfied"', "CommittedUnverified" },
  { PLAIN, '{"satisfied":"true"}', "CommittedUnverified" },
  { PLAIN, '{"satisfied":1}', "CommittedUnverified" },
  { PLAIN, '{"satisfied":null}', "CommittedUnverified" },
  { PLAIN, '{"observedDigest":"' .. A .. '"}', "CommittedUnverified" },
  { PLAIN, '{"satisfied":true,"observedDigest":"' .. B .. '"}', "Verified" },
  { DIGEST, '{"observedDigest":"' .. A .. '"}', "Verified" },
  { DIGEST, '{"observedDigest":"' .. B .. '"}', "Failed" },
  { DIGEST, '{"satisfied":true,"observedDigest":"' .. A .. '"}', "Verified" },
  { DIGEST, '{"satisfied":true,"observedDigest":"' .. B .. '"}', "Failed" },
  { DIGEST, '{"satisfied":false,"observedDigest":"' .. A .. '"}', "Failed" },
  { DIGEST, '{"satisfied":true}', "CommittedUnverified" },
  { DIGEST, '{"satisfied":true,"observedDigest":7}', "CommittedUnverified" },
  { DIGEST, '{"satisfied":"no","observedDigest":"' .. A .. '"}', "Verified" },
  { DIGEST, '{"observedDigest":"' .. A:upper() .. '"}', "Failed" },
  { DIGEST, "{}", "CommittedUnverified" },
}

-- A run whose receipt carries `own` and whose verification answers `other`; either may be nil.
local function play(postcondition, own, other, options)
  local w = world.open(options)
  w.desk:edit("execute_action", function(r)
    r.result = own and { verification = json.raw(own) } or { ok = true }
  end)
  w.desk:answer("verify", other or "null")
  local s = w:play { proposal = world.proposal { postcondition = postcondition } }
  return s, w
end

local function is(s, outcome)
  assert.are.equal(STATUS[outcome], s.status)
  assert.are.equal(outcome == "Verified", s.verified)
  assert.are.equal(outcome ~= "Failed", s.committed)
  assert.are.equal("committed", s.effect)
  assert.is_false(s.retry_safe)
  assert.are.equal(outcome == "Verified", s.verification_detail == nil)
end

describe("the evidence", function()
  for _, row in ipairs(ROWS) do
    local postcondition, evidence, outcome = table.unpack(row)
    local shown = evidence:gsub("sha256:a+", "the digest"):gsub("sha256:b+", "another"):gsub("SHA256:A+", "in capitals")
    local what = postcondition == PLAIN and "without a declared digest" or "with a declared digest"

    it(("%s in the receipt, %s: %s"):format(shown, what, outcome), function()
      local s, w = play(postcondition, evidence, nil)
      is(s, outcome)
      w:close()
    end)

    it(("%s from the verification, %s: %s"):format(shown, what, outcome), function()
      local s, w = play(postcondition, nil, evidence)
      is(s, outcome)
      w:close()
    end)
  end

  for _, row in ipairs {
    { '{"satisfied":true}', '{"satisfied":false}', "Failed" },
    { '{"satisfied":false}', '{"satisfied":true}', "Failed" },
    { '{"satisfied":true}', "null", "Verified" },
    { "{}", '{"satisfied":true}', "Verified" },
    { "{}", "{}", "CommittedUnverified" },
  } do
    it(("%s in the receipt and %s from the verification together: %s"):format(table.unpack(row)), function()
      local s, w = play(PLAIN, row[1], row[2])
      is(s, row[3])
      w:close()
    end)
  end

  it("of the receipt decides when the runtime offers no verification", function()
    local s, w = play(PLAIN, '{"satisfied":true}', nil, { without = { "verify" } })
    is(s, "Verified")
    w:close()
  end)

  it("of the receipt decides when the verification fails, and the error stands", function()
    local w = world.open()
    w.desk:edit("execute_action", function(r) r.result = { verification = { satisfied = true } } end)
    w.desk:fail("verify", "screen_locked")
    local s = w:play { proposal = world.proposal { postcondition = PLAIN } }
    is(s, "Verified")
    assert.are.equal("runtime", s.error.code)
    says.counts(w, 1, 1, 1)
    w:close()
  end)

  it("that cannot be decoded is none, and the error stands", function()
    local s, w = play(PLAIN, nil, '{"satisfied":true')
    is(s, "CommittedUnverified")
    assert.are.equal("decode", s.error.code)
    w:close()
  end)

  it("counts for nothing without a postcondition", function()
    local s, w = play(nil, '{"satisfied":true}', '{"satisfied":true}')
    is(s, "CommittedUnverified")
    assert.are.equal(0, w.desk:asked "verify")
    w:close()
  end)
end)

describe("a receipt", function()
  for _, row in ipairs { { "rejected", "none", 6 }, { "interrupted", "unknown", 7 },
    { "indeterminate", "unknown", 7 } } do
    it(("with status %s is Failed, effect %s"):format(row[1], row[2]), function()
      local w = world.open()
      w.desk:edit("execute_action", function(r)
        r.status, r.result = row[1], { verification = { satisfied = true } }
      end)
      local s = w:play { proposal = world.proposal { postcondition = PLAIN } }
      assert.are.equal("verification_failed", s.status)
      assert.is_false(s.verified)
      assert.is_false(s.committed)
      assert.are.equal(row[2], s.effect)
      assert.are.equal(row[2] == "none", s.retry_safe)
      assert.are.equal(row[3], s.exit_status)
      assert.are.equal("receipt-1", s.receipt_id)
      assert.truthy(s.verification_detail:find(row[1], 1, true))
      assert.are.equal(0, w.desk:asked "verify")
      w:close()
    end)
  end

  it("with a status that nobody knows is no receipt", function()
    local w = world.open()
    w.desk:edit("execute_action", function(r) r.status = "done" end)
    w.desk:answer("recover", '"unknown"')
    local s = w:play()
    assert.are.equal("indeterminate", s.status)
    assert.are.equal("decode", s.error.code)
    assert.are.equal("unknown", s.effect)
    w:close()
  end)

  it("may carry anything in result and error: lone surrogates, NUL, integers beyond 64 bits, deep nesting", function()
    local w = world.open()
    w.desk:edit("execute_action", function(r)
      r.result = json.raw('{"a":"\\ud800","b":"\\u0000","c":123456789012345678901234567890,"d":' ..
        ("["):rep(400) .. ("]"):rep(400) .. "}")
      r.error = json.raw '"\\udc00"'
    end)
    local s = w:play()
    assert.are.equal("committed_unverified", s.status)
    assert.is_nil(s.error)
    w:close()
  end)
end)
