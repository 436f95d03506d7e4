# Runs in a store that a server acts for: left waiting over HTTP, approved from elsewhere with the server's own grant,
# and gone on with in the same session; a server over stdio keeps its client.
. "$(dirname "$0")/peer.sh"
printf '%s\n' "$secret" >"$T/token" && chmod 600 "$T/token"
printf 'person\n' >"$T/person" && chmod 600 "$T/person"
exec {hold}> >(exec node tests/peers/computer-use.mjs --http --leash --rate 10000 --token "$secret=operator-1" \
    --token "person=operator-1:computer:approve,computer:observe" --world "$world" --supervisor-socket "$T/super" \
    --supervisor-token "$secret" >"$T/http.out" 2>"$T/http.err")
await grep -qs port "$T/http.out"
url=mcp+http://127.0.0.1:$(sed 's/.*"port":\([0-9]*\).*/\1/' "$T/http.out")/mcp
H=(--runtime "$url" --token-file "$T/token" --principal operator-1 --accept-tool approve_action)
S=(--store "$T/runs.db")
A=(--approver "unix:$T/super" --approver-token-file "$T/token2")
cp "$T/token" "$T/token2"

begin() {
    run run "$T/asks.json" "${H[@]}" "${S[@]}" --scope computer:execute:background --format json
    id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
    request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
    session=$(printf '%s' "$out" | sed 's/.*"session":"\([^"]*\).*/\1/')
    action=$(printf '%s' "$out" | sed 's/.*"actionId":"\([^"]*\).*/\1/')
}
as() {
    local verb=$1
    shift
    run "$verb" "$id" --request "$request" --as ann "${S[@]}" "$@"
}

begin
ends 4 'a run that waits for the server'"'"'s approval'
run session show --session "$session" "${H[@]:0:4}" --format json
json 'd.answer.state == "running"' 'its session stays open'
as approve
ends 1 'an approval that obtains nothing'
has "$err" '--approver' 'says how'
as approve --approver "mcp+http://127.0.0.1:1/mcp" --approver-token-file "$T/person"
ends 2 'an approver without its server'
node tests/mcp/approve.mjs "$T/super" "$secret" operator-1 "$session" "$action" >"$T/grant"
before=$(effects)
as approve --runtime-approved
ends 0 'approved at the server, and said so'
run resume "$id" "${S[@]}" "${H[@]}"
ends 5 'resume over a connection of its own'
has "$out" 'sent, once' 'sends once'
[ "$(effects)" -eq $((before + 1)) ]; ok $? 'and the server acts once'
has "$err" 'interlock session stop' 'the session that is left is told'

begin
before=$(effects)
as approve "${H[@]}" --approver "${url}" --approver-token-file "$T/person"
ends 5 'approve --approver obtains the grant and goes on'
[ "$(effects)" -eq $((before + 1)) ]; ok $? 'the server acts once'
lacks "$out$err" "$secret" 'no token is told'
run show "$id" "${S[@]}" --format json
json 'd.status == "committed_unverified"' 'the journal has its end'

begin
as deny --reason 'no'
run resume --all "${S[@]}" "${H[@]}"
ends 1 'a deny needs no grant'
has "$out" "$id  denied" 'and ends the run'

begin
run session stop --session "$session" "${H[@]:0:4}"
before=$(effects)
as approve --runtime-approved
run resume "$id" "${S[@]}" "${H[@]}"
ends 7 'a session that was stopped meanwhile: the server refuses by a code that it also uses after acting'
has "$out" 'session cannot execute' 'its words are told'
[ "$(effects)" -eq "$before" ]; ok $? 'and the server did not act'

run run "$T/asks.json" --runtime "stdio:node tests/peers/computer-use.mjs" "${S[@]}" "${R[@]}"
ends 2 'a server over stdio'
has "$err" 'add --wait' 'needs --wait'
exec {hold}>&-
done_testing
