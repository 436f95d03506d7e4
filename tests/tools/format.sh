#!/bin/bash
# Breaks lines of C that are wider than 120 columns, and leaves every other line as its author set it.
# Usage: tests/tools/format.sh [FILE...]   (default: every .c and .h below src and tests)
set -eu
cd "$(dirname "$0")/../.."
if [ $# -eq 0 ]; then
    mapfile -t files < <(find src tests -name '*.[ch]')
    set -- "${files[@]}"
fi
for file in "$@"; do
    awk 'length > 120 { print FNR }' "$file" | sort -rn | while read -r line; do
        clang-format -i --style=file --lines="$line:$line" "$file"
    done
done
