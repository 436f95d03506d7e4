#!/bin/bash
# Approvals at the server over an approver connection: the grant is obtained, held against what was shown, and used
# once; one that does not match is dropped and the session paused (F17). Over the supervisor's socket and over HTTP.
. "$(dirname "$0")/crash.sh"

secret=0123456789abcdef0123456789abcdef approve_token=approver-token-of-the-person
note='{"tool":"notification","arguments":{"title":"Done","message":"Saved"}}'
socket=$T/super

effects() { if [ -e "$T/world" ]; then wc -l <"$T/world"; else echo 0; fi; }
acted() {
    [ "$(effects)" -eq "$1" ]
    ok $? "$2: $1 effects"
}

# by_socket SERVER_SWITCH HOST_SWITCHES...: a stdio server and its supervisor's socket.
by_socket() {
    local switches=$1
    shift
    rm -f "$T/world"
    run "$GOVERNED" "stdio:$CU --world $T/world --supervisor-socket $socket --supervisor-token $secret \
        ${switches:+'$switches'}" --accept approve_action --action "$note" \
        --approver "unix:$socket" --approver-token "$secret" "$@"
}
# by_http SERVER_SWITCH HOST_SWITCHES...: an HTTP server with a token for each of the two connections.
by_http() {
    local switches=$1 port
    shift
    rm -f "$T/world"
    port=$(free_port)
    # shellcheck disable=SC2086
    serve "$port" $CU --world "$T/world" --http --port "$port" --token "$TOKEN=operator-1" \
        --token "$approve_token=operator-1:computer:approve,computer:observe" $switches
    run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "$TOKEN" --accept approve_action --action "$note" \
        --approver "mcp+http://127.0.0.1:$port/mcp" --approver-token "$approve_token" "$@"
    stop "$server"
}

for by in by_socket by_http; do
    $by ''
    has '^grant code=ok ' "$by: the grant is obtained"
    has '^run status=committed_unverified effect=committed exit=5' "$by: the run goes on"
    has '^journal asked=1 failed=0 dropped=0 late=0 bound=1$' "$by: the journal holds the one that was bound"
    has '^left fds=0 children=0' "$by: nothing is left"
    lacks "$secret|$approve_token" "$by: no token is told"
    acted 1 "$by"

    # F17: what comes is not what was shown. (Field by field: tests/unit/grant_test.c.)
    while read -r switch field; do
        $by "$switch"
        has "^grant code=approval_mismatch object=approval grant field=$field" "F17 $by $switch: refused"
        has '^session state=paused_by_user' "F17 $by $switch: the session is paused"
        has '^journal asked=1 failed=0 dropped=1 late=0 bound=0$' "F17 $by $switch: dropped, never stored"
        has '^run status=waiting effect=none' "F17 $by $switch: the request stays open"
        acted 0 "F17 $by $switch"
    done <<'END'
--approve-another action_digest
--fault=approve_action:/grant/policyDigest="sha256:other" policy_digest
--fault=approve_action:/grant/scope="session_operation" \S*
--fault=approve_action:/grant \S*
END
    $by --lose=approve_action --timeout 800
    has '^grant code=timeout ' "$by: an answer that never comes"
    has '^run status=waiting effect=none' "$by: leaves the run waiting"
    $by --crash=approve_action
    has '^grant code=transport ' "$by: a server that dies"
    acted 0 "$by"
done

# ---- the connection is one of its own

by_http '' --approver-token "$TOKEN"
has '^no approver invalid_request .*credential of its own' "the runtime's own token is refused"
by_http '' --approver-token ''
has '^no approver invalid_request .*credential of its own' "and so is none at all"
by_socket '' --approver "stdio:$CU"
has '^no approver invalid_request .*server of its own' "a second stdio server is refused"
by_socket '' --approver-token "not-$secret"
has '^grant code=transport .*refused the token' "a wrong token at the socket"
by_socket '' --approver "unix:$T/nowhere"
has '^grant code=transport .*cannot connect' "no socket there"
port=$(free_port) other=$(free_port)
# shellcheck disable=SC2086
serve "$other" $CU --no-v8 --http --port "$other" --token "$approve_token=operator-1"
others=$server
# shellcheck disable=SC2086
serve "$port" $CU --world "$T/world" --http --port "$port" --token "$TOKEN=operator-1" \
    --token "weak=operator-1:computer:observe"
at_http() { # URL_OF_THE_APPROVER ITS_TOKEN
    rm -f "$T/world"
    run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "$TOKEN" --accept approve_action --action "$note" \
        --approver "$1" --approver-token "$2"
}
at_http "mcp+http://127.0.0.1:$other/mcp" "$approve_token"
has '^grant code=unsupported .*offers no approve_action' "a server without approve_action"
acted 0 "there"
at_http "mcp+http://127.0.0.1:$port/mcp" weak
has '^grant code=runtime .*missing required scope' "a token that may not approve"
acted 0 "with it"
stop "$server"
stop "$others"
plan
