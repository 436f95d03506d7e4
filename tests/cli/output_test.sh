# Where output goes and how: no colour off a terminal, NO_COLOR, closed and full streams, a reader that leaves,
# standard input, large files, foreign bytes.
. "$(dirname "$0")/lib.sh"
echo '{"tool":"write_clipboard","arguments":{"text":"hi"}}' >"$T/a.json"

# on_terminal ARGUMENTS...: runs it on a pseudo-terminal of 80 columns; its output in $out.
on_terminal() {
    out=$(TERM=${TERM:-xterm} script -qec "stty cols 80; $(printf '%q ' "$IL" "$@")" /dev/null </dev/null | tr -d '\r')
}

run doctor
lacks "$out" $'\e' 'no colour off a terminal'
[ -z "$err" ]; ok $? 'nothing on stderr when all is well'
if command -v script >/dev/null; then
    on_terminal doctor
    has "$out" $'\e[32m' 'colour on a terminal'
    NO_COLOR=1 on_terminal doctor
    lacks "$out" $'\e' 'NO_COLOR turns it off'
    NO_COLOR='' on_terminal doctor
    has "$out" $'\e[32m' 'an empty NO_COLOR counts for nothing'
    TERM=dumb on_terminal doctor
    lacks "$out" $'\e' 'a dumb terminal gets none'
    LC_ALL=C.UTF-8 NO_COLOR=1 on_terminal doctor
    has "$out" '✓' 'a terminal that knows UTF-8 gets signs'
    LC_ALL=C NO_COLOR=1 on_terminal doctor
    has "$out" 'ok version' 'another one gets ASCII'
fi
run doctor
[ "$(LC_ALL=C tr -d '\000-\177' <"$T/out" | wc -c)" -eq 0 ]; ok $? 'a file gets ASCII marks'

"$IL" help >&- 2>"$T/err"
status=$? err=$(cat "$T/err")
ends 8 'a closed stdout is reported'
has "$err" 'cannot write to standard output' 'a closed stdout: the message'
"$IL" help >/dev/full 2>"$T/err"
status=$? err=$(cat "$T/err")
ends 8 'a full disk is reported'
has "$err" 'No space left' 'a full disk: the message'
"$IL" version 2>&- >"$T/out"
status=$? out=$(cat "$T/out")
ends 0 'a closed stderr does no harm'
has "$out" interlock 'a closed stderr: the output is there'
"$IL" version <&- >"$T/out"
status=$?
ends 0 'a closed stdin does no harm'
err=$({ "$IL" doctor; echo "status $?" >"$T/status"; } 2>&1 >/dev/full | cat)
"$IL" doctor 2>"$T/err" | true
status=${PIPESTATUS[0]} err=$(cat "$T/err")
ends 0 'a reader that goes away is no failure'
[ -z "$err" ]; ok $? 'and is not talked about'

out=$("$IL" run - --runtime simulated --format json <"$T/a.json" 2>"$T/err")
status=$?
json 'd.simulated == true' 'an action from standard input'
run run - --runtime simulated
ends 65 'an empty standard input is undecodable'

head -c 16777217 /dev/zero | tr '\0' ' ' >"$T/huge.json"
run run "$T/huge.json" --runtime simulated
ends 65 'a file over 16 MiB'
has "$err" 'larger than 16 MiB' 'a file over 16 MiB: the message'
head -c 16777216 /dev/zero | tr '\0' ' ' >"$T/large.json"
run run "$T/large.json" --runtime simulated
ends 65 'a file of 16 MiB of blanks'
lacks "$err" 'larger than 16 MiB' 'is read, and refused for what it holds'
printf '\xff\xfe{}' >"$T/bytes.json"
run run "$T/bytes.json" --runtime simulated
ends 65 'bytes that are no UTF-8'
printf '{"tool":"a\\u001b[31mb"} x' >"$T/esc.json"
run run "$T/esc.json" --runtime simulated
lacks "$err$out" $'\e' 'escapes from a file never reach the terminal'
done_testing
