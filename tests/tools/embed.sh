#!/bin/sh
# Writes C source that holds the given files byte for byte. Usage: embed.sh FILE...   (paths below lua/)
# Names are the paths without the leading "lua/".
set -eu
export LC_ALL=C

echo '/* Made by tests/tools/embed.sh from the files below lua/. */'
echo '#include "script/embedded.h"'
n=0
for file in "$@"; do
    printf '\nstatic const char file_%d[] = {\n' "$n"
    od -An -v -t d1 "$file" | awk '{ for (i = 1; i <= NF; i++) printf "%s,", $i; print "" }'
    echo '0};'
    n=$((n + 1))
done
printf '\nconst struct il__embedded il__embedded_files[] = {\n'
n=0
for file in "$@"; do
    printf '    { "%s", file_%d, sizeof file_%d - 1 },\n' "${file#lua/}" "$n" "$n"
    n=$((n + 1))
done
printf '    { NULL, NULL, 0 },\n};\n'
