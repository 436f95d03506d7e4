# Bundles by `interlock policy`: digests, packed files, signatures, and that every command asks for them.
. "$(dirname "$0")/lib.sh"

run policy
ends 2 'policy without a verb'
has "$err" 'interlock help policy' 'policy without a verb says where they are listed'
run policy digset x
ends 2 'a verb that is none'
has "$err" "did you mean 'policy digest'" 'a verb that is none: what was meant'
run help policy nothing
ends 2 'help of a verb that is none'

# ---- new

(cd "$T" && "$IL" policy new my-rules >out 2>err)
ok $? 'new'
for f in README.md .luarc.json .luacheckrc types/interlock.lua policy/bundle.json \
    policy/my_rules.lua policy/my_rules_test.lua; do
    [ -s "$T/my-rules/$f" ]; ok $? "new: $f"
done
run policy build "$T/my-rules/policy"
ends 0 'what new made loads'
lua5.4 tests/cli/json.lua "d['runtime.version'] == 'Lua 5.4'" <"$T/my-rules/.luarc.json"
ok $? 'new: .luarc.json is JSON'
if command -v luacheck >/dev/null; then
    (cd "$T/my-rules" && luacheck -q policy >"$T/out")
    ok $? 'new: luacheck says nothing'
fi
run run examples/minimal/action.json --runtime simulated --policy "$T/my-rules/policy" \
    --param 'classes=["edit_reversible","edit_irreversible"]'
