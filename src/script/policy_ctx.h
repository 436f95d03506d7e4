/* What a policy is given: the view of the action and the object `ctx`, shaped by the phase. Uses the
 * scene (run/policy.h) and the views. Must never show the id of a lease or grant, nor a value of another run. */
#ifndef IL_SCRIPT_POLICY_CTX_H
#define IL_SCRIPT_POLICY_CTX_H

#include "run/policy.h"
#include "script/bundle.h"
#include "script/seen.h"

/* One evaluation of one phase; it must stay where it is as long as the sandbox it was pushed into. */
struct il__policy_ctx {
    const struct il__scene *scene;
    const struct il__schema *action_schema;   /* of `action`; from il__action_seen_schema */
    struct il__action_seen action;
    struct il__time_seen time;
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
