#!/bin/bash
# Sums up the line coverage of a run of BUILD=cov: one line a file, the total last. Usage: coverage.sh build/cov
set -eu
cd "$(dirname "$0")/../.."
find "$1/obj/src" -name '*.gcno' -print0 | xargs -0 -r -n 40 gcov -n -r 2>/dev/null |
    awk -F"'" '/^File/ { file = $2 } /^Lines executed/ && file ~ /^src\/.*\.c$/ {
        split($0, part, /[:% ]/); split($0, of, " of "); percent = part[3]; lines = of[2]
        printf "%6.2f%%  %5d  %s\n", percent, lines, file
        hit += percent * lines / 100; all += lines; file = ""
    } END { if (all) printf "%6.2f%%  %5d  total\n", hit * 100 / all, all }' | sort -k3
