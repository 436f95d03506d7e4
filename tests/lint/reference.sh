#!/bin/bash
# What is made from the tables of the bindings is what lies in the tree: types for editors, globals for luacheck, the
# reference. `make reference` writes them anew. Bundles, shipped and of the examples, pass the same checks that their
# authors run: luacheck with that std, `policy lint`, and the Lua language server where there is one.
. "$(dirname "$0")/tap.bash"

il=$V/interlock work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mapfile -t bundles < <(find policies examples -name bundle.json -printf '%h\n' | sort)

is_made() { # FORMAT FILE
    "$il" policy api --format "$1" >"$work/made" && diff -u "$2" "$work/made" ||
        { echo "write it anew: make reference"; return 1; }
}
types_checked() {
    local log
    log=$(lua-language-server --check="$PWD" --checklevel=Error --logpath="$work/luals" 2>&1) ||
        { printf '%s\n' "$log"; return 1; }
}

check "lua/meta/interlock.lua is what 'policy api --format luals' prints" is_made luals lua/meta/interlock.lua
check "lua/meta/luacheck.lua is what 'policy api --format luacheck' prints" is_made luacheck lua/meta/luacheck.lua
check "lua/REFERENCE.md is what 'policy api' prints" is_made markdown lua/REFERENCE.md
check "there are bundles" test "${#bundles[@]}" -ge 3
for bundle in "${bundles[@]}"; do
    check "$bundle: luacheck, with the std of scripts" \
        luacheck -q --no-color --config lua/meta/luacheck.lua "$bundle"
done
check "policy lint finds nothing in them" "$il" policy lint policies examples
if command -v lua-language-server >/dev/null; then
    check "the Lua language server finds nothing" types_checked
else
    count=$((count + 1))
    echo "ok $count - the Lua language server finds nothing # SKIP lua-language-server is not installed"
fi
plan
