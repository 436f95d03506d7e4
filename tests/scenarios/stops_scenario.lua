-- Pause, stop and emergency stop (SPEC §8): a latch first, then the desktop's authority is revoked, and only when that
-- went well the agent is interrupted. Only an operator lifts a latch.

local function copy(window)
  return { tool = "write_clipboard", arguments = { text = "hi" },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = window or 7, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end
local STOPS = {
  { name = "pause", op = "pause_session", call = function(s) return s:pause() end, session = "session-1" },
  { name = "stop", op = "stop_session", call = function(s) return s:stop() end, session = "session-1" },
  { name = "emergency stop", op = "emergency_stop", call = function(s) return s:emergency_stop() end },
}

local function expect_nothing_held(s)
  local seen = s:runtime()
  s:expect(seen.held_leases == 0 and seen.held_reservations == 0, "nothing is held")
end

for _, stop in ipairs(STOPS) do
  scenario(stop.name .. ": a run on its way to the lease sends nothing, and the agent is interrupted") {
    runtime = fake { latency = { reserve_target = "2s" } },
    play = function(s)
      s:start(copy())
      s:advance "1s"
      local result = stop.call(s)
      s:expect(result.done and result.ok, "the stop went through")
      s:expect(result.interrupted, "the agent is interrupted")
      s:advance "5s"
      s:expect_status "cancelled"
      s:expect_exit(1)
      s:expect_effect "none"
      s:expect_effects(0)
      s:expect_calls("acquire_lease", 0)
      s:expect_calls(stop.op, 1)
      expect_nothing_held(s)
    end,
  }
  scenario(stop.name .. ": a run that waits for the answer to its lease sends nothing, and gives it back") {
    runtime = fake { latency = { acquire_lease = "2s" } },
    play = function(s)
      s:start(copy())
      s:advance "1s"
      stop.call(s)
      s:advance "5s"
      s:expect_status "cancelled"
      s:expect_calls("execute_action", 0)
      s:expect_effects(0)
      expect_nothing_held(s)
    end,
  }
  scenario(stop.name .. ": an approved run executes nothing while the latch is on") {
    runtime = fake { policy = "confirm" },
    play = function(s)
      s:start(copy())
      stop.call(s)
      if s:document().status == "waiting" then s:approve {} end
      s:expect_status "cancelled"
      s:expect_error { code = "cancelled" }
      s:expect_effects(0)
      s:expect_reservations(0)
    end,
  }
  scenario(stop.name .. ": a new run does not pass the latch, until an operator lifts it") {
    runtime = fake {},
    play = function(s)
      stop.call(s)
      s:start(copy())
      s:expect_effects(0)
      s:expect_reservations(0)
      s:expect_calls("execute_action", 0)
      s:lift(stop.session)
      s:start(copy(), { session = "session-2" })
      if stop.session then
        s:expect_status "committed_unverified"
        s:expect_effects(1)
      else
        s:expect_effects(0) -- the runtime's own emergency stop is the runtime's to lift
      end
    end,
  }
  scenario(stop.name .. ": a revocation that fails leaves the agent alone and the latch on") {
    runtime = fake { faults = { { op = stop.op, fail = { reason = "broken" } } } },
    play = function(s)
      local result = stop.call(s)
      s:expect(result.done and not result.ok and result.code == "runtime", "the error comes back")
      s:expect(not result.interrupted, "the agent is not interrupted")
      s:start(copy())
      s:expect_status "cancelled"
      s:expect_effects(0)
      s:expect_leases(0)
      s:lift(stop.session)
      s:start(copy())
      s:expect_status "committed_unverified"
      s:expect_effects(1)
    end,
  }
  scenario(stop.name .. ": the agent is interrupted after the revocation is answered, not before") {
    runtime = fake { latency = { [stop.op] = "3s" } },
    play = function(s)
      local result = stop.call(s)
      s:expect(not result.done and not result.interrupted, "not while the answer is awaited")
      s:start(copy())
      s:expect_effects(0)
      s:expect_leases(0)
      s:expect_calls(stop.op, 1)
    end,
  }
  scenario(stop.name .. ": a revocation that is never answered leaves the agent alone and the latch on") {
    runtime = fake { faults = { { op = stop.op, lose = "before" } } },
    play = function(s)
      s:expect(not stop.call(s).done, "it is awaited")
      s:advance "1m"
      s:start(copy())
      s:expect_status "cancelled"
      s:expect_leases(0)
      s:expect_effects(0)
    end,
  }
end

scenario "a stop that the runtime does not offer says so, and the latch is on" {
  runtime = lua_runtime "no_stops.lua",
  play = function(s)
    local result = s:stop()
    s:expect(result.done and result.code == "unsupported", "the error names it")
    s:expect(not result.interrupted, "the agent is not interrupted")
    s:start(copy())
    s:expect_status "cancelled"
  end,
}

scenario "a stop of one session leaves the other alone; an emergency stop does not" {
  runtime = fake { policy = "allow" },
  play = function(s)
    s:expect(s:stop().ok, "stopped")
    s:start(copy(), { session = "session-2" })
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect(s:emergency_stop().ok, "stopped")
    s:start(copy(), { session = "session-3" })
    s:expect_status "cancelled"
    s:expect_effects(1)
  end,
}

scenario "a stop after the send does not hide what was done" {
  runtime = fake { latency = { execute_action = "5s" } },
  play = function(s)
    s:start(copy())
    s:advance "1s"
    s:stop()
    s:advance "10s"
    s:expect_status "committed_unverified"
    s:expect_effect "committed"
    s:expect_effects(1)
    s:expect_calls("execute_action", 1)
    expect_nothing_held(s)
  end,
}

scenario "lifting the stop of one session does not lift the emergency stop" {
  runtime = fake { faults = { { op = "emergency_stop", fail = { reason = "broken" } },
    { op = "stop_session", fail = { reason = "broken" } } } },
  play = function(s)
    s:emergency_stop()
    s:stop()
    s:lift "session-1"
    s:start(copy())
    s:expect_status "cancelled"
    s:lift()
    s:start(copy())
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}
