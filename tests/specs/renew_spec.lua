-- Renew: a run that ended and changed nothing may have one successor, which asks afresh. Never of a run that acted, or
-- of which nobody knows.

local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local w

-- A run that waited until it was answered by `ends`, and is in the store.
local function ended(ends, start)
  w = world.durable()
  w:asks_approval()
  w:play(start)
  ends()
  w:go()
  w.run_id = w.run:id()
  assert.are.equal("ended", w.run:state())
end

local function expired()
  ended(function() w:advance(3600000) end)
  assert.are.equal("expired", w.run:summary().status)
end

local function first_record(id) return json.decode(w.store:records(id)[1].text).body end

local function kinds(id)
  local all = {}
  for i, record in ipairs(w.store:records(id)) do all[i] = json.decode(record.text).kind end
  return all
end

local function refused(field, change)
  local before, rows = w:text(), #w.store:list()
  w = w:next()
  local run, err = w:resume(change or { renew = true })
  assert.is_nil(run)
  assert.are.equal("conflict " .. field, err.code .. " " .. tostring(err.field))
  assert.are.equal(before, w:text())
  assert.are.equal(rows, #w.store:list())
end

describe("a run that expired", function()
  after_each(function() w:close() end)

  it("is not resumed without renew", function()
    expired()
    refused("state", {})
  end)

  it("is renewed by a successor that asks afresh", function()
    expired()
    local old = w.run_id
    local card = w:find("wait").body.request
    w = w:next()
    local run = assert(w:resume { renew = true })
    assert.are_not.equal(old, run:id())
    assert.are.equal("waiting", run:state())
    assert.are_not.equal(card, w:document().requestId)
    assert.are.equal(2, w.desk:asked "preview_action")
    assert.are_not.equal(w.desk.bodies.preview_action[1].proposal.actionId,
      w.desk.bodies.preview_action[2].proposal.actionId)
    assert(w:answer({ runtimeApproved = true }, run))
    assert.are.equal("committed_unverified", run:summary().status)
    assert.are.equal(1, w.desk.effects)
  end)

  it("is named in the first record of its successor, and names it before that was written", function()
    expired()
    local old = w.run_id
    w = w:next()
    local run = assert(w:resume { renew = true })
    assert.are.equal(old, first_record(run:id()).supersedes)
    local last = kinds(old)
    assert.are.equal("renewed", last[#last])
    assert.are.equal(run:id(), json.decode(w.store:records(old)[#last].text).body.successor)
    assert.are.equal(first_record(old).principal, first_record(run:id()).principal)
    assert.are.equal(first_record(old).workflowDigest, first_record(run:id()).workflowDigest)
    assert.are.equal(w.store:records(old)[1].payload, w.store:records(run:id())[1].payload)
  end)

  it("has one successor: who asks again gets the same, as it is", function()
    expired()
    local old = w.run_id
    w = w:next()
    local first = assert(w:resume { renew = true })
    local id, request = first:id(), w:document(first).requestId
    assert(first:leave())
    for _ = 1, 2 do
      w.run = nil
      w.run_id = old
      w = w:next()
      local again = assert(w:resume { renew = true })
      assert.are.equal(id, again:id())
      assert.are.equal(request, w:document(again).requestId)
      assert(again:leave())
    end
    assert.are.equal(2, #w.store:list())
    assert.are.equal(2, w.desk:asked "preview_action")
  end)

  it("whose successor has ended has no other: the successor is renewed itself", function()
    expired()
    local old = w.run_id
    w = w:next()
    local run = assert(w:resume { renew = true })
    assert(run:cancel "no")
    w:go()
    local second = run:id()
    w.run_id = old
    w = w:next()
    local again, err = w:resume { renew = true }
    assert.is_nil(again)
    assert.are.equal("conflict", err.code)
    w.run_id = second
    w = w:next()
    local third = assert(w:resume { renew = true })
    assert.are.equal(second, first_record(third:id()).supersedes)
    assert.are.equal(3, #w.store:list())
  end)

  it("may be renewed in another session, which its successor pins", function()
    expired()
    w = w:next()
    local run = assert(w:resume { renew = true, session = "session-2" })
    assert.are.equal("session-2", first_record(run:id()).session)
    assert.are.equal("session-2", w.desk.bodies.preview_action[2].proposal.sessionId)
  end)

  it("keeps its agent, its group and its scopes, narrowed to those of who renews", function()
    expired()
    w = w:next()
    local run = assert(w:resume { renew = true, scopes = { "computer:plan", "computer:other" } })
    local body = first_record(run:id())
    assert.are.equal("agent-1 group-1", body.agent .. " " .. body.group)
    assert.are.same({ "computer:plan" }, body.scopes)
  end)

  it("keeps an answer to the old request useless", function()
    expired()
    local past = w:find("wait").body.request
    w = w:next()
    local run = assert(w:resume { renew = true })
    local ok, err = w:answer({ requestId = past, runtimeApproved = true }, run)
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    assert.are.equal("waiting", run:state())
    says.nothing(w)
  end)

  for _, row in ipairs {
    { "another principal", "principal", { principal = "operator-2" } },
    { "another tenant", "tenant", { tenant = "tenant-1" } },
    { "another workflow", "workflow", { workflow = "return function(run) return run:deny('no') end" } },
  } do
    it("is not renewed for " .. row[1], function()
      expired()
      row[3].renew = true
      refused(row[2], row[3])
    end)
  end
end)

describe("renew", function()
  after_each(function() w:close() end)

  for _, row in ipairs {
    { "was denied", function() w:answer { decision = "deny" } end },
    { "was cancelled", function() assert(w.run:cancel "no") end },
    { "was refused", function()
      w.desk:edit("acquire_lease", function(l) l.sessionId = "other" end, 1)
      w:answer { runtimeApproved = true }
    end },
    { "was rejected by the runtime", function()
      w.desk:edit("execute_action", function(r) r.status = "rejected" end, 1)
      w:answer { runtimeApproved = true }
    end },
  } do
    it("of a run that " .. row[1] .. " asks afresh", function()
      ended(row[2])
      assert.are.equal("none", w.run:summary().effect)
      w = w:next()
      local run = assert(w:resume { renew = true })
      assert.are.equal("waiting", run:state())
    end)
  end

  it("of a run that waits is a conflict", function()
    w = world.durable()
    w:asks_approval()
    w:play()
    w.run_id = w.run:id()
    refused "state"
  end)

  it("of a run that acted is a conflict", function()
    ended(function() w:answer { runtimeApproved = true } end)
    refused "effect"
    assert.are.equal(1, w.desk.effects)
  end)

  it("of a run that contradicts its evidence is a conflict: it acted", function()
    ended(function()
      w.desk:edit("verify", function(v) v.satisfied = false end)
      w:answer { runtimeApproved = true }
    end, { proposal = world.proposal { postcondition = { kind = "window", windowId = 7, exists = false } } })
    assert.are.equal("verification_failed", w.run:summary().status)
    refused "effect"
  end)

  it("of a run of which nobody knows what it did is a conflict", function()
    ended(function()
      w.desk:lose("execute_action")
      w:answer { runtimeApproved = true }
      w:advance(120000)
    end)
    assert.are.equal("unknown", w.run:summary().effect)
    refused "effect"
  end)

  it("of a run that is not there is a conflict", function()
    expired()
    local run, err = w.host:resume { run = "run-0", principal = "operator-1", renew = true }
    assert.is_nil(run)
    assert.are.equal("conflict", err.code)
  end)
end)
