/* A run from its journal (SPEC §10): each record is applied in order, through the same setters that wrote it, and
 * nothing is asked, noted or told on the way. Must never look at what time it is: checks belong to new requests. */
#ifndef IL_RUN_REBUILD_H
#define IL_RUN_REBUILD_H

#include "run/engine.h"

/* Applies the whole journal of `run` to it; the chain and every payload are verified first. `pinned` checks what
 * record 0 says against this host before anything is taken over; NULL: whatever it says (for showing). IL_STORE: the
 * journal was edited, is incomplete, or of a newer version; object `journal`, the record in the message. */
struct il__pinned {            /* of record 0, and its place in the run */
    struct il_str principal, tenant, runtime, address, session, agent, group, workflow, workflow_digest, config;
    struct il_str identity_expires;
    struct il__strs scopes;
};
typedef enum il_code (*il__pinned_fn)(void *ctx, struct il_run *run, const struct il__pinned *pinned,
                                      struct il_error *err);
enum il_code il__rebuild(struct il_run *run, il__pinned_fn pinned, void *ctx, struct il_error *err) IL_MUST_USE;

/* A request of this operation was journaled, and no answer to it. */
bool il__rebuilt_open(const struct il_run *run, enum il_op op);

#endif
