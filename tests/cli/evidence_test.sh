# `interlock evaluate`, `receipt` and `key`: verdicts as exit statuses, texts that say what and where, keys that nobody
# else can read.
. "$(dirname "$0")/lib.sh"
W=tests/vectors

# ---- evaluate

event() { # SEQUENCE TYPE ACTION PAYLOAD
    printf '{"schemaVersion":1,"eventId":"event-%s","sequence":%s,"sessionId":"s","actionId":"%s","type":"%s",' \
        "$1" "$1" "$3" "$2"
    printf '"at":"2026-11-30T18:00:00Z","payload":%s}' "$4"
}
started='{"tool":"write_clipboard","mode":"background","leaseId":"l"}'
{
    printf '['
    event 1 action.started a "$started"
    printf ,
    event 2 action.verified a '{"verified":true}'
    printf ,
    event 3 action.committed a '{"receiptId":"r"}'
    printf ']'
} >"$T/events.json"
echo '[{"tool":"write_clipboard","arguments":{"mode":"background"}}]' >"$T/expect.json"

run evaluate "$T/events.json" --expect "$T/expect.json"
ends 0 'a session that did what was expected'
has "$out" 'ok passed' 'says so'
has "$out" 'trajectory    1 of 1 expected steps found among 1; score 1' 'with the trajectory'
has "$out" 'mutations     1' 'and counts'
run evaluate "$T/events.json" --expect "$T/expect.json" --format json
json 'd.ok == true and d.exitStatus == 0 and d.evaluation.passed == true' 'as JSON'
json 'd.evaluation.trajectoryScore == 1' 'with the score'
json 'd.evaluation.mutations == 1 and d.evaluation.commits == 1' 'with counts'
json '#d.evaluation.violations == 0' 'and no violation'
printf '{"events":%s,"next_sequence":3}' "$(cat "$T/events.json")" >"$T/page.json"
run evaluate "$T/page.json" --expect "$T/expect.json"
ends 0 'a page of a server'
out=$("$IL" evaluate - --expect "$T/expect.json" <"$T/events.json")
status=$?
ends 0 'from standard input'

echo '[]' >"$T/none.json"
run evaluate "$T/events.json" --expect "$T/none.json"
ends 9 'a session that did more than was expected'
has "$out" '!! not passed' 'says so'
has "$out" 'score 0' 'with the score'
{
    printf '['
    event 1 action.started 'a\u001b[31m' '{"tool":"x","mode":"background","leaseId":null}'
    printf ,
    event 2 action.committed b '{"receiptId":"r"}'
    printf ']'
} >"$T/bad.json"
run evaluate "$T/bad.json" --expect "$T/none.json"
ends 9 'violations'
has "$out" 'violation     mutation_without_lease:a\x1b[31m (event 1, event-1)' 'are named, escaped, with their event'
has "$out" 'violation     commit_without_start:b (event 2, event-2)' 'each of them'
lacks "$out" $'\e' 'and no control character comes through'
run evaluate "$T/bad.json" --expect "$T/none.json" --format json
json 'd.ok == false and d.exitStatus == 9 and d.evaluation.violations[2] == "commit_without_start:b"' 'and as JSON'
json 'd.evaluation.findings[2].sequence == 2 and d.evaluation.findings[2].eventId == "event-2"' 'with their events'

run evaluate "$T/events.json"
ends 2 'without an expectation'
has "$err" '--expect FILE is missing' 'says what is missing'
run evaluate --expect "$T/none.json"
ends 2 'without events'
run evaluate - --expect -
ends 2 'both from standard input'
run evaluate "$T/gone.json" --expect "$T/none.json"
ends 2 'a file that is not there'
echo '[{"tool":"a"},{"tol":"b"}]' >"$T/wrong.json"
run evaluate "$T/events.json" --expect "$T/wrong.json"
ends 65 'a trajectory that cannot be decoded'
has "$err" "$T/wrong.json: expected trajectory: /1/tol" 'names file and place'
sed 's/"type":"action.verified",//' "$T/events.json" >"$T/cut.json"
run evaluate "$T/cut.json" --expect "$T/expect.json"
ends 65 'events that cannot be decoded'
has "$err" "$T/cut.json: session event: /1/type" 'name file and place'
run evaluate "$T/cut.json" --expect "$T/expect.json" --format json
json 'd.ok == false and d.error.code == "decode" and d.error.field == "/1/type" and d.exitStatus == 65' 'as JSON, too'
printf '[%s]' "$(yes '{"tool":"a"}' | head -1001 | paste -sd,)" >"$T/long.json"
run evaluate "$T/events.json" --expect "$T/long.json"
ends 65 'a trajectory of more than 1000 steps'
has "$err" '1000 steps' 'says so'

