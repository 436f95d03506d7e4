# Every wrong call: exit 2, one line on stderr that says what is wrong and what to write, nothing on stdout.
. "$(dirname "$0")/lib.sh"
echo '{"tool":"write_clipboard","arguments":{"text":"hi"}}' >"$T/a.json"

# wrong NAME PATTERN ARGUMENTS...
wrong() {
    local name=$1 pattern=$2
    shift 2
    run "$@"
    ends 2 "$name"
    has "$err" "$pattern" "$name: says '$pattern'"
    [ -z "$out" ] && [ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ]
    ok $? "$name: one line, on stderr"
}

wrong 'an unknown command' "did you mean 'run'?" rnu
wrong 'a command like none' "'interlock help' lists the commands" frobnicate
wrong 'an unknown option in front' "unknown option '--verbos" --verbose
wrong 'a misspelt option' "did you mean '--runtime'?" run "$T/a.json" --runtim simulated
wrong 'an option like none' "'interlock help run' lists the options" run "$T/a.json" --zzzzzz
wrong 'a short option' "unknown option '-x'" run -x
wrong 'an option without its value' 'write --runtime simulated|FILE.lua|SERVER' run "$T/a.json" --runtime
wrong 'an empty value' '--runtime is empty' run "$T/a.json" --runtime=
wrong 'a value for a flag' '--trace takes no value' run "$T/a.json" --trace=yes
wrong 'an option given twice' '--runtime is given twice' run "$T/a.json" --runtime simulated --runtime simulated
wrong 'a format that is none' "'yaml' is not one of text|json" run "$T/a.json" --runtime simulated --format yaml
wrong 'no runtime' 'write --runtime simulated' run "$T/a.json"
wrong 'no action' 'the file with the action is missing' run --runtime simulated
wrong 'two actions' 'one action at a time' run "$T/a.json" "$T/a.json" --runtime simulated
wrong 'a misspelt runtime' "did you mean 'simulated'?" run "$T/a.json" --runtime simulate
wrong 'a runtime like none' 'unsupported runtime' run "$T/a.json" --runtime http://127.0.0.1:1
wrong 'a server that is not named' 'it names no host' run "$T/a.json" --runtime mcp+http:///mcp
wrong 'a program that is not named' 'names no program' run "$T/a.json" --runtime 'stdio: '
wrong 'a password in an address' 'must not hold a name or a password' \
    run "$T/a.json" --runtime mcp+https://ada:secret@desk.example/mcp
wrong 'two tokens' 'one token is enough' \
    run "$T/a.json" --runtime mcp+http://127.0.0.1:1/mcp --token-file "$T/a.json" --token-env A
wrong 'a token for a program' 'takes no bearer token' run "$T/a.json" --runtime stdio:server --token-env HOME
wrong 'a token that is none' 'holds no bearer token' \
    run "$T/a.json" --runtime mcp+http://127.0.0.1:1/mcp --token-file "$T/a.json"
wrong 'a token variable that is missing' 'no such variable' \
    run "$T/a.json" --runtime mcp+http://127.0.0.1:1/mcp --token-env INTERLOCK_NO_SUCH_VARIABLE
wrong 'authorities without TLS' 'no certificate to check' \
    run "$T/a.json" --runtime mcp+http://127.0.0.1:1/mcp --ca "$T/a.json"
wrong 'authorities that are missing' 'No such file' \
    run "$T/a.json" --runtime mcp+https://127.0.0.1:1/mcp --ca "$T/none.pem"
wrong 'a time-out that is none' 'no number of seconds' \
    run "$T/a.json" --runtime stdio:server --connect-timeout soon
wrong 'a time of ours for a server' 'a clock of its own' \
    run "$T/a.json" --runtime stdio:server --now 2026-01-01T00:00:00Z
wrong 'an option of servers without one' 'is for a server' run "$T/a.json" --runtime simulated --accept-tool key
wrong 'doctor: an option of servers without one' 'name it with --runtime' doctor --ca "$T/a.json"
wrong 'tools without a server' 'no server is named' tools
wrong 'tools of a runtime that is no server' 'this command talks to a server' tools --runtime simulated
wrong 'session without a verb' 'what to do is missing' session --runtime stdio:server
wrong 'a misspelt session command' "did you mean 'pause'?" session puase --runtime stdio:server
wrong 'a session that is not named' 'name the session' session show --runtime stdio:server
wrong 'a session for start' 'takes no --session' session start --session s --runtime stdio:server
wrong 'an option of another session command' 'has no meaning' \
    session pause --session s --limit 3 --runtime stdio:server
