-- Turning a clock back gives nobody more time, and turning it forward takes it away (SPEC §2, Time).

local function copy()
  return { tool = "write_clipboard", arguments = { text = "hi" },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end

scenario "a clock turned back: the preview runs out when it would have" {
  runtime = fake { policy = "confirm", envelope = { expires_in = "60s" } },
  play = function(s)
    s:start(copy())
    s:advance "30s"
    s:turn_clock "-1h"
    s:advance "29999ms"
    s:expect_waiting()
    s:advance "1ms"
    s:expect_status "expired"
    s:expect_effects(0)
  end,
}

scenario "a clock turned forward past the expiry: an answer comes too late" {
  runtime = fake { policy = "confirm", envelope = { expires_in = "60s" } },
  play = function(s)
    s:start(copy())
    s:turn_clock "59999ms"
    s:approve { action_digest = ("0"):rep(64), expect = "approval_mismatch" }
    s:expect_waiting()
    s:turn_clock "1ms"
    s:approve { expect = "approval_mismatch" }
    s:expect_status "expired"
    s:expect_effects(0)
    s:expect_reservations(0)
  end,
}

scenario "a clock turned back while the lease is acquired: the envelope is not executed past its time" {
  runtime = fake { envelope = { expires_in = "3s" }, latency = { acquire_lease = "4s" } },
  play = function(s)
    s:start(copy())
    s:turn_clock "-1h"
    s:advance "10s"
    s:expect_status "refused"
    s:expect_error { code = "identity_mismatch", field = "expires_at" }
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_calls("release_lease", 1)
  end,
}

scenario "a clock turned back gives the identity no more time" {
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(copy(), { identity_expires_at = "2026-01-01T00:01:00Z" })
    s:advance "30s"
    s:turn_clock "-1h"
    s:advance "30s"
    s:approve {}
    s:expect_status "refused"
    s:expect_error { code = "principal_mismatch", object = "identity", field = "expires_at" }
    s:expect_effects(0)
  end,
}

scenario "a clock turned back while the lease is acquired gives the identity no more time" {
  runtime = fake { latency = { acquire_lease = "2s" } },
  play = function(s)
    s:start(copy(), { identity_expires_at = "2026-01-01T00:00:02Z" })
    s:turn_clock "-1h"
    s:advance "5s"
    s:expect_status "refused"
    s:expect_error { code = "principal_mismatch", object = "identity", field = "expires_at" }
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "a clock turned back lengthens no wait of propose" {
  runtime = fake {},
  options = { approval_timeout = "10m" },
  policies = { { files = {
    ["bundle.json"] = '{"name":"b","version":"1","requires":1,"policies":[{"file":"p.lua","level":"hard"}]}',
    ["p.lua"] = 'local policy = require "interlock.policy"\n' ..
      'return policy { name = "p", propose = function() return policy.ask("early") end }',
  } } },
  play = function(s)
    s:start(copy())
    s:advance "5m"
    s:turn_clock "-1d"
    s:advance "299s"
    s:expect_waiting()
    s:advance "1s"
    s:expect_status "expired"
    s:expect_calls("preview_action", 0)
  end,
}

scenario "a clock turned back lengthens no time-out of a request" {
  runtime = fake { faults = { { op = "preview_action", lose = "before" } } },
  options = { request_timeout = "10s" },
  play = function(s)
    s:start(copy())
    s:turn_clock "-1h"
    s:advance "10s"
    s:expect_status "failed"
    s:expect_error { code = "timeout", step = "preview" }
  end,
}

scenario "a preview that claims a long life lives no longer than was asked for" {
  runtime = fake { policy = "confirm", envelope = { expires_in = "10h" } },
  options = { envelope_ttl = "2m" },
  play = function(s)
    s:start(copy())
    s:advance "119999ms"
    s:expect_waiting()
    s:advance "1ms"
    s:expect_status "expired"
    s:expect_effects(0)
  end,
}
