/* Walking all runs of a store through its port, some at a time: a listing must end before a run is read, and a store
 * may hold more runs than fit in memory. Must never read a run from inside a listing. */
#ifndef IL_EVIDENCE_RUNS_H
#define IL_EVIDENCE_RUNS_H

#include "run/store.h"

/* `counted`: how many records the listing says. */
typedef enum il_code (*il__each_run_fn)(void *ctx, struct il_str run_id, uint64_t counted, struct il_error *err);
/* Calls `fn` for each run in order of the ids, or for `only` one when that is present (never, when there is no such
 * run). `fn` may read from the store. Its failure ends the walk. */
enum il_code il__each_run(const struct il__store *store, struct il__mem *mem, struct il_str only, il__each_run_fn fn,
                          void *ctx, struct il_error *err) IL_MUST_USE;

#endif
