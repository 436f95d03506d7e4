# Bundles by `interlock policy`: digests.
. "$(dirname "$0")/lib.sh"

run policy
ends 2 'policy without a verb'
has "$err" 'interlock help policy' 'policy without a verb says where they are listed'
run policy digset x
ends 2 'a verb that is none'
has "$err" "did you mean 'policy digest'" 'a verb that is none: what was meant'
run help policy nothing
ends 2 'help of a verb that is none'

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
done_testing
