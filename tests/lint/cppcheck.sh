#!/bin/bash
# cppcheck over the sources; it remembers what it has seen below build/.
. "$(dirname "$0")/tap.bash"

mkdir -p build/cppcheck
check "cppcheck has nothing to say" cppcheck --enable=warning,performance,portability --inconclusive --std=c11 \
    --quiet --inline-suppr --error-exitcode=1 --library=posix --suppress=missingIncludeSystem \
    --suppress=unmatchedSuppression --suppress=readdirCalled --cppcheck-build-dir=build/cppcheck \
    -j2 -D_GNU_SOURCE -D__GNUC__ -Isrc src
plan