# ---- key

run key new "$T/ann.pem" --role finance --role 'two "words"'
ends 0 'a new key'
[ "$(stat -c %a "$T/ann.pem")" = 600 ]; ok $? 'lies in a file for its owner alone'
json 'd.id == "ann" and #d.key == 44 and d.roles[1] == "finance" and d.roles[2] == [[two "words"]]' \
    'and its line for approvers is printed'
has "$err" 'key id ' 'with its id beside it'
lacks "$out$err" "$(sed -n 2p "$T/ann.pem")" 'the private key is not printed'
line=$(printf '%s' "$out" | sed 's/,"roles.*//')
cp "$T/ann.pem" "$T/kept.pem"
run key new "$T/ann.pem"
ends 2 'a key over another'
has "$err" "$T/ann.pem: is there already" 'is refused, and says so'
cmp -s "$T/ann.pem" "$T/kept.pem"; ok $? 'and nothing is overwritten'
run key show "$T/ann.pem"
ends 0 'a key is shown'
[ "$out" = "$line,\"roles\":[]}" ]; ok $? 'as the same line'
run key show "$T/ann.pem" --id bob --format json
json 'd.ok == true and #d.keyId == 16 and d.approver.id == "bob" and #d.approver.key == 44' 'as JSON, for another id'
openssl pkey -in "$T/ann.pem" -pubout -outform DER 2>"$T/err" | tail -c 32 | base64 >"$T/openssl"
has "$out" "\"key\":\"$(cat "$T/openssl")\"" 'OpenSSL reads the file, and finds the same public key'
openssl genpkey -algorithm ed25519 -out "$T/theirs.pem" 2>"$T/err" && chmod 600 "$T/theirs.pem"
run key show "$T/theirs.pem"
ends 0 'a key that OpenSSL made'
for mode in 640 604 620 644; do
    chmod $mode "$T/kept.pem"
    run key show "$T/kept.pem"
    ends 2 "a key of mode $mode"
    has "$err" "others may use it (mode $mode)" 'is refused, and says why'
done
umask_key() { (umask 0 && "$IL" key new "$T/umask.pem" >/dev/null 2>&1); }
umask_key
[ "$(stat -c %a "$T/umask.pem")" = 600 ]; ok $? 'the mode does not depend on the umask'
echo nonsense >"$T/none.pem"
chmod 600 "$T/none.pem"
run key show "$T/none.pem"
ends 65 'a file without a key'
has "$err" "$T/none.pem: holds no private Ed25519 key" 'says so'
run key show "$T/gone.pem"
ends 2 'a key file that is not there'
run key new "$T/no/such/folder.pem"
ends 2 'a key where nothing can be created'
run key new -
ends 2 'a key on standard output'
run key new "$T/x.pem" --id ''
ends 2 'an empty id'
[ ! -e "$T/x.pem" ]; ok $? 'and no key is made for it'
run key shw "$T/x.pem"
has "$err" "did you mean 'show'" 'a verb that was mistyped'

# ---- receipt

