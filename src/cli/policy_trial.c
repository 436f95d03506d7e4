/* `interlock policy trial`: over all runs of a store, where the bundles on trial would have judged otherwise than those
 * that count. Must never judge anything: the comparison stands in the journals. */
#include "cli/policy.h"
#include "cli/report.h"
#include "cli/look.h"
#include "cli/shelf.h"
#include "cli/trial.h"

struct listing {
    struct il__io *io;
    struct il__text line;
    bool json, any;
};

static const char *const phases[] = { "propose", "preview", "approve", "execute" };

static bool show_one(void *ctx, struct il_str difference)
{
    struct listing *l = ctx;
    struct il__text run = IL__TEXT_INIT;
    il__text_reset(&l->line);
    if (l->json) {
        if (l->any) il__text_puts(&l->line, ",");
        il__text_str(&l->line, difference);
    } else {
        il__look_text(&run, il__look_get(difference, "run"));
        il__text_escaped(&l->line, il__text_get(&run));
        il__text_puts(&l->line, "  ");
        il__trial_words(&l->line, difference);
        il__text_puts(&l->line, "\n");
    }
    il__out_text(&l->io->out, &l->line);
    il__text_clear(&run);
    l->any = true;
    return !l->io->out.lost;
}

static void text_totals(struct listing *l, const struct il_trial_summary *s)
{
    il__text_reset(&l->line);
    if (l->any) il__text_puts(&l->line, "\n");
    il__text_puts(&l->line, "phase          same    denied     asked   allowed    errors\n");
    for (size_t i = 0; i < 4; i++) {
        const struct il_trial_counts *c = &s->phases[i];
        il__text_printf(&l->line, "%-9s%10llu%10llu%10llu%10llu%10llu\n", phases[i], (unsigned long long)c->same,
                        (unsigned long long)c->denied, (unsigned long long)c->asked, (unsigned long long)c->allowed,
                        (unsigned long long)c->errors);
    }
    il__text_printf(&l->line, "runs on trial: %llu, judged otherwise in %llu\n", (unsigned long long)s->runs,
                    (unsigned long long)s->differ);
}

static void json_totals(struct listing *l, const struct il_trial_summary *s)
{
    il__text_reset(&l->line);
    il__text_printf(&l->line, "],\"runs\":%llu,\"differ\":%llu,\"phases\":{", (unsigned long long)s->runs,
                    (unsigned long long)s->differ);
    for (size_t i = 0; i < 4; i++) {
        const struct il_trial_counts *c = &s->phases[i];
        il__text_printf(&l->line, "%s\"%s\":{\"same\":%llu,\"denied\":%llu,\"asked\":%llu,\"allowed\":%llu,"
                        "\"errors\":%llu}", i ? "," : "", phases[i], (unsigned long long)c->same,
                        (unsigned long long)c->denied, (unsigned long long)c->asked, (unsigned long long)c->allowed,
                        (unsigned long long)c->errors);
    }
    il__text_puts(&l->line, "},\"ok\":true}\n");
}

static int fail(struct listing *l, const struct il_error *err)
{
    int status = err->code == IL_INVALID_REQUEST ? 2 : 8;
    if (!l->json) return il__report(l->io, false, status == 2 ? "--since" : NULL, err, status);
    il__text_reset(&l->line);
    il__text_puts(&l->line, "],\"ok\":false,\"error\":");
    il__report_json(&l->line, err);
    il__text_puts(&l->line, "}\n");
    il__out_text(&l->io->out, &l->line);
    return status;
}

static int list(struct il__io *io, const struct il__args *args, il_store *store)
{
    struct listing l = { io, IL__TEXT_INIT, il__args_json(args), false };
    struct il_trial_summary summary = IL_TRIAL_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = 0;
    if (l.json) il__out_puts(&io->out, "{\"changes\":[");
    if (il_trial_report(store, il__text_of(il__args_value(args, "since")), show_one, &l, &summary, &err) != IL_OK) {
        status = fail(&l, &err);
    } else {
        if (l.json) json_totals(&l, &summary);
        else text_totals(&l, &summary);
        il__out_text(&io->out, &l.line);
    }
    il__text_clear(&l.line);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    il_store *store = NULL;
    if (args->operand_count) {
        il__io_error(io, "unexpected operand '%s'; the store is named by --store", args->operands[0]);
        return 2;
    }
    int status = il__shelf_open(io, args, IL__SHELF_READ, &store);
    if (status == 0) status = list(io, args, store);
    il_store_close(store);
    return status;
}

static const struct il__option options[] = {
    IL__STORE_OPTION("The file that keeps the runs."),
    { "since", "T", false, "Leave out what was judged before T, RFC 3339." },
    IL__POLICY_FORMAT_OPTION,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy trial --store runs.db",
    "interlock policy trial --store runs.db --since 2026-03-02T00:00:00Z --format json",
    NULL,
};
static const char *const exits[] = { "0   the report was printed, whatever it says", IL__EXIT_USAGE,
                                     "8   the store cannot be read", NULL };

const struct il__command il__command_policy_trial = {
    .name = "policy trial",
    .operands = "",
    .summary = "Report where bundles on trial would have judged otherwise.",
    .about = "Over all runs of a store in which bundles were on trial ('interlock run --trial', trialBundles in "
             "interlock.json): each phase in which they would have denied, asked for, or let through what the bundles "
             "that count did not, with the run, the policy and its line, and each policy of theirs that failed; then "
             "the totals. 'allowed' is what would be let through that was denied or asked for, or for which less would "
             "be asked: look at each before a bundle is taken from trial.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
