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
        _interlock_words "run pending show approve deny defer re-observe resume cancel stop lift session tools check scenario policy evaluate receipt audit key doctor version completion help" "$cur"
        return
    fi
    if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    if [ "$COMP_CWORD" -gt 2 ]; then
        case $cmd in
            policy) cmd=policy-${COMP_WORDS[2]} ;;
        esac
    fi
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
        run:--store) _interlock_paths -f "$cur"; return ;;
        run:--now) return ;;
        run:--format) _interlock_words "text json" "$cur"; return ;;
        run:--kill-switch) _interlock_paths -f "$cur"; return ;;
        run:--notify) return ;;
        run:--notify-ca) _interlock_paths -f "$cur"; return ;;
        run:--identity-token) _interlock_paths -f "$cur"; return ;;
        run:--jwks) _interlock_paths -f "$cur"; return ;;
        run:--issuer) return ;;
        run:--audience) return ;;
        run:--tenant-claim) return ;;
        run:--approvers) _interlock_paths -f "$cur"; return ;;
        run:--approver) return ;;
        run:--approver-token-file) _interlock_paths -f "$cur"; return ;;
        run:--approver-token-env) return ;;
        run:--token-file) _interlock_paths -f "$cur"; return ;;
        run:--token-env) return ;;
        run:--ca) _interlock_paths -f "$cur"; return ;;
        run:--accept-tool) return ;;
        run:--connect-timeout) return ;;
        run:--log) _interlock_words "text json" "$cur"; return ;;
        run:--config) _interlock_paths -f "$cur"; return ;;
        pending:--store) _interlock_paths -f "$cur"; return ;;
        pending:--format) _interlock_words "text json" "$cur"; return ;;
        pending:--config) _interlock_paths -f "$cur"; return ;;
        show:--store) _interlock_paths -f "$cur"; return ;;
        show:--format) _interlock_words "text json" "$cur"; return ;;
        show:--config) _interlock_paths -f "$cur"; return ;;
        approve:--store) _interlock_paths -f "$cur"; return ;;
        approve:--request) return ;;
        approve:--as) return ;;
        approve:--key) _interlock_paths -f "$cur"; return ;;
        approve:--reason) return ;;
        approve:--format) _interlock_words "text json" "$cur"; return ;;
        approve:--digest) return ;;
        approve:--grant) return ;;
        approve:--runtime) _interlock_words "simulated" "$cur"; _interlock_paths -f "$cur"; return ;;
        approve:--workflow) _interlock_paths -f "$cur"; return ;;
        approve:--policy) _interlock_paths -d "$cur"; return ;;
        approve:--param) return ;;
        approve:--principal) return ;;
        approve:--tenant) return ;;
        approve:--scope) return ;;
        approve:--kill-switch) _interlock_paths -f "$cur"; return ;;
        approve:--notify) return ;;
        approve:--notify-ca) _interlock_paths -f "$cur"; return ;;
        approve:--identity-token) _interlock_paths -f "$cur"; return ;;
        approve:--jwks) _interlock_paths -f "$cur"; return ;;
        approve:--issuer) return ;;
        approve:--audience) return ;;
        approve:--tenant-claim) return ;;
        approve:--approvers) _interlock_paths -f "$cur"; return ;;
        approve:--approver) return ;;
        approve:--approver-token-file) _interlock_paths -f "$cur"; return ;;
        approve:--approver-token-env) return ;;
        approve:--token-file) _interlock_paths -f "$cur"; return ;;
        approve:--token-env) return ;;
        approve:--ca) _interlock_paths -f "$cur"; return ;;
        approve:--accept-tool) return ;;
        approve:--connect-timeout) return ;;
        approve:--log) _interlock_words "text json" "$cur"; return ;;
        approve:--config) _interlock_paths -f "$cur"; return ;;
        deny:--store) _interlock_paths -f "$cur"; return ;;
        deny:--request) return ;;
        deny:--as) return ;;
        deny:--key) _interlock_paths -f "$cur"; return ;;
        deny:--reason) return ;;
        deny:--format) _interlock_words "text json" "$cur"; return ;;
        deny:--tenant) return ;;
        deny:--config) _interlock_paths -f "$cur"; return ;;
        defer:--store) _interlock_paths -f "$cur"; return ;;
        defer:--request) return ;;
        defer:--as) return ;;
        defer:--key) _interlock_paths -f "$cur"; return ;;
        defer:--reason) return ;;
        defer:--format) _interlock_words "text json" "$cur"; return ;;
        defer:--tenant) return ;;
        defer:--config) _interlock_paths -f "$cur"; return ;;
        re-observe:--store) _interlock_paths -f "$cur"; return ;;
        re-observe:--request) return ;;
        re-observe:--as) return ;;
        re-observe:--key) _interlock_paths -f "$cur"; return ;;
        re-observe:--reason) return ;;
        re-observe:--format) _interlock_words "text json" "$cur"; return ;;
        re-observe:--tenant) return ;;
        re-observe:--config) _interlock_paths -f "$cur"; return ;;
        resume:--store) _interlock_paths -f "$cur"; return ;;
        resume:--answer) _interlock_paths -f "$cur"; return ;;
        resume:--session) return ;;
        resume:--witness) _interlock_paths -f "$cur"; return ;;
        resume:--witness-key) _interlock_paths -f "$cur"; return ;;
        resume:--runtime) _interlock_words "simulated" "$cur"; _interlock_paths -f "$cur"; return ;;
        resume:--workflow) _interlock_paths -f "$cur"; return ;;
        resume:--policy) _interlock_paths -d "$cur"; return ;;
        resume:--param) return ;;
        resume:--principal) return ;;
        resume:--tenant) return ;;
        resume:--scope) return ;;
        resume:--format) _interlock_words "text json" "$cur"; return ;;
        resume:--kill-switch) _interlock_paths -f "$cur"; return ;;
        resume:--notify) return ;;
        resume:--notify-ca) _interlock_paths -f "$cur"; return ;;
        resume:--identity-token) _interlock_paths -f "$cur"; return ;;
        resume:--jwks) _interlock_paths -f "$cur"; return ;;
        resume:--issuer) return ;;
        resume:--audience) return ;;
        resume:--tenant-claim) return ;;
        resume:--approvers) _interlock_paths -f "$cur"; return ;;
        resume:--approver) return ;;
        resume:--approver-token-file) _interlock_paths -f "$cur"; return ;;
        resume:--approver-token-env) return ;;
        resume:--token-file) _interlock_paths -f "$cur"; return ;;
        resume:--token-env) return ;;
        resume:--ca) _interlock_paths -f "$cur"; return ;;
        resume:--accept-tool) return ;;
        resume:--connect-timeout) return ;;
        resume:--log) _interlock_words "text json" "$cur"; return ;;
        resume:--config) _interlock_paths -f "$cur"; return ;;
        cancel:--store) _interlock_paths -f "$cur"; return ;;
        cancel:--reason) return ;;
        cancel:--tenant) return ;;
        cancel:--format) _interlock_words "text json" "$cur"; return ;;
        cancel:--config) _interlock_paths -f "$cur"; return ;;
        stop:--store) _interlock_paths -f "$cur"; return ;;
        stop:--runtime) return ;;
        stop:--reason) return ;;
        stop:--format) _interlock_words "text json" "$cur"; return ;;
        stop:--token-file) _interlock_paths -f "$cur"; return ;;
        stop:--token-env) return ;;
        stop:--ca) _interlock_paths -f "$cur"; return ;;
        stop:--accept-tool) return ;;
        stop:--connect-timeout) return ;;
        stop:--log) _interlock_words "text json" "$cur"; return ;;
        stop:--config) _interlock_paths -f "$cur"; return ;;
        lift:--store) _interlock_paths -f "$cur"; return ;;
        lift:--format) _interlock_words "text json" "$cur"; return ;;
        lift:--config) _interlock_paths -f "$cur"; return ;;
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
        session:--config) _interlock_paths -f "$cur"; return ;;
        tools:--runtime) return ;;
        tools:--format) _interlock_words "text json" "$cur"; return ;;
        tools:--token-file) _interlock_paths -f "$cur"; return ;;
        tools:--token-env) return ;;
        tools:--ca) _interlock_paths -f "$cur"; return ;;
        tools:--accept-tool) return ;;
        tools:--connect-timeout) return ;;
        tools:--log) _interlock_words "text json" "$cur"; return ;;
        tools:--config) _interlock_paths -f "$cur"; return ;;
        check:--envelope) _interlock_paths -f "$cur"; return ;;
        check:--preview) _interlock_paths -f "$cur"; return ;;
        check:--now) return ;;
        check:--format) _interlock_words "text json" "$cur"; return ;;
        scenario:--run) return ;;
        scenario:--format) _interlock_words "text json tap junit" "$cur"; return ;;
        scenario:--corpus) _interlock_paths -f "$cur"; return ;;
        policy-digest:--policy) _interlock_paths -d "$cur"; return ;;
        policy-digest:--param) return ;;
        policy-digest:--format) _interlock_words "text json" "$cur"; return ;;
        policy-digest:--config) _interlock_paths -f "$cur"; return ;;
        evaluate:--expect) _interlock_paths -f "$cur"; return ;;
        evaluate:--format) _interlock_words "text json" "$cur"; return ;;
        receipt:--key) _interlock_paths -f "$cur"; return ;;
        receipt:--signature) _interlock_paths -f "$cur"; return ;;
        receipt:--format) _interlock_words "text json" "$cur"; return ;;
        audit:--store) _interlock_paths -f "$cur"; return ;;
        audit:--key) _interlock_paths -f "$cur"; return ;;
        audit:--witness) _interlock_paths -f "$cur"; return ;;
        audit:--signer) _interlock_paths -f "$cur"; return ;;
        audit:--record) return ;;
        audit:--proof) _interlock_paths -f "$cur"; return ;;
        audit:--mask) return ;;
        audit:--format) _interlock_words "text json" "$cur"; return ;;
        audit:--config) _interlock_paths -f "$cur"; return ;;
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
        doctor:--config) _interlock_paths -f "$cur"; return ;;
        version:--format) _interlock_words "text json" "$cur"; return ;;
    esac
    case $cmd:$cur in
        run:-*) _interlock_words "--runtime --workflow --policy --param --principal --tenant --scope --session --agent --approval --ask --store --wait --now --format --read-back --kill-switch --trace --notify --notify-ca --identity-token --jwks --issuer --audience --tenant-claim --approvers --approver --approver-token-file --approver-token-env --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        run:*) _interlock_paths -f "$cur"; ;;
        pending:-*) _interlock_words "--store --watch --format --config --no-config --help" "$cur" ;;
        pending:*) ;;
        show:-*) _interlock_words "--store --card --format --config --no-config --help" "$cur" ;;
        show:*) ;;
        approve:-*) _interlock_words "--store --request --as --key --reason --no-input --format --digest --grant --runtime-approved --resume --runtime --workflow --policy --param --principal --tenant --scope --wait --read-back --kill-switch --trace --notify --notify-ca --identity-token --jwks --issuer --audience --tenant-claim --approvers --approver --approver-token-file --approver-token-env --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        approve:*) ;;
        deny:-*) _interlock_words "--store --request --as --key --reason --no-input --format --tenant --config --no-config --help" "$cur" ;;
        deny:*) ;;
        defer:-*) _interlock_words "--store --request --as --key --reason --no-input --format --tenant --config --no-config --help" "$cur" ;;
        defer:*) ;;
        re-observe:-*) _interlock_words "--store --request --as --key --reason --no-input --format --tenant --config --no-config --help" "$cur" ;;
        re-observe:*) ;;
        resume:-*) _interlock_words "--store --all --answer --renew --session --witness --witness-key --accept-rollback --runtime --workflow --policy --param --principal --tenant --scope --ask --wait --format --read-back --kill-switch --trace --notify --notify-ca --identity-token --jwks --issuer --audience --tenant-claim --approvers --approver --approver-token-file --approver-token-env --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        resume:*) ;;
        cancel:-*) _interlock_words "--store --reason --tenant --format --config --no-config --help" "$cur" ;;
        cancel:*) ;;
        stop:-*) _interlock_words "--emergency --store --runtime --reason --yes --format --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        stop:*) ;;
        lift:-*) _interlock_words "--store --emergency --yes --format --config --no-config --help" "$cur" ;;
        lift:*) ;;
        session:-*) _interlock_words "--runtime --session --principal --objective --group --after --limit --reason --summary --report --older-than --yes --format --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        session:*) _interlock_words "start show events follow-ups submit pause resume stop complete delete prune" "$cur"; ;;
        tools:-*) _interlock_words "--runtime --format --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        tools:*) ;;
        check:-*) _interlock_words "--envelope --preview --now --format --help" "$cur" ;;
        check:*) _interlock_words "preview envelope lease reservation receipt approval grant postcondition sensitivity event session deletion safety evaluation outcome proposal target resource provenance capability policy_decision follow_up" "$cur"; _interlock_paths -f "$cur"; ;;
        scenario:-*) _interlock_words "--run --format --fail-on-empty --corpus --help" "$cur" ;;
        scenario:*) _interlock_paths -f "$cur"; ;;
        policy:-*) _interlock_words "--help" "$cur" ;;
        policy:*) _interlock_words "digest" "$cur"; ;;
        policy-digest:-*) _interlock_words "--policy --param --format --config --no-config --help" "$cur" ;;
        policy-digest:*) ;;
        evaluate:-*) _interlock_words "--expect --format --help" "$cur" ;;
        evaluate:*) _interlock_paths -f "$cur"; ;;
        receipt:-*) _interlock_words "--key --signature --format --help" "$cur" ;;
        receipt:*) _interlock_words "seal verify sign" "$cur"; _interlock_paths -f "$cur"; ;;
        audit:-*) _interlock_words "--store --key --witness --signer --record --proof --salt --mask --with-tickets --format --config --no-config --help" "$cur" ;;
        audit:*) _interlock_words "verify show export head" "$cur"; ;;
        key:-*) _interlock_words "--id --role --format --help" "$cur" ;;
        key:*) _interlock_words "new show" "$cur"; _interlock_paths -f "$cur"; ;;
        doctor:-*) _interlock_words "--runtime --connect --session --format --token-file --token-env --ca --accept-tool --connect-timeout --log --config --no-config --help" "$cur" ;;
        doctor:*) ;;
        version:-*) _interlock_words "--format --help" "$cur" ;;
        version:*) ;;
        completion:-*) _interlock_words "--help" "$cur" ;;
        completion:*) _interlock_words "bash zsh fish" "$cur"; ;;
        help:-*) _interlock_words "--help" "$cur" ;;
        help:*) _interlock_words "run pending show approve deny defer re-observe resume cancel stop lift session tools check scenario policy evaluate receipt audit key doctor version completion help" "$cur"; ;;
    esac
}

complete -o filenames -F _interlock interlock
