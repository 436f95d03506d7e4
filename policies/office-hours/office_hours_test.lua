-- 2026-01-05 is a monday. Every case edits something, unless it says otherwise.

local CET = "CET-1CEST,M3.5.0,M10.5.0/3"
local edit = { tool = "write_clipboard", arguments = { text = "hi" } }
local asks_two = { verdict = "ask", policy = "office-hours/office-hours", phase = "preview", code = "office_hours",
                   reason = "outside office hours", approvers = 2 }

local function at(time, verdict, params)
  local zone = params and params.zone or "UTC"
  return { name = time .. " in " .. zone, action = edit, at = time, params = params, expect = verdict }
end

return {
  at("2026-01-05T08:00:00Z", "none"),
  at("2026-01-05T07:59:59Z", asks_two),
  at("2026-01-05T17:59:59Z", "none"),
  at("2026-01-05T18:00:00Z", asks_two),
  at("2026-01-04T12:00:00Z", asks_two), -- a sunday

  -- Summer time begins on 29 March: eight in Berlin is seven in UTC before it, and six after.
  at("2026-03-27T07:00:00Z", "none", { zone = CET }),
  at("2026-03-27T06:59:59Z", asks_two, { zone = CET }),
  at("2026-03-30T06:00:00Z", "none", { zone = CET }),
  -- A monday in UTC that is still a sunday in Honolulu.
  at("2026-01-05T09:00:00Z", asks_two, { zone = "-10:00", opens = 0, closes = 24 }),
  at("2026-01-05T09:00:00Z", "error", { zone = "Europe/Berlin" }),

  -- A night shift: open from 22 to 6.
  at("2026-01-05T22:00:00Z", "none", { opens = 22, closes = 6 }),
  at("2026-01-06T05:59:59Z", "none", { opens = 22, closes = 6 }),
  at("2026-01-06T06:00:00Z", asks_two, { opens = 22, closes = 6 }),
  at("2026-01-06T21:59:59Z", asks_two, { opens = 22, closes = 6 }),
  -- Never open, and never closed.
  at("2026-01-05T08:30:00Z", asks_two, { opens = 8, closes = 8 }),
  at("2026-01-05T23:59:59Z", "none", { opens = 0, closes = 24 }),

  {
    name = "as many people as the parameter says",
    action = edit, at = "2026-01-05T03:00:00Z", params = { approvers = 3 },
    expect = { verdict = "ask", approvers = 3 },
  },
  {
    name = "looking is allowed at any hour",
    action = { tool = "screenshot", action_class = "observe" }, at = "2026-01-05T03:00:00Z",
    expect = "none",
  },
}
