#!/bin/bash
# The hosts of examples/embed do what they say: in C99 over the static library, in Python over the shared one, whose
# structs lie in memory as the header says. Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
case $V in
    *asan*) sanitize="-fsanitize=address,undefined" preload=$(gcc -print-file-name=libasan.so) ;;
    *) sanitize='' preload='' ;;
esac
library=$V/libinterlock.so
# shellcheck disable=SC2086
in_c() {
    gcc -std=c99 -Wall -Wextra -Wpedantic -Werror $sanitize -Isrc/include examples/embed/host.c "$V/libinterlock.a" \
        $(pkg-config --libs libcrypto libcurl sqlite3 libutf8proc) -lm -pthread -o "$made/host" &&
        "$made/host" >"$made/out" && cat "$made/out" && grep -q '"status":"committed_unverified"' "$made/out"
}
python() { LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 PYTHONDONTWRITEBYTECODE=1 python3 "$@"; }
in_python() {
    python examples/embed/host.py "$library" >"$made/out" || return 1
    cat "$made/out"
    grep -q '"status":"committed_unverified"' "$made/out" && grep -qx "clipboard: \['hello from python'\]" "$made/out"
}

# One line per member: its struct, its place and its size, from the header and from the binding.
layout() {
    cat >"$made/layout.py" <<'END'
import ctypes
import sys
sys.path.insert(0, "examples/embed")
import interlock
STRUCTS = {"il_str": interlock.Str, "il_error": interlock.Error, "il_request": interlock.Request,
           "il_runtime": interlock.Runtime, "il_run_options": interlock.RunOptions, "il_tick": interlock.Tick,
           "il_host_options": interlock.HostOptions}
NAMES = {"callbacks": "alloc", "numbers": "max_moving_runs", "flags": "accept_standing_grants"}
lines, code = [], ["#include <interlock.h>", "#include <stddef.h>", "#include <stdio.h>", "int main(void)", "{"]
for name, kind in STRUCTS.items():
    lines.append(f"{name} {ctypes.sizeof(kind)}")
    code.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
    for member, *_ in kind._fields_:
        lines.append(f"{name}.{member} {getattr(kind, member).offset}")
        code.append(f'printf("{name}.{member} %zu\\n", offsetof(struct {name}, {NAMES.get(member, member)}));')
with open(sys.argv[1] + "/layout.txt", "w") as file:
    file.write("\n".join(lines) + "\n")
with open(sys.argv[1] + "/layout.c", "w") as file:
    file.write("\n".join(code + ["return 0;", "}"]) + "\n")
END
    PYTHONDONTWRITEBYTECODE=1 python3 "$made/layout.py" "$made" &&
        gcc -std=c11 -Isrc/include "$made/layout.c" -o "$made/layout" && "$made/layout" | diff - "$made/layout.txt"
}

check "the host in C99 governs an action" in_c
check "the host in Python governs an action of a runtime in Python" in_python
check "the structs of the binding lie as the header says" layout
plan
