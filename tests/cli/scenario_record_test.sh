# `interlock scenario --record`: a run of a store becomes a scenario file that plays, in any folder.
. "$(dirname "$0")/lib.sh"
S=(--store "$T/runs.db")
R=(--runtime "$D/runtime.lua")

# begin ARGUMENTS [OPTIONS...]: a run; fills $id and $request.
begin() {
    printf '{"tool":"write_clipboard","arguments":%s}\n' "$1" >"$T/action.json"
    shift
    run run "$T/action.json" "${R[@]}" "${S[@]}" --format json "$@"
    id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
    request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
}
record() { run scenario --record "$id" "${S[@]}" "$@"; }
plays() {
    run scenario "$1"
    ends 0 "$2 plays"
    has "$out" '1 passed, 0 failed' "$2 is one scenario"
}

begin '{"text":"a secret"}'
record
ends 0 'to standard output'
has "$out" 'scenario "recorded: write_clipboard' 'a scenario'
has "$out" 'a secret' 'with the values of the run'
has "$out" 'read' 'which the first lines say'
record -o "$T/one_scenario.lua"
ends 0 'to a file'
plays "$T/one_scenario.lua" 'a run that is done'
luacheck -q --config .luacheckrc --globals scenario recorded json -- "$T/one_scenario.lua" >"$T/check" 2>&1
ok $? 'luacheck finds nothing in it'
[ "$(stat -c %a "$T/one_scenario.lua")" = 600 ]; ok $? 'nobody else may read it'
record -o "$T/one_scenario.lua"
ends 2 'to a file that is there'
record --mask /arguments/text -o "$T/masked_scenario.lua"
ends 0 'with a mask'
lacks "$(cat "$T/masked_scenario.lua")" 'a secret' 'the value is not in it'
plays "$T/masked_scenario.lua" 'one with masked values'
record --mask text
ends 2 'a mask that is no pointer'

begin '{"ask":true}' --policy "$D/hours"
ends 4 'a run that waits'
run approve "$id" --request "$request" --as ann "${S[@]}" --resume "${R[@]}" --policy "$D/hours"
ends 5 'is approved and goes on'
record
ends 2 'without its policies'
has "$err" 'name them by --policy' 'says how to name them'
record --policy policies/office-hours
ends 2 'with other policies'
record --policy "$D/hours" --param say=other
ends 2 'with other parameters'
mkdir -p "$T/here/there" && cp -r "$D/hours" "$T/here/hours"
(cd "$T/here" && "$IL" scenario --record "$id" "${S[@]}" --policy hours -o there/x_scenario.lua) >"$T/out" 2>"$T/err"
status=$?
ends 0 'with its policies, named from another folder'
has "$(cat "$T/here/there/x_scenario.lua")" 'dir = "../hours"' 'they are named as the file sees them'
plays "$T/here/there/x_scenario.lua" 'a run that was left and approved'

begin '{"lost":true}'
record -o "$T/lost_scenario.lua"
ends 0 'a run that lost its receipt'
plays "$T/lost_scenario.lua" 'a run that lost its receipt'

run scenario "$T/lost_scenario.lua" --policy "$D/hours"
ends 2 'policies of scenarios that are run'
record x
ends 2 'an operand'
run scenario --record none "${S[@]}"
ends 1 'a run that there is not'
run scenario --record "$id"
ends 2 'without a store'
done_testing