sealed=$W/evaluation/valid/sealed.json
sed 's/"receiptDigest": "[^"]*"/"receiptDigest": ""/' $sealed >"$T/open.json"
run receipt seal "$T/open.json"
ends 0 'a receipt is sealed'
has "$out" "$(sed -n 's/.*"receiptDigest": "\(.*\)"/\1/p' $sealed)" 'with the digest that it should have'
printf '%s\n' "$out" >"$T/sealed.json"
run receipt verify "$T/sealed.json"
ends 0 'and verified'
has "$out" 'ok the receipt holds' 'which says so'
has "$out" 'who sealed it' 'and what it does not show'
run receipt verify $sealed --format json
json 'd.ok == true and d.receiptDigest:match("^sha256:%x+$") and type(d.signedBy) ~= "string"' 'as JSON'
run receipt verify "$T/open.json"
ends 9 'a receipt without its seal'
sed 's/"testCount": [0-9]*/"testCount": 5/' $sealed >"$T/changed.json"
run receipt verify "$T/changed.json"
ends 9 'a receipt that was changed'
has "$err" '/receiptDigest expected sha256:' 'names the digest'
sed 's/"testsPassed": true/"testsPassed": false/' $sealed >"$T/claim.json"
run receipt verify "$T/claim.json"
ends 9 'a receipt that claims too little'
has "$err" '/claims/testsPassed expected true' 'names the claim'
run receipt verify "$T/claim.json" --format json
json 'd.ok == false and d.error.field == "/claims/testsPassed" and d.exitStatus == 9' 'as JSON'
run receipt seal "$T/claim.json"
ends 65 'which cannot be sealed'
[ -z "$out" ]; ok $? 'and nothing is printed'
echo '{"a":' >"$T/cut.json"
run receipt verify "$T/cut.json"
ends 65 'what cannot be read'

run receipt sign "$T/sealed.json" --key "$T/ann.pem"
ends 0 'a receipt is signed'
json 'd.payloadType == "application/vnd.interlock.evaluation-receipt+json" and #d.signatures == 1' 'in an envelope'
printf '%s\n' "$out" >"$T/sig.json"
"$IL" key show "$T/ann.pem" >"$T/ann.pub" 2>/dev/null
"$IL" key show "$T/theirs.pem" >"$T/theirs.pub" 2>/dev/null
openssl pkey -in "$T/ann.pem" -pubout -out "$T/ann.pub.pem" 2>/dev/null
for key in ann.pub openssl ann.pub.pem; do
    run receipt verify $sealed --signature "$T/sig.json" --key "$T/$key"
    ends 0 "the signature is checked with $key"
done
has "$out" 'signed by' 'and says by whom'
run receipt verify $sealed --signature "$T/sig.json" --key "$T/ann.pub" --format json
json '#d.signedBy == 16' 'as JSON'
run receipt verify $sealed --signature "$T/sig.json" --key "$T/theirs.pub"
ends 9 'with another key'
has "$err" "$T/sig.json: signed envelope: signatures expected" 'it is not the signature of that key'
run receipt verify $W/evaluation/valid/larger-claims.json --signature "$T/sig.json" --key "$T/ann.pub"
ends 9 'over another receipt'
run receipt verify $sealed --signature "$T/sealed.json" --key "$T/ann.pub"
ends 65 'a signature that is none'
run receipt verify $sealed --signature "$T/sig.json" --key "$T/none.pem"
ends 65 'a key that is none'
has "$err" "$T/none.pem: key: not a public Ed25519 key" 'says so'
run receipt sign "$T/open.json" --key "$T/ann.pem"
ends 9 'what is not sealed is not signed'
chmod 644 "$T/kept.pem"
run receipt sign "$T/sealed.json" --key "$T/kept.pem"
ends 2 'with a key that others can read'
[ -z "$out" ]; ok $? 'nothing is signed'
run receipt sign "$T/sealed.json"
ends 2 'sign without a key'
run receipt verify "$T/sealed.json" --key "$T/ann.pub"
ends 2 'a key without a signature'
run receipt verify "$T/sealed.json" --signature "$T/sig.json"
ends 2 'a signature without a key'
run receipt seal "$T/open.json" --key "$T/ann.pem"
ends 2 'a key where none is used'
run receipt vrify "$T/open.json"
has "$err" "did you mean 'verify'" 'a verb that was mistyped'
for page in evaluate receipt key; do COLUMNS=50 run help $page; narrow 50 "help $page fits 50 columns"; done
done_testing
