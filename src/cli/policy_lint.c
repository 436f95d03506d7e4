/* `interlock policy lint [BUNDLE]...`: what can be seen to be wrong in bundles without running them, with place and
 * what to write. Must never load a bundle: one that does not compile is looked at all the same. */
#include "cli/evidence.h"
#include "cli/policy.h"

#include <string.h>

static enum il_lint_format format_of(const struct il__args *args)
{
    const char *format = il__args_value(args, "format");
    if (format && strcmp(format, "json") == 0) return IL_LINT_JSON;
    return format && strcmp(format, "sarif") == 0 ? IL_LINT_SARIF : IL_LINT_TEXT;
}

static int look(const struct il__args *args, struct il__io *io, const struct il__bundles *bundles)
{
    struct il_bundle all[IL__CLI_OPTION_VALUES];
    struct il_error err = IL_ERROR_INIT;
    struct il_text found = IL_TEXT_INIT;
    size_t count = 0;
    for (size_t i = 0; i < bundles->count; i++) all[i] = il__bundles_get(bundles, i);
    if (il_policy_lint(all, bundles->count, format_of(args), &count, &found, &err) != IL_OK)
        return il__policy_refuse(io, format_of(args) != IL_LINT_TEXT, bundles->paths[0], &err);
    il__out_write(&io->out, il__evidence_str(&found));
    il_text_clear(&found);
    return count ? 1 : 0;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__bundles bundles;
    int status = il__policy_bundles(io, args, &bundles);
    if (status == 0) status = look(args, io, &bundles);
    il__bundles_clear(&bundles);
    return status;
}

static const struct il__option options[] = {
    { "policy", "DIR|FILE", true, "A policy bundle to look at; operands are the same." },
    { "format", "text|json|sarif", false, "How to print; text is the default. SARIF is version 2.1.0." },
    IL__CONFIG_OPTIONS,
};
static const char *const examples[] = {
    "interlock policy lint policies/office-hours",
    "interlock policy lint policies/*/ --format sarif >lint.sarif",
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
             "bundle that does not load is looked at all the same. Without an operand the bundles of the "
             "configuration file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
