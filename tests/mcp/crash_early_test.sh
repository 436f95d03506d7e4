#!/bin/bash
# The server kills itself before and after each earlier call of a governed run, over HTTP.
. "$(dirname "$0")/crash.sh"
while read -r point effect; do
    port=$(free_port)
    serve_http "$T/$point" "$port" "--crash $point" || ok 1 "the server starts"
    click_http "$port"
    honest "HTTP, $point" "$effect" "$T/$point"
done <<<"$EARLY"

plan
