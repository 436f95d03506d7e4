/* The inside of an open workflow, for workflow.c (opening and resuming) and run_api.c (the object `run`). Must never be
 * included elsewhere. */
#ifndef IL_SCRIPT_RUN_API_H
#define IL_SCRIPT_RUN_API_H

#include "run/facts.h"
#include "script/seen.h"
#include "script/workflow.h"

/* One open workflow. */
struct il__opened {
    struct il__mem *mem;
    struct il_run *run; /* NULL while a file is only checked */
    struct il__sandbox *sb;
    char file[96];      /* the name of the script in messages */
    int self;           /* the object `run`, a reference */
    bool begun;
    struct il__ask ask; /* what the script asked for last */
    struct il__preview_seen preview;
    struct il__outcome_seen outcome;
    struct il__granted_seen granted;
};

/* Makes the object `run` as w->self; runs protected. `ctx` is a struct il__opened. */
void il__run_api_make(lua_State *L, void *ctx);
/* Before the answer to w->ask is pushed: what it replaces is disarmed. */
void il__run_api_disarm(struct il__opened *w);
/* An il__push_fn: pushes the results of the verb that yielded; -1 raises the text on top there. */
int il__run_api_answer(lua_State *L, void *ctx);

#endif
