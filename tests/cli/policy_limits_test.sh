# What runs have consumed of limits: `interlock policy limits`, and what `show` says of one run.
. "$(dirname "$0")/lib.sh"
S=(--store "$T/runs.db")

mkdir "$T/pace"
cat >"$T/pace/bundle.json" <<'END'
{"name":"pace","version":"1.0.0","requires":1,"files":[],"policies":[{"file":"pace.lua","level":"hard"}]}
END
cat >"$T/pace/pace.lua" <<'END'
local policy = require "interlock.policy"
return policy {
  name = "edits",
  preview = function(action, ctx)
    ctx.limit { key = "edits:" .. action.tool, max = 2, per = "1h" }
    ctx.limit { key = "all", max = 100, per = "1d" }
  end,
}
END
printf '{"tool":"write_clipboard","arguments":{"text":"hi"}}\n' >"$T/action.json"
go() { run run "$T/action.json" --runtime simulated --policy "$T/pace" "${S[@]}" "$@"; }

run policy limits
ends 2 'no store'
has "$err" '--store FILE' 'says what to write'
run policy limits "${S[@]}"
ends 2 'a store that is not there'
[ ! -e "$T/runs.db" ]; ok $? 'is not made'

go --format json
ends 5 'a run within its limits'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
json "#d.units == 2 and d.units[1] == 'pace/edits:write_clipboard'" 'its result says what it was counted against'
run show "$id" "${S[@]}"
ends 0 'show'
has "$out" 'counted' 'says it, too'
has "$out" 'pace/edits:write_clipboard, pace/all' 'by name'
run show "$id" "${S[@]}" --format json
json "d.units[2] == 'pace/all'" 'and as JSON'
go
ends 5 'a second one'
go
ends 1 'a third one is blocked'
has "$(printf '%s' "$out" | tr -s '\n ' '  ')" 'limit pace/edits:write_clipboard: 2 of 2 used within 1h' \
    'and says by what'
run policy limits "${S[@]}"
ends 0 'limits'
[ "$out" = '  last hour   last day    31 days  limit
          2          2          2  pace/all
          2          2          2  pace/edits:write_clipboard' ]; ok $? 'as a table'
run policy limits "${S[@]}" --format json
json "#d.limits == 2 and
    d.limits[1].limit == 'pace/all' and d.limits[1].lastHour == 2 and d.limits[1].last31Days == 2" \
    'as JSON'
json "d.limits[1].latest:match('^%d+-%d+-%d+T%d+:%d+:%d+')" 'with the time of the latest'
run policy limits "${S[@]}" extra
ends 2 'an operand'
run run "$T/action.json" --runtime simulated --store "$T/other.db"
run policy limits --store "$T/other.db"
ends 0 'a store without a limit'
has "$out" 'no unit of any limit' 'says so'
done_testing
