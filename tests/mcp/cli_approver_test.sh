# The command with an approver connection: what a person approves with --ask is granted at the server; what is wrong
# with the options is said before anything is contacted.
. "$(dirname "$0")/peer.sh"

if ! command -v script >/dev/null; then
    echo 'ok 1 - a pseudo-terminal # SKIP no script(1)'
    echo 1..1
    exit 0
fi
printf '%s\n' "$secret" >"$T/approver" && chmod 600 "$T/approver"
A=(--approver "unix:$T/super" --approver-token-file "$T/approver")
run run "$T/asks.json" --runtime "stdio:$peer" "${R[@]}" --format json
ends 4 'an action that waits'
digest=$(printf '%s' "$out" | sed 's/.*"actionDigest":"\([^"]*\).*/\1/')

# ask INPUT SERVER_SWITCH ARGUMENTS...: answers on a pseudo-terminal.
ask() {
    local input=$1 server="stdio:$peer --supervisor-socket $T/super --supervisor-token $secret $2"
    shift 2
    out=$(printf '%b' "$input" | NO_COLOR=1 LC_ALL=C script -qec \
        "$(printf '%q ' "$IL" run "$T/asks.json" --runtime "$server" "${R[@]}" --ask "$@"); echo status \$?" /dev/null |
        tr -d '\r')
    err=
}
before=$(effects)
ask "${digest:0:8}\n" '' --wait "${A[@]}"
has "$out" 'what you approve is granted at the server, too' 'it is said'
has "$out" 'runtime need: granted' 'the grant is taken'
has "$out" 'status 5' 'and the run goes on'
[ "$(effects)" -eq $((before + 1)) ]; ok $? 'one effect'
lacks "$out" "$secret" 'the token is nowhere'
ask "${digest:0:8}\n" '' "${A[@]}"
has "$out" 'status 5' 'without --wait as well'
ask "deny not today\n" '' --wait "${A[@]}"
has "$out" 'local operator: deny - not today' 'a deny needs no server'
has "$out" 'status 1' 'and ends the run'
before=$(effects)
ask "${digest:0:8}\n" '--approve-another' --wait "${A[@]}"
has "$out" 'Not granted: approval grant: action_digest expected' 'a grant for another preview is told'
has "$out" 'dropped and the session paused' 'with what became of it'
has "$out" 'status 4' 'the run is left'
ask "${digest:0:8}\n\n" '--crash approve_action' "${A[@]}"
has "$out" 'Not granted: ' 'a server that dies'
printf 'not-%s\n' "$secret" >"$T/wrong-one" && chmod 600 "$T/wrong-one"
ask "${digest:0:8}\n\n" '' --approver "unix:$T/super" --approver-token-file "$T/wrong-one"
has "$out" 'refused the token' 'a wrong token'
has "$out" 'status 4' 'the person may leave it open then'
[ "$(effects)" -eq "$before" ]; ok $? 'none of these acted'
SECRET_OF_TEST=$secret ask "${digest:0:8}\n" '' --approver "unix:$T/super" --approver-token-env SECRET_OF_TEST
has "$out" 'status 5' 'a token from the environment'

# ---- options

S=(--runtime "stdio:$peer" "${R[@]}")
fails 2 'grants what is approved with --ask' 'without --ask' run "$T/asks.json" "${S[@]}" "${A[@]}"
fails 2 'a server of its own' 'a second stdio server' run "$T/asks.json" "${S[@]}" --approver "stdio:$peer"
fails 2 'credential of its own' 'no token' run "$T/asks.json" "${S[@]}" --approver "unix:$T/super"
fails 2 'is for --approver' 'a token alone' run "$T/asks.json" "${S[@]}" --approver-token-file "$T/approver"
fails 2 'write unix:PATH' 'no address' run "$T/asks.json" "${S[@]}" --approver nowhere
fails 2 'one token is enough' 'two tokens' run "$T/asks.json" "${S[@]}" "${A[@]}" --approver-token-env X
fails 2 'is for a server' 'a runtime that is none' run "$T/asks.json" --runtime simulated "${A[@]}"
done_testing
