# `interlock audit`: a store made by the command itself, tampered with from outside; heads, witness, proofs, masks; the
# page of the format, by hand; and `resume` in a store from a backup.
. "$(dirname "$0")/lib.sh"
DB=$T/runs.db W=$T/heads
S=(--store "$DB")
R=(--runtime "$D/runtime.lua" --policy "$D/hours")

# begin ARGUMENTS: a run; fills $id.
begin() {
    printf '{"tool":"write_clipboard","arguments":%s}\n' "$1" >"$T/action.json"
    run run "$T/action.json" "${R[@]}" "${S[@]}" --format json
    id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
}
# verdict STATUS WORD NAME [OPTIONS...]
verdict() {
    local status_wanted=$1 word=$2 name=$3
    shift 3
    run audit verify "${S[@]}" "$@"
    ends "$status_wanted" "$name"
    has "$out" " $word"$'\n' "$name: $word"
}
copy() { for tail in "" -wal; do [ ! -e "$1$tail" ] || cp -p "$1$tail" "$2$tail"; done; }
# Leaves one file, whole.
settle() { sqlite3 "$1" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; }
put_back() {
    rm -f "$DB-wal" "$DB-shm"
    cp -p "$1" "$DB"
}

# ---- calls that are wrong

while IFS='|' read -r args text; do
    # shellcheck disable=SC2086
    run audit $args
    ends 2 "audit $args"
    has "$err" "$text" 'says what to write'
done <<X
|the verb is missing
verfy|did you mean 'verify'
verify|--store FILE
verify --store $T/none.db|--store $T/none.db
show --store $DB|which run
verify --store $DB --mask /a|--mask is not for
head --store $DB|--signer FILE
show x --store $DB --proof p|--record N
show x --store $DB --record one|no number
verify a b --store $DB|more operands
verify --proof p|with a key and nothing else
X
[ ! -e "$T/none.db" ]; ok $? 'no store is made'

# ---- a store, a head, a witness

begin '{"text":"one"}'
first=$id
begin '{"ask":true}'
waiting=$id
settle "$DB"
cp -p "$DB" "$T/early.db"
verdict 0 'intact, end not witnessed' 'without a witness'
run key new "$T/audit.pem" --id audit
printf '%s\n' "$out" >"$T/audit.pub"
run audit head "${S[@]}" --signer "$T/audit.pem" --witness "$W"
ends 0 'a head is signed'
[ "$out" = "$(cat "$W")" ]; ok $? 'the witness has the line'
[ "$(stat -c %a "$W")" = 600 ]; ok $? 'for its owner alone'
K=(--key "$T/audit.pub" --witness "$W")
verdict 0 'intact' 'with the witness' "${K[@]}"
begin '{"text":"two"}'
run audit verify "${S[@]}" "${K[@]}" --format json
ends 0 'the store goes on'
json 'd.ok == true and d.verdict == "intact" and d.runs == 3 and d.witnessedHeads == 1' 'as JSON'
json 'd.recordsSince > 0 and #d.findings == 0' 'with what came since'
run audit head "${S[@]}" --signer "$T/audit.pem" --witness "$W"
[ "$(wc -l <"$W")" = 2 ]; ok $? 'a second head is appended'
run audit verify "${S[@]}" --witness "$W"
ends 2 'a witness without a key'
run key new "$T/other.pem"
printf '%s\n' "$out" >"$T/other.pub"
run audit verify "${S[@]}" --witness "$W" --key "$T/other.pub"
ends 9 'a witness by another key'
head -c 50 "$W" >"$T/cut"
run audit verify "${S[@]}" --witness "$T/cut" --key "$T/audit.pub"
ends 65 'a witness that was cut short'
settle "$DB"
cp -p "$DB" "$T/whole.db"

# ---- tampering with the file

one="run = (SELECT key FROM run WHERE id = CAST('$first' AS BLOB))"
count="UPDATE run SET records = (SELECT count(*) FROM record WHERE run = key)"
# tamper NAME ALONE WITNESSED SQL
tamper() {
    put_back "$T/whole.db"
    sqlite3 "$DB" "$4" >"$T/sql" 2>&1
    ok $? "$1 ($(head -1 "$T/sql"))"
    verdict "$([[ $2 == intact* ]] && echo 0 || echo 9)" "$2" "$1, alone" --key "$T/audit.pub"
    verdict 9 "$3" "$1, with a witness" "${K[@]}"
    put_back "$T/whole.db"
}
tamper 'a text is edited' edited edited \
    "UPDATE record SET text = CAST(CAST(text AS TEXT) || ' ' AS BLOB) WHERE $one AND seq = 3"
tamper 'a payload is edited' edited edited \
    "UPDATE record SET payload = CAST(replace(CAST(payload AS TEXT), 'one', 'two') AS BLOB) WHERE $one AND seq = 0"
tamper 'a payload is taken away' edited edited "UPDATE record SET payload = NULL WHERE $one AND seq = 0"
tamper 'a hash is edited' edited edited "UPDATE record SET hash = randomblob(32) WHERE $one AND seq = 2"
tamper 'two records change places' edited edited \
    "UPDATE record SET seq = 999 WHERE $one AND seq = 1; UPDATE record SET seq = 1 WHERE $one AND seq = 2;
     UPDATE record SET seq = 2 WHERE $one AND seq = 999"
