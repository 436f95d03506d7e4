-- The notebook, governed.

scenario "a note is written once" {
  runtime = lua_runtime "runtime.lua",
  play = function(s)
    s:start { tool = "write_note", arguments = { text = "milk, eggs" } }
    s:expect_status "committed_unverified"
    s:expect_effects(1)
    s:expect(s:runtime().notes[1] == "milk, eggs", "the note stands in the book")
  end,
}

scenario "what the notebook cannot do is blocked with its reason" {
  runtime = lua_runtime "runtime.lua",
  play = function(s)
    s:start { tool = "burn_note", arguments = { text = "milk" } }
    s:expect_status "blocked"
    s:expect_reason "unknown_tool"
    s:expect_effects(0)
  end,
}
