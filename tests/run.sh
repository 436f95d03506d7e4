#!/bin/bash
# Runs the suites and sums up. Usage: tests/run.sh [SUITE [NAME]]
#   SUITE: lint, unit, fuzz, shell, spec, scenarios (default: all)   NAME: one case of it
# Every case prints TAP; each `ok` or `not ok` line is one test, a skipped one is none. A case that dies, or breaks its
# plan, fails as well.
# BUILD chooses the variant that is tested (default asan); the programs must be built. VALGRIND=1 runs the unit tests
# under valgrind (BUILD=debug); LONG=1 gives random and long cases more rounds, and all more time.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
export LC_ALL=C.UTF-8 TZ=UTC BUILD="${BUILD:-asan}"
V=build/$BUILD
[ -z "${VARIANT:-}" ] || V=build/$VARIANT
export V
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}"
suite=${1:-} only=${2:-}
passed=0 failed=0
jobs=${JOBS:-$(nproc)} cases=0 shown=0
reports=$(mktemp -d) || exit 1
trap 'rm -rf "$reports"' EXIT

# run_case SUITE NAME LIMIT_S COMMAND...: starts one case beside the others, at most $jobs at a time.
run_case() {
    if [ -n "$only" ] && [ "$only" != "$2" ]; then return; fi
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    cases=$((cases + 1))
    judge "$reports/$cases" "$@" >"$reports/$cases.report" &
}

# Waits for the cases that were started, shows their reports in order and adds up.
finish() {
    local ok bad
    wait
    while [ "$shown" -lt "$cases" ]; do
        shown=$((shown + 1))
        cat "$reports/$shown.report"
        ok=0 bad=1
        [ -e "$reports/$shown.count" ] && read -r ok bad <"$reports/$shown.count"
        passed=$((passed + ok)) failed=$((failed + bad))
    done
}

# judge FILE SUITE NAME LIMIT_S COMMAND...: runs one case, counts its TAP lines, shows what failed.
judge() {
    local out=$1 name="$2/$3" s=$2 n=$3 limit=$4 status ok bad plan skipped
    shift 4
    timeout -k 5 "$limit" "$@" >"$out" 2>&1 </dev/null
    status=$?
    skipped=$(grep -c '^ok .*# SKIP' "$out")
    ok=$(($(grep -c '^ok ' "$out") - skipped))
    bad=$(grep -c '^not ok ' "$out")
    plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$out" | tail -1)
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=$((bad + 1))
        if [ "$status" -eq 124 ]; then
            echo "not ok - $name took longer than $limit s"
        else
            echo "not ok - $name ended with status $status"
        fi
        tail -30 "$out" | sed 's/^/    /'
    elif [ "$((ok + bad + skipped))" -ne "${plan:--1}" ]; then
        bad=$((bad + 1))
        echo "not ok - $name: $ok ok, $((bad - 1)) not ok, but its plan says ${plan:-nothing}"
    elif [ "$ok" -eq 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
        echo "not ok - $name ran no test"
    elif [ "$bad" -gt 0 ]; then
        awk '/^not ok/ { show = 1; print "    " $0; next } /^ok / { show = 0 }
            show && n < 60 { n++; print "    " $0 }' "$out"
    fi
    if [ "$bad" -gt 0 ]; then
        printf 'FAIL  %-40s %d passed, %d failed   rerun: %s\n' "$name" "$ok" "$bad" "BUILD=$BUILD tests/run.sh $s $n"
    else
        printf 'ok    %-40s %d%s\n' "$name" "$ok" "$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")"
    fi
    echo "$ok $bad" >"$out.count"
}

suite_lint() {
    local file
    for file in tests/lint/*.sh; do
        [ -e "$file" ] && run_case lint "$(basename "$file" .sh)" 1200 bash "$file"
    done
}

suite_unit() {
    local file under=() limit=120
    [ -n "${LONG:-}" ] && limit=1800
    if [ -n "${VALGRIND:-}" ]; then
        under=(valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite) limit=900
    fi
    for file in tests/unit/*_test.c; do
        [ -e "$file" ] && run_case unit "$(basename "$file" .c)" "$limit" "${under[@]}" "$V/${file%.c}"
    done
}

suite_fuzz() {
    local file long=120
    [ -n "${LONG:-}" ] && long=1800
    for file in tests/fuzz/*_fuzz.c; do
        [ -e "$file" ] && run_case fuzz "$(basename "$file" .c)" "$long" "$V/${file%.c}"
    done
}

suite_shell() {
    local file long=120
    [ -n "${LONG:-}" ] && long=1800
    for file in tests/*/*_test.sh; do
        [ -e "$file" ] && run_case shell "$(basename "$file" .sh)" "$long" bash "$file"
    done
}

suite_spec() {
    local file preload='' limit=120
    [ -n "${LONG:-}" ] && limit=1800 && export WORLDS="${WORLDS:-5000}"
    [ "$BUILD" = asan ] && preload=$(gcc -print-file-name=libasan.so)
    for file in tests/specs/*_spec.lua; do
        [ -e "$file" ] && run_case spec "$(basename "$file" .lua)" "$limit" \
            env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 LUA_CPATH="$V/lua/?.so;;" \
            LUA_PATH="./?.lua;lua/?.lua;;" lua5.4 /usr/bin/busted --output=TAP "$file"
    done
}

suite_scenarios() {
    local places=() place
    for place in tests/scenarios examples; do
        [ -n "$(find "$place" -name '*_scenario.lua' 2>/dev/null | head -1)" ] && places+=("$place")
    done
    [ ${#places[@]} -eq 0 ] || run_case scenarios all 300 "$V/interlock" scenario "${places[@]}" --format tap
}

case $suite in
    '') for s in lint unit fuzz shell spec scenarios; do "suite_$s"; finish; done ;;
    lint | unit | fuzz | shell | spec | scenarios) "suite_$suite"; finish ;;
    *) echo "no suite named $suite: lint, unit, fuzz, shell, spec, scenarios"; exit 2 ;;
esac

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
