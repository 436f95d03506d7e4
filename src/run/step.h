/* The table of steps: one row per verb that a workflow can ask for. A reader sees every guard here: what must have
 * happened, what must not, what is checked before the request, what goes out, how the answer is taken, what follows. */
#ifndef IL_RUN_STEP_H
#define IL_RUN_STEP_H

#include "run/engine.h"

enum { /* il__step.guards, checked in this order after `must` and `must_not` */
    IL__GUARD_MOVES = 1,  /* a run of mode shadow ends after its preview */
    IL__GUARD_OPEN = 2,   /* not blocked by the runtime or a policy */
    IL__GUARD_ONE = 4,    /* the preview channel holds exactly one entry (I1) */
    IL__GUARD_MET = 8     /* every need is met (I13) */
};

/* What a step did with the ask. */
enum il__went {
    IL__WENT_ON,      /* answered: the workflow goes on at once */
    IL__WENT_AWAY,    /* answered later, waits, or the run is over */
    IL__WENT_WRONG    /* `err` says why: the run fails with it */
};

struct il__step {
    enum il__verb verb;
    unsigned must, must_not; /* IL__DID_* */
    unsigned guards;         /* IL__GUARD_* */
    /* Checks before the request, with the time of now; NULL: none. May suspend the run (WENT_AWAY). */
    enum il__went (*before)(struct il_run *run, struct il_error *err);
    enum il_op op;           /* what goes out; IL_OP_COUNT: nothing */
    /* Instead of the plain request; NULL: begin `op`. */
    enum il__went (*go)(struct il_run *run, const struct il__ask *ask, struct il_error *err);
    /* Decodes, checks, journals and stores the answer. */
    enum il_code (*accept)(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err);
    /* What follows an accepted answer; NULL: the workflow goes on. */
    enum il__went (*then)(struct il_run *run, struct il_error *err);
};

extern const struct il__step il__steps[];

/* Everything that must be closed before a request counts: the guards of `step` in the state of now. */
enum il_code il__step_allowed(const struct il_run *run, const struct il__step *step, struct il_error *err) IL_MUST_USE;
/* The workflow asks. */
enum il__went il__step_ask(struct il_run *run, const struct il__ask *ask, struct il_error *err);
/* Keeps and journals what the workflow asked for. */
enum il_code il__step_remember(struct il_run *run, const struct il__ask *ask, struct il_error *err) IL_MUST_USE;
/* Goes on with the step that was suspended before its request (a propose wait that was granted, the lease line). */
enum il__went il__step_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
/* The plain request of the step in progress: intent, body, begin. */
enum il__went il__step_begin(struct il_run *run, struct il_error *err);
/* Resumes the workflow until it waits, is over or fails. */
void il__step_drive(struct il_run *run);
/* The answer to a request of the step in progress. */
void il__step_answer(struct il_run *run, enum il_op op, const struct il__answer_in *answer);

/* The pieces that rows are made of, one file each: preview.c, approval.c, hold.c, execute.c, close.c. */
enum il__went il__observe_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
/* A resumed workflow sees of its `at`-th ask what that ask saw then, not what a later one saw. */
enum il_code il__observe_again(struct il_run *run, size_t at, struct il_error *err) IL_MUST_USE;
enum il_code il__observe_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err);
enum il__went il__observe_then(struct il_run *run, struct il_error *err);
enum il__went il__preview_before(struct il_run *run, struct il_error *err);
enum il_code il__preview_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err);
/* A preview from the journal: what was checked when it came is not checked again. */
enum il_code il__preview_restore(struct il_run *run, struct il_str body, int64_t ttl_ms, struct il__now arrived,
                                 const char *boot_id, struct il_error *err) IL_MUST_USE;
enum il__went il__preview_then(struct il_run *run, struct il_error *err);
enum il__went il__approval_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
enum il__went il__hold_before(struct il_run *run, struct il_error *err);
enum il__went il__reserve_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
enum il_code il__reserve_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err);
enum il__went il__lease_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
enum il_code il__lease_accept(struct il_run *run, enum il_op op, struct il_str body, struct il_error *err);
enum il__went il__execute_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
enum il__went il__verify_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
enum il__went il__block_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);
enum il__went il__deny_go(struct il_run *run, const struct il__ask *ask, struct il_error *err);

#endif
