-- The journal of a run, and what is shown outside of it: every record canonical and chained, received bytes kept as
-- they came, and no bearer ticket anywhere but in the journal.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local desk = require "tests.specs.support.desk"
local world = require "tests.specs.support.world"

-- Runs of every kind, by name.
local RUNS = {
  ["an allowed run"] = function(w) w:play() end,
  ["an approved run"] = function(w)
    w:asks_approval()
    w:play()
    w:answer { grantId = "g", requestId = "wrong" }
    w:answer { grantId = "grant-secret-1" }
  end,
  ["a run with policies and decisions"] = function(w)
    assert(w:bundle { { "soft", [[local policy = require "interlock.policy"
      return policy { name = "p", propose = function() return policy.deny("why \27[2J not") end,
        preview = function() return policy.ask("again", { timeout = "1m" }) end }]] } })
    w:play()
    w:decide { reason = "known \u{202E} reason" }
    w:decide {}
  end,
  ["a blocked run"] = function(w)
    w.desk:edit("preview_action", function(a) a.executable, a.blocker = false, "target_sensitive" end)
    w:play()
  end,
  ["a refused run"] = function(w)
    w.desk:edit("acquire_lease", function(l) l.sessionId = 'other\n"session"' end)
    w:play()
  end,
  ["a lost and recovered run"] = function(w)
    w.desk:lose("execute_action", 1, true)
    w:play { tenant = "tenant-1" }
    w:advance(30000)
  end,
  ["a late run"] = function(w)
    w.desk:hold "execute_action"
    w.desk:answer("recover", '"unknown"')
    w:play()
    w:advance(30000)
    w.desk:deliver(w.host, "execute_action")
    w:go()
  end,
  ["a verified run"] = function(w)
    w:play { proposal = world.proposal { postcondition = { kind = "window", windowId = 7, exists = true } } }
  end,
  ["a cancelled run"] = function(w)
    w:asks_approval()
    w:play()
    w.run:cancel "changed my mind"
    w:go()
  end,
  ["a run whose releases fail"] = function(w)
    w.desk:fail("release_lease", "store_down")
    w.desk:fail("release_target", "store_down")
    w:play()
  end,
  ["a run that waited in vain"] = function(w)
    w:asks_approval()
    w:play()
    w:advance(300000)
  end,
}
local NAMES = {}
for name in pairs(RUNS) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

