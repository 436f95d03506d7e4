# The command against a server over HTTPS, with certificates made here: an action is governed when the authority is
# given and the certificate is good for the address; else nothing is sent. The token is in no output, log or file.
. "$(dirname "$0")/peer.sh"

# A key and a certificate NAME for SAN, good for DAYS (-1: it has expired), signed by the authority.
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$T/$1.key" -out "$T/$1.csr" \
        -subj "/CN=$1" -addext "subjectAltName=$2" 2>>"$T/openssl" &&
        openssl x509 -req -in "$T/$1.csr" -CA "$T/ca.pem" -CAkey "$T/ca.key" -CAcreateserial -days "$3" \
            -copy_extensions copy -out "$T/$1.pem" 2>>"$T/openssl"
}
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout "$T/$1.key" \
        -out "$T/$1.pem" -subj "/CN=$1" 2>>"$T/openssl"
}
authority ca && authority other && certificate good IP:127.0.0.1 2 && certificate old IP:127.0.0.1 -1 &&
    certificate alien DNS:example.org,IP:127.0.0.2 2
ok $? 'certificates are made'

printf '%s\n' "$secret" >"$T/token" && chmod 600 "$T/token"
# serve_tls NAME: a server with that certificate; $url is its address.
serve_tls() {
    exec {hold}> >(exec node tests/peers/computer-use.mjs --http --leash --rate 10000 --tls-key "$T/$1.key" \
        --tls-cert "$T/$1.pem" --token "$secret=operator-1" --world "$world" >"$T/$1.out" 2>"$T/$1.err")
    await grep -qs port "$T/$1.out"
    url=mcp+https://127.0.0.1:$(sed 's/.*"port":\([0-9]*\).*/\1/' "$T/$1.out")/mcp
    held+=("$hold")
}
# governed ARGUMENTS...: one action against $url.
governed() {
    run run "$T/plain.json" --runtime "$url" --token-file "$T/token" "${R[@]}" "$@"
}
# refused PATTERN NAME ARGUMENTS...: the run does not begin, says why, and the server is told nothing.
refused() {
    local pattern=$1 name=$2 before
    before=$(effects)
    shift 2
    governed --log text "$@"
    ends 8 "$name"
    has "$err" "$pattern" "$name: says '$pattern'"
    lacks "$err" 'started session' "$name: no session was started"
    [ "$(effects)" -eq "$before" ]; ok $? "$name: nothing was done"
    lacks "$out$err" "$secret" "$name: the token is not told"
}
held=()

serve_tls good
governed --ca "$T/ca.pem"
ends 5 'HTTPS: an allowed action'
has "$out" "$url  write_clipboard" 'says at whose address'
[ "$(effects)" -eq 1 ]; ok $? 'it was done once'
lacks "$out$err" "$secret" 'the token is not told'
for format in text json; do
    governed --ca "$T/ca.pem" --log "$format" --format json --trace
    ends 5 "with a log as $format and a trace"
    lacks "$out$err" "$secret" "the token is in neither ($format)"
done
run doctor --runtime "$url" --token-file "$T/token" --ca "$T/ca.pem" --accept-tool approve_action
ends 0 'doctor over HTTPS'
lacks "$out$err" "$secret" 'without the token'
refused '--ca FILE' 'without the authority'
refused '--ca FILE' 'with another authority' --ca "$T/other.pem"
good=$url
url=${good/127.0.0.1/localhost}
refused 'name that the certificate holds' 'by a name that the certificate does not hold' --ca "$T/ca.pem"
url=mcp+http${good#mcp+https}
run run "$T/plain.json" --runtime "$url" --token-file "$T/token" "${R[@]}"
ends 8 'plain HTTP to a server with TLS'
lacks "$out$err" "$secret" 'without the token, too'
serve_tls old
refused 'expired' 'with a certificate that has expired' --ca "$T/ca.pem"
serve_tls alien
refused 'name that the certificate holds' 'with a certificate for other hosts' --ca "$T/ca.pem"

rm -f "$T/token"
! grep -rqs "$secret" "$T"/*.err "$T/world.jsonl"
ok $? 'no server log and no effect holds the token'
for hold in "${held[@]}"; do exec {hold}>&-; done
done_testing
