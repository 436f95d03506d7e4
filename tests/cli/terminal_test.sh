# The way of an approval on a real terminal: the list with its countdown, the card, a wrong digest, the right one; in
# colour, with NO_COLOR, and on a narrow screen. The terminal is tmux.
. "$(dirname "$0")/lib.sh"
command -v tmux >/dev/null || {
    echo '1..0 # SKIP tmux is not installed'
    exit 0
}
S=(--store "$T/runs.db")
R=(--runtime "$D/runtime.lua")
P=(--policy "$D/hours")
screens=0
tm() { tmux -S "$T/tmux$screens" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null; rm -rf "$T"' EXIT

begin() {
    printf '{"tool":"write_clipboard","arguments":%s}\n' "${1:-{\"ask\":true}}" >"$T/action.json"
    run run "$T/action.json" "${R[@]}" "${P[@]}" "${S[@]}" --format json
    id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
    request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
    digest=$(printf '%s' "$out" | sed 's/.*"actionDigest":"\([^"]*\).*/\1/')
}
# open COLUMNS LINES ENVIRONMENT ARGUMENTS...: the command on a terminal; its exit status is the last line.
open() {
    local columns=$1 lines=$2 environment=$3
    shift 3
    tm kill-server 2>/dev/null
    screens=$((screens + 1)) # a server of its own: the one before may still be ending
    # shellcheck disable=SC2086
    tm new-session -d -x "$columns" -y "$lines" \
        "trap : INT; $(printf '%q ' env -u NO_COLOR -u COLUMNS LC_ALL=C.UTF-8 $environment "$IL" "$@")
         echo \"status \$?\"; sleep 60"
}
# sees TEXT NAME [SWITCHES...]: the screen shows it, soon.
sees() {
    local text=$1 name=$2
    shift 2
    for _ in $(seq 50); do
        out=$(tm capture-pane -p "$@" 2>/dev/null)
        [[ $out == *"$text"* ]] && break
        sleep 0.1
    done
    has "$out" "$text" "$name"
}
keys() { tm send-keys "$@"; }
clock() { tm capture-pane -p | sed -n 's/^in \([0-9ms ]*[ms]\)  .*/\1/p' | head -1; }

# ---- the list ----

begin
open 100 20 '' pending --watch "${S[@]}"
sees '1 run waits   q ends' 'the list stays on the screen'
sees "$id" 'with the run'
sees "$request" 'and its request'
first=$(clock)
[ -n "$first" ]; ok $? "the time that is left ($first)"
for _ in $(seq 30); do
    second=$(clock)
    [ "$first" != "$second" ] && break
    sleep 0.1
done
[ -n "$second" ] && [ "$first" != "$second" ]; ok $? "counts down ($second)"
sees $'\e[1m1 run waits' 'in colour' -e
[ "$(tm display -p '#{cursor_flag}')" = 0 ]; ok $? 'without a cursor'
one=$id
begin
sees '2 runs wait' 'a run that comes is seen'
run deny "$id" --request "$request" --as ann "${S[@]}"
sees ', answered' 'and one that was answered'
run resume "$id" "${R[@]}" "${P[@]}" "${S[@]}"
sees '1 run waits' 'and one that goes'
tm resize-window -x 44 -y 8
sees 'q ends' 'the window gets narrow'
out=$(tm capture-pane -p)
narrow 44 'and the list with it'
has "$out" "$one" 'the ids are whole'
for _ in 1 2 3; do begin; done
sees '4 runs wait' 'three more'
sees 'and 2 more' 'what does not fit is counted'
[ "$(tm capture-pane -p | sed -n 1p)" = '4 runs wait   q ends' ]; ok $? 'the first line stays the first'
keys q
sees 'status 0' 'q ends it'
out=$(tm capture-pane -p)
lacks "$out" 'q ends' 'and gives the screen back'
[ "$(tm display -p '#{cursor_flag}')" = 1 ]; ok $? 'with its cursor'

open 100 20 NO_COLOR=1 pending --watch "${S[@]}"
sees 'q ends' 'NO_COLOR'
lacks "$(tm capture-pane -p -e)" $'\e[1m' 'no colour'
keys C-c
sees 'status 0' 'Ctrl-C ends it'

out=$(timeout 1 "$IL" pending --watch "${S[@]}" </dev/null)
has "$out" "waits  $one" 'in a pipe a line for each run'
lacks "$out" $'\e' 'and no escape sequence'

# ---- the card and the digest ----

begin
approve=(approve "$id" --request "$request" --as ann "${S[@]}")
open 100 45 '' "${approve[@]}"
sees 'argument ask = true' 'the card'
sees '(in ' 'and the time that is left'
sees 'type the first 8 characters of the action digest' 'and the question'
keys 00000000 Enter
sees 'That is not the start of the digest.' 'a wrong digest is none'
keys "${digest:0:7}" Enter
sleep 0.2
keys Enter
sees 'Nothing was decided' 'seven characters are none, and Enter decides nothing'
sees 'status 4' 'the request stays open'
open 100 45 '' "${approve[@]}"
sees 'type the first 8' 'asked again'
keys C-d
sees 'status 4' 'the end of input decides nothing'
open 100 45 '' "${approve[@]}"
sees 'type the first 8' 'asked again'
keys C-c
sees 'status 130' 'a signal ends it'
run show "$id" "${S[@]}" --format json
json 'd.status == "waiting" and d.letters == 0' 'and decides nothing'
open 40 60 NO_COLOR=1 "${approve[@]}"
sees 'To approve, type' 'on a narrow screen without colour'
out=$(tm capture-pane -p)
has "$out" "${digest:0:16}" 'the digest is there'
lacks "$(tm capture-pane -p -e)" $'\e[' 'and no colour'
keys "${digest:0:8}" Enter
sees 'approve, left for run' 'the right digest approves'
sees 'status 0' 'and that is all'
run resume "$id" "${R[@]}" "${P[@]}" "${S[@]}"
ends 5 'the run goes on'

begin
open 100 45 '' approve "$id" --request "$request" --as ann "${S[@]}" --no-input
sees 'status 0' '--no-input asks nothing'
lacks "$out" 'type the first' 'nor shows a question'
done_testing
