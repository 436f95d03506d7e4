#!/bin/bash
# The games of examples/sdl and examples/love, played on a screen of their own: what the player approves happens in the
# scene, what the player denies does not, and the pictures show it; in LÖVE the engine's LuaJIT and the Lua inside never
# meet. Prints TAP.
. "$(dirname "$0")/../lint/tap.bash"

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir "$made/sdl" "$made/love"
case $V in
    *asan*) sanitize="-fsanitize=address,undefined" library=$made/libinterlock.so ;;
    *) sanitize='' library=$PWD/$V/libinterlock.so ;;
esac
export ASAN_OPTIONS=detect_leaks=0 LIBGL_ALWAYS_SOFTWARE=1

# colours FILE X,Y=RRGGBB...: is this what stands there?
cat >"$made/colours.py" <<'END'
import struct
import sys
import zlib


def bmp(data):
    start, (width, height) = struct.unpack("<I", data[10:14])[0], struct.unpack("<ii", data[18:26])
    row = (width * 3 + 3) // 4 * 4

    def at(x, y):
        place = start + (height - 1 - y if height > 0 else y) * row + x * 3
        return data[place:place + 3][::-1]
    return at


def png(data):
    place, packed = 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour in (2, 6)
            pixel = 3 if colour == 2 else 4
        packed += body if kind == b"IDAT" else b""
        place += size + 12
    raw, stride, rows = zlib.decompress(packed), width * pixel, []
    for start in range(0, len(raw), stride + 1):
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        above = rows[-1] if rows else bytes(stride)
        for i in range(stride):
            left, corner = (line[i - pixel], above[i - pixel]) if i >= pixel else (0, 0)
            guess = left + above[i] - corner
            near = min((abs(guess - v), n, v) for n, v in enumerate((left, above[i], corner)))[2]
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, near)[kind]) & 255
        rows.append(line)
    return lambda x, y: bytes(rows[y][x * pixel:x * pixel + 3])


data = open(sys.argv[1], "rb").read()
at = png(data) if data[1:4] == b"PNG" else bmp(data)
wrong = 0
for spot in sys.argv[2:]:
    place, wanted = spot.split("=")
    seen = at(*map(int, place.split(",")))
    if max(abs(a - b) for a, b in zip(seen, bytes.fromhex(wanted))) > 2:  # drivers round as they like
        print(f"at {place}: {seen.hex()} in place of {wanted}")
        wrong = 1
sys.exit(wrong)
END
shows() { python3 "$made/colours.py" "$@"; }
libs=$(pkg-config --cflags --libs sdl2 SDL2_ttf libcrypto libcurl sqlite3 libutf8proc)
screen() { timeout 60 xvfb-run -a -s '-screen 0 800x700x24' "$@"; }

# shellcheck disable=SC2046,SC2086
sdl_built() {
    gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror $sanitize \
        -Isrc/include examples/sdl/*.c "$V/libinterlock.a" $libs -lm -pthread -o "$made/yard"
}
sdl_played() {
    screen "$made/yard" --demo "$made/sdl" >"$made/sdl/out" || return 1
    diff "$made/sdl/out" - <<'END'
light the lamp: committed_unverified
open the left gate: committed_unverified
open the right gate: denied
acts: 2
END
}
sdl_card() { shows "$made/sdl/card.bmp" 600,560=2f3e56 320,60=ffe080 100,65=60c060 500,100=805030; }
sdl_scene() { shows "$made/sdl/yard.bmp" 600,560=1b2430 320,60=ffe080 100,65=60c060 100,100=1b2430 500,100=805030; }

# An engine does not live under a sanitizer: it gets the library as one file, compiled as it is, its Lua inside.
# shellcheck disable=SC2046
love_library() {
    [ -n "$sanitize" ] || return 0
    env -u V -u BUILD -u MAKEFLAGS make -s DIST="$made/dist" dist &&
        gcc -std=c11 -O0 -fPIC -shared $(pkg-config --cflags lua5.4) "$made/dist/interlock.c" "$V/liblua.a" \
            -Wl,--exclude-libs,ALL -o "$library" $(pkg-config --libs libcrypto libutf8proc) -lm
}
love_played() {
    screen love examples/love "$library" --demo "$made/love" >"$made/love/out" || return 1
    grep -v '^two Luas' "$made/love/out" | diff - <(printf '%s\n' 'greet the guard: committed_unverified' \
        'open the gate: committed_unverified' 'burn the barn: blocked' 'open the cellar: denied' \
        'sweep the yard: committed_unverified')
}
love_apart() { cat "$made/love/out"; grep -q '^two Luas: Lua 5.1 with LuaJIT .*, apart$' "$made/love/out"; }
love_card() { shows "$made/love/card.png" 600,480=334059 22,52=66cc66; }
love_outcomes() { shows "$made/love/outcomes.png" 600,480=1a1f29 22,52=66cc66 22,72=66cc66 22,92=e64d4d 22,112=e6804d; }

check "the game in C and SDL2 compiles without a warning" sdl_built
check "it is played: approved gates open, denied ones stay shut" sdl_played
check "its card stands on the screen while the gate is shut" sdl_card
check "and in the end the scene is as the player wanted it" sdl_scene
check "the library for LÖVE is there" love_library
check "the game in LÖVE is played through LuaJIT's ffi" love_played
check "LuaJIT and the Lua inside do not meet: symbols, modules, metatables, memory" love_apart
check "its card stands on the screen" love_card
check "and its outcomes have their colours" love_outcomes
plan
