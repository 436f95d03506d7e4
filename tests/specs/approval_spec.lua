-- Needs and approval: who may say yes, how often, to what exactly; and that a no always counts.

local json = require "tests.specs.support.json"
local desk = require "tests.specs.support.desk"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

-- A policy that asks in `phase` with these options.
local function asks(phase, options, name)
  return ([[local policy = require "interlock.policy"
    return policy { name = "%s", %s = function() return policy.ask("because", { %s }) end }]])
    :format(name or "asks", phase, options or "")
end

local function with_approvers(w)
  assert(w.host:add_approver("ann", { "security", "lead" }))
  assert(w.host:add_approver("ben", { "lead" }))
  assert(w.host:add_approver("cid", {}))
  assert(w.host:add_approver("operator-1", { "security" }))
  assert(w.host:add_approver("agent-1", { "security" }))
end

describe("a need of the runtime", function()
  local w
  before_each(function()
    w = world.open()
    w:asks_approval()
  end)
  after_each(function() w:close() end)

  local function grant(change)
    local g = { grantId = "grant-1", scope = "exact_action", principalId = "operator-1", sessionId = "session-1",
      actionDigest = desk.ACTION_DIGEST, scopeDigest = desk.ACTION_DIGEST, policyDigest = desk.POLICY_DIGEST,
      tool = "write_clipboard", operation = "write_clipboard", actionClass = "edit_reversible", mode = "background",
      issuedAt = w.clock:text(), expiresAt = w.clock:text(60000), remainingUses = 1, consumedByActionIds = json.list() }
    for name, value in pairs(change or {}) do g[name] = value end
    return g
  end

  it("arises when the preview is executable but the decision is `confirm`: no standing grant acts silently", function()
    w:close()
    w = world.open()
    w.desk:edit("preview_action", function(a) a.policy.decision = "confirm" end)
    assert.are.equal("waiting", w:play().status)
    says.counts(w, 0, 0, 0)
  end)

  it("does not arise from `confirm` when the host accepts standing grants", function()
    w:close()
    w = world.open { accept_standing_grants = true }
    w.desk:edit("preview_action", function(a) a.policy.decision = "confirm" end)
    assert.are.equal("committed_unverified", w:play().status)
  end)

  it("takes a grant object that fits", function()
    w:play()
    assert(w:answer { grantId = "grant-1", grant = grant() })
    says.counts(w, 1, 1, 1)
  end)

  for _, row in ipairs {
    { "another grant than the one named", "grant_id", { grantId = "grant-2" } },
    { "another session", "session_id", { sessionId = "session-2" } },
    { "another principal", "principal_id", { principalId = "operator-2" } },
    { "another action digest", "action_digest", { actionDigest = ("a"):rep(64), scopeDigest = ("a"):rep(64) } },
    { "another policy digest", "policy_digest", { policyDigest = "sha256:other" } },
    { "another tool", "tool", { tool = "key" } },
    { "another mode", "mode", { mode = "foreground" } },
    { "an expiry that is now", "expires_at", { expiresAt = "2026-11-30T18:00:00Z" } },
    { "an expiry that is no time", "expires_at", { expiresAt = "later" } },
    { "no use left", "remaining_uses", { remainingUses = 0 } },
    { "the scope of a whole operation", "scope", { scope = "session_operation", tool = "set_value" } },
  } do
    it("refuses a grant object with " .. row[1] .. ", and keeps waiting", function()
      local _, run = w:play()
      local ok, err = w:answer { grantId = "grant-1", grant = grant(row[3]) }
      assert.is_nil(ok)
      assert.are.equal("approval_mismatch", err.code)
      assert.truthy(err.field:find(row[2], 1, true), err.field)
      assert.are.equal("waiting", run:state())
      says.counts(w, 0, 0, 0)
    end)
  end

  it("refuses a grant object that breaks its contract", function()
    w:play()
    for _, change in ipairs { { scopeDigest = ("a"):rep(64) }, { remainingUses = 2 }, { extra = 1 },
      { consumedByActionIds = json.list { "a", "b" } }, { actionDigest = "short" } } do
      local ok, err = w:answer { grantId = "grant-1", grant = grant(change) }
      assert.is_nil(ok)
      assert.are.equal("decode", err.code)
    end
    says.counts(w, 0, 0, 0)
  end)

  it("is not met any more when the grant expires before execute", function()
    w:close()
    w = world.open { reservation_ttl_ms = 100000 }
    w:asks_approval()
    w.desk:before("acquire_lease", function()
      w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 60000, w.clock.boot_ms + 60000
    end)
    local _, run = w:play()
    assert(w:answer { grantId = "grant-1", grant = grant() })
    says.refused(run:summary(), "approval", "expires_at", "approval_mismatch")
    says.counts(w, 0, 1, 1)
  end)

  it("is not met by an answer that carries a grant and says no: the run ends denied", function()
    local _, run = w:play()
    assert(w:answer { grantId = "g", decision = "deny", reason = "no" })
    assert.are.equal("denied", run:summary().status)
    says.counts(w, 0, 0, 0)
  end)

  it("is left open by an answer that defers, whatever else it carries", function()
    local _, run = w:play()
    w:answer { grantId = "g", decision = "defer" }
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
    assert(w:answer { grantId = "g" })
    says.counts(w, 1, 1, 1)
  end)

  it("is told with run, request, digests, reasons, needs, card and expiry", function()
    local _, run = w:play()
    local doc = w:document(run)
    assert.are.same({ "waiting", run:id(), desk.ACTION_DIGEST, desk.POLICY_DIGEST, { "allow:edit_reversible" },
      { { kind = "runtime", met = false } }, w.clock:text(300000) },
      { doc.status, doc.runId, doc.actionDigest, doc.policyDigest, doc.reasons, doc.needs, doc.expiresAt })
    assert.is_string(doc.requestId)
    assert.is_string(doc.card)
    assert.are.equal("none", doc.effect)
    assert.is_nil(doc.result)
  end)

  it("is answered once: the consumed request is refused afterwards", function()
    local _, run = w:play()
    local answer = json.encode(w:answer_of(run, { grantId = "g" }))
    assert(run:answer(answer))
    local ok, err = run:answer(answer)
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    w:go()
    assert.is_nil((run:answer(answer)))
    w:go()
    says.counts(w, 1, 1, 1)
  end)

  it("has a request that nobody can guess: it differs each time", function()
    local first, second = w:start(), w:start()
    w:go()
    local a, b = w:document(first).requestId, w:document(second).requestId
    assert.are_not.equal(a, b)
    assert.is_true(#a >= 32)
    local ok = w:answer({ grantId = "g", requestId = a }, second)
    assert.is_nil(ok)
    says.counts(w, 0, 0, 0)
  end)

  it("may be answered without the request id only by an operator's file, and a refused file ends the run", function()
    local _, run = w:play()
    local answer = w:answer_of(run, { grantId = "g" })
    answer.requestId = nil
    assert.is_nil((run:answer(json.encode(answer))))
    assert.are.equal("waiting", run:state())
    local wrong = w:answer_of(run, { grantId = "g", policyDigest = "sha256:other" })
    wrong.requestId = nil
    local second = w:start()
    w:go()
    assert(run:answer(json.encode(answer), false))
    assert.is_nil((second:answer(json.encode(wrong), false)))
    w:go()
    assert.are.equal("committed_unverified", run:summary().status)
    assert.are.equal("refused", second:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  for _, text in ipairs { "", "[]", "null", '{"requestId":1}', '{"unknown":true}', '{"approval":{},"more":1}' } do
    it("refuses as an answer " .. (text == "" and "nothing" or text), function()
      local _, run = w:play()
      assert.is_nil((run:answer(text)))
      w:go()
      assert.are.equal("waiting", run:state())
      says.counts(w, 0, 0, 0)
    end)
  end
end)

describe("a host need", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  local function bundle(options, phase) assert(w:bundle { { "hard", asks(phase or "preview", options) } }) end

  it("waits although the runtime allows, and no grant id reaches execute", function()
    bundle()
    local s = w:play()
    assert.are.equal("waiting", s.status)
    says.counts(w, 0, 0, 0)
    assert(w:decide { reason = "fine" })
    says.counts(w, 1, 1, 1)
    assert.are.equal(json.null, w.desk.bodies.execute_action[1].grantId)
  end)

  it("refuses the runtime's authority as stale: it is not what was asked for", function()
    bundle()
    w:play()
    for _, change in ipairs { { grantId = "g" }, { runtimeApproved = true } } do
      local ok, err = w:answer(change)
      assert.is_nil(ok)
      assert.are.equal("approval_mismatch", err.code)
    end
    says.counts(w, 0, 0, 0)
  end)

  it("beside a need of the runtime: both must be met, in any order", function()
    bundle()
    w:asks_approval()
    for _, order in ipairs { "grant first", "decision first" } do
      local run = w:start()
      w:go()
      if order == "grant first" then assert(w:answer({ grantId = "g" }, run)) else assert(w:decide({}, run)) end
      assert.are.equal("waiting", run:state(), order)
      if order == "grant first" then assert(w:decide({}, run)) else assert(w:answer({ grantId = "g" }, run)) end
      assert.are.equal("committed_unverified", run:summary().status)
    end
    assert.are.equal(2, w.desk.effects)
  end)

  it("beside a need of the runtime: one answer with grant and decision meets both", function()
    bundle()
    w:asks_approval()
    local _, run = w:play()
    assert(w:answer { grantId = "g", decision = "approve" })
    assert.are.equal("committed_unverified", run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("beside a need of the runtime: a decision alone does not grant the runtime's", function()
    bundle()
    w:asks_approval()
    local _, run = w:play()
    assert(w:answer { decision = "approve" })
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
  end)

  it("counts distinct approvers: two of three, and one who says it twice is one", function()
    with_approvers(w)
    bundle "approvers = 2"
    local _, run = w:play()
    assert(w:decide { approver = "ann" })
    assert.are.equal("waiting", run:state())
    w:decide { approver = "ann" }
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
    assert(w:decide { approver = "ben" })
    assert.are.equal("committed_unverified", run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("tells how many of how many were given", function()
    with_approvers(w)
    bundle "approvers = 2"
    local _, run = w:play()
    w:decide { approver = "ann" }
    local need = w:document(run).needs[1]
    assert.are.same({ "host", 2, 1 }, { need.kind, need.approvers, need.given })
  end)

  for _, who in ipairs { "operator-1", "agent-1" } do
    it("does not count " .. who .. ", who had it proposed", function()
      with_approvers(w)
      bundle()
      local _, run = w:play()
      local ok, err = w:decide { approver = who }
      assert.is_nil(ok)
      assert.are.equal("approval_mismatch", err.code)
      assert.are.equal("waiting", run:state())
      says.counts(w, 0, 0, 0)
    end)
  end

  it("does not count somebody whom the host does not know", function()
    with_approvers(w)
    bundle()
    w:play()
    for _, who in ipairs { "mallory", "", "Ann", "ann " } do
      local ok, err = w:decide { approver = who }
      assert.is_nil(ok)
      assert.are.equal("approval_mismatch", err.code)
    end
    says.counts(w, 0, 0, 0)
  end)

  it("with a role counts only who has it", function()
    with_approvers(w)
    bundle 'roles = { "security" }'
    local _, run = w:play()
    w:decide { approver = "ben" }
    w:decide { approver = "cid" }
    assert.are.equal("waiting", run:state())
    assert(w:decide { approver = "ann" })
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("of several policies: one decision may serve several", function()
    with_approvers(w)
    assert(w:bundle { { "hard", asks("preview", "", "one") },
      { "hard", asks("preview", 'roles = { "lead" }', "two") } })
    local _, run = w:play()
    assert(w:decide { approver = "cid" })
    assert.are.equal("waiting", run:state())
    assert(w:decide { approver = "ann" })
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("without approvers is the one local operator, whatever name is given", function()
    bundle()
    w:play()
    assert(w:decide { approver = "ann" })
    local decision = w:find "decision"
    assert.are.equal("local operator", decision.body.approver)
    assert.are.equal("unsigned, not separated", decision.body.trust)
  end)

  it("with approvers is not met by an unsigned decision in an answer", function()
    with_approvers(w)
    bundle()
    local _, run = w:play()
    local ok, err = w:answer { decision = "approve" }
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    assert.are.equal("waiting", run:state())
    says.counts(w, 0, 0, 0)
  end)

  it("without approvers is met by a decision in an answer", function()
    bundle()
    w:play()
    assert(w:answer { decision = "approve" })
    says.counts(w, 1, 1, 1)
  end)

  for _, options in ipairs { "approvers = 2", 'roles = { "security" }' } do
    it("without approvers that asks for { " .. options .. " } is a deny", function()
      bundle(options)
      local s = w:play()
      assert.are.equal("blocked", s.status)
      assert.are.equal("policy_denied", s.reason)
      says.counts(w, 0, 0, 0)
    end)
  end

  for _, said in ipairs { "deny", "re-observe" } do
    it("ends the run with one " .. said .. ", whoever else approved", function()
      with_approvers(w)
      bundle "approvers = 2"
      local _, run = w:play()
      assert(w:decide { approver = "ann" })
      assert(w:decide { approver = "cid", decision = said, reason = "not this one" })
      local s = run:summary()
      assert.are.equal("denied", s.status)
      assert.are.equal("none", s.effect)
      assert.are.equal(1, s.exit_status)
      assert.truthy(s.error.message:find("cid", 1, true))
      says.counts(w, 0, 0, 0)
    end)
  end

  it("lets a no count until the send begins, also for the consumed request", function()
    with_approvers(w)
    bundle()
    w.desk:hold "acquire_lease"
    local _, run = w:play()
    local doc = w:document(run)
    assert(w:decide { approver = "ann" })
    assert.are.equal("moving", run:state())
    assert(run:decide { request_id = doc.requestId, action_digest = doc.actionDigest,
      policy_digest = doc.policyDigest, approver = "ben", decision = "deny", reason = "stop" })
    w:go()
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    assert.are.equal("denied", run:summary().status)
    says.counts(w, 0, 1, 1, 1, 1)
  end)

  it("lets a no in an answer count until the send begins as well", function()
    bundle()
    w.desk:hold "acquire_lease"
    local _, run = w:play()
    local no = json.encode(w:answer_of(run, { decision = "deny", reason = "stop" }))
    assert(w:decide {})
    assert(run:answer(no))
    w:go()
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    assert.are.equal("denied", run:summary().status)
    says.counts(w, 0, 1, 1, 1, 1)
  end)

  it("records a no that comes after the send as late, and says so", function()
    with_approvers(w)
    bundle()
    w.desk:hold "execute_action"
    local _, run = w:play()
    local doc = w:document(run)
    assert(w:decide { approver = "ann" })
    local ok, err = run:decide { request_id = doc.requestId, action_digest = doc.actionDigest,
      policy_digest = doc.policyDigest, approver = "ben", decision = "deny", reason = "stop" }
    assert.is_nil(ok)
    assert.truthy(err.message:find("late", 1, true))
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed_unverified", run:summary().status)
    assert.is_table(w:find "late")
  end)

  it("is left open by `defer`", function()
    bundle()
    local _, run = w:play()
    assert(w:decide { decision = "defer" })
    assert.are.equal("waiting", run:state())
    assert(w:decide {})
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  for _, row in ipairs { { "request_id", "r-1" }, { "action_digest", ("f"):rep(64) },
    { "policy_digest", "sha256:other" }, { "proposal_digest", ("f"):rep(64) }, { "decision", "maybe" } } do
    it("refuses a decision with another " .. row[1], function()
      bundle()
      local _, run = w:play()
      local ok, err = w:decide { [row[1]] = row[2] }
      assert.is_nil(ok)
      assert.are.equal("approval_mismatch", err.code)
      assert.are.equal(row[1], err.field)
      assert.are.equal("waiting", run:state())
      says.counts(w, 0, 0, 0)
    end)
  end

  it("expires at the shortest time-out that a policy sets", function()
    assert(w:bundle { { "hard", asks("preview", 'timeout = "20m"', "one") },
      { "hard", asks("preview", 'timeout = "30s"', "two") } })
    local _, run = w:play()
    assert.are.equal(w.clock:text(30000), w:document(run).expiresAt)
    w:advance(29999)
    assert.are.equal("waiting", run:state())
    w:advance(1)
    assert.are.equal("expired", run:summary().status)
  end)

  it("expires with the envelope when that is earlier", function()
    bundle 'timeout = "20h"'
    local _, run = w:play()
    assert.are.equal(w.clock:text(300000), w:document(run).expiresAt)
  end)
end)

describe("an ask before the preview", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  it("waits before any preview is requested, bound to the proposal alone", function()
    assert(w:bundle { { "hard", asks "propose" } })
    local _, run = w:play()
    assert.are.equal("waiting", run:state())
    assert.are.equal(0, w.desk:asked "preview_action")
    local doc = w:document(run)
    assert.are.same({ json.null, json.null }, { doc.actionDigest, doc.policyDigest })
    assert.are.equal(64, #doc.proposalDigest)
    assert.truthy(doc.card:find(doc.proposalDigest, 1, true))
  end)

  it("lets a person take hours, and the preview is asked when they said yes", function()
    assert(w:bundle { { "hard", asks "propose" } })
    local _, run = w:play()
    w:advance(20 * 3600 * 1000)
    assert.are.equal("waiting", run:state())
    assert(w:decide {})
    assert.are.equal("committed_unverified", run:summary().status)
    assert.are.equal(1, w.desk:asked "preview_action")
    says.counts(w, 1, 1, 1)
  end)

  it("expires after a day when no policy says otherwise", function()
    assert(w:bundle { { "hard", asks "propose" } })
    local _, run = w:play()
    w:advance(24 * 3600 * 1000 - 1)
    assert.are.equal("waiting", run:state())
    w:advance(1)
    assert.are.equal("expired", run:summary().status)
    assert.are.equal(0, w.desk:asked "preview_action")
  end)

  it("expires after the time that the host or the policy says, the policy first", function()
    for _, row in ipairs { { "", 60000 }, { 'timeout = "5s"', 5000 } } do
      w:close()
      w = world.open { approval_timeout_ms = 60000 }
      assert(w:bundle { { "hard", asks("propose", row[1]) } })
      local _, run = w:play()
      w:advance(row[2] - 1)
      assert.are.equal("waiting", run:state())
      w:advance(1)
      assert.are.equal("expired", run:summary().status)
    end
  end)

  it("does not meet the need of the later preview: that is a new request", function()
    assert(w:bundle { { "hard", asks("propose", "", "first") }, { "hard", asks("preview", "", "second") } })
    local _, run = w:play()
    local first = w:document(run).requestId
    assert(w:decide {})
    assert.are.equal("waiting", run:state())
    assert.are.equal(1, w.desk:asked "preview_action")
    assert.are_not.equal(first, w:document(run).requestId)
    says.counts(w, 0, 0, 0)
    assert(w:decide {})
    assert.are.equal("committed_unverified", run:summary().status)
  end)

  it("needs the proposal digest in the decision", function()
    assert(w:bundle { { "hard", asks "propose" } })
    local _, run = w:play()
    for _, digest in ipairs { "", ("f"):rep(64) } do
      local ok, err = w:decide { proposal_digest = digest }
      assert.is_nil(ok)
      assert.are.equal("proposal_digest", err.field)
    end
    assert.are.equal("waiting", run:state())
    assert.are.equal(0, w.desk:asked "preview_action")
  end)

  it("ends the run when a refused decision was the last word", function()
    assert(w:bundle { { "hard", asks "propose" } })
    local _, run = w:play()
    assert.is_nil(w:decide { proposal_digest = ("f"):rep(64), last_word = true })
    assert.are.equal("refused", run:summary().status)
    assert.are.equal("none", run:summary().effect)
    assert.are.equal(0, w.desk:asked "preview_action")
  end)

  it("ends the run when it is denied, without any preview", function()
    assert(w:bundle { { "hard", asks "propose" } })
    local _, run = w:play()
    assert(w:decide { decision = "deny" })
    assert.are.equal("denied", run:summary().status)
    assert.are.equal(0, w.desk:asked "preview_action")
  end)
end)
