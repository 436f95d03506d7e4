/* What an ask becomes: a host need, and whether a need that was met covers a later deny (SPEC §5). Pure; for runs and
 * for whoever judges without one. Must never make a need weaker than what was asked. */
#ifndef IL_CHECK_NEED_H
#define IL_CHECK_NEED_H

#include "check/approve.h"
#include "check/verdict.h"

/* The need of what was ruled an ask. Its texts are those of `said`. */
struct il__need il__need_of(const struct il__said *said, const struct il__ruled *ruled);
/* The same need, whoever stated it first. */
bool il__need_same(const struct il__need *a, const struct il__need *b);
/* Was this very deny overridden by who met one of these needs? A deny without a code is known by its reason, and
 * whoever overrode a failure of the policy has seen nothing of what it says now. */
bool il__needs_override(const struct il__need *needs, size_t count, const struct il__said *said);

#endif
