#!/bin/bash
# Two hosts, one server over HTTP: the lease is one for all. Each holds it in its turn, neither hangs, both end.
. "$(dirname "$0")/crash.sh"
TOKENS="--token ${TOKEN}a=operator-1 --token ${TOKEN}b=operator-2"

# The same run at the same time by two principals; the outputs in $T/a and $T/b.
both() {
    local a b
    timeout 50 "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "${TOKEN}a" --accept approve_action "$@" \
        >"$T/a" 2>&1 </dev/null &
    a=$!
    timeout 50 "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "${TOKEN}b" --principal operator-2 \
        --accept approve_action "$@" >"$T/b" 2>&1 </dev/null &
    b=$!
    wait "$a"; status_a=$?
    wait "$b"; status_b=$?
    out=$(cat "$T/a" "$T/b")
}
serve_two() {
    port=$(free_port)
    # shellcheck disable=SC2086
    serve "$port" $CU --world "$1" --http --port "$port" $TOKENS ${2:-}
}

# Room for both: the second waits for the first's lease, and gets it.
serve_two "$T/turns" "--delay execute_action:before@5=1500" || ok 1 "the server starts"
both --timeout 20000 --actions 5
[ "$status_a" -eq 5 ] && [ "$status_b" -eq 5 ]
ok $? "both hosts come to their ends (exit $status_a, $status_b)"
[ "$(grep -c ' committed=5 ' "$T/a")" -eq 1 ] && [ "$(grep -c ' committed=5 ' "$T/b")" -eq 1 ]
ok $? "with all five actions of each"
python3 - "$T/turns" <<'END'
import json, sys
ids = [json.loads(line)["actionId"] for line in open(sys.argv[1])]
sys.exit(0 if len(ids) == 10 and len(set(ids)) == 10 else 1)
END
ok $? "ten effects, each once"
[ "$(printf '%s\n' "$out" | grep -c '^left fds=0 children=0$')" -eq 2 ]
ok $? "and nothing is left"
stop "$server"

# No room: an effect that takes longer than the other may wait for the lease.
serve_two "$T/held" "--delay write_clipboard:before=6000" || ok 1 "the server starts"
both --timeout 3000
[ "$(printf '%s\n' "$out" | grep -c '^run status=')" -eq 2 ]
ok $? "both runs end"
[ "$(printf '%s\n' "$out" | grep -c 'effect=none .*error=timeout')" -eq 1 ]
ok $? "one never got the lease: none, a time-out"
[ "$(printf '%s\n' "$out" | grep -c 'effect=unknown exit=7')" -eq 1 ]
ok $? "the other's call was not answered in time: unknown"
[ "$(cat "$T/held" 2>/dev/null | wc -l)" -le 1 ]
ok $? "at most one effect"
run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "${TOKEN}a" --accept approve_action --timeout 20000
has '^run status=committed_unverified effect=committed exit=5' "F1, F3: a host that comes later gets the lease"
plan
