#!/bin/bash
# SIGKILL from outside while a call of a governed run is under way, over stdio.
. "$(dirname "$0")/crash.sh"
while read -r moment operation effect; do
    click_stdio "$T/s.$moment" "--delay $moment=8000" --timeout 20000 --kill-at "$operation" --kill-after 500
    honest "stdio, killed in $moment" "$effect" "$T/s.$moment"
    printf '%s\n' "$out" | grep -q '^killed 1$'
    ok $? "stdio, killed in $moment: it was"
done <<'END'
preview_action:before preview_action none
reserve_target:after reserve_target none
acquire_control_lease:after acquire_lease none
execute_action:before@3 execute_action unknown
press_button:before execute_action unknown
execute_action:after@3 execute_action unknown
release_control_lease:before release_lease committed
END

plan
