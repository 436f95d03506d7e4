/* What a policy is given: the view of the action and the object `ctx`, shaped by the phase. Uses the
 * scene (run/policy.h) and the views. Must never show the id of a lease or grant, nor a value of another run. */
#ifndef IL_SCRIPT_POLICY_CTX_H
#define IL_SCRIPT_POLICY_CTX_H

#include "base/buf.h"
#include "base/limits.h"
#include "run/policy.h"
#include "script/bundle.h"
#include "script/seen.h"

/* What one policy asked in one phase: limits and history (policy_asks.h). */
struct il__policy_asks {
    struct il_str bundle;          /* whose name stands before every key */
    struct il__arena *arena;       /* of claims and texts */
    struct il__buf json;           /* what was answered: items of a canonical array, with commas */
    int count;
    int begun, ended;              /* calls; they differ once one has failed, whoever caught its error */
    int begun_at;                  /* line of the first that did not end */
    struct il__claim claims[IL__LIMIT_LIMIT_CLAIMS];
    bool none_left[IL__LIMIT_LIMIT_CLAIMS]; /* and it refuses */
    size_t claim_count;
    int refused_at;                /* line of the first of those; 0: each has one left */
    struct il_error failed;        /* what could not be answered; the policy then denies, whatever it returns */
    int failed_at;
};

/* One evaluation of one phase; it must stay where it is as long as the sandbox it was pushed into. */
struct il__policy_ctx {
    const struct il__scene *scene;
    const struct il__schema *action_schema;   /* of `action`; from il__action_seen_schema */
    struct il__json *params;                  /* {name: value} in place of the bundle's; NULL: none */
    struct il__action_seen action;
    struct il__time_seen time;
    struct il__policy_asks asks;              /* of the policy that is being asked */
};

/* `scene` and `action_schema` must outlive `ctx`. */
void il__policy_ctx_init(struct il__policy_ctx *ctx, const struct il__scene *scene,
                         const struct il__schema *action_schema);
/* Pushes `action` and `ctx` for one policy. */
void il__policy_ctx_push(lua_State *L, struct il__policy_ctx *ctx, const struct il__bundle_policy *policy);

/* The one that was pushed last into this sandbox. */
const struct il__policy_ctx *il__policy_ctx_of(lua_State *L);

extern const struct il__object il__ctx_object;
extern const struct il__object il__params_object;

#endif
