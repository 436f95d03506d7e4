# `interlock policy repl`: lines from a pipe, and a prompt on a terminal.
. "$(dirname "$0")/lib.sh"
P=(--policy policies/office-hours --policy policies/two-person)

# lines STATUS NAME ARGUMENTS...: runs with the lines of standard input.
lines() {
    local want=$1 name=$2
    shift 2
    "$IL" policy repl "$@" >"$T/out" 2>"$T/err"
    status=$?
    out=$(cat "$T/out") err=$(cat "$T/err")
    ends "$want" "$name"
}

lines 0 'nothing' "${P[@]}" </dev/null
lines 0 'a line' "${P[@]}" <<<'eval'
has "$out" 'nobody asks or denies' 'eval'
lacks "$out" '> ' 'no prompt in a pipe'
lines 0 'members' "${P[@]}" <<'END'
# a comment
action.tool = rm -r
action.arguments = {"path": "/x"}
action.actionClass = destructive
action.action_class = financial
action.target.app_id = files
at 2026-01-05T12:00:00Z
phase preview
params.approvers = 3
limit a.b 1
limit a.b 2
limit c 3
history failed 5m tool=x
history verified
show
eval
unset phase
unset action.target
history none
show
trace on
eval
quit
this is not read
END
first=$(printf '%s\n' "$out" | sed -n 1p)
want='{"action":{"tool":"rm -r","arguments":{"path": "/x"},"actionClass":"financial","target":{"app_id":"files"}},'
want+='"at":"2026-01-05T12:00:00Z","phase":"preview","params":{"approvers":3},"limits":{"a.b":2,"c":3},'
want+='"history":[{"outcome":"failed","ago":"5m","tool":"x"},{"outcome":"verified"}]}'
[ "$first" = "$want" ]
ok $? 'the case that was put together'
has "$out" 'ask 3 approvers' 'it is judged'
has "$out" '"params":{"approvers":3},"limits":{"a.b":2,"c":3},"history":[]}' 'members are taken out'
has "$out" 'action.action_class = "financial"' 'trace on'
lines 1 'refused lines' "${P[@]}" <<'END'
action.tol = x
evl
trace maybe
limit
load
history maybe
action = 5
a.b.c.d.e.f.g.h.i = 1
show
END
has "$err" 'did you mean "tool"?' 'a member that is none'
has "$err" "did you mean 'eval'?" 'a word that is none'
has "$err" 'write: trace on, or: trace off' 'a wrong switch'
has "$err" 'write: limit KEY UNITS' 'a limit without a number'
has "$out" '{"action":{"tool":"example"}}' 'what is refused changes nothing'
echo '{"action":{"tool":"from-file"}}' >"$T/case.json"
lines 0 'a file to begin with' "$T/case.json" "${P[@]}" <<<show
has "$out" from-file 'a file to begin with is shown'
lines 0 'a file that is loaded' "${P[@]}" <<END
load $T/case.json
show
END
has "$out" from-file 'a file that is loaded is shown'
lines 2 'a file that is not there' "$T/none.json" "${P[@]}" </dev/null
echo '{"tol":1}' >"$T/bad.json"
lines 65 'a file that is none' "$T/bad.json" "${P[@]}" </dev/null
head -c 70000 /dev/zero | tr '\0' x >"$T/long"
lines 1 'a line that is too long' "${P[@]}" <"$T/long"
has "$err" 'longer than 65536 bytes' 'a line that is too long is said'
cp -r policies/two-person "$T/tp"
lines 0 'reload' --policy "$T/tp" <<END
action.action_class = destructive
eval
reload
END
lines 0 'without a bundle' <<<eval
lines 3 'a bundle that does not load' --policy policies </dev/null

# ---- a terminal

if command -v tmux >/dev/null; then
    tmux -L "repl$$" -f /dev/null new-session -d -x 100 -y 30 \
        "$IL policy repl ${P[*]} --no-config; echo status \$?; sleep 30"
    pane() { tmux -L "repl$$" capture-pane -p; }
    shows() { for _ in $(seq 100); do pane | grep -qF -- "$1" && return 0; sleep 0.1; done; return 1; }
    shows "'quit' ends."; ok $? 'a terminal: it says what it is'
    shows '>'; ok $? 'a terminal: a prompt'
    tmux -L "repl$$" send-keys 'action.action_class = destructive' Enter
    tmux -L "repl$$" send-keys 'eval' Enter
    shows 'asks for people'; ok $? 'a terminal: eval'
    tmux -L "repl$$" send-keys 'quit' Enter
    shows 'status 0'; ok $? 'a terminal: quit'
    tmux -L "repl$$" kill-server
else
    ok 0 'a terminal # SKIP there is no tmux'
fi
done_testing
