/* `interlock policy test --mutate`: the mutants of each bundle that its tests do not notice, in words or as JSON. */
#ifndef IL_CLI_POLICY_TEST_MUTATE_H
#define IL_CLI_POLICY_TEST_MUTATE_H

#include "cli/policy.h"

/* All of the bundles. The exit status: 1 when one survives that is not listed, or the list is wrong. */
int il__policy_test_mutate(struct il__io *io, const struct il__args *args, const struct il__bundles *bundles);

#endif
