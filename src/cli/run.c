/* `interlock run ACTION.json`: one governed action from proposal to result, or to a wait that outlives the command.
 * Must never leave a run in a store that nobody can go on with. */
#include "cli/run.h"
#include "cli/config.h"

#include <string.h>

/* A run that waits in a store must be reachable from there: the session of a server that is started here ends here. */
static int check_store(struct il__io *io, const struct il__run_input *in)
{
    if (!in->store_path) return 0;
    if (in->clock_fixed) {
        il__io_error(io, "--now has no place in a store, where time goes on by itself");
        return 2;
    }
    if (!in->server || !in->endpoint.stdio || in->wait) return 0;
    il__io_error(io, "a server over stdio ends with this command, and its session with it: add --wait, which keeps a "
                     "run that waits open until it is answered from the store");
    return 2;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__run_input in;
    memset(&in, 0, sizeof in);
    if (args->operand_count != 1) {
        il__io_error(io, "%s; write 'interlock run ACTION.json --runtime simulated'",
                     args->operand_count ? "one action at a time" : "the file with the action is missing");
        return 2;
    }
    in.args = args;
    in.action_path = args->operands[0];
    in.approval_option = "approval";
    in.session = il__args_value(args, "session");
    in.store_path = il__args_value(args, "store");
    int status = il__input_read(io, &in);
    if (status == 0) status = check_store(io, &in);
    if (status == 0 && in.store_path) status = il__shelf_open(io, args, IL__SHELF_MAKE, &in.store);
    if (status == 0) status = il__run_whole(io, &in);
    il__input_clear(&in);
    il_store_close(in.store);
    return status;
}

static const struct il__option options[] = {
    IL__RUN_SETUP_OPTIONS,
    { "scope", "S", true,
      "What the principal may do: computer:plan, computer:execute:background, computer:execute:foreground. Without "
      "any: the first two, and none at all with a server." },
    { "session", "S", false,
      "The runtime's session; the default is cli-session, and with a server a new one, which is said, and stopped when "
      "the run is over." },
    { "agent", "A", false, "The agent that proposes." },
    { "approval", "FILE", true,
      "An operator's answer, or an approver's signed decision, delivered when the run waits for one. With --wait it "
      "may "
      "appear later." },
    { "ask", NULL, false, "Ask on the terminal when the run waits and no answer is left." },
    { "store", "FILE", false,
      "Keep the run in FILE, which is made when it is not there: a run that waits outlives this command, and is "
      "answered with 'interlock approve', gone on with by 'interlock resume'." },
    { "wait", NULL, false, "Keep a run that waits open, and the connection with it, until it is answered or expires." },
    { "now", "T", false, "Start the wall clock at T, RFC 3339; it goes on from there. Not with a server." },
    { "format", "text|json", false, "How to print; text is the default. JSON is one document." },
    IL__RUN_OTHER_OPTIONS,
    IL__APPROVER_OPTIONS,
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};

static const char *const examples[] = {
    "interlock run action.json --runtime simulated",
    "interlock run action.json --runtime simulated --policy policies/office-hours --param opens=8 --trace",
    "interlock run action.json --runtime runtime.lua --principal ada --scope computer:plan --format json",
    "interlock run action.json --runtime simulated --approval answer.json",
    "interlock run action.json --runtime simulated --store runs.db",
    "interlock run action.json --runtime mcp+http://127.0.0.1:7331/mcp --scope computer:execute:background --wait",
    "interlock run action.json --runtime stdio:computer-use --ask --approver unix:a.sock --approver-token-env TOKEN",
    NULL,
};
static const char *const exits[] = {
    "0   completed, or previewed only (mode shadow)",
    "1   blocked, denied, refused, expired or cancelled; nothing was sent",
    IL__EXIT_USAGE,
    "3   a script, a policy, a limit or an order of steps failed; nothing was sent",
    "4   the run waits for an answer",
    "5   committed, but nothing shows whether the effect is there",
    "6   verification failed",
    "7   sent, and what became of it is not known",
    "8   something could not be released, or another failure",
    IL__EXIT_UNDECODABLE,
    NULL,
};

const struct il__command il__command_run = {
    .name = "run",
    .operands = "ACTION.json",
    .summary = "Govern one action: observe, preview, approve, execute once, verify.",
    .about = "Takes the action proposed in ACTION.json ('-' is standard input) through every step against a runtime, "
             "and tells what was checked, what was decided and why, and what happened. An action looks like "
             "{\"tool\":\"write_clipboard\",\"arguments\":{\"text\":\"hi\"},\"mode\":\"background\"}.\n"
             "A run that waits for a person ends with this process: what it held is released, and exit status 4 tells "
             "that an answer is needed. With --store FILE it goes on waiting in FILE, for 'interlock approve' and "
             "'interlock resume'; with --wait it stays open here. Ctrl-C cancels: before the send nothing is sent, "
             "after it the effect is still looked for and everything is given back; a run that waits in a store is "
             "left there.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
