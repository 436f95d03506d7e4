# Help, version, doctor, the manual page and completions: one source, complete, readable at 80 and at 50 columns.
. "$(dirname "$0")/lib.sh"
commands='run pending show approve deny defer re-observe resume cancel stop lift session tools check scenario policy
    evaluate receipt audit key doctor version completion help'
mapfile -t verbs < <("$IL" help policy | sed -n '/^verbs$/,/^$/s/^  \([a-z]*\) .*/policy \1/p')
man_text=$(sed 's/\\-/-/g' src/cli/interlock.1)

run help
ends 0 'help'
for c in $commands; do has "$out" "  $c " "help lists $c"; done
[ ${#verbs[@]} -gt 0 ]; ok $? 'help policy lists its verbs'
run --help
ends 0 'interlock --help'
run -h
ends 0 'interlock -h'

# shellcheck disable=SC2086 # a verb is two words
for c in $commands "${verbs[@]}"; do
    run help $c
    ends 0 "help $c"
    page=$out
    for part in "usage: interlock $c" options examples 'exit status'; do
        has "$page" "$part" "help $c has: $part"
    done
    narrow 80 "help $c fits 80 columns"
    for option in $(printf '%s\n' "$page" | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
        has "$man_text" "Fl -$option" "the manual page has --$option of $c"
    done
    run $c --help
    [ "$out" = "$page" ]; ok $? "$c --help is the same page"
    COLUMNS=50 run help $c
    narrow 50 "help $c fits 50 columns"
    has "$man_text" ".It Cm $c" "the manual page has $c"
done
COLUMNS=50 run help
narrow 50 'help fits 50 columns'

version=$(sed -n 's/^#define IL_VERSION "\(.*\)"/\1/p' src/include/interlock.h)
run version
ends 0 'version'
has "$out" "interlock $version" 'version prints the version'
has "$out" 'Lua 5.4' 'version prints that of Lua'
run --version
has "$out" "interlock $version" 'interlock --version'
run version --format json
json "d.version == '$version' and type(d.libraries.Lua) == 'string'" 'version as JSON'

run doctor
ends 0 'doctor'
for probe in version clocks random digest time locale 'one action'; do has "$out" "ok $probe" "doctor: $probe"; done
has "$out" 'script_memory' 'doctor lists the limits of the library'
has "$out" 'cli_file_bytes' 'doctor lists the limits of the command'
has "$out" 'all probes passed' 'doctor says that all is well'
narrow 80 'doctor fits 80 columns'
COLUMNS=50 run doctor
narrow 50 'doctor fits 50 columns'
run doctor --format json
json 'd.ok == true and #d.probes == 7 and #d.limits > 20' 'doctor as JSON'
run doctor
sound=$out
out=$(env LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 LANG=de_DE.UTF-8 "$IL" doctor)
[ "$out" = "$sound" ]; ok $? 'doctor says the same in a locale with a decimal comma'

for width in 60 80; do
    groff -K utf8 -mandoc -T utf8 -ww -rLL="${width}n" src/cli/interlock.1 >"$T/man" 2>"$T/err"
    status=$? err=$(cat "$T/err") out=
    [ "$status" -eq 0 ] && [ -z "$err" ]; ok $? "the manual page renders at $width columns without a warning"
done

for shell in bash zsh fish; do
    run completion $shell
    ends 0 "completion $shell"
    printf '%s\n' "$out" | cmp -s - src/cli/completion/interlock.$shell
    ok $? "src/cli/completion/interlock.$shell is what 'completion $shell' prints"
    for c in $commands "${verbs[@]#policy }"; do has "$out" "$c" "completion $shell knows $c"; done
    command -v $shell >/dev/null || continue
    $shell -n src/cli/completion/interlock.$shell
    ok $? "$shell reads its completion"
done

# complete WORD...: what bash offers for the last word.
complete_words() {
    bash -c '. src/cli/completion/interlock.bash
        COMP_WORDS=(interlock "$@") COMP_CWORD=$# COMPREPLY=()
        _interlock
        echo "${COMPREPLY[*]}"' bash "$@"
}
[ "$(complete_words ru)" = run ]; ok $? 'bash completes a command'
[ "$(complete_words run --runt)" = --runtime ]; ok $? 'bash completes an option'
[ "$(complete_words run --runtime sim)" = simulated ]; ok $? 'bash completes the value of an option'
[ "$(complete_words run --format = js)" = json ]; ok $? 'bash completes a value behind ='
[ "$(complete_words check leas)" = lease ]; ok $? 'bash completes a kind'
[ "$(complete_words scenario --format t)" = 'text tap' ]; ok $? 'bash completes the formats of scenario'
[ "$(complete_words policy dig)" = digest ]; ok $? 'bash completes a verb'
[ "$(complete_words policy digest --form)" = --format ]; ok $? 'bash completes an option of a verb'
[ "$(complete_words run src/cli/mai)" = src/cli/main.c ]; ok $? 'bash completes a file'
done_testing
