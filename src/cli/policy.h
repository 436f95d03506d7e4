/* The verbs of `interlock policy`, one file and one command each, and the exit statuses that they share. */
#ifndef IL_CLI_POLICY_H
#define IL_CLI_POLICY_H

#include "cli/bundles.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/files.h"

#define IL__EXIT_POLICY "3   a bundle does not load, or a policy goes wrong"
#define IL__POLICY_FORMAT_OPTION { "format", "text|json", false, "How to print; text is the default." }

extern const struct il__command il__command_policy_new;
extern const struct il__command il__command_policy_trial;
extern const struct il__command il__command_policy_lint, il__command_policy_api;
extern const struct il__command il__command_policy_build, il__command_policy_digest, il__command_policy_sign,
    il__command_policy_verify, il__command_policy_limits, il__command_policy_test, il__command_policy_explain,
    il__command_policy_diff, il__command_policy_eval, il__command_policy_repl;

/* The bundles that a verb is about: the operands, or, when there are none, those of --policy or of the configuration
 * file. 0, or 2 after a report when there is none at all; `out` is to be cleared in either case. */
int il__policy_bundles(struct il__io *io, const struct il__args *args, struct il__bundles *out);
/* The folders at and below `paths` that hold a bundle.json, to be cleared when the answer is 0; it can be none.
 * 0, or the exit status after a report. */
int il__policy_find(struct il__io *io, const char *const *paths, size_t count, struct il__found *found);
/* `count` of the bundles without a host, to be freed. 0, or the exit status after a report. */
int il__policy_open(struct il__io *io, bool json, const struct il__bundles *bundles, size_t from, size_t count,
                    il_policy **out);
/* Reports why the bundle at `what` was refused; the exit status: 3, or 65 for a file that is no JSON, or 8. */
int il__policy_refuse(struct il__io *io, bool json, const char *what, const struct il_error *err);

#endif
