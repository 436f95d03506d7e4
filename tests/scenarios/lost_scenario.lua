-- A receipt that does not come (SPEC §10, Recovery): asked for once, never guessed; the same action is sent again only
-- when it provably did not start and all that allowed it still holds.

local COPY = {
  tool = "write_clipboard", arguments = { text = "hi" },
  target = {
    platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1", confidence = 1,
    captured_at = "2026-01-01T00:00:00Z",
  },
}

local function expect_calls(s, executed, recovered)
  s:expect_calls("execute_action", executed)
  s:expect_calls("recover", recovered)
  s:expect(s:runtime().held_leases == 0 and s:runtime().held_reservations == 0, "nothing is held at the end")
end

-- The lease and the envelope live long enough for the time-out of a request.
local function quick(faults, more)
  local o = { faults = faults }
  for name, value in pairs(more or {}) do o[name] = value end
  return fake(o)
end
local SOON = { request_timeout = "5s" }

scenario "lost after the effect: the receipt is recovered, and nothing is sent again" {
  runtime = quick { { op = "execute_action", lose = "after" } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "6s"
    s:expect_status "committed_unverified"
    s:expect_effect "committed"
    s:expect_effects(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "lost before the effect: it did not start, and is sent once more" {
  runtime = quick { { op = "execute_action", nth = 1, lose = "before" } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "6s"
    s:expect_status "committed_unverified"
    s:expect_effect "committed"
    s:expect_effects(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    expect_calls(s, 2, 1)
  end,
}

scenario "lost before the effect a second time: never sent a third time" {
  runtime = quick { { op = "execute_action", lose = "before" } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "1m"
    s:expect_effects(0)
    s:expect_status "indeterminate"
    s:expect_effect "unknown"
    s:expect_exit(7)
    expect_calls(s, 2, 2)
  end,
}

for when, sent in pairs { before = 2, after = 1 } do
  scenario("the transport fails " .. when .. " the effect: one effect in the end") {
    runtime = quick { { op = "execute_action", nth = 1, crash = when } },
    play = function(s)
      s:start(COPY)
      s:expect_status "committed_unverified"
      s:expect_effects(1)
      expect_calls(s, sent, 1)
    end,
  }
end

scenario "the runtime does not know what became of it: indeterminate, and not sent again" {
  runtime = quick { { op = "execute_action", lose = "before" }, { op = "recover", set = { [""] = "unknown" } } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "6s"
    s:expect_status "indeterminate"
    s:expect_error { code = "timeout", step = "execute" }
    s:expect_effect "unknown"
    s:expect_retry_safe(false)
    s:expect_exit(7)
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "recovery fails or is lost itself: indeterminate" {
  runtime = quick { { op = "execute_action", lose = "after" }, { op = "recover", lose = "before" } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "20s"
    s:expect_status "indeterminate"
    s:expect_effect "unknown"
    s:expect_effects(1)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "not started, but the envelope has run out meanwhile: not sent again" {
  runtime = quick({ { op = "execute_action", nth = 1, lose = "before" } }, { envelope = { expires_in = "5s" } }),
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "10s"
    s:expect_status "indeterminate"
    s:expect_effects(0)
    s:expect_effect "unknown"
    s:expect_retry_safe(false)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "not started, but the session was stopped meanwhile: not sent again" {
  runtime = quick { { op = "execute_action", nth = 1, lose = "before" } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "1s"
    s:expect(s:stop().ok, "the stop went through")
    s:advance "10s"
    s:expect_status "indeterminate"
    s:expect_effects(0)
    s:expect_effect "unknown"
    expect_calls(s, 1, 1)
  end,
}

scenario "an error answer that provably did nothing ends failed, effect none, and is not sent again" {
  runtime = quick { { op = "execute_action", fail = { reason = "stale_target" } } },
  play = function(s)
    s:start(COPY)
    s:expect_status "failed"
    s:expect_error { code = "runtime", step = "execute", message = "stale_target" }
    s:expect_effect "none"
    s:expect_retry_safe(true)
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "an error answer after the effect: the receipt is found" {
  runtime = quick { { op = "execute_action", fail = { reason = "broken" }, when = "after" } },
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effect "committed"
    s:expect_effects(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "an answer that cannot be read is no receipt; what was done is asked for" {
  runtime = quick { { op = "execute_action", raw = "{" } },
  play = function(s)
    s:start(COPY)
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "a recovered receipt of another action proves nothing" {
  runtime = quick { { op = "execute_action", lose = "after" },
    { op = "recover", set = { ["/actionId"] = "another" } } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "6s"
    s:expect_status "indeterminate"
    s:expect_effect "unknown"
    s:expect_effects(1)
    expect_calls(s, 1, 1)
  end,
}

scenario "a receipt that comes late raises the effect, never the status" {
  runtime = quick { { op = "execute_action", late = "10s" }, { op = "recover", fail = { reason = "broken" } } },
  options = SOON,
  play = function(s)
    s:start(COPY)
    s:advance "6s"
    s:expect_status "indeterminate"
    s:expect_effect "unknown"
    s:advance "10s"
    s:expect_status "indeterminate"
    s:expect_effect "committed"
    s:expect_retry_safe(false)
    s:expect_effects(1)
    expect_calls(s, 1, 1)
  end,
}
