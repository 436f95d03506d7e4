#!/bin/bash
# Fuzzes with libFuzzer, starting from the corpus and the vectors; what it learns stays below build/.
# Usage: tests/fuzz/live.sh build/fuzz-clang [SECONDS [NAME]]
set -eu
cd "$(dirname "$0")/../.."
dir=$1 seconds=${2:-60} only=${3:-}
for file in tests/fuzz/*_fuzz.c; do
    name=$(basename "$file" .c)
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    seeds=()
    for folder in "tests/fuzz/corpus/${name%_fuzz}" tests/vectors; do
        if [ -d "$folder" ]; then seeds+=("$folder"); fi
    done
    mkdir -p "$dir/learned/$name"
    echo "fuzz $name for $seconds s"
    "$dir/live/$name" -max_total_time="$seconds" -max_len=65536 -print_final_stats=0 -verbosity=0 \
        -artifact_prefix="$dir/$name-" "$dir/learned/$name" "${seeds[@]}" || {
        echo "FAIL  fuzz/$name   rerun: $dir/live/$name $dir/$name-crash-*"
        exit 1
    }
done
