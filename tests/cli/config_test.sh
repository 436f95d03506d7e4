#!/bin/bash
# `interlock.json`: found or named, laid under the options of every command alike, its digest in every journal; and
# `doctor`, which tries all that it names.
. "$(dirname "$0")/lib.sh"
here=$PWD
mkdir "$T/desk" && cd "$T/desk" || exit 1
cp "$D/runtime.lua" runtime.lua
cp -r "$D/hours" hours
echo '{"tool":"write_clipboard","arguments":{"text":"hi"}}' >action.json
echo '{"tool":"write_clipboard","arguments":{"ask":true}}' >ask.json
json() { # from the folder of the tests
    printf '%s' "$out" | (cd "$here" && lua5.4 tests/cli/json.lua "$1") 2>"$T/json"
    ok $? "$2"
}
write() { printf '%s\n' "$1" >"${2:-interlock.json}"; }
whole='"store":"runs.db","principal":"ada","runtime":{"endpoint":"runtime.lua"},"bundles":[{"path":"hours"}]'

# ---- found, named, refused ----

run run action.json
ends 2 'without a file there is no runtime'
write '{"principal":"ada","runtime":{"endpoint":"simulated"}}'
run run action.json
ends 5 'a file in the current folder is read'
has "$out" 'SIMULATED  write_clipboard  background  for ada  configured by interlock.json' 'the head line says so'
run run action.json --no-config
ends 2 '--no-config reads none'
run run action.json --no-config --config interlock.json
ends 2 'one of the two'
run run action.json --principal bob --format json
json 'd.principal == "bob" and d.simulated' 'an option wins over the file'
json '#d.config == 71 and d.config:sub(1, 7) == "sha256:"' 'the digest of the file is told'
run run action.json --runtime runtime.lua --no-config
has "$out" '(the default)' 'nothing of the file is left then'
run tools
ends 2 'a runtime that is no server is nothing to list tools of'
has "$err" 'configured by interlock.json' 'commands without a head line say so, too'
write '{"stroe":"runs.db"}'
run pending
ends 65 'a member that does not exist'
has "$err" "/stroe: there is no such member; did you mean 'store'?" 'is named, and what was meant'
run run action.json --format json
json 'd.error.code == "decode" and d.error.field == "/stroe" and d.file == "interlock.json"' 'also in JSON'
run pending --no-config --store runs.db
ends 2 'and does not disturb who reads no file'
write '{"runtime":{"endpoint":"mcp+http://127.0.0.1:1/mcp","token":"hush-hush"}}'
run tools
ends 65 'a token in the file'
has "$err" 'tokenFile or tokenEnv' 'is refused with what to write instead'
lacks "$out$err" 'hush-hush' 'and not shown'
run run action.json --config none.json
ends 2 'a file that is not there'
chmod o+w interlock.json
run pending
ends 2 'a file that everybody can write'
has "$err" 'chmod o-w' 'says what to do'
rm interlock.json

# ---- one run through every command, all by the file ----

write "{$whole,\"limits\":{\"request_timeout_ms\":20000}}"
run run ask.json --format json
ends 4 'a run by the file waits'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
digest=$(printf '%s' "$out" | sed 's/.*"config":"\([^"]*\).*/\1/')
[ -e runs.db ]; ok $? 'the store of the file was made, beside it'
canonical='{"bundles":[{"path":"hours"}],"limits":{"request_timeout_ms":20000},"principal":"ada"'
canonical+=',"runtime":{"endpoint":"runtime.lua"},"store":"runs.db"}'
[ "$digest" = "sha256:$(printf '%s' "$canonical" | sha256sum | cut -d' ' -f1)" ]
ok $? 'the digest is that of the canonical text'
run pending
ends 0 'pending'
has "$out" "$id" 'lists it'
run show "$id" --format json
ends 0 'show'
json "d.requestId == '$request'" 'shows it'
for verb in defer deny; do
    run $verb "$id" --request req-0 --as ann
    ends 1 "$verb finds the store by the file"
done
run approve "$id" --request "$request" --as ann --runtime simulated
ends 2 'a runtime that is given still wants --resume'
run approve "$id" --request "$request" --as ann --config ./interlock.json
ends 0 'approve leaves the answer, and takes nothing over for the runtime of the file'
write "{$whole}"
cd / || exit 1
run resume "$id" --config "$T/desk/interlock.json" --format json
ends 5 'resume goes on from another folder and with another file'
second=$(printf '%s' "$out" | sed 's/.*"config":"\([^"]*\).*/\1/')
cd "$T/desk" || exit 1
[ "$digest" != "$second" ]; ok $? 'which has another digest'
run audit export
[[ $out == *"\"config\":\"$digest\""*'"kind":"created"'* ]]; ok $? 'record 0 has the digest it began with'
[[ $out == *"\"config\":\"$second\""*'"kind":"resumed"'* ]]; ok $? 'that of the resume stands in its record'
run audit verify
ends 0 'audit'

