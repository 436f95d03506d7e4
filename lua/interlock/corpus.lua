-- The safety corpus: each fault is a way in which the simulated runtime can fail, each scenario of the document says
-- what must be seen then. What `restores` counts here is control given back: leases and reservations released.

local FAULTS = {
  none = {},
  policy_denied = { policy = "deny" },
  approval_required = { policy = "confirm" },
  preview_other_session = { faults = { { op = "preview_action", set = { ["/envelope/sessionId"] = "other" } } } },
  preview_other_action = { faults = { { op = "preview_action", set = { ["/envelope/actionId"] = "other" } } } },
  preview_changed_digest = {
    faults = { { op = "preview_action", set = { ["/envelope/argsDigest"] = ("0"):rep(64) } } },
  },
  preview_expired = {
    faults = { { op = "preview_action", set = { ["/envelope/expiresAt"] = "2026-01-01T00:00:00Z" } } },
  },
  lease_conflict = { faults = { { op = "acquire_lease", fail = { code = "runtime", reason = "lease_conflict" } } } },
  lease_other_session = { faults = { { op = "acquire_lease", set = { ["/sessionId"] = "other" } } } },
  lease_spent = { faults = { { op = "acquire_lease", set = { ["/actionsUsed"] = 1 } } } },
  lease_inactive = { faults = { { op = "acquire_lease", set = { ["/state"] = "revoked" } } } },
  receipt_rejected = { faults = { { op = "execute_action", fail = { code = "runtime", reason = "stale_target" } } } },
  receipt_other_digest = { faults = { { op = "execute_action", set = { ["/actionDigest"] = ("0"):rep(64) } } } },
  receipt_unreadable = { faults = { { op = "execute_action", raw = "{" } } },
  receipt_indeterminate = { faults = { { op = "execute_action", set = { ["/status"] = "indeterminate" } } } },
  receipt_interrupted = { faults = { { op = "execute_action", set = { ["/status"] = "interrupted" } } } },
  lost_before_effect = { faults = { { op = "execute_action", nth = 1, lose = "before" } } },
  lost_after_effect = { faults = { { op = "execute_action", nth = 1, lose = "after" } } },
  lost_unrecoverable = { faults = { { op = "execute_action", lose = "after" },
    { op = "recover", fail = { code = "runtime", reason = "broken" } } } },
  release_fails = { faults = { { op = "release_lease", fail = { code = "runtime", reason = "broken" } } } },
}

local ACTION = { tool = "write_clipboard", arguments = { text = "safety corpus" } }

local function known()
  local names = {}
  for name in pairs(FAULTS) do names[#names + 1] = name end
  return table.concat(names, ", ")
end

local function receipt_status(s)
  for _, event in ipairs(s:events()) do
    if event.type == "answer" and event.step == "execute" then return event.text end
  end
end

local function same(what, want, seen)
  if want ~= nil and want ~= seen then
    error(string.format("%s: expected %s, saw %s", what, tostring(want), tostring(seen)), 0)
  end
end

local function play(entry)
  local expected = entry.expected
  return function(s)
    if not FAULTS[entry.fault] then
      error(string.format("there is no fault \"%s\"; there are: %s", entry.fault, known()), 0)
    end
    s:start(ACTION)
    s:advance "2m"
    local document, seen = s:document(), s:runtime()
    same("status", expected.status, document.status)
    same("error", expected.error, document.error and document.error.code)
    same("receiptStatus", expected.receiptStatus, receipt_status(s))
    same("effects", expected.effects, seen.effects)
    same("restores", expected.restores, seen.lease_releases + seen.releases)
    if expected.replayEffects ~= nil then -- whatever is delivered again, and however long one waits
      s:answer({ grantId = "grant-1" }, { expect = "approval_mismatch" })
      s:advance "1h"
      same("replayEffects", expected.replayEffects, s:runtime().effects)
    end
  end
end

return function(scenario, fake)
  for _, entry in ipairs(require("interlock.scenario.host").data().scenarios) do
    scenario(entry.id) { runtime = fake(FAULTS[entry.fault] or {}), now = "2026-06-01T00:00:00Z",
      options = { request_timeout = "5s" }, play = play(entry) }
  end
end
