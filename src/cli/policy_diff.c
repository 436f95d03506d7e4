/* `interlock policy diff OLD NEW --runs STORE`: every recorded run decided again under both bundles. What is newly
 * allowed fails, unless it is said to be wanted. The comparison is the library's (il_policy_diff). Must never write to
 * the store. */
#include "cli/look.h"
#include "cli/policy.h"
#include "cli/report.h"
#include "cli/shelf.h"

#include <string.h>

struct print {
    struct il__io *io;
    bool json;
    size_t count;
};

/* "deny by office-hours/hours at office-hours/hours.lua:7: too late [closed]" */
static void print_side(struct il__out *out, const char *which, struct il_str line, const char *name)
{
    struct il__text text = IL__TEXT_INIT;
    struct il_str side = il__look_get(line, name);
    il__text_puts(&text, which);
    if (!il__look_has(line, name)) il__text_puts(&text, "nobody asks or denies");
    else {
        il__look_member(&text, side, "", "verdict", " by ");
        il__look_member(&text, side, "", "policy", "");
        il__look_member(&text, side, " at ", "file", "");
        il__look_member(&text, side, ":", "line", "");
        il__look_member(&text, side, ": ", "reason", "");
        il__look_member(&text, side, " [", "code", "]");
    }
    il__out_wrap(out, "    ", 6, IL__TONE_PLAIN, il__text_get(&text));
    il__text_clear(&text);
}

static bool on_line(void *ctx, struct il_str line)
{
    static const struct { const char *change, *words; enum il__mark mark; } words[] = {
        { "allowed", "newly allowed", IL__MARK_BAD }, { "denied", "newly denied", IL__MARK_OPEN },
        { "asked", "newly asked for", IL__MARK_OPEN }, { "error", "a policy fails", IL__MARK_BAD },
        { "assumed", "perhaps the same", IL__MARK_OPEN }, { "unjudged", "cannot be decided again", IL__MARK_BAD },
    };
    struct print *p = ctx;
    struct il__out *out = &p->io->out;
    struct il__text head = IL__TEXT_INIT;
    if (p->json) {
        il__out_puts(out, p->count++ ? ",\n" : "\n");
        il__out_write(out, line);
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!il__look_is(il__look_get(line, "change"), words[i].change)) continue;
        enum il__tone tone;
        il__text_printf(&head, "%s %s", il__out_mark(out, words[i].mark, &tone), words[i].words);
    }
    il__look_member(&head, line, ": ", "run", "");
    il__look_member(&head, line, " ", "tool", "");
    il__look_member(&head, line, " in ", "phase", "");
    il__look_member(&head, line, ", ", "at", "");
    il__out_wrap(out, "", 4, IL__TONE_BOLD, il__text_get(&head));
    il__text_clear(&head);
    struct il__text why = IL__TEXT_INIT;
    il__look_member(&why, line, "", "why", "");
    if (why.len) il__out_wrap(out, "    ", 6, IL__TONE_PLAIN, il__text_get(&why));
    il__text_clear(&why);
    if (il__look_is(il__look_get(line, "change"), "unjudged") || il__look_is(il__look_get(line, "change"), "assumed"))
        return true;
    if (!il__look_is(il__look_get(line, "change"), "error")) print_side(out, "old: ", line, "old");
    print_side(out, "new: ", line, "new");
    return true;
}

