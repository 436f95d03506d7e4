/* What `policy eval` and `policy repl` share: the bundles of a command as a handle that judges cases, and a judgement
 * as text for a person. Uses il_policy_* of the library. Must never judge by itself. */
#ifndef IL_CLI_POLICY_BENCH_H
#define IL_CLI_POLICY_BENCH_H

#include "cli/policy.h"

struct il__bench {
    struct il__bundles bundles;
    il_policy *policy;
};

/* Loads the bundles of --policy, or of the configuration file. 0, or the exit status after a report; to be closed in
 * either case. Without a bundle: 2, unless `none` allows it. */
int il__bench_open(struct il__io *io, const struct il__args *args, bool none, struct il__bench *out);
void il__bench_close(struct il__bench *bench);
/* Prints what il_policy_eval gave: the verdict, and a line or more for each policy; with values where traced. */
void il__bench_print(const struct il__bench *bench, struct il__out *out, struct il_str result);
/* The reason of a policy in a judgement, without the place that a failure's begins with. */
void il__bench_reason(struct il__text *text, struct il_str item);

#endif
