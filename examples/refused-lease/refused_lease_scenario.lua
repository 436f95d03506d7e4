-- A lease is a ticket: whoever holds it may act. One that names another session is refused, and never used or released.

scenario "a lease for another session is refused before anything happens" {
  runtime = lua_runtime "runtime.lua",
  play = function(s)
    s:start { tool = "write_clipboard", arguments = { text = "hi" } }
    s:expect_status "refused"
    s:expect_error { code = "identity_mismatch", object = "control lease", field = "session_id" }
    s:expect_effects(0)
    s:expect_lease_releases(0)
    s:expect_retry_safe(true)
  end,
}
