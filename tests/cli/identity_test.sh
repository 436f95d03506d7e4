#!/bin/bash
# Whom a run is for by a token, and who may approve by their keys, from the command line.
. "$(dirname "$0")/lib.sh"
echo '{"tool":"write_clipboard","arguments":{"text":"hi"}}' >"$T/a.json"

b64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
openssl genpkey -algorithm ed25519 -out "$T/key.pem" 2>/dev/null
x=$(openssl pkey -in "$T/key.pem" -pubout -outform DER | tail -c 32 | b64url)
raw=$(openssl pkey -in "$T/key.pem" -pubout -outform DER | tail -c 32 | openssl base64 -A)
echo "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"$x\"}]}" >"$T/jwks.json"
token() { # CLAIMS: signed with the key
    local input
    input=$(printf '{"alg":"EdDSA"}' | b64url).$(printf '%s' "$1" | b64url)
    printf '%s' "$input" >"$T/input"
    openssl pkeyutl -sign -rawin -inkey "$T/key.pem" -in "$T/input" -out "$T/sig"
    printf '%s.%s\n' "$input" "$(b64url <"$T/sig")"
}
claims='"iss":"https://id.example","aud":"interlock","sub":"ada","exp":1800000300,"org":"acme"'
token "{$claims,\"scope\":\"computer:plan computer:execute:background\"}" >"$T/token"
token "{$claims,\"scope\":\"computer:plan\"}" >"$T/plan"
by=(--runtime simulated --now 2027-01-15T08:00:00Z --jwks "$T/jwks.json" --issuer https://id.example
    --audience interlock)

run run "$T/a.json" "${by[@]}" --identity-token "$T/token" --tenant-claim org --format json
ends 5 'a run with a token'
has "$out" '"principal":"ada"' 'is for whom the token names'
has "$out" '"principalIsDefault":false' 'which is no default'
lacks "$out$err" "$(cut -c1-20 "$T/token")" 'the token is shown nowhere'
run run "$T/a.json" "${by[@]}" --identity-token "$T/token"
has "$out" 'for ada' 'the head line says so'
run run "$T/a.json" "${by[@]}" --identity-token "$T/plan" --format json
ends 1 'a token without the scope'
has "$out" 'missing_scope' 'is refused for it'
run run "$T/a.json" "${by[@]}" --identity-token "$T/token" --now 2027-01-15T08:06:01Z
ends 2 'one clock'
run run "$T/a.json" --runtime simulated --now 2027-01-15T08:06:01Z --jwks "$T/jwks.json" --issuer https://id.example \
    --audience interlock --identity-token "$T/token"
ends 1 'a token that ended 61 seconds ago'
has "$err" 'exp' 'is refused by that claim'
run run "$T/a.json" --runtime simulated --jwks "$T/jwks.json" --issuer https://other.example --audience interlock \
    --now 2027-01-15T08:00:00Z --identity-token "$T/token"
ends 1 'another issuer'
has "$err" 'iss' 'is refused by that claim'
echo 'no token' >"$T/bad"
run run "$T/a.json" "${by[@]}" --identity-token "$T/bad"
ends 65 'what is no token'
echo '{"keys":[{"kty":"oct","k":"AAAA"}]}' >"$T/secret.json"
run run "$T/a.json" --runtime simulated --jwks "$T/secret.json" --issuer i --audience a --identity-token "$T/token"
ends 65 'a secret among the keys'
has "$err" 'secret.json' 'names the file'
for option in principal tenant scope; do
    run run "$T/a.json" "${by[@]}" --identity-token "$T/token" --"$option" computer:plan
    ends 2 "--$option beside a token"
    has "$err" "--$option" 'is named'
done
run run "$T/a.json" --runtime simulated --identity-token "$T/token"
ends 2 'a token without keys'
has "$err" '--jwks' 'says what is missing'
run run "$T/a.json" --runtime simulated --issuer i
ends 2 'an issuer without a token'

echo "{\"approvers\":[{\"id\":\"ann\",\"key\":\"$raw\",\"roles\":[\"security\"]}]}" >"$T/approvers.json"
run run "$T/a.json" --runtime simulated --approvers "$T/approvers.json"
ends 5 'approvers from a file'
echo "{\"approvers\":[{\"id\":\"ann\",\"key\":\"$raw\"},{\"id\":\"ben\",\"key\":\"$raw\"}]}" >"$T/twice.json"
run run "$T/a.json" --runtime simulated --approvers "$T/twice.json"
ends 65 'two approvers with one key'
has "$err" '/approvers/1/key' 'by its place'
done_testing
