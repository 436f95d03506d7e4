# `interlock policy eval`: an action or a case, judged without a run.
. "$(dirname "$0")/lib.sh"
P=(--policy policies/office-hours --policy policies/two-person)
echo '{"tool":"write_clipboard","arguments":{"text":"hi"}}' >"$T/action.json"
echo '{"action":{"tool":"x","action_class":"destructive"},"at":"2026-01-05T03:00:00Z"}' >"$T/case.json"

run policy eval
ends 2 'eval of nothing'
has "$err" "write 'interlock policy eval ACTION.json --policy DIR'" 'eval of nothing says what to write'
run policy eval "$T/action.json"
ends 2 'eval without a bundle'
run policy eval "$T/none.json" "${P[@]}"
ends 2 'a file that is not there'
run policy eval "$T/action.json" "${P[@]}"
ends 0 'an action'
has "$out" 'office-hours/office-hours in preview says nothing' 'each policy has a line'
has "$out" 'nobody asks or denies' 'and all together'
has "$out" 'the class is not given and was taken as edit_reversible' 'a class that is guessed is said to be'
run policy eval "$T/action.json" "${P[@]}" --at 2026-01-04T12:00:00Z
ends 0 'an action at a time'
has "$out" 'ask 2 approvers: outside office hours' 'another time'
has "$out" 'policies/office-hours/office_hours.lua:' 'where it is said'
has "$out" 'remedy: ' 'what helps'
run policy eval "$T/case.json" "${P[@]}" --trace
ends 0 'a case'
has "$out" 'two-person/two-person in preview: ask 2 approvers, within 1h 00m' 'of two policies'
has "$out" 'action.action_class = "destructive"' 'what was looked at'
has "$out" 'ctx.time_in("Z").hour = 3' 'also of times in zones'
run policy eval "$T/case.json" "${P[@]}" --phase propose
has "$out" 'no policy has anything to say in these phases' 'one phase'
run policy eval "$T/case.json" "${P[@]}" --phase preview --format json --trace
json "d.verdict == 'ask' and #d.policies == 2 and #d.needs == 2 and d.policies[1].used[1].path" 'as JSON'
one=$out
run policy eval "$T/case.json" "${P[@]}" --phase preview --format json --trace
[ "$out" = "$one" ]; ok $? 'the same again'
"$IL" policy eval - "${P[@]}" --phase preview --format json --trace <"$T/case.json" >"$T/out"
[ "$(cat "$T/out")" = "$one" ]; ok $? 'from standard input'
echo '{"tol":"x"}' >"$T/bad.json"
run policy eval "$T/bad.json" "${P[@]}"
ends 65 'a file that is no action'
echo '{"action":{"tol":"x"}}' >"$T/bad.json"
run policy eval "$T/bad.json" "${P[@]}"
ends 65 'a case with a mistake'
has "$err" 'did you mean "tool"?' 'a case with a mistake: what is meant'
echo '[' >"$T/bad.json"
run policy eval "$T/bad.json" "${P[@]}"
ends 65 'a file that is no JSON'
run policy eval "$T/action.json" "${P[@]}" --param opens=23 --param closes=23
has "$out" 'outside office hours' 'parameters'
run policy eval "$T/action.json" --policy policies/office-hours --param zone=Europe/Berlin
ends 3 'a policy that fails'
has "$out" 'office-hours/office-hours in preview: error: ' 'a policy that fails is said'
run policy eval "$T/action.json" --policy policies
ends 3 'a folder that is no bundle'
done_testing
