# The command against a server over HTTP: runs, tokens, waits, sessions, tools, doctor, what is wrong, the stop.
. "$(dirname "$0")/peer.sh"

# ---- an HTTP server that serves most of this file; it ends with its standard input

printf '%s\n' "$secret" >"$T/token" && chmod 600 "$T/token"
printf 'wrong\n' >"$T/wrong" && chmod 600 "$T/wrong"
exec {hold}> >(exec node tests/peers/computer-use.mjs --http --leash --rate 10000 --token "$secret=operator-1" \
    --token "watcher=operator-1:computer:observe" --world "$world" --supervisor-socket "$T/super" \
    --supervisor-token "$secret" >"$T/http.out" 2>"$T/http.err")
await grep -qs port "$T/http.out"
url=mcp+http://127.0.0.1:$(sed 's/.*"port":\([0-9]*\).*/\1/' "$T/http.out")/mcp
H=(--runtime "$url" --token-file "$T/token")

# ---- runs

run run "$T/plain.json" "${H[@]}" "${R[@]}"
ends 5 'HTTP: an allowed action'
has "$out" "$url  write_clipboard  background  for operator-1" 'says who acts'
has "$out" 'released the control lease' 'and gives back what it held'
has "$err" 'started session ' 'the session that was started is said'
[ "$(effects)" -eq 1 ]; ok $? 'it was done once'
run run "$T/plain.json" "${H[@]}" "${R[@]}" --format json
json 'd.status == "committed_unverified" and d.simulated == false and #d.session == 36 and d.sessionStarted' 'as JSON'
lacks "$out$err" "$secret" 'the token is nowhere'
run run "$T/denied.json" "${H[@]}" "${R[@]}"
ends 1 'an action that the server denies'
has "$out" 'blocked' 'is blocked'
run run "$T/shadow.json" "${H[@]}" --principal operator-1 --accept-tool approve_action --scope computer:plan
ends 0 'a shadow run'
before=$(effects)
run run "$T/plain.json" "${H[@]}" --principal operator-1 --accept-tool approve_action
ends 1 'no scope is given by default'
has "$err" 'write --scope computer:execute:background' 'and the one to give is named'
run run "$T/plain.json" "${H[@]}" "${R[@]}" --scope computer:execute:foreground --format json
ends 5 'more scopes than needed do no harm'
sed 's/}$/,"mode":"foreground"}/' "$T/plain.json" >"$T/foreground.json"
run run "$T/foreground.json" "${H[@]}" "${R[@]}" --format json
json 'd.error.code == "missing_scope" and d.exitStatus == 1' 'one scope does not imply another'
run run "$T/plain.json" "${H[@]}" --scope computer:execute:background --accept-tool approve_action
ends 1 'a principal that is not the server'"'"'s'
has "$err" 'write --principal operator-1' 'what to write is said'
run run "$T/plain.json" "${H[@]}" --scope computer:execute:background --principal operator-1
ends 8 'a connection that can approve'
has "$err" 'approve_action' 'is refused by name'
[ "$(effects)" -eq $((before + 1)) ]; ok $? 'none of the refused runs acted'
echo '{"tool":"write_clipboard","sessionId":"s"}' >"$T/bad.json"
run run "$T/bad.json" --runtime mcp+http://127.0.0.1:1/mcp "${R[@]}"
ends 65 'an undecodable action is refused before anything is connected'

# ---- the token comes from a file or a variable, and goes nowhere else

TOKEN_OF_TEST=$secret run run "$T/plain.json" --runtime "$url" --token-env TOKEN_OF_TEST "${R[@]}" --log json
ends 5 'a token from the environment'
has "$err" '"traceparent":"00-' 'log lines have a traceparent'
has "$err" "\"runId\":\"$(printf '%s\n' "$out" | sed -n 's/^  run  *//p')\"" 'and the run id'
lacks "$out$err" "$secret" 'the token is not in them'
printf '%s\n' "$err" | grep '^{' | while IFS= read -r line; do
    printf '%s' "$line" | lua5.4 tests/cli/json.lua 'd.at and d.level' || exit 1
