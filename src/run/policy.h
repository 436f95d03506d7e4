/* The policy port: asks every policy of the configured bundles for one phase. The shipped implementation runs sandboxed
 * Lua (src/script); the engine rules on what was said (check/verdict.h). */
#ifndef IL_RUN_POLICY_H
#define IL_RUN_POLICY_H

#include "check/approve.h"
#include "check/verdict.h"

struct il_run;

struct il__said_list {
    struct il__said *items;  /* texts live in `arena` */
    size_t count;
    struct il__arena *arena;
};

struct il__policies {
    /* Every policy of every bundle in order. Appends one il__said per policy that has the phase (a policy without it
     * says nothing); a policy that fails is a deny with `error`. Anything but IL_OK means that not all could be asked:
     * the run is then blocked. `vote` is set in the approve phase only. */
    enum il_code (*evaluate)(void *ctx, const struct il_run *run, enum il__phase phase,
                             const struct il__vote *vote, struct il__said_list *out, struct il_error *err);
    struct il_str (*digest)(void *ctx); /* host policy digest, absent without bundles */
    void *ctx;
};

#endif
