-- Answers to the runtime's need (SPEC §6): only the exact one moves the run, and a refused one leaves it waiting with
-- nothing held and nothing done.

local COPY = {
  tool = "write_clipboard", arguments = { text = "hi" },
  target = {
    platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1", confidence = 1,
    captured_at = "2026-01-01T00:00:00Z",
  },
}
local OTHER = ("0"):rep(64)

local function expect_untouched(s)
  s:expect_effects(0)
  s:expect_reservations(0)
  s:expect_leases(0)
  s:expect_calls("reserve_target", 0)
  s:expect_calls("execute_action", 0)
end

-- The answer that fits, as a document; `change` replaces members of it, false takes one away.
local function fitting(s, change)
  local d = s:document()
  local answer = { requestId = d.requestId, actionDigest = d.actionDigest, policyDigest = d.policyDigest,
    grantId = "grant-1" }
  for name, value in pairs(change or {}) do
    answer[name] = value or nil
  end
  return answer
end

scenario "the exact digests and a grant execute once" {
  runtime = fake { policy = "confirm", grants = { "grant-7" } },
  play = function(s)
    s:start(COPY)
    s:answer(fitting(s, { grantId = "grant-7" }))
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect_reservations(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    s:expect_no_error()
  end,
}

scenario "a grant that the runtime does not know has no effect" {
  runtime = fake { policy = "confirm", grants = { "grant-7" } },
  play = function(s)
    s:start(COPY)
    s:answer(fitting(s, { grantId = "grant-8" }))
    s:expect_status "failed"
    s:expect_error { code = "runtime", step = "execute" }
    s:expect_effect "none"
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "an approval that the runtime holds itself executes without a grant" {
  runtime = fake { policy = "confirm", grants = {} },
  play = function(s)
    s:start(COPY)
    s:answer(fitting(s, { grantId = false, runtimeApproved = true }))
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "an approval said to be the runtime's, which it does not hold, has no effect" {
  runtime = fake { policy = "confirm", runtime_held = false },
  play = function(s)
    s:start(COPY)
    s:answer(fitting(s, { grantId = false, runtimeApproved = true }))
    s:expect_status "failed"
    s:expect_effect "none"
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

local REFUSED = {
  { "a changed action digest", { actionDigest = OTHER } },
  { "a missing action digest", { actionDigest = false } },
  { "a changed policy digest", { policyDigest = "sha256:" .. OTHER } },
  { "a missing policy digest", { policyDigest = false } },
  { "both authorities", { runtimeApproved = true } },
  { "no authority", { grantId = false } },
  { "runtimeApproved that is false", { grantId = false, runtimeApproved = false } },
  { "an empty grant id", { grantId = "" } },
  { "another request id", { requestId = OTHER:sub(1, 32) } },
  { "no request id", { requestId = false } },
}
for _, row in ipairs(REFUSED) do
  scenario("an answer with " .. row[1] .. " is refused, and the right one still counts") {
    runtime = fake { policy = "confirm" },
    play = function(s)
      s:start(COPY)
      s:answer(fitting(s, row[2]), { expect = "approval_mismatch" })
      s:expect_waiting()
      expect_untouched(s)
      s:answer(fitting(s))
      s:expect_status "committed_unverified"
      s:expect_effects(1)
      s:expect_reservations(1)
    end,
  }
end

scenario "an answer to what the runtime never asked is refused" {
  runtime = fake { latency = { acquire_lease = "1s" } },
  play = function(s)
    s:start(COPY)
    s:answer({ requestId = OTHER:sub(1, 32), grantId = "grant-1" }, { expect = "approval_mismatch" })
    s:advance "2s"
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "the same answer a second time executes nothing more" {
  runtime = fake { policy = "confirm", latency = { acquire_lease = "1s" } },
  play = function(s)
    s:start(COPY)
    local answer = fitting(s)
    s:answer(answer)
    s:answer(answer, { expect = "approval_mismatch" })
    s:advance "2s"
    s:expect_status "committed_unverified"
    s:answer(answer, { expect = "approval_mismatch" })
    s:expect_effects(1)
    s:expect_calls("execute_action", 1)
  end,
}

scenario "the answer of one run does not move another" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    local one, two = s:start(COPY), s:start(COPY)
    two:answer(fitting(one), { expect = "approval_mismatch" })
    two:expect_waiting()
    one:expect_waiting()
    expect_untouched(s)
    two:answer(fitting(two))
    two:expect_status "committed_unverified"
    one:expect_waiting()
    s:expect_effects(1)
  end,
}

scenario "an operator's file needs no request id, and a refused one ends the run" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(COPY)
    s:answer(fitting(s, { requestId = false }), { file = true })
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:start(COPY)
    s:answer(fitting(s, { requestId = false, actionDigest = OTHER }), { file = true, expect = "approval_mismatch" })
    s:expect_status "refused"
    s:expect_error { code = "approval_mismatch", object = "approval", field = "action_digest" }
    s:expect_effects(1)
    s:expect_reservations(1)
  end,
}

-- ---- a preview that comes in with the answer (I1) ----

for name, make in pairs {
  ["an answer with a preview beside it"] = function(s, preview)
    return { approval = fitting(s), preview = preview }
  end,
  ["a preview alone"] = function(_, preview) return { preview = preview } end,
} do
  for what, preview in pairs { ["of another action"] = { envelope = { actionId = "other" } },
    ["that is empty"] = {} } do
    scenario(name .. ", " .. what .. ", ends the run before anything is reserved") {
      runtime = fake { policy = "confirm" },
      play = function(s)
        s:start(COPY)
        s:answer(make(s, preview), { expect = "invariant" })
        s:expect_status "refused"
        s:expect_error { code = "invariant", object = "preview channel", field = "entries" }
        expect_untouched(s)
        s:expect_retry_safe(true)
      end,
    }
  end
end

scenario "a member beside approval and preview is refused" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(COPY)
    s:answer({ approval = fitting(s), route = "allowed" }, { expect = "decode" })
    s:expect_waiting()
    expect_untouched(s)
  end,
}

-- ---- time ----

scenario "a preview that runs out while a person decides: the run expires, and a late answer says so" {
  runtime = fake { policy = "confirm", envelope = { expires_in = "30s" } },
  play = function(s)
    s:start(COPY)
    local answer = fitting(s)
    s:advance "29999ms"
    s:expect_waiting()
    s:advance "1ms"
    s:expect_status "expired"
    s:expect_exit(1)
    s:answer(answer, { expect = "approval_mismatch" })
    s:expect_status "expired"
    expect_untouched(s)
  end,
}

scenario "the last moment of a preview still counts" {
  runtime = fake { policy = "confirm", envelope = { expires_in = "30s" } },
  play = function(s)
    s:start(COPY)
    s:advance "29999ms"
    s:answer(fitting(s))
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

-- ---- a grant as a document ----

local function grant(s, change)
  local d = s:document()
  local g = {
    grantId = "grant-1", scope = "exact_action", principalId = "operator-1", sessionId = "session-1",
    actionDigest = d.actionDigest, scopeDigest = d.actionDigest, policyDigest = d.policyDigest,
    tool = "write_clipboard", operation = "write_clipboard", actionClass = "edit_reversible", mode = "background",
    issuedAt = "2026-01-01T00:00:00Z", expiresAt = "2026-01-01T00:04:00Z", remainingUses = 1,
    consumedByActionIds = json.array {},
  }
  for name, value in pairs(change or {}) do g[name] = value end
  return g
end

scenario "a grant given as a document that fits executes" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(COPY)
    s:answer(fitting(s, { grant = grant(s) }))
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

for field, change in pairs {
  session_id = { sessionId = "session-2" }, principal_id = { principalId = "somebody" },
  action_digest = { actionDigest = OTHER, scopeDigest = OTHER }, policy_digest = { policyDigest = "other" },
  tool = { tool = "notification" }, mode = { mode = "foreground" },
  expires_at = { expiresAt = "2026-01-01T00:00:00Z" }, remaining_uses = { remainingUses = 0 },
} do
  scenario("a grant with another " .. field .. " is refused") {
    runtime = fake { policy = "confirm" },
    play = function(s)
      s:start(COPY)
      s:answer(fitting(s, { grant = grant(s, change) }), { expect = "approval_mismatch" })
      s:expect_waiting()
      expect_untouched(s)
    end,
  }
end
