#!/bin/bash
# The server kills itself before and after each call of a governed run, over stdio.
. "$(dirname "$0")/crash.sh"
while read -r point effect; do
    click_stdio "$T/$point" "--crash $point"
    honest "stdio, $point" "$effect" "$T/$point"
done <<<"$EARLY"$'\n'"$LATE"
plan
