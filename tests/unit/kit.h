/* A whole engine for tests in C: a virtual clock, a seeded random source, a workflow that is a list of asks, and a
 * runtime whose answers are templates that a test can bend. Counts what the runtime was asked to do. */
#ifndef KIT_H
#define KIT_H

#include "run/engine.h"
#include "run/ops.h"

enum { KIT_BENDS = 8, KIT_ASKS = 16, KIT_CALLS = 64 };

struct kit_bend {            /* how one answer differs */
    enum il_op op;
    int nth;                 /* 1: the first call of op; 0: every */
    const char *from, *to;   /* replace in the template; from NULL: `to` is the whole body */
    enum il_code fail;       /* instead of an answer */
    const char *reason;
    bool never;              /* no answer at all: the deadline decides */
    bool unsent;             /* with `fail`: not one byte left, no effect */
    bool used;
};

struct kit {
    struct il__mem mem;
    struct il_host_options options;
    struct il__engine engine;
    int64_t wall_sec, boot_ms;
    uint32_t random;
    enum il__verb asks[KIT_ASKS];
    size_t ask_count, ask_at;
    struct kit_bend bends[KIT_BENDS];
    size_t bend_count;
    int calls[IL_OP_COUNT];
    int order[KIT_CALLS];
    int order_count;
    int effects;
    bool acts_when_lost;     /* an execute that never answers has acted all the same */
    bool queues;             /* keeps the permit of an execute instead of spending it, as an adapter that queues */
    struct il__permit queued[2]; /* those permits */
    size_t queued_count;
    int lost;                /* answers that the engine had no memory for */
    struct il_run *run;
    char last_execute[8192];
    uint64_t pending[KIT_CALLS];
    /* The policy port: one policy that says this in each phase. */
    enum il__verdict says[4];
    enum il__level level;
    bool policy_fails[4];
    int64_t approvers;
    int asked[4];
    const char *extra_member; /* put into the envelope, with a comma in front */
    void (*before_execute)(struct kit *k); /* called when the workflow is about to ask for it */
    int64_t execute_takes_ms; /* the policies of the execute phase let this time pass */
    const char *identity_expires_at; /* NULL: never */
    void (*at_begin)(struct kit *k, enum il_op op, bool after); /* on both sides of every request */
    void *at_ctx;
    bool step_mode;          /* kit_go works one unit at a time and stops when `stop` says so */
};

void kit_open(struct kit *k);
void kit_close(struct kit *k);
/* Starts the run of `proposal` (NULL: a write_clipboard in background). */
struct il_run *kit_start(struct kit *k, const char *proposal);
/* Ticks until nothing moves any more without time. */
void kit_go(struct kit *k);
/* Both clocks, then kit_go. */
void kit_advance(struct kit *k, int64_t ms);
void kit_bend(struct kit *k, struct kit_bend bend);
/* The workflow: verbs ended by -1. */
void kit_workflow(struct kit *k, const int *verbs);
/* The reference order. */
extern const int kit_reference[];
/* A whole run of `proposal` with these bends; the caller looks and closes. */
void kit_play(struct kit *k, const char *proposal, const struct kit_bend *bends, size_t count);
/* Checks what the runtime was asked to do. */
void kit_counts(const struct kit *k, int effects, int reserved, int released, const char *what);
/* Answers the open request: `authority` is more members, with a comma in front. */
void kit_answer(struct kit *k, const char *authority, const char *action, const char *policy, enum il_code want,
                const char *what);
/* The token of the operation in flight, 0: none. */
uint64_t kit_token(const struct kit *k, enum il_op op);
/* Proposals: with a target, with a postcondition. */
extern const char *const kit_targeted, *const kit_postcondition;
/* The runtime asks for approval. */
extern const struct kit_bend kit_asks;
/* {status} of the summary. */
const char *kit_status(const struct kit *k);
struct il_error kit_error(const struct kit *k);
/* The digest and policy digest that the fake preview states, for answers. */
#define KIT_POLICY_DIGEST "sha256:policy-1"
#define KIT_ACTION_DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

#endif
