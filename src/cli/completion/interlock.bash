# bash completion for interlock, made by 'interlock completion bash'
_interlock_words() {
    local word
    for word in $(compgen -W "$1" -- "$2"); do COMPREPLY+=("$word"); done
}

_interlock_paths() {
    local path
    while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$2")
}

_interlock() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _interlock_words "run check scenario doctor version completion help" "$cur"
        return
    fi
    if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    case $cmd:$prev in
        run:--runtime) _interlock_words "simulated" "$cur"; _interlock_paths -f "$cur"; return ;;
        run:--workflow) _interlock_paths -f "$cur"; return ;;
        run:--policy) _interlock_paths -d "$cur"; return ;;
        run:--param) return ;;
        run:--principal) return ;;
        run:--tenant) return ;;
        run:--scope) return ;;
        run:--session) return ;;
        run:--agent) return ;;
        run:--approval) _interlock_paths -f "$cur"; return ;;
        run:--now) return ;;
        run:--format) _interlock_words "text json" "$cur"; return ;;
        check:--envelope) _interlock_paths -f "$cur"; return ;;
        check:--preview) _interlock_paths -f "$cur"; return ;;
        check:--now) return ;;
        check:--format) _interlock_words "text json" "$cur"; return ;;
        scenario:--run) return ;;
        scenario:--format) _interlock_words "text json tap junit" "$cur"; return ;;
        scenario:--corpus) _interlock_paths -f "$cur"; return ;;
        doctor:--format) _interlock_words "text json" "$cur"; return ;;
        version:--format) _interlock_words "text json" "$cur"; return ;;
    esac
    case $cmd:$cur in
        run:-*) _interlock_words "--runtime --workflow --policy --param --principal --tenant --scope --session --agent --approval --ask --now --format --trace --help" "$cur" ;;
        run:*) _interlock_paths -f "$cur"; ;;
        check:-*) _interlock_words "--envelope --preview --now --format --help" "$cur" ;;
        check:*) _interlock_words "preview envelope lease reservation receipt approval grant postcondition sensitivity event session deletion safety evaluation outcome proposal target resource provenance capability policy_decision follow_up" "$cur"; _interlock_paths -f "$cur"; ;;
        scenario:-*) _interlock_words "--run --format --fail-on-empty --corpus --help" "$cur" ;;
        scenario:*) _interlock_paths -f "$cur"; ;;
        doctor:-*) _interlock_words "--format --help" "$cur" ;;
        doctor:*) ;;
        version:-*) _interlock_words "--format --help" "$cur" ;;
        version:*) ;;
        completion:-*) _interlock_words "--help" "$cur" ;;
        completion:*) _interlock_words "bash zsh fish" "$cur"; ;;
        help:-*) _interlock_words "--help" "$cur" ;;
        help:*) _interlock_words "run check scenario doctor version completion help" "$cur"; ;;
    esac
}

complete -o filenames -F _interlock interlock
