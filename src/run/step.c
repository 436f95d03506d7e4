/* The table of steps and the two ways through it: the workflow asks, the runtime answers (step.h). Must never begin a
 * request whose guards were not looked at in the same call. */
#include "run/step.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/approval.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/request.h"
#include "run/state.h"

#include <assert.h>
#include <string.h>

const char *const il__verb_names[] = {
#define IL__X(name, text) text,
    IL__VERBS(IL__X)
#undef IL__X
};
static_assert(sizeof il__verb_names / sizeof *il__verb_names == IL__VERB_COUNT, "a name for each verb");

#define HOLD (IL__GUARD_MOVES | IL__GUARD_OPEN | IL__GUARD_ONE)

const struct il__step il__steps[] = {
    /* verb               must                                must_not
       guards             before               op                     go               accept               then */
    { IL__VERB_OBSERVE, 0, 0, 0, NULL, IL_OP_COUNT, il__observe_go, il__observe_accept, il__observe_then },
    { IL__VERB_PREVIEW, 0, IL__DID_SEND, 0, il__preview_before, IL_OP_PREVIEW_ACTION, NULL, il__preview_accept,
      il__preview_then },
    { IL__VERB_APPROVAL, IL__DID_PREVIEW, IL__DID_SEND, HOLD, NULL, IL_OP_COUNT, il__approval_go, NULL, NULL },
    { IL__VERB_RESERVE, IL__DID_PREVIEW, IL__DID_RESERVE | IL__DID_SEND, HOLD, il__hold_before, IL_OP_RESERVE_TARGET,
      il__reserve_go, il__reserve_accept, NULL },
    { IL__VERB_LEASE, IL__DID_PREVIEW, IL__DID_ASK_LEASE | IL__DID_SEND, HOLD | IL__GUARD_MET, il__hold_before,
      IL_OP_ACQUIRE_LEASE, il__lease_go, il__lease_accept, NULL },
    { IL__VERB_EXECUTE, IL__DID_PREVIEW | IL__DID_LEASE, IL__DID_SEND, HOLD | IL__GUARD_MET, NULL, IL_OP_EXECUTE_ACTION,
      il__execute_go, NULL, NULL },
    { IL__VERB_VERIFY, IL__DID_RECEIPT, IL__DID_OUTCOME, 0, NULL, IL_OP_VERIFY, il__verify_go, NULL, NULL },
    { IL__VERB_BLOCK, IL__DID_PREVIEW, IL__DID_SEND, 0, NULL, IL_OP_COUNT, il__block_go, NULL, NULL },
    { IL__VERB_DENY, 0, IL__DID_SEND, 0, NULL, IL_OP_COUNT, il__deny_go, NULL, NULL },
};
static_assert(sizeof il__steps / sizeof *il__steps == IL__VERB_COUNT, "a row for each verb");

/* ---- guards ---- */

static const char *did_name(unsigned bit)
{
    switch (bit) {
    case IL__DID_PREVIEW: return "preview";
    case IL__DID_RESERVE: return "reserve";
    case IL__DID_LEASE:
    case IL__DID_ASK_LEASE: return "acquire_lease";
    case IL__DID_SEND: return "execute";
    case IL__DID_RECEIPT: return "execute";
    case IL__DID_OUTCOME: return "verify";
    default: return "?";
    }
}

static unsigned lowest(unsigned bits)
{
    return bits & (~bits + 1u);
}

static enum il_code out_of_order(const struct il__step *step, struct il_error *err, const char *why, const char *what)
{
    return il__fail_at(err, IL_INVARIANT, "workflow", il__verb_names[step->verb], "asked %s %s", why, what);
}

enum il_code il__step_allowed(const struct il_run *run, const struct il__step *step, struct il_error *err)
{
    unsigned missing = step->must & ~run->done, barred = step->must_not & run->done;
    if (missing) return out_of_order(step, err, "before", did_name(lowest(missing)));
    if (barred) return out_of_order(step, err, "after", did_name(lowest(barred)));
    if ((step->guards & IL__GUARD_MOVES) && run->proposal.mode == IL__MODE_SHADOW)
        return out_of_order(step, err, "in a run of mode", "shadow, which ends after its preview");
    if ((step->guards & IL__GUARD_OPEN) && (run->route == IL__ROUTE_BLOCKED || run->policy_blocked))
        return out_of_order(step, err, "although", "the preview is blocked; end with run:block()");
    if ((step->guards & IL__GUARD_ONE) && run->entries != 1)
        return il__refuse(err, IL_INVARIANT, "preview channel", "entries", IL_STR("1"),
                          run->entries ? IL_STR("2") : IL_STR("0"));
    if ((step->guards & IL__GUARD_MET) && !il__needs_met(run))
        return out_of_order(step, err, "before", "every need is met; call run:request_approval() first");
    return IL_OK;
}

