-- Runs that wait in a store: they are left, answered by letter, and taken up again (SPEC §6, §10).

local function copy()
  return { tool = "write_clipboard", arguments = { text = "hi" },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end

scenario "a run is left and taken up again: nothing is asked a second time" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(copy())
    local before = s:document()
    s:leave()
    s:expect_waiting()
    s:expect_exit(4)
    s:expect(s:document().card == before.card, "another card")
    s:resume()
    s:expect(s:document().requestId == before.requestId, "another request")
    s:expect_calls("preview_action", 1)
    s:expect_calls("observe_visual", 1)
    s:approve {}
    s:expect_effects(1)
    s:expect_reservations(1)
    s:expect_releases(1)
  end,
}

scenario "an answer by letter does nothing until somebody takes the run up" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(copy())
    s:leave()
    s:approve {}
    s:advance "1m"
    s:expect_waiting()
    s:expect_effects(0)
    s:resume()
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "a deny by letter wins over an approval by letter, whichever came first" {
  store = true,
  runtime = fake { policy = "confirm" },
  policies = { { files = {
    ["bundle.json"] = '{"name":"look","version":"1","requires":1,' ..
      '"policies":[{"file":"p.lua","level":"hard","params":{}}],"files":["p.lua"]}',
    ["p.lua"] = [[
      local policy = require "interlock.policy"
      return policy { name = "look", preview = function() return policy.ask "have a look" end }
    ]],
  } } },
  play = function(s)
    s:start(copy())
    s:leave()
    s:approve {}
    s:deny { reason = "the wrong window" }
    s:resume()
    s:expect_status "denied"
    s:expect_error { message = "the wrong window" }
    s:expect_effects(0)
    s:expect_reservations(0)
  end,
}

scenario "a letter that is wrong is refused when it is read, and the right one is taken after it" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(copy())
    s:leave()
    s:approve { request = "req-00000000000000000000000000000000" }
    s:letter("answer", { grantId = "g" })
    s:letter("execute", { now = true }, { expect = "invalid_request" })
    s:letter("answer", "{", { expect = "decode" })
    s:resume()
    s:expect_waiting()
    s:expect_effects(0)
    s:approve {}
    s:expect_effects(1)
  end,
}

scenario "a cancel by letter ends the run without its runtime" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(copy())
    s:leave()
    s:cancel "not today"
    s:resume()
    s:expect_status "cancelled"
    s:expect_error { message = "not today" }
    s:expect_effects(0)
  end,
}

scenario "time goes on while a run is left: the answer is too late" {
  store = true,
  runtime = fake { policy = "confirm", envelope = { expires_in = "30s" } },
  play = function(s)
    s:start(copy())
    s:leave()
    s:advance "30s"
    s:turn_clock "-1h"
    s:approve {}
    s:resume()
    s:expect_status "expired"
    s:expect_effects(0)
  end,
}

scenario "who takes a run up is who began it" {
  store = true,
  runtime = fake { policy = "confirm" },
  tenant = "tenant-1",
  play = function(s)
    s:start(copy())
    s:leave()
    s:resume { principal = "operator-2", expect = "conflict" }
    s:resume { tenant = "tenant-2", expect = "conflict" }
    s:resume { session = "session-2", expect = "conflict" }
    s:resume { workflow_source = "return function(run) return run:deny 'no' end", expect = "conflict" }
    s:expect_waiting()
    s:resume()
    s:approve {}
    s:expect_effects(1)
  end,
}

scenario "fewer scopes than the run began with stop it, more do not help it" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    local narrowed = s:start(copy())
    narrowed:leave()
    narrowed:resume { scopes = { "computer:plan" } }
    narrowed:approve {}
    narrowed:expect_error { code = "missing_scope" }
    local widened = s:start(copy(), { scopes = { "computer:plan" }, session = "session-2" })
    widened:leave()
    widened:resume()
    widened:approve {}
    widened:expect_error { code = "missing_scope" }
    s:expect_effects(0)
  end,
}

scenario "only a run that waits is left, and only one that was left is taken up" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    local run = s:start(copy())
    run:resume { expect = "conflict" }
    run:approve {}
    run:leave { expect = "conflict" }
    run:resume { expect = "conflict" }
    run:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "a run that expired has one successor, which asks afresh" {
  store = true,
  runtime = fake { policy = "confirm", envelope = { expires_in = "30s" } },
  play = function(s)
    local first = s:start(copy())
    local old = first:document()
    first:advance "30s"
    first:expect_status "expired"
    local second = first:resume { renew = true }
    second:expect_waiting()
    local new = second:document()
    s:expect(new.requestId ~= old.requestId and new.runId ~= old.runId, "not a successor")
    s:expect_calls("preview_action", 2)
    second:leave()
    local again = first:resume { renew = true }
    s:expect(again:document().runId == new.runId, "another successor")
    again:approve {}
    again:expect_status "committed_unverified"
    again:resume { renew = true, expect = "conflict" }
    s:expect_effects(1)
  end,
}

scenario "a stop stands for a run that was left" {
  store = true,
  runtime = fake { policy = "confirm" },
  play = function(s)
    s:start(copy())
    s:leave()
    s:stop()
    s:approve {}
    s:resume()
    s:expect_error { code = "cancelled", object = "stop latch" }
    s:expect_effects(0)
    s:expect_leases(0)
  end,
}
