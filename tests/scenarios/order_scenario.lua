-- The order of a run (SPEC §4): what is asked of the runtime, how often, and what is left behind. Effects, leases and
-- reservations are counted at the runtime.

local TARGET = {
  platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1", confidence = 1,
  captured_at = "2026-01-01T00:00:00Z",
}
local COPY = { tool = "write_clipboard", arguments = { text = "hi" }, target = TARGET }

local function copy(mode)
  return { tool = "write_clipboard", arguments = { text = "hi" }, target = TARGET, mode = mode }
end

-- How often each thing was taken and given back; and that nothing is held.
local function expect_held(s, reservations, leases)
  s:expect_reservations(reservations)
  s:expect_releases(reservations)
  s:expect_leases(leases)
  s:expect_lease_releases(leases)
  local seen = s:runtime()
  s:expect(seen.held_leases == 0 and seen.held_reservations == 0, "nothing is held at the end")
end

scenario "an allowed run has one effect, one reservation and one release, and without a postcondition is not verified" {
  runtime = fake {},
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect_effect "committed"
    s:expect_committed(true)
    s:expect_verified(false)
    s:expect_retry_safe(false)
    s:expect_exit(5)
    s:expect_no_error()
    expect_held(s, 1, 1)
    s:expect(s:runtime().world.clipboard == "hi", "the text is on the clipboard")
  end,
}

scenario "each step is asked for once, and the lease is given back before the reservation" {
  runtime = fake {},
  play = function(s)
    s:start(COPY)
    s:expect_calls("verify", 0)
    local order = table.concat(s:runtime().order, " ")
    s:expect(order == "discover_capabilities observe_visual observe_semantic preview_action reserve_target " ..
      "acquire_lease execute_action release_lease release_target", "the order was: " .. order)
  end,
}

scenario "an approval is waited for before the lease and the effect" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(COPY)
    s:expect_waiting()
    s:expect_exit(4)
    s:expect_calls("reserve_target", 0)
    s:expect_calls("acquire_lease", 0)
    s:expect_effects(0)
    s:approve { grant = "grant-1" }
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect_calls("preview_action", 1)
    expect_held(s, 1, 1)
  end,
}

scenario "a shadow run ends behind its preview, without lease or effect" {
  runtime = fake {},
  scopes = { "computer:plan" },
  play = function(s)
    s:start { tool = "snapshot", mode = "shadow" }
    s:expect_status "previewed"
    s:expect_exit(0)
    s:expect_effect "none"
    s:expect_retry_safe(true)
    s:expect_calls("preview_action", 1)
    s:expect_calls("execute_action", 0)
    expect_held(s, 0, 0)
  end,
}

scenario "what the runtime blocks ends with the blocker as its reason" {
  runtime = fake {},
  scopes = { "computer:execute:background" },
  play = function(s)
    s:start { tool = "left_click", arguments = { coordinate = { 1, 2 } }, target = TARGET }
    s:expect_status "blocked"
    s:expect_reason "foreground_required"
    s:expect_exit(1)
    s:expect_effect "none"
    s:expect_effects(0)
    expect_held(s, 0, 0)
  end,
}

scenario "what the runtime's policy denies is blocked" {
  runtime = fake { policy = "deny" },
  play = function(s)
    s:start(COPY)
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    expect_held(s, 0, 0)
    s:expect_calls("execute_action", 0)
  end,
}

