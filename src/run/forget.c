/* What the end of a process does to its runs, without the end of the process (engine.h). For scenarios. */
#include "run/engine.h"
#include "run/grant.h"
#include "run/ops.h"

bool il__engine_gone(const struct il_run *run)
{
    size_t after = run->engine->gone_after;
    return after && run->journal.count - run->journal.aside_count >= after;
}

static void forget_ops(struct il__engine *e)
{
    for (size_t i = 0; i < e->op_cap; i++)
        if (e->ops[i].token && !e->ops[i].control) il__op_end(e, &e->ops[i]);
}

static void forget_answers(struct il__engine *e)
{
    while (e->done_first) {
        struct il__arrived *a = e->done_first;
        e->done_first = a->next;
        il__mem_free(e->mem, a, a->size);
    }
    e->done_last = NULL;
}

void il__engine_forget(struct il__engine *e)
{
    forget_ops(e);
    forget_answers(e);
    il__grants_clear(e);
    for (struct il_run *run = e->runs, *next; run; run = next) {
        next = run->next;
        if (run->workflow) run->workflow->close(run->workflow_self);
        il__run_destroy(run);
    }
    e->runs = e->queue_first = e->queue_last = e->line_first = e->line_last = NULL;
    e->lease_holder = e->ready_first = e->ready_last = e->flush_first = e->flush_last = NULL;
    e->heap_count = 0;
    e->moving = e->waiting = 0;
    e->gone_after = 0;
}