done
ok $? 'each of them is JSON'
TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 run tools "${H[@]}" --log json
has "$err" '"traceparent":"00-0af7651916cd43dd8448eb211c80319c-' 'a trace that is given goes on'
chmod 644 "$T/token"
run tools "${H[@]}"
has "$err" 'chmod 600' 'a token that others can read is remarked'
chmod 600 "$T/token"

# ---- a wait that is kept open

later wait run "$T/asks.json" "${H[@]}" "${R[@]}" --wait --approval "$T/answer.json"
await grep -qs '^waiting' "$T/wait.err"
action=$(sed -n 's/.*to action \([^ ]*\) of.*/\1/p' "$T/wait.err")
session=$(sed -n 's/.*of session \([^ ;]*\);.*/\1/p' "$T/wait.err")
! grep -qa "$secret" "/proc/$pid/cmdline"
ok $? 'the token is not in the arguments'
sleep 0.5
kill -0 "$pid"; ok $? '--wait: the run stays open'
node tests/mcp/approve.mjs "$T/super" "$secret" operator-1 "$session" "$action" >"$T/grant"
ok $? 'the action is approved beside the connection'
sed -n 's/^    {/{/p' "$T/wait.out" >"$T/answer.tmp" && mv "$T/answer.tmp" "$T/answer.json"
over wait
ends 5 '--wait: an answer that appears later is taken'
has "$out" 'runtime need: runtime-approved' 'and told'
run run "$T/asks.json" "${H[@]}" "${R[@]}"
ends 4 'without --wait the run ends waiting'
has "$out" 'run again with --wait' 'and says how to go on'
rm -f "$T/answer.json"
later broken run "$T/asks.json" "${H[@]}" "${R[@]}" --wait --approval "$T/answer.json" --format json
await grep -qs '^waiting' "$T/broken.err"
echo '{"actionDigest":1}' >"$T/answer.json"
await grep -qs 'looked at again' "$T/broken.err"
ok $? 'an answer that cannot be read is looked at again'
kill -INT "$pid"
over broken
ends 1 'Ctrl-C ends a wait'
json 'd.status == "cancelled" and d.effect == "none"' 'cancelled: nothing happened'

# ---- sessions

