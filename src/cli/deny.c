/* `interlock deny RUN`: no to what a run waits for, and to what was approved but is not sent yet. */
#include "cli/config.h"
#include "cli/decide.h"

static int run(const struct il__args *args, struct il__io *io)
{
    return il__decide(args, io, "deny");
}

static const struct il__option options[] = { IL__DECIDE_OPTIONS, IL__TENANT_OPTION, IL__CONFIG_OPTIONS };
static const char *const examples[] = {
    "interlock deny RUN --request req-0d1c... --as ann --reason \"not today\" --store runs.db",
    NULL,
};
static const char *const exits[] = { "0   the no was left for the run's owner", IL__DECIDE_EXITS, NULL };

const struct il__command il__command_deny = {
    .name = "deny",
    .operands = "RUN",
    .summary = "Deny what a run of a store waits for.",
    .about = "Leaves a no in the store. One no ends the run, whoever else said yes, and counts until the send begins: "
             "also for a request that was answered already.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
