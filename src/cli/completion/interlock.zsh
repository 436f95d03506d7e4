#compdef interlock
# zsh completion for interlock, made by 'interlock completion zsh'
_interlock() {
    local -a commands
    commands=(
        'run:Govern one action\: observe, preview, approve, execute once, verify.'
        'check:Decode one document and check it against another.'
        'scenario:Run scenarios\: scripted runs with faults and what must be seen.'
        'doctor:Say whether this build works here, and list every limit.'
        'version:Print the version, and those of the libraries inside.'
        'completion:Print a completion script for a shell.'
        'help:Explain a command, or list them all.'
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local name=$words[2]
    shift words
    (( CURRENT-- ))
    case $name in
    run)
        _arguments \
            '--runtime=[Who acts\: '\''simulated'\'' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua. There is no default.]:simulated|FILE.lua:{_alternative "words\:word\:(simulated)" "files\:file\:_files"}' \
            '--workflow=[The order of the steps; the built-in reference workflow is the default.]:FILE.lua:_files' \
            '*--policy=[A policy bundle; every policy in it is asked. Bundles are asked in the order given.]:DIR:_files -/' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '--principal=[On whose behalf; the default is local-operator, and the output says so.]:P: ' \
            '--tenant=[The tenant of the run.]:T: ' \
            '*--scope=[What the principal may do\: computer\:plan, computer\:execute\:background, computer\:execute\:foreground. Without any\: the first two.]:S: ' \
            '--session=[The runtime'\''s session; the default is cli-session.]:S: ' \
            '--agent=[The agent that proposes.]:A: ' \
            '*--approval=[An operator'\''s answer, delivered when the run waits for one.]:FILE:_files' \
            '--ask[Ask on the terminal when the run waits and no answer is left.]' \
            '--now=[Start the wall clock at T, RFC 3339; it goes on from there.]:T: ' \
            '--format=[How to print; text is the default. JSON is one document.]:text|json:(text json)' \
            '--trace[Show every check with its inputs; in JSON the member "trace".]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    check)
        _arguments \
            '--envelope=[The action envelope that the document is checked against.]:FILE:_files' \
            '--preview=[The preview that an approval or a grant is checked against.]:FILE:_files' \
            '--now=[The time to judge by, RFC 3339; the system'\''s clock is the default.]:T: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(preview envelope lease reservation receipt approval grant postcondition sensitivity event session deletion safety evaluation outcome proposal target resource provenance capability policy_decision follow_up)' \
            '*:file:_files' ;;
    scenario)
        _arguments \
            '--run=[Only scenarios whose name contains PATTERN.]:PATTERN: ' \
            '--format=[How to report; text is the default.]:text|json|tap|junit:(text json tap junit)' \
            '--fail-on-empty[Exit 1 when no scenario ran at all.]' \
            '--corpus=[Also run this safety corpus against the simulated runtime.]:FILE:_files' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    doctor)
        _arguments \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    version)
        _arguments \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    completion)
        _arguments \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(bash zsh fish)' ;;
    help)
        _arguments \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(run check scenario doctor version completion help)' ;;
    esac
}

if [ "$funcstack[1]" = _interlock ]; then _interlock "$@"; else compdef _interlock interlock; fi