run session start "${H[@]}" --objective 'tidy up' --group g1 --principal operator-1
ends 0 'session start'
session=$(printf '%s\n' "$out" | sed -n 's/^  session  *//p')
has "$out" 'principal     operator-1' 'shows whose it is'
has "$out" 'state         running' 'and its state'
S=("${H[@]}" --session "$session")
run session show "${S[@]}"
has "$out" 'objective     tidy up' 'session show'
run session show "${S[@]}" --principal somebody
ends 1 'a session of another principal'
has "$err" 'principal_id expected somebody, got operator-1' 'is refused with both names'
run run "$T/plain.json" "${S[@]}" "${R[@]}"
ends 5 'a run in this session'
lacks "$err" 'started session' 'starts no other'
run session events "${S[@]}"
has "$out" 'action.committed' 'session events'
run session events "${S[@]}" --format json
[[ $out =~ \"leaseId\":\"sha256:[0-9a-f]{12}\" ]]
ok $? 'of a lease id only the start of a digest is shown'
! [[ $out =~ \"leaseId\":\"[0-9a-f]{8}- ]]
ok $? 'everywhere'
run session events "${S[@]}" --limit 2 --after 1 --format json
json '#d.answer.events == 2 and d.answer.events[1].sequence == 2 and d.answer.nextSequence == 3' 'a page of events'
run session submit 'use the new file' "${S[@]}"
ends 0 'session submit'
run session follow-ups "${S[@]}"
has "$out" 'use the new file' 'session follow-ups'
run session pause "${S[@]}" --reason lunch
has "$out" 'paused_by_user' 'session pause'
has "$out" 'reason        lunch' 'with its reason'
run run "$T/plain.json" "${S[@]}" "${R[@]}"
[ "$status" -eq 8 ] || [ "$status" -eq 1 ]; ok $? 'a paused session does nothing'
run session resume "${S[@]}"
has "$out" 'state         running' 'session resume'
run session delete "${S[@]}" --yes
ends 8 'a running session is not deleted'
has "$err" 'session_not_terminal' 'the server says why'
echo '{"postconditions":[{"description":"saved","satisfied":true}],"actionCounts":{"committed":1}}' >"$T/report.json"
run session complete "${S[@]}" --summary done --report "$T/report.json"
has "$out" 'state         completed' 'session complete'
echo '{"postconditions":[],"actionCounts":{},"nonsense":1}' >"$T/report.json"
run session complete "${S[@]}" --summary done --report "$T/report.json"
ends 65 'a report with a member like none'
run session delete "${S[@]}" --yes
has "$out" 'deleted       true' 'session delete'
run session show "${S[@]}"
ends 8 'a session that is gone'
has "$err" 'session_not_found' 'is told'
run session start "${H[@]}" --format json
session=$(printf '%s' "$out" | sed 's/.*"sessionId":"\([^"]*\).*/\1/')
run session stop "${H[@]}" --session "$session"
has "$out" 'state         stopped' 'session stop'
run session prune "${H[@]}" --older-than 2099-01-01T00:00:00Z --limit 50 --yes
ends 0 'session prune'
has "$out" "$session" 'names what is gone'
run session start --runtime "$url" --token-env watcher
ends 2 'a token variable that is not set'
watcher=watcher run session start --runtime "$url" --token-env watcher
ends 8 'a token without the scope'
has "$err" 'the token lacks it' 'says so'

# ---- tools and doctor

run tools "${H[@]}"
ends 0 'tools'
has "$out" 'ok preview_action' 'lists the governed ones'
has "$out" '!! approve_action' 'and marks what approves'
run doctor "${H[@]}"
ends 8 'doctor: a connection that can approve'
has "$out" '!! approving' 'is marked'
narrow 80 'doctor fits 80 columns'
run doctor "${H[@]}" --accept-tool approve_action
ends 0 'doctor: accepted by name'
for line in 'ok initialize' 'ok tools' 'ok governance' '.. approving' '.. receipts' '.. idle' ' ms '; do
    has "$out" "$line" "doctor says: $line"
done
run doctor "${H[@]}" --accept-tool approve_action --format json
json 'd.ok == true and d.probes[1].ms >= 0 and d.facts.governed == true' 'doctor as JSON'
lacks "$out" "$secret" 'without the token'

# ---- what is wrong is said in one line: what, where, what to do

fails 8 '--token-file' 'no token' tools --runtime "$url"
fails 8 'wrong or expired' 'a wrong token' tools --runtime "$url" --token-file "$T/wrong"
fails 8 'usual one ends in /mcp' 'a wrong path' tools --runtime "${url%/mcp}/other" --token-file "$T/token"
fails 8 'is the server running' 'nobody listens' tools --runtime mcp+http://127.0.0.1:1/mcp
fails 8 'Plain HTTP is mcp+http' 'no TLS there' tools --runtime "mcp+https${url#mcp+http}" --token-file "$T/token"
fails 2 'use https' 'plain HTTP to elsewhere' tools --runtime mcp+http://desk.example/mcp
# ---- the emergency stop, last: nothing acts after it

run stop --emergency "${H[@]}" --yes --reason test
ends 0 'stop --emergency'
run run "$T/plain.json" "${H[@]}" "${R[@]}"
[ "$status" -ne 5 ]; ok $? 'after it nothing is done'
exec {hold}>&-
done_testing
