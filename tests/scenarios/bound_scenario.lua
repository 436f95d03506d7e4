-- What comes back is held against what was asked (SPEC §3): a refusal names object and field, nothing is done after it,
-- and what was taken is given back.

local TARGET = {
  platform = "linux", app_id = "org.example.Editor", window_id = 7, display_id = "1", observation_id = "seen-1",
  confidence = 1, captured_at = "2026-01-01T00:00:00Z",
}
local COPY = { tool = "write_clipboard", arguments = { text = "hi" }, target = TARGET }
local ZEROS = ("0"):rep(64)

local function fault(op, set)
  return { faults = { { op = op, set = set } } }
end

local function expect_held(s, reservations, releases, leases, lease_releases)
  s:expect_reservations(reservations)
  s:expect_releases(releases)
  s:expect_leases(leases)
  s:expect_lease_releases(lease_releases)
end

-- ---- previews ----

local PREVIEWS = {
  proposed_at = { ["/envelope/proposedAt"] = "yesterday" },
  session_id = { ["/envelope/sessionId"] = "session-2" },
  principal_id = { ["/envelope/principalId"] = "somebody" },
  agent_id = { ["/envelope/agentId"] = "agent-2" },
  execution_group_id = { ["/envelope/executionGroupId"] = "group-2" },
  action_id = { ["/envelope/actionId"] = "another" },
  args_digest = { ["/envelope/argsDigest"] = ZEROS },
}
for field, set in pairs(PREVIEWS) do
  scenario("a preview with another " .. field .. " is refused, and nothing is reserved") {
    runtime = fake(fault("preview_action", set)),
    agent = "agent-1", group = "group-1",
    play = function(s)
      s:start(COPY)
      s:expect_status "refused"
      s:expect_error { code = "identity_mismatch", object = "action envelope", field = field, step = "preview" }
      s:expect_exit(1)
      s:expect_effects(0)
      expect_held(s, 0, 0, 0, 0)
    end,
  }
end

-- These change what the digest is made of: the runtime of the scenario makes the envelope so, digest and all.
local ECHOES = {
  tool = { tool = "notification" }, operation = { operation = "write_clipboard.other" },
  requested_mode = { requestedMode = "foreground" },
  target = { target = { platform = "linux", appId = "org.example.Other", observationId = "seen-1", confidence = 1,
    capturedAt = "2026-01-01T00:00:00Z" } },
  postcondition = { postcondition = { kind = "window", windowId = 8, exists = true } },
  provenance = { provenance = { untrustedInstruction = false, sourceObservationIds = json.array {} } },
  data_labels = { dataLabels = json.array { "public" } },
}
for field, members in pairs(ECHOES) do
  scenario("a preview of another " .. field .. " than was proposed is refused") {
    runtime = fake { envelope = members },
    play = function(s)
      s:start(COPY)
      s:expect_status "refused"
      s:expect_error { code = "identity_mismatch", object = "action envelope", field = field }
      s:expect_effects(0)
      expect_held(s, 0, 0, 0, 0)
    end,
  }
end

scenario "a preview that has run out when it comes is refused" {
  runtime = fake(fault("preview_action", { ["/envelope/proposedAt"] = "2025-12-31T23:00:00Z",
    ["/envelope/expiresAt"] = "2026-01-01T00:00:00Z" })),
  play = function(s)
    s:start(COPY)
    s:expect_status "refused"
    s:expect_error { code = "identity_mismatch", object = "action envelope", field = "expires_at" }
    s:expect_calls("reserve_target", 0)
    s:expect_effects(0)
  end,
}

