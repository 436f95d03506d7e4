# The mistakes that people make in their first policies, each made for real: what lint, test and run say of it. Every
# message has file and line, what is wrong, and what to write. Rows: `mistake NAME CHANGE`, then what is seen of it.
. "$(dirname "$0")/lib.sh"
B=$T/mine
echo '{"tool":"filesystem","arguments":{"mode":"delete","path":"/tmp/x"}}' >"$T/action.json"

# put PHASE BODY: a bundle of one policy, with one test; the body begins on line 6.
put() {
    rm -rf "$B"
    mkdir -p "$B"
    cat >"$B/bundle.json" <<'EOF'
{
  "name": "mine",
  "version": "0.1.0",
  "requires": 1,
  "policies": [
    { "file": "mine.lua", "level": "hard", "params": { "most": { "type": "integer", "default": 3 } } }
  ]
}
EOF
    cat >"$B/mine_test.lua" <<'EOF'
return {
  { name = "a delete is asked for", expect = "ask",
    action = { tool = "filesystem", action_class = "destructive", arguments = { mode = "delete" } } },
}
EOF
    cat >"$B/mine.lua" <<EOF
local policy = require "interlock.policy"

return policy {
  name = "mine",
  $1 = function(action, ctx)
    $2
  end,
}
EOF
}

ASK='return policy.ask("look") end'
WHEN='if action.action_class == "destructive" then'

# One line, blanks joined: what `run` shows is broken at the width of the terminal.
flat() { printf '%s' "$1" | tr -s ' \n' ' '; }
mistake() { what=$1; put preview "$2"; }
in_phase() { what=$1; put "$2" "$3"; }
edit() { what=$1; put preview "$WHEN $ASK"; sed -i "$3" "$B/$2"; }
lint() { run policy lint "$B"; has "$out" "$B/$1" "$what: lint"; }
silent() { run policy lint "$B"; lacks "$out" ': error:' "$what: lint cannot know"; }
tests() { run policy test "$B"; has "$(flat "$out $err")" "$(flat "$1")" "$what: test"; }
runs() { run run "$T/action.json" --runtime simulated --policy "$B"; has "$(flat "$out $err")" "$1" "$what: run"; }

mistake 'a field of action, misspelt' 'if action.action_clas == "destructive" then '"$ASK"
lint 'mine.lua:6:15: error: action has no member `action_clas`; did you mean `action_class`?'
tests "$B/mine.lua:6: mine/mine error in preview: action has no member 'action_clas'; did you mean 'action_class'?"
runs "mine/mine.lua:6: action has no member 'action_clas'; did you mean 'action_class'?"

mistake 'a field of ctx, misspelt' 'if ctx.tiem.hour < 6 then '"$ASK"
lint 'mine.lua:6:12: error: ctx has no member `tiem`; did you mean `time`?'
tests "$B/mine.lua:6: mine/mine error in preview: ctx has no member \"tiem\"; did you mean \"time\"?"
runs 'mine/mine.lua:6: ctx has no member "tiem"; did you mean "time"?'

for value in true '"ask"' '{ verdict = "ask" }'; do
    mistake "returns $value" "$WHEN return $value end"
    lint 'mine.lua:6:57: error: a phase cannot return this; return nothing, policy.ask("why") or policy.deny("why")'
    tests "$B/mine.lua:5: mine/mine error in preview: the policy returned "
    tests '; return nothing, policy.ask("why") or policy.deny("why")'
    runs '; return nothing, policy.ask("why") or policy.deny("why")'
done

mistake '= for ==' 'if action.action_class = "destructive" then '"$ASK"
lint 'mine.lua:6:28: error: `=` sets a variable, it does not compare; write `==` to compare'
tests 'mine/mine.lua:6: `=` sets a variable, it does not compare; write `==` to compare'
runs 'mine/mine.lua:6: `=` sets a variable, it does not compare; write `==` to compare'

mistake '!= for ~=' 'if action.action_class != "observe" then '"$ASK"
lint 'mine.lua:6:28: error: there is no such sign in Lua; write `~=` for "is not"'
tests 'mine/mine.lua:6: there is no such sign in Lua; write `~=` for "is not"'

mistake 'an end is missing' "$WHEN return policy.ask(\"look\")"
lint 'mine.lua:7:6: error: `,` cannot stand here; an `end` is missing before it, or it is one too many'
tests 'mine/mine.lua:7: `,` cannot stand here; an `end` is missing before it, or it is one too many'

