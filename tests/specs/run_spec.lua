-- The run as a whole: what an embedder, an operator and a reviewer can rely on, one rule a spec. Effects are counted at
-- the runtime, never read from what the library says of itself.

local json = require "tests.specs.support.json"
local desk = require "tests.specs.support.desk"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local WINDOW = { kind = "window", windowId = 7, exists = true }

describe("a run", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  describe("that the runtime allows", function()
    it("acts once, with one reservation and one release", function()
      local s = w:play()
      says.counts(w, 1, 1, 1)
      assert.are.equal("committed_unverified", s.status)
    end)

    it("is committed and not verified without a postcondition", function()
      local s = w:play()
      assert.is_true(s.committed)
      assert.is_false(s.verified)
      assert.are.equal("committed", s.effect)
      assert.is_false(s.retry_safe)
      assert.are.equal(5, s.exit_status)
      assert.are.equal("receipt-1", s.receipt_id)
      assert.is_string(s.verification_detail)
    end)

    it("observes, previews, reserves, leases, executes and releases in this order", function()
      w:play()
      assert.are.same({ "discover_capabilities", "observe_visual", "observe_semantic", "preview_action",
        "reserve_target", "acquire_lease", "execute_action", "release_lease", "release_target" }, w.desk.calls)
    end)

    it("is verified when its postcondition was observed to hold", function()
      local s = w:play { proposal = world.proposal { postcondition = WINDOW } }
      assert.are.equal("completed", s.status)
      assert.is_true(s.verified)
      assert.is_true(s.committed)
      assert.is_nil(s.verification_detail)
      assert.are.equal(0, s.exit_status)
      assert.are.same(json.null, w:document().result.verificationDetail)
    end)

    it("asks the runtime to verify the postcondition of the preview", function()
      w:play { proposal = world.proposal { postcondition = WINDOW } }
      local body = w.desk.bodies.verify[1]
      assert.are.equal("window", body.postcondition.kind)
      assert.are.equal("receipt-1", body.receipt.receiptId)
    end)
  end)

  describe("that needs an approval", function()
    before_each(function() w:asks_approval() end)

    it("waits before lease and effect", function()
      local s, run = w:play()
      assert.are.equal("waiting", s.status)
      assert.are.equal("waiting", run:state())
      assert.are.equal(4, s.exit_status)
      says.counts(w, 0, 0, 0)
    end)

    it("goes on with the exact digests and a grant, and the grant reaches execute", function()
      local _, run = w:play()
      assert(w:answer { grantId = "grant-secret-1" })
      assert.are.equal("committed_unverified", run:summary().status)
      assert.are.equal("grant-secret-1", w.desk.bodies.execute_action[1].grantId)
      says.counts(w, 1, 1, 1)
    end)

    it("does not observe or preview again when it goes on", function()
      w:play()
      assert(w:answer { grantId = "grant-secret-1" })
      assert.are.equal(1, w.desk:asked "preview_action")
      assert.are.equal(1, w.desk:asked "observe_visual")
    end)

    it("passes no grant id when the runtime itself holds the approval", function()
      w:play()
      assert(w:answer { runtimeApproved = true })
      assert.are.equal(json.null, w.desk.bodies.execute_action[1].grantId)
      says.counts(w, 1, 1, 1)
    end)

    for _, row in ipairs {
      { "another action digest", { grantId = "g", actionDigest = ("f"):rep(64) } },
      { "another policy digest", { grantId = "g", policyDigest = "sha256:other" } },
      { "both authorities at once", { grantId = "g", runtimeApproved = true } },
      { "no authority", {} },
      { "an empty grant id", { grantId = "" } },
      { "runtimeApproved false", { runtimeApproved = false } },
      { "another request", { grantId = "g", requestId = "r-1" } },
    } do
      local what, change = row[1], row[2]
      it("refuses an answer with " .. what .. ": no reservation, no effect, still waiting", function()
        local _, run = w:play()
        local ok, err = w:answer(change)
        assert.is_nil(ok)
        assert.are.equal("approval_mismatch", err.code)
        assert.are.equal("waiting", run:state())
        says.counts(w, 0, 0, 0)
        assert(w:answer { grantId = "g" })
        says.counts(w, 1, 1, 1)
      end)
    end

    it("does not show the open request to who did not know it", function()
      w:play()
      local id = w:document().requestId
      local _, err = w:answer { grantId = "g", requestId = "r-1" }
      for _, text in pairs(err) do assert.is_nil(tostring(text):find(id, 1, true)) end
    end)

    it("is refused before any reservation when the resume input replaces the preview", function()
      local _, run = w:play()
      local file = { approval = w:answer_of(run, { grantId = "g" }), preview = w.desk.bodies.preview_action[1] }
      local ok, err = run:answer(json.encode(file))
      w:go()
      assert.is_nil(ok)
      assert.are.equal("invariant", err.code)
      says.refused(run:summary(), "preview channel", "entries", "invariant")
      says.counts(w, 0, 0, 0)
    end)

    it("ends expired when nobody decides before the preview expires, and never reserves", function()
      local _, run = w:play()
      w:advance(300000)
      local s = run:summary()
      assert.are.equal("expired", s.status)
      assert.are.equal("none", s.effect)
      says.counts(w, 0, 0, 0)
    end)
  end)

  it("refuses a preview that has expired before any reservation", function()
    w.desk:edit("preview_action", function(a) a.envelope.expiresAt = w.clock:text(1) end)
    w.desk:hold "preview_action"
    local run = w:start()
    w:go()
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 5, w.clock.boot_ms + 5
    assert(w.desk:deliver(w.host, "preview_action"))
    w:go()
    says.refused(run:summary(), "action envelope", "expires_at")
    says.counts(w, 0, 0, 0)
  end)

  it("whose envelope expires while the lease is acquired reserves once, releases once, and does not act", function()
    w.desk:edit("preview_action", function(a) a.envelope.expiresAt = w.clock:text(1000) end)
    w.desk:before("acquire_lease", function()
      w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 1000, w.clock.boot_ms + 1000
    end)
    local s = w:play()
    says.refused(s, "action envelope", "expires_at")
    says.counts(w, 0, 1, 1, 1, 1)
  end)

  it("refuses a reservation for another intent, and gives it back", function()
    w.desk:edit("reserve_target", function(a) a.intentId = "somebody-else" end)
    says.refused(w:play(), "target reservation", "intent_id")
    says.counts(w, 0, 1, 1, 0)
    assert.are.equal("reservation-1", w.desk.bodies.release_target[1].reservationId)
  end)

  it("refuses a lease of another session, gives the reservation back and leaves that lease alone", function()
    w.desk:edit("acquire_lease", function(a) a.sessionId = "session-2" end)
    says.refused(w:play(), "control lease", "session_id")
    says.counts(w, 0, 1, 1, 1, 0)
  end)

  it("whose receipt names another digest acted once, is released, and says which field", function()
    w.desk:edit("execute_action", function(a) a.actionDigest = ("f"):rep(64) end)
    local s = w:play()
    assert.are.equal("indeterminate", s.status)
    assert.are.equal("unknown", s.effect)
    assert.are.equal("execution receipt", s.error.object)
    assert.are.equal("action_digest", s.error.field)
    assert.are.equal(7, s.exit_status)
    says.counts(w, 1, 1, 1)
  end)

  it("whose lease fails gives the reservation back", function()
    w.desk:fail("acquire_lease", "lease_conflict")
    local s = w:play()
    assert.are.equal("failed", s.status)
    assert.are.equal("runtime", s.error.code)
    assert.are.equal("none", s.effect)
    says.counts(w, 0, 1, 1, 1, 0)
  end)

  it("whose verification fails after the commit is committed, unverified, released, and says so", function()
    w.desk:fail("verify", "screen_locked")
    local s = w:play { proposal = world.proposal { postcondition = WINDOW } }
    assert.are.equal("committed_unverified", s.status)
    assert.are.equal("committed", s.effect)
    assert.are.equal("runtime", s.error.code)
    assert.are.equal("verify", s.error.step)
    says.counts(w, 1, 1, 1)
  end)

  it("whose lease and release both fail reports one error with both, the lease first", function()
    w.desk:fail("acquire_lease", "lease_conflict")
    w.desk:fail("release_target", "store_down")
    local s = w:play()
    assert.truthy(s.error.message:find("lease_conflict", 1, true))
    assert.truthy(s.error.cleanup.message:find("store_down", 1, true))
    assert.are.equal("none", s.effect)
    assert.are.equal(8, s.exit_status)
  end)

  it("whose release fails after a good verification returns an error, and its outcome stays readable", function()
    w.desk:fail("release_target", "store_down")
    local s = w:play { proposal = world.proposal { postcondition = WINDOW } }
    assert.are.equal("completed", s.status)
    assert.is_true(s.verified)
    assert.are.equal("receipt-1", s.receipt_id)
    assert.are.equal("runtime", s.error.code)
    assert.are.equal(8, s.exit_status)
  end)

  it("is blocked with the runtime's reason, and never waits, reserves or acts", function()
    w.desk:edit("preview_action", function(a) a.executable, a.blocker = false, "target_sensitive" end)
    local s = w:play()
    assert.are.equal("blocked", s.status)
    assert.are.equal("target_sensitive", s.reason)
    assert.are.same({ status = "blocked", reason = "target_sensitive" }, w:document().result)
    says.counts(w, 0, 0, 0)
  end)

  it("is blocked when the preview is executable and the runtime's decision is deny", function()
    w.desk:edit("preview_action", function(a) a.policy.decision = "deny" end)
    local s = w:play()
    assert.are.equal("blocked", s.status)
    assert.are.equal("policy_denied", s.reason)
    says.counts(w, 0, 0, 0)
  end)

  it("is refused when the lease is scoped and the action names no target", function()
    w.desk:edit("acquire_lease", function(a) a.boundaries.appIds = json.list { "org.example.Editor" } end)
    local s = w:play { proposal = world.proposal { target = json.null } }
    says.refused(s, "control lease", "boundaries.app_ids")
    says.counts(w, 0, 1, 0, 1, 1)
  end)

  it("whose postcondition fails on a committed receipt ends verification_failed, committed, not safe to retry",
    function()
      w.desk:answer("verify", '{"satisfied":false}')
      local s = w:play { proposal = world.proposal { postcondition = WINDOW } }
      assert.are.equal("verification_failed", s.status)
      assert.are.equal("committed", s.effect)
      assert.is_false(s.retry_safe)
      assert.is_false(s.verified)
      assert.are.equal(6, s.exit_status)
      assert.is_false(w:document().retrySafe)
    end)
end)

