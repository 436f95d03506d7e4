-- What a run amounts to (SPEC §7): verified by evidence for the preview's postcondition, or committed and unverified,
-- or contradicted. The world is the simulated runtime's.

local EDITOR = {
  platform = "linux", app_id = "org.example.Editor", window_id = 7, observation_id = "seen-1", confidence = 1,
  captured_at = "2026-01-01T00:00:00Z",
}
-- SHA-256 of "final"
local FINAL = "sha256:2443630b4620165c8b173e7265e17526fe2787ae594364dd6d839ad58f2fc007"

local function write(path, postcondition)
  return { tool = "filesystem", arguments = { mode = "write", path = path, content = "final" }, target = EDITOR,
    postcondition = postcondition }
end
local HOLDS = { kind = "filesystem", path = "/home/me/out.txt", exists = true }
local FAILS = { kind = "filesystem", path = "/home/me/other.txt", exists = true }

local function expect_verified(s)
  s:expect_status "completed"
  s:expect_verified(true)
  s:expect_committed(true)
  s:expect_effect "committed"
  s:expect_exit(0)
  s:expect_effects(1)
  s:expect_releases(1)
  s:expect_lease_releases(1)
  s:expect(s:document().result.verificationDetail == json.null, "what is verified needs no detail")
end

local function expect_contradicted(s)
  s:expect_status "verification_failed"
  s:expect_verified(false)
  s:expect_committed(false)
  s:expect_effect "committed"
  s:expect_retry_safe(false)
  s:expect_exit(6)
  s:expect_effects(1)
  s:expect_releases(1)
  s:expect_lease_releases(1)
end

local function verified(action, world)
  return {
    runtime = fake { policy = "allow", world = world },
    scopes = { "computer:execute:background", "computer:execute:foreground" },
    play = function(s)
      s:start(action)
      expect_verified(s)
    end,
  }
end
local function contradicted(action, world)
  return {
    runtime = fake { policy = "allow", world = world },
    scopes = { "computer:execute:background", "computer:execute:foreground" },
    play = function(s)
      s:start(action)
      expect_contradicted(s)
    end,
  }
end

scenario "a file that is there verifies that it exists" (verified(write("/home/me/out.txt", HOLDS)))
scenario "a file that is not there contradicts: committed all the same, and not to be repeated"
  (contradicted(write("/home/me/out.txt", FAILS)))
scenario "a file with the declared digest is verified" (verified(write("/home/me/out.txt",
  { kind = "filesystem", path = "/home/me/out.txt", exists = true, content_digest = FINAL })))
scenario "a file with another content than the declared digest contradicts" (contradicted(write("/home/me/out.txt",
  { kind = "filesystem", path = "/home/me/report.txt", exists = true, content_digest = FINAL })))
scenario "a deleted file verifies that it is gone" (verified {
  tool = "filesystem", arguments = { mode = "delete", path = "/home/me/report.txt" }, target = EDITOR,
  postcondition = { kind = "filesystem", path = "/home/me/report.txt", exists = false } })

local function fill(value, digest)
  return { tool = "set_value", mode = "foreground", target = EDITOR,
    arguments = { role = "textbox", label = "Name", value = value },
    postcondition = { kind = "ui_element", role = "textbox", label = "Name", exists = true, value_digest = digest } }
end
scenario "a field with the declared value is verified" (verified(fill("final", FINAL)))
scenario "a field with another value than the declared one contradicts" (contradicted(fill("draft", FINAL)))

local function close(exists)
  return { tool = "close_window", arguments = { window_id = 7 }, target = EDITOR,
    postcondition = { kind = "window", window_id = 7, exists = exists } }
end
scenario "a closed window verifies that it is gone" (verified(close(false)))
scenario "a closed window contradicts that it is still there" (contradicted(close(true)))

local function kill(pid)
  return { tool = "process_kill", arguments = { pid = pid }, target = EDITOR,
    postcondition = { kind = "process", pid = 4242, running = false } }
end
scenario "an ended process is verified" (verified(kill(4242)))
scenario "a process that still runs contradicts" (contradicted(kill(4243)))

local function set(name)
  return { tool = "registry", arguments = { mode = "set", path = "HKCU/Example", name = name, value = "final" },
    target = EDITOR,
    postcondition = { kind = "registry", path = "HKCU/Example", name = "Title", exists = true, value_digest = FINAL } }
end
scenario "a registry value with the declared digest is verified" (verified(set "Title"))
scenario "a registry value that was not set contradicts" (contradicted(set "Other"))

scenario "it is the postcondition of the preview that counts, and it is what was proposed" {
  runtime = fake { envelope = {
    postcondition = { kind = "filesystem", path = "/home/me/report.txt", exists = true },
  } },
  play = function(s)
    s:start(write("/home/me/out.txt", FAILS))
    s:expect_status "refused"
    s:expect_error { object = "action envelope", field = "postcondition" }
    s:expect_effects(0)
  end,
}

-- ---- evidence ----

local function evidence(set_in_verify, play)
  return {
    runtime = fake { faults = { { op = "verify", set = set_in_verify } } },
    play = function(s)
      s:start(write("/home/me/out.txt", { kind = "filesystem", path = "/home/me/out.txt", exists = true,
        content_digest = FINAL }))
      play(s)
    end,
  }
end

scenario "satisfied false contradicts, whatever the digests say" (evidence({ ["/satisfied"] = false },
  expect_contradicted))
scenario "the digest decides, whatever satisfied says" (evidence({ ["/satisfied"] = true,
  ["/observedDigest"] = "sha256:" .. ("0"):rep(64) }, expect_contradicted))

local function unverified(s)
  s:expect_status "committed_unverified"
  s:expect_verified(false)
  s:expect_committed(true)
  s:expect_effects(1)
  s:expect_exit(5)
end
scenario "a digest that was declared and not observed leaves it unverified" (evidence({ ["/observedDigest"] = 7 },
  unverified))
scenario "evidence that is no object is none" (evidence({ [""] = "all is well" }, unverified))

scenario "without any evidence it is committed and unverified, and the detail says why" {
  runtime = fake { verify = false },
  play = function(s)
    s:start(write("/home/me/out.txt", HOLDS))
    unverified(s)
    s:expect_detail "evidence"
  end,
}

scenario "evidence in the receipt is enough" {
  runtime = fake { verify = false, receipt_evidence = true },
  play = function(s)
    s:start(write("/home/me/out.txt", HOLDS))
    expect_verified(s)
  end,
}

scenario "one piece of evidence that contradicts outweighs one that agrees" {
  runtime = fake { receipt_evidence = true, faults = { { op = "verify", set = { ["/satisfied"] = false } } } },
  play = function(s)
    s:start(write("/home/me/out.txt", HOLDS))
    expect_contradicted(s)
  end,
}

scenario "evidence for a receipt that is not committed verifies nothing" {
  runtime = fake { receipt_evidence = true,
    faults = { { op = "execute_action", set = { ["/status"] = "indeterminate" } } } },
  play = function(s)
    s:start(write("/home/me/out.txt", HOLDS))
    s:expect_status "verification_failed"
    s:expect_verified(false)
    s:expect_effect "unknown"
    s:expect_exit(7)
  end,
}
