# `interlock policy diff OLD NEW --runs STORE`: recorded runs decided again.
. "$(dirname "$0")/lib.sh"

# bundle FOLDER PHASE BODY: one hard policy of that phase, in a bundle "house".
bundle() {
    mkdir -p "$1"
    echo '{"name":"house","version":"1","requires":1,"policies":[{"file":"p.lua","level":"hard"}]}' >"$1/bundle.json"
    {
        printf 'local policy = require "interlock.policy"\nreturn policy {\n  name = "p",\n'
        printf '  %s = function(action, ctx)\n%s\n  end,\n}\n' "$2" "$3"
    } >"$1/p.lua"
}
# play TEXT...: one run of each under the first bundle.
play() {
    local text
    for text; do
        echo "{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"$text\"}}" >"$T/action.json"
        "$IL" run "$T/action.json" --runtime simulated --store "$T/runs.db" --policy "$T/old" >/dev/null 2>&1 \
            </dev/null
    done
}

bundle "$T/old" preview '    local text = action.arguments.text
    if text == "secret" then return policy.deny("no secrets", { code = "secret" }) end'
play hello secret other
run policy diff "$T/old" "$T/old" --runs "$T/runs.db"
ends 0 'the same bundle twice'
has "$out" '3 runs: 3 same, 0 newly denied, 0 newly asked for, 0 newly allowed' 'every run is the same'

bundle "$T/strict" preview '    local text = action.arguments.text
    if text ~= "other" then return policy.deny("only other", { code = "other" }) end'
run policy diff "$T/old" "$T/strict" --runs "$T/runs.db"
ends 0 'what is newly denied is no failure'
has "$out" '2 same, 1 newly denied' 'one is newly denied'
has "$out" 'new: deny by house/p at house/p.lua:6: only other [other]' 'by whom, where and why'
has "$out" 'old: nobody asks or denies' 'and what it was before'

bundle "$T/asks" preview '    if action.arguments.text == "hello" then return policy.ask("hello?") end
    if action.arguments.text == "secret" then return policy.deny("no secrets") end'
run policy diff "$T/old" "$T/asks" --runs "$T/runs.db"
ends 0 'what is newly asked for is no failure'
has "$out" '1 newly asked for' 'one is newly asked for'

bundle "$T/lax" preview '    return nil'
run policy diff "$T/old" "$T/lax" --runs "$T/runs.db"
ends 1 'what is newly allowed fails'
has "$out" '1 newly allowed' 'one is newly allowed'
has "$out" 'old: deny by house/p at house/p.lua:6: no secrets [secret]' 'with the line that denied it'
run policy diff "$T/old" "$T/lax" --runs "$T/runs.db" --allow-newly-allowed
ends 0 'unless it is wanted'
run policy diff "$T/asks" "$T/old" --runs "$T/runs.db"
ends 1 'an ask that is gone is newly allowed'
run policy diff "$T/old" "$T/lax" --runs "$T/runs.db" --format json
ends 1 'as JSON'
json "d.passed == false and d.runs == 3 and d.allowed == 1 and #d.changes == 1" 'the sums as JSON'
json "d.changes[1].change == 'allowed'" 'the changes as JSON'
json "d.changes[1].old.code == 'secret' and d.changes[1].old.line == 6" 'who decided, as JSON'
first=$out
run policy diff "$T/old" "$T/lax" --runs "$T/runs.db" --format json
[ "$out" = "$first" ]; ok $? 'the same bytes in another process'

bundle "$T/fails" preview '    error("on purpose")'
run policy diff "$T/old" "$T/fails" --runs "$T/runs.db"
ends 1 'a policy that fails'
has "$out" 'a policy fails' 'a policy that fails is told'

bundle "$T/early" propose '    local runs = ctx.history { within = "1h", session = "any" }
    if runs > 0 then return policy.deny("once an hour") end'
run policy diff "$T/old" "$T/early" --runs "$T/runs.db" --allow-newly-allowed
ends 0 'a bundle that asks for what was not recorded'
has "$out" 'a history or a limit that was not recorded' 'says so'

run policy diff "$T/old" "$T/early" --runs "$T/runs.db" --format json
json "d.assumed == 3" 'and counts them'

# A run that ended before any policy could have been asked: it is listed, not left out.
printf '{"tool":"write_clipboard","arguments":{"text":"x"},"mode":"shadow"}' >"$T/shadow.json"
"$IL" run "$T/shadow.json" --runtime simulated --store "$T/plain.db" --scope computer:execute:background \
    >/dev/null 2>&1 </dev/null
run policy diff "$T/old" "$T/strict" --runs "$T/plain.db"
has "$out" '1 cannot be decided again' 'a run that no phase was reached in is counted'
has "$out" 'it reached no phase of a policy' 'and listed'

run policy diff "$T/old" --runs "$T/runs.db"
ends 2 'one bundle alone'
run policy diff "$T/old" "$T/lax"
ends 2 'no store'
run policy diff "$T/old" "$T/lax" --runs "$T/nowhere.db"
ends 2 'a store that is not there'
[ ! -e "$T/nowhere.db" ]; ok $? 'is not made'
bundle "$T/broken" preview '    return ('
run policy diff "$T/old" "$T/broken" --runs "$T/runs.db"
ends 3 'a bundle that does not load'
done_testing
