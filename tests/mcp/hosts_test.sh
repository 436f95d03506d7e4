#!/bin/bash
# Two hosts, one server over HTTP: the lease is one for all. Each holds it in its turn, neither hangs, both end.
. "$(dirname "$0")/crash.sh"
TOKENS="--token ${TOKEN}a=operator-1 --token ${TOKEN}b=operator-2"

# One host, `a` of operator-1 or `b` of operator-2, beside us; its output in $T/a or $T/b.
host() { # NAME PRINCIPAL ARGUMENTS...
    local name=$1 principal=$2
    shift 2
    timeout 50 "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "$TOKEN$name" --principal "$principal" \
        --accept approve_action "$@" >"$T/$name" 2>&1 </dev/null &
}
# Waits for both, whose ids are $a and $b.
both() {
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
host a operator-1 --timeout 20000 --actions 5; a=$!
host b operator-2 --timeout 20000 --actions 5; b=$!
both
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

# No room: an effect that takes longer than the other may wait for the lease. The other comes once it has begun, and
# gives up well before the lease is given back: a lease that is granted in that very moment is nobody's (F3).
serve_two "$T/held" "--delay write_clipboard:before=8000 --event-journal $T/events" || ok 1 "the server starts"
host a operator-1 --timeout 6000; a=$!
for ((i = 0; i < 100; i++)); do grep -qs 'action.started' "$T/events" && break; sleep 0.1; done
host b operator-2 --timeout 2000; b=$!
both
[ "$(printf '%s\n' "$out" | grep -c '^run status=')" -eq 2 ]
ok $? "both runs end"
[ "$(grep -c 'effect=none .*error=timeout' "$T/b")" -eq 1 ]
ok $? "one never got the lease: none, a time-out"
[ "$(grep -c 'effect=unknown exit=7' "$T/a")" -eq 1 ]
ok $? "the other's call was not answered in time: unknown"
[ "$(cat "$T/held" 2>/dev/null | wc -l)" -le 1 ]
ok $? "at most one effect"
run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "${TOKEN}a" --accept approve_action --timeout 20000
has '^run status=committed_unverified effect=committed exit=5' "F1, F3: a host that comes later gets the lease"
plan
