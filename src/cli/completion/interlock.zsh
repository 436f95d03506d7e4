#compdef interlock
# zsh completion for interlock, made by 'interlock completion zsh'
_interlock() {
    local -a commands
    commands=(
        'run:Govern one action\: observe, preview, approve, execute once, verify.'
        'pending:List the runs of a store that wait for a person.'
        'show:Show a run of a store\: what it waits for with its card, or how it ended.'
        'approve:Approve what a run of a store waits for.'
        'deny:Deny what a run of a store waits for.'
        'defer:Note that a request was seen and is left open.'
        're-observe:Deny, and have the run asked afresh.'
        'resume:Go on with a run that waits in a store, or that its process left.'
        'cancel:Call a run of a store off.'
        'stop:Stop a session, or everything, in a store and at a server.'
        'lift:Take a durable stop back.'
        'session:Start, watch, steer and end a session at a server.'
        'tools:List the tools that a server offers.'
        'check:Decode one document and check it against another.'
        'scenario:Run scenarios\: scripted runs with faults and what must be seen.'
        'policy:Write, test, sign and ship policy bundles.'
        'evaluate:Hold a session'\''s events against what was expected of it.'
        'receipt:Seal, verify or sign an evaluation receipt.'
        'audit:Verify, show, export or sign what stands in a store.'
        'key:Make a key to sign with, or show its public half.'
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
    if (( CURRENT > 2 )); then
        case $name in
            policy) name=policy-$words[2]; shift words; (( CURRENT-- )) ;;
        esac
    fi
    case $name in
    run)
        _arguments \
            '--runtime=[Who acts\: '\''simulated'\'' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a computer-use server\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS". There is no default.]:simulated|FILE.lua|SERVER:{_alternative "words\:word\:(simulated)" "files\:file\:_files"}' \
            '--workflow=[The order of the steps; the built-in reference workflow is the default.]:FILE.lua:_files' \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '*--trial=[A policy bundle on trial\: asked beside the others and journaled, and nothing that it says counts. What it would have otherwise is told at the end, and over all runs by '\''policy trial'\''.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '--principal=[On whose behalf; the default is local-operator, and the output says so.]:P: ' \
            '--tenant=[The tenant of the run.]:T: ' \
            '*--scope=[What the principal may do\: computer\:plan, computer\:execute\:background, computer\:execute\:foreground. Without any\: the first two, and none at all with a server.]:S: ' \
            '--session=[The runtime'\''s session; the default is cli-session, and with a server a new one, which is said, and stopped when the run is over.]:S: ' \
            '--agent=[The agent that proposes.]:A: ' \
            '*--approval=[An operator'\''s answer, or an approver'\''s signed decision, delivered when the run waits for one. With --wait it may appear later.]:FILE:_files' \
            '--ask[Ask on the terminal when the run waits and no answer is left.]' \
            '--store=[Keep the run in FILE, which is made when it is not there\: a run that waits outlives this command, and is answered with '\''interlock approve'\'', gone on with by '\''interlock resume'\''.]:FILE:_files' \
            '--wait[Keep a run that waits open, and the connection with it, until it is answered or expires.]' \
            '--now=[Start the wall clock at T, RFC 3339; it goes on from there. Not with a server.]:T: ' \
            '--format=[How to print; text is the default. JSON is one document.]:text|json:(text json)' \
            '--read-back[Once the server says committed, look at the element or file of the postcondition too, without acting; only its digest is kept.]' \
            '--kill-switch=[Do nothing while FILE is there, or its folder is not.]:FILE:_files' \
            '--trace[Show every check with its inputs; in JSON the member "trace".]' \
            '--notify=[When the run waits, post a notice to this https\:// address\: store and run id, how many needs, how long it is open; nothing of the action.]:URL: ' \
            '--notify-ca=[Trust the authorities in FILE (PEM) for --notify, and no other.]:FILE:_files' \
            '--identity-token=[A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside it.]:FILE:_files' \
            '--jwks=[The keys that check the token\: a local JWK Set.]:FILE:_files' \
            '--issuer=[Who must have issued the token\: its claim iss.]:I: ' \
            '--audience=[Whom it must be meant for\: its claim aud.]:A: ' \
            '--tenant-claim=[The claim of the token that names the tenant.]:NAME: ' \
            '--approvers=[Who may approve, with their keys; only decisions that they signed count (given with --approval).]:FILE:_files' \
            '--approver=[Where approvals are made at the server\: unix\:PATH, its supervisor'\''s socket, or mcp+http\://HOST/PATH, mcp+https\://HOST/PATH with a token of its own. What is approved is then granted there, too.]:ADDRESS: ' \
            '--approver-token-file=[The token for --approver stands in FILE, alone on one line.]:FILE:_files' \
            '--approver-token-env=[The token for --approver stands in this environment variable.]:NAME: ' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    pending)
        _arguments \
            '--store=[The file that the runs wait in.]:FILE:_files' \
            '--watch[Stay, and show what changes\: on a terminal one screen with the time that is left, until q or Ctrl-C; else a line for each change.]' \
            '--format=[How to print; text is the default. With --watch one document for each change.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    show)
        _arguments \
            '--store=[The file that the run is in.]:FILE:_files' \
            '--card[Print the card of a run that waits and nothing else\: the bytes that its digest covers.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    approve)
        _arguments \
            '--store=[The file that the run waits in.]:FILE:_files' \
            '--request=[The open request, as '\''interlock show'\'' tells it.]:ID: ' \
            '--as=[Who decides.]:WHO: ' \
            '--key=[Sign the decision with this private key (Ed25519, PEM), as an approver of the owner'\''s --approvers file.]:FILE:_files' \
            '--reason=[Why; a policy that is overridden wants one.]:TEXT: ' \
            '--no-input[Never ask on the terminal.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--digest=[The start of the action digest (8 characters or more; before a preview\: of the proposal digest) that stands in the card. It is compared, and nothing is asked.]:START: ' \
            '--grant=[The grant by which the runtime itself approved.]:ID: ' \
            '--runtime-approved[The runtime itself holds the approval that it asked for.]' \
            '--resume[Go on with the run at once, with the options below.]' \
            '--runtime=[Who acts\: '\''simulated'\'' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a computer-use server\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS". There is no default.]:simulated|FILE.lua|SERVER:{_alternative "words\:word\:(simulated)" "files\:file\:_files"}' \
            '--workflow=[The order of the steps; the built-in reference workflow is the default.]:FILE.lua:_files' \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '*--trial=[A policy bundle on trial\: asked beside the others and journaled, and nothing that it says counts. What it would have otherwise is told at the end, and over all runs by '\''policy trial'\''.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '--principal=[On whose behalf; the default is local-operator, and the output says so.]:P: ' \
            '--tenant=[The tenant of the run.]:T: ' \
            '*--scope=[Narrow what the principal may do; without it, what the run began with.]:S: ' \
            '--wait[With --resume\: keep a run that still waits open.]' \
            '--read-back[Once the server says committed, look at the element or file of the postcondition too, without acting; only its digest is kept.]' \
            '--kill-switch=[Do nothing while FILE is there, or its folder is not.]:FILE:_files' \
            '--trace[Show every check with its inputs; in JSON the member "trace".]' \
            '--notify=[When the run waits, post a notice to this https\:// address\: store and run id, how many needs, how long it is open; nothing of the action.]:URL: ' \
            '--notify-ca=[Trust the authorities in FILE (PEM) for --notify, and no other.]:FILE:_files' \
            '--identity-token=[A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside it.]:FILE:_files' \
            '--jwks=[The keys that check the token\: a local JWK Set.]:FILE:_files' \
            '--issuer=[Who must have issued the token\: its claim iss.]:I: ' \
            '--audience=[Whom it must be meant for\: its claim aud.]:A: ' \
            '--tenant-claim=[The claim of the token that names the tenant.]:NAME: ' \
            '--approvers=[Who may approve, with their keys; only decisions that they signed count (given with --approval).]:FILE:_files' \
            '--approver=[Where approvals are made at the server\: unix\:PATH, its supervisor'\''s socket, or mcp+http\://HOST/PATH, mcp+https\://HOST/PATH with a token of its own. What is approved is then granted there, too.]:ADDRESS: ' \
            '--approver-token-file=[The token for --approver stands in FILE, alone on one line.]:FILE:_files' \
            '--approver-token-env=[The token for --approver stands in this environment variable.]:NAME: ' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    deny)
        _arguments \
            '--store=[The file that the run waits in.]:FILE:_files' \
            '--request=[The open request, as '\''interlock show'\'' tells it.]:ID: ' \
            '--as=[Who decides.]:WHO: ' \
            '--key=[Sign the decision with this private key (Ed25519, PEM), as an approver of the owner'\''s --approvers file.]:FILE:_files' \
            '--reason=[Why; a policy that is overridden wants one.]:TEXT: ' \
            '--no-input[Never ask on the terminal.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--tenant=[The tenant of who does this; the run must be of the same.]:T: ' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    defer)
        _arguments \
            '--store=[The file that the run waits in.]:FILE:_files' \
            '--request=[The open request, as '\''interlock show'\'' tells it.]:ID: ' \
            '--as=[Who decides.]:WHO: ' \
            '--key=[Sign the decision with this private key (Ed25519, PEM), as an approver of the owner'\''s --approvers file.]:FILE:_files' \
            '--reason=[Why; a policy that is overridden wants one.]:TEXT: ' \
            '--no-input[Never ask on the terminal.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--tenant=[The tenant of who does this; the run must be of the same.]:T: ' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    re-observe)
        _arguments \
            '--store=[The file that the run waits in.]:FILE:_files' \
            '--request=[The open request, as '\''interlock show'\'' tells it.]:ID: ' \
            '--as=[Who decides.]:WHO: ' \
            '--key=[Sign the decision with this private key (Ed25519, PEM), as an approver of the owner'\''s --approvers file.]:FILE:_files' \
            '--reason=[Why; a policy that is overridden wants one.]:TEXT: ' \
            '--no-input[Never ask on the terminal.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--tenant=[The tenant of who does this; the run must be of the same.]:T: ' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    resume)
        _arguments \
            '--store=[The file that the run waits in.]:FILE:_files' \
            '--all[Take every run that an answer, its expiry or the end of its process lets move, one after the other.]' \
            '*--answer=[An answer with its request id, delivered when the run waits.]:FILE:_files' \
            '--renew[Of a run that ended with effect none\: begin a successor that asks afresh.]' \
            '--session=[With --renew\: the session of the successor.]:S: ' \
            '--witness=[Heads that '\''interlock audit head'\'' left outside of the store\: an older store is refused.]:FILE:_files' \
            '*--witness-key=[A public key that those heads are believed by.]:FILE:_files' \
            '--accept-rollback[Go on all the same, in a store from a backup\: a run past approval ends as indeterminate.]' \
            '--runtime=[Who acts\: '\''simulated'\'' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a computer-use server\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS". There is no default.]:simulated|FILE.lua|SERVER:{_alternative "words\:word\:(simulated)" "files\:file\:_files"}' \
            '--workflow=[The order of the steps; the built-in reference workflow is the default.]:FILE.lua:_files' \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '*--trial=[A policy bundle on trial\: asked beside the others and journaled, and nothing that it says counts. What it would have otherwise is told at the end, and over all runs by '\''policy trial'\''.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '--principal=[On whose behalf; the default is local-operator, and the output says so.]:P: ' \
            '--tenant=[The tenant of the run.]:T: ' \
            '*--scope=[Narrow what the principal may do; without it, what the run began with.]:S: ' \
            '--ask[Ask on the terminal when the run waits and no answer is left.]' \
            '--wait[Keep a run that waits open until it is answered or expires.]' \
            '--format=[How to print; text is the default. JSON is one document, with --all one a line.]:text|json:(text json)' \
            '--read-back[Once the server says committed, look at the element or file of the postcondition too, without acting; only its digest is kept.]' \
            '--kill-switch=[Do nothing while FILE is there, or its folder is not.]:FILE:_files' \
            '--trace[Show every check with its inputs; in JSON the member "trace".]' \
            '--notify=[When the run waits, post a notice to this https\:// address\: store and run id, how many needs, how long it is open; nothing of the action.]:URL: ' \
            '--notify-ca=[Trust the authorities in FILE (PEM) for --notify, and no other.]:FILE:_files' \
            '--identity-token=[A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside it.]:FILE:_files' \
            '--jwks=[The keys that check the token\: a local JWK Set.]:FILE:_files' \
            '--issuer=[Who must have issued the token\: its claim iss.]:I: ' \
            '--audience=[Whom it must be meant for\: its claim aud.]:A: ' \
            '--tenant-claim=[The claim of the token that names the tenant.]:NAME: ' \
            '--approvers=[Who may approve, with their keys; only decisions that they signed count (given with --approval).]:FILE:_files' \
            '--approver=[Where approvals are made at the server\: unix\:PATH, its supervisor'\''s socket, or mcp+http\://HOST/PATH, mcp+https\://HOST/PATH with a token of its own. What is approved is then granted there, too.]:ADDRESS: ' \
            '--approver-token-file=[The token for --approver stands in FILE, alone on one line.]:FILE:_files' \
            '--approver-token-env=[The token for --approver stands in this environment variable.]:NAME: ' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    cancel)
        _arguments \
            '--store=[The file that the run is in.]:FILE:_files' \
            '--reason=[Why; it stands in the journal.]:TEXT: ' \
            '--tenant=[The tenant of who does this; the run must be of the same.]:T: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    stop)
        _arguments \
            '--emergency[Stop everything, in place of one session.]' \
            '--store=[Stop the runs of this store, in every process that uses it, also when no server can be reached.]:FILE:_files' \
            '--runtime=[The server\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS".]:SERVER: ' \
            '--reason=[Why; the server notes it.]:TEXT: ' \
            '--yes[Do it without asking.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    lift)
        _arguments \
            '--store=[The file that the stop is in.]:FILE:_files' \
            '--emergency[Lift the emergency stop of the whole store.]' \
            '--yes[Do it without asking.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    session)
        _arguments \
            '--runtime=[The server\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS".]:SERVER: ' \
            '--session=[The session; needed for all but start and prune.]:S: ' \
            '--principal=[Go on only when the session is P'\''s.]:P: ' \
            '--objective=[start\: what it is for.]:TEXT: ' \
            '--group=[start\: the execution group.]:G: ' \
            '--after=[events, follow-ups\: only those with a greater sequence number.]:N: ' \
            '--limit=[events, follow-ups, prune\: at most so many, 1 to 1000.]:N: ' \
            '--reason=[pause, resume, stop\: why.]:TEXT: ' \
            '--summary=[complete\: what was done.]:TEXT: ' \
            '--report=[complete\: a JSON object with summary, postconditions, actionCounts and more.]:FILE:_files' \
            '--older-than=[prune\: sessions that ended before T, RFC 3339.]:T: ' \
            '--yes[delete, prune\: do it without asking.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(start show events follow-ups submit pause resume stop complete delete prune)' ;;
    tools)
        _arguments \
            '--runtime=[The server\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS".]:SERVER: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
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
            '--record=[Make a scenario of a recorded run, instead of running any, and play it once.]:RUN: ' \
            '--store=[--record\: the file that the run is in.]:FILE:_files' \
            '--out=[--record\: write the scenario to this new file; standard output without it.]:FILE:_files' \
            '*--mask=[--record\: leave out the values at this JSON pointer (/arguments/text).]:POINTER: ' \
            '--workflow=[--record\: the workflow of the run, where it had one of its own.]:FILE.lua:_files' \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy)
        _arguments \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(new build digest sign verify limits trial test eval repl explain diff lint api)' ;;
    policy-new)
        _arguments \
            '--dir=[The folder in which it is made; the current one is the default.]:DIR:_files -/' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    policy-build)
        _arguments \
            '--out=[Where to; a packed bundle that is there is replaced, any other file is not. Without it\: standard output. Also -o.]:FILE:_files' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '*--param=[A parameter to check the bundle with, where one has no default. It is not packed.]:NAME=VALUE: ' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-digest)
        _arguments \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-sign)
        _arguments \
            '--key=[The private key, which nobody else may read; '\''interlock key new FILE'\'' makes one.]:FILE:_files' \
            '*--param=[A parameter to check the bundle with, where one has no default. Parameters are not signed.]:NAME=VALUE: ' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-verify)
        _arguments \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-limits)
        _arguments \
            '--store=[The file that keeps the runs.]:FILE:_files' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    policy-trial)
        _arguments \
            '--store=[The file that keeps the runs.]:FILE:_files' \
            '--since=[Leave out what was judged before T, RFC 3339.]:T: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    policy-test)
        _arguments \
            '--run=[Only cases whose name contains PATTERN, or fits it as a glob when it has * or ?.]:PATTERN: ' \
            '--coverage[Say which lines and verdicts no case reaches.]' \
            '--threshold=[Exit 1 when a bundle has less than N percent of its lines or verdicts, or no tests.]:N: ' \
            '--mutate[Change the policies in small ways and list the changes that no case notices.]' \
            '--mutants-allowed=[The list of changes that no case can notice; mutants.md beside the policies by default.]:FILE:_files' \
            '--watch[Run again when a file changes; q or Ctrl-C ends it.]' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--format=[How to report; text is the default.]:text|json|tap|junit:(text json tap junit)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    policy-eval)
        _arguments \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--phase=[Judge this phase alone; else all in order.]:propose|preview|approve|execute:(propose preview approve execute)' \
            '--at=[The wall time that policies are told, RFC 3339; a monday noon by default.]:T: ' \
            '--trace[Also say which values each policy looked at.]' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-repl)
        _arguments \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-explain)
        _arguments \
            '*--policy=[A policy bundle\: its folder, or the file that '\''policy build'\'' made; every policy in it is asked. Bundles are asked in the order given.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '*--param=[A parameter, for each bundle that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--store=[The store that holds the run.]:FILE:_files' \
            '--phase=[Of a run, one phase\: propose, preview, approve or execute; all of them by default.]:PHASE: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-diff)
        _arguments \
            '--runs=[The store with the recorded runs.]:FILE:_files' \
            '--allow-newly-allowed[What is newly allowed is wanted\: exit 0 all the same.]' \
            '*--param=[A parameter, for each of the two that has it\: JSON, or else a plain text.]:NAME=VALUE: ' \
            '*--policy-key=[Load only bundles that this public key has signed, or another that is given\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    policy-lint)
        _arguments \
            '*--policy=[A policy bundle to look at, or a folder that holds bundles; operands are the same.]:DIR|FILE:{_alternative "words\:word\:(DIR)" "files\:file\:_files"}' \
            '--format=[How to print; text is the default. SARIF is version 2.1.0.]:text|json|sarif:(text json sarif)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    policy-api)
        _arguments \
            '--format=[How to print; markdown is the default. luals\: stubs for the Lua language server. luacheck\: a configuration.]:markdown|luals|luacheck|json:(markdown luals luacheck json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' ;;
    evaluate)
        _arguments \
            '--expect=[The expected trajectory\: a JSON array of {"tool", "arguments"}, in order.]:FILE:_files' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '*:file:_files' ;;
    receipt)
        _arguments \
            '--key=[sign\: the private key. verify\: the public key; base64, PEM, or a line for approvers.]:FILE:_files' \
            '--signature=[verify\: also check this signature, as sign printed it.]:FILE:_files' \
            '--format=[How to print; text is the default. Receipts and signatures are JSON anyway.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(seal verify sign)' \
            '*:file:_files' ;;
    audit)
        _arguments \
            '--store=[The store.]:FILE:_files' \
            '*--key=[A public key that heads are believed by\: base64, PEM, or a line for approvers.]:FILE:_files' \
            '--witness=[Heads that were kept outside of the store, a line each. head appends the new one, and makes the file.]:FILE:_files' \
            '--signer=[head\: the private key that signs.]:FILE:_files' \
            '--record=[show\: this record alone, whole. They count from 0.]:N: ' \
            '--proof=[show\: write a proof of --record to a new file ('\''-'\''\: print it). verify\: check one.]:FILE:_files' \
            '--salt[show\: the salt of --record, with which what is masked in it can be checked.]' \
            '*--mask=[export\: mask what this JSON pointer names in body and payload of every record.]:POINTER: ' \
            '--with-tickets[export\: do not mask lease and grant ids. Who holds one can use it.]' \
            '--format=[How to print; text is the default. Exports, proofs and heads are JSON anyway.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(verify show export head)' ;;
    key)
        _arguments \
            '--id=[Who the line is for; the name of the file is the default.]:ID: ' \
            '*--role=[A role in the line.]:R: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '(-h --help)'{-h,--help}'[Print the page of the command.]' \
            '1:word:(new show)' \
            '*:file:_files' ;;
    doctor)
        _arguments \
            '--runtime=[Probe this server instead\: mcp+http\://HOST/PATH, mcp+https\://HOST/PATH or "stdio\:COMMAND ARGUMENTS".]:SERVER: ' \
            '--connect[Probe the server that the configuration names.]' \
            '--session=[With a server\: see that this session is there, and whose it is.]:S: ' \
            '--format=[How to print; text is the default.]:text|json:(text json)' \
            '--token-file=[The bearer token for an HTTP server stands in FILE, alone on one line.]:FILE:_files' \
            '--token-env=[The bearer token for an HTTP server stands in this environment variable.]:NAME: ' \
            '--ca=[Trust the certificate authorities in FILE (PEM) and no other.]:FILE:_files' \
            '*--accept-tool=[Go on although the server offers this tool, which acts past the governance.]:NAME: ' \
            '--connect-timeout=[Give up when the server is not ready by then; 30 is the default.]:SECONDS: ' \
            '--log=[Log lines on standard error; JSON has run id and traceparent in each.]:text|json:(text json)' \
            '--config=[Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.]:FILE:_files' \
            '--no-config[Read no configuration file.]' \
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
            '1:word:(run pending show approve deny defer re-observe resume cancel stop lift session tools check scenario policy evaluate receipt audit key doctor version completion help)' ;;
    esac
}

if [ "$funcstack[1]" = _interlock ]; then _interlock "$@"; else compdef _interlock interlock; fi
