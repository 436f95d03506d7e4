# Runs that wait in a store: `run --store`, `pending`, `show`, `approve`, `deny`, `defer`, `re-observe`, `resume`,
# `cancel`, `stop` and `lift`, each a process of its own.
. "$(dirname "$0")/lib.sh"
S=(--store "$T/runs.db")
R=(--runtime "$D/runtime.lua")
ask='{"tool":"write_clipboard","arguments":{"ask":true}}'
P=(--policy "$D/hours")

# begin ARGUMENTS [OPTIONS...]: a run that waits; fills $id and $request.
begin() {
    printf '{"tool":"write_clipboard","arguments":%s}\n' "$1" >"$T/action.json"
    shift
    run run "$T/action.json" "${R[@]}" "${P[@]}" "${S[@]}" --format json "$@"
    id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
    request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
}
# as VERB [OPTIONS...]: decides on the open request.
as() {
    local verb=$1
    shift
    run "$verb" "$id" --request "$request" --as ann "${S[@]}" "$@"
}
go() { run resume "$id" "${S[@]}" "${R[@]}" "${P[@]}" "$@"; }
show() { run show "$id" "${S[@]}" "$@"; }

# ---- without a store ----

for command in pending "show x" "approve x --request r --as a" "deny x --request r --as a" "cancel x" \
    "resume x --runtime simulated" "lift s --yes"; do
    # shellcheck disable=SC2086
    run $command
    ends 2 "$command without a store"
    has "$err" '--store FILE' 'says what to write'
    # shellcheck disable=SC2086
    run $command --store "$T/none.db"
    ends 2 "$command with a store that is not there"
    [ ! -e "$T/none.db" ]; ok $? 'does not make one'
done
echo 'no store' >"$T/text.db"
chmod 600 "$T/text.db"
run pending --store "$T/text.db"
ends 8 'a file that is no store'
lacks "$err" 'SQLITE' 'is told in words'

# ---- a run waits, is seen, approved, and goes on ----

echo "$ask" >"$T/action.json"
run run "$T/action.json" "${R[@]}" "${P[@]}" "${S[@]}"
ends 4 'a run that waits in a store'
has "$out" 'interlock approve ' 'says how it is approved'
has "$out" 'interlock resume ' 'and gone on with'
has "$out" 'kept          in the store' 'and that it is kept'
[ "$(stat -c %a "$T/runs.db")" = 600 ]; ok $? 'the store is for its owner alone'
run pending "${S[@]}"
ends 0 'pending'
has "$out" '1 run waits' 'counts'
has "$out" 'in 5' 'and counts down'
narrow 80 'pending fits 80 columns'
COLUMNS=50 run pending "${S[@]}"
narrow 50 'pending fits 50 columns'
run pending "${S[@]}" --format json
json '#d.runs == 1 and d.runs[1].status == "waiting" and d.runs[1].expiresInMs > 50000' 'pending as JSON'
json '#d.store == 32 and d.runs[1].owned == false and d.runs[1].letters == 0' 'pending as JSON: whose, and letters'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
show
ends 0 'show'
has "$out" 'argument ask = true' 'shows the card'
has "$out" 'nobody has it' 'and who has the run'
has "$out" "$request" 'and the request'
show --format json
json "d.requestId == '$request' and d.cardDigest and d.tool == 'write_clipboard' and d.owned == false" 'show as JSON'
digest=$(printf '%s' "$out" | sed 's/.*"actionDigest":"\([^"]*\).*/\1/')
card=$(printf '%s' "$out" | sed 's/.*"cardDigest":"\([^"]*\).*/\1/')
show --card
ends 0 'show --card'
[ "$(sha256sum <"$T/out" | cut -d' ' -f1)" = "$card" ]; ok $? 'prints the card byte for byte'

