/* `interlock policy limits`: what the runs of a store have consumed of the limits that policies count.
 * Must never change a counter: it looks. */
#include "cli/moment.h"
#include "cli/policy.h"
#include "cli/report.h"
#include "cli/shelf.h"

struct listing {
    struct il__io *io;
    struct il__text line;
    bool json, any;
};

static void text_row(struct listing *l, const struct il_limit_row *row)
{
    if (!l->any) il__out_puts(&l->io->out, "  last hour   last day    31 days  limit\n");
    il__text_printf(&l->line, "%11lld%11lld%11lld  ", (long long)row->hour, (long long)row->day, (long long)row->kept);
    il__text_escaped(&l->line, row->key);
    il__text_puts(&l->line, "\n");
}

static void json_row(struct listing *l, const struct il_limit_row *row)
{
    il__text_puts(&l->line, l->any ? ",{\"limit\":" : "{\"limit\":");
    il__text_json(&l->line, row->key);
    il__text_printf(&l->line, ",\"lastHour\":%lld,\"lastDay\":%lld,\"last31Days\":%lld,\"latest\":",
                    (long long)row->hour, (long long)row->day, (long long)row->kept);
    il__text_puts(&l->line, "\"");
    il__wall_text(&l->line, row->latest_ms);
    il__text_puts(&l->line, "\"}");
}

static bool show(void *ctx, const struct il_limit_row *row)
{
    struct listing *l = ctx;
    il__text_reset(&l->line);
    if (l->json) json_row(l, row);
    else text_row(l, row);
    il__out_text(&l->io->out, &l->line);
    l->any = true;
    return !l->io->out.lost;
}

static int list(struct il__io *io, bool json, il_store *store)
{
    struct listing l = { io, IL__TEXT_INIT, json, false };
    struct il_error err = IL_ERROR_INIT;
    if (json) il__out_puts(&io->out, "{\"limits\":[");
    enum il_code code = il_store_limits(store, 0, show, &l, &err);
    il__text_reset(&l.line);
    if (json) {
        il__text_puts(&l.line, "]");
        if (code != IL_OK) {
            il__text_puts(&l.line, ",\"error\":");
            il__report_json(&l.line, &err);
        }
        il__text_puts(&l.line, "}\n");
        il__out_text(&io->out, &l.line);
    }
    il__text_clear(&l.line);
    if (code != IL_OK) return json ? 8 : il__report(io, false, NULL, &err, 8);
    if (!json && !l.any) il__out_puts(&io->out, "no unit of any limit was consumed in the last 31 days\n");
    return 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    il_store *store = NULL;
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; the store is named by --store", args->operands[0]);
        return 2;
    }
    int status = il__shelf_open(io, args, IL__SHELF_READ, &store);
    if (status == 0) status = list(io, il__args_json(args), store);
    il_store_close(store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that keeps the runs."),
    IL__POLICY_FORMAT_OPTION,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy limits --store runs.db",
    "interlock policy limits --store runs.db --format json",
    NULL,
};
static const char *const exits[] = { "0   the list was printed", IL__EXIT_USAGE, "8   the store cannot be read", NULL };

const struct il__command il__command_policy_limits = {
    .name = "policy limits",
    .operands = "",
    .summary = "List what runs have consumed of the limits of policies.",
    .about = "Lists each limit that a policy counted with ctx.limit, with the units that runs have consumed of it in "
             "the last hour, in the last day, and in the 31 days that they are kept. How many it allows, and within "
             "what time, stands in the policy. 'interlock show RUN' tells which limits one run has consumed a unit of.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
