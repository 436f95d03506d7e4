-- An approval that takes a night. The policy asks before the preview, so that nothing of the runtime runs out
-- meanwhile; the run is left in the store, people answer by letter, and in the morning it is taken up again.

local ASK_FIRST = { files = {
  ["bundle.json"] = '{"name":"ask-first","version":"1.0.0","requires":1,' ..
    '"policies":[{"file":"ask.lua","level":"hard","params":{}}],"files":[]}',
  ["ask.lua"] = [[
    local policy = require "interlock.policy"
    return policy {
      name = "ask-first",
      propose = function() return policy.ask("two of you, by tomorrow", { approvers = 2, timeout = "18h" }) end,
    }
  ]],
} }

local function mail()
  return { tool = "write_clipboard", arguments = { text = "the offer, as agreed" } }
end

scenario "two people agree overnight, and it is done in the morning" {
  store = true,
  runtime = fake {},
  policies = { ASK_FIRST },
  approvers = { { id = "ann" }, { id = "bob" } },
  play = function(s)
    s:start(mail())
    s:expect_waiting()
    s:expect_calls("preview_action", 0)
    s:leave()                      -- the process may end here

    s:advance "2h"
    s:approve { by = "ann" }       -- a letter: nobody owns the run
    s:advance "9h"
    s:approve { by = "bob" }
    s:expect_effects(0)

    s:resume()                     -- the next morning
    s:expect_status "committed_unverified"
    s:expect_calls("preview_action", 1)
    s:expect_effects(1)
  end,
}

scenario "nobody answers in time: it expires, and a successor asks afresh" {
  store = true,
  runtime = fake {},
  policies = { ASK_FIRST },
  approvers = { { id = "ann" }, { id = "bob" } },
  play = function(s)
    local offer = s:start(mail())
    offer:leave()
    offer:approve { by = "ann" }
    offer:advance "19h"
    offer:resume()
    offer:expect_status "expired"

    local again = offer:resume { renew = true }
    again:approve { by = "ann" }   -- once more: what she said was about the old request
    again:approve { by = "bob" }
    again:expect_status "committed_unverified"
    s:expect_effects(1)
  end,
}
