/* `interlock policy VERB`: what is done with policy bundles. Each verb is a command of its own, in policy_VERB.c, with
 * its table, page and statuses; here they are listed. Must never hold what a verb does. */
#include "cli/policy.h"

static const struct il__command *verb_at(size_t index)
{
    static const struct il__command *const all[] = {
        &il__command_policy_new,
        &il__command_policy_build, &il__command_policy_digest, &il__command_policy_sign, &il__command_policy_verify,
        &il__command_policy_limits, &il__command_policy_trial, &il__command_policy_test, &il__command_policy_eval,
        &il__command_policy_repl, &il__command_policy_explain, &il__command_policy_diff, &il__command_policy_lint,
        &il__command_policy_api,
    };
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

static const char *const examples[] = {
    "interlock policy digest policies/office-hours",
    "interlock policy digest --help",
    NULL,
};
static const char *const exits[] = { "0   as the verb says; see its page", IL__EXIT_USAGE, NULL };

const struct il__command il__command_policy = {
    .name = "policy",
    .operands = "VERB [OPTION]... [OPERAND]...",
    .summary = "Write, test, sign and ship policy bundles.",
    .about = "Every verb has a page of its own: 'interlock help policy VERB', or 'interlock policy VERB --help'.",
    .examples = examples,
    .exits = exits,
    .sub_at = verb_at,
};