run approve "$id" --request req-0 --as ann "${S[@]}"
ends 1 'an approval of another request'
has "$err" 'not the open request' 'says so'
lacks "$err" "$request" 'and nothing of the right one'
as approve --digest 00000000
ends 1 'an approval of another digest'
run approve "$id" --as ann "${S[@]}"
ends 2 'an approval without a request'
run approve "$id" --request "$request" "${S[@]}"
ends 2 'an approval by nobody'
run approve "${S[@]}" --request "$request" --as ann
ends 2 'an approval of no run'
as approve --grant g1
ends 1 'a grant where the runtime asked for nothing'
as approve --runtime simulated
ends 2 'a runtime without --resume'
run approve nobody --request "$request" --as ann "${S[@]}"
ends 2 'a run that is not there'
has "$err" 'interlock pending' 'and where to look'
show --format json
json 'd.status == "waiting" and d.letters == 0' 'what was refused left nothing'
as approve --digest "${digest:0:8}"
ends 0 'an approval'
has "$out" 'interlock resume' 'says what is next'
show
has "$out" 'an answer is left for it' 'show knows of it'
run resume "$id" "${S[@]}" --runtime simulated "${P[@]}"
ends 8 'resume by another runtime'
has "$err" 'run: runtime expected' 'names what differs'
run resume "$id" "${S[@]}" "${R[@]}"
ends 8 'resume without its policies'
run resume "$id" "${S[@]}" "${R[@]}" "${P[@]}" --principal eve
ends 8 'resume for another principal'
has "$err" 'run: principal expected local-operator, got eve' 'names both'
go
ends 5 'resume'
has "$out" 'resumed' 'says that it is a run that goes on'
has "$out" 'local operator: approve' 'and what was decided'
has "$out" 'sent, once' 'and that it was sent'
lacks "$out" 'looked at the desktop' 'and looks at nothing twice'
go
ends 8 'resume of a run that has ended'
as approve
ends 1 'an approval of a run that has ended'
has "$err" 'too late: the run has ended as committed_unverified' 'is too late'
show --format json
json 'd.status == "committed_unverified" and d.effect == "committed" and d.result.receiptId' 'show of an ended run'
show --card
ends 1 'an ended run has no card'
run pending "${S[@]}"
has "$out" 'no run waits' 'pending is empty again'

# ---- the other answers ----

begin '{"ask":true}'
as defer --reason 'asking around'
ends 0 'defer'
go --format json
ends 4 'a deferred run waits on'
json "d.requestId == '$request'" 'for the same answer'
as deny --reason 'not today' --format json
ends 0 'deny'
json 'd.ok and d.decision == "deny" and d.approver == "ann" and d.late == false and d.signed == false' 'deny as JSON'
as approve
ends 0 'an approval behind it is left, too'
go
ends 1 'but a deny ends the run'
has "$out" 'denied: ' 'denied'
has "$out" 'said deny: not today' 'with the reason'

begin '{"ask":true}'
first=$id
as re-observe
go --format json
ends 4 're-observe ends the run and asks afresh'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
[ "$id" != "$first" ]; ok $? 'as another run'
json "d.requestId ~= '$request'" 'with another request'
run show "$first" "${S[@]}" --format json
json 'd.status == "denied"' 'the first one is denied'
run resume "$first" --renew "${S[@]}" "${R[@]}" "${P[@]}" --format json
json "d.runId == '$id'" 'resume --renew gives the same successor'
run cancel "$id" --reason 'enough' "${S[@]}"
ends 0 'cancel'
go
ends 1 'a cancelled run'
has "$out" 'cancelled: ' 'is cancelled'
run cancel "$id" "${S[@]}"
ends 1 'cancel of a run that has ended'

begin '{"deny":true}'
as approve
ends 1 'an override without a reason'
has "$err" '--reason TEXT' 'says what to write'
as approve --reason 'it is fine' --resume "${R[@]}" "${P[@]}"
ends 5 'approve --resume goes on at once'
has "$out" 'local operator: approve - it is fine' 'with the reason'

begin '{"early":true}'
show --format json
json 'd.actionDigest == nil or d.actionDigest ~= d.proposalDigest' 'a wait before the preview'
digest=$(printf '%s' "$out" | sed 's/.*"proposalDigest":"\([^"]*\).*/\1/')
as approve --digest "${digest:0:12}"
ends 0 'is approved by the digest of the proposal'
go
ends 5 'and goes on'

