#!/bin/bash
# What is known of computer-use servers (tests/README.md, F1 to F33), seen through a whole governed run.
. "$(dirname "$0")/crash.sh"

# act NAME EFFECTS SERVER_SWITCHES ACTION: one run; how many effects there were.
act() {
    run "$GOVERNED" "stdio:$CU --world $T/world.$n $3" --accept approve_action --action "$4"
    effects=$(cat "$T/world.$n" 2>/dev/null | wc -l)
    [ "$effects" -eq "$2" ]
    ok $? "$1: $2 effects"
}
click() { # click LABEL MORE_OF_TARGET MORE_OF_ACTION
    local target='"platform":"linux","appId":"org.example.Editor","pid":4242,"windowId":7,"displayId":"1"'
    target="$target,\"observationId\":\"o1\",\"confidence\":1,\"capturedAt\":\"$(date -u +%FT%T.000Z)\"${2:-}"
    printf '{"tool":"press_button","mode":"foreground","arguments":{"window_id":7,"label":"%s"},"target":{%s}%s}' "$1" \
        "$target" "${3:-}"
}
title=$(printf Report.txt | sha256sum | cut -d' ' -f1)
write='{"tool":"write_clipboard","arguments":{"text":"x"}}'

act "F5 evidence that the action itself makes stale" 1 "" "$(click Save ",\"windowTitleDigest\":\"$title\"")"
has '^run status=\S+ effect=unknown exit=7' "F5 is not taken for a refusal before the effect"
act "F5 an executor that throws after the effect" 1 "--throw-after-effect write_clipboard" "$write"
has '^run status=\S+ effect=unknown exit=7' "F5 runtime_error says nothing of the effect"
act "F33 a refusal of the layer below" 0 "--error-before-effect write_clipboard" "$write"
has '^run status=\S+ effect=unknown exit=7' "F33 is indeterminate, though nothing happened"
act "F24 evidence that cannot be read back" 0 "" "$(click Send ',"role":"AXButton"')"
has '^run status=\S+ effect=none exit=[168]' "F24 is a rejection before the effect"
act "F15 a window id as a text" 0 "" "$(click Send | sed 's/"windowId":7/"windowId":"7"/')"
has '^run status=\S+ effect=none exit=[168]' "F15 does not act in window 7"
act "F23 a time of evidence that is none" 0 "" "$(click Send | sed 's/"capturedAt":"/&yesterday, /')"
has '^run status=failed effect=none exit=8 .*cannot be read' "F23 is not sent"
act "F23 evidence from the year 2999" 0 "" "$(click Send | sed 's/"capturedAt":"[0-9]*/"capturedAt":"2999/')"
has '^run status=failed effect=none exit=8 .*future' "F23 is not sent either"
act "F8 durable receipts" 0 "--state $T/state" "$write"
has '^run status=failed effect=none .*durable receipts' "F8 an observation without its result is an error that says why"
act "F28 an approval that only a human can give" 0 "" '{"tool":"notification","arguments":{"title":"a","message":"b"}}'
has '^run status=waiting effect=none exit=4' "F28 is waited for"
act "F30 a server of text alone" 1 "--structured-content false" "$write"
has '^run status=committed_unverified effect=committed exit=5' "F30 the receipt is the last text"
act "F21 a grant in the proposal" 0 "" '{"tool":"write_clipboard","arguments":{},"approval_grant_id":"g"}'
has '^no run invalid_request ' "F21 is not even begun"

# F29: half a minute of silence (here a second) takes everything away.
port=$(free_port)
serve_http "$T/idle" "$port" "--idle-ms 1000" || ok 1 "the server starts"
run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "$TOKEN" --accept approve_action --actions 2 --pause 2500
[ "$(wc -l <"$T/idle")" -eq 1 ]
ok $? "F29 after a silence the second action does not act"
has '^run status=\S+ effect=none exit=[18] .*(session|paused)' "F29 and the reason is told"
stop "$server"
port=$(free_port)
serve_http "$T/long" "$port" "--idle-ms 1500 --delay write_clipboard:before=4000" || ok 1 "the server starts"
run "$GOVERNED" "mcp+http://127.0.0.1:$port/mcp" --token "$TOKEN" --accept approve_action --timeout 8000 \
    --action "$write"
has '^run status=indeterminate effect=unknown exit=7' "F29 a call longer than the silence: an empty stream is no answer"
plan
