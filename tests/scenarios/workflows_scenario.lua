-- What a workflow may arrange, and what it may not (SPEC §4): asked out of order, a run ends with no effect and
-- everything released, whatever the script does next.

local function copy()
  return { tool = "write_clipboard", arguments = { text = "hi" },
    target = { platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1",
      confidence = 1, captured_at = "2026-01-01T00:00:00Z" } }
end
local function workflow(body)
  return "return function(run)\n" .. body .. "\nend"
end

-- ---- allowed ----

local ALLOWED = {
  ["observations may be left out"] =
    "run:preview() run:reserve() run:acquire_lease() run:execute() return run:verify()",
  ["a reservation may be left out"] = "run:preview() run:acquire_lease() run:execute() return run:verify()",
  ["verify may be left out: the core does it"] = "run:preview() run:acquire_lease() run:execute()",
  ["one may look again after the preview"] =
    "run:preview() run:observe('visual') run:observe('visual') run:acquire_lease() run:execute() return run:verify()",
  ["one may ask for an approval that nobody wants"] =
    "run:preview() run:request_approval() run:acquire_lease() run:execute() return run:verify()",
}
for name, body in pairs(ALLOWED) do
  scenario(name) {
    runtime = fake {},
    workflow_source = workflow(body),
    play = function(s)
      s:start(copy())
      s:expect_status "committed_unverified"
      s:expect_effects(1)
      s:expect_lease_releases(1)
      s:expect(s:runtime().held_reservations == 0, "nothing is held")
    end,
  }
end

scenario "one may reserve before the approval: it is released however the run ends" {
  runtime = fake { policy = "confirm" },
  workflow_source = workflow "run:preview() run:reserve() run:request_approval() run:acquire_lease() run:execute()",
  play = function(s)
    s:start(copy())
    s:expect_waiting()
    s:expect_reservations(1)
    s:expect_releases(0)
    s:deny {}
    s:expect_status "denied"
    s:expect_releases(1)
    s:expect_effects(0)
    s:start(copy())
    s:approve {}
    s:expect_status "committed_unverified"
    s:expect_releases(2)
    s:expect_effects(1)
  end,
}

-- ---- out of order ----

local FORBIDDEN = {
  ["execute first"] = { "run:execute()" },
  ["execute behind the preview, without a lease"] = { "run:preview() run:execute()" },
  ["execute with a reservation, without a lease"] = { "run:preview() run:reserve() run:execute()", 1 },
  ["a lease without a preview"] = { "run:observe('visual') run:acquire_lease()" },
  ["a reservation without a preview"] = { "run:reserve()" },
  ["an approval without a preview"] = { "run:request_approval()" },
  ["verify without execute"] = { "run:preview() run:acquire_lease() run:verify()", 0, 1 },
  ["verify first"] = { "run:verify()" },
  ["two previews, then a reservation"] = { "run:preview() run:preview() run:reserve()" },
  ["two previews, then a lease"] = { "run:preview() run:preview() run:acquire_lease()" },
  ["a second preview when reservation and lease are held"] = {
    "run:preview() run:reserve() run:acquire_lease() run:preview() run:execute()", 1, 1 },
  ["two reservations"] = { "run:preview() run:reserve() run:reserve() run:acquire_lease() run:execute()", 1 },
  ["two leases"] = { "run:preview() run:acquire_lease() run:acquire_lease() run:execute()", 0, 1 },
}
for name, row in pairs(FORBIDDEN) do
  for how, body in pairs { ["is refused"] = row[1], ["is refused, and no pcall catches it"] =
    "pcall(function() " .. row[1] .. " end) run:preview() run:acquire_lease() run:execute()" } do
    scenario(name .. " " .. how) {
      runtime = fake {},
      workflow_source = workflow(body),
      play = function(s)
        s:start(copy())
        s:expect_error { code = "invariant" }
        s:expect_effect "none"
        s:expect_effects(0)
        s:expect_calls("execute_action", 0)
        s:expect_reservations(row[2] or 0)
        s:expect_releases(row[2] or 0)
        s:expect_leases(row[3] or 0)
        s:expect_lease_releases(row[3] or 0)
        s:expect_retry_safe(true)
      end,
    }
  end
end

scenario "a lease before the approval is refused" {
  runtime = fake { policy = "confirm" },
  workflow_source = workflow "run:preview() run:reserve() run:acquire_lease() run:execute()",
  play = function(s)
    s:start(copy())
    s:expect_status "failed"
    s:expect_error { code = "invariant", step = "acquire_lease" }
    s:expect_exit(3)
    s:expect_calls("acquire_lease", 0)
    s:expect_reservations(1)
    s:expect_releases(1)
    s:expect_effects(0)
  end,
}

scenario "whatever is blocked is not executed, though the workflow goes on" {
  runtime = fake { policy = "deny" },
  workflow_source = workflow "run:preview() run:reserve() run:acquire_lease() run:execute()",
  play = function(s)
    s:start(copy())
    s:expect_effects(0)
    s:expect_calls("reserve_target", 0)
    s:expect_calls("acquire_lease", 0)
    s:expect_retry_safe(true)
  end,
}

