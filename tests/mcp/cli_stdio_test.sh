# The command against servers that it starts itself: runs, refusals, interrupts, servers that die.
. "$(dirname "$0")/peer.sh"

run run "$T/plain.json" --runtime "stdio:$peer" "${R[@]}" --format json
ends 5 'stdio: an allowed action'
json 'd.runtime:find "^stdio:node" and not d.runtime:find "world"' 'only the program of a command line is told'
run doctor --runtime "stdio:$peer --no-v8"
ends 8 'a server without the governance'
has "$out" 'COMPUTER_USE_V8=true' 'what to do is said'
has "$out" '!! raw tools' 'and the tools that act'
run run "$T/plain.json" --runtime "stdio:$peer --raw-tools" "${R[@]}"
ends 8 'raw tools beside the governed ones'
has "$err" '--accept-tool NAME' 'are refused'
run run "$T/plain.json" --runtime "stdio:$peer --crash write_clipboard" "${R[@]}"
ends 7 'a server that dies after the send'
has "$out" 'effect        unknown' 'leaves the effect unknown'
before=$(effects)
later cancel run "$T/plain.json" --runtime "stdio:$peer --delay preview_action=20000" "${R[@]}"
await grep -qs 'ok observe' "$T/cancel.out"
kill -INT "$pid"
over cancel
ends 1 'Ctrl-C before the send'
has "$out" 'cancelled' 'cancels'
[ "$(effects)" -eq "$before" ]; ok $? 'and nothing was done'
later late run "$T/plain.json" --runtime "stdio:$peer --delay write_clipboard:after=2000" "${R[@]}"
acted() { [ "$(effects)" -gt "$before" ]; }
await acted
kill -INT "$pid"
over late
ends 5 'Ctrl-C after the send'
has "$out" 'released the control lease' 'still looks, and gives back'
later gone run "$T/asks.json" --runtime "stdio:$peer" "${R[@]}" --wait
await grep -qs '^waiting' "$T/gone.err"
read -r child <"/proc/$pid/task/$pid/children"
kill -KILL "$child"
over gone
ends 8 'a server that dies while the run waits'
has "$err" 'went away while the run waited' 'is told'

# ---- programs that are no server

fails 8 'no such program' 'a program that is not there' tools --runtime stdio:no-such-program-here
fails 8 '--log text' 'a program that ends at once' tools --runtime 'stdio:false'
fails 8 'is it an MCP server' 'a program that only repeats' tools --runtime 'stdio:cat'
fails 8 '--connect-timeout' 'a program that says nothing' tools --runtime 'stdio:sleep 60' --connect-timeout 1
run tools --runtime 'stdio:false' --format json
json 'd.ok == false and d.error.code == "transport" and d.exitStatus == 8' 'as JSON'

done_testing
