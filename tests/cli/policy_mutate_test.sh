# `interlock policy test --mutate`: what the cases do not notice, and the list of what nothing can notice.
. "$(dirname "$0")/lib.sh"

B=$T/hours
mkdir "$B"
cat >"$B/bundle.json" <<'JSON'
{"name":"hours","version":"1","requires":1,"policies":[{"file":"hours.lua","level":"hard"}]}
JSON
cat >"$B/hours.lua" <<'LUA'
local policy = require "interlock.policy"
return policy {
  name = "hours",
  preview = function(action, ctx)
    if action.action_class == "observe" then return end
    if ctx.time.hour >= 18 then return policy.deny("closed", { code = "late" }) end
  end,
}
LUA
cat >"$B/hours_test.lua" <<'LUA'
return {
  { name = "noon", action = { tool = "click" }, expect = "none" },
  { name = "night", action = { tool = "click" }, at = "2026-01-05T22:00:00Z", expect = "deny" },
}
LUA
run policy test "$B"
ends 0 'the tests pass'
run policy test "$B" --mutate
ends 1 'tests that notice too little'
has "$out" 'survives: hours.lua:6' 'a survivor has its place'
has "$out" '`18` -> `19`' 'before and after'
has "$out" 'tells them apart' 'and a case that would kill it'
run policy test "$B" --mutate --format json
ends 1 'as JSON'
json "d.passed == false and d.bundles[1].survived == #d.bundles[1].survivors" 'survivors are counted'
json "d.bundles[1].survivors[1].file == 'hours.lua' and d.bundles[1].survivors[1].line == 5" 'with their places'
has "$out" '"kill":{"name":' 'a case comes with a survivor'
first=$out
run policy test "$B" --mutate --format json
[ "$out" = "$first" ]; ok $? 'the same bytes in another process'

cat >"$B/hours_test.lua" <<'LUA'
local function case(name, hour, class, expect)
  local action, when = { tool = "click", action_class = class }, ("2026-01-05T%02d:00:00Z"):format(hour)
  return { name = name, action = action, at = when, expect = expect }
end
return {
  case("before closing", 17, "navigate", "none"),
  case("at closing", 18, "navigate", { verdict = "deny", code = "late" }),
  case("an hour later", 19, "navigate", "deny"),
  case("the last hour", 23, "navigate", "deny"),
  case("looking at night", 22, "observe", "none"),
}
LUA
run policy test "$B" --mutate
ends 0 'tests that notice everything'
has "$out" '100%' 'the score'

# What nothing can tell apart.
cat >"$B/hours.lua" <<'LUA'
local policy = require "interlock.policy"
return policy {
  name = "hours",
  preview = function(action, ctx)
    local latest = 23
    if action.action_class == "observe" then return end
    if ctx.time.hour >= 18 and ctx.time.hour <= latest then return policy.deny("closed", { code = "late" }) end
  end,
}
LUA
run policy test "$B" --mutate
ends 1 'a condition that always holds survives'
has "$out" '`23` -> `24`' 'it is shown'
{
    printf '# Mutants that nothing can notice\n\n| place | mutant | why |\n|---|---|---|\n'
    "$IL" policy test "$B" --mutate --format json >"$T/report.json"
    lua5.4 - "$T/report.json" <<'LUA'
local text = io.open(arg[1]):read("a")
for item in text:gmatch('{"file":.-"rule":"[a-z]+"') do
  local line, before, after = item:match('"line":(%d+),"before":"(.-)","after":"(.-)","column"')
  print(("| hours.lua:%s | `%s` -> `%s` | no hour is past 23 |"):format(line, before, after))
end
LUA
} >"$B/mutants.md"
run policy test "$B" --mutate
ends 0 'listed as equivalent'
has "$out" 'listed as equivalent, 0 survive' 'it is counted as such'
cp "$B/mutants.md" "$T/mutants.md"
run policy test "$B" --mutate --mutants-allowed "$T/mutants.md"
ends 0 'a list from elsewhere'
printf '| hours.lua:7 | `18` -> `19` | I thought so |\n' >>"$B/mutants.md"
run policy test "$B" --mutate
ends 1 'a listed mutant that a test kills'
has "$out" 'a test kills it (row' 'a listed mutant that a test kills: which row'
{ cat "$T/mutants.md"; printf '| hours.lua:99 | `1` -> `2` | gone |\n'; } >"$B/mutants.md"
run policy test "$B" --mutate
ends 1 'a listed mutant that is gone'
has "$out" 'there is no such mutant' 'a listed mutant that is gone: said'
printf '| hours.lua:7 | nothing | no arrow |\n' >"$B/mutants.md"
run policy test "$B" --mutate
ends 65 'a row that cannot be read'
has "$err" 'line 1: a row is' 'a row that cannot be read: how it is written'
rm "$B/mutants.md"
sed -i '/looking at night/d; /an hour later/d' "$B/hours_test.lua"
printf '| hours.lua:6 | `"observe"` -> `"observe_"` | nobody looks |\n' >"$T/wrong.md"
run policy test "$B" --mutate --mutants-allowed "$T/wrong.md"
ends 1 'what is listed and can be told apart'

sed -i 's/"none"/"deny"/' "$B/hours_test.lua"
run policy test "$B" --mutate
ends 1 'tests that fail by themselves'
has "$err" 'fails without any mutant' 'tests that fail by themselves: said'
run policy test "$B" --mutate --format tap
ends 2 'a form that mutants do not have'
run policy test "$B" --mutate --coverage
ends 2 'mutants and coverage'

for bundle in policies/*/; do
    run policy test "$bundle" --mutate
    ends 0 "$bundle: every mutant is noticed or listed"
done
done_testing
