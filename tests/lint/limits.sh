#!/bin/bash
# Every limit of src/base/limits.h stands in a test, by its name or its constant. Names of one word mean other things as
# well; of these a test speaks as `NAME: ...`.
. "$(dirname "$0")/tap.bash"

rows=$(sed -n 's/^ *X(\([A-Z_0-9]*\), \([0-9]*\), "\([a-z_0-9]*\)".*/\1 \3/p' src/base/limits.h)
tests=(tests/unit tests/specs tests/scenarios tests/cli)

untested() {
    local constant name word
    while read -r constant name; do
        word="\\b$name\\b"
        [[ $name == *_* ]] || word="\\b$name:"
        grep -rqE --include='*.c' --include='*.lua' --include='*.sh' "IL__LIMIT_$constant\\b|$word" "${tests[@]}" ||
            echo "$name has no test"
    done <<<"$rows"
}
twice() { awk '{ print $2 }' <<<"$rows" | sort | uniq -d; }

check "limits.h is read" test "$(wc -l <<<"$rows")" -eq "$(grep -cE '^ +X\([A-Z]' src/base/limits.h)"
check "there are limits" test "$(wc -l <<<"$rows")" -ge 50
check "every limit has a test that speaks of it" none "$(untested)"
check "no two limits have one name" none "$(twice)"
plan