begin '{"ask":true}'
printf '{"requestId":"%s"}' "$request" >"$T/half.json"
go --answer "$T/half.json"
ends 4 'an answer without digests leaves the run waiting'
has "$err" 'half.json' 'and is named'
run show "$id" "${S[@]}" --format json
printf '%s' "$out" | lua5.4 -e '
    local doc = io.read "a"
    local function get(name) return doc:match("\"" .. name .. "\":(\"[^\"]*\")") end
    print(("{\"requestId\":%s,\"actionDigest\":%s,\"policyDigest\":%s,\"decision\":\"approve\"}"):format(
        get "requestId", get "actionDigest", get "policyDigest"))' >"$T/whole.json"
go --answer "$T/whole.json"
ends 5 'a whole one is taken'

# ---- a runtime that keeps something of each preview ----

printf '{"tool":"write_clipboard","arguments":{"ask":true},"dataLabels":["lost"]}\n' >"$T/action.json"
run run "$T/action.json" "${R[@]}" "${P[@]}" "${S[@]}" --format json
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
as approve
go
ends 8 'a runtime that does not know the preview any more'
has "$err" 'it is not known here' 'says so'
show --format json
json 'd.status == "waiting" and d.letters == 1' 'and the run is as it was'

# ---- whose run it is ----

begin '{"ask":true}' --tenant acme
ends 4 'a run of a tenant waits'
for verb in deny defer re-observe; do
    as "$verb" --tenant other
    ends 1 "$verb by another tenant"
    has "$err" 'another tenant' 'is told'
done
as approve --digest "${digest:0:8}"
ends 1 'an approval by somebody of none'
has "$err" 'another tenant' 'is told, too'
run cancel "$id" --tenant other "${S[@]}"
ends 1 'a cancel by another tenant'
show --format json
json 'd.status == "waiting" and d.letters == 0' 'leaves nothing'
run cancel "$id" --tenant acme "${S[@]}"
ends 0 'its own may'

# ---- signed ----

for who in ann ben; do run key new "$T/$who.pem" --id $who && echo "$out" >"$T/$who.line"; done
echo "{\"approvers\":[$(cat "$T/ann.line"),$(cat "$T/ben.line")]}" >"$T/approvers.json"
P+=(--approvers "$T/approvers.json")
begin '{"two":true}'
ends 4 'two people are asked'
as approve
ends 0 'an unsigned approval is left'
as approve --key "$T/ben.pem"
ends 0 'one that somebody else signed, too'
go --format json
ends 4 'but where people sign, neither counts'
json 'd.needs[1].given == 0' 'not even as one'
as approve --approvers "$T/approvers.json"
ends 1 'with the approvers at hand an unsigned one is refused at once'
has "$err" 'only what an approver signs counts here' 'and says what is wanted'
run approve "$id" --request "$request" --as eve --key "$T/ann.pem" --approvers "$T/approvers.json" "${S[@]}"
ends 1 'and so is one by somebody else'
has "$err" 'none of the approvers' 'who is told'
as approve --key "$T/ann.pem" --reason 'looked at it'
ends 0 'a signed approval'
run approve "$id" --request "$request" --as ben --key "$T/ben.pem" --format json "${S[@]}"
ends 0 'and a second one'
json 'd.signed == true and d.approver == "ben"' 'which says so'
go
ends 5 'two people have signed'
has "$out" 'ann: approve - looked at it' 'the one'
has "$out" 'ben: approve' 'and the other'
begin '{"two":true}'
as deny --key "$T/ann.pem" --reason 'not like this'
go
ends 1 'a signed deny'
has "$out" 'ann said deny: not like this' 'ends the run'
as approve --key "$T/none.pem"
ends 1 'a run that has ended wants no key'
echo '{"decision":{},"signature":"AAAA","keyId":"0"}' >"$T/signed.json"
run run "$T/action.json" "${R[@]}" "${P[@]}" --approval "$T/signed.json" --format json
ends 1 'where nobody else is asked, a signed answer that is refused'
json 'd.status == "refused" and d.effect == "none"' 'ends the run'
begin '{"two":true}'
as approve --key "$T/none.pem"
ends 2 'a key that is not there'
P=(--policy "$D/hours")

# ---- late ----

begin '{"ask":true,"brief":true}'
sleep 1.2
run pending "${S[@]}"
has "$out" 'expired 0s ago' 'pending shows what has expired'
as approve
ends 1 'an answer that comes too late'
has "$out" 'too late' 'is called late'
go
ends 1 'the run'
has "$out" 'expired: ' 'has expired'

