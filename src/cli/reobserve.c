/* `interlock re-observe RUN`: no, and look again. */
#include "cli/config.h"
#include "cli/decide.h"

static int run(const struct il__args *args, struct il__io *io)
{
    return il__decide(args, io, "re-observe");
}

static const struct il__option options[] = { IL__DECIDE_OPTIONS, IL__TENANT_OPTION, IL__CONFIG_OPTIONS };
static const char *const examples[] = {
    "interlock re-observe RUN --request req-0d1c... --as ann --reason \"the window has changed\" --store runs.db",
    NULL,
};
static const char *const exits[] = { "0   it was left for the run's owner", IL__DECIDE_EXITS, NULL };

const struct il__command il__command_reobserve = {
    .name = "re-observe",
    .operands = "RUN",
    .summary = "Deny, and have the run asked afresh.",
    .about = "Ends the run like a no, and begins a successor that looks at the desktop again, previews again and asks "
             "again. Whoever owns or resumes the run begins it.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
