-- What specs say of a world, so that each spec reads as a sentence. Each fails with what was seen.

local assert = require "luassert"

local says = {}

--- So many effects, reservations asked for and given back, leases asked for and given back.
function says.counts(w, effects, reservations, released, leases, leases_released)
  local d = w.desk
  local seen = ("effects %d, reservations %d, released %d, leases %d, released %d"):format(d.effects,
    d:asked "reserve_target", d:asked "release_target", d:asked "acquire_lease", d:asked "release_lease")
  leases = leases or reservations
  leases_released = leases_released or leases
  assert.are.equal(("effects %d, reservations %d, released %d, leases %d, released %d"):format(effects, reservations,
    released, leases, leases_released), seen)
end

--- The run ended so, and its error names object and field.
function says.refused(summary, object, field, code, status)
  assert.are.equal(status or "refused", summary.status)
  assert.is_table(summary.error)
  assert.are.equal(object .. " " .. field, (summary.error.object or "") .. " " .. (summary.error.field or ""))
  assert.are.equal(code or "identity_mismatch", summary.error.code)
  assert.are.equal("none", summary.effect)
  assert.is_true(summary.retry_safe)
end

--- Nothing happened at the desktop and nothing is held.
function says.nothing(w)
  local d = w.desk
  assert.are.equal(0, d.effects)
  assert.are.equal(0, d:asked "execute_action")
  assert.are.equal(d:asked "reserve_target", d:asked "release_target")
end

return says
