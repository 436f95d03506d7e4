# Helpers for the tests against servers: start one, wait for its port, drive it, see what is left. Sourced by *_test.sh.
# Prints TAP. V names the build folder that is tested.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
V=$PWD/${V:-build/asan}
PROBE=$V/tests/tools/mcp_probe
GOVERNED=$V/tests/tools/governed
PEERS=$PWD/tests/peers
LOOPBACK="--require $PEERS/loopback.cjs"
T=$(mktemp -d) || exit 1
started=()
n=0 failed=0 status=0 out=
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy

# Ends what the test started, each by its own id.
leave() {
    local pid
    for pid in "${started[@]}"; do kill -9 "$pid" 2>/dev/null; done
    rm -rf "$T"
}
trap leave EXIT

ok() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $n - $2"
        return 0
    fi
    failed=1
    echo "not ok $n - $2"
    { echo "status: $status"; printf '%s\n' "$out"; } | cut -c1-300 | head -40 | sed 's/^/#   /'
    return 1
}
skip() {
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}
plan() {
    echo "1..$n"
    exit "$failed"
}

# run COMMAND...: fills $status and $out (standard output and error).
run() {
    timeout -k 2 50 "$@" >"$T/out" 2>&1 </dev/null
    status=$?
    out=$(tr -d '\0' <"$T/out")
}
probe() { run "$PROBE" "$@"; }
# has PATTERN NAME: a line of $out matches the extended pattern.
has() {
    printf '%s\n' "$out" | grep -Eq -- "$1"
    ok $? "$2"
}
lacks() {
    ! printf '%s\n' "$out" | grep -Eq -- "$1"
    ok $? "$2"
}
ends() {
    [ "$status" -eq "$1" ]
    ok $? "$2 (exit $1)"
}
# Nothing is left of a connection: no descriptor, no child, no memory.
clean() {
    has '^left fds=0 children=0 memory=0$' "$1: no descriptor, child or memory is left"
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# serve PORT COMMAND...: starts a server and waits until its port answers; its id in $server.
serve() {
    local port=$1 i
    shift
    "$@" >"$T/server.$port" 2>&1 </dev/null &
    server=$!
    started+=("$server")
    disown "$server"
    for ((i = 0; i < 300; i++)); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    sed 's/^/# /' "$T/server.$port" | tail -5
    return 1
}

# Ends one server of ours and waits until it is gone.
stop() {
    kill -9 "$1" 2>/dev/null
    while kill -0 "$1" 2>/dev/null; do sleep 0.05; done
}

# The listening sockets of a process, one address a line: all of them on loopback?
only_loopback() {
    python3 - "$1" <<'END'
import os, sys
pid, inodes, bad = sys.argv[1], set(), 0
for fd in os.listdir(f"/proc/{pid}/fd"):
    try:
        link = os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        continue
    if link.startswith("socket:["):
        inodes.add(link[8:-1])
for name in ("tcp", "tcp6"):
    for line in open(f"/proc/{pid}/net/{name}").readlines()[1:]:
        f = line.split()
        if f[3] == "0A" and f[9] in inodes and not f[1].startswith("0100007F:"):
            bad += 1
sys.exit(1 if bad else 0)
END
}

need_peers() {
    [ -d "$PEERS/node_modules/@modelcontextprotocol/sdk" ] && return 0
    ok 1 "tests/peers has its packages (tests/setup.sh test fetches them with npm)"
    plan
}
