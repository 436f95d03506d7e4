#!/bin/bash
# What a flush of the store costs, as the kernel sees it: strace counts fsync and fdatasync for each step.
. "$(dirname "$0")/../cli/lib.sh"

drive=$PWD/${V:-build/asan}/tests/tools/store_flush
export ASAN_OPTIONS=detect_leaks=0 # which does not work under a tracer
if ! strace -o /dev/null true 2>/dev/null; then
    echo "ok 1 - flushes are counted # SKIP strace cannot trace here"
    echo 1..1
    exit
fi

# counts STEP...: "note 0, flush 1, ..." of a fresh store
counts() {
    rm -rf "$T/s"
    mkdir "$T/s"
    strace -f -qq -e trace=write,fsync,fdatasync,sync_file_range,msync,sync,syncfs -o "$T/trace" \
        "$drive" "$T/s/store.db" "$@" 2>"$T/said" || { cat "$T/said"; return 1; }
    awk '
        /write\(2, "/ { if (name != "" && name != "close") out = out name " " n ", "
                        split($0, part, "\""); name = part[2]; n = 0 }
        /(fsync|fdatasync|sync_file_range|msync|syncfs|sync)\(/ { n++ }
        END { print out }' "$T/trace"
}

is() { # WANT STEP...
    local want=$1 got
    shift
    got=$(counts "$@")
    [ "$got" = "$want, " ] || echo "# got $got"
    [ "$got" = "$want, " ]
    ok $? "$want"
}

# The first note makes the owner file and readies the log.
opened=$(counts note | sed 's/[^0-9]//g')
is "note $opened, write 0" note write
is "note $opened, flush 1" note flush
is "note $opened, flush 1, flush 0, note 0, write 0, note 0, flush 1" note flush flush note write note flush
is "note $opened, write 0, flush 1, flush 0" note write flush flush
is "note $opened, other 0, note 0, other 0, flush 1" note other note other flush
is "note $opened, write 0, letter 1, stop 1, stop 1, write 0" note write letter stop stop write
done_testing
