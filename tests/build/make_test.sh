#!/bin/bash
# The build keeps its promises, tried on a small copy of this tree: nothing is compiled twice, a changed flag or header
# recompiles its users, embedded scripts follow their files, a folder without sources does no harm, installed things
# work and can be taken away again. Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests" "$tree/src/script" "$tree/src/luamod" "$tree/src/cli" "$tree/lua/workflows"
cp Makefile "$tree"
cp -r tests/tools "$tree/tests"
cp -r src/include src/base src/*.map "$tree/src"
cp src/script/embedded.h src/script/lua_stdio.c "$tree/src/script"
cd "$tree" || exit 1
unset MAKEFLAGS MFLAGS CFLAGS BUILD V

cat >src/script/probe.c <<'END'
/* The Lua inside: the same calls as the host's, other code. */
#include "include/interlock.h"
#include "script/embedded.h"
#include <lauxlib.h>
#include <lua.h>
#include <string.h>
extern void *realloc(void *ptr, size_t size);
extern void free(void *ptr);
static void *fn(void *ctx, void *ptr, size_t old, size_t size)
{
    (void)ctx, (void)old;
    if (size > 0) return realloc(ptr, size);
    free(ptr);
    return NULL;
}
IL_API int il_probe(void);
int il_probe(void)
{
    lua_State *L = lua_newstate(fn, NULL);
    bool good = luaL_loadbufferx(L, il__embedded_files[0].bytes, il__embedded_files[0].len, "probe", "t") == LUA_OK &&
                lua_pcall(L, 0, 1, 0) == LUA_OK;
    int n = good ? (int)lua_tointeger(L, -1) : -1;
    lua_close(L);
    return n;
}
END
cat >src/cli/main.c <<'END'
/* Prints what the probe found. */
#include <interlock.h>
#include <stdio.h>
extern int il_probe(void);
int main(void)
{
    return printf("%d %s\n", il_probe(), il_code_name(IL_DECODE)) < 0;
}
END
cat >src/luamod/module.c <<'END'
/* Hands the probe to the host's Lua. */
#include <lauxlib.h>
#include <lua.h>
extern int il_probe(void);
int luaopen_interlock(lua_State *L);
int luaopen_interlock(lua_State *L)
{
    lua_pushinteger(L, il_probe());
    return 1;
}
END
echo 'return 41' >lua/workflows/probe.lua
options='OPT_debug=-O0'
build() { make -s --no-print-directory -j2 BUILD=debug "$options" "$@" all 2>&1; }
compiled() { build "$@" | sed -n 's/^ *CC *//p' | sort | tr '\n' ' '; }

check "everything is built" build
check "the command runs the Lua inside" test "$(build/debug/interlock)" = "41 decode"
check "the host's Lua loads the module, and the two do not meet" \
    test "$(LUA_CPATH='build/debug/lua/?.so' lua5.4 -e 'print((require "interlock"))')" = 41
check "a second build does nothing" test -z "$(build)"
touch src/base/rfc3339.h
users=$(for file in src/*/*.c; do
    gcc -MM -Isrc -Isrc/include -I/usr/include/lua5.4 "$file" | grep -q 'base/rfc3339\.h' && printf '%s ' "$file"
done)
check "a changed header recompiles its users, and nothing else" test "$(compiled)" = "$users"
echo 'return 43' >lua/workflows/probe.lua
build >/dev/null
check "a changed script is embedded anew" test "$(build/debug/interlock)" = "43 decode"
printf '\0\377\r\n"\\\n' >lua/workflows/quite.lua
build >/dev/null
check "bytes are embedded as they are" grep -q '^0,-1,13,10,34,92,10,$' build/debug/gen/embedded.c
sources=(src/*/*.c)
check "a changed flag recompiles everything" \
    test "$(compiled CFLAGS=-DCHANGED | wc -w)" -eq $((${#sources[@]} + 1))
rm src/luamod/module.c src/cli/main.c src/script/probe.c
check "folders without sources do no harm" build
check "a removed file leaves the library" none "$(nm -D --defined-only build/debug/libinterlock.so | grep il_probe)"
check "an unknown variant is refused" none "$(make -s BUILD=fast all >/dev/null 2>&1 && echo accepted)"

into=$tree/into
installed() { make -s BUILD=debug "$options" DESTDIR="$into" PREFIX=/usr "$1" 2>&1; }
user() {
    printf '#include <interlock.h>\nint main(void) { return il_code_name(IL_OK)[0] != 111; }\n' >user.c
    # shellcheck disable=SC2046
    PKG_CONFIG_SYSROOT_DIR=$into PKG_CONFIG_PATH=$into/usr/lib/pkgconfig gcc user.c -o user \
        $(PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_SYSROOT_DIR=$into \
            PKG_CONFIG_PATH=$into/usr/lib/pkgconfig pkg-config --cflags --libs interlock) &&
        LD_LIBRARY_PATH=$into/usr/lib ./user
}
check "install stages everything below DESTDIR" installed install
check "a program finds the installed library through pkg-config" user
check "uninstall takes away all that install put there" \
    none "$(installed uninstall; find "$into" ! -type d)"
plan