[ "$status" -ne 3 ] && [ "$status" -ne 65 ]; ok $? 'what new made runs'
before=$(cat "$T"/my-rules/policy/*)
run policy new my-rules --dir "$T"
ends 2 'new over what is there'
has "$err" 'nothing is written over' 'new over what is there: says so'
[ "$(cat "$T"/my-rules/policy/*)" = "$before" ]; ok $? 'and leaves it as it was'
for name in '' 'a b' ../x 1x a.b "$(printf 'x%.0s' {1..65})"; do
    run policy new "$name" --dir "$T"
    ends 2 "new of '$name'"
done
run policy new fine --dir "$T/nowhere"
ends 2 'new in a folder that is not there'

# ---- digest

run policy digest
ends 2 'digest of nothing'
has "$err" "write 'interlock policy digest DIR'" 'digest of nothing says what to write'
run policy digest policies/office-hours
ends 0 'digest of one bundle'
one=${out%% *}
run policy digest policies/office-hours --format json
json "d.ok and d.policyDigest == '$one' and #d.bundles == 1 and d.bundles[1].digest == '$one'" 'digest as JSON'
run policy digest policies/office-hours --param closes=17
[ "${out%% *}" != "$one" ]; ok $? 'parameters are part of the digest'
run policy digest policies/office-hours policies/two-person
ends 0 'digest of two bundles'
has "$out" "$one  policies/office-hours" 'digest of two bundles: of each'
both=$(printf '%s\n' "$out" | tail -1)
run policy digest policies/two-person policies/office-hours
[ "$(printf '%s\n' "$out" | tail -1)" != "$both" ]; ok $? 'the order of bundles is part of the digest'
run policy digest policies/office-hours --policy policies/two-person
ends 2 'operands and --policy'
run policy digest nowhere
ends 2 'digest of a folder that is not there'
has "$err" 'nowhere: No such file' 'digest of a folder that is not there: which'
run policy digest policies
ends 3 'digest of a folder that is no bundle'

# ---- each way in which a bundle does not load: which file, where, what to write

refused() { # STATUS PART CHANGE: the bundle that new made, changed
    rm -rf "$T/b"
    cp -r "$T/my-rules/policy" "$T/b"
    (cd "$T/b" && eval "$3")
    run policy digest "$T/b"
    ends "$1" "refused: $3"
    has "$err" "$2" "says: $2"
}
refused 65 'bundle.json:2: the document ends' 'echo { >bundle.json'
refused 65 'bundle.json:8: /policies/0/level expected one of advisory, soft, hard' 'sed -i s/hard/strict/ bundle.json'
refused 65 'bundle.json:8: /policies/0/leve: there is no such member; did you mean "level"?' \
    'sed -i s/level/leve/ bundle.json'
refused 65 'there are name, version, requires, policies, files' 'sed -i s/version/author/ bundle.json'
refused 65 '/policies/0/params/classes/defalt: there is no such member; did you mean "default"?' \
    'sed -i s/default/defalt/ bundle.json'
refused 65 'expected one of string, number, integer, boolean, strings' 'sed -i s/strings/list/ bundle.json'
refused 3 '/requires: bundle.json requires script API version 9' 'sed -i "s/: 1,/: 9,/" bundle.json'
refused 3 'bundle.json: is missing' 'rm bundle.json'
refused 3 'notes.txt: is not listed in bundle.json; list it in "files", or take it out' 'echo x >notes.txt'
refused 3 '.luarc.json: is hidden' 'echo x >.luarc.json'
refused 3 'link.lua: a bundle holds regular files only, no links' 'ln -s my_rules.lua link.lua'
refused 3 'pipe: a bundle holds regular files only, no links' 'mkfifo pipe'
refused 3 'my_rules.lua: is listed in bundle.json and is missing' 'rm my_rules.lua'
refused 3 'my_rules.lua: is listed in bundle.json and is empty' ': >my_rules.lua'
refused 3 'cannot be listed in bundle.json: a host never loads it' \
    'sed -i s/my_rules.lua/my_rules_test.lua/ bundle.json'
refused 3 'my-rules/my_rules.lua:2: the file ends here, in the middle; close what is open' \
    'echo "return {" >my_rules.lua'
refused 3 "my-rules/my_rules.lua:2: attempt to index a nil value (local 'x')" 'printf "local x\nx.y = 1" >my_rules.lua'
refused 3 'my_rules.lua:5: the policy is declared and not returned; write `return policy { ... }`' \
    'sed -i "s/^return //" my_rules.lua'
refused 3 "no module 'lib.m'" 'echo "return require [[lib.m]]" >my_rules.lua'
refused 3 'lib/m.lua: is not listed in bundle.json' 'mkdir lib; echo "return {}" >lib/m.lua'
refused 3 'did you mean "preview"?' 'sed -i "s/preview =/preveiw =/" my_rules.lua'
refused 3 'the default of the parameter classes must be a list of strings' 'sed -i "s/\[.*\] }/4 }/" bundle.json'
refused 3 'classes: the parameter has no default: give it a value' 'sed -i "s/, .default.: \[.*\]//" bundle.json'
refused 3 'the script was ended by the limit' 'echo "while true do end" >my_rules.lua'
refused 3 'at most 1048576 bytes' 'head -c 1048577 /dev/zero >zero.md'
refused 3 'is larger than 65536 bytes' 'head -c 70000 /dev/zero | tr "\0" " " >my_rules.lua'
run policy digest "$T/my-rules/policy" --param classes=3
ends 3 'a parameter of another type'
has "$err" 'classes: the value of the parameter must be a list of strings; it is integer 3' 'says what it must be'
run policy digest "$T/my-rules/policy" "$T/my-rules/policy"
ends 3 'the same name twice'
has "$err" 'a bundle named my-rules is there already' 'says which'

# ---- build

cp -r policies/two-person "$T/tp"
run policy build "$T/tp"
ends 0 'build to standard output'
packed=$out
run policy build "$T/tp" -o "$T/tp.bundle"
ends 0 'build to a file'
[ "$packed" = "$(cat "$T/tp.bundle")" ]; ok $? 'build gives the same bytes'
run policy build "$T/tp" --out "$T/tp.bundle"
ends 0 'build over a packed bundle'
run policy digest "$T/tp"
folder=${out%% *}
run policy digest "$T/tp.bundle"
[ "${out%% *}" = "$folder" ]; ok $? 'the packed file has the digest of the folder'
run policy digest "$T/tp.bundle" --param approvers=3
ends 0 'parameters of a packed bundle are found'
echo precious >"$T/notes"
run policy build "$T/tp" --out "$T/notes"
ends 2 'build over something else'
[ "$(cat "$T/notes")" = precious ]; ok $? 'what is there stays'
ln -s "$T/notes" "$T/link"
run policy build "$T/tp" --out "$T/link"
ends 2 'build over a link'
run policy build "$T/tp" policies/office-hours
ends 2 'build of two'
run policy build "$T/tp" --out "$T/no/such/folder"
ends 2 'build into no folder'
[ -z "$(find "$T" -name '*.new')" ]; ok $? 'nothing is left behind'

# ---- sign, verify

"$IL" key new "$T/team.pem" >"$T/team.pub" 2>/dev/null
"$IL" key new "$T/other.pem" >"$T/other.pub" 2>/dev/null
run policy verify "$T/tp" --policy-key "$T/team.pub"
ends 1 'verify of an unsigned bundle'
has "$out" 'two-person/bundle.sig: is missing' 'an unsigned bundle: what is missing'
run policy sign "$T/tp"
ends 2 'sign without a key'
has "$err" '--key FILE is missing' 'sign without a key says so'
run policy sign "$T/tp" --key "$T/team.pub"
[ "$status" -ne 0 ]; ok $? 'sign with what is no private key'
chmod 644 "$T/other.pem"
run policy sign "$T/tp" --key "$T/other.pem"
ends 2 'sign with a key that others can read'
chmod 600 "$T/other.pem"
run policy sign "$T/tp" --key "$T/team.pem"
ends 0 'sign a folder'
has "$err" 'signed two-person' 'sign says what was signed'
lacks "$out$err$(cat "$T/tp/bundle.sig")" PRIVATE 'no private key is shown'
run policy sign "$T/tp.bundle" --key "$T/team.pem"
ends 0 'sign a packed file'
run policy build "$T/tp" -o "$T/again.bundle"
cmp -s "$T/tp.bundle" "$T/again.bundle"; ok $? 'signed before or after packing: the same bytes'
run policy verify "$T/tp" "$T/tp.bundle" --policy-key "$T/team.pub"
ends 0 'verify of both'
run policy verify "$T/tp" --policy-key "$T/team.pub" --format json
json "d.ok and d.bundles[1].bundle.signed and #d.bundles[1].bundle.signedBy == 16" 'verify as JSON'
run policy verify "$T/tp" --policy-key "$T/other.pub"
ends 1 'verify with another key'
has "$out" 'is not signed by a trusted key' 'verify with another key: says so'
run policy verify "$T/tp" --policy-key "$T/other.pub" --policy-key "$T/team.pub"
ends 0 'verify with two keys'
run policy verify "$T/tp"
ends 2 'verify without a key'
run policy digest "$T/tp"
[ "${out%% *}" = "$folder" ]; ok $? 'a signature is not part of the digest'

# ---- every command that loads bundles asks for the signature

cp examples/minimal/action.json "$T/action.json"
cp -r "$T/tp" "$T/edited"
echo '-- more' >>"$T/edited/two_person.lua"
cp -r "$T/tp" "$T/unsigned"
rm "$T/unsigned/bundle.sig"
cp -r "$T/unsigned" "$T/foreign"
"$IL" policy sign "$T/foreign" --key "$T/other.pem" 2>/dev/null
sed 's/"text":"\(..\)/"text":"\1 /' "$T/tp.bundle" >"$T/edited.bundle"

asks() { # NAME COMMAND...: with the key the sound one goes, each other is refused; the bundle is the last argument
    local name=$1
    shift
    run "$@" "$T/tp" --policy-key "$T/team.pub"
    [ "$status" -ne 3 ] && [ "$status" -ne 65 ]; ok $? "$name loads a signed bundle"
    run "$@" "$T/unsigned" --policy-key "$T/team.pub"
    ends 3 "$name refuses an unsigned bundle"
    has "$out$err" 'bundle.sig: is missing' "$name, unsigned: says so"
    run "$@" "$T/foreign" --policy-key "$T/team.pub"
    ends 3 "$name refuses a bundle of another signer"
    run "$@" "$T/edited" --policy-key "$T/team.pub"
    ends 3 "$name refuses an edited bundle"
    has "$out$err" 'two-person/two_person.lua: is not the file that was signed' "$name, edited: names bundle and file"
    run "$@" "$T/edited"
    ends 3 "$name refuses an edited bundle without keys, too"
    run "$@" "$T/unsigned"
    [ "$status" -ne 3 ] && [ "$status" -ne 65 ]; ok $? "$name loads an unsigned bundle without keys"
    run "$@" "$T/edited.bundle" --policy-key "$T/team.pub"
    [ "$status" -eq 3 ] || [ "$status" -eq 65 ]; ok $? "$name refuses an edited packed file"
}
asks 'policy digest' policy digest
asks 'policy build' policy build
asks run run "$T/action.json" --runtime simulated --policy
"$IL" run "$T/action.json" --runtime simulated --policy "$T/tp" --policy policies/office-hours --param opens=23 \
    --param closes=24 --param approvers=1 --store "$T/s.db" >/dev/null 2>&1
id=$("$IL" pending --store "$T/s.db" --format json 2>/dev/null | sed -n 's/.*"runId":"\([^"]*\)".*/\1/p')
[ -n "$id" ]; ok $? 'a run waits'
run resume "$id" --store "$T/s.db" --runtime simulated --policy "$T/edited" --policy-key "$T/team.pub"
ends 3 'resume refuses an edited bundle'
has "$out$err" 'is not the file that was signed' 'resume, edited: says so'

# ---- scenarios

mkdir "$T/sc"
for which in tp unsigned edited; do
    cp -r "$T/$which" "$T/sc/$which"
    cat >"$T/sc/${which}_scenario.lua" <<EOF
scenario "one" { policies = { { dir = "$which" } }, play = function() end }
EOF
done
run scenario "$T/sc/tp_scenario.lua" --policy-key "$T/team.pub"
ends 0 'scenario with a signed bundle'
run scenario "$T/sc/unsigned_scenario.lua" --policy-key "$T/team.pub"
ends 1 'scenario with an unsigned bundle'
has "$out" 'bundle.sig: is missing' 'scenario: says so'
run scenario "$T/sc/edited_scenario.lua"
ends 1 'scenario with an edited bundle'

# ---- the configuration file

mkdir "$T/desk"
cat >"$T/desk/interlock.json" <<EOF
{"bundles":[{"path":"../tp"}],"bundleKeys":["../team.pub"],"runtime":{"endpoint":"simulated"}}
EOF
config() { run "$@" --config "$T/desk/interlock.json"; }
config policy verify
ends 0 'verify what is configured'
config run "$T/action.json"
[ "$status" -ne 3 ]; ok $? 'run with what is configured'
config doctor
has "$out" 'ok bundle key' 'doctor looks at the keys'
sed -i 's/team.pub/other.pub/' "$T/desk/interlock.json"
config run "$T/action.json"
ends 3 'run with a key that is configured and has not signed'
config policy digest "$T/tp"
ends 3 'bundles that are named are held against configured keys'
config doctor
has "$out" 'is not signed by a trusted key' 'doctor says that no trusted key has signed'
done_testing
