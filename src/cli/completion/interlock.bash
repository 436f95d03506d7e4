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
        _interlock_words "run session tools stop check scenario evaluate receipt key doctor version completion help" "$cur"
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
        run:--approver) return ;;
        run:--approver-token-file) _interlock_paths -f "$cur"; return ;;
        run:--approver-token-env) return ;;
        run:--token-file) _interlock_paths -f "$cur"; return ;;
        run:--token-env) return ;;
        run:--ca) _interlock_paths -f "$cur"; return ;;
        run:--accept-tool) return ;;
        run:--connect-timeout) return ;;
        run:--log) _interlock_words "text json" "$cur"; return ;;
        session:--runtime) return ;;
        session:--session) return ;;
        session:--principal) return ;;
        session:--objective) return ;;
        session:--group) return ;;
        session:--after) return ;;
        session:--limit) return ;;
        session:--reason) return ;;
        session:--summary) return ;;
        session:--report) _interlock_paths -f "$cur"; return ;;
        session:--older-than) return ;;
        session:--format) _interlock_words "text json" "$cur"; return ;;
        session:--token-file) _interlock_paths -f "$cur"; return ;;
        session:--token-env) return ;;
        session:--ca) _interlock_paths -f "$cur"; return ;;
        session:--accept-tool) return ;;
        session:--connect-timeout) return ;;
        session:--log) _interlock_words "text json" "$cur"; return ;;
        tools:--runtime) return ;;
        tools:--format) _interlock_words "text json" "$cur"; return ;;
        tools:--token-file) _interlock_paths -f "$cur"; return ;;
        tools:--token-env) return ;;
        tools:--ca) _interlock_paths -f "$cur"; return ;;
        tools:--accept-tool) return ;;
        tools:--connect-timeout) return ;;
        tools:--log) _interlock_words "text json" "$cur"; return ;;
        stop:--runtime) return ;;
        stop:--reason) return ;;
        stop:--format) _interlock_words "text json" "$cur"; return ;;
        stop:--token-file) _interlock_paths -f "$cur"; return ;;
        stop:--token-env) return ;;
        stop:--ca) _interlock_paths -f "$cur"; return ;;
        stop:--accept-tool) return ;;
        stop:--connect-timeout) return ;;
        stop:--log) _interlock_words "text json" "$cur"; return ;;
        check:--envelope) _interlock_paths -f "$cur"; return ;;
        check:--preview) _interlock_paths -f "$cur"; return ;;
        check:--now) return ;;
        check:--format) _interlock_words "text json" "$cur"; return ;;
        scenario:--run) return ;;
        scenario:--format) _interlock_words "text json tap junit" "$cur"; return ;;
        scenario:--corpus) _interlock_paths -f "$cur"; return ;;
        evaluate:--expect) _interlock_paths -f "$cur"; return ;;
        evaluate:--format) _interlock_words "text json" "$cur"; return ;;
        receipt:--key) _interlock_paths -f "$cur"; return ;;
        receipt:--signature) _interlock_paths -f "$cur"; return ;;
        receipt:--format) _interlock_words "text json" "$cur"; return ;;
        key:--id) return ;;
        key:--role) return ;;
        key:--format) _interlock_words "text json" "$cur"; return ;;
        doctor:--runtime) return ;;
        doctor:--session) return ;;
        doctor:--format) _interlock_words "text json" "$cur"; return ;;
        doctor:--token-file) _interlock_paths -f "$cur"; return ;;
        doctor:--token-env) return ;;
        doctor:--ca) _interlock_paths -f "$cur"; return ;;
        doctor:--accept-tool) return ;;
        doctor:--connect-timeout) return ;;
        doctor:--log) _interlock_words "text json" "$cur"; return ;;
        version:--format) _interlock_words "text json" "$cur"; return ;;
    esac
    case $cmd:$cur in
        run:-*) _interlock_words "--runtime --workflow --policy --param --principal --tenant --scope --session --agent --approval --ask --wait --read-back --now --format --trace --approver --approver-token-file --approver-token-env --token-file --token-env --ca --accept-tool --connect-timeout --log --help" "$cur" ;;
        run:*) _interlock_paths -f "$cur"; ;;
        session:-*) _interlock_words "--runtime --session --principal --objective --group --after --limit --reason --summary --report --older-than --yes --format --token-file --token-env --ca --accept-tool --connect-timeout --log --help" "$cur" ;;
        session:*) _interlock_words "start show events follow-ups submit pause resume stop complete delete prune" "$cur"; ;;
        tools:-*) _interlock_words "--runtime --format --token-file --token-env --ca --accept-tool --connect-timeout --log --help" "$cur" ;;
        tools:*) ;;
        stop:-*) _interlock_words "--emergency --runtime --reason --yes --format --token-file --token-env --ca --accept-tool --connect-timeout --log --help" "$cur" ;;
        stop:*) ;;
        check:-*) _interlock_words "--envelope --preview --now --format --help" "$cur" ;;
        check:*) _interlock_words "preview envelope lease reservation receipt approval grant postcondition sensitivity event session deletion safety evaluation outcome proposal target resource provenance capability policy_decision follow_up" "$cur"; _interlock_paths -f "$cur"; ;;
        scenario:-*) _interlock_words "--run --format --fail-on-empty --corpus --help" "$cur" ;;
        scenario:*) _interlock_paths -f "$cur"; ;;
        evaluate:-*) _interlock_words "--expect --format --help" "$cur" ;;
        evaluate:*) _interlock_paths -f "$cur"; ;;
        receipt:-*) _interlock_words "--key --signature --format --help" "$cur" ;;
        receipt:*) _interlock_words "seal verify sign" "$cur"; _interlock_paths -f "$cur"; ;;
        key:-*) _interlock_words "--id --role --format --help" "$cur" ;;
        key:*) _interlock_words "new show" "$cur"; _interlock_paths -f "$cur"; ;;
        doctor:-*) _interlock_words "--runtime --session --format --token-file --token-env --ca --accept-tool --connect-timeout --log --help" "$cur" ;;
        doctor:*) ;;
        version:-*) _interlock_words "--format --help" "$cur" ;;
        version:*) ;;
        completion:-*) _interlock_words "--help" "$cur" ;;
        completion:*) _interlock_words "bash zsh fish" "$cur"; ;;
        help:-*) _interlock_words "--help" "$cur" ;;
        help:*) _interlock_words "run session tools stop check scenario evaluate receipt key doctor version completion help" "$cur"; ;;
    esac
}

complete -o filenames -F _interlock interlock
