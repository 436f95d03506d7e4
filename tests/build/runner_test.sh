#!/bin/bash
# The runner cannot be talked into success: cases that die, stop early, say nothing, break their plan or are skipped.
# Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

unset V BUILD
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/case"
cp tests/run.sh "$tree/tests"
cd "$tree" || exit 1

# says WANT SCRIPT...: the runner's last line over one case per SCRIPT, and whether it succeeded.
says() {
    local want=$1 n=0 script got status=0
    shift
    rm -f tests/case/*
    for script in "$@"; do
        n=$((n + 1))
        printf '%s\n' "$script" >"tests/case/c${n}_test.sh"
    done
    got=$(tests/run.sh shell) || status=$?
    [ "$(printf '%s\n' "$got" | tail -1) $status" = "$want" ] && return
    printf 'want %s, status %s of:\n%s\n' "$want" "$status" "$got"
    return 1
}

check "good cases add up" says "3 passed, 0 failed 0" 'echo "ok 1 - a"; echo "1..1"' 'printf "1..2\nok 1\nok 2\n"'
check "a failed check fails" says "1 passed, 1 failed 1" 'printf "ok 1\nnot ok 2\n1..2\n"; exit 1'
check "a failed check fails, whatever the status says" says "0 passed, 1 failed 1" 'printf "not ok 1\n1..1\n"'
check "a case that dies fails" says "1 passed, 1 failed 1" 'printf "ok 1\n1..1\n"; kill -SEGV $$'
check "a case that stops before its plan fails" says "1 passed, 1 failed 1" 'printf "1..2\nok 1\n"'
check "a case without a plan fails" says "1 passed, 1 failed 1" 'echo "ok 1"'
check "a case without a test fails" says "0 passed, 1 failed 1" 'echo "1..0"'
check "no case at all fails" says "0 passed, 0 failed 1"
check "a skipped check is no test" says "1 passed, 0 failed 0" 'printf "ok 1\nok 2 # SKIP\n1..2\n"'
check "only skipped checks fail" says "0 passed, 1 failed 1" 'printf "ok 1 # SKIP\n1..1\n"'
says_how() { tests/run.sh shell | grep -q 'rerun: BUILD=asan tests/run.sh shell c1_test$'; }
echo 'printf "not ok 1\n1..1\n"' >tests/case/c1_test.sh
check "a failure says how to run its case again" says_how
plan
