#!/bin/bash
# The client scenarios of the MCP conformance suite that this client has a part in. A scenario counts as passed only
# when the harness says so and its report holds the successes that are named here: of a client that does nothing it
# says that nothing failed.
. "$(dirname "$0")/lib.sh"
RUN=$PEERS/conformance/run.sh
if [ ! -d "$PEERS/conformance/node_modules/@modelcontextprotocol" ]; then
    ok 1 "the conformance harness is there (tests/setup.sh test fetches it with npm)"
    plan
fi

# checks DIR WANTED...: no check of the report failed, and each wanted one is a success.
checks() {
    python3 - "$@" <<'END'
import glob, json, sys
files = glob.glob(sys.argv[1] + "/**/checks.json", recursive=True)
checks = json.load(open(files[0])) if len(files) == 1 else []
good = {c["id"] for c in checks if c["status"] == "SUCCESS"}
bad = [c["id"] for c in checks if c["status"] in ("FAILURE", "WARNING")]
print("passed", sorted(good), "failed", bad)
sys.exit(0 if checks and not bad and good.issuperset(sys.argv[2:]) else 1)
END
}

# scenario NAME CHECK...
scenario() {
    local name=$1 dir=$T/$1
    shift
    run timeout -k 2 30 sh "$RUN" client --command "$PROBE conformance" --scenario "$name" --timeout 15000 -o "$dir"
    ends 0 "$name: the harness is content"
    out=$(checks "$dir" "$@")
    status=$?
    ends 0 "$name: its report shows $*"
}
scenario initialize mcp-client-initialization
scenario tools_call tool-add-numbers
scenario sse-retry client-sse-graceful-reconnect client-sse-retry-timing client-sse-last-event-id

run timeout -k 2 30 sh "$RUN" client --command true --scenario initialize --timeout 5000 -o "$T/idle"
out=$(checks "$T/idle" mcp-client-initialization)
status=$?
ends 1 "a client that does nothing is not taken for one that passes"
plan
