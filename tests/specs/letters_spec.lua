-- Letters: who does not own a run leaves an answer, a decision or a cancel in its store. The owner, or who resumes it,
-- takes each once and checks it like any other; a no that nobody has read yet still stops the send.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local null = json.null

local ASKS_ONE = [[local policy = require "interlock.policy"
  return policy { name = "one", preview = function() return policy.ask "have a look" end }]]

-- A run that waits for the runtime's approval, and was left.
local function left(options, start)
  local w = world.durable(options)
  w:asks_approval()
  w:play(start)
  assert.are.equal("waiting", w.run:state())
  w.run_id = w.run:id()
  assert(w.run:leave())
  return w
end

local function count(w, kind)
  local n = 0
  for _, record in ipairs(w:journal()) do if record.kind == kind then n = n + 1 end end
  return n
end

local function inbox(w)
  for _, row in ipairs(w.store:list()) do if row.run_id == w.run_id then return row.letters end end
end

describe("an answer by letter", function()
  local w
  after_each(function() w:close() end)

  it("is taken by who resumes the run", function()
    w = left()
    assert(w:submit("answer", w:letter_of { grantId = "grant-1" }))
    assert.are.equal(0, w.desk.effects)
    w = w:next()
    assert(w:resume())
    assert.are.equal("committed_unverified", w.run:summary().status)
    assert.are.equal("grant-1", w.desk.bodies.execute_action[1].grantId)
    says.counts(w, 1, 1, 1)
  end)

  it("is taken by an owner that lives", function()
    w = world.durable()
    w:asks_approval()
    w:play()
    w.run_id = w.run:id()
    assert(w:submit("answer", w:answer_of(nil, { runtimeApproved = true })))
    w:go()
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("is taken once: it is gone with the record that it led to", function()
    w = left()
    assert(w:submit("answer", w:letter_of { runtimeApproved = true }))
    assert(w:submit("answer", w:letter_of { runtimeApproved = true }))
    w = w:next()
    assert(w:resume())
    assert.are.equal("committed_unverified", w.run:summary().status)
    assert.are.equal(1, count(w, "answer"))
    assert.are.equal(1, count(w, "late"))
    says.counts(w, 1, 1, 1)
  end)

  for _, row in ipairs {
    { "with a forged request id", { requestId = "req-00000000000000000000000000000000" }, "request_id" },
    { "with the request id cut short", { requestId = "req-" }, "request_id" },
    { "without a request id", { requestId = null }, "request_id" },
    { "with another action digest", { actionDigest = ("f"):rep(64) }, "action_digest" },
    { "with its action digest in capitals", { actionDigest = ("0123456789ABCDEF"):rep(4) }, "action_digest" },
    { "with another policy digest", { policyDigest = "sha256:other" }, "policy_digest" },
    { "with the two digests swapped", { actionDigest = "sha256:policy-of-the-runtime",
      policyDigest = ("0123456789abcdef"):rep(4) }, "action_digest" },
    { "with both authorities", { grantId = "g" } },
    { "with neither authority", { runtimeApproved = null } },
    { "with an empty grant", { grantId = "", runtimeApproved = null } },
    { "with a false approval", { runtimeApproved = false } },
  } do
    it(row[1] .. " is refused, and the right one is taken after it", function()
      w = left()
      local wrong = { runtimeApproved = true }
      for name, value in pairs(row[2]) do wrong[name] = value end
      assert(w:submit("answer", w:letter_of(wrong)))
      w = w:next()
      assert(w:resume())
      assert.are.equal("waiting", w.run:state())
      assert.are.equal(0, inbox(w))
      says.nothing(w)
      local noted = assert(w:find "letter").body
      assert.are.equal("answer", noted.kind)
      assert.is_truthy(#noted.why > 0)
      assert(w:submit("answer", w:answer_of(nil, { runtimeApproved = true })))
      w:go()
      assert.are.equal("committed_unverified", w.run:summary().status)
    end)
  end

  it("meant for another run changes nothing, and says nothing about the right one", function()
    w = left()
    local first, answer = w.run_id, w:letter_of { runtimeApproved = true }
    local run = w:start { session = "session-2" }
    w:go()
    w.run_id = run:id()
    assert(run:leave())
    assert(w:submit("answer", answer))
    w = w:next()
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    local request = w:document().requestId
    assert.is_nil(w:find("letter").body.why:find(request, 1, true))
    w.run_id = first
    assert.are.equal("waiting", w:stored().status)
    says.nothing(w)
  end)

  it("that comes while the run moves, before it waits, is late and meets nothing", function()
    w = world.durable()
    w:asks_approval()
    w.desk:hold "observe_visual"
    w:start()
    w:go()
    w.run_id = w.run:id()
    assert(w:submit("answer", { requestId = "req-1", actionDigest = w.desk.digest,
      policyDigest = "sha256:policy-of-the-runtime", runtimeApproved = true }))
    w:go()
    w.desk:deliver(w.host, "observe_visual")
    w:go()
    assert.are.equal("waiting", w.run:state())
    assert.is_false(w:document().needs[1].met)
    assert.is_table(w:find "late")
    says.nothing(w)
  end)

  it("that comes at the second of the expiry is recorded as late: the run is expired", function()
    w = left()
    local expires = w:stored().expiresAt
    local answer = w:letter_of { runtimeApproved = true }
    while w.clock:text() < expires do
      w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 1000, w.clock.boot_ms + 1000
    end
    assert(w:submit("answer", answer))
    w = w:next()
    assert(w:resume())
    assert.are.equal("expired", w.run:summary().status)
    assert.are.equal("none", w.run:summary().effect)
    assert.are.equal(1, count(w, "late"))
    assert.is_truthy(w:find("late").payload:find("runtimeApproved", 1, true))
    says.nothing(w)
  end)

  it("that came in time but was not read in time is late", function()
    w = left()
    assert(w:submit("answer", w:letter_of { runtimeApproved = true }))
    w.clock.wall_ms, w.clock.boot_ms = w.clock.wall_ms + 3600000, w.clock.boot_ms + 3600000
    w = w:next()
    assert(w:resume())
    assert.are.equal("expired", w.run:summary().status)
    says.nothing(w)
  end)

  it("with a second preview ends the run, whatever the preview holds", function()
    for _, preview in ipairs { { executable = true }, "same", json.list {} } do
      w = left()
      assert(w:submit("answer", { approval = w:letter_of { runtimeApproved = true }, preview = preview }))
      w = w:next()
      assert(w:resume())
      local s = w.run:summary()
      assert.are.equal("refused", s.status)
      assert.are.equal("invariant entries", s.error.code .. " " .. s.error.field)
      assert.are.equal("none", s.effect)
      says.nothing(w)
      w:close()
    end
  end)

  it("in its file form, without a preview, is an answer", function()
    w = left()
    assert(w:submit("answer", { approval = w:letter_of { runtimeApproved = true } }))
    w = w:next()
    assert(w:resume())
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)

  it("cannot be left for a run that has ended, or that is not there", function()
    w = left()
    local answer = w:letter_of { runtimeApproved = true }
    assert(w:submit("cancel", {}))
    w = w:next()
    assert(w:resume())
    w:go()
    local ok, err = w:submit("answer", answer)
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
    ok, err = w.store:submit("run-0", "answer", json.encode(answer))
    assert.is_nil(ok)
    assert.are.equal("conflict", err.code)
  end)
end)

describe("a letter", function()
  local w
  after_each(function() w:close() end)

  it("of a kind that is not known is refused and recorded, and the run waits on", function()
    w = left()
    local ok, err = w:submit("execute", { now = true })
    if not ok then
      assert.are.equal("invalid_request", err.code)
      return
    end
    w = w:next()
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    assert.are.equal("execute", w:find("letter").body.kind)
    assert.are.equal(0, inbox(w))
    says.nothing(w)
  end)

  for _, text in ipairs { "", "{", "null!", '{"a":1,"a":2}', "{} {}", ("["):rep(100) .. ("]"):rep(100) } do
    it(("that cannot be read is not taken in: %s"):format(text:sub(1, 12)), function()
      w = left()
      local ok, err = w:submit("answer", text)
      assert.is_nil(ok)
      assert.are.equal("decode", err.code)
      assert.are.equal(0, inbox(w))
    end)
  end

  for _, body in ipairs { json.list {}, {}, "text", 7, true, json.raw '"\\ud800"' } do
    it("of another shape, " .. json.encode(body) .. ", is refused and recorded", function()
      w = left()
      assert(w.store:submit(w.run_id, "answer", json.encode(body)))
      assert(w.store:submit(w.run_id, "decision", json.encode(body)))
      w = w:next()
      assert(w:resume())
      assert.are.equal("waiting", w.run:state())
      assert.are.equal(2, count(w, "letter"))
      assert.are.equal(0, inbox(w))
      says.nothing(w)
    end)
  end

  it("that cancels ends a run that waits, without its runtime", function()
    w = left()
    assert(w:submit("cancel", { reason = "not today" }))
    local asked = #w.desk.calls
    w = w:next()
    assert(w:resume())
    w:go()
    assert.are.equal("cancelled", w.run:summary().status)
    assert.is_truthy(w.run:summary().error.message:find("not today", 1, true))
    assert.are.equal(asked, #w.desk.calls)
  end)

  it("that cancels is obeyed by an owner that lives", function()
    w = world.durable()
    w:asks_approval()
    w:play()
    assert(w:submit("cancel", {}))
    w:go()
    assert.are.equal("cancelled", w.run:summary().status)
    says.nothing(w)
  end)

  it("that cancels, left beside an answer, wins whichever came first", function()
    for _, order in ipairs { { "answer", "cancel" }, { "cancel", "answer" } } do
      w = left()
      local bodies = { answer = w:letter_of { runtimeApproved = true }, cancel = {} }
      for _, kind in ipairs(order) do assert(w:submit(kind, bodies[kind])) end
      w = w:next()
      assert(w:resume())
      w:go()
      assert.are.equal("cancelled", w.run:summary().status)
      says.nothing(w)
      w:close()
    end
  end)

  it("that cancels while the lease is acquired stops the run before it is sent", function()
    w = world.durable()
    w.desk:hold "acquire_lease"
    w:start()
    w:go()
    assert(w:submit("cancel", {}))
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    assert.are.equal("cancelled", w.run:summary().status)
    says.counts(w, 0, 1, 1)
  end)

  it("that cancels comes too late for what was sent: the outcome stands", function()
    w = world.durable()
    w.desk:hold "execute_action"
    w:start()
    w:go()
    assert(w:submit("cancel", {}))
    w:go()
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed", w.run:summary().effect)
    says.counts(w, 1, 1, 1)
  end)
end)

describe("a deny by letter", function()
  local w
  after_each(function() w:close() end)

  local function decision(change)
    local doc = w:stored()
    local d = { requestId = doc.requestId, actionDigest = doc.actionDigest, policyDigest = doc.policyDigest,
      proposalDigest = doc.proposalDigest, decision = "approve" }
    for name, value in pairs(change or {}) do d[name] = value end
    return d
  end

  local function asked(options)
    w = world.durable(options)
    assert(w:bundle { { "hard", ASKS_ONE } })
    w:play()
    w.run_id = w.run:id()
  end

  local function next_life()
    w = w:next()
    assert(w:bundle { { "hard", ASKS_ONE } })
  end

  it("that follows an approval ends the run before anything is asked", function()
    asked()
    assert(w.run:leave())
    assert(w:submit("decision", decision()))
    assert(w:submit("decision", decision { decision = "deny", reason = "wrong file" }))
    local before = #w.desk.calls
    next_life()
    assert(w:resume())
    assert.are.equal("denied", w.run:summary().status)
    assert.is_truthy(w.run:summary().error.message:find("wrong file", 1, true))
    assert.are.equal(before, #w.desk.calls)
  end)

  it("that comes while the lease is acquired, after the approval, stops the send", function()
    asked()
    local deny = decision { decision = "deny" }
    w.desk:hold "acquire_lease"
    assert(w:submit("decision", decision()))
    w:go()
    assert.are.equal(1, w.desk:asked "acquire_lease")
    assert(w:submit("decision", deny))
    w.desk:deliver(w.host, "acquire_lease")
    w:go()
    assert.are.equal("denied", w.run:summary().status)
    says.counts(w, 0, 1, 1)
  end)

  it("that came in the moment of the send stops it, unread", function()
    asked()
    local deny = decision { decision = "deny" }
    local submitted
    w.on_clock = function()
      if submitted or not w.run or not w:find "execute" then return end
      submitted = true
      assert(w:submit("decision", deny))
    end
    assert(w:submit("decision", decision()))
    w:go()
    assert.is_true(submitted)
    assert.are.equal("none", w.run:summary().effect)
    says.counts(w, 0, 1, 1)
  end)

  it("counts for a request that is past, too", function()
    asked()
    local past = decision { decision = "deny" }
    assert(w.run:leave())
    w = w:next()
    assert(w:bundle { { "hard", ASKS_ONE }, { "hard", ASKS_ONE:gsub('"one"', '"two"') } })
    assert(w:resume())
    assert.are_not.equal(past.requestId, w:document().requestId)
    assert(w:submit("decision", past))
    w:go()
    assert.are.equal("denied", w.run:summary().status)
    says.nothing(w)
  end)

  it("that comes after the send is recorded as late, and the outcome stands", function()
    asked()
    local deny = decision { decision = "deny" }
    w.desk:hold "execute_action"
    assert(w:submit("decision", decision()))
    w:go()
    assert.are.equal(1, w.desk.effects)
    assert(w:submit("decision", deny))
    w:go()
    w.desk:deliver(w.host, "execute_action")
    w:go()
    assert.are.equal("committed_unverified", w.run:summary().status)
    assert.are.equal("decision", w:find("late").body.what)
  end)

  it("that defers leaves the request open", function()
    asked()
    assert(w.run:leave())
    assert(w:submit("decision", decision { decision = "defer" }))
    next_life()
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    assert(w:submit("decision", decision()))
    w:go()
    assert.are.equal("committed_unverified", w.run:summary().status)
  end)
end)