mistake 'no return before policy.ask' "$WHEN policy.ask(\"look\") end"
lint 'mine.lua:6:50: error: this verdict is made and dropped: it decides nothing; write `return` before it'
tests 'line 6 makes a verdict, and nothing is returned: it decides nothing; is a `return` missing?'
run run "$T/action.json" --runtime simulated --policy "$B" --log text
has "$err" 'mine/mine.lua: line 6 makes a verdict, and nothing is returned' "$what: the log of a run"

edit 'no return before policy { ... }' mine.lua 's/^return //'
lint 'mine.lua:3:1: error: the policy is declared and not returned; write `return policy { ... }`'
tests 'mine/mine.lua:3: the policy is declared and not returned; write `return policy { ... }`'
runs 'mine/mine.lua:3: the policy is declared and not returned; write `return policy { ... }`'

mistake 'a global variable' "count = (count or 0) + 1
    if count > 0 then $ASK"
lint 'mine.lua:6:5: warning: `count` is set as a global; write `local count`'

mistake 'a loop without end' 'while true do
      local seen = action.tool
    end'
lint 'mine.lua:6:11: error: nothing ends this loop: the host would stop the script; give it a `break` or a `return`'
tests ': mine/mine error in preview: the script was ended by the limit script_fuel; a loop that never ends?'
tests "$B/mine.lua:" # and one of its lines
runs 'by the limit script_fuel; a loop that never ends? Count it, as in `for i = 1, 10 do`, or leave it with `break`'

mistake 'a loop that is not seen to be without end' 'local i = 1
    while i < 10 do
      if action.reversible ~= nil then i = 1 end
    end'
silent
tests "$B/mine.lua:8: mine/mine error in preview: the script was ended by the limit script_fuel; a loop"

mistake 'ctx.lease in preview' 'if ctx.lease.action_budget > 1 then '"$ASK"
lint 'mine.lua:6:12: error: ctx has no `lease` in phase preview; it is there in execute'
tests "$B/mine.lua:6: mine/mine error in preview: ctx.lease is there in phase execute only; this is preview"
runs 'mine/mine.lua:6: ctx.lease is there in phase execute only; this is preview'

in_phase 'action_class in propose' propose "$WHEN $ASK"
lint 'mine.lua:6:15: error: action has no `action_class` in phase propose; it is there in preview, approve and execute'
tests "$B/mine.lua:6: mine/mine error in propose: proposed action has no member 'action_class'; it comes with the"
runs "proposed action has no member 'action_class'; it comes with the preview: ask for it in \`preview\`"

mistake 'an option, misspelt' "$WHEN"' return policy.ask("look", { approver = 2 }) end'
lint 'mine.lua:6:78: error: policy.ask has no option `approver`; did you mean `approvers`?'
tests "$B/mine.lua:6: mine/mine error in preview: policy.ask: there is no \"approver\"; did you mean \"approvers\"?"
runs 'mine/mine.lua:6: policy.ask: there is no "approver"; did you mean "approvers"?'

mistake 'a class that there is not' 'if action.action_class == "destructiv" then '"$ASK"
lint 'mine.lua:6:31: warning: this is never `destructiv`; did you mean `destructive`?'

mistake 'policy:ask' "$WHEN"' return policy:ask("look") end'
lint 'mine.lua:6:64: error: functions of policy are called with a dot; write policy.ask(...)'
tests "$B/mine.lua:6: mine/mine error in preview: write policy.ask(\"why\", { approvers = 2 }) with a dot"
runs 'mine/mine.lua:6: write policy.ask("why", { approvers = 2 }) with a dot'

mistake 'arithmetic on what is absent' 'if action.arguments.amount * 2 > 100 then '"$ASK"
silent
tests "$B/mine.lua:6: mine/mine error in preview: attempt to perform arithmetic on a nil value (field 'amount');"
runs "(field 'amount'); it is absent here: look first whether it is there, as in \`if x.name then\`"

mistake 'a comparison with what is absent' 'if action.arguments.amount > 100 then '"$ASK"
tests "attempt to compare number with nil; one of them is absent: look first whether it is there, as in"

mistake 'a number compared with a text' 'if ctx.time.hour > "18" then '"$ASK"
tests "$B/mine.lua:6: mine/mine error in preview: attempt to compare string with number; a number and a"
runs 'mine/mine.lua:6: attempt to compare string with number; a number and a text are not compared'

edit 'a module that is not listed' mine.lua '2s/.*/local lists = require "lists"/'
lint 'mine.lua:2:23: error: the bundle has no module `lists`; a module is a file that bundle.json lists'
tests "mine/mine.lua:2: no module 'lists'; there are: interlock.policy; a bundle's own modules are the .lua files"
runs "mine/mine.lua:2: no module 'lists'; there are: interlock.policy; a bundle's own modules are the .lua files"
echo 'return {}' >"$B/lists.lua"
lint 'mine.lua:2:23: error: bundle.json does not list the file of `lists`; list lists.lua in `files` of bundle.json'
tests 'lists.lua: is not listed in bundle.json; list it in "files", or take it out'

