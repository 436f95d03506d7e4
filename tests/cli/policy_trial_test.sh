# Bundles on trial: --trial on commands that act, trialBundles in the configuration, and `policy trial`.
. "$(dirname "$0")/lib.sh"
S=(--store "$T/runs.db")

# bundle NAME BODY: a bundle of one policy whose preview phase has this body.
bundle() {
    mkdir -p "$T/$1"
    printf '{"name":"%s","version":"1","requires":1,"policies":[{"file":"p.lua","level":"hard"%s}]}\n' "$1" "${3:-}" \
        >"$T/$1/bundle.json"
    {
        echo 'local policy = require "interlock.policy"'
        echo 'return policy { name = "p", preview = function(action, ctx)'
        printf '%s\nend }\n' "$2"
    } >"$T/$1/p.lua"
}
bundle same ''
bundle denies 'return policy.deny "never"'
bundle fails 'error "broken"'
bundle opens 'if ctx.params.open then return policy.ask "open" end' \
    ',"params":{"open":{"type":"boolean","default":false}}'
bundle bad 'return'
echo '}' >>"$T/bad/p.lua"
echo '{"tool":"write_clipboard","arguments":{"text":"hi"}}' >"$T/action.json"
go() { run run "$T/action.json" --runtime simulated "$@"; }

# ---- a run

go --format json "${S[@]}"
ends 5 'a run without trials'
[ "${out/\"trial\"/}" = "$out" ]; ok $? 'says nothing of trials'
go --trial "$T/denies" "${S[@]}"
ends 5 'a bundle on trial denies: the run goes on'
has "$out" 'on trial' 'what it would have done is told'
has "$out" 'preview denied (none -> deny), by denies/p line 3: never' 'with policy, line and reason'
go --trial "$T/denies" --format json
ends 5 'the same without a store'
json 'd.trial.differs == 1 and d.trial.phases[1].change == "denied"' 'and in JSON'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
go --trial "$T/same"
lacks "$out" 'on trial' 'one that agrees is not mentioned'
go --policy "$T/denies" --trial "$T/same" "${S[@]}"
ends 1 'a bundle that counts denies, whatever one on trial says'
has "$out" 'preview let through (deny -> none), not by denies/p line 3' 'what it would have let through is told'
go --trial "$T/fails" --trial "$T/denies" "${S[@]}" --format json
ends 5 'one that fails, and another'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
run show "$id" "${S[@]}"
ends 0 'show'
has "$out" 'preview denied (none -> deny), by fails/p line 3' 'show tells it, too'
go --trial "$T/opens" --param open=true --format json
json 'd.trial.phases[1].change == "asked"' 'a parameter reaches a bundle on trial'
go --trial "$T/nowhere"
ends 2 'a bundle on trial that is not there'
has "$err" "--trial $T/nowhere" 'is named'
go --trial "$T/bad"
ends 3 'a bundle on trial that does not load'
has "$err" 'p.lua:5' 'is refused with file and line'
run policy build "$T/denies" -o "$T/denies.bundle"
go --trial "$T/denies.bundle" --format json
json 'd.trial.differs == 1' 'a packed bundle'

# ---- who signed it matters for these, too

run key new "$T/key.pem"
run key show "$T/key.pem"
printf '%s\n' "$out" | head -1 >"$T/key.pub"
go --trial "$T/denies" --policy-key "$T/key.pub"
ends 3 'an unsigned bundle on trial where keys are trusted'

# ---- the configuration

mkdir "$T/conf"
printf '{"trialBundles":[{"path":"../opens","params":{"open":true}}]}\n' >"$T/conf/interlock.json"
go --config "$T/conf/interlock.json" --format json
ends 5 'trialBundles in the configuration'
json 'd.trial.phases[1].change == "asked"' 'with their parameters'
go --config "$T/conf/interlock.json" --trial "$T/same" --format json
json 'd.trial == nil' 'an option wins over them'
run doctor --config "$T/conf/interlock.json"
has "$out" 'on trial' 'doctor looks at them'

# ---- the report

run policy trial "${S[@]}"
ends 0 'policy trial'
has "$out" 'preview denied (none -> deny), by denies/p line 3: never' 'a difference'
has "$out" "$id  preview failed, by fails/p line 3" 'a failure, with the run'
has "$out" 'runs on trial: 3, judged otherwise in 3' 'totals'
run policy trial "${S[@]}" --format json
ends 0 'policy trial as JSON'
json '#d.changes == 4 and d.runs == 3 and d.differ == 3 and d.phases.preview.denied == 2' 'one document'
json 'd.phases.preview.allowed == 1 and d.phases.preview.errors == 1 and d.phases.execute.same == 0' 'counts'
run policy trial "${S[@]}" --since 2999-01-01T00:00:00Z
ends 0 'since later'
has "$out" 'runs on trial: 0' 'nothing'
run policy trial "${S[@]}" --since yesterday
ends 2 'since no time'
run policy trial "${S[@]}" --since yesterday --format json
ends 2 'since no time, as JSON'
json 'd.ok == false and d.error.code == "invalid_request"' 'is one document still'
run policy trial "${S[@]}" x
ends 2 'an operand'
run policy trial
ends 2 'without a store'
run policy trial --store "$T/none.db"
ends 2 'a store that is not there'
done_testing