wrong 'a page of none' 'whole number from 1 to 1000' session events --session s --limit 0 --runtime stdio:server
wrong 'a page of too many' 'whole number from 1 to 1000' session events --session s --limit 1001 --runtime stdio:server
wrong 'a page after nowhere' 'whole number from 0' session events --session s --after -1 --runtime stdio:server
wrong 'an instruction that is missing' 'the instruction is missing' session submit --session s --runtime stdio:server
wrong 'an instruction in many words' 'in quotes' session submit do it --session s --runtime stdio:server
wrong 'a completion of nothing' 'what was done?' session complete --session s --runtime stdio:server
wrong 'prune without a time' 'older than what?' session prune --runtime stdio:server --yes
wrong 'delete without a yes' 'say so with --yes' session delete --session s --runtime stdio:server
wrong 'stop of nothing' 'one SESSION, or --emergency' stop --runtime stdio:server
wrong 'stop nowhere' 'where? Write --store FILE' stop --emergency
wrong 'a stop of what is no server' 'nothing to stop but at a server' stop --emergency --runtime simulated
wrong 'an emergency stop without a yes' 'say so with --yes' stop --emergency --runtime stdio:server
wrong 'a runtime file that is missing' 'No such file' run "$T/a.json" --runtime "$T/none.lua"
wrong 'an action that is missing' 'No such file' run "$T/none.json" --runtime simulated
wrong 'an action that is a folder' 'it is a folder' run "$T" --runtime simulated
wrong 'a workflow that is missing' 'No such file' run "$T/a.json" --runtime simulated --workflow "$T/none.lua"
wrong 'an approval that is missing' 'No such file' run "$T/a.json" --runtime simulated --approval "$T/none.json"
wrong 'a policy folder that is missing' 'No such file' run "$T/a.json" --runtime simulated --policy "$T/none"
wrong 'a policy that is no folder and no file' 'neither a folder nor a file' run "$T/a.json" --runtime simulated \
    --policy /dev/null
wrong 'a parameter without a name' 'write --param NAME=VALUE' \
    run "$T/a.json" --runtime simulated --policy "$T" --param =1
wrong 'a parameter without a bundle' 'name one with --policy' run "$T/a.json" --runtime simulated --param a=1
wrong 'a time that is none' 'is no time' run "$T/a.json" --runtime simulated --now yesterday
wrong 'a scope that is none' 'did you mean computer:plan' run "$T/a.json" --runtime simulated --scope computer:pln
wrong 'a policy folder with an empty name' '--policy is empty' run "$T/a.json" --runtime simulated --policy ''
wrong 'check without a kind' 'the kind or the file is missing' check
wrong 'check without a file' 'the kind or the file is missing' check lease
wrong 'check with three operands' 'more operands than two' check lease a b
wrong 'check of a misspelt kind' "did you mean 'lease'?" check laese "$T/a.json"
wrong 'check of a kind like none' 'it is one of preview, envelope, lease' check frobnicate "$T/a.json"
wrong 'check of a file that is missing' 'No such file' check lease "$T/none.json"
wrong 'check reading stdin twice' 'can be read once' check lease - --envelope -
wrong 'check at a time that is none' 'is no time' check lease "$T/a.json" --now 2026-02-30T00:00:00Z
wrong 'scenario without a path' 'name a file or a folder' scenario
wrong 'scenario of a path that is missing' 'No such file' scenario "$T/none"
wrong 'version with an operand' 'unexpected operand' version now
wrong 'doctor with an operand' 'unexpected operand' doctor now
wrong 'help for a misspelt command' "did you mean 'check'?" help chekc
wrong 'help for two commands' 'one command at a time' help run check
wrong 'completion without a shell' 'write' completion
wrong 'completion for a shell like none' 'write bash, zsh or fish' completion csh
wrong 'a name with control characters' 'none\x1b[31m' run "$T/none"$'\e''[31m' --runtime simulated

many=()
for i in $(seq 65); do many+=(--policy "$T"); done
wrong 'an option given too often' 'more than 64 times' run "$T/a.json" --runtime simulated "${many[@]}"

run
ends 2 'no argument at all'
has "$err" 'interlock COMMAND' 'no argument: the overview is on stderr'
[ -z "$out" ]; ok $? 'no argument: nothing on stdout'

run version --
ends 0 '-- ends the options'
run version -- --format
ends 2 'behind -- an option is an operand'
run version --format=json
ends 0 'an option with ='
done_testing
