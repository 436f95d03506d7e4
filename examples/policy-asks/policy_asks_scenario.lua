-- A host policy in Lua: it asks, it denies, and its word stands beside the runtime's.

local BUNDLE = { { dir = "keep-clean" } }
local function delete(path)
  return { tool = "filesystem", arguments = { mode = "delete", path = path } }
end

scenario "a delete waits for a person although the runtime allows it" {
  runtime = fake { policy = "allow" },
  policies = BUNDLE,
  play = function(s)
    s:start(delete "/home/me/report.txt")
    s:expect_waiting()
    s:expect_effects(0)
    s:approve { reason = "I moved it before" }
    s:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}

scenario "a kept place is not deleted, whoever asks" {
  runtime = fake { policy = "allow" },
  policies = BUNDLE,
  play = function(s)
    s:start(delete "/etc/passwd")
    s:expect_status "blocked"
    s:expect_reason "policy_denied"
    s:expect_effects(0)
  end,
}

scenario "nobody decides: the request runs out after ten minutes" {
  runtime = fake { policy = "allow", envelope = { expires_in = "1h" } },
  policies = BUNDLE,
  options = { envelope_ttl = "1h" },
  play = function(s)
    s:start(delete "/home/me/report.txt")
    s:advance "9m"
    s:expect_waiting()
    s:advance "1m"
    s:expect_status "expired"
    s:expect_effects(0)
  end,
}
