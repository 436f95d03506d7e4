#!/bin/bash
# How often a run waits for the disk, as the kernel sees it: strace counts between the marks of `crash flush`.
. "$(dirname "$0")/../mcp/lib.sh"
export ASAN_OPTIONS=detect_leaks=0 # which does not work under a tracer
TMPDIR=$T strace -f -qq -e trace=write,fsync,fdatasync -o "$T/trace" "$V/tests/crash/crash" flush >"$T/out" 2>"$T/marks"
status=$?
ends 0 "the runs do what they should"
grep -q '^together: 16 done$' "$T/out"
ok $? "all of them"
awk '/write\(2, "mark / { split($0, part, /mark |\\n/); what = part[2]; next }
    /f(data)?sync\(/ && what != "end" && what != "" { n[what]++ }
    END { for (w in n) print w, n[w] }' "$T/trace" >"$T/counts"
sed 's/^/# /' "$T/counts"
counted() { # PART TEST NAME
    local got
    got=$(sed -n "s/^$1 //p" "$T/counts")
    [ "${got:-0}" "${@:2:2}" ]
    ok $? "$4 (${got:-0})"
}
counted allowed -eq 2 "an allowed run waits for the disk twice: intent and receipt"
counted approved -eq 3 "an approved one three times: its decision shares the flush of the intent"
counted waits -eq 1 "from another process four times: the wait"
counted letter -eq 1 "the letter"
counted resumed -eq 2 "intent and receipt"
counted together-wait -le 2 "16 that wait share a flush"
counted together-approved -lt 47 "answered together they need fewer than one by one; the lease they take in turn"
plan
