/* `interlock policy explain RUN|ACTION.json|CASE.json`: who said what and where, what it read, and the fewest fields
 * that would have to be different. The answer is the library's (il_policy_explain); here it is put into words. Must
 * never write to the store. */
#include "cli/files.h"
#include "cli/look.h"
#include "cli/policy.h"
#include "cli/report.h"
#include "cli/shelf.h"

#include <string.h>
#include <sys/stat.h>

/* ---- in words ---------------------------------------------------------------------------------------------------- */

/* "action.tool = click": what a policy read, and what history and limits answered. */
static void print_used(struct il__out *out, struct il_str policy)
{
    struct il_str used = il__look_get(policy, "used"), asked = il__look_get(policy, "asked"), item;
    for (size_t at = 0; il__look_next(used, &at, NULL, &item);) {
        struct il__text line = IL__TEXT_INIT;
        il__look_member(&line, item, "", "path", " = ");
        struct il_str value = il__look_get(item, "value");
        if (value.len) il__text_escaped(&line, value);
        else il__text_puts(&line, "(too long to show)");
        il__out_wrap(out, "      ", 8, IL__TONE_DIM, il__text_get(&line));
        il__text_clear(&line);
    }
    for (size_t at = 0; il__look_next(asked, &at, NULL, &item);) {
        struct il__text line = IL__TEXT_INIT;
        il__look_member(&line, item, "ctx.history: ", "count", " fit ");
        il__look_member(&line, item, "ctx.limit ", "limit", ": ");
        il__look_member(&line, item, "", "used", " of ");
        il__look_member(&line, item, "", "max", " used");
        il__look_member(&line, item, "", "history", "");
        il__out_wrap(out, "      ", 8, IL__TONE_DIM, il__text_get(&line));
        il__text_clear(&line);
    }
}

static void print_policy(struct il__out *out, struct il_str policy)
{
    struct il__text line = IL__TEXT_INIT;
    bool quiet = il__look_is(il__look_get(policy, "said"), "none");
    il__look_member(&line, policy, "", "phase", "  ");
    il__look_member(&line, policy, "", "policy", "");
    il__look_member(&line, policy, " (", "level", "): ");
    il__look_member(&line, policy, "", "said", "");
    if (!quiet) il__look_member(&line, policy, ": ", "reason", "");
    il__look_member(&line, policy, " [", "code", "]");
    il__out_wrap(out, "  ", 4, quiet ? IL__TONE_PLAIN : IL__TONE_BOLD, il__text_get(&line));
    il__text_reset(&line);
    if (!quiet) il__look_member(&line, policy, "at ", "file", "");
    if (!quiet) il__look_member(&line, policy, ":", "line", "");
    if (!quiet && !il__look_is(il__look_get(policy, "ruled"), "deny"))
        il__look_member(&line, policy, line.len ? ", which amounts to " : "which amounts to ", "ruled", "");
    if (line.len) il__out_wrap(out, "      ", 8, IL__TONE_PLAIN, il__text_get(&line));
    il__text_clear(&line);
    print_used(out, policy);
}

static void print_flips(struct il__out *out, struct il_str doc)
{
    struct il_str flip, flips = il__look_get(doc, "flips");
    bool any = false;
    for (size_t at = 0; il__look_next(flips, &at, NULL, &flip); any = true) {
        struct il__text line = IL__TEXT_INIT;
        il__look_member(&line, flip, "", "says", "");
        if (!il__text_same(il__look_get(flip, "others"), "0"))
            il__look_member(&line, flip, " (and with ", "others",
                   il__text_same(il__look_get(flip, "others"), "1") ? " other value)" : " other values)");
        il__out_wrap(out, "  ", 4, IL__TONE_PLAIN, il__text_get(&line));
        il__text_clear(&line);
    }
    if (!any) il__out_puts(out, "  nothing that was tried, alone or in pairs, changes the verdict\n");
}

static void print_cut(struct il__out *out, struct il_str doc)
{
    struct il__text line = IL__TEXT_INIT, limit = IL__TEXT_INIT;
    struct il_str name, cut = il__look_get(doc, "cut");
    il__look_member(&line, doc, "tried ", "tried", " changes of ");
    il__look_member(&line, doc, "", "candidates", " candidates");
    for (size_t at = 0; il__look_next(cut, &at, NULL, &name);) {
        il__text_reset(&limit);
        il__look_text(&limit, name);
        il__text_printf(&line, "; cut by the limit %.*s", (int)limit.len, limit.ptr);
    }
    il__out_wrap(out, "  ", 4, IL__TONE_DIM, il__text_get(&line));
    il__text_clear(&line);
    il__text_clear(&limit);
}

