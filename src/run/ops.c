/* Operations in flight (ops.h). Must never hand out a token twice, nor let a token complete twice. */
#include "run/ops.h"

#include "base/error.h"
#include "base/limits.h"
#include "run/durable.h"
#include "run/record.h"

#include <string.h>

enum { OPS_FIRST = 64 };

/* A late answer is still taken for this long, so that a late lease can be given back. */
enum { LATE_KEEP_MS = 600000 };

static struct il__op *free_slot(struct il__engine *e)
{
    for (size_t i = 0; i < e->op_cap; i++)
        if (!e->ops[i].token) return &e->ops[i];
    size_t cap = e->op_cap ? e->op_cap * 2 : OPS_FIRST;
    struct il__op *ops = il__mem_resize(e->mem, e->ops, e->op_cap * sizeof *ops, cap * sizeof *ops);
    if (!ops) return NULL;
    memset(ops + e->op_cap, 0, (cap - e->op_cap) * sizeof *ops);
    e->ops = ops;
    e->op_cap = cap;
    return &e->ops[cap / 2 >= OPS_FIRST ? cap / 2 : 0];
}

static uint32_t timeout_of(const struct il__engine *e, enum il_op op)
{
    bool control = op == IL_OP_PAUSE_SESSION || op == IL_OP_STOP_SESSION || op == IL_OP_EMERGENCY_STOP;
    return control ? (uint32_t)IL__LIMIT_CONTROL_TIMEOUT_MS : e->options->request_timeout_ms;
}

static void count_in(struct il__engine *e, struct il_run *run)
{
    e->in_flight++;
    if (run) run->in_flight++;
}

enum il_code il__op_begin(struct il__engine *e, struct il_run *run, enum il_op op, enum il__purpose purpose,
                          struct il__permit *permit, struct il__control *control, struct il_error *err)
{
    if (run && ++run->requests > IL__LIMIT_RUN_REQUESTS && purpose == IL__FOR_STEP)
        return il__fail_at(err, IL_LIMIT_EXCEEDED, "run", "run_requests", "a run makes at most %d requests",
                           IL__LIMIT_RUN_REQUESTS);
    if (run && il__engine_gone(run)) return il__fail(err, IL_STORE, "the process has ended");
    bool must = purpose == IL__FOR_STEP; /* what revokes, recovers or releases goes out all the same */
    enum il_code code = il__durable_write(e, must ? err : NULL);
    if (code && must) return code;
    struct il__op *slot = free_slot(e);
    if (!slot) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a request");
    uint32_t timeout = timeout_of(e, op);
    slot->generation++;
    slot->token = ((uint64_t)slot->generation << 32) | (uint64_t)(slot - e->ops + 1);
    slot->op = op;
    slot->purpose = purpose;
    slot->run = run;
    slot->control = control;
    slot->completed = false;
    slot->deadline_ms = il__clock_now(&e->clock).boot_ms + timeout;
    uint64_t token = slot->token;
    const struct il_request request = { sizeof request, op, token, timeout, run ? il__str(run->id) : IL_STR_NONE,
                                        run ? run->session_id : IL_STR_NONE, il__buf_get(&e->body) };
    count_in(e, run);
    code = e->runtime.ops->begin(e->runtime.self, &request, permit, err);
    if (code) il__op_end(e, il__op_find(e, token));
    return code;
}

struct il__op *il__op_find(struct il__engine *e, uint64_t token)
{
    size_t slot = (size_t)(token & 0xffffffffu);
    if (slot == 0 || slot > e->op_cap || e->ops[slot - 1].token != token) return NULL;
    return &e->ops[slot - 1];
}

void il__op_end(struct il__engine *e, struct il__op *op)
{
    if (!op) return;
    op->token = 0;
    e->in_flight--;
    if (op->run) op->run->in_flight--;
    op->run = NULL;
    op->control = NULL;
}

void il__op_give_up(struct il__engine *e, struct il__op *op, int64_t boot_ms)
{
    op->purpose = IL__FOR_LATE;
    op->deadline_ms = boot_ms + LATE_KEEP_MS;
    if (e->runtime.ops->cancel) e->runtime.ops->cancel(e->runtime.self, op->token);
}

void il__op_abandon(struct il_run *run)
{
    struct il__engine *e = run->engine;
    int64_t boot_ms = il__clock_now(&e->clock).boot_ms;
    for (size_t i = 0; i < e->op_cap && run->in_flight; i++) {
        struct il__op *op = &e->ops[i];
        if (!op->token || op->run != run) continue;
        if (op->purpose != IL__FOR_STEP && op->purpose != IL__FOR_RECOVER) continue;
        il__op_give_up(e, op, boot_ms);
    }
}

enum { SECRET_LEAST = 4 }; /* a shorter id hides nothing, and masking it would hide the message */

static void mask(char *text, size_t len, struct il_str secret)
{
    if (secret.len < SECRET_LEAST) return;
    for (char *at = text; (at = memmem(at, len - (size_t)(at - text), secret.ptr, secret.len)); at += secret.len)
        memset(at, '*', secret.len);
}

/* As much of `s` as a message holds, with the run's tickets masked, escaped. */
static void tell_masked(const struct il_run *run, struct il_str s, char *out, size_t cap)
{
    char raw[1024];
    size_t len = s.ptr ? s.len : 0;
    if (len > sizeof raw) len = sizeof raw;
    if (len) memcpy(raw, s.ptr, len);
    mask(raw, len, run->leased.id);
    mask(raw, len, run->grant_id);
    il__escape(out, cap, (struct il_str){ raw, len });
}

void il__op_failed(const struct il_run *run, const char *object, const char *field, const struct il__answer_in *answer,
                   struct il_error *err)
{
    char reason[80], message[200];
    tell_masked(run, answer->reason, reason, sizeof reason);
    tell_masked(run, answer->message, message, sizeof message);
    il__fail_at(err, answer->code, object, field, "%s%s%s", reason, *reason && *message ? ": " : "", message);
}

bool il__op_offered(const struct il__engine *e, enum il_op op)
{
    return (e->runtime.offers >> (unsigned)op) & 1u;
}

int64_t il__op_next_ms(const struct il__engine *e, int64_t boot_ms)
{
    int64_t next = -1;
    for (size_t i = 0, left = e->in_flight; i < e->op_cap && left; i++) {
        if (!e->ops[i].token) continue;
        left--;
        int64_t ms = e->ops[i].deadline_ms - boot_ms;
        if (ms < 0) ms = 0;
        if (next < 0 || ms < next) next = ms;
    }
    return next;
}

struct il__op *il__op_overdue(struct il__engine *e, int64_t boot_ms)
{
    for (size_t i = 0, left = e->in_flight; i < e->op_cap && left; i++) {
        if (!e->ops[i].token) continue;
        left--;
        if (!e->ops[i].completed && e->ops[i].deadline_ms <= boot_ms) return &e->ops[i];
    }
    return NULL;
}