# ---- all of them ----

S=(--store "$T/all.db")
for i in 1 2 3; do
    begin '{"ask":true}'
    [ $i = 3 ] || as approve
done
begin '{"ask":true}' --principal ada
as approve
run resume --all "${S[@]}" "${R[@]}" "${P[@]}"
ends 5 'resume --all'
has "$out" '2 runs went on; 1 waits for an answer; 1 belongs to another principal' 'says what became of them'
run resume --all "${S[@]}" "${R[@]}" "${P[@]}" --principal ada --format json
json 'd.status == "committed_unverified"' 'resume --all as JSON, one line a run'
begin '{"ask":true}'
as approve
run resume --all "${S[@]}" --runtime simulated
ends 8 'one that cannot be taken over'
has "$err" "$id: run: " 'is named'
run resume --all x "${S[@]}" "${R[@]}"
ends 2 'resume --all and a run'
run resume "${S[@]}" "${R[@]}"
ends 2 'resume of no run'
run resume "$id" "${S[@]}" "${R[@]}" --session other
ends 2 'a run goes on in its session'

# ---- a living owner ----

begin '{"ask":true}'
as deny
go
printf '{"tool":"write_clipboard","arguments":{"ask":true}}\n' >"$T/action.json"
"$IL" run "$T/action.json" "${R[@]}" "${P[@]}" "${S[@]}" --wait >"$T/live" 2>&1 &
pid=$!
for i in $(seq 50); do grep -q 'waiting for an answer' "$T/live" && break; sleep 0.1; done
id=$("$IL" pending "${S[@]}" --format json | lua5.4 -e '
    for run in io.read("a"):gmatch "{[^{}]*}" do
        if run:find("\"owned\":true", 1, true) then
            print(run:match "\"runId\":\"([^\"]*)", run:match "\"requestId\":\"([^\"]*)")
        end
    end')
request=${id#*$'\t'} id=${id%%$'\t'*}
go
ends 8 'a run with a living owner'
has "$err" 'is owned by a living process' 'is left alone'
as approve
ends 0 'its approval'
has "$out" "the run's process" 'is taken by the owner'
wait $pid
status=$? out=$(cat "$T/live")
ends 5 'which goes on'

rm -f "$T/live"
"$IL" run "$T/action.json" "${R[@]}" "${P[@]}" "${S[@]}" --wait >"$T/live" 2>&1 &
pid=$!
for i in $(seq 50); do grep -q 'waiting for an answer' "$T/live" && break; sleep 0.1; done
kill -INT $pid
wait $pid
status=$? out=$(cat "$T/live")
ends 4 'a signal decides nothing: the run is left in the store'

# ---- stops ----

begin '{"ask":true}'
run stop cli-session "${S[@]}"
ends 0 'stop SESSION'
has "$out" 'interlock lift cli-session' 'says how it is lifted'
as approve --resume "${R[@]}" "${P[@]}"
ends 1 'a run of the session does not act'
has "$out" 'the session was stopped' 'and says why'
run lift cli-session "${S[@]}"
ends 2 'lift asks'
run lift cli-session "${S[@]}" --yes
ends 0 'lift'
run stop --emergency "${S[@]}" --format json
json 'd.stopped == true' 'stop --emergency as JSON'
begin '{"text":"hi"}'
ends 1 'after it no run of the store acts'
json 'd.status == "cancelled" and d.effect == "none"' 'whatever its session'
run lift --emergency "${S[@]}" --yes
begin '{"text":"hi"}'
ends 5 'lifted, they act again'
run stop "${S[@]}"
ends 2 'stop of nothing'
run stop s
ends 2 'stop at no place'
run stop s "${S[@]}" --runtime 'stdio:/nonexistent/server'
ends 8 'a server that cannot be reached'
has "$out" 'session s is stopped in the store' 'leaves the stop in the store'

# ---- what cannot be ----

run run "$T/action.json" --runtime 'stdio:/nonexistent/server' --scope computer:execute:background "${S[@]}"
ends 2 'a server over stdio in a store'
has "$err" 'add --wait' 'needs --wait'
run run "$T/action.json" "${R[@]}" "${S[@]}" --now 2026-01-01T00:00:00Z
ends 2 'a fixed clock in a store'
done_testing
