/* Pause, stop, emergency stop (SPEC §8): first the latch, unconditionally; then the runtime is asked to revoke the
 * desktop authority; only when it did is the agent interrupted. Never the other way round. */
#include "base/error.h"
#include "run/ops.h"
#include "run/record.h"
#include "run/request.h"

#include <string.h>

static enum il_code set_latch(struct il__engine *e, struct il_str session_id, struct il_error *err)
{
    for (struct il__latch *l = e->latches; l; l = l->next)
        if (il__str_eq(l->session_id, session_id)) return IL_OK;
    size_t size = sizeof(struct il__latch) + session_id.len + 1;
    struct il__latch *latch = il__mem_zalloc(e->mem, 1, size);
    if (!latch) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for a stop latch");
    char *text = (char *)(latch + 1);
    memcpy(text, session_id.ptr, session_id.len);
    latch->session_id = (struct il_str){ text, session_id.len };
    latch->size = size;
    latch->next = e->latches;
    e->latches = latch;
    return IL_OK;
}

static struct il__control *new_control(struct il__engine *e, enum il_op op, struct il_str session_id,
                                       struct il_str reason, il_done_fn done, void *ctx)
{
    size_t size = sizeof(struct il__control) + session_id.len + reason.len + 1;
    struct il__control *c = il__mem_zalloc(e->mem, 1, size);
    if (!c) return NULL;
    char *text = (char *)(c + 1);
    if (session_id.len) memcpy(text, session_id.ptr, session_id.len);
    if (reason.len) memcpy(text + session_id.len, reason.ptr, reason.len);
    *c = (struct il__control){ op, { text, session_id.len }, { text + session_id.len, reason.len }, done, ctx,
                               IL_ERROR_INIT, size };
    return c;
}

static enum il_code stop_failed(il_done_fn done, void *ctx, const struct il_error *err)
{
    if (done) done(ctx, err);
    return err->code;
}

bool il__engine_latch(struct il__engine *e, enum il_op op, struct il_str session_id)
{
    if (op != IL_OP_EMERGENCY_STOP && (!session_id.len || !set_latch(e, session_id, NULL))) return true;
    e->emergency = true; /* no memory for a latch of its own: the one that needs none */
    return op == IL_OP_EMERGENCY_STOP;
}

enum il_code il__engine_stop(struct il__engine *e, enum il_op op, struct il_str session_id, struct il_str reason,
                             il_done_fn done, void *ctx, struct il_error *err)
{
    struct il_error local = IL_ERROR_INIT;
    if (!err) err = &local;
    il__error_clear(err);
    if (op != IL_OP_EMERGENCY_STOP && !session_id.len)
        return stop_failed(done, ctx, (il__fail_at(err, IL_INVALID_REQUEST, il_op_name(op), "session_id",
                                                   "needs the session it stops"), err));
    bool latched = il__engine_latch(e, op, session_id);
    struct il_error unsaved = IL_ERROR_INIT; /* this host is stopped, others may not know: all the more is revoked */
    if (e->store.ops)
        (void)e->store.ops->latch(e->store.self, op == IL_OP_EMERGENCY_STOP ? IL_STR_NONE : session_id, true, &unsaved);
    if (!latched)
        return stop_failed(done, ctx, (il__fail(err, IL_OUT_OF_MEMORY, "no memory for a stop latch: every session is "
                                                "stopped until the emergency stop is lifted"), err));
    if (!il__op_offered(e, op) && unsaved.code) return stop_failed(done, ctx, (*err = unsaved, err));
    if (!il__op_offered(e, op))
        return stop_failed(done, ctx, (il__fail_at(err, IL_UNSUPPORTED, "runtime", il_op_name(op),
                                                   "not offered; the latch stays on"), err));
    struct il__control *c = new_control(e, op, session_id, reason, done, ctx);
    if (!c) return stop_failed(done, ctx, (il__fail(err, IL_OUT_OF_MEMORY, "no memory for a stop"), err));
    c->unsaved = unsaved;
    enum il_code code = il__request_control(e, session_id, reason, err);
    if (!code) code = il__op_begin(e, NULL, op, IL__FOR_CONTROL, NULL, c, err);
    if (!code) return IL_OK;
    il__mem_free(e->mem, c, c->size);
    return stop_failed(done, ctx, err);
}

void il__control_answer(struct il__engine *e, struct il__control *c, const struct il__answer_in *answer)
{
    struct il_error err = IL_ERROR_INIT;
    if (answer->code) {
        char reason[80], message[200];
        il__escape(reason, sizeof reason, answer->reason);
        il__escape(message, sizeof message, answer->message);
        il__fail_at(&err, answer->code, "runtime", il_op_name(c->op), "%s%s%s; the latch stays on", reason,
                    *reason && *message ? ": " : "", message);
    } else if (e->interrupt) {
        e->interrupt(e->interrupt_ctx, c->session_id, c->reason);
    }
    if (c->unsaved.code && !err.code) err = c->unsaved;
    else if (c->unsaved.code) il__error_cleanup(&err, &c->unsaved);
    if (c->done) c->done(c->ctx, &err);
    il__mem_free(e->mem, c, c->size);
}

enum il_code il__engine_lift(struct il__engine *e, struct il_str session_id, struct il_error *err)
{
    il__error_clear(err);
    bool on = false, all = false;
    if (e->store.ops) {
        enum il_code code = e->store.ops->latched(e->store.self, session_id, &on, &all, err);
        if (!code && (il__str_present(session_id) ? on : all)) /* its own latch, also under an emergency stop */
            code = e->store.ops->latch(e->store.self, session_id, false, err);
        if (code) return code;
    }
    if (!il__str_present(session_id)) {
        if (!e->emergency && all) return IL_OK;
        if (!e->emergency) return il__fail_at(err, IL_CONFLICT, "stop latch", "emergency", "no emergency stop is on");
        e->emergency = false;
        return IL_OK;
    }
    for (struct il__latch **link = &e->latches; *link; link = &(*link)->next) {
        struct il__latch *l = *link;
        if (!il__str_eq(l->session_id, session_id)) continue;
        *link = l->next;
        il__mem_free(e->mem, l, l->size);
        return IL_OK;
    }
    if (on) return IL_OK;
    return il__fail_at(err, IL_CONFLICT, "stop latch", "session", "this session was not stopped");
}
