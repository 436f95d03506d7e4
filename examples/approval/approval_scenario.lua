-- Approval by hand: the run waits before anything is held, and only the right answer moves it.

local NOTE = {
  tool = "notification",
  arguments = { title = "Done", message = "Report saved" },
  data_labels = { "public" },
}

scenario "the right answer carries the grant to execute" {
  runtime = lua_runtime "runtime.lua",
  play = function(s)
    s:start(NOTE)
    s:expect_waiting()
    s:expect_reservations(0)
    s:expect_leases(0)
    s:approve { grant = "grant-7" }
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "an answer to another action changes nothing" {
  runtime = lua_runtime "runtime.lua",
  play = function(s)
    s:start(NOTE)
    s:approve { action_digest = ("0"):rep(64), expect = "approval_mismatch" }
    s:expect_waiting()
    s:expect_effects(0)
    s:expect_reservations(0)
  end,
}

scenario "both authorities at once are none" {
  runtime = lua_runtime "runtime.lua",
  play = function(s)
    s:start(NOTE)
    s:approve { grant = "grant-7", runtime_approved = true, expect = "approval_mismatch" }
    s:expect_waiting()
    s:expect_effects(0)
  end,
}
