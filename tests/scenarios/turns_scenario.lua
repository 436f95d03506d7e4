-- More than one run of a host: one lease at a time, in the order of asking; so many move at once, and the others wait
-- in line (SPEC §4, I13).

local function copy(text, window)
  return { tool = "write_clipboard", arguments = { text = text },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = window, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end

scenario "two runs and one lease: first come, first served" {
  runtime = fake { latency = { execute_action = "2s" } },
  play = function(s)
    local one, two = s:start(copy("one", 7)), s:start(copy("two", 8))
    s:advance "1s"
    s:expect_leases(1)
    s:expect_calls("acquire_lease", 1)
    s:expect(s:runtime().world.clipboard == "one", "the first comes first")
    s:advance "1s"
    one:expect_status "committed_unverified"
    s:advance "2s"
    two:expect_status "committed_unverified"
    s:expect(s:runtime().world.clipboard == "two", "the second comes second")
    s:expect_effects(2)
    s:expect_leases(2)
    s:expect_lease_releases(2)
    s:expect_releases(2)
    for _, count in pairs(s:runtime().effects_of) do s:expect(count == 1, "each has one effect") end
  end,
}

scenario "whoever waits longer for the lease than lease_wait fails with conflict, and holds nothing" {
  runtime = fake { latency = { execute_action = "20s" } },
  options = { lease_wait = "5s" },
  play = function(s)
    local one, two = s:start(copy("one", 7)), s:start(copy("two", 8))
    s:advance "4999ms"
    s:expect_releases(0)
    s:advance "1ms"
    two:expect_status "failed"
    two:expect_error { code = "conflict", step = "acquire_lease" }
    two:expect_effect "none"
    two:expect_retry_safe(true)
    s:expect_releases(1)
    s:expect_calls("acquire_lease", 1)
    s:advance "20s"
    one:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect_releases(2)
    s:expect_lease_releases(1)
  end,
}

scenario "the lease is waited for ten seconds" {
  runtime = fake { latency = { execute_action = "20s" } },
  play = function(s)
    s:start(copy("one", 7))
    s:start(copy("two", 8))
    s:advance "9999ms"
    s:expect(s:document().status ~= "failed", "after 9999 ms it still waits")
    s:advance "1ms"
    s:expect_status "failed"
    s:expect_error { code = "conflict" }
    s:expect_effects(1)
  end,
}

scenario "a run that ends while it waits for the lease lets the next one in" {
  runtime = fake { latency = { execute_action = "3s" } },
  play = function(s)
    local one, two, three = s:start(copy("one", 7)), s:start(copy("two", 8)), s:start(copy("three", 9))
    s:advance "1s"
    two:cancel "not needed"
    s:advance "5s"
    one:expect_status "committed_unverified"
    two:expect_status "cancelled"
    three:expect_status "committed_unverified"
    s:expect_effects(2)
    s:expect_releases(3)
    s:expect_lease_releases(2)
  end,
}

scenario "more runs than max_moving_runs wait in line, and each has its turn" {
  runtime = fake { latency = { observe_visual = "1s" } },
  options = { max_moving_runs = 2 },
  play = function(s)
    local runs = {}
    for i = 1, 5 do runs[i] = s:start(copy("run " .. i, i)) end
    s:expect_calls("observe_visual", 2)
    s:advance "1s"
    s:expect_effects(2)
    s:expect_calls("observe_visual", 4)
    s:advance "1s"
    s:expect_effects(4)
    s:advance "1s"
    for i = 1, 5 do runs[i]:expect_status "committed_unverified" end
    s:expect_effects(5)
    s:expect_calls("observe_visual", 5)
    s:expect_lease_releases(5)
  end,
}

scenario "a run that waits for a person keeps nobody from moving" {
  runtime = fake {},
  options = { max_moving_runs = 1 },
  play = function(s)
    local mail = s:start { tool = "send_mail", arguments = { to = "ann@example.org" } }
    mail:expect_waiting()
    local note = s:start(copy("note", 7))
    note:expect_status "committed_unverified"
    mail:expect_waiting()
    s:expect_effects(1)
    mail:approve {}
    mail:expect_status "committed_unverified"
    s:expect_effects(2)
  end,
}

scenario "two runs at one target: the runtime refuses the second, and the first is not disturbed" {
  runtime = fake { latency = { acquire_lease = "1s" } },
  play = function(s)
    local one, two = s:start(copy("one", 7)), s:start(copy("two", 7))
    s:advance "5s"
    one:expect_status "committed_unverified"
    two:expect_status "failed"
    two:expect_error { code = "runtime", step = "reserve", message = "target_conflict" }
    s:expect_effects(1)
    s:expect_reservations(1)
    s:expect_releases(1)
  end,
}

scenario "thirty runs, one effect each" {
  runtime = fake { latency = { execute_action = "10ms" } },
  play = function(s)
    for i = 1, 30 do s:start(copy("run " .. i, i)) end
    s:advance "10s"
    s:expect_effects(30)
    s:expect_leases(30)
    s:expect_lease_releases(30)
    s:expect_releases(30)
    for _, count in pairs(s:runtime().effects_of) do s:expect(count == 1, "each has one effect") end
  end,
}