static void print_sum(struct print *p, const struct il_policy_diff_summary *s, bool passed)
{
    struct il__text text = IL__TEXT_INIT;
    typedef unsigned long long ull;
    if (p->json)
        il__text_printf(&text,
                        "],\"passed\":%s,\"runs\":%llu,\"same\":%llu,\"denied\":%llu,\"asked\":%llu,\"allowed\":%llu,"
                        "\"errors\":%llu,\"unjudged\":%llu,\"assumed\":%llu}\n",
                        passed ? "true" : "false", (ull)s->runs, (ull)s->same, (ull)s->denied, (ull)s->asked,
                        (ull)s->allowed, (ull)s->errors, (ull)s->unjudged, (ull)s->assumed);
    else
        il__text_printf(&text,
                        "%llu runs: %llu same, %llu newly denied, %llu newly asked for, %llu newly allowed, %llu with "
                        "a policy that fails, %llu cannot be decided again\n",
                        (ull)s->runs, (ull)s->same, (ull)s->denied, (ull)s->asked, (ull)s->allowed, (ull)s->errors,
                        (ull)s->unjudged);
    if (!p->json && s->assumed)
        il__text_printf(&text,
                        "%llu of them ask for a history or a limit that was not recorded; it was taken as empty\n",
                        (ull)s->assumed);
    il__out_text(&p->io->out, &text);
    il__text_clear(&text);
}

static int compare(struct il__io *io, const struct il__args *args, il_policy *before, il_policy *after, il_store *store)
{
    struct print p = { io, il__args_json(args), 0 };
    struct il_policy_diff_summary sum = IL_POLICY_DIFF_SUMMARY_INIT;
    struct il_error err = IL_ERROR_INIT;
    if (p.json) il__out_puts(&io->out, "{\"changes\":[");
    if (il_policy_diff(before, after, store, on_line, &p, &sum, &err) != IL_OK)
        return il__report(io, false, NULL, &err, 8);
    bool passed = (sum.allowed == 0 || il__args_flag(args, "allow-newly-allowed")) && sum.errors == 0;
    print_sum(&p, &sum, passed);
    return passed ? 0 : 1;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    il_policy *before = NULL, *after = NULL;
    il_store *store = NULL;
    const char *path = il__args_value(args, "runs");
    memset(&bundles, 0, sizeof bundles);
    if (args->operand_count != 2 || !path) {
        il__io_error(io, "name two bundles and the store with the runs: interlock policy diff OLD NEW --runs FILE");
        return 2;
    }
    int status = il__bundles_at(io, args, args->operands, 2, &bundles);
    if (status == 0) status = il__policy_open(io, il__args_json(args), &bundles, 0, 1, &before);
    if (status == 0) status = il__policy_open(io, il__args_json(args), &bundles, 1, 1, &after);
    if (status == 0) status = il__shelf_open_at(io, il__args_json(args), "--runs", path, IL__SHELF_READ, &store);
    if (status == 0) status = compare(io, args, before, after, store);
    il_store_close(store);
    il_policy_free(before);
    il_policy_free(after);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    { "runs", "FILE", false, "The store with the recorded runs." },
    { "allow-newly-allowed", NULL, false, "What is newly allowed is wanted: exit 0 all the same." },
    { "param", "NAME=VALUE", true, "A parameter, for each of the two that has it: JSON, or else a plain text." },
    IL__BUNDLE_KEY_OPTION,
    IL__POLICY_FORMAT_OPTION,
};
static const char *const examples[] = {
    "interlock policy diff policies/office-hours policies/two-person --runs runs.db",
    "interlock policy diff old.bundle new.bundle --runs runs.db --format json",
    NULL,
};
static const char *const exits[] = {
    "0   nothing is newly allowed, and no policy fails",
    "1   something is newly allowed, or a policy of NEW fails",
    IL__EXIT_USAGE, IL__EXIT_POLICY, IL__EXIT_FAILED, IL__EXIT_UNDECODABLE, NULL,
};

const struct il__command il__command_policy_diff = {
    .name = "policy diff",
    .operands = "OLD NEW",
    .summary = "Decide every recorded run again, under two bundles.",
    .about =
        "Each phase that a run reached is judged by OLD and by NEW as it was then: the same action, time, history, "
        "limits and decision. Shown is what is newly denied, newly asked for, and newly allowed: what was denied or "
        "asked for and is not any more, or less; with policy, line and reason on both sides. Newly allowed fails, so "
        "that a review stops it, unless --allow-newly-allowed says that it is meant.\n"
        "A run that cannot be decided again is listed as such. Where NEW asks for a history or a limit that nobody "
        "asked for then, none was recorded; it is taken as empty, and that is said.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
