#!/bin/bash
# Runs the measurements of one built variant: a table on the screen, one JSON object per measurement in bench.json.
# Usage: tests/bench/run.sh build/release [NAME]
set -eu
cd "$(dirname "$0")/../.."
dir=$1 only=${2:-}
: >"$dir/bench.json"
for file in tests/bench/*_bench.c; do
    name=$(basename "$file" .c)
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    "$dir/tests/bench/$name" >>"$dir/bench.json"
done
echo "numbers: $dir/bench.json"
