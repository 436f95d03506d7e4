# `interlock policy test`: finding bundles and tests, the four reports, coverage with a threshold, what a test file is
# told, and running again when a file changes.
. "$(dirname "$0")/lib.sh"

run policy test "$T"
ends 2 'no bundle'
has "$err" 'no folder holds a bundle.json' 'no bundle: why'
run policy test policies/office-hours policies/two-person
ends 0 'bundles that are shipped'
has "$out" 'office_hours_test.lua' 'the files are named'
has "$out" ', 0 failed' 'the total'

# ---- a bundle of its own

B=$T/all/sends
mkdir -p "$B/lib" "$T/all/bare"
cat >"$B/bundle.json" <<'END'
{ "name": "sends", "version": "1", "requires": 1, "files": ["lib/tools.lua"],
  "policies": [{ "file": "sends.lua", "level": "hard", "params": { "most": { "type": "integer", "default": 2 } } }] }
END
echo 'return { mail = true }' >"$B/lib/tools.lua"
cat >"$B/sends.lua" <<'END'
local policy = require "interlock.policy"
local tools = require "lib.tools"

return policy {
  name = "sends",
  preview = function(action, ctx)
    if not tools[action.tool] then return end
    if ctx.history { outcome = "verified", within = "1h" } >= ctx.params.most then
      return policy.deny("enough for an hour", { code = "enough" })
    end
    return policy.ask("a mail leaves", { code = "leaves", approvers = 2 })
  end,
}
END
cat >"$B/sends_test.lua" <<'END'
local sent = { outcome = "verified", ago = "5m" }
return {
  { name = "a mail is asked about", action = { tool = "mail" },
    expect = { verdict = "ask", approvers = 2 } },
  { name = "the third is denied", action = { tool = "mail" }, history = { sent, sent }, expect = "deny" },
  { name = "a click <is> \"none\" & nothing", action = { tool = "click" }, expect = "none" },
}
END
printf '{"name":"bare","version":"1","requires":1,"policies":[{"file":"p.lua","level":"soft"}]}' \
    >"$T/all/bare/bundle.json"
printf 'return require "interlock.policy" { name = "p", preview = function() end }\n' >"$T/all/bare/p.lua"

run policy test "$B"
ends 0 'a bundle'
has "$out" 'sends_test.lua  3 of 3' 'its cases'
run policy test "$T/all"
ends 0 'a folder of bundles'
has "$out" 'no tests: no file *_test.lua lies here' 'one without tests is said'
(cd "$T/all" && "$IL" policy test) >"$T/here" 2>&1
grep -q '3 passed' "$T/here"; ok $? 'without an operand: below the current folder'
run policy test "$B" --run third
has "$out" '1 passed' '--run takes a part of the name'
run policy test "$B" --run '*third'
has "$out" '0 passed' '--run takes a glob over the whole name'
run policy test "$B" --run '*third*'
has "$out" '1 passed' '--run with a glob that fits'
run policy test "$B" --run zebra
has "$err" 'no name fits the pattern' '--run that fits nothing says so'
run policy test "$B" --param most=1
ends 0 'a parameter'
run policy test "$B" --param many=1
ends 2 'a parameter that is none'

# ---- coverage

run policy test "$T/all" --coverage
ends 0 'coverage'
has "$out" 'lines    100 %' 'of lines'
has "$out" 'verdicts 100 %' 'of verdicts'
run policy test "$B" --coverage --run third
has "$out" "missed  $B/sends.lua: 11" 'a line that no case reaches'
has "$out" '6 preview says nothing, 11 ask' 'verdicts that no case reaches'
run policy test "$B" --threshold 100
ends 0 'a threshold that is reached'
run policy test "$B" --threshold 100 --run third
ends 1 'a threshold that is not'
has "$out" '100 % are asked for' 'it says so'
run policy test "$T/all" --threshold 10
ends 1 'a threshold, and a bundle without tests'
run policy test "$B" --threshold much
ends 2 'a threshold that is no percentage'

# ---- a case that fails