describe("the journal of", function()
  for _, name in ipairs(NAMES) do
    describe(name, function()
      local w
      before_each(function()
        w = world.open()
        RUNS[name](w)
      end)
      after_each(function() w:close() end)

      it("is canonical text in every record", function()
        for _, record in ipairs(w:journal()) do
          assert.are.equal(w.host:canonical(record.text), record.text)
        end
      end)

      it("is chained: each record names the SHA-256 of the one before", function()
        local prev = ""
        for i, record in ipairs(w:journal()) do
          assert.are.equal(prev, record.record.prev)
          assert.are.equal(interlock.sha256(record.text), record.hash)
          assert.are.equal(i - 1, record.seq)
          assert.are.equal(i - 1, record.record.seq)
          assert.are.equal(w.run:id(), record.record.run)
          prev = record.hash
        end
        assert.is_true(#w:journal() > 3)
      end)

      it("covers every payload with its SHA-256", function()
        for _, record in ipairs(w:journal()) do
          local digest = record.payload and interlock.sha256(record.payload)
          assert.are.equal(digest, record.record.payload)
        end
      end)

      it("has wall time, boot time and boot id in every record", function()
        for _, record in ipairs(w:journal()) do
          assert.is_number((interlock.time(record.record.at)))
          assert.is_number(record.record.boot)
          assert.is_string(record.record.bootId)
        end
      end)

      it("begins with the run's creation and ends with its end", function()
        local records = w:journal()
        local kinds = {}
        for i, record in ipairs(records) do kinds[i] = record.kind end
        assert.are.equal("created", kinds[1])
        local last = kinds[#kinds] == "amendment" and kinds[#kinds - 1] or kinds[#kinds]
        assert.are.equal("end", last)
        local none, err = w.run:record(#records)
        assert.is_nil(none)
        assert.are.equal("conflict", err.code)
      end)

      it("alone holds lease and grant ids: what is shown has at most a digest of them", function()
        local shown = w:shown()
        for _, secret in ipairs { "lease-secret-1", "grant-secret-1" } do
          assert.is_nil(shown:find(secret, 1, true))
        end
      end)
    end)
  end
end)

describe("a record", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  it("keeps what was received byte for byte, blanks and unknown members included", function()
    local received = {}
    for _, op in ipairs { "preview_action", "acquire_lease", "execute_action" } do w.desk:hold(op) end
    w:start()
    for _, op in ipairs { "preview_action", "acquire_lease", "execute_action" } do
      w:go()
      received[op] = w.desk.held[1].text:gsub("^{", '{ "zz" : [1,  2.50] ,\n')
      w.desk.held[1].text = received[op]
      w.desk:deliver(w.host, op)
    end
    w:go()
    assert.are.equal(received.preview_action, w:find("preview").payload)
    assert.are.equal(received.acquire_lease, w:find("leased").payload)
    assert.are.equal(received.execute_action, w:find("receipt").payload)
  end)

  it("of the intent stands before the record of the receipt, and names digests, lease and grant", function()
    w:asks_approval()
    w:play()
    w:answer { grantId = "grant-secret-1" }
    local intent = w:find "execute"
    assert.is_true(intent.seq < w:find("receipt").seq)
    assert.are.equal(desk.ACTION_DIGEST, intent.body.actionDigest)
    assert.are.equal("lease-secret-1", intent.body.lease)
    assert.are.equal("grant-secret-1", intent.body.grant)
    assert.are.equal(w:find("preview").body.proposalDigest, intent.body.proposalDigest)
  end)

  it("of the creation pins principal, tenant, session, runtime and journal version", function()
    w:play { tenant = "tenant-1" }
    local body = w:find("created").body
    assert.are.same({ "operator-1", "tenant-1", "session-1", "inprocess", 1 },
      { body.principal, body.tenant, body.session, body.runtime, body.journal })
  end)

  it("of the creation pins the workflow by its digest, the seed and the host's policies", function()
    assert(w:bundle { { "hard", [[local policy = require "interlock.policy"
      return policy { name = "p", preview = function() end }]] } })
    local source = "return function(run) run:preview() run:block() end"
    w:play { workflow = source, workflow_name = "mine.lua" }
    local body = w:find("created").body
    assert.are.equal("mine.lua", body.workflow)
    assert.truthy(body.workflowDigest:find(interlock.sha256(source), 1, true))
    assert.are.equal(w.host:policy_digest(), body.hostPolicyDigest)
    assert.is_string(body.seed)
  end)

  it("of the creation pins the reference workflow when none is named", function()
    w:play()
    local file = assert(io.open("lua/workflows/reference.lua", "rb"))
    local body = w:find("created").body
    assert.truthy(body.workflowDigest:find(interlock.sha256(file:read "a"), 1, true))
    file:close()
  end)

  it("of a refused object is not there: of a lease only the id, for its release", function()
    w.desk:edit("acquire_lease", function(l) l.state = "released" end)
    w:play()
    assert.is_nil(w:find "leased")
    local held
    for _, record in ipairs(w:journal()) do
      if record.kind == "held" then held = record end
      assert.is_nil(record.payload and record.payload:find("lease-secret-1", 1, true))
    end
    assert.are.equal("lease-secret-1", held.body.id)
  end)

  it("of what came late is kept, and says so", function()
    RUNS["a late run"](w)
    assert.are.equal("committed", w:find("amendment").body.status)
    assert.is_true(w:find("amendment").seq > w:find("no_receipt").seq)
  end)
end)

describe("a view of the lease", function()
  it("shows a script a digest of the id, never the id", function()
    local w = world.open()
    w:play { workflow = [[return function(run)
      run:preview() local lease = run:acquire_lease() run:log("id " .. lease.lease_id) run:execute() end]] }
    local line
    for _, event in ipairs(w.events) do
      if event.type == "log" then line = event.text end
    end
    local prefix = line:match "^id sha256:(%x+)$"
    assert.are.equal(interlock.sha256("lease-secret-1"):sub(1, #prefix), prefix)
    w:close()
  end)
end)

describe("what is shown of a run", function()
  local w
  before_each(function() w = world.open() end)
  after_each(function() w:close() end)

  it("is valid JSON in every document and event, whatever the runtime says", function()
    w.desk:edit("acquire_lease", function(l) l.sessionId = 'a"b\n\27[2J\u{202E}\\' end)
    local _, run = w:play()
    assert.is_table(json.decode(run:document()))
    for _, event in ipairs(w.events) do assert.is_table(json.decode(event.json)) end
  end)

  it("makes control, direction and newline characters from outside visible", function()
    w.desk:edit("acquire_lease", function(l) l.sessionId = "a\27[2J\nb\u{202E}c" end)
    local s = w:play()
    for _, text in ipairs { s.error.message, s.error.actual } do
      assert.is_nil(text:find "[\27\n]")
      assert.is_nil(text:find("\u{202E}", 1, true))
    end
    for _, event in ipairs(w.events) do
      for _, value in pairs(event) do
        assert.is_nil(tostring(value):find "[\27\n]")
      end
    end
  end)

  it("is written by the core: status, verified, committed, effect, retrySafe and result", function()
    local s, run = w:play()
    local doc = w:document(run)
    assert.are.same({ s.status, s.verified, s.committed, s.effect, s.retry_safe },
      { doc.status, doc.verified, doc.committed, doc.effect, doc.retrySafe })
    assert.are.same({ status = "committed_unverified", receiptId = "receipt-1",
      verificationDetail = s.verification_detail }, doc.result)
  end)

  it("tells every step, request and answer in order", function()
    w:play()
    local told = {}
    for _, event in ipairs(w.events) do
      if event.type == "request" then told[#told + 1] = event.text end
    end
    assert.are.same(w.desk.calls, told)
    assert.are.equal("ended", w.events[#w.events].type)
  end)
end)
