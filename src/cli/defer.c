/* `interlock defer RUN`: somebody looked, and leaves the request open. */
#include "cli/config.h"
#include "cli/decide.h"

static int run(const struct il__args *args, struct il__io *io)
{
    return il__decide(args, io, "defer");
}

static const struct il__option options[] = { IL__DECIDE_OPTIONS, IL__TENANT_OPTION, IL__CONFIG_OPTIONS };
static const char *const examples[] = {
    "interlock defer RUN --request req-0d1c... --as ann --reason \"asking the security team\" --store runs.db",
    NULL,
};
static const char *const exits[] = { "0   it was left for the run's owner", IL__DECIDE_EXITS, NULL };

const struct il__command il__command_defer = {
    .name = "defer",
    .operands = "RUN",
    .summary = "Note that a request was seen and is left open.",
    .about = "Records that somebody looked and did not decide. The request stays open, and its time goes on.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