/* ---- the workflow asks ---- */

enum il__went il__step_begin(struct il_run *run, struct il_error *err)
{
    struct il__engine *e = run->engine;
    enum il_op op = run->step->op;
    if (IL__NOTE(run, "intent", IL_STR_NONE, err, IL__TEXT("op", il__str(il_op_name(op))))) return IL__WENT_WRONG;
    if (il__request_body(run, op, err)) return IL__WENT_WRONG;
    il__run_set_state(run, IL__STATE_BUSY);
    const struct il__tell told = { .step = il__str(il__verb_names[run->step->verb]), .text = il__str(il_op_name(op)) };
    il__run_tell(run, IL_EVENT_REQUEST, &told);
    if (il__op_begin(e, run, op, IL__FOR_STEP, NULL, NULL, err)) return IL__WENT_WRONG;
    return IL__WENT_AWAY;
}

enum il__went il__step_go(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    const struct il__step *step = run->step;
    if (il__step_allowed(run, step, err)) return IL__WENT_WRONG;
    if (step->before) {
        enum il__went went = step->before(run, err);
        if (went != IL__WENT_ON) return went;
    }
    return step->go ? step->go(run, ask, err) : il__step_begin(run, err);
}

static bool same_ask(const struct il__ask *a, const struct il__ask *b)
{
    return a->verb == b->verb && a->see == b->see && strcmp(a->reason, b->reason) == 0;
}

enum il_code il__step_remember(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    if (run->ask_count >= IL__LIMIT_RUN_STEPS)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "workflow", "run_steps", "a workflow asks for at most %d steps",
                           IL__LIMIT_RUN_STEPS);
    if (run->ask_count == run->ask_cap) {
        size_t cap = run->ask_cap ? run->ask_cap * 2 : 8;
        struct il__answered *asks = il__mem_resize(run->engine->mem, run->asks, run->ask_cap * sizeof *asks,
                                              cap * sizeof *asks);
        if (!asks) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a step");
        run->asks = asks;
        run->ask_cap = cap;
    }
    run->asks[run->ask_count++] = (struct il__answered){ .ask = *ask };
    run->replay = run->ask_count;
    return IL__NOTE(run, "ask", IL_STR_NONE, err, IL__TEXT("reason", il__str(ask->reason)),
                    IL__NUMBER("see", (int64_t)ask->see), IL__TEXT("verb", il__str(il__verb_names[ask->verb])));
}

/* Does the run hold the answer to the last ask? */
static bool answered(const struct il_run *run, const struct il__ask *ask)
{
    const struct il__answered *last = &run->asks[run->ask_count - 1];
    switch (ask->verb) {
    case IL__VERB_OBSERVE:
        for (unsigned i = 0; i < 3; i++)
            if ((ask->see & (1u << i)) && !last->observed[i]) return false;
        return true;
    case IL__VERB_PREVIEW: return (run->done & IL__DID_PREVIEW) && run->judged_preview;
    case IL__VERB_RESERVE: return (run->done & IL__DID_RESERVE) != 0;
    case IL__VERB_LEASE: return (run->done & IL__DID_LEASE) != 0;
    case IL__VERB_EXECUTE: return (run->done & IL__DID_RECEIPT) != 0;
    case IL__VERB_VERIFY: return (run->done & IL__DID_OUTCOME) != 0;
    case IL__VERB_APPROVAL:
    case IL__VERB_BLOCK:
    case IL__VERB_DENY:
    case IL__VERB_COUNT: break;
    }
    return false;
}

/* The step that waited, or that its process did not live to finish. */
static enum il__went last_step(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    bool judge = ask->verb == IL__VERB_PREVIEW && (run->done & IL__DID_PREVIEW);
    return judge ? il__preview_then(run, err) : il__step_go(run, ask, err);
}