tamper 'a record in the middle is deleted' edited edited "DELETE FROM record WHERE $one AND seq = 4; $count"
tamper 'the last record is deleted' rewritten truncated \
    "DELETE FROM record WHERE $one AND seq = (SELECT max(seq) FROM record WHERE $one); $count"
tamper 'a run is deleted' rewritten truncated \
    "DELETE FROM record WHERE $one; DELETE FROM run WHERE id = CAST('$first' AS BLOB)"
tamper 'a record is inserted' edited edited \
    "INSERT INTO record(run, seq, fence, text, payload, hash)
     SELECT run, (SELECT max(seq) + 1 FROM record WHERE $one), fence, text, payload, hash FROM record
     WHERE $one AND seq = 2"
tamper 'a record of another run is replayed' edited edited \
    "UPDATE record SET (text, payload, hash) = (SELECT text, payload, hash FROM record r WHERE r.run =
     (SELECT key FROM run WHERE id = CAST('$waiting' AS BLOB)) AND r.seq = 3) WHERE $one AND seq = 3"
tamper 'a link is edited' edited edited \
    "UPDATE link SET text = CAST(replace(CAST(text AS TEXT), '$first', '$waiting') AS BLOB) WHERE seq = 0"
tamper 'the last links are deleted' 'intact, end not witnessed' 'rolled back' \
    "DELETE FROM link WHERE seq = (SELECT max(seq) FROM link)"
put_back "$T/early.db"
verdict 0 'intact, end not witnessed' 'a backup is restored, alone' --key "$T/audit.pub"
verdict 9 'rolled back' 'a backup is restored, with a witness' "${K[@]}"
begin '{"text":"three"}'
verdict 0 'intact, end not witnessed' 'a backup is used on, alone' --key "$T/audit.pub"
verdict 9 'forked' 'a backup is used on, with a witness' "${K[@]}"
run audit head "${S[@]}" --signer "$T/audit.pem" --witness "$W"
ends 9 'no head is signed of it'
[ "$(wc -l <"$W")" = 2 ]; ok $? 'nor handed to the witness'

# ---- resume in a store from a backup

put_back "$T/early.db"
V=(--witness "$W" --witness-key "$T/audit.pub")
run resume "$waiting" "${S[@]}" "${R[@]}" "${V[@]}"
ends 8 'a run of an older store is not gone on with'
has "$err$out" 'rolled back' 'because it is one'
run resume "$waiting" "${S[@]}" "${R[@]}" "${V[@]}" --accept-rollback
ends 4 'unless that is accepted: what waits goes on waiting'
put_back "$T/whole.db"
run resume "$waiting" "${S[@]}" "${R[@]}" "${V[@]}"
ends 4 'a whole store is gone on with'
put_back "$T/whole.db"

# ---- show, proofs

run audit show "$first" "${S[@]}"
ends 0 'records are listed'
has "$out" ' created ' 'with their kinds'
has "$out" ' execute ' 'and all of them'
run audit show "$first" "${S[@]}" --record 0
has "$out" '"text":"one"' 'one is shown whole'
run audit show "$first" "${S[@]}" --record 999
ends 8 'a record that is not there'
run audit show "$first" "${S[@]}" --record 3 --proof "$T/proof"
ends 0 'a proof is written'
run audit show "$first" "${S[@]}" --record 3 --proof "$T/proof"
ends 2 'and never over another file'
run audit verify --proof "$T/proof" --key "$T/audit.pub"
ends 0 'it holds without the store'
run audit verify --proof "$T/proof" --key "$T/other.pub"
ends 9 'but not with another key'
sed 's/"seq":3/"seq":2/' "$T/proof" >"$T/bent"
run audit verify --proof "$T/bent" --key "$T/audit.pub"
ends 9 'nor for another record'
echo '{}' >"$T/bent"
run audit verify --proof "$T/bent" --key "$T/audit.pub"
ends 65 'what is none is not decoded'

# ---- export

run audit export "${S[@]}" --with-tickets
open=$out
lease=$(printf '%s' "$open" | sed -n 's/.*"kind":"leased".*//; s/.*"lease":"\([^"]*\)".*/\1/p' | head -1)
[ -n "$lease" ]; ok $? 'with tickets they are there'
run audit export "${S[@]}"
lacks "$out" "$lease" 'without, no lease id is'
run audit export "$first" "${S[@]}" --mask /arguments/text
lacks "$out" '"one"' 'what a pointer names is masked'
mac=$(printf '%s\n' "$out" | sed -n '1s/.*"text":{"masked":"hmac-sha256:\([^"]*\)"}.*/\1/p')
run audit show "$first" "${S[@]}" --record 0 --salt
want=$(printf '/payload/arguments/text\n"one"' | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$out" -r)
[ "$mac" = "${want:0:64}" ]
ok $? 'and can be checked with the salt'
run audit export "${S[@]}" --mask text
ends 2 'a mask that is no pointer'
run audit export nobody "${S[@]}"
ends 8 'a run that is not there'

# ---- the page, by hand

sed -n '/^```bash/,/^```$/p' src/JOURNAL.md | sed '/^```/d' >"$T/by-hand.sh"
ln -s "$IL" "$T/interlock"
out=$(cd "$T" && PATH="$T:$PATH" RUN=$first bash by-hand.sh 2>&1)
status=$?
ends 0 'the example on the page'
has "$out" 'records hold up to' 'recomputes the chain'
has "$out" 'Signature Verified Successfully' 'checks the signature'
has "$out" $'\nsigned' 'and finds the run in the tips'
done_testing
