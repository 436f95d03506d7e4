# fish completion for interlock, made by 'interlock completion fish'
complete -c interlock -f
complete -c interlock -n __fish_use_subcommand -a run -d 'Govern one action: observe, preview, approve, execute once, verify.'
complete -c interlock -n __fish_use_subcommand -a check -d 'Decode one document and check it against another.'
complete -c interlock -n __fish_use_subcommand -a scenario -d 'Run scenarios: scripted runs with faults and what must be seen.'
complete -c interlock -n __fish_use_subcommand -a doctor -d 'Say whether this build works here, and list every limit.'
complete -c interlock -n __fish_use_subcommand -a version -d 'Print the version, and those of the libraries inside.'
complete -c interlock -n __fish_use_subcommand -a completion -d 'Print a completion script for a shell.'
complete -c interlock -n __fish_use_subcommand -a help -d 'Explain a command, or list them all.'
complete -c interlock -n '__fish_seen_subcommand_from run' -l runtime -d 'Who acts: \'simulated\' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua. There is no default.' -x -a 'simulated (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from run' -l workflow -d 'The order of the steps; the built-in reference workflow is the default.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l policy -d 'A policy bundle; every policy in it is asked. Bundles are asked in the order given.' -x -a '(__fish_complete_directories)'
complete -c interlock -n '__fish_seen_subcommand_from run' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l principal -d 'On whose behalf; the default is local-operator, and the output says so.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l tenant -d 'The tenant of the run.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l scope -d 'What the principal may do: computer:plan, computer:execute:background, computer:execute:foreground. Without any: the first two.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l session -d 'The runtime\'s session; the default is cli-session.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l agent -d 'The agent that proposes.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l approval -d 'An operator\'s answer, delivered when the run waits for one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l ask -d 'Ask on the terminal when the run waits and no answer is left.'
complete -c interlock -n '__fish_seen_subcommand_from run' -l now -d 'Start the wall clock at T, RFC 3339; it goes on from there.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l format -d 'How to print; text is the default. JSON is one document.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from run' -l trace -d 'Show every check with its inputs; in JSON the member "trace".'
complete -c interlock -n '__fish_seen_subcommand_from run' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from run' -F
complete -c interlock -n '__fish_seen_subcommand_from check' -l envelope -d 'The action envelope that the document is checked against.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from check' -l preview -d 'The preview that an approval or a grant is checked against.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from check' -l now -d 'The time to judge by, RFC 3339; the system\'s clock is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from check' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from check' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from check' -a 'preview envelope lease reservation receipt approval grant postcondition sensitivity event session deletion safety evaluation outcome proposal target resource provenance capability policy_decision follow_up'
complete -c interlock -n '__fish_seen_subcommand_from check' -F
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l run -d 'Only scenarios whose name contains PATTERN.' -x
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l format -d 'How to report; text is the default.' -x -a 'text json tap junit'
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l fail-on-empty -d 'Exit 1 when no scenario ran at all.'
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l corpus -d 'Also run this safety corpus against the simulated runtime.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from scenario' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from scenario' -F
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from doctor' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from version' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from version' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from completion' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c interlock -n '__fish_seen_subcommand_from help' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from help' -a 'run check scenario doctor version completion help'
