#!/bin/bash
# clang-tidy over the sources; a file that did not change since it passed is not looked at again.
. "$(dirname "$0")/tap.bash"

check "clang-tidy has nothing to say" make -s -k --no-print-directory -j2 BUILD="${BUILD:-asan}" tidy
plan
