/* Runs and the store (durable.h). */
#include "run/durable.h"

#include "base/error.h"
#include "run/state.h"

static bool stored(const struct il_run *run)
{
    return run->engine->store.ops && run->fence;
}

/* ---- noting ---- */

static struct il__store_row row_of(const struct il_run *run)
{
    bool waiting = run->state == IL__STATE_WAITING, ended = run->closed;
    const struct il__instant wall = run->wait.deadline.wall;
    return (struct il__store_row){
        .run_id = il__str(run->id),
        .state = ended ? IL__ROW_ENDED : waiting ? IL__ROW_WAITING : IL__ROW_MOVING,
        .status = il__str(waiting ? "waiting" : ended ? il__end_names[run->end] : "moving"),
        .request_id = waiting ? il__str(run->wait.request_id) : IL_STR_NONE,
        .created_ms = run->created_ms,
        .expires_ms = waiting ? wall.sec * 1000 + wall.nsec / 1000000 : 0,
        .tool = run->proposal.tool,
        .mode = il__str(il__mode_names[run->proposal.mode]),
        .session_id = run->session_id,
        .principal = run->identity.principal,
        .tenant = run->identity.tenant,
        .fence = run->fence,
    };
}

enum il_code il__durable_append(struct il_run *run, struct il_error *err)
{
    const struct il__store *store = &run->engine->store;
    if (!stored(run)) return IL_OK;
    const size_t at = run->journal.count - 1;
    const struct il__record *rec = &run->journal.records[at];
    if (!at) {
        const struct il__store_row row = row_of(run);
        enum il_code code = store->ops->create(store->self, &row, err);
        if (code) return code;
    }
    struct il__store_record record = { il__str(run->id), at, run->fence, rec->text, rec->payload, { 0 } };
    memcpy(record.hash, rec->hash, sizeof record.hash);
    enum il_code code = store->ops->append(store->self, &record, err);
    if (code || !run->letter) return code;
    /* The record stands, whatever becomes of the letter: it goes with the next one, or another life reads it again. */
    if (!store->ops->consume(store->self, il__str(run->id), run->letter, NULL)) run->letter = 0;
    return IL_OK;
}

void il__durable_index(struct il_run *run)
{
    const struct il__store *store = &run->engine->store;
    if (!stored(run) || run->restoring) return;
    const struct il__store_row row = row_of(run);
    struct il_error err = IL_ERROR_INIT;
    if (store->ops->index(store->self, &row, &err))
        il__log(&run->engine->log, IL_LOG_WARN, "run %s: the store's list lags behind: %s", run->id, err.message);
}

/* ---- writing and flushing ---- */

enum il_code il__durable_write(struct il__engine *e, struct il_error *err)
{
    return e->store.ops ? e->store.ops->write(e->store.self, err) : IL_OK;
}

enum il_code il__durable_flush(struct il__engine *e, struct il_error *err)
{
    return e->store.ops ? e->store.ops->flush(e->store.self, err) : IL_OK;
}

void il__durable_then(struct il_run *run, il__then_fn then)
{
    struct il__engine *e = run->engine;
    if (!stored(run)) {
        then(run, NULL);
        return;
    }
    run->then = then;
    if (run->in_flush) return;
    run->in_flush = true;
    run->next_flush = NULL;
    if (e->flush_last) e->flush_last->next_flush = run;
    else e->flush_first = run;
    e->flush_last = run;
}

bool il__durable_take(struct il__engine *e)
{
    struct il_run *run = e->flush_first;
    if (!run) return false;
    struct il_error err = IL_ERROR_INIT;
    enum il_code code = il__durable_flush(e, &err);
    e->flush_first = e->flush_last = NULL;
    for (struct il_run *next; run; run = next) {
        next = run->next_flush;
        run->in_flush = false;
        il__then_fn then = run->then;
        run->then = NULL;
        struct il_error own = err;
        if (then) then(run, code ? &own : NULL);
    }
    return true;
}

void il__durable_leave(struct il_run *run)
{
    struct il__engine *e = run->engine;
    struct il_run *before = NULL;
    for (struct il_run *r = e->flush_first; r && r != run; r = r->next_flush) before = r;
    if (!run->in_flush) return;
    if (before) before->next_flush = run->next_flush;
    else e->flush_first = run->next_flush;
    if (e->flush_last == run) e->flush_last = before;
    run->in_flush = false;
}

void il__durable_forget(struct il_run *run)
{
    run->then = NULL; /* it stays in line; nothing follows */
}

/* ---- asking ---- */

enum il_code il__durable_owns(const struct il_run *run, struct il_error *err)
{
    const struct il__store *store = &run->engine->store;
    return stored(run) ? store->ops->owns(store->self, il__str(run->id), run->fence, err) : IL_OK;
}

enum il_code il__durable_latch(const struct il_run *run, struct il_error *err)
{
    const struct il__store *store = &run->engine->store;
    bool on = true, all = false;
    if (!store->ops) return IL_OK;
    enum il_code code = store->ops->latched(store->self, run->session_id, &on, &all, err);
    if (code || !on) return code;
    if (all) return il__fail_at(err, IL_CANCELLED, "stop latch", "emergency", "the emergency stop is on");
    return il__fail_at(err, IL_CANCELLED, "stop latch", "session", "the session was stopped");
}
