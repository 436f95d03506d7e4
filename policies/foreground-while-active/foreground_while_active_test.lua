-- 2026-01-05 is a monday. Who sits at the desktop is told by the clock.

local function act(mode) return { tool = "left_click", mode = mode } end

local function capability(interference)
  return { app_id = "*", operation = "left_click", backend = "physical_input", supported_modes = { "foreground" },
           interference = interference, confidence = 1, verification_source = "platform_rule" }
end

local POINTER, NOTHING = capability "moves_physical_pointer", capability "none"

local function at(time, expect, params, mode, interference)
  return { name = ("%s, %s"):format(time, mode or "foreground"), action = act(mode or "foreground"), at = time,
           phase = "preview", params = params, capability = interference or POINTER, expect = expect }
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
  at("2026-01-05T12:00:00Z", active),
  at("2026-01-05T12:00:00Z", { verdict = "deny", reason = "person at the desktop: moves_physical_pointer" }),
  at("2026-01-05T08:00:00Z", active),
  at("2026-01-05T07:59:59Z", "none"),
  at("2026-01-05T17:59:59Z", active),
  at("2026-01-05T18:00:00Z", "none"),
  at("2026-01-04T12:00:00Z", "none"), -- a sunday
  at("2026-01-04T12:00:00Z", active, { days = { "sunday" } }),
  at("2026-01-05T06:59:00Z", active, { zone = "+01:30" }),
  at("2026-01-05T06:00:00Z", active, { active_from = 6 }),
  at("2026-01-05T18:00:00Z", active, { active_until = 24 }),

  at("2026-01-05T12:00:00Z", "none", nil, "background", NOTHING),
  at("2026-01-05T12:00:00Z", active, nil, "background"),  -- it says that it would interfere all the same
  at("2026-01-05T12:00:00Z", active, nil, "foreground", NOTHING), -- it says that it would not
  at("2026-01-05T12:00:00Z", active, nil, "background", capability ""),
  at("2026-01-05T12:00:00Z", "none", nil, "shadow"),
  at("2026-01-05T12:00:00Z", "none", { harmless = { "none", "flashes" } }, "background", capability "flashes"),

  lease("cooperative", "none"),
  lease("Cooperative", "none"),
  lease("exclusive", held),
  lease("exclusive", { verdict = "deny", reason = "the lease is exclusive" }),
  lease("", held),
  lease("exclusive", held, { at = "2026-01-04T03:00:00Z" }), -- also at night: somebody might come
  lease("exclusive", "none", { params = { lease_kinds = { "exclusive" } } }),
  lease("exclusive", "none", { action = act "background", capability = NOTHING }),
  lease("exclusive", held, { action = act "background" }),
  lease("exclusive", "none", { action = act "shadow" }),
}