/* A resumed workflow runs again from its start: what it asked before is answered from what the run holds. */
static enum il__went replay(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    size_t at = run->replay++;
    if (!same_ask(&run->asks[at].ask, ask)) {
        il__fail_at(err, IL_DIVERGED, "workflow", "step", "step %zu was %s before and is %s now", at + 1,
                    il__verb_names[run->asks[at].ask.verb], il__verb_names[ask->verb]);
        return IL__WENT_WRONG;
    }
    if (il__observe_again(run, at, err)) return IL__WENT_WRONG;
    if (run->replay < run->ask_count) return IL__WENT_ON;
    return answered(run, ask) ? IL__WENT_ON : last_step(run, ask, err);
}

enum il__went il__step_ask(struct il_run *run, const struct il__ask *ask, struct il_error *err)
{
    run->step = &il__steps[ask->verb];
    if (run->replay < run->ask_count) return replay(run, ask, err);
    const struct il__tell told = { .step = il__str(il__verb_names[ask->verb]) };
    il__run_tell(run, IL_EVENT_STEP, &told);
    if (il__step_remember(run, ask, err)) return IL__WENT_WRONG;
    return il__step_go(run, ask, err);
}

static void script_over(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    run->step = NULL;
    if (run->replay < run->ask_count) {
        il__fail_at(&err, IL_DIVERGED, "workflow", "step",
                    "the workflow ended after %zu steps, before it asked for %zu", run->replay, run->ask_count);
        il__run_fail(run, &err);
        return;
    }
    if (!(run->done & IL__DID_SEND))
        il__fail_at(&err, IL_SCRIPT_ERROR, "workflow", "return",
                    "the workflow returned without executing; end it with run:block() or run:deny(reason)");
    il__run_stop(run, IL__END_FAILED, err.code ? &err : NULL);
}

static enum il_code open_workflow(struct il_run *run, struct il_error *err)
{
    struct il__engine *e = run->engine;
    if (run->workflow) return IL_OK;
    run->replay = 0;
    memset(run->observed_set, 0, sizeof run->observed_set); /* what the asks bring back again */
    return e->workflows.open(e->workflows.ctx, run, run->workflow_name, run->workflow_source, &run->workflow,
                             &run->workflow_self, err);
}

void il__step_drive(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    struct il__ask ask;
    if (open_workflow(run, &err)) {
        il__run_fail(run, &err);
        return;
    }
    /* A step that stood in line for the lease goes on where it was. */
    if (run->step && run->step->verb == IL__VERB_LEASE && !(run->done & IL__DID_ASK_LEASE)) {
        enum il__went went = il__step_go(run, &run->asks[run->ask_count - 1].ask, &err);
        if (went == IL__WENT_WRONG) il__run_fail(run, &err);
        if (went != IL__WENT_ON) return;
    }
    for (;;) {
        memset(&ask, 0, sizeof ask);
        enum il__workflow_event event = run->workflow->resume(run->workflow_self, &ask, &err);
        if (event == IL__WF_RETURNED) {
            script_over(run);
            return;
        }
        if (event != IL__WF_ASKS) {
            run->step = NULL;
            il__run_fail(run, &err);
            return;
        }
        enum il__went went = il__step_ask(run, &ask, &err);
        if (went == IL__WENT_WRONG) il__run_fail(run, &err);
        if (went != IL__WENT_ON) return;
    }
}

/* ---- the runtime answers ---- */

static void failed_answer(struct il_run *run, enum il_op op, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    il__op_failed(run, "runtime", il_op_name(op), answer, &err);
    il__run_fail(run, &err);
}

void il__step_answer(struct il_run *run, enum il_op op, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    const struct il__step *step = run->step;
    if (answer->code) {
        failed_answer(run, op, answer);
        return;
    }
    if (step->accept(run, op, answer->body, &err)) {
        il__run_fail(run, &err);
        return;
    }
    const struct il__tell told = { .step = il__str(il__verb_names[step->verb]), .text = il__str(il_op_name(op)) };
    il__run_tell(run, IL_EVENT_ANSWER, &told);
    enum il__went went = step->then ? step->then(run, &err) : IL__WENT_ON;
    if (went == IL__WENT_WRONG) il__run_fail(run, &err);
    else if (went == IL__WENT_ON) il__run_set_state(run, IL__STATE_READY);
}
