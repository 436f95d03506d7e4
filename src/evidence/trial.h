/* What bundles on trial would have changed, over all runs of a store: reads the records that they left beside those
 * that count. Must never judge anything itself: the comparison stands in the journal. */
#ifndef IL_EVIDENCE_TRIAL_H
#define IL_EVIDENCE_TRIAL_H

#include "base/mem.h"
#include "run/store.h"

/* As il_trial_report. */
enum il_code il__trial_report(struct il__mem *mem, const struct il__store *store, struct il_str since, il_line_fn fn,
                              void *ctx, struct il_trial_summary *out, struct il_error *err) IL_MUST_USE;

#endif
