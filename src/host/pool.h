/* The constants of bundles: what stands in their sources, and the values of their parameters. What a case is changed to
 * when somebody asks what would have to be different. Uses the parser; runs nothing. */
#ifndef IL_HOST_POOL_H
#define IL_HOST_POOL_H

#include "base/mem.h"
#include "script/policies.h"

enum { IL__POOL_MOST = 128 }; /* of each kind; what comes later is left out */

/* Each once, in the order of the bundles. */
struct il__pool {
    int64_t ints[IL__POOL_MOST]; size_t int_count;
    double nums[IL__POOL_MOST]; size_t num_count;
    struct il_str texts[IL__POOL_MOST]; size_t text_count;
    bool zones; /* somebody asks for the time in a zone, which no trace shows */
};

/* Reasons, codes and remedies are no constants: nothing is compared with them. Texts lie in `arena`. */
enum il_code il__pool_fill(struct il__pool *pool, const struct il__policy_set *set, struct il__arena *arena,
                           struct il_error *err) IL_MUST_USE;

#endif
