/* `interlock approve RUN`: yes to what a run waits for. Must never be a default. */
#include "cli/config.h"
#include "cli/decide.h"
#include "cli/run.h"

static int run(const struct il__args *args, struct il__io *io)
{
    return il__decide(args, io, "approve");
}

static const struct il__option options[] = {
    IL__DECIDE_OPTIONS,
    { "digest", "START", false,
      "The start of the action digest (8 characters or more; before a preview: of the proposal digest) that stands in "
      "the card. It is compared, and nothing is asked." },
    { "grant", "ID", false, "The grant by which the runtime itself approved." },
    { "runtime-approved", NULL, false, "The runtime itself holds the approval that it asked for." },
    { "resume", NULL, false, "Go on with the run at once, with the options below." },
    IL__RUN_SETUP_OPTIONS,
    { "scope", "S", true, "Narrow what the principal may do; without it, what the run began with." },
    { "wait", NULL, false, "With --resume: keep a run that still waits open." },
    IL__RUN_OTHER_OPTIONS,
    IL__APPROVER_OPTIONS,
    IL__ENDPOINT_OPTIONS,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock approve RUN --request req-0d1c... --as ann --store runs.db",
    "interlock approve RUN --request req-0d1c... --as ann --key ann.pem --digest 3f9a21c4 --store runs.db",
    "interlock approve RUN --request req-0d1c... --as ann --store runs.db --runtime mcp+http://127.0.0.1:7331/mcp "
    "--token-file token --approver unix:approver.sock --approver-token-file approver-token",
    NULL,
};
static const char *const exits[] = {
    "0   the approval was left for the run's owner",
    IL__DECIDE_EXITS,
    "4   nothing was decided: the request stays open",
    "With --resume or --approver: as 'interlock resume' ends.",
    NULL,
};

const struct il__command il__command_approve = {
    .name = "approve",
    .operands = "RUN",
    .summary = "Approve what a run of a store waits for.",
    .about = "Holds the request against what the run waits for now, and leaves the approval in the store, from where "
             "the run's owner takes it, or whoever resumes it. On a terminal it shows the card first and wants the "
             "start of the action digest typed: Enter, the end of input or a signal decide nothing.\n"
             "Without an approvers file at the owner, every decision is one of 'local operator', whatever name --as "
             "gives. Where the server itself asked, --approver obtains its grant: the run is taken over here, the "
             "grant is held against what was shown, and the run goes on.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
