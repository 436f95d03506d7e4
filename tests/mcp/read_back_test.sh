#!/bin/bash
# The read-back of a verification through whole governed runs: what is seen decides, what cannot be seen does not, and
# the value stands nowhere but in what was asked for.
. "$(dirname "$0")/crash.sh"

digest() { printf 'sha256:%s' "$(printf '%s' "$1" | sha256sum | cut -d' ' -f1)"; }
# press POSTCONDITION: a click that changes nothing of what is read.
press() {
    printf '{"tool":"press_button","mode":"foreground","arguments":{"window_id":7,"label":"Send"},'
    printf '"target":{%s},' \
        "\"platform\":\"linux\",\"appId\":\"org.example.Editor\",\"pid\":4242,\"windowId\":7,\"displayId\":\"1\",\
\"observationId\":\"o1\",\"confidence\":1,\"capturedAt\":\"$(date -u +%FT%T.000Z)\""
    printf '"postcondition":%s}' "$1"
}
write() { # CONTENT DIGEST
    printf '{"tool":"filesystem","arguments":{"mode":"write",'
    printf '"path":"/home/user/notes.txt","content":"%s"},' "$1"
    printf '"postcondition":{"kind":"filesystem","path":"/home/user/notes.txt","exists":true,'
    printf '"contentDigest":"%s"}}' "$2"
}
body="{\"kind\":\"ui_element\",\"role\":\"AXTextArea\",\"label\":\"Body\",\"exists\":true,\
\"valueDigest\":\"$(digest Draft)\"}"
moved='{"tool":"filesystem","arguments":{"mode":"move","path":"/home/user/notes.txt",'
moved+='"destination":"/home/user/n.txt"},'
moved+='"postcondition":{"kind":"filesystem","path":"/home/user/notes.txt","exists":false}}'

# act NAME SERVER_SWITCHES ACTION WANT HOST_SWITCHES...: one run, one effect, and what came of it.
act() {
    local what=$1 world=$T/world.$n
    run "$GOVERNED" "stdio:$CU --world $world --fs-root /home/user $2" --accept approve_action --action "$3" "${@:5}"
    has "^run status=$4 effect=committed exit=[056] " "$what: $4"
    [ "$(cat "$world" | wc -l)" -eq 1 ]
    ok $? "$what: one effect"
    printf '%s\n' "$out" | grep -q '^left fds=0 children=0$'
    ok $? "$what: nothing is left"
}

act "an element, not read back" "" "$(press "$body")" committed_unverified
act "an element as it was declared" "" "$(press "$body")" completed --read-back --show
has "\"observedDigest\":\"$(digest Draft)\"" "the digest is in the records"
out=$(printf '%s\n' "$out" | grep -v '"kind":"observed"') # what the workflow looked at before the action
lacks Draft "the value is nowhere"
act "a file as it was declared" "" "$(write Zebra "$(digest Zebra)")" completed --read-back --show
[ "$(printf '%s\n' "$out" | grep -c Zebra)" -eq "$(printf '%s\n' "$out" | grep Zebra | grep -c '"mode":"write"')" ]
ok $? "the content stands only where it was asked for"
act "a file that is gone" "" "$moved" completed --read-back
act "a file that is gone, not read back" "" "$moved" committed_unverified
act "a name of other case in its place" "--misread differs" "$moved" committed_unverified --read-back
act "an element that differs" "--misread differs" "$(press "$body")" verification_failed --read-back --show
lacks 'Draft!' "the other value is nowhere either"
act "a file that differs" "--misread differs" "$(write Zebra "$(digest Zebra)")" verification_failed --read-back
for kind in cut masked replaced longer none twice full flagged sensitive error; do
    act "an element, $kind" "--misread $kind" "$(press "$body")" committed_unverified --read-back
done
for kind in cut replaced longer none error; do
    act "a file, $kind" "--misread $kind" "$(write Zebra "$(digest Zebra)")" committed_unverified --read-back
done
act "a read-back that is not answered" "--lose find_element:before" "$(press "$body")" committed_unverified --read-back
act "a server of text alone" "--structured-content false" "$(press "$body")" completed --read-back
plan
