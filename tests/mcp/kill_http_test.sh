#!/bin/bash
# SIGKILL from outside while a call of a governed run is under way, over HTTP. The host
# asks in vain for the rest of the stream until the deadline of the call.
. "$(dirname "$0")/crash.sh"
while read -r moment operation effect; do
    port=$(free_port)
    serve_http "$T/h.$moment" "$port" "--delay $moment=8000" || ok 1 "the server starts"
    click_http "$port" --timeout 4000 --kill-at "$operation" --kill-after 500 --kill-pid "$server"
    honest "HTTP, killed in $moment" "$effect" "$T/h.$moment"
done <<'END'
preview_action:before preview_action none
acquire_control_lease:after acquire_lease none
execute_action:before@3 execute_action unknown
execute_action:after@3 execute_action unknown
release_control_lease:before release_lease committed
END

plan
