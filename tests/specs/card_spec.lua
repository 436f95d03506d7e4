-- The card: what a person is shown before they decide, made from what would be sent; no argument can draw over it.

local interlock = require "interlock"
local desk = require "tests.specs.support.desk"
local world = require "tests.specs.support.world"

describe("the card", function()
  local w
  before_each(function()
    w = world.open()
    w:asks_approval()
  end)
  after_each(function() w:close() end)

  it("shows every argument, the target, the labels and the digests", function()
    local _, run = w:play { proposal = world.proposal { arguments = { Text = "hi", Count = 3 },
      dataLabels = { "private" } } }
    local card, digest = run:card()
    for _, text in ipairs { "write_clipboard", "Text", "hi", "Count", "3", "org.example.Editor", "private",
      desk.ACTION_DIGEST, desk.POLICY_DIGEST, "operator-1", "agent-1", "session-1" } do
      assert.truthy(card:find(text, 1, true), text)
    end
    assert.are.equal(interlock.sha256(card), digest)
    assert.are.equal(card, w:document(run).card)
    assert.are.equal(digest, w:document(run).cardDigest)
  end)

  it("says whose word the digest is", function()
    local _, run = w:play()
    assert.truthy(run:card():find("the runtime's word", 1, true))
    local plain = world.proposal { arguments = { text = "hi" } }
    w.desk.digest = desk.args_digest(plain)
    local second = w:start { proposal = plain }
    w:go()
    assert.truthy(second:card():find("recomputed", 1, true))
  end)

  it("makes control and direction characters visible: an argument cannot draw over it", function()
    local _, run = w:play { proposal = world.proposal {
      arguments = { Text = "a\27[2Jb\nexpires never\u{202E}c" } } }
    local card = run:card()
    assert.is_nil(card:find "\27")
    assert.is_nil(card:find("\u{202E}", 1, true))
    assert.is_nil(card:find "\nexpires never")
  end)

  it("cuts what is longer than 2 KiB, with its length and digest", function()
    local long = ("x"):rep(5000)
    local _, run = w:play { proposal = world.proposal { arguments = { Text = long } } }
    local card = run:card()
    assert.is_nil(card:find(long, 1, true))
    assert.truthy(card:find(interlock.sha256('"' .. long .. '"'), 1, true) or
      card:find(interlock.sha256(long), 1, true))
    assert.truthy(card:find("500%d bytes"))
  end)

  it("stands in the journal byte for byte", function()
    local _, run = w:play()
    local card, digest = run:card()
    local wait = w:find "wait"
    assert.are.equal(card, wait.payload)
    assert.are.equal(digest, wait.body.cardDigest)
  end)

  it("is there only while the run waits", function()
    local _, run = w:play()
    w:answer { grantId = "g" }
    local card, err = run:card()
    assert.is_nil(card)
    assert.are.equal("conflict", err.code)
  end)
end)
