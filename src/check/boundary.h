/* Lease boundaries (SPEC §3): an empty list passes every target; a non-empty one refuses an envelope whose target does
 * not name a listed one, and therefore one without target, window or display. */
#ifndef IL_CHECK_BOUNDARY_H
#define IL_CHECK_BOUNDARY_H

#include "check/checker.h"
#include "contract/action.h"
#include "contract/lease.h"

/* Fields boundaries.app_ids, boundaries.window_ids, boundaries.display_ids, in this order. */
void il__check_boundaries(struct il__checker *ck, const struct il__lease *lease, const struct il__envelope *env);

#endif
