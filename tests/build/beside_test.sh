#!/bin/bash
# The static library beside another Lua in one program: LuaJIT, the distribution's Lua 5.4, and its C++ build, which
# throws where ours jumps. Each does its work in the middle of the other's. Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
case $V in
    *asan*) sanitize="-fsanitize=address,undefined" ;;
    *) sanitize='' ;;
esac
libs="$(pkg-config --libs libcrypto libcurl sqlite3 libutf8proc) -lm -ldl -pthread"

# beside COMPILER STANDARD PACKAGE WHAT THE PROGRAM'S LUA SAYS
beside() {
    local archive
    archive=$(pkg-config --variable=libdir "$3")/lib${3/luajit/luajit-5.1}.a
    # shellcheck disable=SC2046,SC2086
    "$1" -x ${2%%[0-9]*} -std=$2 -Wall -Wextra -Werror $sanitize -Isrc/include $(pkg-config --cflags "$3") \
        tests/build/beside.c -x none "$archive" "$V/libinterlock.a" $libs -o "$made/program" &&
        ASAN_OPTIONS=detect_leaks=0 "$made/program" >"$made/out" || return 1
    cat "$made/out"
    grep -q '^inside: .*3 nil nil false inside' "$made/out" &&
        grep -qx 'events: each heard by the program.s Lua' "$made/out" &&
        grep -qx "ours: $4 false caught" "$made/out"
}

check "beside LuaJIT" beside gcc c11 luajit LuaJIT
check "beside the distribution's Lua 5.4" beside gcc c11 lua5.4 "Lua 5.4"
check "beside its C++ build" beside g++ c++17 lua5.4-c++ "Lua 5.4"
plan
