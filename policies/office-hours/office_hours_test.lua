-- 2026-01-05 is a monday. Every case edits something, unless it says otherwise.

local CET = "CET-1CEST,M3.5.0,M10.5.0/3"
local edit = { tool = "write_clipboard", arguments = { text = "hi" } }
local asks_two = { verdict = "ask", policy = "office-hours/office-hours", phase = "preview", code = "office_hours",
                   reason = "outside office hours", approvers = 2 }

local function at(time, verdict, params, name)
  return { name = name or time, action = edit, at = time, params = params, expect = verdict }
end

local BERLIN, HONOLULU = { zone = CET }, { zone = "-10:00", opens = 0, closes = 24 }
local NIGHT_SHIFT, NEVER, ALWAYS = { opens = 22, closes = 6 }, { opens = 8, closes = 8 }, { opens = 0, closes = 24 }

return {
  at("2026-01-05T08:00:00Z", "none"),
  at("2026-01-05T07:59:59Z", asks_two),
  at("2026-01-05T17:59:59Z", "none"),
  at("2026-01-05T18:00:00Z", asks_two),
  at("2026-01-04T12:00:00Z", asks_two, nil, "a sunday"),

  at("2026-03-27T07:00:00Z", "none", BERLIN, "in winter, eight in Berlin is seven in UTC"),
  at("2026-03-27T06:59:59Z", asks_two, BERLIN, "a second before it"),
  at("2026-03-30T06:00:00Z", "none", BERLIN, "in summer, from 29 March, it is six"),
  at("2026-01-05T09:00:00Z", asks_two, HONOLULU, "a monday in UTC that is a sunday in Honolulu"),
  at("2026-01-05T10:00:00Z", "none", HONOLULU, "monday in Honolulu"),
  at("2026-01-05T03:00:00Z", { verdict = "ask", remedy = "until 8:00 (CET), or have 2 people" }, BERLIN,
    "the remedy names hour, zone and people"),
  at("2026-01-05T09:00:00Z", "error", { zone = "Europe/Berlin" }, "the name of a city is no zone"),

  at("2026-01-05T22:00:00Z", "none", NIGHT_SHIFT, "the night shift begins at 22"),
  at("2026-01-06T05:59:59Z", "none", NIGHT_SHIFT, "goes on to six"),
  at("2026-01-06T06:00:00Z", asks_two, NIGHT_SHIFT, "ends then"),
  at("2026-01-06T21:59:59Z", asks_two, NIGHT_SHIFT, "and has not begun before"),
  at("2026-01-05T08:30:00Z", asks_two, NEVER, "an office that closes as it opens is never open"),
  at("2026-01-05T23:59:59Z", "none", ALWAYS, "one that is always open"),
  at("2026-01-06T00:00:00Z", "none", ALWAYS, "also at midnight"),

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