sed -i 's/approvers = 2 } }/approvers = 3 } }/; s/expect = "none"/expect = "deny"/' "$B/sends_test.lua"
run policy test "$B"
ends 1 'a case that fails'
has "$out" "$B/sends_test.lua:3: a mail is asked about" 'its place and name'
has "$out" 'approvers: expected 3, got 2' 'what was expected, and what came'
has "$out" "$B/sends.lua:11: sends/sends ask in preview: a mail leaves" 'the line that decided'
has "$out" 'verdict: expected deny, got none' 'a verdict that differs'
has "$out" 'no policy said anything' 'and that nobody said anything'
run policy test "$T/all" --format json --coverage
ends 1 'JSON'
json 'not d.ok and d.passed == 1 and d.failed == 2 and #d.bundles == 2' 'JSON: totals'
json "d.bundles[2].cases[1].line == 3 and d.bundles[2].cases[1].differs[1].member == 'approvers'" 'JSON: a case'
json "d.bundles[2].cases[1].got.policies[1].line == 11 and d.bundles[2].cases[2].passed" 'JSON: what came'
json 'd.bundles[2].coverage.lines.covered == d.bundles[2].coverage.lines.total' 'JSON: coverage'
run policy test "$B" --format tap
ends 1 'TAP'
has "$out" 'TAP version 14' 'TAP 14'
has "$out" "not ok 1 - $B/sends_test.lua:3: a mail is asked about" 'TAP: a point'
has "$out" 'at: "' 'TAP: a block of YAML'
[ "$(printf '%s\n' "$out" | tail -1)" = 1..3 ]; ok $? 'TAP: the plan'
run policy test "$T/all" --format junit --threshold 90
ends 1 'JUnit'
printf '%s' "$out" | python3 -c '
import sys, xml.etree.ElementTree as E
t = E.fromstring(sys.stdin.buffer.read())
for s in t:
    c = list(s)
    assert int(s.get("tests")) == len(c), s.attrib
    assert int(s.get("failures")) == len([x for x in c if x.find("failure") is not None])
assert len(t) == 2 and len(t[1]) == 4 and t[1][2].get("name").startswith("a click <is> \"none\" &")' 2>"$T/err"
ok $? 'JUnit is XML, and its counts hold'

# ---- what a test file is told

told() { # TEXT OF THE FILE, MESSAGE, NAME
    printf '%s\n' "$1" >"$B/sends_test.lua"
    run policy test "$B"
    ends 1 "$3"
    has "$out" "$2" "$3: what to write"
}
told 'return { { name = "a", acton = {} } }' \
    'sends_test.lua:1: case "a": /acton: there is no such member; did you mean "action"?' 'a member that is none'
told 'return { { name = "a", action = { tol = "x" } } }' 'did you mean "tool"?' 'a member of the action that is none'
told $'return {\n  { action = { tool = "x" } },\n}' \
    'sends_test.lua:2: case 1: /name: it has no name; write name =' 'no name'
told 'return { { name = "a", action = { tool = "x" } } }' '/expect: it expects nothing, and could never fail' \
    'no expectation'
told $'return {\n  { name = "a", action = { tool = "x" }, expect = "none" },\n  { name = "a" },\n}' \
    'sends_test.lua:3: case "a": /name: an earlier case has the same name' 'a name twice'
told 'local cases = {}' 'it returns nothing; a test file ends with `return {' 'no list'
told 'return {}' 'it returns no cases' 'an empty list'
told 'return { name = "a", action = { tool = "x" } }' 'put { } around it' 'a case in place of a list'
told $'return {\n  { name = "a" action = 1 }' 'sends_test.lua:2: ' 'a mistake of syntax'
told $'\nreturn { { name = "a", action = { tool = nul.x } } }' 'sends_test.lua:2: ' 'a mistake when it runs'
told 'return { { name = "a", action = { tool = "x" }, expect = "none", params = { mots = 1 } } }' \
    'did you mean "most"?' 'a parameter that is none'
told 'return { { name = "a", action = { tool = "x" }, expect = "allow" } }' 'one of none, ask, deny and error' \
    'a verdict that is none'
echo 'return {' >"$B/sends.lua"
run policy test "$B"
ends 3 'a bundle that does not load'
has "$out" 'sends/sends.lua:' 'a bundle that does not load: where'
run policy test "$B" --format junit
ends 3 'a bundle that does not load, as JUnit'
has "$out" '<error message=' 'is an error'

# ---- watching

rm -r "$B" && mkdir -p "$B" && cp -r policies/two-person/. "$B"
"$IL" policy test "$B" --watch >"$T/watched" 2>&1 </dev/null &
pid=$!
wait_for() { for _ in $(seq 100); do grep -q "$1" "$T/watched" && return 0; sleep 0.1; done; return 1; }
wait_for 'watching since'; ok $? 'it watches'
sed -i 's/policy.ask(/policy.deny(/' "$B/two_person.lua"
wait_for ' failed$' && wait_for '[1-9][0-9]* failed'; ok $? 'a change runs the tests again'
kill -INT "$pid"
wait "$pid"
[ $? -eq 1 ]; ok $? 'Ctrl-C ends it with the status of the last run'

done_testing