scenario "a shadow run goes no further than its preview" {
  runtime = fake {},
  workflow_source = workflow "run:preview() run:reserve()",
  play = function(s)
    s:start { tool = "snapshot", mode = "shadow" }
    s:expect_calls("reserve_target", 0)
    s:expect_calls("execute_action", 0)
    s:expect_effect "none"
  end,
}

-- ---- ends ----

scenario "a second execute is never sent" {
  runtime = fake {},
  workflow_source = workflow "run:preview() run:acquire_lease() run:execute() run:execute()",
  play = function(s)
    s:start(copy())
    s:expect_effects(1)
    s:expect_calls("execute_action", 1)
    s:expect_effect "committed"
    s:expect_status "committed_unverified"
    s:expect_error { code = "invariant" }
    s:expect_lease_releases(1)
  end,
}

local BEFORE = {
  ["that raises"] = { "error 'broken'", "script_error" },
  ["that returns"] = { "return 'done'", "script_error" },
  ["that loops"] = { "while true do end", "limit_exceeded" },
  ["that takes all memory"] = { "local t = {} while true do t[#t + 1] = {} end", "limit_exceeded" },
  ["that yields"] = { "coroutine.yield()", "script_error" },
}
for name, row in pairs(BEFORE) do
  scenario("a workflow " .. name .. " before execute: failed, nothing sent, all released") {
    runtime = fake {},
    workflow_source = workflow("run:preview() run:reserve() run:acquire_lease() " .. row[1]),
    play = function(s)
      s:start(copy())
      s:expect_status "failed"
      s:expect_error { code = row[2] }
      s:expect_exit(3)
      s:expect_effects(0)
      s:expect_releases(1)
      s:expect_lease_releases(1)
    end,
  }
  scenario("a workflow " .. name .. " after execute changes neither status nor exit; the core verifies and releases") {
    runtime = fake {},
    workflow_source = workflow("run:preview() run:reserve() run:acquire_lease() run:execute() " .. row[1]),
    play = function(s)
      local action = copy()
      action.postcondition = { kind = "window", window_id = 7, exists = true }
      s:start(action)
      s:expect_status "completed"
      s:expect_verified(true)
      s:expect_exit(0)
      s:expect_effects(1)
      s:expect_calls("verify", 1)
      s:expect_releases(1)
      s:expect_lease_releases(1)
    end,
  }
end

scenario "a workflow may say no until the send" {
  runtime = fake {},
  workflow_source = workflow "run:preview() run:reserve() run:acquire_lease() run:deny('not on this desk')",
  play = function(s)
    s:start(copy())
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    s:expect_error { code = "policy_denied", step = "deny", message = "not on this desk" }
    s:expect_exit(1)
    s:expect_effects(0)
    s:expect_releases(1)
    s:expect_lease_releases(1)
  end,
}

scenario "what a workflow denied stays denied" {
  runtime = fake {},
  workflow_source = workflow "run:preview() pcall(run.deny, run, 'no') run:acquire_lease() run:execute()",
  play = function(s)
    s:start(copy())
    s:expect_effects(0)
    s:expect_leases(0)
    s:expect_retry_safe(true)
  end,
}

scenario "writing to a view is an error, and changes nothing" {
  runtime = fake {},
  workflow_source = workflow [[
    local preview = run:preview()
    for _, write in ipairs {
      function() preview.route = "allowed" end, function() preview.extra = 1 end,
      function() preview.envelope.args_digest = "x" end, function() run.mode = "foreground" end,
      function() run.action.arguments.text = "other" end, function() rawset(run, "mode", "x") end,
    } do
      if pcall(write) then error "a view was written to" end
    end
    run:acquire_lease() run:execute()
  ]],
  play = function(s)
    s:start(copy())
    s:expect_status "committed_unverified"
    s:expect_no_error()
    s:expect(s:runtime().world.clipboard == "hi", "what was proposed was done")
  end,
}

scenario "reading what a view does not have ends the run, and sends nothing" {
  runtime = fake {},
  workflow_source = workflow "run:preview() if run.approved == nil then run:acquire_lease() run:execute() end",
  play = function(s)
    s:start(copy())
    s:expect_status "failed"
    s:expect_error { code = "script_error", message = "approved" }
    s:expect_exit(3)
    s:expect_effects(0)
    s:expect_leases(0)
  end,
}

scenario "after an approval the workflow runs again, and what was answered is not asked again" {
  runtime = fake { policy = "confirm" },
  workflow_source = workflow [[
    run:observe("visual")
    local drawn = math.random(1, 1000000)
    run:preview()
    run:request_approval()
    run:log("drawn " .. drawn)
    run:acquire_lease() run:execute()
  ]],
  play = function(s)
    s:start(copy())
    s:expect_waiting()
    s:approve {}
    s:expect_status "committed_unverified"
    s:expect_calls("observe_visual", 1)
    s:expect_calls("preview_action", 1)
    s:expect_effects(1)
  end,
}
