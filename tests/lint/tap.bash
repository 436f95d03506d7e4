# Sourced by the lints: `check NAME COMMAND...` prints one TAP line and, on failure, what the command said.
# Must be followed by `plan` at the end. V is the folder of the variant that is looked at.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
V=${V:-build/${BUILD:-asan}}
count=0 bad=0

check() {
    local name=$1 said
    shift
    count=$((count + 1))
    if said=$("$@" 2>&1); then
        echo "ok $count - $name"
    else
        bad=$((bad + 1))
        echo "not ok $count - $name"
        printf '%s\n' "$said" | head -60 | sed 's/^/#   /'
    fi
}

# Fails when there is any text, and shows it.
none() {
    [ -z "$1" ] || { printf '%s\n' "$1"; return 1; }
}

plan() {
    echo "1..$count"
    [ "$bad" -eq 0 ]
}
