/* The policy port: asks every policy of the configured bundles for one phase. The shipped implementation runs sandboxed
 * Lua (src/script); the engine rules on what was said (check/verdict.h).
 *
 * A policy is asked about a scene: what is known of one action at one moment. A run gives it (judge.c), or a recorded
 * or written case. Must never hold an id of a lease or grant. */
#ifndef IL_RUN_POLICY_H
#define IL_RUN_POLICY_H

#include "base/rfc3339.h"
#include "check/approve.h"
#include "check/verdict.h"
#include "contract/lease.h"

/* Which of the earlier runs that reached execute are counted. */
struct il__history_query {
    struct il__strs outcomes, classes; /* by name; empty: any */
    struct il_str tool, app;           /* absent: any */
    struct il_str session_id;          /* absent: of any session */
    int64_t within_ms;                 /* 0: all that is kept */
};
struct il__history_seen {
    int64_t count;
    int64_t since_ms;                  /* since the latest of them; -1: none */
};
struct il__limit_seen {
    int64_t used;                      /* units within the window, without this run's own */
    int64_t wait_ms;                   /* until one more is free; 0: one is free now */
};

struct il__scene {
    enum il__phase phase;
    struct il_str run_id, session_id, principal, agent; /* agent may be absent */
    const struct il__proposal *proposal;
    const struct il__preview *preview; /* NULL before one was accepted */
    enum il__route route;              /* the runtime's own; with a preview only */
    struct il_str block_reason;        /* absent: it does not block */
    const struct il__lease *lease;     /* execute only, else NULL; its id is masked */
    const struct il__vote *vote;       /* approve only, else NULL */
    struct il__instant now;            /* wall time */
    /* Outcomes without values of earlier runs, and the counters. NULL: nothing is known, and nothing was used. */
    enum il_code (*history)(const struct il__scene *scene, const struct il__history_query *query,
                            struct il__history_seen *out, struct il_error *err);
    enum il_code (*limit)(const struct il__scene *scene, const struct il__claim *claim, struct il__limit_seen *out,
                          struct il_error *err);
    void *ctx;                         /* of both */
};

struct il__said_list {
    struct il__said *items;  /* texts live in `arena` */
    size_t count;
    struct il__arena *arena;
};

struct il__policies {
    /* Every policy of every bundle in order. Appends one il__said per policy that has the phase (a policy without it
     * says nothing); a policy that fails is a deny with `error`. Anything but IL_OK means that not all could be asked:
     * the run is then blocked. */
    enum il_code (*evaluate)(void *ctx, const struct il__scene *scene, struct il__said_list *out,
                             struct il_error *err);
    struct il_str (*digest)(void *ctx); /* host policy digest, absent without bundles */
    /* Each run holds the policies that judge it; NULL: they outlive every run. */
    void (*hold)(void *ctx);
    void (*release)(void *ctx);
    void *ctx;
};

#endif
