# What `interlock run` leaves at a server over HTTP: a session that it started is stopped however the run ends, but not
# one that was given, nor one whose action may have acted.
. "$(dirname "$0")/peer.sh"

printf '%s\n' "$secret" >"$T/token" && chmod 600 "$T/token"
exec {hold}> >(exec node tests/peers/computer-use.mjs --http --leash --rate 10000 --token "$secret=operator-1" \
    --throw-after-effect write_clipboard@4 --world "$world" >"$T/http.out" 2>"$T/http.err")
await grep -qs port "$T/http.out"
H=(--runtime "mcp+http://127.0.0.1:$(sed 's/.*"port":\([0-9]*\).*/\1/' "$T/http.out")/mcp" --token-file "$T/token")

# left STATE NAME: the session that $err tells of is in that state.
left() {
    local session
    session=$(printf '%s\n' "$err" | sed -n 's/.*started session \([^ ]*\) at.*/\1/p')
    [ -n "$session" ]; ok $? "$2: a session was started"
    run session show "${H[@]}" --session "$session"
    has "$out" "state         $1" "$2: its session is $1"
}

run run "$T/plain.json" "${H[@]}" "${R[@]}"
ends 5 'an action that was committed'
lacks "$err" 'left open' 'nothing is said of an end as usual'
left stopped 'committed'
run run "$T/plain.json" "${H[@]}" "${R[@]}" --format json
json 'd.sessionStarted and d.status == "committed_unverified"' 'the same as JSON is one document'
left stopped 'as JSON'
run run "$T/denied.json" "${H[@]}" "${R[@]}"
ends 1 'an action that the server denies'
left stopped 'denied'
run run "$T/plain.json" "${H[@]}" --scope computer:execute:background --accept-tool approve_action
ends 1 'a run that is refused before it begins'
has "$err" 'write --principal' 'for its principal'
left stopped 'refused'
run run "$T/asks.json" "${H[@]}" "${R[@]}"
ends 4 'a run that waits for nobody'
left stopped 'left waiting'
later gone run "$T/asks.json" "${H[@]}" "${R[@]}" --wait
await grep -qs '^waiting' "$T/gone.err"
kill -INT "$pid"
over gone
ends 1 'an interrupted wait'
left stopped 'interrupted'

run session start "${H[@]}" --format json
session=$(printf '%s' "$out" | sed 's/.*"sessionId":"\([^"]*\).*/\1/')
run run "$T/plain.json" "${H[@]}" "${R[@]}" --session "$session"
ends 5 'a run in a session that was given'
run session show "${H[@]}" --session "$session"
has "$out" 'state         running' 'leaves it running'

run run "$T/plain.json" "${H[@]}" "${R[@]}"
ends 7 'an action of which nobody knows whether it acted'
has "$err" 'is left open, for it is not known' 'says that its session is left open'
left running 'unknown'
exec {hold}>&-
done_testing
