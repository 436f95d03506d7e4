#!/bin/bash
# clang-tidy over the sources; a file that did not change since it passed is not looked at again.
# DEEP=1: with the analyzer's deep search.
. "$(dirname "$0")/tap.bash"

tidy() {
    make -s -k --no-print-directory -j2 BUILD="${BUILD:-asan}" tidy >"$V/tidy.log" 2>&1 && return
    grep -E ': (error|warning):' "$V/tidy.log" | sed "s,^$PWD/,," | sort -u
    echo "the whole of it: $V/tidy.log"
    return 1
}

check "clang-tidy has nothing to say" tidy
plan
