# `interlock run`: every end with its exit status, told as an account and as one JSON document.
. "$(dirname "$0")/lib.sh"
R=(--runtime "$D/runtime.lua")
window='"postcondition":{"kind":"window","windowId":7,"exists":true}'

# action NAME ARGUMENTS [MEMBERS]: writes $T/NAME.json.
action() {
    printf '{"tool":"write_clipboard","arguments":%s%s}\n' "$2" "${3:+,$3}" >"$T/$1.json"
}
action plain '{"text":"hi"}'
action verified '{"satisfied":true}' "$window"
action contradicted '{"satisfied":false}' "$window"
action shadow '{"text":"hi"}' '"mode":"shadow"'
action foreground '{"text":"hi"}' '"mode":"foreground"'
action approval '{"approval":true}'
action session '{"session":"another"}'
action state '{"state":"revoked"}'
action lost '{"lost":true}'
action silent '{"silent":true}'
action unreleased '{"unreleased":true}'
action ask '{"ask":true}'
action two '{"two":true}'
action early '{"early":true}'
action deny '{"deny":true}'

run run "$T/plain.json" "${R[@]}"
ends 5 'committed, unverified'
has "$out" 'write_clipboard  background' 'the header names tool and mode'
has "$out" 'for local-operator (the default)' 'and the default principal'
for step in observe preview acquire_lease execute verify; do has "$out" "ok $step" "the step $step is told"; done
has "$out" 'released the control lease' 'what was released is told'
has "$out" 'committed_unverified' 'the status'
has "$out" 'effect        committed' 'the effect'
has "$out" 'verified      no: ' 'why it is not verified'
has "$out" 'retry         not safe' 'whether a retry is safe'
has "$out" 'receipt-1' 'the receipt'
[ -z "$err" ]; ok $? 'nothing on stderr'
narrow 80 'it fits 80 columns'
COLUMNS=50 run run "$T/plain.json" "${R[@]}"
narrow 50 'it fits 50 columns'

run run "$T/plain.json" "${R[@]}" --principal ada
has "$out" 'for ada' 'a principal that is given'
lacks "$out" 'the default' 'is not called a default'
run run "$T/verified.json" "${R[@]}"
ends 0 'verified'
has "$out" 'completed: ' 'the status completed'
has "$out" 'verified      yes' 'verified: yes'
run run "$T/contradicted.json" "${R[@]}"
ends 6 'evidence against the postcondition'
run run "$T/shadow.json" "${R[@]}"
ends 0 'a shadow run'
has "$out" 'previewed' 'ends previewed'
run run "$T/foreground.json" "${R[@]}"
ends 1 'foreground without its scope'
has "$out" 'missing_scope' 'names the code'
run run "$T/foreground.json" "${R[@]}" --scope computer:execute:foreground
ends 5 'foreground with its scope'
run run "$T/foreground.json" "${R[@]}" --scope computer:plan --scope computer:execute:background \
    --scope computer:execute:foreground
ends 5 'the third of three scopes'
run run "$T/plain.json" "${R[@]}" --scope computer:plan
ends 1 'given scopes replace the usual ones'
run run "$T/session.json" "${R[@]}"
ends 8 'a lease of another session is left alone'
has "$out" 'control lease: session_id expected cli-session, got another' 'and told with both values'
run run "$T/state.json" "${R[@]}"
ends 1 'a lease that is not active'
has "$out" 'control lease: state expected active, got revoked' 'is told with both values'
has "$out" 'released the control lease' 'and given back'
has "$out" '!! acquire_lease' 'at its step'
has "$out" 'refused: ' 'the status refused'
run run "$T/lost.json" "${R[@]}"
ends 7 'sent, and no receipt'
has "$out" 'effect        unknown' 'the effect is unknown'
run run "$T/unreleased.json" "${R[@]}"
ends 8 'a lease that cannot be given back'
has "$out" 'not released' 'is told'

run run "$T/plain.json" "${R[@]}" --trace
has "$out" 'action envelope: session_id is cli-session' 'the trace has checks that passed, with their inputs'
has "$out" 'asked for preview_action' 'and requests'
lacks "$out" $'\e' 'no escape sequence'
run run "$T/plain.json" "${R[@]}" --format json
ends 5 'JSON'
json 'd.status == "committed_unverified" and d.result.status == d.status' 'JSON: the status'
json 'd.effect == "committed"' 'JSON: the effect'
json 'd.verified == false and d.committed == true and d.retrySafe == false and d.exitStatus == 5' 'JSON: the rest'
json 'd.principal == "local-operator" and d.principalIsDefault == true' 'JSON: for whom'
json 'd.simulated == false and d.runtime:find "runtime.lua$"' 'JSON: by whom'
json 'd.trace == nil' 'JSON: no trace unless asked for'
[ -z "$err" ] && [ "$(wc -l <"$T/out")" -eq 1 ]; ok $? 'JSON: one document, nothing else'
run run "$T/plain.json" "${R[@]}" --format json --trace
json '#d.trace > 50 and d.trace[1].type == "step" and d.trace[#d.trace].type == "ended"' 'JSON: the trace'
run run "$T/session.json" "${R[@]}" --format json
json 'd.status == "refused" and d.error.object == "control lease"' 'JSON: an error'
json 'd.error.expected == "cli-session" and d.error.actual == "another"' 'JSON: with both values'
json 'd.error.cleanup.code and d.exitStatus == 8' 'JSON: the failure to release beside it'