describe("a receipt that is lost", function()
  local w
  before_each(function() w = world.open { request_timeout_ms = 5000 } end)
  after_each(function() w:close() end)

  it("after the effect is found by recovery: one effect", function()
    w.desk:lose("execute_action", 1, true)
    local s, run = w:play()
    assert.are.equal("unknown", s.effect)
    w:advance(5000)
    s = run:summary()
    assert.are.equal("committed_unverified", s.status)
    assert.is_nil(s.error)
    assert.are.equal(1, w.desk:asked "recover")
    says.counts(w, 1, 1, 1)
  end)

  it("before the effect, proved never started, is sent once more with the same id: one effect", function()
    w.desk:lose("execute_action", 1)
    w.desk:answer("recover", '"not_started"')
    local _, run = w:play()
    w:advance(5000)
    assert.are.equal("committed_unverified", run:summary().status)
    local sent = w.desk.bodies.execute_action
    assert.are.equal(2, #sent)
    assert.are.equal(sent[1].actionId, sent[2].actionId)
    says.counts(w, 1, 1, 1)
  end)

  it("twice is never sent a third time", function()
    w.desk:lose "execute_action"
    w.desk:answer("recover", '"not_started"')
    local _, run = w:play()
    for _ = 1, 5 do w:advance(5000) end
    assert.are.equal("indeterminate", run:summary().status)
    assert.are.equal(2, w.desk:asked "execute_action")
    says.counts(w, 0, 1, 1)
  end)

  for _, row in ipairs { { "does not know", '"unknown"' }, { "answers garbage", "{" }, { "answers null", "null" } } do
    local what, answer = row[1], row[2]
    it("ends indeterminate when recovery " .. what .. ": one effect at most, released", function()
      w.desk:lose("execute_action", 1, true)
      w.desk:answer("recover", answer)
      local _, run = w:play()
      w:advance(5000)
      local s = run:summary()
      assert.are.equal("indeterminate", s.status)
      assert.are.equal("unknown", s.effect)
      assert.is_false(s.retry_safe)
      assert.are.equal(7, s.exit_status)
      says.counts(w, 1, 1, 1)
    end)
  end

  it("ends indeterminate when the runtime offers no recovery", function()
    w:close()
    w = world.open { request_timeout_ms = 5000, without = { "recover" } }
    w.desk:lose("execute_action", 1, true)
    local _, run = w:play()
    w:advance(5000)
    assert.are.equal("indeterminate", run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("is not sent again after an error answer, even when proved never started: failed, effect none", function()
    w.desk:fail("execute_action", "execution_failed")
    w.desk:answer("recover", '"not_started"')
    local s = w:play()
    assert.are.equal("failed", s.status)
    assert.are.equal("none", s.effect)
    assert.is_true(s.retry_safe)
    assert.are.equal(1, w.desk:asked "execute_action")
    says.counts(w, 0, 1, 1)
  end)

  it("is not sent again when what was proved no longer passes the checks", function()
    w.desk:lose("execute_action", 1)
    w.desk:answer("recover", '"not_started"')
    w.desk:edit("preview_action", function(a) a.envelope.expiresAt = w.clock:text(4000) end)
    local _, run = w:play()
    w:advance(5000)
    assert.are.equal(1, w.desk:asked "execute_action")
    assert.are_not.equal("committed_unverified", run:summary().status)
    says.counts(w, 0, 1, 1)
  end)

  it("is not sent again when a policy denies meanwhile: all checks are made anew", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", execute = function(action, ctx)
        if ctx.time.second >= 5 then return policy.deny("too late") end
      end }]] } })
    w.desk:lose("execute_action", 1)
    w.desk:answer("recover", '"not_started"')
    local _, run = w:play()
    w:advance(5000)
    assert.are.equal(1, w.desk:asked "execute_action")
    assert.are.equal("indeterminate", run:summary().status)
    says.counts(w, 0, 1, 1)
  end)

  it("that recovery returns for another action is refused: indeterminate", function()
    w.desk:lose("execute_action", 1, true)
    w.desk:edit("recover", function(a) a.actionId = "another" end)
    local _, run = w:play()
    w:advance(5000)
    assert.are.equal("indeterminate", run:summary().status)
    says.counts(w, 1, 1, 1)
  end)

  it("by a lost connection is recovered the same way", function()
    w.desk:lose("execute_action", 1, true)
    local _, run = w:play()
    assert(w.host:fail(w.desk.lost, "transport", "closed", "the connection was closed"))
    w:go()
    assert.are.equal("committed_unverified", run:summary().status)
    says.counts(w, 1, 1, 1)
  end)
end)

describe("the digest of an action", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)
  local plain = world.proposal { arguments = { text = "hi" } }

  it("is accepted when the runtime's rule gives the same", function()
    w.desk.digest = desk.args_digest(plain)
    assert.are.equal("committed_unverified", w:play { proposal = plain }.status)
    says.counts(w, 1, 1, 1)
  end)

  it("is refused when it is not the one that the rule gives", function()
    says.refused(w:play { proposal = plain }, "action envelope", "args_digest")
    says.counts(w, 0, 0, 0)
  end)

  it("covers the arguments: another text has another digest", function()
    w.desk.digest = desk.args_digest(world.proposal { arguments = { text = "ho" } })
    says.refused(w:play { proposal = plain }, "action envelope", "args_digest")
  end)
end)
