/* Where runs stand (state.h). Must be the only file that assigns `run->state`. */
#include "run/state.h"

#include "base/error.h"
#include "run/durable.h"
#include "run/execute.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/reload.h"
#include "run/step.h"

#include <assert.h>

const char *const il__end_names[] = {
#define IL__X(name, text) text,
    IL__ENDS(IL__X)
#undef IL__X
};
static_assert(sizeof il__end_names / sizeof *il__end_names == IL__END_COUNT, "a name for each end");

/* ---- the heap of deadlines: heap[1] is the earliest ---- */

static void heap_put(struct il__engine *e, size_t at, struct il_run *run)
{
    e->heap[at] = run;
    run->heap_at = at;
}

static void heap_up(struct il__engine *e, size_t at)
{
    struct il_run *run = e->heap[at];
    for (; at > 1 && e->heap[at / 2]->wake_ms > run->wake_ms; at /= 2) heap_put(e, at, e->heap[at / 2]);
    heap_put(e, at, run);
}

static void heap_down(struct il__engine *e, size_t at)
{
    struct il_run *run = e->heap[at];
    for (size_t child; (child = at * 2) <= e->heap_count; at = child) {
        if (child < e->heap_count && e->heap[child + 1]->wake_ms < e->heap[child]->wake_ms) child++;
        if (e->heap[child]->wake_ms >= run->wake_ms) break;
        heap_put(e, at, e->heap[child]);
    }
    heap_put(e, at, run);
}

static void heap_remove(struct il__engine *e, struct il_run *run)
{
    size_t at = run->heap_at;
    run->heap_at = 0;
    struct il_run *last = e->heap[e->heap_count--];
    if (last == run) return;
    heap_put(e, at, last);
    heap_up(e, at);
    heap_down(e, last->heap_at);
}

void il__run_wake_at(struct il_run *run, int64_t boot_ms)
{
    struct il__engine *e = run->engine;
    if (run->heap_at) heap_remove(e, run);
    run->wake_ms = boot_ms;
    if (boot_ms == INT64_MAX) return;
    heap_put(e, ++e->heap_count, run); /* room for every run was made when it started */
    heap_up(e, run->heap_at);
}

struct il_run *il__engine_due(struct il__engine *e, int64_t boot_ms)
{
    if (!e->heap_count || e->heap[1]->wake_ms > boot_ms) return NULL;
    struct il_run *run = e->heap[1];
    heap_remove(e, run);
    run->wake_ms = INT64_MAX;
    return run;
}

/* ---- states ---- */

static bool moves(enum il__state state)
{
    return state == IL__STATE_READY || state == IL__STATE_BUSY || state == IL__STATE_IN_LINE ||
           state == IL__STATE_CLOSING;
}

static void close_workflow(struct il_run *run)
{
    if (run->workflow) run->workflow->close(run->workflow_self);
    run->workflow = NULL;
    run->workflow_self = NULL;
}

static void push_ready(struct il_run *run)
{
    struct il__engine *e = run->engine;
    if (run->in_ready) return;
    run->in_ready = true;
    run->next_ready = NULL;
    if (e->ready_last) e->ready_last->next_ready = run;
    else e->ready_first = run;
    e->ready_last = run;
}

static void enqueue(struct il__engine *e, struct il_run *run)
{
    if (run->in_queue) return;
    run->in_queue = true;
    run->next_queued = NULL;
    run->prev_queued = e->queue_last;
    if (e->queue_last) e->queue_last->next_queued = run;
    else e->queue_first = run;
    e->queue_last = run;
}

static void dequeue(struct il__engine *e, struct il_run *run)
{
    if (!run->in_queue) return;
    run->in_queue = false;
    if (run->prev_queued) run->prev_queued->next_queued = run->next_queued;
    else e->queue_first = run->next_queued;
    if (run->next_queued) run->next_queued->prev_queued = run->prev_queued;
    else e->queue_last = run->prev_queued;
    run->next_queued = run->prev_queued = NULL;
}

static void admit_queued(struct il__engine *e)
{
    while (e->queue_first && e->moving < e->options->max_moving_runs)
        il__run_set_state(e->queue_first, IL__STATE_READY);
}

static void count(struct il__engine *e, enum il__state from, enum il__state to)
{
    if (moves(from) && !moves(to)) e->moving--;
    if (!moves(from) && moves(to)) e->moving++;
    if (from == IL__STATE_WAITING) e->waiting--;
    if (to == IL__STATE_WAITING) e->waiting++;
}

void il__run_set_state(struct il_run *run, enum il__state state)
{
    struct il__engine *e = run->engine;
    enum il__state from = run->state;
    run->state = state;
    if (from != state) count(e, from, state);
    if (state != IL__STATE_QUEUED) dequeue(e, run);
    switch (state) {
    case IL__STATE_QUEUED:
        enqueue(e, run);
        if (from == IL__STATE_WAITING) il__durable_index(run);
        break;
    case IL__STATE_READY:
        push_ready(run);
        break;
    case IL__STATE_CLOSING:
        close_workflow(run);
        il__run_wake_at(run, INT64_MAX);
        push_ready(run);
        break;
    case IL__STATE_WAITING:
        close_workflow(run);
        il__durable_index(run);
        break;
    case IL__STATE_ENDED:
        close_workflow(run);
        il__run_drop_policies(run);
        il__run_wake_at(run, INT64_MAX);
        break;
    case IL__STATE_BUSY:
    case IL__STATE_IN_LINE:
    case IL__STATE_COUNT:
        break;
    }
    if (!moves(state) || state == IL__STATE_QUEUED) admit_queued(e);
}

