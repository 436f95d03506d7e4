/* `interlock policy lint [BUNDLE]...`: what can be seen to be wrong in bundles without running them, with place and
 * what to write. Must never load a bundle: one that does not compile is looked at all the same. */
#include "cli/evidence.h"
#include "cli/policy.h"

#include <string.h>
#include <sys/stat.h>

static enum il_lint_format format_of(const struct il__args *args)
{
    const char *format = il__args_value(args, "format");
    if (format && strcmp(format, "json") == 0) return IL_LINT_JSON;
    return format && strcmp(format, "sarif") == 0 ? IL_LINT_SARIF : IL_LINT_TEXT;
}

/* What is looked at, and the searches that own the names. */
struct looked {
    struct il_bundle all[IL__CLI_OPTION_VALUES];
    struct il__found found[IL__CLI_OPTION_VALUES];
    size_t count, searches;
};

static int look(const struct il__args *args, struct il__io *io, const struct looked *looked, const char *what)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_text found = IL_TEXT_INIT;
    size_t count = 0;
    if (il_policy_lint(looked->all, looked->count, format_of(args), &count, &found, &err) != IL_OK)
        return il__policy_refuse(io, format_of(args) != IL_LINT_TEXT, what, &err);
    il__out_write(&io->out, il__evidence_str(&found));
    il_text_clear(&found);
    return count ? 1 : 0;
}

/* A folder that is no bundle itself. */
static bool holds_others(const char *path)
{
    struct il__text manifest = IL__TEXT_INIT;
    struct stat st;
    il__text_printf(&manifest, "%s/bundle.json", path);
    bool others = !manifest.failed && stat(path, &st) == 0 && S_ISDIR(st.st_mode) && lstat(manifest.ptr, &st) != 0;
    il__text_clear(&manifest);
    return others;
}

static int add(struct il__io *io, struct looked *looked, struct il_bundle bundle)
{
    if (looked->count == IL__CLI_OPTION_VALUES) {
        il__io_error(io, "there are more than %d bundles", (int)IL__CLI_OPTION_VALUES);
        return 2;
    }
    looked->all[looked->count++] = bundle;
    return 0;
}

/* A folder stands for the bundles below it; one without any is looked at itself, so that it is said what is missing. */
static int collect(struct il__io *io, const struct il__bundles *bundles, struct looked *looked)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < bundles->count; i++) {
        const struct il_bundle bundle = il__bundles_get(bundles, i);
        struct il__found *found = &looked->found[looked->searches];
        size_t below = 0;
        if (holds_others(bundles->paths[i])) {
            status = il__policy_find(io, &bundles->paths[i], 1, found);
            if (status != 0) return status;
            looked->searches++;
            below = found->count;
        }
        for (size_t k = 0; status == 0 && k < below; k++)
            status = add(io, looked, (struct il_bundle){ .path = il__text_of(found->paths[k]) });
        if (status == 0 && !below) status = add(io, looked, bundle);
    }
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    struct looked looked = { .count = 0 };
    int status = il__policy_bundles(io, args, &bundles);
    if (status == 0) status = collect(io, &bundles, &looked);
    if (status == 0) status = look(args, io, &looked, bundles.paths[0]);
    for (size_t i = 0; i < looked.searches; i++) il__files_clear(&looked.found[i]);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    { "policy", "DIR|FILE", true,
      "A policy bundle to look at, or a folder that holds bundles; operands are the same." },
    { "format", "text|json|sarif", false, "How to print; text is the default. SARIF is version 2.1.0." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy lint policies/office-hours",
    "interlock policy lint policies --format sarif >lint.sarif",
    NULL,
};
static const char *const exits[] = {
    "0   nothing was found", "1   something was found", IL__EXIT_USAGE, IL__EXIT_POLICY, IL__EXIT_FAILED, NULL,
};

const struct il__command il__command_policy_lint = {
    .name = "policy lint",
    .operands = "[DIR|FILE]...",
    .summary = "Find mistakes in bundles without running them.",
    .about = "Unknown names (with what was meant), fields that a phase does not have, verdicts that are dropped, rules "
             "that never decide, parameters that nothing reads: each with file, line and column, and what to write. A "
             "bundle that does not load is looked at all the same. A folder stands for the bundles below it. Without "
             "an operand the bundles of the configuration file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
