#!/bin/bash
# The protocol engine against servers that were written by others: server-everything, server-filesystem and
# computer-use-mcp 1.8.0.
. "$(dirname "$0")/lib.sh"
need_peers
M=$PEERS/node_modules/@modelcontextprotocol
EVERYTHING="node $LOOPBACK $M/server-everything/dist/index.js"

# ---- everything over stdio ----

everything() {
    has '^ready mcp-servers/everything [0-9.]+ 2025-11-25$' "$1: initialize"
    has '^tool get-sum$' "$1: its tools are listed"
    has '^list ok tools=[1-9]' "$1: the list ends"
    has '^text [0-9]+ .*is 12' "$1: a call is answered"
    has '^text [0-9]+ Echo: häß 😀' "$1: texts come back whole"
    has '^block image$' "$1: an image in a result"
    has '^content [0-9]+ \{.*"temperature"' "$1: structured content"
    has '^answer ok .*' "$1: an answer"
    has '^result isError$' "$1: bad arguments and unknown tools are errors of the call"
    has '^closed 1$' "$1: the connection ends in order"
    clean "$1"
}
WHAT=(initialize list call get-sum '{"a":5,"b":7}' call echo '{"message":"häß 😀"}' call get-tiny-image '{}'
    call get-structured-content '{"location":"New York"}' call no-such-tool '{}' call get-sum '{"a":"x"}')
probe stdio "$EVERYTHING stdio" "${WHAT[@]}"
everything "everything, stdio"
ends 1 "everything, stdio: a failed call is told"

probe stdio "$EVERYTHING stdio" call trigger-long-running-operation '{"duration":2,"steps":4}'
ends 0 "progress in the middle of a call disturbs nothing"
probe stdio "$EVERYTHING stdio" call get-env '{}'
lacks 'MCP_SERVERS_TEST_ONLY|AWS_|GITHUB_|ASAN_OPTIONS|LC_ALL' "the server gets no environment of ours"
has '"?PATH' "but PATH"

# ---- everything over HTTP ----

port=$(free_port)
export PORT=$port
serve "$port" $EVERYTHING streamableHttp
ok $? "everything serves HTTP"
unset PORT
only_loopback "$server"
ok $? "and on 127.0.0.1 alone"
probe http "http://127.0.0.1:$port/mcp" "${WHAT[@]}"
everything "everything, HTTP"
probe http "http://127.0.0.1:$port/mcp" cancel trigger-long-running-operation '{"duration":10,"steps":10}'
has '^answer cancelled' "a cancelled call ends at once, although its stream stays open"
clean "a cancelled call"
probe http "http://127.0.0.1:$port/nowhere" initialize
ends 3 "a path that is none is refused"
has '^refused transport .*404' "and the status is told"
stop "$server"
probe http "http://127.0.0.1:$port/mcp" initialize
ends 3 "a server that is gone is refused"
clean "a server that is gone"

# ---- filesystem ----

mkdir "$T/files"
python3 -c 'import sys; open(sys.argv[1], "w").write("x" * 3000000)' "$T/files/big"
printf 'one\xe2\x80\xa8two' >"$T/files/small"
probe stdio "node $LOOPBACK $M/server-filesystem/dist/index.js $T/files" list call read_text_file \
    "{\"path\":\"$T/files/big\"}" call read_text_file '{"path":"/etc/hostname"}' call read_text_file \
    "{\"path\":\"$T/files/small\"}"
has '^ready secure-filesystem-server ' "filesystem: initialize"
has '^tool read_text_file$' "filesystem: its tools"
has '^content 3000014 ."content":"xxx' "filesystem: a line of 6 MB, text and structure, arrives whole"
has '^text [0-9]+ Access denied' "filesystem: outside its folder is an error, since we declare no roots"
has '^content 23 ."content":"one'$'\u2028''two"' "filesystem: U+2028 does not break a line"
clean "filesystem"

# ---- computer-use-mcp 1.8.0: its first call ends it ----

probe stdio "node $LOOPBACK $PEERS/node_modules/computer-use-mcp/dist/main.js" list call computer \
    '{"action":"get_cursor_position"}'
has '^tool computer$' "computer-use-mcp: lists its one tool without a display"
has '^answer transport sent=1' "computer-use-mcp: dies in the call; the call had left"
ends 1 "computer-use-mcp: and the client lives"
clean "computer-use-mcp"
plan
