-- Documents by themselves: every kind decodes strictly and round-trips, and is checked against what it belongs to. The
-- vectors are files; a new file is a new spec.

local interlock = require "interlock"
local json = require "tests.specs.support.json"
local world = require "tests.specs.support.world"
local lfs = require "lfs"

local NOW = "2026-11-30T18:00:00Z"
-- The folder of vectors of a kind, where it has another name.
local FOLDERS = { approval = "answer" }
-- These are checked as well as decoded; a vector may be well-formed and yet too old.
local CHECKED = { preview = true, envelope = true }

local function slurp(path)
  local file = io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  return text
end

local function vectors(kind, side)
  local dir = ("tests/vectors/%s/%s"):format(FOLDERS[kind] or kind, side)
  local names = {}
  if not lfs.attributes(dir) then return dir, names end
  for name in lfs.dir(dir) do
    if name:find "%.json$" then names[#names + 1] = name:sub(1, -6) end
  end
  table.sort(names)
  return dir, names
end

describe("a document of kind", function()
  local host
  setup(function() host = interlock.host {} end)
  teardown(function() host:close() end)

  for _, kind in ipairs(interlock.kinds()) do
    describe(kind, function()
      local dir, names = vectors(kind, "valid")
      for _, name in ipairs(names) do
        it(("`%s` is accepted, and what it is written as reads as the same"):format(name), function()
          local text = slurp(("%s/%s.json"):format(dir, name))
          local out, err = host:check { kind = kind, document = text, now = NOW }
          if CHECKED[kind] and not out then
            assert.are.equal("identity_mismatch", err.code)
            return
          end
          assert.are.equal(nil, err and err.message)
          local again = assert(host:check { kind = kind, document = out, now = NOW })
          assert.are.equal(out, again)
        end)
      end

      local bad_dir, bad = vectors(kind, "invalid")
      for _, name in ipairs(bad) do
        it(("`%s` is refused, and the refusal names the place"):format(name), function()
          local text = slurp(("%s/%s.json"):format(bad_dir, name))
          local code, place = (slurp(("%s/%s.expect"):format(bad_dir, name)) or "decode"):match "^(%S+) ?(%S*)"
          local out, err = host:check { kind = kind, document = text, now = NOW }
          assert.is_nil(out)
          assert.are.equal(code, err.code)
          local field = err.field or ""
          if field:find "%.%.%.$" then field, place = field:sub(1, -4), place:sub(1, #field - 3) end -- a field is cut
          if place ~= "" then assert.are.equal(place, field) end
        end)
      end
    end)
  end

  it("that nobody knows is refused by name", function()
    local out, err = host:check { kind = "spaceship", document = "{}" }
    assert.is_nil(out)
    assert.are.equal("invalid_request", err.code)
    assert.truthy(err.message:find("spaceship", 1, true))
  end)
end)

describe("a document is checked against", function()
  local w, run, sent
  before_each(function()
    w = world.open()
    for _, op in ipairs { "preview_action", "reserve_target", "acquire_lease", "execute_action" } do w.desk:hold(op) end
    run, sent = w:start(), {}
    for _, op in ipairs { "preview_action", "reserve_target", "acquire_lease", "execute_action" } do
      w:go()
      sent[op] = w.desk.held[1].text
      w.desk:deliver(w.host, op)
    end
    w:go()
    assert.are.equal("committed_unverified", run:summary().status)
    sent.envelope = sent.preview_action:match '"envelope":(%b{})'
  end)
  after_each(function() w:close() end)

  local KINDS = { { "lease", "acquire_lease", "sessionId", "session_id", "control lease" },
    { "reservation", "reserve_target", "intentId", "intent_id", "target reservation" },
    { "receipt", "execute_action", "actionDigest", "action_digest", "execution receipt" } }
  for _, row in ipairs(KINDS) do
    local kind, op, member, field, object = table.unpack(row)
    it("its envelope: a " .. kind, function()
      assert(w.host:check { kind = kind, document = sent[op], envelope = sent.envelope, now = NOW })
    end)

    it("its envelope, with another " .. member .. " refused: a " .. kind, function()
      local other = sent[op]:gsub(('"%s":"[^"]*"'):format(member), ('"%s":"another"'):format(member))
      local out, err = w.host:check { kind = kind, document = other, envelope = sent.envelope, now = NOW }
      assert.is_nil(out)
      assert.are.equal("identity_mismatch", err.code)
      assert.are.equal(object .. " " .. field, err.object .. " " .. err.field)
    end)

    it("nothing when no envelope is given: a " .. kind, function()
      local other = sent[op]:gsub(('"%s":"[^"]*"'):format(member), ('"%s":"another"'):format(member))
      assert(w.host:check { kind = kind, document = other, now = NOW })
    end)
  end

  it("the time: an envelope is refused at its expiry", function()
    assert(w.host:check { kind = "envelope", document = sent.envelope, now = "2026-11-30T18:04:59.999Z" })
    local out, err = w.host:check { kind = "envelope", document = sent.envelope, now = "2026-11-30T18:05:00Z" }
    assert.is_nil(out)
    assert.are.equal("expires_at", err.field)
  end)

  it("the very envelope: any difference is seen, in unknown members as well", function()
    local noted = sent.envelope:gsub("^{", '{"note":"a",')
    assert(w.host:check { kind = "envelope", document = noted, envelope = noted, now = NOW })
    for _, other in ipairs { sent.envelope, (noted:gsub('"note":"a"', '"note":"b"')),
      (noted:gsub('"reversible":true', '"reversible":false')) } do
      local out, err = w.host:check { kind = "envelope", document = other, envelope = noted, now = NOW }
      assert.is_nil(out)
      assert.are.equal("identity_mismatch", err.code)
      assert.are.equal("envelope", err.field)
    end
  end)

  it("its envelope whatever the order of members and the blanks are", function()
    local copy = sent.envelope:gsub("^{(.-),", function(first) return "{ " .. first .. " , " end)
    assert(w.host:check { kind = "envelope", document = copy, envelope = sent.envelope, now = NOW })
  end)

  it("its envelope for an outcome, which is computed", function()
    local out = assert(w.host:check { kind = "outcome", document = sent.execute_action, envelope = sent.envelope,
      now = NOW })
    local doc = json.decode(out)
    assert.are.same({ "CommittedUnverified", "committed_unverified", false, true, "committed", false },
      { doc.outcome, doc.status, doc.verified, doc.committed, doc.effect, doc.retrySafe })
    local none, err = w.host:check { kind = "outcome", document = sent.execute_action }
    assert.is_nil(none)
    assert.are.equal("invalid_request", err.code)
  end)
end)

describe("text is canonical", function()
  local host
  setup(function() host = interlock.host {} end)
  teardown(function() host:close() end)

  for _, row in ipairs {
    { '{ "b" : 1 , "a" : [ true , null ] }', '{"a":[true,null],"b":1}' },
    { '{"\\u00e9":"\\u00e9","z":"\\/"}', '{"z":"/","\u{e9}":"\u{e9}"}' },
    { "[1.0,1e3,-0.0,1e-7,0.1]", "[1,1000,0,1e-7,0.1]" },
    { '{"\u{1F600}":1,"\u{FB33}":2}', '{"\u{1F600}":1,"\u{FB33}":2}' },
    { "9007199254740991", "9007199254740991" },
  } do
    it(("by RFC 8785: %s becomes %s"):format(row[1], row[2]), function()
      assert.are.equal(row[2], assert(host:canonical(row[1])))
    end)
  end

  for _, text in ipairs { "9007199254740993", '{"a":1,"\\u0061":2}', "[1,]", "NaN", '"\\ud800"', "", "1 2",
    "\xEF\xBB\xBF1", '"\xff"', "1e400" } do
    it(("never for %q"):format(text), function()
      assert.is_nil((host:canonical(text)))
    end)
  end
end)

describe("a time", function()
  for _, row in ipairs {
    { "2026-11-30T18:00:00Z", 1796061600, 0 }, { "2026-11-30t18:00:00z", 1796061600, 0 },
    { "2026-11-30T19:30:00.5+01:30", 1796061600, 500000000 }, { "2026-11-30T18:00:00-00:00", 1796061600, 0 },
    { "2026-11-30T18:00:00.123456789Z", 1796061600, 123456789 }, { "2016-12-31T23:59:60Z", 1483228800, 0 },
    { "0000-01-01T00:00:00Z", -62167219200, 0 }, { "9999-12-31T23:59:59Z", 253402300799, 0 },
  } do
    it("is read: " .. row[1], function()
      local sec, nsec = interlock.time(row[1])
      assert.are.same({ row[2], row[3] }, { sec, nsec })
    end)
  end

  for _, text in ipairs { "", "2026-11-30", "2026-11-30 18:00:00Z", "2026-11-30T18:00:00", "2026-11-30T18:00Z",
    "2026-11-30T18:00:00,5Z", "2026-11-30T18:00:00.Z", "2026-11-30T18:00:00.1234567890Z", "2026-02-29T00:00:00Z",
    "2026-11-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T18:60:00Z",
    "2026-11-30T18:00:61Z", "2026-11-30T18:00:60Z", "2026-06-29T23:59:60Z", "2026-11-30T18:00:00+24:00",
    "2026-11-30T18:00:00+01:60", "2026-11-30T18:00:00+0100", " 2026-11-30T18:00:00Z", "2026-11-30T18:00:00Z ",
    "2026-11-30T18:00:00Z\0", "12026-11-30T18:00:00Z", "-026-11-30T18:00:00Z" } do
    it(("is not read: %q"):format(text), function()
      assert.is_nil((interlock.time(text)))
    end)
  end
end)
