#!/bin/bash
# Prints the binary interface: every exported function, the size of every public struct, and how many values each public
# list has (on 64-bit machines). Usage: tests/build/abi.sh LIBRARY.so
set -eu
cd "$(dirname "$0")/../.."
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

nm -D --defined-only "$1" | awk '$3 ~ /^il_/ { print "function", $3 }' | sort
{
    echo '#include <interlock.h>'
    echo '#include <stdio.h>'
    echo 'int main(void)'
    echo '{'
    sed -n 's/^struct \(il_[a-z_]*\) {.*/\1/p' src/include/interlock.h | sort |
        sed 's/.*/    printf("struct & %zu\\n", sizeof(struct &));/'
    grep -oE '\bIL_[A-Z_]+_COUNT\b' src/include/interlock.h | sort -u |
        sed 's/.*/    printf("values & %d\\n", (int)&);/'
    echo '    return 0;'
    echo '}'
} >"$made/sizes.c"
gcc -std=c11 -Isrc/include "$made/sizes.c" -o "$made/sizes"
"$made/sizes"
