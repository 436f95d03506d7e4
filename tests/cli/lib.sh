# Helpers for the tests of the command: run it, then look at status, stdout and stderr. Sourced by *_test.sh.
# Prints TAP. V names the build folder that is tested.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
IL=$PWD/${V:-build/asan}/interlock
D=$PWD/tests/cli/data
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
unset NO_COLOR COLUMNS
export TERM=xterm
n=0 failed=0

# run ARGUMENTS...: fills $status, $out and $err.
run() {
    "$IL" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
    out=$(cat "$T/out") err=$(cat "$T/err")
}

# ok STATUS NAME: one test by the status of what ran before.
ok() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $n - $2"
        return 0
    fi
    failed=1
    echo "not ok $n - $2"
    { echo "status: ${status:-}"; echo "out: ${out:-}"; echo "err: ${err:-}"; } | head -40 | sed 's/^/#   /'
    return 1
}

# ends STATUS NAME: the command ended with STATUS.
ends() {
    [ "$status" -eq "$1" ]
    ok $? "$2 (exit $1)"
}

# has TEXT OTHER NAME / lacks: TEXT holds the other text.
has() {
    [[ $1 == *"$2"* ]]
    ok $? "$3"
}
lacks() {
    [[ $1 != *"$2"* ]]
    ok $? "$3"
}

# json EXPRESSION NAME: $out is one JSON document, and the Lua expression over `d` holds.
json() {
    printf '%s' "$out" | lua5.4 tests/cli/json.lua "$1" 2>"$T/json"
    ok $? "$2"
}

# narrow COLUMNS NAME: no line of $out is wider.
narrow() {
    local widest
    widest=$(printf '%s\n' "$out" | LC_ALL=C.UTF-8 awk '{ if (length($0) > w) w = length($0) } END { print w + 0 }')
    [ "$widest" -le "$1" ]
    ok $? "$2 (widest line: $widest)"
}

done_testing() {
    echo "1..$n"
    exit "$failed"
}
