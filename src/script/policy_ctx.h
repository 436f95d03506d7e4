/* What a policy is given: the view of the action and the object `ctx`, shaped by the phase. Uses run/facts.h and the
 * views. Must never show the id of a lease or grant, nor the history or counters of other runs. */
#ifndef IL_SCRIPT_POLICY_CTX_H
#define IL_SCRIPT_POLICY_CTX_H

#include "run/facts.h"
#include "script/bundle.h"
#include "script/seen.h"

/* One evaluation of one phase; it must stay where it is as long as the sandbox it was pushed into. */
struct il__policy_ctx {
    const struct il_run *run;
    enum il__phase phase;
    const struct il__vote *vote;              /* approve only, else NULL */
    const struct il__schema *action_schema;   /* of `action`; from il__action_seen_schema */
    struct il__action_seen action;
    struct il__time_seen time;
};

/* Gathers what the run holds now. `action_schema` must outlive `ctx`. */
void il__policy_ctx_init(struct il__policy_ctx *ctx, const struct il_run *run, enum il__phase phase,
                         const struct il__vote *vote, const struct il__schema *action_schema);
/* Pushes `action` and `ctx` for one policy. */
void il__policy_ctx_push(lua_State *L, struct il__policy_ctx *ctx, const struct il__bundle_policy *policy);

extern const struct il__object il__ctx_object;
extern const struct il__object il__params_object;

#endif
