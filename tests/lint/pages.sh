#!/bin/bash
# The pages are true: links lead somewhere, files that are named exist, samples are the text of the files they show,
# commands are understood, and what they print is what the page shows. (The scripts on the pages of lua/ and policies/
# are tried by tests/unit/pages_test.c.)
. "$(dirname "$0")/tap.bash"

unset COLUMNS NO_COLOR
il=$V/interlock work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mapfile -t pages < <(find . \( -path ./build -o -name .git -o -name node_modules -o -name .venv \) -prune -o \
    -name '*.md' -print | sed 's,^\./,,' | sort)

# ---- links and paths

anchors() { # the names by which the headings of a page can be linked
    sed -n 's/^##* //p' "$1" | LC_ALL=C.UTF-8 sed 's/[^[:alnum:] _-]//g; s/ /-/g; s/./\L&/g'
}

dead_links() {
    local page link target
    for page in "${pages[@]}"; do
        while IFS= read -r link; do
            case $link in http://* | https://* | mailto:*) continue ;; esac
            target=$page
            [ -z "${link%%#*}" ] || target=$(dirname "$page")/${link%%#*}
            if [ ! -e "$target" ]; then
                echo "$page: $link leads nowhere"
            elif [[ $link == *'#'* ]] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
                echo "$page: $link: no such heading"
            fi
        done < <(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//')
    done
}

missing_examples() { # also in what the command says of itself
    local path
    grep -ohE '\bexamples/[][A-Za-z0-9_./*-]+' "${pages[@]}" src/cli/*.[c1] | sed 's,[./]*$,,' | sort -u |
        while IFS= read -r path; do
            [[ $path == *'*'* || -e $path ]] || echo "$path is named and is not there"
        done
}

# `run/step.c`, `tests/run.sh`: whatever stands in code and looks like a file, from the top or from src/
missing_files() {
    local page path folders
    folders=$(printf '%s|' src lua policies tests support src/*/ | sed 's,src/\([a-z]*\)/,\1,g; s/|$//')
    for page in "${pages[@]}"; do
        grep -oE "\`($folders)/[A-Za-z0-9_./-]+\.(c|h|lua|sh|md|json|bash)\`" "$page" | tr -d '\`' |
            while IFS= read -r path; do
                [[ $path == *NAME* || -e $path || -e src/$path || -e tests/specs/$path ]] ||
                    echo "$page: $path is named and is not there"
            done
    done
}

missing_tests() { # that the tables of findings name
    local name
    grep -ohE '`[a-z_]+_(test|spec)`' tests/README.md | tr -d '\140' | sort -u |
        while IFS= read -r name; do
            compgen -G "tests/*/$name.*" >/dev/null || echo "tests/README.md: there is no $name"
        done
}

missing_findings() { # F1 to F33 and the bugs 1 to 24, each with its row
    local i
    for i in $(seq 33); do grep -q "^| F$i | .*\`" tests/README.md || echo "tests/README.md: no test for F$i"; done
    for i in $(seq 24); do grep -q "^| $i | .*\`" tests/README.md || echo "tests/README.md: no test for bug $i"; done
}

check "there are pages" test "${#pages[@]}" -ge 8
check "every link leads to a page, and to a heading of it" none "$(dead_links)"
check "every example that is named is there" none "$(missing_examples)"
check "every file that is named is there" none "$(missing_files)"
check "every test that the tests' page names is there" none "$(missing_tests)"
check "every finding has a test" none "$(missing_findings)"
check "no page waits to be filled in" none "$(grep -n '@''@' "${pages[@]}")"

# ---- samples

body() { sed -n "/^return /,\$p" "$1"; }                # a script without its head
indented() { # PAGE FIRST: the indented block that begins with that line
    awk -v first="    $2" '$0 == first { on = 1 } on && /^[^ ]/ { exit } on { print substr($0, 5) }' "$1" |
        sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}
fenced() { awk -v open='```'"$2" '/^```/ && on { exit } on { print } $0 == open { on = 1 }' "$1"; }

check "README.md shows the policy of examples/policy-asks" \
    diff <(indented README.md 'return policy {') <(body examples/policy-asks/keep-clean/deletes.lua)
check "lua/README.md shows the reference workflow" \
    diff <(fenced lua/README.md 'lua workflow') <(body lua/workflows/reference.lua)

indented README.md 'scenario "the preview runs out while a person decides" {' >"$work/a_scenario.lua"
check "the scenario on README.md passes" "$il" scenario --fail-on-empty "$work/a_scenario.lua"

# ---- commands

commands() { # those of a page, without the folder they are called from
    sed -n 's,^    \(build/[a-z]*/\)\?interlock ,,p' "$@" | grep -vE '^run action\.json|PATH|FILE|DIR|NAME| RUN|--watch'
}

misunderstood() {
    local line status
    while IFS= read -r line; do
        # A store of its own: the reader's may be there, and is the reader's.
        eval "$il ${line//build\/runs.db/$work\/runs.db}" >"$work/out" 2>&1 </dev/null
        status=$?
        case $status in
            0 | 1 | 4 | 5) ;;
            8) grep -q 'not released' "$work/out" || echo "exit 8: interlock $line" ;;
            *) echo "exit $status: interlock $line"; tail -5 "$work/out" ;;
        esac
    done < <(commands README.md examples/README.md tests/README.md policies/README.md)
}

ids='s/[0-9a-f]\{8\}-[0-9a-f]\{4\}-[0-9a-f]\{4\}-[0-9a-f]\{4\}-[0-9a-f]\{12\}/ID/'
shows() { # PAGE ARGUMENTS...: the page holds what the command prints, ids aside
    local page=$1 said
    shift
    said=$("$il" "$@" 2>&1 </dev/null | sed -e "$ids" -e 's/^./    &/')
    [[ $(sed "$ids" "$page") == *"$said"* ]] || { echo "$page does not show:"; printf '%s\n' "$said"; return 1; }
}

check "every command on the pages is understood" none "$(misunderstood)"
check "README.md shows what the first run prints" \
    shows README.md run examples/minimal/action.json --runtime simulated
check "README.md shows what a refusal prints" \
    shows README.md run examples/minimal/action.json --runtime examples/refused-lease/runtime.lua
plan