run run ask.json --format json
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
write "{${whole/ada/bob}}"
run resume "$id"
ends 8 'a file with another principal'
has "$err" 'principal' 'is a conflict for that member'
write "{${whole/runtime.lua/simulated}}"
run resume "$id"
ends 8 'and so is one with another runtime'
write "{$whole}"
run cancel "$id"
ends 0 'cancel'
run resume --all
has "$out" 'cancelled' 'resume --all'
run re-observe "$id" --request "$request" --as ann
ends 1 're-observe'
run stop cli-session
ends 0 'stop latches the store, where the runtime is no server'
run run action.json
has "$out$err" 'stopped' 'and the run hears of it'
run lift cli-session --yes
ends 0 'lift'

# ---- policies and their parameters, hosts, identities ----

cp -r "$here/policies/office-hours" office
write '{"runtime":{"endpoint":"simulated"},"bundles":[{"path":"office","params":{"opens":0,"closes":0,"approvers":1}}]}'
run run action.json
ends 4 'parameters of the file reach the policies'
run run action.json --param closes=24 \
    --param 'days=["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]'
ends 5 'one that is given wins over that of the file'
mv interlock.json other.json
run run action.json --config other.json --policy hours
ends 5 'bundles that are given stand in place of those of the file'
write "{$whole,\"host\":\"desk-1\"}"
run run ask.json --format json
json 'd.host == "desk-1"' 'the name of the host stands in what is decided on'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
run show "$id" --format json
json 'd.host == "desk-1"' 'also where another process shows it'
echo '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}' >jwks.json
write '{"runtime":{"endpoint":"simulated"},"identity":{"jwks":"jwks.json","issuer":"i","audience":"a"}}'
run run action.json
ends 2 'where identities come from tokens, one without is refused'
has "$err" '--identity-token' 'which says what to give'
run run action.json --principal root
ends 2 'whoever it says it is'
echo 'a.b.c' >token
run run action.json --identity-token token
ends 65 'and the keys of the file check the token'

# ---- doctor ----

write '{"store":"runs.db","runtime":{"endpoint":"simulated"},"bundles":[{"path":"office"}]}'
run doctor
ends 0 'doctor with a sound file'
has "$out" 'interlock.json: found in the current folder' 'says where it is'
has "$out" 'sha256:' 'and its digest'
write '{"runtime":{"endpoint":"simulated"},"killSwitch":"STOP"}'
run doctor
ends 0 'a kill switch that is off'
: >STOP
run doctor
ends 8 'one that is on'
has "$out" 'kill switch' 'is named'
run run action.json
ends 1 'and stops a run'
run run action.json --kill-switch OTHER
ends 5 'unless the command names another'
rm STOP
printf 'secret-token' >token
chmod 644 token
write '{"store":"gone/runs.db","runtime":{"endpoint":"mcp+http://127.0.0.1:1/mcp","tokenFile":"token"},
  "bundles":[{"path":"office","params":{"opens":"never"}},{"path":"nowhere"}],"approvers":"approvers.json",
  "approver":{"endpoint":"unix:sock","tokenFile":"token"},"workflow":"broken.lua","headKey":"action.json",
  "witness":"heads","notice":"https://chat.example/hook"}'
echo 'return function(run' >broken.lua
run doctor --format json
ends 8 'doctor with an unsound one'
json 'not d.ok and not d.config.ok and #d.config.digest == 71' 'says so in JSON'
marks='(function() local m = {} for _, c in ipairs(d.config.checks) do m[c.name .. " " .. c.result] = c.note end'
marks+=' return m end)()'
for want in 'bundle failed' 'approvers failed' 'workflow failed' 'token failed' 'its token failed' 'head key failed' \
    'witness note' 'store note' 'approver note' 'runtime ok' 'notice ok'; do
    json "$marks['$want'] ~= nil" "$want"
done
lacks "$out$err" 'secret-token' 'and shows no token'
chmod 600 token
write '{"runtime":{"endpoint":"stdio:no-such-program-here --x"}}'
run doctor
ends 8 'a program that is not there'
has "$out" 'no such program' 'is said'
write '{"runtime":{"endpoint":"stdio:touch started"}}'
run doctor
ends 0 'a program that is there'
[ ! -e started ]; ok $? 'is not started'
run doctor --connect
ends 8 'only --connect starts it'
[ -e started ]; ok $? 'and does'
run doctor --connect --no-config
ends 2 '--connect without a server'

# ---- the page ----

sed -n '/^    {$/,/^    }$/p' "$here/README.md" >interlock.json
ln -s "$here/examples" examples
run run action.json
ends 5 'the file on README.md works as it stands'
has "$out" 'for ada' 'for whom it says'
run pending
ends 0 'and keeps its runs'

# ---- what belongs to an address goes with it ----

write '{"runtime":{"endpoint":"mcp+http://127.0.0.1:1/mcp","tokenFile":"missing"}}'
run tools
ends 2 'the token of the file is read for its address'
has "$err" 'missing' 'and is not there'
run tools --runtime mcp+http://127.0.0.1:2/mcp
ends 8 'but never for another address'
cd "$here" || exit 1
done_testing
