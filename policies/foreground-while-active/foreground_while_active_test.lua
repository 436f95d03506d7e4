-- 2026-01-05 is a monday. Who sits at the desktop is told by the clock.

local function act(mode) return { tool = "left_click", mode = mode } end

local function capability(interference) return { interference = interference } end
local POINTER, NOTHING = capability "moves_physical_pointer", capability "none"

local function at(time, expect, params, name)
  return { name = name or time, action = act "foreground", at = time, phase = "preview", params = params,
           capability = POINTER, expect = expect }
end

-- At noon, with what the runtime says of it.
local function by_day(name, mode, how, expect, params)
  return { name = name, action = act(mode), phase = "preview", params = params, capability = how, expect = expect }
end

local function lease(kind, expect, more)
  local c = { name = "a lease of kind " .. kind, action = act "foreground", phase = "execute", capability = POINTER,
              lease = { kind = kind }, expect = expect }
  for member, value in pairs(more or {}) do c[member] = value end
  return c
end

local active = { verdict = "deny", policy = "foreground-while-active/foreground-while-active", phase = "preview",
                 code = "person_active" }
local held = { verdict = "deny", policy = "foreground-while-active/foreground-while-active", phase = "execute",
               code = "lease_kind" }

return {
  at("2026-01-05T12:00:00Z",
    { verdict = "deny", code = "person_active", reason = "person at the desktop: moves_physical_pointer" }),
  at("2026-01-05T08:00:00Z", active),
  at("2026-01-05T07:59:59Z", "none"),
  at("2026-01-05T17:59:59Z", active),
  at("2026-01-05T18:00:00Z", "none"),
  at("2026-01-04T12:00:00Z", "none", nil, "nobody is there on sundays"),
  at("2026-01-04T12:00:00Z", active, { days = { "sunday" } }, "unless the parameters say so"),
  at("2026-01-05T06:59:00Z", active, { zone = "+01:30" }, "the zone counts"),
  at("2026-01-05T12:00:00Z", { verdict = "deny", remedy = "after 18:00 (+01:30)" }, { zone = "+01:30" },
    "the remedy names hour and zone"),
  at("2026-01-05T06:00:00Z", active, { active_from = 6 }, "an early riser"),
  at("2026-01-05T23:59:59Z", active, { active_until = 24 }, "one who stays long"),

  by_day("in the background, without interfering", "background", NOTHING, "none"),
  by_day("in the background, and it would interfere all the same", "background", POINTER, active),
  by_day("in the foreground, and it says that it would not", "foreground", NOTHING, active),
  by_day("in a way that it does not tell", "background", capability "", active),
  by_day("a plan", "shadow", POINTER, "none"),
  by_day("what is harmless is a parameter", "background", capability "flashes", "none",
    { harmless = { "none", "flashes" } }),

  lease("cooperative", "none"),
  lease("Cooperative", "none"),
  lease("exclusive", { verdict = "deny", code = "lease_kind", reason = "the lease is exclusive" }),
  lease("", held),
  lease("exclusive", held, { name = "also at night: somebody might come", at = "2026-01-04T03:00:00Z" }),
  lease("exclusive", "none", { name = "kinds are a parameter", params = { lease_kinds = { "exclusive" } } }),
  lease("exclusive", "none", { name = "an exclusive lease that interferes with nobody", action = act "background",
    capability = NOTHING }),
  lease("exclusive", held, { name = "one that does, in the background", action = act "background" }),
  lease("exclusive", "none", { name = "one of a plan", action = act "shadow" }),
}
