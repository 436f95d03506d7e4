#!/bin/bash
# A server that goes away between runs: the host connects to it again, a bounded number of times, and to no other.
. "$(dirname "$0")/crash.sh"
effects() { cat "$1" 2>/dev/null | wc -l; }
once_each() { # WORLD COUNT: so many effects, each of another action
    python3 - "$1" "$2" <<'END'
import json, os, sys
lines = open(sys.argv[1]).readlines() if os.path.exists(sys.argv[1]) else []
ids = {json.loads(line)["actionId"] for line in lines}
sys.exit(0 if len(lines) == len(ids) == int(sys.argv[2]) else 1)
END
}
drive() { run "$GOVERNED" "$1" --accept approve_action "${@:2}"; }

drive "stdio:$CU --world $T/killed" --actions 3 --kill-between --again
[ "$(printf '%s\n' "$out" | grep -c '^again . state=ready session_lost=1')" -eq 2 ]
ok $? "stdio: killed twice between runs, connected to again, the session told as lost"
has ' ended=3 committed=3 ' "stdio: each run of the same host works, in a session that was started for it"
once_each "$T/killed" 3
ok $? "stdio: three effects, each once"
has '^left fds=0 children=0$' "stdio: no zombie and no descriptor is left"
has ' fds_growth=0$' "stdio: no descriptor more than before"

drive "stdio:$CU --world $T/unstarted" --actions 2 --kill-between --pause 4000
has '^run status=failed effect=none .*error=transport: .*session' "stdio: a run in the lost session fails, and says why"
[ "$(effects "$T/unstarted")" -eq 1 ]
ok $? "stdio: and does nothing"

drive "stdio:$CU --world $T/durable --durable-sessions $T/sessions" --actions 2 --kill-between --again
has '^again 1 state=ready session_lost=1' "F10 a session that the server recovered is not taken up"
once_each "$T/durable" 2
ok $? "F10 nor resumed: the next action is in a new one"

# A server that ends at once when it is started again.
cat >"$T/once" <<END
#!/bin/sh
[ -e "$T/was" ] && { echo broken >&2; exit 7; }
touch "$T/was"
exec $CU --world $T/loop
END
# One that belongs to somebody else, or is another program, when it is started again.
cat >"$T/other" <<END
#!/bin/sh
who=operator-1
[ -e "$T/was2" ] && who=operator-2
touch "$T/was2"
exec $CU --world $T/foreign --principal \$who
END
cat >"$T/raw" <<END
#!/bin/sh
[ -e "$T/was3" ] && more=--raw-tools
touch "$T/was3"
exec $CU --world $T/rawworld \$more
END
chmod +x "$T/once" "$T/other" "$T/raw"
begun=$SECONDS
drive "stdio:$T/once" --actions 2 --kill-between --again
has '^again 1 state=closed .*not made again after 5 tries in 60 s \(reconnects\): .*status 7' \
    "a server that cannot be started again: five tries, then transport"
has '^run status=failed effect=none .*error=transport: ' "and the next run says so"
[ "$(effects "$T/loop")" -eq 1 ] && [ $((SECONDS - begun)) -lt 25 ]
ok $? "with one effect, in bounded time"
has '^left fds=0 children=0$' "and nothing left"

drive "stdio:$T/other" --actions 2 --kill-between --again
has '^again 1 state=refused .*principal' "a server of another principal is refused"
has '^run status=refused effect=none .*error=identity_mismatch: ' "identity_mismatch, and it is not used"
[ "$(effects "$T/foreign")" -eq 1 ]
ok $? "with no effect of its own"
has '^left fds=0 children=0$' "and nothing left of it"
drive "stdio:$T/raw" --actions 2 --kill-between --again
has '^again 1 state=refused .*ways around' "tools that act are refused again, too"
[ "$(effects "$T/rawworld")" -eq 1 ]
ok $? "and that server does nothing"

# Killed during a run: what was granted before is given back to who granted it, or reported.
drive "stdio:$CU --world $T/during --delay write_clipboard:before=3000" --actions 2 --again --kill-at execute_action \
    --kill-after 500 --timeout 8000
has '^run status=indeterminate effect=unknown exit=7 .*cleanup=runtime: ' "a lease of the lost server is reported"
[ "$(effects "$T/during")" -le 1 ]
ok $? "and the next run is the only one that acts"

# Over HTTP: the same port, another process.
port=$(free_port)
serve_http "$T/http" "$port" "" || ok 1 "the server starts"
first=$server
(
    sleep 3
    kill -9 "$first"
    while kill -0 "$first" 2>/dev/null; do sleep 0.05; done
    sleep 1
    exec $CU --world "$T/http" --http --port "$port" --token "$TOKEN=operator-1" >/dev/null 2>&1 </dev/null
) &
started+=("$!")
disown $!
drive "mcp+http://127.0.0.1:$port/mcp" --token "$TOKEN" --actions 2 --again
has '^again 1 state=ready session_lost=1' "HTTP: a server that came back is connected to again"
once_each "$T/http" 2
ok $? "HTTP: two effects, each once"
has '^left fds=0 children=0$' "HTTP: nothing is left"
plan
