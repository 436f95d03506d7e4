# `interlock scenario`: discovery, the four reports, what fails and what is not run.
. "$(dirname "$0")/lib.sh"
S=$T/scenarios
mkdir -p "$S/b" "$S/a"
cat >"$S/a/good_scenario.lua" <<'L'
scenario "an allowed action is executed once" {
  runtime = fake {},
  play = function(s)
    s:start { tool = "write_clipboard", arguments = { text = "hi" } }
    s:expect_effects(1)
  end,
}
L
cat >"$S/b/bad_scenario.lua" <<'L'
scenario "this one <fails> & \"says\" # so" {
  runtime = fake {},
  play = function(s)
    s:start { tool = "write_clipboard", arguments = { text = "hi" } }
    s:expect_effects(7)
  end,
}
L
echo 'this is no Lua' >"$S/b/broken_scenario.lua"
echo 'error "must not be read"' >"$S/b/other.lua"
good=$S/a/good_scenario.lua bad=$S/b/bad_scenario.lua broken=$S/b/broken_scenario.lua

run scenario "$good"
ends 0 'one that passes'
has "$out" 'ok an allowed action is executed once' 'is named'
has "$out" '1 passed, 0 failed' 'and counted'
run scenario "$S/a"
ends 0 'a folder is searched'
has "$out" 'good_scenario.lua' 'and its files are named'
run scenario "$bad"
ends 1 'one that fails'
has "$out" 'bad_scenario.lua:5:' 'shows file and line of the expectation'
has "$out" '7' 'and what was expected'
has "$out" 'what the runs did:' 'and what the run did'
has "$out" 'step execute' 'a line each'
run scenario "$broken"
ends 65 'a file that is no Lua'
has "$out" 'broken_scenario.lua' 'is named'
run scenario "$S"
ends 65 'a broken file beside others'
has "$out" '1 passed, 1 failed' 'the others are run'
lacks "$out" 'must not be read' 'a file of another name is not read'
run scenario "$bad" "$good" "$good"
has "$out" '1 passed, 1 failed' 'a file named twice is run once'
[ "$(printf '%s\n' "$out" | grep -n '_scenario.lua$' | head -1 | grep -c good)" -eq 1 ]; ok $? 'files are run in order'

run scenario "$good" --run nothing
ends 0 'no name contains the pattern'
has "$err" 'no scenario ran' 'says so'
run scenario "$good" --run nothing --fail-on-empty
ends 1 '--fail-on-empty'
run scenario "$good" "$bad" --run allowed
ends 0 'a pattern chooses'
mkdir "$S/empty"
run scenario "$S/empty" --fail-on-empty
ends 1 'an empty folder with --fail-on-empty'

run scenario "$good" "$bad" "$broken" --format tap
ends 65 'TAP'
has "$out" 'ok 1 - an allowed action is executed once' 'TAP: a test'
has "$out" 'not ok 2 - this one <fails>' 'TAP: a failed test'
lacks "$(printf '%s\n' "$out" | grep '^not ok 2')" '#' 'TAP: a name holds no directive'
has "$out" 'not ok 3 - ' 'TAP: a file that cannot be run'
[ "$(printf '%s\n' "$out" | tail -1)" = 1..3 ]; ok $? 'TAP: the plan'
[ "$(printf '%s\n' "$out" | grep -cvE '^(ok |not ok |# |#$|1\.\.|TAP version)')" -eq 0 ]; ok $? 'TAP: nothing else'

run scenario "$good" "$bad" "$broken" --format json
json 'd.ok == false and d.passed == 1 and d.failed == 1 and #d.scenarios == 2 and #d.errors == 1' 'JSON: the counts'
json 'd.scenarios[2].line == 5 and d.scenarios[2].name:find "<fails>"' 'JSON: the failed one'
json 'd.scenarios[2].trace[1] == "step observe" and d.errors[1].error.code' 'JSON: trace and error'
[ -z "$err" ]; ok $? 'JSON: nothing on stderr'
run scenario "$good" --format json
json 'd.ok == true' 'JSON: all passed'

run scenario "$good" "$bad" "$broken" --format junit
has "$out" 'tests="3" failures="1" errors="1"' 'JUnit: the counts'
has "$out" 'this one &lt;fails&gt; &amp; &quot;says&quot; # so' 'JUnit: escaped'
if command -v xmllint >/dev/null; then printf '%s' "$out" | xmllint --noout -; ok $? 'JUnit: well-formed'; fi

out=$("$IL" scenario - <"$good" 2>"$T/err")
status=$?
ends 0 'a scenario from standard input'

run scenario --corpus examples/safety-corpus.json
ends 0 'a safety corpus'
run scenario "$good" --corpus examples/safety-corpus.json --format tap
has "$out" 'ok 1 - an allowed action' 'beside scenarios, which run first'
echo '{"schemaVersion":1}' >"$T/corpus.json"
run scenario --corpus "$T/corpus.json"
ends 65 'a corpus that cannot be decoded'

deep=$S
for i in $(seq 17); do deep=$deep/d; done
mkdir -p "$deep"
run scenario "$S"
ends 2 'folders nested too deep'
has "$err" 'deeper than 16' 'says how deep'
rm -r "$S/d"
mkdir "$S/many"
(cd "$S/many" && seq -f '%g_scenario.lua' 4100 | xargs touch)
run scenario "$S"
ends 2 'too many files'
has "$err" 'more than 4096' 'says how many'
rm -r "$S/many"
ln -s "$S" "$S/a/loop"
run scenario "$S/a"
ends 0 'a link to a folder is not followed'

COLUMNS=50 run scenario "$bad"
narrow 60 'it reads at 50 columns'
done_testing