scenario "executable with the decision deny is blocked all the same" {
  runtime = fake { faults = { { op = "preview_action", set = { ["/policy/decision"] = "deny" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    s:expect_effects(0)
    expect_held(s, 0, 0)
  end,
}

scenario "not executable and without a blocker is blocked" {
  runtime = fake { faults = { { op = "preview_action", set = { ["/executable"] = false } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    s:expect_calls("reserve_target", 0)
    s:expect_effects(0)
  end,
}

scenario "confirm with executable waits, unless standing grants are accepted" {
  runtime = fake { faults = { { op = "preview_action", set = { ["/policy/decision"] = "confirm" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_waiting()
    s:expect_effects(0)
  end,
}

scenario "confirm with executable is executed where standing grants are accepted" {
  runtime = fake { faults = { { op = "preview_action", set = { ["/policy/decision"] = "confirm" } } } },
  options = { accept_standing_grants = true },
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "a runtime without reservations is asked for none" {
  runtime = fake { reservation = { none = true } },
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_calls("reserve_target", 1)
    s:expect_calls("release_target", 0)
    s:expect_effects(1)
    expect_held(s, 0, 1)
  end,
}

scenario "a rejected receipt has no effect, and the run may be repeated" {
  runtime = fake { faults = { { op = "execute_action", set = { ["/status"] = "rejected" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "verification_failed"
    s:expect_effect "none"
    s:expect_retry_safe(true)
    s:expect_exit(6)
    expect_held(s, 1, 1)
  end,
}

scenario "an interrupted receipt tells nothing of the effect" {
  runtime = fake { faults = { { op = "execute_action", set = { ["/status"] = "interrupted" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "verification_failed"
    s:expect_effect "unknown"
    s:expect_retry_safe(false)
    s:expect_exit(7)
    expect_held(s, 1, 1)
  end,
}

scenario "a second answer to execute is no second receipt" {
  runtime = fake { faults = { { op = "execute_action", twice = true } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect_calls("execute_action", 1)
    expect_held(s, 1, 1)
  end,
}

scenario "an observation that fails ends the run before its preview" {
  runtime = fake { faults = { { op = "observe_visual", fail = { reason = "no_display" } } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "runtime", step = "observe" }
    s:expect_calls("preview_action", 0)
    s:expect_effects(0)
    s:expect_exit(8)
  end,
}

-- ---- who acts, and in which mode (SPEC §8) ----

for mode, scope in pairs { background = "computer:execute:background", foreground = "computer:execute:foreground" } do
  scenario(mode .. " takes the scope of its own") {
    runtime = fake {},
    scopes = { scope },
    play = function(s)
      s:start(copy(mode))
      s:expect_status "committed_unverified"
      s:expect_effects(1)
    end,
  }
  scenario(mode .. " is refused with every scope but its own, before anything is reserved") {
    runtime = fake {},
    scopes = { "computer:plan",
      mode == "background" and "computer:execute:foreground" or "computer:execute:background" },
    play = function(s)
      s:start(copy(mode))
      s:expect_status "refused"
      s:expect_error { code = "missing_scope", object = "identity", field = "scope" }
      s:expect_calls("reserve_target", 0)
      s:expect_calls("acquire_lease", 0)
      s:expect_effects(0)
    end,
  }
end

scenario "a shadow run without computer:plan is refused before its preview" {
  runtime = fake {},
  scopes = { "computer:execute:background", "computer:execute:foreground" },
  play = function(s)
    s:start { tool = "snapshot", mode = "shadow" }
    s:expect_status "refused"
    s:expect_error { code = "missing_scope", object = "identity", field = "scope" }
    s:expect_calls("preview_action", 0)
  end,
}

scenario "an identity that expires while a person decides executes nothing" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(COPY, { identity_expires_at = "2026-01-01T00:01:00Z" })
    s:advance "59s"
    s:expect_waiting()
    s:advance "1s"
    s:approve {}
    s:expect_status "refused"
    s:expect_error { code = "principal_mismatch", object = "identity", field = "expires_at" }
    s:expect_effects(0)
    expect_held(s, 0, 0)
  end,
}

scenario "an identity that expires while the lease is acquired gives all back" {
  runtime = fake { latency = { acquire_lease = "2s" } },
  play = function(s)
    s:start(COPY, { identity_expires_at = "2026-01-01T00:00:01Z" })
    s:advance "5s"
    s:expect_status "refused"
    s:expect_error { code = "principal_mismatch", object = "identity", field = "expires_at" }
    s:expect_effects(0)
    expect_held(s, 1, 1)
  end,
}

scenario "a run is one action: what was proposed names no session, grant or lease" {
  runtime = fake {},
  play = function(s)
    for _, name in ipairs { "session_id", "principal_id", "agent_id", "action_id", "grant_id", "lease_id", "attempt",
      "expires_at" } do
      s:start({ tool = "write_clipboard", arguments = { text = "hi" }, [name] = "x" }, { expect = "invalid_request" })
    end
    s:start({ tool = "write_clipboard", operation = "read" }, { expect = "invalid_request" })
    s:expect_calls("discover_capabilities", 0)
  end,
}