run run "$T/plain.json" --runtime simulated
ends 5 'the simulated runtime'
has "$out" 'SIMULATED  write_clipboard' 'is called what it is'
has "$out" 'committed (in the simulation only)' 'also at the effect'
run run "$T/plain.json" --runtime simulated --format json
json 'd.simulated == true and d.runtime == "simulated"' 'and in JSON'
run run examples/minimal/action.json --runtime examples/refused-lease/runtime.lua --policy policies/office-hours \
    --param opens=0 --param closes=24
lacks "$out$err" 'no bundle has' 'the bundles and examples of this folder take what is documented'

# ---- the kill switch ----

run run "$T/plain.json" "${R[@]}" --kill-switch "$T/STOP"
ends 5 'a kill switch that is off'
: >"$T/STOP"
run run "$T/plain.json" "${R[@]}" --kill-switch "$T/STOP"
ends 1 'one that is on'
has "$out$err" 'the kill switch is on:' 'and why nothing is done'
run run "$T/plain.json" "${R[@]}" --kill-switch "$T/no-folder/STOP"
ends 1 'one whose folder is missing is on'
rm "$T/STOP"

# ---- waiting and answers ----

run run "$T/approval.json" "${R[@]}"
ends 4 'a run that waits'
has "$out" 'waiting: a person must answer' 'says so'
has "$out" 'argument approval = true' 'shows the card'
has "$out" 'the runtime wants an approval' 'and the need'
has "$out" 'request       req-' 'the request id'
has "$out" 'expires       20' 'the expiry'
has "$out" '--approval answer.json' 'how to answer'
has "$out" 'this run ends with the process' 'and that nothing is kept'
narrow 150 'only the answer to copy is wider than the page'
printf '%s\n' "$out" | grep '^    {' >"$T/answer.json"
run run "$T/approval.json" "${R[@]}" --approval "$T/answer.json"
ends 5 'the answer that was shown is accepted in the next run'
has "$out" 'runtime need: runtime-approved' 'and told'
sed 's/"actionDigest":"[^"]*"/"actionDigest":"0000"/' "$T/answer.json" >"$T/other.json"
run run "$T/approval.json" "${R[@]}" --approval "$T/other.json"
ends 1 'an answer to another action'
has "$out" 'refused: ' 'ends the run refused'
has "$out" 'approval: action_digest expected' 'names the field'
run run "$T/approval.json" "${R[@]}" --approval "$T/other.json" --format json
json 'd.status == "refused" and d.error.code == "approval_mismatch" and d.exitStatus == 1' 'refused, as JSON'
echo '{"actionDigest":1}' >"$T/undecodable.json"
run run "$T/approval.json" "${R[@]}" --approval "$T/undecodable.json"
ends 65 'an answer that cannot be decoded'
[ -z "$out" ]; ok $? 'is refused before anything was asked'
printf '{"approval":%s,"preview":{}}' "$(cat "$T/answer.json")" >"$T/second.json"
run run "$T/approval.json" "${R[@]}" --approval "$T/second.json"
ends 3 'a second preview beside the answer'
has "$out" 'preview channel: entries expected 1, got 2' 'is named'
run run "$T/approval.json" "${R[@]}" --format json
json 'd.status == "waiting" and d.requestId:find "^req%-" and d.expiresAt and d.card' 'waiting, as JSON'
json 'd.needs[1].kind == "runtime" and d.actionDigest and d.exitStatus == 4' 'the need, as JSON'

