-- Reserving before the approval is a choice; leasing before it is not.

local TARGET = {
  platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "o-1", confidence = 1,
  captured_at = "2026-01-01T00:00:00Z",
}
local CLICK = { tool = "left_click", mode = "foreground", arguments = { coordinate = { 10, 10 } }, target = TARGET }
local FOREGROUND = { "computer:execute:foreground" }

scenario "the target is reserved while a person decides, and released when they say no" {
  runtime = fake { policy = "confirm" },
  workflow = "workflow.lua",
  scopes = FOREGROUND,
  play = function(s)
    s:start(CLICK)
    s:expect_waiting()
    s:expect_reservations(1)
    s:expect_leases(0)
    s:cancel "changed my mind"
    s:expect_status "cancelled"
    s:expect_releases(1)
    s:expect_effects(0)
  end,
}

scenario "after the approval it goes on where it was" {
  runtime = fake { policy = "confirm" },
  workflow = "workflow.lua",
  scopes = FOREGROUND,
  play = function(s)
    s:start(CLICK)
    s:approve { grant = "grant-1" }
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect_reservations(1)
    s:expect_calls("observe_visual", 0)
    s:expect_calls("observe_semantic", 1)
  end,
}

scenario "a workflow that leases before the approval is stopped" {
  runtime = fake { policy = "confirm" },
  workflow_source = [[
    return function(run)
      run:preview()
      run:acquire_lease()
      run:execute()
    end
  ]],
  play = function(s)
    s:start { tool = "write_clipboard", arguments = { text = "hi" } }
    s:expect_status "failed"
    s:expect_error { code = "invariant", field = "acquire_lease" }
    s:expect_leases(0)
    s:expect_effects(0)
    s:expect_exit(3)
  end,
}
