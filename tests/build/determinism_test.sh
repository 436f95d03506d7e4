#!/bin/bash
# The verdict records of random policies and actions (tests/unit/policy_property_test.c) are the same bytes in every
# process. With BUILDS="build/release build/release-clang ..." they are also the same in each of these builds.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
builds=${BUILDS:-${V:-build/asan}}
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
n=0 failed=0
ok() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
    failed=1
    echo "not ok $n - $2"
}

first=''
for build in $builds; do
    for process in 1 2; do
        # Another environment, place in memory and time of day: none of it may show.
        env -i PATH="$PATH" TZ="Etc/GMT+$process" LANG=C PAD="$(printf '%*s' $((process * 1000)) '')" \
            ASAN_OPTIONS="${ASAN_OPTIONS:-}" \
            "$build/tests/unit/policy_property_test" records 7 "${BUNDLES:-60}" >"$T/now"
        ok $? "$build, process $process: records of random policies"
        [ "$(grep -c '"kind":"verdict"' "$T/now")" -gt 100 ]
        ok $? "$build, process $process: $(wc -l <"$T/now") records"
        [ -n "$first" ] || { cp "$T/now" "$T/first"; first="$build, process 1"; continue; }
        cmp -s "$T/first" "$T/now"
        ok $? "$build, process $process: the same bytes as $first"
    done
done
"${builds%% *}/tests/unit/policy_property_test" records 8 "${BUNDLES:-60}" >"$T/now"
cmp -s "$T/first" "$T/now"
[ $? -ne 0 ]; ok $? 'another seed gives other records'
echo "1..$n"
exit "$failed"
