-- Noon on 2026-01-05 is the time of every case that names none.

local function click(captured_at, confidence, mode)
  return {
    tool = "left_click", mode = mode or "foreground",
    target = { app_id = "org.example.Editor", confidence = confidence, captured_at = captured_at },
  }
end

local function denied(code, phase)
  return { verdict = "deny", policy = "target-evidence/target-evidence", phase = phase or "preview", code = code }
end

local function at(captured_at, expect, now)
  return { name = "seen at " .. captured_at, action = click(captured_at), at = now, phase = "preview", expect = expect }
end

local function late(captured_at, expect)
  return { name = "when it goes out: " .. captured_at, phase = "execute", action = click(captured_at), expect = expect }
end

local unreadable, stale, ahead = denied "evidence_time", denied "evidence_stale", denied "evidence_ahead"

local cases = {
  at("2026-01-05T12:00:00Z", "none"),
  at("2026-01-05T11:59:30Z", "none"),
  at("2026-01-05T11:59:29Z", { verdict = "deny", code = "evidence_stale", reason = "31 seconds ago; 30 are allowed" }),
  at("2026-01-05T11:59:29.999Z", stale), -- fractions are dropped
  at("2026-01-05T11:59:30.999999Z", "none"),
  at("2026-01-05T12:00:05Z", "none"),
  at("2026-01-05T12:00:06Z", ahead),
  at("2999-01-01T00:00:00Z", ahead),
  at("1969-12-31T23:59:59Z", stale),

  -- Other ways to write the same moment, and an hour before it.
  at("2026-01-05t12:00:00z", "none"),
  at("2026-01-05T13:00:00+01:00", "none"),
  at("2026-01-05T06:30:00.5-05:30", "none"),
  at("2026-01-05T11:00:00+00:00", stale),
  at("2026-01-06T11:58:30+23:59", "none"),
  at("2026-01-06T11:58:29+23:59", stale),
  at("2026-01-04T12:00:30-23:59", "none"),

  -- Calendars: leap days, a leap second; months stand at the end.
  at("2024-02-29T12:00:00Z", "none", "2024-02-29T12:00:00Z"),
  at("2024-02-29T23:59:59Z", "none", "2024-03-01T00:00:00Z"),
  at("2000-02-29T12:00:00Z", "none", "2000-02-29T12:00:00Z"),
  at("2099-06-15T12:00:00Z", "none", "2099-06-15T12:00:00Z"),
  at("2399-06-15T12:00:00Z", "none", "2399-06-15T12:00:00Z"),
  at("2400-02-29T12:00:00Z", "none", "2400-02-29T12:00:00Z"),
  at("2400-03-01T12:00:00Z", "none", "2400-03-01T12:00:00Z"),
  at("2024-02-30T12:00:00Z", unreadable),
  at("2100-02-28T23:59:59Z", "none", "2100-03-01T00:00:00Z"),
  at("2016-12-31T23:59:60Z", "none", "2017-01-01T00:00:00Z"),
  at("2100-02-29T12:00:00Z", unreadable),
  at("2026-01-00T12:00:00Z", unreadable),
  at("2026-00-05T12:00:00Z", unreadable),
  at("2026-13-05T12:00:00Z", unreadable),

  -- What is no time.
  at("2026-01-05T24:00:00Z", unreadable),
  at("2026-01-05T12:60:00Z", unreadable),
  at("2026-01-05T12:00:61Z", unreadable),
  at("2026-01-05 12:00:00Z", unreadable),
  at("2026-01-05T12:00:00", unreadable),
  at("2026-01-05T12:00:00.Z", unreadable),
  at("2026-01-05T12:00:00+24:00", unreadable),
  at("2026-01-05T12:00:00+01:60", unreadable),
  at("2026-01-05T12:00:00*01:00", unreadable),
  at("2026-01-05T12:00:00+0100", unreadable),
  at(" 2026-01-05T12:00:00Z", unreadable),
  at("a moment ago", unreadable),

  -- Confidence.
  { name = "sure enough", action = click("2026-01-05T12:00:00Z", 0.8), expect = "none" },
  {
    name = "unsure",
    action = click("2026-01-05T12:00:00Z", 0.795), phase = "preview",
    expect = { verdict = "ask", policy = "target-evidence/target-evidence", code = "evidence_unsure", approvers = 1,
               reason = "only 79 % certain" },
  },
  {
    name = "as sure as the parameters want, decided by as many people",
    action = click("2026-01-05T12:00:00Z", 0.9), params = { min_confidence = 0.95, approvers = 2 }, phase = "preview",
    expect = { verdict = "ask", approvers = 2 },
  },
  { name = "stale comes before unsure", action = click("2026-01-05T11:00:00Z", 0), phase = "preview", expect = stale },

  -- Without a target.
  { name = "a click at nothing", action = { tool = "left_click", mode = "foreground" },
    expect = denied "evidence_missing" },
  { name = "typing at nothing, in the background", action = { tool = "type", mode = "background" },
    expect = denied "evidence_missing" },
  { name = "a tool that need not aim", action = { tool = "write_clipboard" }, expect = "none" },
  { name = "a tool that must, by parameter", action = { tool = "write_clipboard" },
    params = { need_target = { "write_clipboard" } }, expect = denied "evidence_missing" },
  { name = "a plan aims at nothing yet", action = { tool = "left_click", mode = "shadow" }, expect = "none" },
  { name = "nor is its evidence looked at", action = click("long ago", 0, "shadow"), phase = "preview",
    expect = "none" },

  -- When it goes out.
  late("2026-01-05T11:55:00Z", "none"),
  late("2026-01-05T11:54:59Z", denied("evidence_stale", "execute")),
  late("2026-01-05T12:00:06Z", denied("evidence_ahead", "execute")),
  late("soon", denied("evidence_time", "execute")),
  { name = "when it goes out, unsure was asked before", action = click("2026-01-05T12:00:00Z", 0), phase = "execute",
    expect = "none" },
  { name = "when it goes out, without a target", action = { tool = "write_clipboard" }, phase = "execute",
    expect = "none" },
  { name = "all ages are parameters", action = click "2026-01-05T11:59:50Z", params = { max_age = 9 },
    phase = "preview",
    expect = stale },
  { name = "also at the end", action = click "2026-01-05T11:59:50Z", params = { max_age_at_execute = 9 },
    phase = "execute", expect = denied("evidence_stale", "execute") },
  { name = "and how far clocks may differ", action = click "2026-01-05T12:00:01Z", params = { max_ahead = 0 },
    phase = "preview", expect = ahead },
}

-- The last second of each month, and a day behind it.
local LAST = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
for month, day in ipairs(LAST) do
  local year, following = 2026 + month // 12, month % 12 + 1
  cases[#cases + 1] = at(("2026-%02d-%02dT23:59:59Z"):format(month, day), "none",
    ("%d-%02d-01T00:00:29Z"):format(year, following))
  cases[#cases + 1] = at(("2026-%02d-%02dT12:00:00Z"):format(month, day + 1), unreadable)
end
return cases
