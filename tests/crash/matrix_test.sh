#!/bin/bash
# Runs are killed everywhere and go on in other processes (crash.h): some of the places, all of them with LONG=1. The
# whole table: make crash-matrix.
. "$(dirname "$0")/../mcp/lib.sh"
need_peers
stride=7 far=37
[ -n "${LONG:-}" ] && stride=1 far=3
"$V/tests/crash/crash" matrix "$stride" "$far" >"$T/out" 2>&1
status=$?
sed 's/^/# /' "$T/out"
ends 0 "at most one effect, an honest end, all given back, journals that verify, no process left"
grep -Eq '^[0-9]+ cuts, [0-9]+ lives, 0 wrong$' "$T/out"
ok $? "and the table says so"
plan
