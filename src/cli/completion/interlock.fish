# fish completion for interlock, made by 'interlock completion fish'
complete -c interlock -f
complete -c interlock -n __fish_use_subcommand -a run -d 'Govern one action: observe, preview, approve, execute once, verify.'
complete -c interlock -n __fish_use_subcommand -a pending -d 'List the runs of a store that wait for a person.'
complete -c interlock -n __fish_use_subcommand -a show -d 'Show a run of a store: what it waits for with its card, or how it ended.'
complete -c interlock -n __fish_use_subcommand -a approve -d 'Approve what a run of a store waits for.'
complete -c interlock -n __fish_use_subcommand -a deny -d 'Deny what a run of a store waits for.'
complete -c interlock -n __fish_use_subcommand -a defer -d 'Note that a request was seen and is left open.'
complete -c interlock -n __fish_use_subcommand -a re-observe -d 'Deny, and have the run asked afresh.'
complete -c interlock -n __fish_use_subcommand -a resume -d 'Go on with a run that waits in a store, or that its process left.'
complete -c interlock -n __fish_use_subcommand -a cancel -d 'Call a run of a store off.'
complete -c interlock -n __fish_use_subcommand -a stop -d 'Stop a session, or everything, in a store and at a server.'
complete -c interlock -n __fish_use_subcommand -a lift -d 'Take a durable stop back.'
complete -c interlock -n __fish_use_subcommand -a session -d 'Start, watch, steer and end a session at a server.'
complete -c interlock -n __fish_use_subcommand -a tools -d 'List the tools that a server offers.'
complete -c interlock -n __fish_use_subcommand -a check -d 'Decode one document and check it against another.'
complete -c interlock -n __fish_use_subcommand -a scenario -d 'Run scenarios: scripted runs with faults and what must be seen.'
complete -c interlock -n __fish_use_subcommand -a policy -d 'Write, test, sign and ship policy bundles.'
complete -c interlock -n __fish_use_subcommand -a evaluate -d 'Hold a session\'s events against what was expected of it.'
complete -c interlock -n __fish_use_subcommand -a receipt -d 'Seal, verify or sign an evaluation receipt.'
complete -c interlock -n __fish_use_subcommand -a audit -d 'Verify, show, export or sign what stands in a store.'
complete -c interlock -n __fish_use_subcommand -a key -d 'Make a key to sign with, or show its public half.'
complete -c interlock -n __fish_use_subcommand -a doctor -d 'Say whether this build works here, and list every limit.'
complete -c interlock -n __fish_use_subcommand -a version -d 'Print the version, and those of the libraries inside.'
complete -c interlock -n __fish_use_subcommand -a completion -d 'Print a completion script for a shell.'
complete -c interlock -n __fish_use_subcommand -a help -d 'Explain a command, or list them all.'
complete -c interlock -n '__fish_seen_subcommand_from run' -l runtime -d 'Who acts: \'simulated\' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a computer-use server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS". There is no default.' -x -a 'simulated (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from run' -l workflow -d 'The order of the steps; the built-in reference workflow is the default.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from run' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l trial -d 'A policy bundle on trial: asked beside the others and journaled, and nothing that it says counts. What it would have otherwise is told at the end, and over all runs by \'policy trial\'.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from run' -l principal -d 'On whose behalf; the default is local-operator, and the output says so.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l tenant -d 'The tenant of the run.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l scope -d 'What the principal may do: computer:plan, computer:execute:background, computer:execute:foreground. Without any: the first two, and none at all with a server.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l session -d 'The runtime\'s session; the default is cli-session, and with a server a new one, which is said, and stopped when the run is over.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l agent -d 'The agent that proposes.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l approval -d 'An operator\'s answer, or an approver\'s signed decision, delivered when the run waits for one. With --wait it may appear later.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l ask -d 'Ask on the terminal when the run waits and no answer is left.'
complete -c interlock -n '__fish_seen_subcommand_from run' -l store -d 'Keep the run in FILE, which is made when it is not there: a run that waits outlives this command, and is answered with \'interlock approve\', gone on with by \'interlock resume\'.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l wait -d 'Keep a run that waits open, and the connection with it, until it is answered or expires.'
complete -c interlock -n '__fish_seen_subcommand_from run' -l now -d 'Start the wall clock at T, RFC 3339; it goes on from there. Not with a server.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l format -d 'How to print; text is the default. JSON is one document.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from run' -l read-back -d 'Once the server says committed, look at the element or file of the postcondition too, without acting; only its digest is kept.'
complete -c interlock -n '__fish_seen_subcommand_from run' -l kill-switch -d 'Do nothing while FILE is there, or its folder is not.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l trace -d 'Show every check with its inputs; in JSON the member "trace".'
complete -c interlock -n '__fish_seen_subcommand_from run' -l notify -d 'When the run waits, post a notice to this https:// address: store and run id, how many needs, how long it is open; nothing of the action.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l notify-ca -d 'Trust the authorities in FILE (PEM) for --notify, and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l identity-token -d 'A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside it.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l jwks -d 'The keys that check the token: a local JWK Set.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l issuer -d 'Who must have issued the token: its claim iss.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l audience -d 'Whom it must be meant for: its claim aud.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l tenant-claim -d 'The claim of the token that names the tenant.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l approvers -d 'Who may approve, with their keys; only decisions that they signed count (given with --approval).' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l approver -d 'Where approvals are made at the server: unix:PATH, its supervisor\'s socket, or mcp+http://HOST/PATH, mcp+https://HOST/PATH with a token of its own. What is approved is then granted there, too.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l approver-token-file -d 'The token for --approver stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l approver-token-env -d 'The token for --approver stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from run' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from run' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from run' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from run' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from run' -F
complete -c interlock -n '__fish_seen_subcommand_from pending' -l store -d 'The file that the runs wait in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from pending' -l watch -d 'Stay, and show what changes: on a terminal one screen with the time that is left, until q or Ctrl-C; else a line for each change.'
complete -c interlock -n '__fish_seen_subcommand_from pending' -l format -d 'How to print; text is the default. With --watch one document for each change.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from pending' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from pending' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from pending' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from show' -l store -d 'The file that the run is in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from show' -l card -d 'Print the card of a run that waits and nothing else: the bytes that its digest covers.'
complete -c interlock -n '__fish_seen_subcommand_from show' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from show' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from show' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from show' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l store -d 'The file that the run waits in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l request -d 'The open request, as \'interlock show\' tells it.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l as -d 'Who decides.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l key -d 'Sign the decision with this private key (Ed25519, PEM), as an approver of the owner\'s --approvers file.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l reason -d 'Why; a policy that is overridden wants one.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l no-input -d 'Never ask on the terminal.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l digest -d 'The start of the action digest (8 characters or more; before a preview: of the proposal digest) that stands in the card. It is compared, and nothing is asked.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l grant -d 'The grant by which the runtime itself approved.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l runtime-approved -d 'The runtime itself holds the approval that it asked for.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l resume -d 'Go on with the run at once, with the options below.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l runtime -d 'Who acts: \'simulated\' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a computer-use server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS". There is no default.' -x -a 'simulated (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l workflow -d 'The order of the steps; the built-in reference workflow is the default.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l trial -d 'A policy bundle on trial: asked beside the others and journaled, and nothing that it says counts. What it would have otherwise is told at the end, and over all runs by \'policy trial\'.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l principal -d 'On whose behalf; the default is local-operator, and the output says so.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l tenant -d 'The tenant of the run.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l scope -d 'Narrow what the principal may do; without it, what the run began with.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l wait -d 'With --resume: keep a run that still waits open.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l read-back -d 'Once the server says committed, look at the element or file of the postcondition too, without acting; only its digest is kept.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l kill-switch -d 'Do nothing while FILE is there, or its folder is not.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l trace -d 'Show every check with its inputs; in JSON the member "trace".'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l notify -d 'When the run waits, post a notice to this https:// address: store and run id, how many needs, how long it is open; nothing of the action.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l notify-ca -d 'Trust the authorities in FILE (PEM) for --notify, and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l identity-token -d 'A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside it.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l jwks -d 'The keys that check the token: a local JWK Set.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l issuer -d 'Who must have issued the token: its claim iss.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l audience -d 'Whom it must be meant for: its claim aud.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l tenant-claim -d 'The claim of the token that names the tenant.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l approvers -d 'Who may approve, with their keys; only decisions that they signed count (given with --approval).' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l approver -d 'Where approvals are made at the server: unix:PATH, its supervisor\'s socket, or mcp+http://HOST/PATH, mcp+https://HOST/PATH with a token of its own. What is approved is then granted there, too.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l approver-token-file -d 'The token for --approver stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l approver-token-env -d 'The token for --approver stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from approve' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from approve' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from approve' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from approve' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from deny' -l store -d 'The file that the run waits in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from deny' -l request -d 'The open request, as \'interlock show\' tells it.' -x
complete -c interlock -n '__fish_seen_subcommand_from deny' -l as -d 'Who decides.' -x
complete -c interlock -n '__fish_seen_subcommand_from deny' -l key -d 'Sign the decision with this private key (Ed25519, PEM), as an approver of the owner\'s --approvers file.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from deny' -l reason -d 'Why; a policy that is overridden wants one.' -x
complete -c interlock -n '__fish_seen_subcommand_from deny' -l no-input -d 'Never ask on the terminal.'
complete -c interlock -n '__fish_seen_subcommand_from deny' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from deny' -l tenant -d 'The tenant of who does this; the run must be of the same.' -x
complete -c interlock -n '__fish_seen_subcommand_from deny' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from deny' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from deny' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from defer' -l store -d 'The file that the run waits in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from defer' -l request -d 'The open request, as \'interlock show\' tells it.' -x
complete -c interlock -n '__fish_seen_subcommand_from defer' -l as -d 'Who decides.' -x
complete -c interlock -n '__fish_seen_subcommand_from defer' -l key -d 'Sign the decision with this private key (Ed25519, PEM), as an approver of the owner\'s --approvers file.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from defer' -l reason -d 'Why; a policy that is overridden wants one.' -x
complete -c interlock -n '__fish_seen_subcommand_from defer' -l no-input -d 'Never ask on the terminal.'
complete -c interlock -n '__fish_seen_subcommand_from defer' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from defer' -l tenant -d 'The tenant of who does this; the run must be of the same.' -x
complete -c interlock -n '__fish_seen_subcommand_from defer' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from defer' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from defer' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l store -d 'The file that the run waits in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l request -d 'The open request, as \'interlock show\' tells it.' -x
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l as -d 'Who decides.' -x
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l key -d 'Sign the decision with this private key (Ed25519, PEM), as an approver of the owner\'s --approvers file.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l reason -d 'Why; a policy that is overridden wants one.' -x
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l no-input -d 'Never ask on the terminal.'
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l tenant -d 'The tenant of who does this; the run must be of the same.' -x
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from re-observe' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l store -d 'The file that the run waits in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l all -d 'Take every run that an answer, its expiry or the end of its process lets move, one after the other.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l answer -d 'An answer with its request id, delivered when the run waits.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l renew -d 'Of a run that ended with effect none: begin a successor that asks afresh.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l session -d 'With --renew: the session of the successor.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l witness -d 'Heads that \'interlock audit head\' left outside of the store: an older store is refused.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l witness-key -d 'A public key that those heads are believed by.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l accept-rollback -d 'Go on all the same, in a store from a backup: a run past approval ends as indeterminate.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l runtime -d 'Who acts: \'simulated\' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a computer-use server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS". There is no default.' -x -a 'simulated (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l workflow -d 'The order of the steps; the built-in reference workflow is the default.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l trial -d 'A policy bundle on trial: asked beside the others and journaled, and nothing that it says counts. What it would have otherwise is told at the end, and over all runs by \'policy trial\'.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l principal -d 'On whose behalf; the default is local-operator, and the output says so.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l tenant -d 'The tenant of the run.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l scope -d 'Narrow what the principal may do; without it, what the run began with.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l ask -d 'Ask on the terminal when the run waits and no answer is left.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l wait -d 'Keep a run that waits open until it is answered or expires.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l format -d 'How to print; text is the default. JSON is one document, with --all one a line.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l read-back -d 'Once the server says committed, look at the element or file of the postcondition too, without acting; only its digest is kept.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l kill-switch -d 'Do nothing while FILE is there, or its folder is not.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l trace -d 'Show every check with its inputs; in JSON the member "trace".'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l notify -d 'When the run waits, post a notice to this https:// address: store and run id, how many needs, how long it is open; nothing of the action.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l notify-ca -d 'Trust the authorities in FILE (PEM) for --notify, and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l identity-token -d 'A token (JWT) in FILE says whom the run is for, of which tenant and with which scopes, and nothing beside it.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l jwks -d 'The keys that check the token: a local JWK Set.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l issuer -d 'Who must have issued the token: its claim iss.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l audience -d 'Whom it must be meant for: its claim aud.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l tenant-claim -d 'The claim of the token that names the tenant.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l approvers -d 'Who may approve, with their keys; only decisions that they signed count (given with --approval).' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l approver -d 'Where approvals are made at the server: unix:PATH, its supervisor\'s socket, or mcp+http://HOST/PATH, mcp+https://HOST/PATH with a token of its own. What is approved is then granted there, too.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l approver-token-file -d 'The token for --approver stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l approver-token-env -d 'The token for --approver stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from resume' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from resume' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from resume' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from resume' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from cancel' -l store -d 'The file that the run is in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from cancel' -l reason -d 'Why; it stands in the journal.' -x
complete -c interlock -n '__fish_seen_subcommand_from cancel' -l tenant -d 'The tenant of who does this; the run must be of the same.' -x
complete -c interlock -n '__fish_seen_subcommand_from cancel' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from cancel' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from cancel' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from cancel' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from stop' -l emergency -d 'Stop everything, in place of one session.'
complete -c interlock -n '__fish_seen_subcommand_from stop' -l store -d 'Stop the runs of this store, in every process that uses it, also when no server can be reached.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from stop' -l runtime -d 'The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS".' -x
complete -c interlock -n '__fish_seen_subcommand_from stop' -l reason -d 'Why; the server notes it.' -x
complete -c interlock -n '__fish_seen_subcommand_from stop' -l yes -d 'Do it without asking.'
complete -c interlock -n '__fish_seen_subcommand_from stop' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from stop' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from stop' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from stop' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from stop' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from stop' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from stop' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from stop' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from stop' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from stop' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from lift' -l store -d 'The file that the stop is in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from lift' -l emergency -d 'Lift the emergency stop of the whole store.'
complete -c interlock -n '__fish_seen_subcommand_from lift' -l yes -d 'Do it without asking.'
complete -c interlock -n '__fish_seen_subcommand_from lift' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from lift' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from lift' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from lift' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from session' -l runtime -d 'The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS".' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l session -d 'The session; needed for all but start and prune.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l principal -d 'Go on only when the session is P\'s.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l objective -d 'start: what it is for.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l group -d 'start: the execution group.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l after -d 'events, follow-ups: only those with a greater sequence number.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l limit -d 'events, follow-ups, prune: at most so many, 1 to 1000.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l reason -d 'pause, resume, stop: why.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l summary -d 'complete: what was done.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l report -d 'complete: a JSON object with summary, postconditions, actionCounts and more.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from session' -l older-than -d 'prune: sessions that ended before T, RFC 3339.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l yes -d 'delete, prune: do it without asking.'
complete -c interlock -n '__fish_seen_subcommand_from session' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from session' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from session' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from session' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from session' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from session' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from session' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from session' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from session' -a 'start show events follow-ups submit pause resume stop complete delete prune'
complete -c interlock -n '__fish_seen_subcommand_from tools' -l runtime -d 'The server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS".' -x
complete -c interlock -n '__fish_seen_subcommand_from tools' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from tools' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from tools' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from tools' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from tools' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from tools' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from tools' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from tools' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from tools' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from tools' -s h -l help -d 'Print the page of the command.'
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
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l record -d 'Make a scenario of a recorded run, instead of running any, and play it once.' -x
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l store -d '--record: the file that the run is in.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l out -d '--record: write the scenario to this new file; standard output without it.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l mask -d '--record: leave out the values at this JSON pointer (/arguments/text).' -x
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l workflow -d '--record: the workflow of the run, where it had one of its own.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from scenario' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from scenario' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from scenario' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and not __fish_seen_subcommand_from new build digest sign verify limits trial test eval repl explain diff lint api' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and not __fish_seen_subcommand_from new build digest sign verify limits trial test eval repl explain diff lint api' -a 'new build digest sign verify limits trial test eval repl explain diff lint api'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from new' -l dir -d 'The folder in which it is made; the current one is the default.' -x -a '(__fish_complete_directories)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from new' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from build' -l out -d 'Where to; a packed bundle that is there is replaced, any other file is not. Without it: standard output. Also -o.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from build' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from build' -l param -d 'A parameter to check the bundle with, where one has no default. It is not packed.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from build' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from build' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from digest' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from sign' -l key -d 'The private key, which nobody else may read; \'interlock key new FILE\' makes one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from sign' -l param -d 'A parameter to check the bundle with, where one has no default. Parameters are not signed.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from sign' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from sign' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from verify' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from limits' -l store -d 'The file that keeps the runs.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from limits' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from limits' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from limits' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from limits' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from trial' -l store -d 'The file that keeps the runs.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from trial' -l since -d 'Leave out what was judged before T, RFC 3339.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from trial' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from trial' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from trial' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from trial' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l run -d 'Only cases whose name contains PATTERN, or fits it as a glob when it has * or ?.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l coverage -d 'Say which lines and verdicts no case reaches.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l threshold -d 'Exit 1 when a bundle has less than N percent of its lines or verdicts, or no tests.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l mutate -d 'Change the policies in small ways and list the changes that no case notices.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l mutants-allowed -d 'The list of changes that no case can notice; mutants.md beside the policies by default.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l watch -d 'Run again when a file changes; q or Ctrl-C ends it.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -l format -d 'How to report; text is the default.' -x -a 'text json tap junit'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from test' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l phase -d 'Judge this phase alone; else all in order.' -x -a 'propose preview approve execute'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l at -d 'The wall time that policies are told, RFC 3339; a monday noon by default.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l trace -d 'Also say which values each policy looked at.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from eval' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from repl' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l policy -d 'A policy bundle: its folder, or the file that \'policy build\' made; every policy in it is asked. Bundles are asked in the order given.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l param -d 'A parameter, for each bundle that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l store -d 'The store that holds the run.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l phase -d 'Of a run, one phase: propose, preview, approve or execute; all of them by default.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from explain' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from diff' -l runs -d 'The store with the recorded runs.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from diff' -l allow-newly-allowed -d 'What is newly allowed is wanted: exit 0 all the same.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from diff' -l param -d 'A parameter, for each of the two that has it: JSON, or else a plain text.' -x
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from diff' -l policy-key -d 'Load only bundles that this public key has signed, or another that is given: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from diff' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from diff' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from lint' -l policy -d 'A policy bundle to look at, or a folder that holds bundles; operands are the same.' -x -a 'DIR (__fish_complete_path)'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from lint' -l format -d 'How to print; text is the default. SARIF is version 2.1.0.' -x -a 'text json sarif'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from lint' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from lint' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from lint' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from lint' -F
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from api' -l format -d 'How to print; markdown is the default. luals: stubs for the Lua language server. luacheck: a configuration.' -x -a 'markdown luals luacheck json'
complete -c interlock -n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from api' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from evaluate' -l expect -d 'The expected trajectory: a JSON array of {"tool", "arguments"}, in order.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from evaluate' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from evaluate' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from evaluate' -F
complete -c interlock -n '__fish_seen_subcommand_from receipt' -l key -d 'sign: the private key. verify: the public key; base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from receipt' -l signature -d 'verify: also check this signature, as sign printed it.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from receipt' -l format -d 'How to print; text is the default. Receipts and signatures are JSON anyway.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from receipt' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from receipt' -a 'seal verify sign'
complete -c interlock -n '__fish_seen_subcommand_from receipt' -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l store -d 'The store.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l key -d 'A public key that heads are believed by: base64, PEM, or a line for approvers.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l witness -d 'Heads that were kept outside of the store, a line each. head appends the new one, and makes the file.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l signer -d 'head: the private key that signs.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l record -d 'show: this record alone, whole. They count from 0.' -x
complete -c interlock -n '__fish_seen_subcommand_from audit' -l proof -d 'show: write a proof of --record to a new file (\'-\': print it). verify: check one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l salt -d 'show: the salt of --record, with which what is masked in it can be checked.'
complete -c interlock -n '__fish_seen_subcommand_from audit' -l mask -d 'export: mask what this JSON pointer names in body and payload of every record.' -x
complete -c interlock -n '__fish_seen_subcommand_from audit' -l with-tickets -d 'export: do not mask lease and grant ids. Who holds one can use it.'
complete -c interlock -n '__fish_seen_subcommand_from audit' -l format -d 'How to print; text is the default. Exports, proofs and heads are JSON anyway.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from audit' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from audit' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from audit' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from audit' -a 'verify show export head'
complete -c interlock -n '__fish_seen_subcommand_from key' -l id -d 'Who the line is for; the name of the file is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from key' -l role -d 'A role in the line.' -x
complete -c interlock -n '__fish_seen_subcommand_from key' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from key' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from key' -a 'new show'
complete -c interlock -n '__fish_seen_subcommand_from key' -F
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l runtime -d 'Probe this server instead: mcp+http://HOST/PATH, mcp+https://HOST/PATH or "stdio:COMMAND ARGUMENTS".' -x
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l connect -d 'Probe the server that the configuration names.'
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l session -d 'With a server: see that this session is there, and whose it is.' -x
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l token-file -d 'The bearer token for an HTTP server stands in FILE, alone on one line.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l token-env -d 'The bearer token for an HTTP server stands in this environment variable.' -x
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l ca -d 'Trust the certificate authorities in FILE (PEM) and no other.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l accept-tool -d 'Go on although the server offers this tool, which acts past the governance.' -x
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l connect-timeout -d 'Give up when the server is not ready by then; 30 is the default.' -x
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l log -d 'Log lines on standard error; JSON has run id and traceparent in each.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l config -d 'Read what is not given here from FILE; without it from interlock.json in the current folder, when there is one.' -r -F
complete -c interlock -n '__fish_seen_subcommand_from doctor' -l no-config -d 'Read no configuration file.'
complete -c interlock -n '__fish_seen_subcommand_from doctor' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from version' -l format -d 'How to print; text is the default.' -x -a 'text json'
complete -c interlock -n '__fish_seen_subcommand_from version' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from completion' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c interlock -n '__fish_seen_subcommand_from help' -s h -l help -d 'Print the page of the command.'
complete -c interlock -n '__fish_seen_subcommand_from help' -a 'run pending show approve deny defer re-observe resume cancel stop lift session tools check scenario policy evaluate receipt audit key doctor version completion help'
