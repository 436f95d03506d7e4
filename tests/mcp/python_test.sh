#!/bin/bash
# The protocol engine against a server on the official Python SDK, over stdio and over Streamable HTTP.
. "$(dirname "$0")/lib.sh"
PY=$PEERS/.venv/bin/python
! grep -Evq '^[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*$' "$PEERS/requirements.txt"
ok $? "its packages are pinned, each to one version"
if ! "$PY" -c 'import mcp' 2>/dev/null; then
    skip "a server on the Python SDK" "tests/peers/.venv is not there; tests/setup.sh makes it where python3-venv is"
    plan
fi
S=$PEERS/python_server.py
WHAT=(list call add '{"a":5,"b":7}' call echo '{"text":"häß 😀 \u2028"}' call big '{"size":2000000}' call fail '{}'
    call add '{"a":"x"}' call nothing '{}')

python_server() {
    has '^ready python-peer 1 2025-11-25$' "$1: initialize"
    has '^list ok tools=6$' "$1: its tools are listed"
    has '^content [0-9]+ ."result":12' "$1: a call is answered"
    has '^content [0-9]+ ."result":"häß 😀' "$1: texts come back whole"
    has '^content 2000013 ."result":"xxx' "$1: a big result"
    has '^text [0-9]+ Error executing tool fail' "$1: a failure is an error of the call"
    [ "$(printf '%s\n' "$out" | grep -c '^result isError$')" -eq 3 ]
    ok $? "$1: bad arguments and unknown tools as well"
    has '^closed 1$' "$1: the connection ends in order"
    clean "$1"
}
probe stdio "$PY $S" "${WHAT[@]}"
python_server "Python, stdio"
probe stdio "$PY $S" call loud '{"size":300000}'
ends 0 "what it says on standard error is drained: 300 kB, then the answer"
probe stdio "$PY $S" call die '{}' list
has '^answer transport sent=1' "it dies in a call that had left"
clean "it dies in a call"

port=$(free_port)
serve "$port" "$PY" "$S" "$port"
ok $? "it serves HTTP"
only_loopback "$server"
ok $? "on 127.0.0.1 alone"
probe http "http://127.0.0.1:$port/mcp" "${WHAT[@]}"
python_server "Python, HTTP"
probe http "http://127.0.0.1:$port/mcp/" initialize
ends 3 "a redirect is not followed"
has '^refused transport .*307' "and is told with its status"
probe http "http://127.0.0.1:$port/mcp" call die '{}'
has '^answer transport sent=1' "it dies in a call over HTTP"
clean "it dies over HTTP"
plan
