#!/bin/sh
# Installs what is missing to build and run (`tests/setup.sh run`), to write the library as one file (`dist`), to test
# (`test`) or for the whole bar (`check`). On Debian and its kin by apt; elsewhere it names the packages. For tests it
# also fetches the servers that the tests talk to (tests/peers, by npm, as its lock file pins them). When nothing is
# missing it does nothing.
set -eu

RUN="gcc libc6-dev binutils make pkg-config liblua5.4-dev libssl-dev"
TEST="$RUN libjansson-dev lua5.4 lua-cjson lua-busted lua-check clang clang-tidy cppcheck openssl tmux git groff-base"
TEST="$TEST python3 strace"
# The engines that examples embed into, and a screen for them.
TEST="$TEST libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core love xvfb xauth libgl1-mesa-dri"
TEST="$TEST g++ libluajit-5.1-dev"
CHECK="$TEST valgrind libc6-dbg libclang-rt-dev"

case ${1:-run} in
    run) want=$RUN ;;
    dist) want="$RUN lua5.4" ;;
    test) want=$TEST ;;
    check) want=$CHECK ;;
    *) echo "usage: tests/setup.sh run|dist|test|check" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
if grep -qs '<curl/curl\.h>' src/*/*.c; then want="$want libcurl4-openssl-dev"; fi
if grep -qs '<utf8proc\.h>' src/*/*.c; then want="$want libutf8proc-dev"; fi
if grep -qs '<sqlite3\.h>' src/*/*.c; then want="$want libsqlite3-dev"; fi

case ${1:-run} in
    test|check) command -v npm >/dev/null 2>&1 || want="$want nodejs npm ca-certificates" ;;
esac

# The servers under tests/peers and the conformance harness: fetched again only when a lock file is newer than what is
# there.
fetch() {
    if [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ]; then return 0; fi
    echo "setup: fetching the packages of $1"
    npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || {
        echo "setup: npm could not fetch the packages of $1" >&2
        return 1
    }
}
peers() {
    if [ "${1:-run}" = run ] || [ "$1" = dist ] || ! command -v npm >/dev/null 2>&1; then return 0; fi
    fetch tests/peers
    fetch tests/peers/conformance
    venv tests/peers
}
# What the server on the Python SDK needs. Where python3-venv or the packages cannot be had, its test skips itself.
venv() {
    if [ "$1/.venv/.made" -nt "$1/requirements.txt" ]; then return 0; fi
    echo "setup: making $1/.venv"
    rm -rf "$1/.venv"
    if ! python3 -m venv "$1/.venv" >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
        as=
        if [ "$(id -u)" -ne 0 ]; then as=sudo; fi
        $as env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3-venv \
            >/dev/null 2>&1 </dev/null || true
    fi
    if python3 -m venv "$1/.venv" >/dev/null 2>&1 &&
        "$1/.venv/bin/pip" install -q --disable-pip-version-check -r "$1/requirements.txt" >/dev/null 2>&1; then
        touch "$1/.venv/.made"
    else
        echo "setup: no Python environment in $1/.venv; the tests of a Python server are skipped" >&2
        rm -rf "$1/.venv"
    fi
}

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: no dpkg here; needed are (Debian's names): $want"
    peers "${1:-run}"
    exit
fi
# shellcheck disable=SC2086
have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $want 2>/dev/null | sed -n 's/ installed$//p' || true)
missing=
for package in $want; do
    printf '%s\n' "$have" | grep -qx "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
    peers "${1:-run}"
    exit
fi

echo "setup: installing$missing"
sudo=
if [ "$(id -u)" -ne 0 ]; then sudo=sudo; fi
install_missing() {
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >"$log" 2>&1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if install_missing; then
    peers "${1:-run}"
    exit
fi
$sudo apt-get update -q >"$log" 2>&1 || { sleep 5; $sudo apt-get update -q >"$log" 2>&1 || true; }
install_missing || { sleep 5; install_missing; } || {
    tail -20 "$log" >&2
    echo "setup: could not install$missing" >&2
    exit 1
}
peers "${1:-run}"
