#!/bin/bash
# What leaves the libraries: il_* and nothing else; the Lua inside meets no other Lua.
. "$(dirname "$0")/tap.bash"

so=$V/libinterlock.so.0 archive=$V/libinterlock.a module=$V/lua/interlock.so
defined() { nm -D --defined-only "$1" | awk '{ print $3 }'; }
undefined() { nm -D --undefined-only "$1" | awk '{ print $2 }'; }
sanitizer='^(__asan|__ubsan|__odr_asan|__sanitizer|_ZN|asan\.|__gcov|__lsan|DW\.ref)'

declared() {
    sed -n 's/^IL_API .*[ *]\(il_[a-z0-9_]*\)(.*/\1/p' src/include/interlock.h | sort -u
}

check "libinterlock.so exports il_* alone" none "$(defined "$so" | grep -v '^il_[^_]' | grep -Ev "$sanitizer")"
check "libinterlock.so exports what interlock.h declares" \
    none "$(comm -23 <(declared) <(defined "$so" | sort -u) | sed 's/^/missing: /')"
check "interlock.h declares what libinterlock.so exports" \
    none "$(comm -13 <(declared) <(defined "$so" | grep '^il_' | sort -u) | sed 's/^/not declared: /')"
check "libinterlock.so asks for no Lua" \
    none "$(undefined "$so" | grep -E '^luaL?_'; readelf -d "$so" | grep -i 'NEEDED.*lua')"
check "libinterlock.so has a soname" grep -q 'SONAME.*libinterlock\.so\.0' <(readelf -d "$so")
check "libinterlock.so is position-independent" none "$(readelf -d "$so" | grep TEXTREL)"
check "libinterlock.so does not shell out, load code or set a locale" \
    none "$(undefined "$so" | grep -E '^(system|popen|dlopen|dlsym|setlocale)(@|$)')"
# A child that serves is given HOME, PATH and a few more; nothing else of the library looks at the environment.
check "only the starter of servers reads the environment" \
    none "$(grep -lwE 'getenv|secure_getenv|environ' src/{base,wire,contract,check,run,runtime,script,host}/*.c |
        grep -vx src/runtime/mcp_child.c)"
check "libinterlock.a defines il_* alone" \
    none "$(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | grep -v '^il_[^_]' | grep -Ev "$sanitizer")"
if [ -e "$module" ]; then
    check "the Lua module exports its loader alone" \
        test "$(defined "$module" | grep -Ev "$sanitizer")" = luaopen_interlock
    check "the Lua module is linked to no Lua of its own choice" none "$(readelf -d "$module" | grep -i 'NEEDED.*lua')"
    check "the Lua module uses the host's Lua" grep -q '^luaL\?_' <(undefined "$module")
fi
plan
