# What the tests of a dying server share: one governed click against a stand-in that is killed at a point of the run,
# and what must hold however it ends. Sourced by *_test.sh here; uses lib.sh.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need_peers
CU="node $LOOPBACK $PEERS/computer-use.mjs --principal operator-1 --rules 20002ace"
TOKEN=abcdefghijklmnopqrstuvwxyz

# Where the server dies, and the effect that the host may then speak of. A call that left may have acted: unknown. The
# first two execute_action are observations.
EARLY='start_session:before -
start_session:after -
get_execution_capabilities:before none
execute_action:before@1 none
execute_action:after@2 none
preview_action:before none
preview_action:after none
reserve_target:before none
reserve_target:after none
acquire_control_lease:before none'
LATE='acquire_control_lease:after none
execute_action:before@3 unknown
capture:before unknown
press_button:before unknown
press_button:after unknown
execute_action:after@3 unknown
release_control_lease:before committed
release_control_lease:after committed
release_target_reservation:before committed
release_target_reservation:after committed'

# honest NAME EFFECT WORLD: what $out says agrees with the effects in the file and with itself.
honest() {
    local why
    why=$(python3 - "$T/out" "$status" "$2" "$3" <<'END'
import os, re, sys
text, status, want, world = open(sys.argv[1]).read(), int(sys.argv[2]), sys.argv[3], sys.argv[4]
effects = sum(1 for _ in open(world)) if os.path.exists(world) else 0
bad = []
def need(good, what):
    if not good: bad.append(what)
need(effects <= 1, f"{effects} effects")
need("left fds=0 children=0" in text, "something is left")
need("end alive=1" in text, "the host lives")
run = re.search(r"^run status=(\S+) effect=(\S+) exit=(\d+) retrySafe=(\d) step=\S* error=(\S+):(.*)"
                r"\| cleanup=(\S+):", text, re.M)
if want == "-":
    need(not run and status == 3 and "not ready" in text, "no connection, and it says so")
    need(effects == 0, "no effect")
elif not run:
    need(False, "there is a run")
else:
    state, effect, exit_status, retry, error, _, cleanup = run.groups()
    need(effect == want, f"effect {effect}, not {want}")
    need(effect != "none" or effects == 0, "none, but it acted")
    need(effect != "committed" or effects == 1, "committed, but it did not act")
    need((retry == "1") == (effect == "none"), "only what did not act may be tried again")
    need(int(exit_status) == status and status != 0, "the exit status")
    need(effect != "unknown" or (status == 7 and state == "indeterminate"), f"{state}, exit {status}")
    need(effect != "none" or (error != "ok" and status in (1, 8)), f"{error}, exit {status}")
    unreleased = re.findall(r"^released (.*) ok=0$", text, re.M)
    need(not unreleased or (cleanup != "ok" or error != "ok"), f"{unreleased}: not reported")
    need(not unreleased or status in (7, 8), f"not released, exit {status}")
    if effect == "committed":
        need(bool(unreleased), "a release failed, and an event says so")
print("; ".join(bad))
END
    )
    [ -z "$why" ]
    ok $? "$1: at most one effect, told as it is${why:+ ($why)}"
}

# click_stdio WORLD SERVER_SWITCHES -- HOST_SWITCHES...
click_stdio() {
    run "$GOVERNED" "stdio:$CU --world $1 $2" --accept approve_action --click "${@:3}"
}

# serve_http WORLD PORT SWITCHES: $server is its id. click_http PORT HOST_SWITCHES...
serve_http() {
    # shellcheck disable=SC2086
    serve "$2" $CU --world "$1" --http --port "$2" --token "$TOKEN=operator-1" $3
}
click_http() {
    run "$GOVERNED" "mcp+http://127.0.0.1:$1/mcp" --token "$TOKEN" --accept approve_action --click "${@:2}"
}
