/* The places where a life ends (crash.h): both sides of every port call, counted over all lives of a run. Nothing else
 * of a call changes. */
#include "crash.h"

#include <signal.h>
#include <string.h>

struct fate *fate;

static struct il__store_ops store_ops;
static const struct il__store_ops *real_store;
static struct il__runtime_ops runtime_ops;
static const struct il__runtime_ops *real_runtime;
static struct il__engine *engine;
static bool noted; /* there is something to write */
static struct { enum il_code (*holds)(void *ctx, struct il_error *err); void *ctx; bool used; } permits[IL__SENDS_MAX];

void cut_here(enum cut kind, int op, bool after)
{
    if (++fate->points != fate->kill_at) return;
    fate->row = (int)kind * (IL_OP_COUNT + 1) + op;
    fate->after = after;
    fate->killed = true;
    raise(fate->stop ? SIGSTOP : SIGKILL);
}

/* ---- the store ---- */

static enum il_code note_create(void *self, const struct il__store_row *row, struct il_error *err)
{
    noted = true;
    return real_store->create(self, row, err);
}

static enum il_code note_append(void *self, const struct il__store_record *record, struct il_error *err)
{
    noted = true;
    return real_store->append(self, record, err);
}

static enum il_code write_all(void *self, struct il_error *err)
{
    if (!noted) return real_store->write(self, err);
    cut_here(CUT_WRITE, IL_OP_COUNT, false);
    enum il_code code = real_store->write(self, err);
    noted = noted && code;
    cut_here(CUT_WRITE, IL_OP_COUNT, true);
    return code;
}

static enum il_code flush_all(void *self, struct il_error *err)
{
    cut_here(CUT_FLUSH, IL_OP_COUNT, false);
    enum il_code code = real_store->flush(self, err);
    noted = noted && code;
    cut_here(CUT_FLUSH, IL_OP_COUNT, true);
    return code;
}

static enum il_code spend(void *self, struct il_str run_id, const struct il__unit *units, size_t count, int64_t now_ms,
                          struct il_error *err)
{
    cut_here(CUT_SPEND, IL_OP_COUNT, false);
    enum il_code code = real_store->spend(self, run_id, units, count, now_ms, err);
    cut_here(CUT_SPEND, IL_OP_COUNT, true);
    return code;
}

static enum il_code claim(void *self, struct il_str run_id, uint64_t *fence, struct il_error *err)
{
    cut_here(CUT_CLAIM, IL_OP_COUNT, false);
    enum il_code code = real_store->claim(self, run_id, fence, err);
    cut_here(CUT_CLAIM, IL_OP_COUNT, true);
    return code;
}

/* ---- the runtime ---- */

static enum il_code holds(void *ctx, struct il_error *err)
{
    size_t at = (size_t)(uintptr_t)ctx;
    fate->permit_ns = crash_now_ns();
    enum il_code code = permits[at].holds(permits[at].ctx, err);
    if (!permits[at].used) cut_here(CUT_PERMIT, IL_OP_EXECUTE_ACTION, true);
    permits[at].used = true;
    return code;
}

static enum il_code begin(void *self, const struct il_request *request, struct il__permit *permit, struct il_error *err)
{
    const enum il_op op = request->op;
    cut_here(CUT_ASKED, (int)op, false);
    if (permit) {
        size_t at = permits[0].holds ? 1 : 0;
        permits[at].holds = permit->holds;
        permits[at].ctx = permit->ctx;
        permit->holds = holds;
        permit->ctx = (void *)(uintptr_t)at;
    }
    enum il_code code = real_runtime->begin(self, request, permit, err);
    cut_here(CUT_ASKED, (int)op, true);
    return code;
}

static void arrived(bool after)
{
    const struct il__arrived *a = engine->done_first;
    for (size_t i = 0; a && i < engine->op_cap; i++)
        if (engine->ops[i].token == a->token) cut_here(CUT_HEARD, (int)engine->ops[i].op, after);
}

static int64_t tick(void *self, uint32_t budget_us)
{
    const struct il__arrived *before = engine->done_first;
    int64_t next = real_runtime->tick(self, budget_us);
    if (!before) arrived(false);
    return next;
}

void cut_event(void *ctx, const struct il_event *event)
{
    (void)ctx;
    if (event->type == IL_EVENT_ANSWER || event->type == IL_EVENT_RELEASED) cut_here(CUT_HEARD, IL_OP_COUNT, true);
}

void cut_store(il_host *host)
{
    engine = &host->engine;
    real_store = engine->store.ops;
    store_ops = *real_store;
    store_ops.create = note_create;
    store_ops.append = note_append;
    store_ops.write = write_all;
    store_ops.flush = flush_all;
    store_ops.spend = spend;
    store_ops.claim = claim;
    engine->store.ops = &store_ops;
}

void cut_host(il_host *host)
{
    engine = &host->engine;
    if (engine->store.ops) cut_store(host);
    real_runtime = engine->runtime.ops;
    runtime_ops = *real_runtime;
    runtime_ops.begin = begin;
    if (real_runtime->tick) runtime_ops.tick = tick;
    engine->runtime.ops = &runtime_ops;
}
