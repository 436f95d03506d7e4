# `interlock policy explain`: actions, cases and recorded runs, in words and as JSON.
. "$(dirname "$0")/lib.sh"

# bundle FOLDER NAME BODY: a hard policy whose preview has that body.
bundle() {
    mkdir -p "$1"
    {
        printf '{"name":"%s","version":"1","requires":1,"policies":[{"file":"p.lua","level":"hard",' "$2"
        printf '"params":{"most":{"type":"integer","default":3}}}]}'
    } >"$1/bundle.json"
    {
        printf 'local policy = require "interlock.policy"\nreturn policy {\n  name = "p",\n'
        printf '  preview = function(action, ctx)\n%s\n  end,\n}\n' "$3"
    } >"$1/p.lua"
}

bundle "$T/classes" classes '    if action.action_class == "navigate" then return end
    return policy.deny("only looking", { code = "class" })'
echo '{"tool":"write_clipboard","arguments":{"text":"x"}}' >"$T/action.json"
run policy explain "$T/action.json" --policy "$T/classes"
ends 0 'an action that is denied'
has "$out" 'deny (the runtime' 'the verdict stands first'
has "$out" 'preview  classes/p (hard): deny: only looking [class]' 'who says so, and why'
has "$out" 'at classes/p.lua:6' 'and where'
has "$out" 'action.action_class = "edit_reversible"' 'what it read'
has "$out" 'with action.action_class = navigate it would be allowed' 'what would have to be different'
COLUMNS=40 run policy explain "$T/action.json" --policy "$T/classes"
narrow 40 'in 40 columns'
run policy explain "$T/action.json" --policy "$T/classes" --format json
json "d.fields == 1 and d.flips[1].changes[1].value == 'navigate' and d.flips[1].verdict == 'none'" 'as JSON'
json "d.result.policies[1].line == 6 and d.result.policies[1].used[1].path == 'action.action_class'" 'with the result'
json "#d.cut == 0 and d.tried >= d.candidates" 'and how much was tried'
first=$out
run policy explain "$T/action.json" --policy "$T/classes" --format json
[ "$out" = "$first" ]; ok $? 'the same bytes in another process'

bundle "$T/both" both '    if action.tool ~= "press" then return end
    if ctx.history { outcome = "failed" } > ctx.params.most then return policy.ask("again?") end'
run policy explain "$T/action.json" --policy "$T/both"
ends 0 'an action of which two fields would have to be different'
has "$out" 'with action.tool = press and with ctx.history = 4 earlier runs that fit it' 'both are named'
run policy explain "$T/action.json" --policy "$T/both" --param most=0 --format json
json "d.fields == 2" 'a parameter is a constant as well'

cat >"$T/case.json" <<'JSON'
{"name":"late","action":{"tool":"click","action_class":"navigate"},"at":"2026-01-10T22:30:00Z"}
JSON
run policy explain "$T/case.json" --policy policies/office-hours
ends 0 'a case'
has "$out" 'with ctx.time' 'the time is tried where a zone is asked for'
run policy explain "$T/case.json" --policy policies/office-hours --policy "$T/classes" --format json
json "#d.result.policies >= 1" 'several bundles'

"$IL" run "$T/action.json" --runtime simulated --store "$T/runs.db" --policy "$T/classes" --format json >"$T/run.json"
id=$(grep -o '"runId":"[^"]*"' "$T/run.json" | cut -d'"' -f4)
run policy explain "$id" --store "$T/runs.db" --policy "$T/classes"
ends 0 'a recorded run'
has "$out" 'at classes/p.lua:6' 'a recorded run: the line that decided'
has "$out" 'it would be allowed' 'a recorded run: what would be different'
run policy explain "$id" --store "$T/runs.db" --policy "$T/classes" --phase preview
ends 0 'one phase of a run'
bundle "$T/past" past '    if ctx.history { outcome = "failed" } >= 3 then return policy.ask("thrice") end'
"$IL" run "$T/action.json" --runtime simulated --store "$T/runs.db" --policy "$T/past" --format json >"$T/run.json"
past=$(grep -o '"runId":"[^"]*"' "$T/run.json" | cut -d'"' -f4)
run policy explain "$past" --store "$T/runs.db" --policy "$T/past" --phase preview
has "$out" 'with ctx.history = 3 earlier runs that fit it would need' 'other answers than were recorded are tried'
run policy explain run-none --store "$T/runs.db" --policy "$T/classes"
ends 1 'a run that is not there'

run policy explain
ends 2 'nothing to explain'
run policy explain "$T/action.json"
ends 2 'no bundle'
has "$err" 'add --policy DIR' 'no bundle: what to write'
run policy explain run-1 --policy "$T/classes"
ends 2 'a run without a store'
echo '{"tool":1}' >"$T/bad.json"
run policy explain "$T/bad.json" --policy "$T/classes"
ends 65 'what is no action'
bundle "$T/broken" broken '    if action.tool = "x" then return end'
run policy explain "$T/action.json" --policy "$T/broken"
ends 3 'a bundle that does not load'
done_testing
