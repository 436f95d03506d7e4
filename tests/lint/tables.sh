#!/bin/bash
# The truth tables are what their script writes: a row edited by hand, or a table left out on either side, is shown.
. "$(dirname "$0")/tap.bash"

new=$(mktemp -d) || exit 1
trap 'rm -rf "$new"' EXIT
check "the script of the tables runs" lua5.4 tests/vectors/tables/generate.lua "$new"
check "the tables are what it writes" diff -rq -x generate.lua tests/vectors/tables "$new"
plan
