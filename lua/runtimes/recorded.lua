-- The runtime of `recorded { ... }` in scenario files: it gives the answers of a recorded run, each operation's in
-- their order, and nothing else. It acts on nothing. An answer is
--
--   "JSON"                        the text of the document as it came
--   { json = "JSON", after = "2s" } the same, after that time
--   { fail = { "reason", "message" } }, { lost = true }, { crash = true }   what came in place of one
--
-- With `rehash` the digest of the action is computed anew, where it can be: values of it were masked.

local options, runtime = ...

local RELEASES = { release_lease = true, release_target = true }
local OPERATIONS = { "discover_capabilities", "observe_visual", "observe_semantic", "preview_action", "reserve_target",
  "release_target", "acquire_lease", "release_lease", "execute_action", "verify", "recover" }

local answers = options.answers or {}
local counts = { calls = {}, order = json.array {}, effects = 0, reservations = 0, releases = 0, leases = 0,
  lease_releases = 0 }
local COUNTED = { reserve_target = "reservations", release_target = "releases", acquire_lease = "leases",
  release_lease = "lease_releases" }
local digests = {} -- of the recording, and what they are here

---The answer with the digest that the action has here.
local function rehashed(op, request, text)
  local answer = runtime.json(text)
  if type(answer) ~= "table" then return runtime.raw(text) end
  if op == "preview_action" and answer.envelope then
    local was = answer.envelope.argsDigest
    local is = runtime.args_digest(answer.envelope, request.proposal.arguments or {})
    if was and is then
      digests[was] = is
      answer.envelope.argsDigest = is
    end
  elseif answer.actionDigest then
    answer.actionDigest = digests[answer.actionDigest] or answer.actionDigest
  end
  return answer
end

local function count(op, text)
  local kind = COUNTED[op]
  if kind and not (text and text:match "^%s*null") then counts[kind] = counts[kind] + 1 end
  if op == "execute_action" and text and runtime.json(text).status == "committed" then
    counts.effects = counts.effects + 1
  end
end

local function play(op)
  return function(request)
    local call = (counts.calls[op] or 0) + 1
    counts.calls[op] = call
    counts.order[#counts.order + 1] = op
    local answer = (answers[op] or {})[call]
    if answer == nil then
      if not RELEASES[op] then
        runtime.fail("not_recorded", ("the recording has no answer for call %d of %s"):format(call, op))
      end
      answer = "{}"
    end
    if type(answer) == "string" then answer = { json = answer } end
    if answer.lost then return runtime.lost() end
    if answer.crash then return runtime.crash() end
    if answer.fail then return runtime.failure(answer.fail[1], answer.fail[2] or "") end
    count(op, answer.json)
    local out = options.rehash and rehashed(op, request, answer.json) or runtime.raw(answer.json)
    if answer.after then return runtime.later(answer.after, out) end
    return out
  end
end

local functions = { inspect = function() return counts end }
for _, op in ipairs(OPERATIONS) do
  if answers[op] or RELEASES[op] then functions[op] = play(op) end
end
return functions
