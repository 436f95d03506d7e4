#!/bin/bash
# The library as one file: `make dist` writes it, both compilers take it, a C99 host on it governs an action, nothing
# but the public functions leaves it, and neither libcurl, SQLite nor a thread is asked for. Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
unset MAKEFLAGS MFLAGS CFLAGS
lua=$(pkg-config --cflags lua5.4)
libs="$(pkg-config --libs lua5.4 libcrypto libutf8proc) -lm"

dist=build/dist/interlock
written() { env -u BUILD -u V make -s dist && [ -s $dist.c ] && cmp $dist.h src/include/interlock.h; }
twice() { cp $dist.c "$made/first.c" && rm $dist.c && written && cmp $dist.c "$made/first.c"; }
# shellcheck disable=SC2086
compiled() { "$1" -std=c11 $2 -Werror $lua -c $dist.c -o "$made/$1.o"; }
# shellcheck disable=SC2086
governs() {
    "$1" -std=c99 -Wall -Wextra -Wpedantic -Werror -Ibuild/dist examples/embed/host.c "$made/$1.o" $libs \
        -o "$made/host" && "$made/host" >"$made/out" && cat "$made/out" &&
        grep -q '"status":"committed_unverified"' "$made/out"
}
# shellcheck disable=SC2086
only_public() {
    gcc -shared -o "$made/all.so" "$made/gcc.o" $libs &&
        none "$(nm -D --defined-only "$made/all.so" | awk '{ print $3 }' | grep -v '^il_[a-z]')"
}
asks_for() { none "$(nm -u "$made/gcc.o" | grep -E ' (curl_|sqlite3_|pthread_|thrd_)')"; }
refuses() {
    cat >"$made/store.c" <<'END'
#include <interlock.h>
#include <stdio.h>
int main(void)
{
    struct il_store_options options = IL_STORE_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    options.path.ptr = "runs.db";
    options.path.len = 7;
    options.create = true;
    return printf("%s: %s\n", il_code_name(il_store_open(&options, &store, &err)), err.message) < 0;
}
END
    # shellcheck disable=SC2086
    gcc -std=c11 -Ibuild/dist "$made/store.c" "$made/gcc.o" $libs -o "$made/store"
    (cd "$made" && ./store) >"$made/out"
    cat "$made/out"
    grep -q '^unsupported: .*this build has no SQLite' "$made/out" && [ ! -e "$made/runs.db" ]
}
minimal() {
    env -u V make -s BUILD=minimal all &&
        none "$(readelf -d build/minimal/libinterlock.so | grep -E 'NEEDED.*(curl|sqlite|pthread)')" &&
        [ ! -e build/minimal/interlock ]
}

check "make dist writes interlock.c and the public header" written
check "the same sources give the same bytes" twice
check "gcc compiles it" compiled gcc -O1
check "clang compiles it" compiled clang -O0
check "a C99 host on it governs an action" governs gcc
check "and with clang" governs clang
check "a shared object of it exports the public functions alone" only_public
check "it asks for no libcurl, SQLite or thread" asks_for
check "a file store is refused by name, and no file is made" refuses
[ -z "${LONG:-}" ] || check "BUILD=minimal makes the same library from its parts" minimal
plan
