/* The engine's tick: completions, deadlines, scripts, in this order and within a budget (engine.h). Must never block.
 */
#include "run/engine.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/approval.h"
#include "run/close.h"
#include "run/durable.h"
#include "run/execute.h"
#include "run/grant.h"
#include "run/hold.h"
#include "run/letters.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/request.h"
#include "run/state.h"
#include "run/step.h"

#include <string.h>

static void init_clock(struct il__engine *e, const struct il_host_options *options)
{
    char id[IL__BOOT_ID_MAX];
    size_t len = options->boot_id.len < sizeof id ? options->boot_id.len : sizeof id - 1;
    if (len) memcpy(id, options->boot_id.ptr, len);
    id[len] = '\0';
    il__clock_init(&e->clock, options->clock, options->clock_ctx, len ? id : NULL);
}

enum il_code il__engine_init(struct il__engine *e, struct il__mem *mem, const struct il_host_options *options,
                             struct il_error *err)
{
    memset(e, 0, sizeof *e);
    e->mem = mem;
    e->options = options;
    init_clock(e, options);
    e->log = (struct il__log){ options->log, options->log_ctx };
    e->random = options->random ? options->random : il__random_system;
    e->random_ctx = options->random_ctx;
    e->event = options->event;
    e->event_ctx = options->event_ctx;
    e->interrupt = options->interrupt;
    e->interrupt_ctx = options->interrupt_ctx;
    il__buf_init(&e->body, mem, IL__LIMIT_RESULT_BYTES);
    il__buf_init(&e->event_json, mem, IL__LIMIT_CONTRACT_BYTES);
    il__buf_init(&e->record, mem, IL__LIMIT_CONTRACT_BYTES);
    il__buf_init(&e->part, mem, IL__LIMIT_CONTRACT_BYTES);
    il__buf_init(&e->claims, mem, IL__LIMIT_CONTRACT_BYTES);
    il__tally_init(&e->tally, mem);
    e->digest = il__digest_new(mem);
    if (e->digest) return IL_OK;
    il__engine_clear(e);
    return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a host");
}

/* ---- completions ---- */

static struct il_str pack(char **at, struct il_str s)
{
    if (!il__str_present(s)) return IL_STR_NONE;
    struct il_str copy = { *at, s.len };
    if (s.len) memcpy(*at, s.ptr, s.len);
    *at += s.len;
    return copy;
}

enum il_code il__arrived_new(struct il__engine *e, const struct il__answer_in *answer, struct il__arrived **out,
                             struct il_error *err)
{
    size_t size = sizeof(struct il__arrived) + answer->body.len + answer->reason.len + answer->message.len;
    struct il__arrived *a = il__mem_alloc(e->mem, size);
    if (!a) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for an answer");
    char *at = (char *)(a + 1);
    *a = (struct il__arrived){ NULL, answer->token, il__clock_now(&e->clock), answer->code, pack(&at, answer->body),
                               pack(&at, answer->reason), pack(&at, answer->message), answer->unsent, size };
    *out = a;
    return IL_OK;
}

enum il_code il__engine_complete(struct il__engine *e, const struct il__answer_in *answer, struct il_error *err)
{
    struct il__op *op = il__op_find(e, answer->token);
    if (!op || op->completed)
        return il__fail_at(err, IL_CONFLICT, "runtime", "token", "no operation in flight has this token");
    if (answer->body.len > IL__LIMIT_RESULT_BYTES)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "runtime", "result_bytes", "an answer has at most %d bytes",
                           IL__LIMIT_RESULT_BYTES);
    struct il__arrived *a = NULL;
    enum il_code code = il__arrived_new(e, answer, &a, err);
    if (code) return code;
    op->completed = true;
    if (e->done_last) e->done_last->next = a;
    else e->done_first = a;
    e->done_last = a;
    return IL_OK;
}

/* Nobody waited for it any more: what it grants is given back, what it proves is amended. */
static void late(struct il_run *run, enum il_op op, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    bool lease = op == IL_OP_ACQUIRE_LEASE, target = op == IL_OP_RESERVE_TARGET;
    if (answer->code) return;
    if (op == IL_OP_EXECUTE_ACTION || op == IL_OP_RECOVER) il__receipt_late(run, answer->body);
    if (!lease && !target) return;
    struct il__held *held = lease ? &run->leased : &run->reserved;
    if (held->held || held->tried) return;
    il__held_note(run, held, answer->body, lease ? "leaseId" : "reservationId", lease);
    if (IL__NOTE(run, "late", IL_STR_NONE, &err, IL__NUMBER("foreign", held->foreign), IL__NUMBER("held", held->held),
                 IL__TEXT("id", held->id),
                 IL__TEXT("what", lease ? IL_STR("control lease") : IL_STR("target reservation"))))
        il__error_cleanup(&run->error, &err);
    if (run->state == IL__STATE_ENDED || run->state == IL__STATE_CLOSING) il__close_late(run, lease);
}

