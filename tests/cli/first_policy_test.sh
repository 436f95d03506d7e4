# "Your first policy in ten minutes" (policies/FIRST.md) is true: its files are written, its commands run in order, and
# what they print is what the page shows; ids, digests, keys and times aside. UPDATE=1 writes the page anew.
. "$(dirname "$0")/lib.sh"
PAGE=policies/FIRST.md
mkdir "$T/bin" "$T/desk"
ln -s "$IL" "$T/bin/interlock"
export PATH=$T/bin:$PATH

masked() {
    sed -E -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/ID/g' -e 's/req-[0-9a-f]{32}/REQUEST/g' \
        -e 's/[0-9a-f]{64}/DIGEST/g' \
        -e 's/\b[0-9a-f]{16}\b/KEY/g' -e 's/20[0-9]{2}-[0-9-]{5}T[0-9:.]+Z/TIME/g' \
        -e 's/\(in [0-9hms ]+\)/(SOON)/g' "$1"
}

lua5.4 tests/cli/page.lua "$PAGE" "$T/desk" >"$T/page" 2>"$T/err"
ok $? 'the page is played'
err=$(cat "$T/err")
[ "${UPDATE:-}" = "" ] || cp "$T/page" "$PAGE"
masked "$PAGE" >"$T/shown"
masked "$T/page" >"$T/printed"
out=$(diff "$T/shown" "$T/printed")
ok $? 'what the commands print is what the page shows'
[ "$(grep -c '^\$ interlock' "$PAGE")" -ge 15 ]
ok $? 'every step is on the page'
for verb in new lint test eval explain sign build verify trial diff; do
    grep -q "^\$ interlock policy $verb" "$PAGE"
    ok $? "policy $verb is on the page"
done
done_testing
