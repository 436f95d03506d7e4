# Helpers for the tests of the command against the stand-in of tests/peers. Sourced by *_test.sh; without node they are
# skipped.
. "$(dirname "$0")/../cli/lib.sh"
if ! command -v node >/dev/null || [ ! -d tests/peers/node_modules ]; then
    echo 'ok 1 - node and the packages of tests/peers # SKIP not installed (tests/setup.sh test)'
    echo 1..1
    exit 0
fi
world=$T/world.jsonl
peer="node tests/peers/computer-use.mjs --principal operator-1 --world $world"
R=(--principal operator-1 --accept-tool approve_action --scope computer:execute:background)
secret=0123456789abcdef0123456789abcdef
printf '{"tool":"write_clipboard","arguments":{"text":"hi"}}\n' >"$T/plain.json"
printf '{"tool":"notification","arguments":{"title":"Done","message":"Saved"}}\n' >"$T/asks.json"
printf '{"tool":"filesystem","arguments":{"mode":"delete","path":"/etc/passwd"}}\n' >"$T/denied.json"
printf '{"tool":"snapshot","arguments":{},"mode":"shadow"}\n' >"$T/shadow.json"

effects() { if [ -e "$world" ]; then wc -l <"$world"; else echo 0; fi; }
# await COMMAND...: waits up to 20 s for the command to succeed.
await() {
    for _ in $(seq 200); do "$@" && return 0; sleep 0.1; done
    return 1
}
# later NAME ARGUMENTS...: starts the command in the background; $pid, output in $T/NAME.out and .err.
later() {
    local name=$1
    shift
    "$IL" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null &
    pid=$!
}
# over NAME: the end of what `later` started.
over() {
    wait "$pid"
    status=$? out=$(cat "$T/$1.out") err=$(cat "$T/$1.err")
}

# fails STATUS PATTERN NAME ARGUMENTS...
fails() {
    local want=$1 pattern=$2 name=$3
    shift 3
    run "$@"
    ends "$want" "$name"
    has "$err" "$pattern" "$name: says '$pattern'"
    [ -z "$out" ] && [ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ]; ok $? "$name: in one line"
}
