-- Noon on 2026-01-05 is the time of every case that names none.

local function click(captured_at, confidence, mode)
  return {
    tool = "left_click", mode = mode or "foreground",
    target = { platform = "linux", app_id = "org.example.Editor", observation_id = "o", confidence = confidence or 1,
               captured_at = captured_at },
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

return {
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
  at("2026-01-06T11:59:00+23:59", "none"),

  -- Calendars: leap days, the turn of a year, months of 30 and 31 days, a leap second.
  at("2024-02-29T12:00:00Z", "none", "2024-02-29T12:00:00Z"),
  at("2024-02-29T23:59:59Z", "none", "2024-03-01T00:00:00Z"),
  at("2000-02-29T12:00:00Z", "none", "2000-02-29T12:00:00Z"),
  at("2100-02-28T23:59:59Z", "none", "2100-03-01T00:00:00Z"),
  at("2025-12-31T23:59:59Z", "none", "2026-01-01T00:00:00Z"),
  at("2026-01-31T23:59:59Z", "none", "2026-02-01T00:00:00Z"),
  at("2026-04-30T23:59:59Z", "none", "2026-05-01T00:00:00Z"),
  at("2016-12-31T23:59:60Z", "none", "2017-01-01T00:00:00Z"),
  at("2026-02-29T12:00:00Z", unreadable),
  at("2100-02-29T12:00:00Z", unreadable),
  at("2026-04-31T12:00:00Z", unreadable),
  at("2026-01-32T12:00:00Z", unreadable),
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
    action = click("2026-01-05T12:00:00Z", 0.79), phase = "preview",
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
