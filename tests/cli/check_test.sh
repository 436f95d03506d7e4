# `interlock check`: the library's verdict as exit status, as a line and as JSON.
. "$(dirname "$0")/lib.sh"
W=tests/vectors
env=$W/envelope/valid/full.json
now=2026-11-30T18:00:30Z

# change FILE PATTERN... >out: a vector with its text changed by sed.
change() {
    local file=$1
    shift
    sed "$@" "$file"
}

run check lease $W/lease/valid/full.json
ends 0 'a lease by itself'
has "$out" 'ok lease' 'says so in text'
has "$out" '--envelope FILE' 'and what it could be checked against'
run check lease $W/lease/valid/full.json --format json
json 'd.ok == true and d.kind == "lease" and type(d.document.leaseId) == "string"' 'and in JSON, with the document'
out=$("$IL" check lease - --format json <$W/lease/valid/full.json)
status=$?
ends 0 'from standard input'
json 'd.ok == true' 'from standard input, in JSON'

for kind in preview envelope lease reservation receipt grant postcondition sensitivity event session deletion safety; do
    for file in $(find $W/$kind/valid -name '*.json' | grep -v 'left-to-the-check' | sort | head -2); do
        run check $kind "$file" --now 2026-11-30T18:00:28Z
        ends 0 "$kind ${file##*/}"
    done
    for file in $(find $W/$kind/invalid -name '*.json' | sort | head -2); do
        run check $kind "$file"
        ends 65 "$kind ${file##*/}"
        [ -z "$out" ]; ok $? "$kind ${file##*/}: nothing on stdout"
        run check $kind "$file" --format json
        json 'd.ok == false and type(d.error.code) == "string" and d.exitStatus == 65' "$kind ${file##*/}: as JSON"
    done
done

run check lease $W/lease/valid/full.json --envelope $env --now $now
ends 0 'a lease against its envelope'
change $W/lease/valid/full.json 's/"sessionId": "[^"]*"/"sessionId": "another"/' >"$T/lease.json"
run check lease "$T/lease.json" --envelope $env --now $now
ends 1 'a lease of another session is refused'
has "$out" 'control lease: session_id expected' 'and the line names object, field and both values'
has "$out" 'got another' 'the value that was found'
[ -z "$err" ]; ok $? 'the verdict is on stdout'
run check lease "$T/lease.json" --envelope $env --now $now --format json
json 'd.error.code == "identity_mismatch" and d.error.object == "control lease" and d.error.field == "session_id"' \
    'the refusal as JSON'
json 'd.error.expected and d.error.actual == "another" and d.error.message and d.exitStatus == 1' 'with both values'
run check lease $W/lease/valid/full.json --envelope $env --now 2030-01-01T00:00:00Z
ends 1 'a lease that has expired'
has "$out" 'expires_at' 'names the field'
change $W/lease/valid/full.json 's/"sessionId": "[^"]*"/"sessionId": "a\\u001b[31m\\u202eb"/' >"$T/lease.json"
run check lease "$T/lease.json" --envelope $env --now $now
ends 1 'a value with control characters'
lacks "$out" $'\e' 'is shown escaped'
lacks "$out" $'\u202e' 'and so are bidi characters'

run check receipt $W/receipt/valid/committed.json --envelope $env
ends 0 'a receipt against its envelope'
run check outcome $W/receipt/valid/committed.json --envelope $env
ends 0 'an outcome'
has "$out" 'status        committed_unverified' 'an outcome says its status'
has "$out" 'detail        no verification evidence' 'and what it lacks'
run check outcome $W/receipt/valid/committed.json --envelope $env --format json
json 'type(d.document.status) == "string" and type(d.document.verified) == "boolean"' 'an outcome as JSON'
run check outcome $W/receipt/valid/committed.json
ends 2 'an outcome without an envelope is a wrong call'

printf '{"leaseId":' >"$T/cut.json"
run check lease "$T/cut.json"
ends 65 'a document that is cut off'
run check lease "$T"
ends 2 'a folder'
echo '{"a":1,"a":2}' >"$T/twice.json"
run check lease "$T/twice.json"
ends 65 'a duplicate member'
run check lease $W/lease/valid/full.json --envelope "$T/cut.json"
ends 65 'an envelope that cannot be decoded'
COLUMNS=50 run help check
narrow 50 'the kinds fit 50 columns'
done_testing
