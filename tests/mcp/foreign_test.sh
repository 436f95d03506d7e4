#!/bin/bash
# Servers that are no governed computer-use servers, as the runtime of a host: refused with a reason, nothing is left.
. "$(dirname "$0")/lib.sh"
need_peers
M=$PEERS/node_modules/@modelcontextprotocol

refused() {
    ends 3 "$1: no connection"
    has "^not ready: refused: .*$2" "$1: it says why"
    has '^left fds=0 children=0$' "$1: nothing is left"
}
run "$GOVERNED" "stdio:node $LOOPBACK $M/server-everything/dist/index.js stdio"
refused "everything" "this server has no v8 tools: no preview_action among its [0-9]+ tools"
run "$GOVERNED" "stdio:node $LOOPBACK $M/server-filesystem/dist/index.js $T"
refused "filesystem" "this server has no v8 tools"
run "$GOVERNED" "stdio:node $LOOPBACK $PEERS/node_modules/computer-use-mcp/dist/main.js"
refused "computer-use-mcp 1.8.0" "this server has no v8 tools: no preview_action among its 1 tools"
run "$GOVERNED" "stdio:node $LOOPBACK $PEERS/computer-use.mjs --no-v8"
refused "an ungoverned stand-in" "this server has no v8 tools"
run "$GOVERNED" "stdio:node $LOOPBACK $PEERS/computer-use.mjs --raw-tools" --accept approve_action
refused "raw tools beside the governed" "ways around the governance"
run "$GOVERNED" "stdio:node $LOOPBACK $PEERS/computer-use.mjs"
refused "F18 the approving tool" "approve_action; accept each by name"
if [ -x "$PEERS/.venv/bin/python" ]; then
    run "$GOVERNED" "stdio:$PEERS/.venv/bin/python $PEERS/python_server.py"
    refused "a Python server" "this server has no v8 tools"
else
    skip "a Python server" "tests/peers/.venv is not there"
fi

port=$(free_port)
export PORT=$port
serve "$port" node $LOOPBACK "$M/server-everything/dist/index.js" streamableHttp
ok $? "everything serves HTTP"
run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp"
refused "everything over HTTP" "this server has no v8 tools"
stop "$server"

run "$GOVERNED" "stdio:/nonexistent/server"
ends 3 "a program that is not there"
has 'no such program' "and it says so"
has '^left fds=0 children=0$' "and nothing is left"
run "$GOVERNED" "stdio:true"
has '^not ready: .*(ended|does not read any more)' "a program that ends at once is told as such"
run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp"
has '^not ready: .*no connection to the server' "nobody listens: told as such"
has '^left fds=0 children=0$' "and nothing is left"
plan
