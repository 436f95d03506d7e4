-- Real payloads through every check: the recording is allowed, and refused with any one payload of another session.

local ACTION = {
  tool = "left_click",
  arguments = { coordinate = { 150, 120 }, target_window_id = 7 },
  mode = "foreground",
  target = {
    platform = "linux", app_id = "org.example.Editor", pid = 4242, window_id = 7, display_id = "1",
    bounds = { x = 100, y = 80, width = 800, height = 600 },
    observation_id = "snap-0", confidence = 1, captured_at = "2026-11-30T18:00:27.397Z",
  },
  data_labels = { "private" },
  postcondition = { kind = "window", window_id = 7, exists = true },
}
local IDS = { action_id = "8570b45a-0bc5-4cf2-a326-350d1aff7070" }

local function recording(swap, play)
  return {
    runtime = lua_runtime("runtime.lua", { swap = swap }),
    now = "2026-11-30T18:00:27.400Z",
    principal = "operator-1", agent = "executor", group = "group-1",
    session = "87d94efc-b39f-41cb-aa12-d69b1c15956f",
    scopes = { "computer:execute:foreground" },
    play = play,
  }
end

scenario "a recorded click is carried out once, and nothing it shows proves its effect" (recording(nil, function(s)
  s:start(ACTION, IDS)
  s:expect_status "committed_unverified"
  s:expect_effect "committed"
  s:expect_effects(1)
  s:expect_reservations(1)
  s:expect_releases(1)
  s:expect_lease_releases(1)
  s:expect_no_error()
end))

scenario "the preview of another session is refused" (recording("preview", function(s)
  s:start(ACTION, IDS)
  s:expect_status "refused"
  s:expect_error { code = "identity_mismatch", object = "action envelope", field = "session_id" }
  s:expect_effects(0)
  s:expect_reservations(0)
end))

scenario "the reservation of another session is refused and released under ours" (recording("reservation", function(s)
  s:start(ACTION, IDS)
  s:expect_status "refused"
  s:expect_error { code = "identity_mismatch", object = "target reservation", field = "session_id" }
  s:expect_effects(0)
  s:expect_releases(1)
end))

scenario "the lease of another session is refused, reported and left alone" (recording("lease", function(s)
  s:start(ACTION, IDS)
  s:expect_status "refused"
  s:expect_error { code = "identity_mismatch", object = "control lease", field = "session_id" }
  s:expect_error { cleanup = "identity_mismatch" }
  s:expect_effects(0)
  s:expect_lease_releases(0)
  s:expect_releases(1)
end))

scenario "the receipt of another session proves nothing" (recording("receipt", function(s)
  s:start(ACTION, IDS)
  s:expect_status "indeterminate"
  s:expect_error { code = "identity_mismatch", object = "execution receipt", field = "session_id" }
  s:expect_effect "unknown"
  s:expect_retry_safe(false)
  s:expect_effects(1)
  s:expect_releases(1)
  s:expect_lease_releases(1)
end))