static void dispatch(struct il__engine *e, const struct il__op *op, const struct il__answer_in *answer)
{
    struct il_run *run = op->run;
    switch (op->purpose) {
    case IL__FOR_CONTROL:
        il__control_answer(e, op->control, answer);
        return;
    case IL__FOR_LATE:
        late(run, op->op, answer);
        return;
    case IL__FOR_RELEASE_LEASE:
    case IL__FOR_RELEASE_TARGET:
        il__released(run, op->purpose == IL__FOR_RELEASE_LEASE, answer);
        if (run->state != IL__STATE_ENDED) il__close_next(run);
        return;
    case IL__FOR_RECOVER:
        il__recover_answer(run, answer);
        return;
    case IL__FOR_STEP:
        break;
    }
    if (op->op == IL_OP_EXECUTE_ACTION) il__execute_answer(run, answer);
    else if (op->op == IL_OP_VERIFY) il__close_verified(run, answer);
    else il__step_answer(run, op->op, answer);
}

static bool take_completion(struct il__engine *e)
{
    struct il__arrived *a = e->done_first;
    if (!a) return false;
    e->done_first = a->next;
    if (!e->done_first) e->done_last = NULL;
    struct il__op *slot = il__op_find(e, a->token);
    if (slot) {
        struct il__op op = *slot;
        const struct il__answer_in answer = { a->token, a->code, a->body, a->reason, a->message, a->unsent };
        il__op_end(e, slot);
        e->arrived = a->at;
        dispatch(e, &op, &answer);
    }
    il__mem_free(e->mem, a, a->size);
    return true;
}

/* ---- time ---- */

/* The deadline of a request: given up, and from then on late. A late one that nobody answered is forgotten. */
static bool take_overdue(struct il__engine *e, int64_t boot_ms)
{
    struct il__op *slot = il__op_overdue(e, boot_ms);
    if (!slot) return false;
    struct il__op op = *slot;
    const struct il__answer_in answer = { op.token, IL_TIMEOUT, IL_STR_NONE, IL_STR("timeout"),
                                          IL_STR("no answer in time"), false };
    bool keeps = op.purpose == IL__FOR_STEP || op.purpose == IL__FOR_RECOVER;
    if (keeps) il__op_give_up(e, slot, boot_ms);
    else il__op_end(e, slot);
    if (op.purpose != IL__FOR_LATE) dispatch(e, &op, &answer);
    return true;
}

static bool take_due(struct il__engine *e, struct il__now now)
{
    struct il_run *run = il__engine_due(e, now.boot_ms);
    if (!run) return false;
    if (run->state == IL__STATE_IN_LINE) {
        il__line_expire(run);
    } else if (run->state == IL__STATE_WAITING) {
        int64_t left = il__deadline_left_ms(&run->wait.deadline, now, e->clock.boot_id);
        if (left > 0)
            il__run_wake_at(run, now.boot_ms + left); /* the wall clock was turned back: the other side counts */
        else il__wait_expire(run);
    }
    return true;
}

/* ---- scripts ---- */

static bool take_ready(struct il__engine *e)
{
    struct il_run *run = e->ready_first;
    if (!run) return false;
    e->ready_first = run->next_ready;
    if (!e->ready_first) e->ready_last = NULL;
    run->in_ready = false;
    if (run->state == IL__STATE_READY) il__step_drive(run);
    else if (run->state == IL__STATE_CLOSING) il__close_next(run);
    return true;
}

static bool work(struct il__engine *e)
{
    struct il__now now = il__clock_now(&e->clock);
    return take_completion(e) || il__grants_take(e) || take_overdue(e, now.boot_ms) ||
           il__grants_overdue(e, now.boot_ms) || take_due(e, now) || take_ready(e) || il__durable_take(e);
}

static int64_t least(int64_t a, int64_t b)
{
    if (a < 0) return b;
    return b < 0 || a < b ? a : b;
}

static void report(struct il__engine *e, int64_t ports_ms, struct il_tick *out)
{
    int64_t boot_ms = il__clock_now(&e->clock).boot_ms;
    int64_t grants_ms = il__grants_next_ms(e, boot_ms);
    int64_t next = least(il__op_next_ms(e, boot_ms), grants_ms);
    if (e->heap_count) next = least(next, e->heap[1]->wake_ms > boot_ms ? e->heap[1]->wake_ms - boot_ms : 0);
    uint32_t queued = 0;
    for (const struct il_run *run = e->queue_first; run; run = run->next_queued) queued++;
    size_t size = out->size;
    *out = (struct il_tick){ size, e->moving, queued, e->waiting, e->in_flight,
                             e->done_first || e->ready_first || e->flush_first || ports_ms == 0 || grants_ms == 0,
                             least(next, ports_ms) };
}

