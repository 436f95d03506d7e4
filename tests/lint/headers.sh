#!/bin/bash
# Headers stand alone: the public one in C99, C11 and C++17 without a warning, each internal one by itself.
. "$(dirname "$0")/tap.bash"

strict='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
# shellcheck disable=SC2086
public() { printf '#include <interlock.h>\nint used;\n' | "$1" -x "$2" -std="$3" $strict -Isrc/include -; }

alone() {
    local header status=0
    for header in src/*/*.h; do
        # shellcheck disable=SC2086
        printf '#include "%s"\nextern int used;\n' "${header#src/}" |
            gcc -x c -std=c11 -D_GNU_SOURCE $strict -Isrc -Isrc/include $(pkg-config --cflags lua5.4) - && continue
        echo "in $header"
        status=1
    done
    return $status
}

check "interlock.h is C99" public gcc c c99
check "interlock.h is C11" public clang c c11
check "interlock.h is C++17" public clang c++ c++17
check "each header compiles by itself" alone
plan
