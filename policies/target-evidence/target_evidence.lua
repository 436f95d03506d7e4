-- Whoever aims must have looked a moment ago, and be sure of what was seen. Evidence that is old, dated ahead or of an
-- unreadable time is denied: looking again costs little. Evidence that is fresh but unsure is a person's to judge.

local policy = require "interlock.policy"
local instant = require "lib.instant"

local LOOK_AGAIN = "observe the target again, and propose the action with what is seen then"

local function deny(reason, code)
  return policy.deny(reason, { code = code, remedy = LOOK_AGAIN })
end

local function check_age(target, ctx, most)
  local captured = instant(target.captured_at)
  if not captured then return deny("the time of the target evidence cannot be read", "evidence_time") end
  local age = ctx.time.unix - captured
  if age < -ctx.params.max_ahead then return deny("the target evidence is from the future", "evidence_ahead") end
  if age > most then
    return deny(("the target was seen %d seconds ago; %d are allowed"):format(age, most), "evidence_stale")
  end
  return nil
end

return policy {
  name = "target-evidence",

  preview = function(action, ctx)
    local params, target = ctx.params, action.target
    if action.mode == "shadow" then return end
    if not target then
      if not policy.has(params.need_target, action.tool) then return end
      return deny("it does not say what it aims at", "evidence_missing")
    end
    local stale = check_age(target, ctx, params.max_age)
    if stale then return stale end
    if target.confidence < params.min_confidence then
      return policy.ask(("the target is only %d %% certain"):format(math.floor(target.confidence * 100)), {
        approvers = params.approvers, code = "evidence_unsure", remedy = LOOK_AGAIN,
      })
    end
  end,

  -- An approval takes its time; what was looked at before it must still be recent when the action goes out.
  execute = function(action, ctx)
    if action.target then return check_age(action.target, ctx, ctx.params.max_age_at_execute) end
  end,
}
