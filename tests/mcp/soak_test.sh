#!/bin/bash
# Many governed actions in one host over stdio: a lease each, given back each time; memory and descriptors stay.
# LONG=1: ten times as many. What is known of an envelope, two thirds of a KiB, is kept for ten minutes: it grows by
# that, and stays there.
. "$(dirname "$0")/crash.sh"
actions=${LONG:+10000}
actions=${actions:-1000}
most=$((5120 + actions * 3 / 4))
# The sanitizer keeps what was freed and would hide or fake growth.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1:malloc_context_size=2"
timeout -k 2 1700 "$GOVERNED" "stdio:$CU --world $T/world" --accept approve_action --timeout 20000 \
    --actions "$actions" >"$T/out" 2>&1 </dev/null
status=$?
out=$(cat "$T/out")
ends 5 "the last of $actions actions"
has " ended=$actions committed=$actions " "all of them acted"
[ "$(wc -l <"$T/world")" -eq "$actions" ]
ok $? "F2 each once, with a lease of its own"
has ' fds_growth=0$' "no descriptor more than near the beginning"
growth=$(printf '%s\n' "$out" | sed -n 's/^end .* rss_growth_kb=\(-*[0-9]*\) .*/\1/p')
[ -n "$growth" ] && [ "$growth" -lt "$most" ]
ok $? "memory stays: $growth KiB more than after a tenth of them, of $most"
has '^left fds=0 children=0$' "and nothing is left"
plan