P=(--policy "$D/hours")
run run "$T/plain.json" "${R[@]}" "${P[@]}"
ends 5 'a policy without an opinion'
run run "$T/ask.json" "${R[@]}" "${P[@]}"
ends 4 'a policy that asks'
has "$out" 'policy hours/hours (soft, preview): ask - outside office hours' 'policy, level, phase, verdict, reason'
has "$out" 'hours/hours asks for 1 approver' 'the need'
printf '%s\n' "$out" | grep '^    {' >"$T/answer.json"
run run "$T/ask.json" "${R[@]}" "${P[@]}" --approval "$T/answer.json"
ends 5 'the local operator approves by file'
has "$out" 'local operator: approve' 'the decision is told'
run run "$T/ask.json" "${R[@]}" "${P[@]}" --param 'say=too late'
has "$out" 'ask - too late' 'a parameter as text'
run run "$T/ask.json" "${R[@]}" "${P[@]}" --param 'say="in \"quotes\""'
has "$out" 'ask - in "quotes"' 'a parameter as JSON'
run run "$T/ask.json" "${R[@]}" "${P[@]}" --param say=1
ends 65 'a parameter of the wrong type'
run run "$T/ask.json" "${R[@]}" "${P[@]}" --param sya=1
ends 2 'a parameter that no bundle has'
run run "$T/two.json" "${R[@]}" "${P[@]}"
ends 1 'a policy that asks for two people'
has "$out" 'blocked: ' 'blocks, where there is one operator'
run run "$T/early.json" "${R[@]}" "${P[@]}"
ends 4 'a policy that asks before the preview'
has "$out" 'each run proposes anew' 'cannot be answered from a file'
run run "$T/deny.json" "${R[@]}" "${P[@]}"
ends 4 'a soft deny'
has "$out" 'never on a \x1b[31mMonday' 'a reason is escaped'
lacks "$out" $'\e' 'wherever it stands'
has "$out" '"reason":"say why"' 'wants a reason in the answer'

# ---- on a terminal ----

# ask INPUT NAME: answers the run of $T/NAME.json on a pseudo-terminal.
ask() {
    out=$(printf '%b' "$1" | NO_COLOR=1 LC_ALL=C script -qec \
        "$(printf '%q ' "$IL" run "$T/$2.json" "${R[@]}" "${P[@]}" --ask); echo status \$?" /dev/null | tr -d '\r')
}
if command -v script >/dev/null; then
    run run "$T/deny.json" "${R[@]}" "${P[@]}" --format json
    digest=$(printf '%s' "$out" | sed 's/.*"actionDigest":"\([^"]*\).*/\1/')
    ask "${digest:0:8} it is fine\n" deny
    has "$out" 'local operator: approve - it is fine' '--ask takes the start of the digest and a reason'
    has "$out" 'status 5' '--ask: the run goes on'
    run run "$T/ask.json" "${R[@]}" "${P[@]}" --format json
    digest=$(printf '%s' "$out" | sed 's/.*"actionDigest":"\([^"]*\).*/\1/')
    ask "yes\n${digest:0:7}\n\n" ask
    has "$out" 'nothing was decided' '--ask takes no other word'
    has "$out" 'status 4' '--ask: Enter leaves it open'
    ask 'deny not today\n' deny
    has "$out" 'local operator: deny - not today' '--ask takes a deny'
    has "$out" 'status 1' '--ask: a deny ends the run'
fi
run run "$T/deny.json" "${R[@]}" --ask
ends 2 '--ask without a terminal'
run run - "${R[@]}" --ask
ends 2 '--ask with the action on standard input'
run run "$T/deny.json" "${R[@]}" --ask --format json
ends 2 '--ask with JSON'

# ---- what the user gave cannot be used ----

echo '{"tool":"write_clipboard","sessionId":"s"}' >"$T/bad.json"
run run "$T/bad.json" "${R[@]}"
ends 65 'a proposal with a member that only the host may set'
has "$err" 'sessionId' 'which is named'
run run "$T/bad.json" "${R[@]}" --format json
json 'd.ok == false and d.error.code == "invalid_request" and d.exitStatus == 65' 'as JSON'
echo 'return 1 +' >"$T/bad.lua"
run run "$T/plain.json" --runtime "$T/bad.lua"
ends 3 'a runtime that does not compile'
has "$err" 'bad.lua:2: ' 'file and line are named'
run run "$T/plain.json" "${R[@]}" --workflow "$T/bad.lua"
ends 3 'a workflow that does not compile'
echo 'return function(run) run:execute() end' >"$T/order.lua"
run run "$T/plain.json" "${R[@]}" --workflow "$T/order.lua"
ends 3 'a workflow that executes first'
has "$out" 'invariant' 'ends by the invariant'
run run "$T/plain.json" "${R[@]}" --policy "$T"
[ "$status" -ne 0 ] && [ -z "$out" ]; ok $? 'a policy folder without a bundle'

run run "$T/plain.json" "${R[@]}" --now 2001-02-03T04:05:06Z --trace
ends 5 'a clock that starts in the past'
has "$out" 'proposed_at is 2001-02-03T04:05:0' 'is the clock of the run'

# ---- interrupted ----

"$IL" run "$T/silent.json" "${R[@]}" >"$T/out" 2>"$T/err" &
pid=$!
for i in $(seq 50); do grep -q observe "$T/out" && break; sleep 0.1; done
kill -INT $pid
wait $pid
status=$? out=$(cat "$T/out") err=$(cat "$T/err")
ends 1 'an interrupt'
has "$out" 'cancelled: ' 'cancels the run'
done_testing