mistake 'a parameter that is not declared' 'if ctx.params.mots > 2 then '"$ASK"
lint 'mine.lua:6:19: error: bundle.json declares no parameter `mots` for this policy; did you mean `most`?'
tests "$B/mine.lua:6: mine/mine error in preview: ctx.params has no member \"mots\"; did you mean \"most\"?"
runs 'mine/mine.lua:6: ctx.params has no member "mots"; did you mean "most"?'

edit 'a default of another type' bundle.json 's/"default": 3/"default": "3"/'
lint 'bundle.json:6:86: error: /policies/0/params/most/default: the default of the parameter most must be an'
tests 'bundle.json:6: /policies/0/params/most/default: the default of the parameter most must be an integer'
runs 'bundle.json:6: /policies/0/params/most/default: the default of the parameter most must be an integer'

edit 'a type that there is not' bundle.json 's/"integer"/"int"/'
lint 'bundle.json:6:67: error: /policies/0/params/most/type expected one of string, number, integer, boolean'
tests 'bundle.json:6: /policies/0/params/most/type expected one of string, number, integer, boolean, strings'

edit 'a level that there is not' bundle.json 's/"hard"/"strict"/'
tests 'bundle.json:6: /policies/0/level expected one of advisory, soft, hard'

edit 'a comma too many in an array' bundle.json 's/} } }$/} } },/'
lint 'bundle.json:7:1: error: /policies/1: a comma before the closing bracket'
tests 'bundle.json:7: /policies/1: a comma before the closing bracket'
runs 'bundle.json:7: /policies/1: a comma before the closing bracket'

edit 'a comma too many in an object' bundle.json 's/^  ]$/  ],/'
tests 'bundle.json:8: a comma before the closing brace'

mistake 'a zone of the system' 'if ctx.time_in("Europe/Berlin").hour > 18 then '"$ASK"
tests "$B/mine.lua:6: mine/mine error in preview: ctx.time_in: the zone \"Europe/Berlin\": zones of the system are not"
runs 'zones of the system are not read; write the rule itself, as in CET-1CEST,M3.5.0,M10.5.0/3'

in_phase 'ask in execute' execute "$WHEN $ASK"
lint 'mine.lua:6:57: warning: in this phase nobody is asked any more: an ask counts as a deny; write policy.deny'

mistake 'params without ctx' 'if params.most > 2 then '"$ASK"
lint 'mine.lua:6:8: error: there is no `params`; write `ctx.params`'
tests "$B/mine.lua:6: mine/mine error in preview: attempt to index a nil value (global 'params'); in a policy it is"
runs "mine/mine.lua:6: attempt to index a nil value (global 'params'); in a policy it is \`ctx.params\`"

mistake 'tool without action' 'if tool:find("delete") then '"$ASK"
lint 'mine.lua:6:8: error: there is no `tool`; write `action.tool`'

mistake 'ask without policy' "$WHEN return ask(\"look\") end"
lint 'mine.lua:6:57: error: there is no `ask`; write `policy.ask`'
tests "attempt to call a nil value (global 'ask'); in a policy it is \`policy.ask\`"

edit 'no require' mine.lua '1d'
lint 'mine.lua:2:8: error: there is no `policy`; write local policy = require "interlock.policy" at the top'
tests "mine/mine.lua:2: attempt to call a nil value (global 'policy'); write local policy = require "

edit 'a phase, misspelt' mine.lua 's/preview =/previw =/'
lint 'mine.lua:5:3: error: a policy has no `previw`; did you mean `preview`?'
tests 'mine/mine.lua:3: policy: there is no "previw"; did you mean "preview"?'

edit 'a verdict that there is not' mine_test.lua 's/expect = "ask"/expect = "aks"/'
tests "$B/mine_test.lua:2: case \"a delete is asked for\": /expect: \"aks\" is no verdict; one of none, ask,"

edit 'a member of an action, misspelt in a test' mine_test.lua 's/action_class/action_clas/'
tests "$B/mine_test.lua:2: case \"a delete is asked for\": /action/action_clas: there is no such member; did you"

edit 'no return in a test' mine_test.lua 's/^return /local cases = /'
tests "$B/mine_test.lua: it returns nothing; a test file ends with \`return { { name = \"...\", action = { tool"
done_testing