scenario "a preview that has one moment left is taken" {
  runtime = fake(fault("preview_action", { ["/envelope/expiresAt"] = "2026-01-01T00:00:00.001Z" })),
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "an envelope that expires while the lease is acquired: one reservation, one release, no effect" {
  runtime = fake { envelope = { expires_in = "3s" }, latency = { acquire_lease = "3s" } },
  play = function(s)
    s:start(COPY)
    s:advance "10s"
    s:expect_status "refused"
    s:expect_error { code = "identity_mismatch", object = "action envelope", field = "expires_at" }
    s:expect_effects(0)
    s:expect_calls("execute_action", 0)
    expect_held(s, 1, 1, 1, 1)
  end,
}

scenario "an envelope that outlives its lease's acquisition by a moment is executed" {
  runtime = fake { envelope = { expires_in = "3s" }, latency = { acquire_lease = "2999ms" } },
  play = function(s)
    s:start(COPY)
    s:advance "10s"
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "a preview that cannot be read ends the run, and names the place" {
  runtime = fake { faults = { { op = "preview_action", remove = { "/envelope/argsDigest" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "decode", step = "preview", field = "/envelope/argsDigest" }
    s:expect_effects(0)
    expect_held(s, 0, 0, 0, 0)
  end,
}

-- ---- reservations ----

local RESERVATIONS = {
  session_id = { ["/sessionId"] = "session-2" }, principal_id = { ["/principalId"] = "somebody" },
  agent_id = { ["/agentId"] = "agent-2" }, execution_group_id = { ["/executionGroupId"] = "group-2" },
  intent_id = { ["/intentId"] = "another" }, state = { ["/state"] = "released" },
  expires_at = { ["/expiresAt"] = "2026-01-01T00:00:00Z" },
  ["scope.app_id"] = { ["/scope/appId"] = "org.example.Other" },
  ["scope.window_id"] = { ["/scope/windowId"] = "7" },
}
for field, set in pairs(RESERVATIONS) do
  scenario("a reservation with another " .. field .. " is refused and released, and no lease is asked for") {
    runtime = fake(fault("reserve_target", set)),
    agent = "agent-1", group = "group-1",
    play = function(s)
      s:start(COPY)
      s:expect_status "refused"
      s:expect_error { code = "identity_mismatch", object = "target reservation", field = field, step = "reserve" }
      s:expect_effects(0)
      s:expect_calls("acquire_lease", 0)
      expect_held(s, 1, 1, 0, 0)
    end,
  }
end

scenario "a reservation that cannot be read is released all the same" {
  runtime = fake { faults = { { op = "reserve_target", remove = { "/expiresAt" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "decode", step = "reserve", field = "/expiresAt" }
    s:expect_effects(0)
    expect_held(s, 1, 1, 0, 0)
  end,
}

scenario "a reservation that runs out while the lease is acquired is not executed under" {
  runtime = fake { reservation = { expires_in = "2s" }, latency = { acquire_lease = "2s" } },
  play = function(s)
    s:start(COPY)
    s:advance "10s"
    s:expect_status "refused"
    s:expect_error { code = "identity_mismatch", object = "target reservation", field = "expires_at" }
    s:expect_effects(0)
    s:expect_lease_releases(1)
    s:expect_calls("release_target", 1)
    s:expect(s:runtime().held_reservations == 0, "nothing is held")
  end,
}

-- ---- leases ----

local LEASES = {
  agent_id = { ["/agentId"] = "agent-2" }, execution_mode = { ["/executionMode"] = "foreground" },
  state = { ["/state"] = "revoked" }, action_budget = { ["/actionsUsed"] = 1 },
  expires_at = { ["/expiresAt"] = "2026-01-01T00:00:00Z" },
  ["boundaries.app_ids"] = { ["/boundaries/appIds"] = json.array { "org.example.Other" } },
  ["boundaries.window_ids"] = { ["/boundaries/windowIds"] = json.array { "7" } },
  ["boundaries.display_ids"] = { ["/boundaries/displayIds"] = json.array { "2" } },
}
for field, set in pairs(LEASES) do
  scenario("a lease with another " .. field .. " is refused, and both are released") {
    runtime = fake(fault("acquire_lease", set)),
    agent = "agent-1",
    play = function(s)
      s:start(COPY)
      s:expect_status "refused"
      s:expect_error { code = "identity_mismatch", object = "control lease", field = field, step = "acquire_lease" }
      s:expect_effects(0)
      s:expect_calls("execute_action", 0)
      expect_held(s, 1, 1, 1, 1)
    end,
  }
end

for field, set in pairs { session_id = { ["/sessionId"] = "session-2" },
  principal_id = { ["/principalId"] = "who" } } do
  scenario("a lease with another " .. field .. " is refused and, being somebody else's, never released") {
    runtime = fake(fault("acquire_lease", set)),
    play = function(s)
      s:start(COPY)
      s:expect_status "refused"
      s:expect_error { code = "identity_mismatch", object = "control lease", field = field, step = "acquire_lease" }
      s:expect_effects(0)
      s:expect_calls("release_lease", 0)
      expect_held(s, 1, 1, 1, 0)
    end,
  }
end

scenario "a lease that is scoped refuses an action without a target" {
  runtime = fake(fault("acquire_lease", { ["/boundaries/appIds"] = json.array { "org.example.Editor" } })),
  play = function(s)
    s:start { tool = "write_clipboard", arguments = { text = "hi" } }
    s:expect_status "refused"
    s:expect_error { code = "identity_mismatch", object = "control lease", field = "boundaries.app_ids" }
    s:expect_effects(0)
    expect_held(s, 0, 0, 1, 1)
  end,
}

scenario "a lease whose lists are empty is not scoped" {
  runtime = fake(fault("acquire_lease", { ["/boundaries"] = { appIds = json.array {}, windowIds = json.array {},
    displayIds = json.array {} } })),
  play = function(s)
    s:start { tool = "write_clipboard", arguments = { text = "hi" } }
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    expect_held(s, 0, 0, 1, 1)
  end,
}

scenario "a lease that names the target by all three lists is taken" {
  runtime = fake(fault("acquire_lease", { ["/boundaries"] = { appIds = json.array { "org.example.Editor" },
    windowIds = json.array { 9, 7 }, displayIds = json.array { "1" } } })),
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "a lease that cannot be read is released all the same" {
  runtime = fake { faults = { { op = "acquire_lease", remove = { "/kind" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "decode", step = "acquire_lease", field = "/kind" }
    s:expect_effects(0)
    expect_held(s, 1, 1, 1, 1)
  end,
}

-- ---- receipts ----

for field, set in pairs {
  session_id = { ["/sessionId"] = "session-2" }, action_id = { ["/actionId"] = "another" },
  action_digest = { ["/actionDigest"] = ZEROS },
} do
  scenario("a receipt with another " .. field .. " proves nothing; what was done stays unknown") {
    runtime = fake { faults = { { op = "execute_action", set = set },
      { op = "recover", fail = { reason = "broken" } } } },
    play = function(s)
      s:start(COPY)
      s:expect_status "indeterminate"
      s:expect_error { code = "identity_mismatch", object = "execution receipt", field = field, step = "execute" }
      s:expect_effect "unknown"
      s:expect_retry_safe(false)
      s:expect_exit(7)
      s:expect_effects(1)
      s:expect_calls("execute_action", 1)
      s:expect_calls("recover", 1)
      expect_held(s, 1, 1, 1, 1)
    end,
  }
end

scenario "after a refused receipt the right one, recovered, counts" {
  runtime = fake(fault("execute_action", { ["/actionDigest"] = ZEROS })),
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effect "committed"
    s:expect_effects(1)
    s:expect_calls("execute_action", 1)
    s:expect_calls("recover", 1)
    expect_held(s, 1, 1, 1, 1)
  end,
}