/* The connections; returns ms until one of them wants to be called again, -1: not by time. */
static int64_t tick_ports(struct il__engine *e, uint32_t budget_us)
{
    int64_t runtime_ms = -1, approver_ms = -1;
    if (e->runtime.ops && e->runtime.ops->tick) runtime_ms = e->runtime.ops->tick(e->runtime.self, budget_us);
    if (e->approver_port.ops) approver_ms = e->approver_port.ops->tick(e->approver_port.self, budget_us);
    return least(runtime_ms, approver_ms);
}

enum il_code il__engine_tick(struct il__engine *e, uint32_t budget_us, struct il_tick *out, struct il_error *err)
{
    struct il_error late = IL_ERROR_INIT;
    if (e->ticking) return il__fail_at(err, IL_CONFLICT, "host", "tick", "a tick is not called from a callback");
    e->ticking = true;
    il__engine_sweep(e);
    il__letters_poll(e);
    int64_t start = il__clock_us(&e->clock);
    do {
        (void)tick_ports(e, budget_us);
    } while (work(e) && il__clock_us(&e->clock) - start < (int64_t)budget_us);
    il__durable_take(e);
    if (il__durable_write(e, &late)) il__log(&e->log, IL_LOG_ERROR, "the store cannot be written: %s", late.message);
    int64_t ports_ms = tick_ports(e, 0);
    il__engine_sweep(e);
    e->ticking = false;
    if (out) report(e, ports_ms, out);
    return IL_OK;
}

/* ---- the end ---- */

static void drain(struct il__engine *e)
{
    for (int i = 0; i < 10000 && e->moving; i++) { /* as far as the runtime answers at once */
        if (e->runtime.ops && e->runtime.ops->tick) e->runtime.ops->tick(e->runtime.self, 1000);
        if (!take_completion(e) && !take_ready(e) && !il__durable_take(e)) break;
    }
}

/* What is still in flight is not waited for: what is held is given back as far as asking goes. */
static void give_up(struct il__engine *e)
{
    e->clearing = true;
    for (struct il_run *run = e->runs; run; run = run->next) {
        struct il_error err = IL_ERROR_INIT;
        if (run->state == IL__STATE_ENDED || il__run_stays(run)) continue;
        il__fail_at(&err, IL_CANCELLED, "host", "free", "the host was freed before the runtime answered");
        il__run_stop(run, IL__END_CANCELLED, &err);
        for (int i = 0; i < 3 && run->state != IL__STATE_ENDED; i++) il__close_next(run); /* lease, reservation, end */
    }
}

/* A stop whose answer nobody waits for any more: who asked hears that, and the agent is not interrupted. */
static void drop_control(struct il__engine *e, struct il__control *control)
{
    const struct il__answer_in gone = { 0, IL_CANCELLED, IL_STR_NONE, IL_STR_NONE, IL_STR("the host was freed"),
                                       false };
    il__control_answer(e, control, &gone);
}

void il__engine_clear(struct il__engine *e)
{
    e->ticking = true;
    for (struct il_run *run = e->runs; run; run = run->next)
        if (run->state != IL__STATE_ENDED && !il__run_stays(run))
            (void)il__run_cancel(run, IL_STR("the host was freed"), NULL);
    drain(e);
    give_up(e);
    drain(e);
    il__grants_clear(e);
    struct il_error lost = IL_ERROR_INIT;
    if (il__durable_write(e, &lost)) il__log(&e->log, IL_LOG_ERROR, "the store cannot be written: %s", lost.message);
    for (struct il_run *run = e->runs, *next; run; run = next) {
        next = run->next;
        if (run->workflow) run->workflow->close(run->workflow_self);
        il__run_destroy(run);
    }
    e->runs = NULL;
    while (e->done_first) {
        struct il__arrived *a = e->done_first;
        e->done_first = a->next;
        il__mem_free(e->mem, a, a->size);
    }
    for (size_t i = 0; i < e->op_cap; i++)
        if (e->ops[i].token && e->ops[i].control) drop_control(e, e->ops[i].control);
    while (e->latches) {
        struct il__latch *l = e->latches;
        e->latches = l->next;
        il__mem_free(e->mem, l, l->size);
    }
    if (e->approver_port.ops) e->approver_port.ops->free(e->approver_port.self);
    if (e->runtime.ops && e->runtime.ops->free) e->runtime.ops->free(e->runtime.self);
    il__mem_free(e->mem, e->ops, e->op_cap * sizeof *e->ops);
    il__mem_free(e->mem, e->heap, e->heap_cap * sizeof(void *));
    il__buf_clear(&e->body);
    il__buf_clear(&e->event_json);
    il__buf_clear(&e->record);
    il__buf_clear(&e->part);
    il__buf_clear(&e->claims);
    il__tally_clear(&e->tally);
    il__digest_free(e->digest);
}