void il__run_set_state_shown(struct il_run *run, enum il__state state)
{
    run->state = state;
}

/* ---- ends ---- */

enum il__end il__end_of_code(const struct il_error *err)
{
    switch (err->code) {
    case IL_IDENTITY_MISMATCH:
    case IL_APPROVAL_MISMATCH:
    case IL_MISSING_SCOPE:
    case IL_PRINCIPAL_MISMATCH:
    case IL_TENANT_MISMATCH:
        return IL__END_REFUSED;
    case IL_INVARIANT: /* I1's second entry is a refusal; a script out of order is a failure */
        return il__str_eq(il__str(err->object), IL_STR("preview channel")) ? IL__END_REFUSED : IL__END_FAILED;
    case IL_POLICY_DENIED:
    case IL_POLICY_ERROR:
        return IL__END_BLOCKED;
    case IL_CANCELLED:
        return IL__END_CANCELLED;
    case IL_OK:
    case IL_INVALID_REQUEST:
    case IL_DECODE:
    case IL_SCRIPT_ERROR:
    case IL_LIMIT_EXCEEDED:
    case IL_DIVERGED:
    case IL_TRANSPORT:
    case IL_RUNTIME:
    case IL_UNSUPPORTED:
    case IL_TIMEOUT:
    case IL_CONFLICT:
    case IL_STORE:
    case IL_OUT_OF_MEMORY:
    case IL_CODE_COUNT:
        break;
    }
    return IL__END_FAILED;
}

static bool keep_first(struct il_run *run, const struct il_error *err)
{
    if (!err || !err->code || run->error.code) return false;
    run->error = *err;
    if (run->step) il__error_step(&run->error, il__verb_names[run->step->verb]);
    return true;
}

/* Why the run is over, or failed after its send, before anything is released. */
static void note_stopped(struct il_run *run)
{
    struct il_error err = IL_ERROR_INIT;
    if (IL__NOTE(run, "stopped", IL_STR_NONE, &err, IL__TEXT("blockReason", run->block_reason),
                 IL__TEXT("end", il__str(il__end_names[run->end])), IL__RAW("error", il__record_error(run))))
        il__error_cleanup(&run->error, &err);
}

void il__run_stop(struct il_run *run, enum il__end end, const struct il_error *err)
{
    if (run->state == IL__STATE_ENDED || run->closed) return;
    il__execute_abandon(run);
    bool news = keep_first(run, err);
    run->journal.spare_open = true;
    if (!(run->done & IL__DID_SEND) && run->end == IL__END_NONE) {
        run->end = end;
        news = true;
    }
    if (news) note_stopped(run);
    run->wait.open = false;
    if (!(run->done & IL__DID_SEND)) il__durable_forget(run);
    il__op_abandon(run);
    il__line_leave(run);
    il__run_set_state(run, IL__STATE_CLOSING);
}

void il__run_fail(struct il_run *run, const struct il_error *err)
{
    il__run_stop(run, il__end_of_code(err), err);
}

/* ---- the line for the lease ---- */

static void line_remove(struct il__engine *e, struct il_run *run)
{
    struct il_run *before = NULL;
    for (struct il_run *r = e->line_first; r; before = r, r = r->next_queued) {
        if (r != run) continue;
        if (before) before->next_queued = r->next_queued;
        else e->line_first = r->next_queued;
        if (e->line_last == r) e->line_last = before;
        r->next_queued = NULL;
        return;
    }
}

bool il__line_enter(struct il_run *run)
{
    struct il__engine *e = run->engine;
    if (!e->lease_holder || e->lease_holder == run) {
        e->lease_holder = run;
        return true;
    }
    if (e->line_last) e->line_last->next_queued = run;
    else e->line_first = run;
    e->line_last = run;
    il__run_set_state(run, IL__STATE_IN_LINE);
    il__run_wake_at(run, il__clock_now(&e->clock).boot_ms + e->options->lease_wait_ms);
    return false;
}

void il__line_leave(struct il_run *run)
{
    struct il__engine *e = run->engine;
    if (run->state == IL__STATE_IN_LINE) line_remove(e, run);
    if (e->lease_holder != run || run->leased.held) return;
    e->lease_holder = e->line_first;
    if (!e->line_first) return;
    struct il_run *next = e->line_first;
    line_remove(e, next);
    il__run_wake_at(next, INT64_MAX);
    il__run_set_state(next, IL__STATE_READY);
}

/* ---- memory ---- */

/* Whose handle was given back is cancelled here, where nothing of the run is on the stack. */
void il__engine_sweep(struct il__engine *e)
{
    struct il_run **link = &e->runs;
    while (e->freed && *link) {
        struct il_run *run = *link;
        if (run->freed && run->state != IL__STATE_ENDED && !run->cancelled)
            (void)il__run_cancel(run, IL_STR("the handle was freed"), NULL);
        if (!run->freed || run->state != IL__STATE_ENDED || run->in_flight || run->in_ready) {
            link = &run->next;
            continue;
        }
        *link = run->next;
        il__run_destroy(run);
    }
}
