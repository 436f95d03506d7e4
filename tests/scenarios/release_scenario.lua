-- What was taken is given back on every end (I6), and the first failure is the one that is told (I7).

local COPY = {
  tool = "write_clipboard", arguments = { text = "hi" },
  target = {
    platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1", confidence = 1,
    captured_at = "2026-01-01T00:00:00Z",
  },
}
local function with(members)
  local action = {}
  for name, value in pairs(COPY) do action[name] = value end
  for name, value in pairs(members) do action[name] = value end
  return action
end
local WINDOW = { kind = "window", window_id = 7, exists = true }
local BROKEN = { reason = "broken" }

scenario "no lease is given: the reservation is released" {
  runtime = fake { faults = { { op = "acquire_lease", fail = { reason = "lease_conflict" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "runtime", step = "acquire_lease", message = "lease_conflict" }
    s:expect_effect "none"
    s:expect_retry_safe(true)
    s:expect_effects(0)
    s:expect_reservations(1)
    s:expect_releases(1)
    s:expect_calls("release_lease", 0)
    s:expect(s:document().error.cleanup == nil, "the release went well")
  end,
}

scenario "no lease is given and the release fails: one error tells both" {
  runtime = fake { faults = { { op = "acquire_lease", fail = { reason = "lease_conflict" } },
    { op = "release_target", fail = BROKEN } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "runtime", step = "acquire_lease", message = "lease_conflict", cleanup = "runtime" }
    s:expect_exit(8)
    s:expect_effects(0)
    s:expect_calls("release_target", 1)
  end,
}

scenario "the answer to the lease is lost: the run ends, and what comes late is given back" {
  runtime = fake { faults = { { op = "acquire_lease", late = "40s" } } },
  play = function(s)
    s:start(COPY)
    s:advance "30s"
    s:expect_status "failed"
    s:expect_error { code = "timeout", step = "acquire_lease" }
    s:expect_lease_releases(0)
    s:advance "11s"
    s:expect_calls("release_lease", 1)
    s:expect_effects(0)
  end,
}

scenario "a reservation that comes late is given back" {
  runtime = fake { faults = { { op = "reserve_target", late = "20s" } } },
  options = { request_timeout = "10s" },
  play = function(s)
    s:start(COPY)
    s:advance "10s"
    s:expect_status "failed"
    s:expect_error { code = "timeout", step = "reserve" }
    s:expect_releases(0)
    s:advance "10s"
    s:expect_releases(1)
    s:expect_effects(0)
    s:expect_leases(0)
  end,
}

scenario "verify fails: committed, not verified, the error told and all released" {
  runtime = fake { faults = { { op = "verify", fail = BROKEN } } },
  play = function(s)
    s:start(with { postcondition = WINDOW })
    s:expect_status "committed_unverified"
    s:expect_error { code = "runtime", step = "verify" }
    s:expect_effect "committed"
    s:expect_committed(true)
    s:expect_verified(false)
    s:expect_exit(5)
    s:expect_effects(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "verify fails, and the receipt's own evidence decides" {
  runtime = fake { receipt_evidence = true, faults = { { op = "verify", fail = BROKEN } } },
  play = function(s)
    s:start(with { postcondition = WINDOW })
    s:expect_status "completed"
    s:expect_error { code = "runtime", step = "verify" }
    s:expect_verified(true)
    s:expect_effects(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "a lease that cannot be released after a good verification is an error beside the outcome" {
  runtime = fake { faults = { { op = "release_lease", fail = BROKEN } } },
  play = function(s)
    s:start(with { postcondition = WINDOW })
    s:expect_status "completed"
    s:expect_verified(true)
    s:expect_effect "committed"
    s:expect_error { code = "runtime", step = "release_lease", object = "control lease" }
    s:expect_exit(8)
    s:expect_calls("release_lease", 1)
    s:expect_releases(1)
    s:expect_effects(1)
  end,
}

scenario "a reservation that cannot be released after a good verification is an error beside the outcome" {
  runtime = fake { faults = { { op = "release_target", fail = BROKEN } } },
  play = function(s)
    s:start(with { postcondition = WINDOW })
    s:expect_status "completed"
    s:expect_verified(true)
    s:expect_error { code = "runtime", step = "release_target", object = "target reservation" }
    s:expect_exit(8)
    s:expect_calls("release_target", 1)
    s:expect_lease_releases(1)
    s:expect_effects(1)
  end,
}

for op, reason in pairs { release_lease = "lease_not_active", release_target = "reservation_not_active" } do
  scenario("the answer " .. reason .. " to a release counts as released") {
    runtime = fake { faults = { { op = op, fail = { reason = reason } } } },
    play = function(s)
      s:start(with { postcondition = WINDOW })
      s:expect_status "completed"
      s:expect_no_error()
      s:expect_exit(0)
      s:expect_calls(op, 1)
    end,
  }
end

scenario "the failure of verify stays first when the releases fail on top of it" {
  runtime = fake { faults = { { op = "verify", fail = BROKEN }, { op = "release_lease", crash = "before" },
    { op = "release_target", fail = BROKEN } } },
  play = function(s)
    s:start(with { postcondition = WINDOW })
    s:expect_status "committed_unverified"
    s:expect_error { code = "runtime", step = "verify", cleanup = "transport" }
    s:expect_exit(8)
    s:expect_calls("release_lease", 1)
    s:expect_calls("release_target", 1)
    s:expect_effects(1)
  end,
}

scenario "a run that is cancelled before its send gives all back and sends nothing" {
  runtime = fake { latency = { acquire_lease = "5s" } },
  play = function(s)
    s:start(COPY)
    s:advance "1s"
    s:cancel "not today"
    s:advance "10s"
    s:expect_status "cancelled"
    s:expect_exit(1)
    s:expect_effects(0)
    s:expect_calls("execute_action", 0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "a run that is cancelled while it waits ends, and the runtime is not asked" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(COPY)
    s:cancel "not today"
    s:expect_status "cancelled"
    s:expect_reservations(0)
    s:expect_effects(0)
  end,
}

scenario "a run that is cancelled after its send goes on to verify and release" {
  runtime = fake { latency = { execute_action = "5s" } },
  play = function(s)
    s:start(with { postcondition = WINDOW })
    s:advance "1s"
    s:cancel "too late"
    s:advance "10s"
    s:expect_status "completed"
    s:expect_effects(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}