static void print_text(struct il__out *out, struct il_str doc)
{
    struct il_str policy, result = il__look_get(doc, "result"), policies = il__look_get(result, "policies");
    struct il__text head = IL__TEXT_INIT;
    il__look_member(&head, result, "", "name", ": ");
    il__look_member(&head, result, "", "verdict", "");
    if (il__look_is(il__look_get(result, "verdict"), "none")) il__text_puts(&head, ": no policy asks or denies");
    il__look_member(&head, result, " (the runtime's route: ", "route", ")");
    il__out_wrap(out, "", 2, IL__TONE_BOLD, il__text_get(&head));
    il__text_clear(&head);
    for (size_t at = 0; il__look_next(policies, &at, NULL, &policy);) print_policy(out, policy);
    il__out_puts(out, "what would have to be different\n");
    print_flips(out, doc);
    print_cut(out, doc);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* The case of a recorded run; `phase` NULL: of the whole run. */
static int case_of_run(struct il__io *io, const struct il__args *args, struct il__text *out)
{
    struct il_text text = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_store *store = NULL;
    int status = il__shelf_open(io, args, IL__SHELF_READ, &store);
    if (status != 0) return status;
    if (il_policy_case_of_run(store, il__text_of(args->operands[0]), il__text_of(il__args_value(args, "phase")), &text,
                              &err) == IL_OK)
        il__text_str(out, (struct il_str){ text.ptr, text.len });
    else status = il__report(io, il__args_json(args), args->operands[0], &err, 1);
    il_text_clear(&text);
    il_store_close(store);
    return status;
}

static int explain(struct il__io *io, const struct il__args *args, const struct il__bundles *bundles,
                   struct il_str json, unsigned flags)
{
    struct il_error err = IL_ERROR_INIT;
    il_policy *policy = NULL;
    struct il_str doc;
    int status = il__policy_open(io, il__args_json(args), bundles, 0, bundles->count, &policy);
    if (status == 0 && il_policy_explain(policy, json, flags, &doc, &err) != IL_OK)
        status = il__report(io, il__args_json(args), args->operands[0], &err, il__report_status(err.code));
    else if (status == 0 && il__args_json(args)) {
        il__out_write(&io->out, doc);
        il__out_puts(&io->out, "\n");
    } else if (status == 0) {
        print_text(&io->out, doc);
    }
    il_policy_free(policy);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    struct il__text json = IL__TEXT_INIT;
    struct stat st;
    if (args->operand_count != 1) {
        il__io_error(io, "name one action, case or run: interlock policy explain ACTION.json --policy DIR");
        return 2;
    }
    bool from_file = strcmp(args->operands[0], "-") == 0 || stat(args->operands[0], &st) == 0;
    if (!from_file && !il__args_value(args, "store")) {
        il__io_error(io, "there is no file '%s'; of a run, say in which --store it is", args->operands[0]);
        return 2;
    }
    int status = il__bundles_read(io, args, &bundles);
    if (status == 0 && !bundles.count) {
        il__io_error(io, "no bundle is named; add --policy DIR");
        status = 2;
    }
    if (status == 0) status = from_file ? il__io_read(io, args->operands[0], &json) : case_of_run(io, args, &json);
    if (status == 0) status = explain(io, args, &bundles, il__text_get(&json), from_file ? 0 : IL_POLICY_RECORDED);
    il__text_clear(&json);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    IL__BUNDLE_OPTIONS,
    IL__STORE_OPTION("The store that holds the run."),
    { "phase", "PHASE", false, "Of a run, one phase: propose, preview, approve or execute; all of them by default." },
    IL__POLICY_FORMAT_OPTION,
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy explain examples/minimal/action.json --policy policies/office-hours",
    "interlock policy explain run-0f3a --store runs.db --policy policies/office-hours",
    NULL,
};
static const char *const exits[] = {
    "0   explained, whatever the verdict is", "1   there is no such run", IL__EXIT_USAGE, IL__EXIT_POLICY,
    IL__EXIT_FAILED, IL__EXIT_UNDECODABLE, NULL,
};

const struct il__command il__command_policy_explain = {
    .name = "policy explain",
    .operands = "RUN|ACTION.json|CASE.json",
    .summary = "Say why a verdict is what it is, and what would change it.",
    .about =
        "Asks the bundles about an action, a written case (policies/README.md) or a recorded run, and shows for each "
        "policy and phase what it said, the line that decided, and the values that it read.\n"
        "Then the fewest fields, one or two, that would have to be different for another verdict: it tries every "
        "value of every enum and boolean of the action, leaves out what may be absent, and puts the constants of "
        "the bundles, and the numbers next to them, into what was read; other times, earlier runs, used limits and "
        "decisions as well. What was tried and what cut the search is said at the end.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
