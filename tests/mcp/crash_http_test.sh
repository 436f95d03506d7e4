#!/bin/bash
# The server kills itself before and after each later call of a governed run, over HTTP (the earlier:
# crash_early_test.sh); and comes back without its memory.
. "$(dirname "$0")/crash.sh"
while read -r point effect; do
    port=$(free_port)
    serve_http "$T/$point" "$port" "--crash $point" || ok 1 "the server starts"
    click_http "$port"
    honest "HTTP, $point" "$effect" "$T/$point"
done <<<"$LATE"

# Comes back at once on the same port, having forgotten sessions and receipts: the id would act again.
for point in execute_action:before@3 press_button:after execute_action:after@3; do
    port=$(free_port)
    serve_http "$T/again.$point" "$port" "--crash $point" || ok 1 "the server starts"
    first=$server
    (
        while kill -0 "$first" 2>/dev/null; do sleep 0.05; done
        exec $CU --world "$T/again.$point" --http --port "$port" --token "$TOKEN=operator-1" >/dev/null 2>&1 </dev/null
    ) &
    started+=("$!")
    disown $!
    click_http "$port"
    honest "HTTP, back after $point" unknown "$T/again.$point"
    for ((i = 0; i < 100; i++)); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.1; done
    [ "$(cat "$T/again.$point" 2>/dev/null | wc -l)" -le 1 ]
    ok $? "HTTP, back after $point: and nothing acts later"
done
plan
