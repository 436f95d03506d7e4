-- The kill switch: a path of the host's options. While something is there nothing is judged, acquired or sent.

local world = require "tests.specs.support.world"
local says = require "tests.specs.support.says"

local path = os.tmpname()
local w

local function turn_on()
  local file = assert(io.open(path, "w"))
  file:close()
end

local function turn_off() os.remove(path) end

local function open(options)
  options = options or {}
  options.kill_switch = options.kill_switch or path
  w = world.durable(options)
end

local function stopped(run, why)
  local s = (run or w.run):summary()
  assert.are.equal("cancelled", s.status)
  assert.are.equal("none", s.effect)
  assert.are.equal("stop latch kill_switch", s.error.object .. " " .. s.error.field)
  assert.matches(why or "is there", s.error.message)
  says.nothing(w)
end

local function acts(run)
  assert.are.equal("committed_unverified", (run or w.run):summary().status)
end

describe("the kill switch", function()
  before_each(turn_off)
  after_each(function()
    w:close()
    turn_off()
  end)

  it("is off while nothing is there", function()
    open()
    assert.is_true(w.host:check_kill_switch())
    w:play()
    acts()
  end)

  it("stops a run before its preview, without any policy", function()
    open()
    turn_on()
    local ok, err = w.host:check_kill_switch()
    assert.is_nil(ok)
    assert.are.equal("cancelled kill_switch", err.code .. " " .. err.field)
    w:play()
    stopped()
    assert.are.equal(0, w.desk:asked "preview_action")
  end)

  it("lets the next run act once it is off again", function()
    open()
    turn_on()
    w:play()
    turn_off()
    local run = w:start()
    w:go()
    acts(run)
  end)

  it("stops a run that it finds previewed, before a lease", function()
    open()
    w.desk:edit("preview_action", turn_on)
    w:play()
    stopped()
    assert.are.equal(0, w.desk:asked "acquire_lease")
  end)

  it("that comes between preview and execute stops what was approved", function()
    open()
    w:asks_approval()
    w:play()
    turn_on()
    w:answer { runtimeApproved = true }
    stopped()
    assert.are.equal(0, w.desk:asked "acquire_lease")
  end)

  it("that comes with the lease stops the send, and gives back what is held", function()
    open()
    w.desk:edit("acquire_lease", turn_on)
    w:play()
    stopped()
    says.counts(w, 0, 1, 1)
  end)

  it("that comes in the moment of the send stops it", function()
    open()
    w:start()
    w.on_clock = function()
      if w:find "execute" then turn_on() end
    end
    w:go()
    stopped()
    assert.is_table(w:find "not_sent")
    says.counts(w, 0, 1, 1)
  end)

  it("that comes after the send changes nothing of its outcome", function()
    open()
    w.desk:edit("execute_action", turn_on)
    w:play()
    acts()
    says.counts(w, 1, 1, 1)
  end)

  it("lets no decision count, and what waits goes on waiting", function()
    open()
    assert(w.host:add_approver "ann")
    assert(w:bundle {
      { "hard", [[
        local policy = require "interlock.policy"
        return policy { name = "asks", preview = function() return policy.ask "well?" end }
      ]] },
    })
    w:play()
    turn_on()
    local ok, err = w:decide { approver = "ann" }
    assert.is_nil(ok)
    assert.are.equal("approval_mismatch", err.code)
    assert.matches("the kill switch is on", err.message)
    assert.are.equal("waiting", w.run:state())
  end)

  it("lets a waiting run be resumed, and stops it when it would act", function()
    open()
    w:asks_approval()
    w:play()
    w.run_id = w.run:id()
    turn_on()
    w = w:next()
    assert(w:resume())
    assert.are.equal("waiting", w.run:state())
    w:answer { runtimeApproved = true }
    stopped()
  end)

  it("is on where a link leads nowhere", function()
    open()
    assert(os.execute("ln -s /nowhere/at/all '" .. path .. "'"))
    w:play()
    stopped()
  end)

  it("is on where its folder is missing", function()
    open { kill_switch = path .. "/below" }
    w:play()
    stopped(nil, "is in no folder")
  end)

  it("is on where it cannot be looked at", function()
    turn_on()
    open { kill_switch = path .. "/below" }
    w:play()
    stopped(nil, "cannot be looked at")
  end)

  it("may be a name without a folder, and a name that ends in a slash", function()
    open { kill_switch = "there-is-no-such-file" }
    assert.is_true(w.host:check_kill_switch())
    w:close()
    open { kill_switch = path .. "//" }
    assert.is_true(w.host:check_kill_switch())
  end)

  it("is refused when it is no path", function()
    local interlock = require "interlock"
    for _, wrong in ipairs { "", "a\0b" } do
      local host, err = interlock.host { kill_switch = wrong }
      assert.is_nil(host)
      assert.are.equal("invalid_request kill_switch", err.code .. " " .. err.field)
    end
    open()
  end)
end)
