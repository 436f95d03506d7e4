/* The engine: all runs of one host, what is in flight, who holds the lease, what has been stopped, and the one tick.
 * One thread, nothing blocks. Uses the ports; knows no Lua, no file, no socket. */
#ifndef IL_RUN_ENGINE_H
#define IL_RUN_ENGINE_H

#include "base/log.h"
#include "run/approver.h"
#include "run/run.h"
#include "run/store.h"
#include "wire/sign.h"

struct il__approver { struct il_str id; struct il__strs roles; struct il__public_key key; };

enum il__purpose {
    IL__FOR_STEP,          /* the request of a step */
    IL__FOR_RECOVER, IL__FOR_RELEASE_LEASE, IL__FOR_RELEASE_TARGET,
    IL__FOR_CONTROL,       /* pause, stop, emergency stop */
    IL__FOR_LATE           /* nobody waits any more; what it grants is given back */
};

struct il__op {            /* one operation in flight; its token is slot + generation */
    uint64_t token;        /* 0: the slot is free */
    uint32_t generation;
    enum il_op op;
    enum il__purpose purpose;
    struct il_run *run;    /* NULL for control */
    int64_t deadline_ms;   /* boot clock; INT64_MAX: none */
    bool completed;        /* its answer stands in the queue */
    struct il__control *control;
};

struct il__arrived {    /* completed, not yet taken by a tick */
    struct il__arrived *next;
    uint64_t token;
    struct il__now at;    /* when: from here on a time to live counts, however late the tick is */
    enum il_code code;
    struct il_str body, reason, message; /* owned, behind the struct */
    bool unsent;
    size_t size;
};

struct il__control {       /* a pause, stop or emergency stop on its way */
    enum il_op op;
    struct il_str session_id, reason; /* behind the struct */
    il_done_fn done;
    void *ctx;
    struct il_error unsaved;  /* why the store does not hold the latch: other processes may not know of the stop */
    size_t size;
};

struct il__latch { struct il__latch *next; struct il_str session_id; size_t size; };

struct il__engine {
    struct il__mem *mem;
    struct il__clock clock;
    struct il__digest *digest;
    struct il__log log;
    il_random_fn random; void *random_ctx;
    il_event_fn event; void *event_ctx;
    il_interrupt_fn interrupt; void *interrupt_ctx;
    const struct il_host_options *options; /* defaults filled in */
    struct il__runtime runtime;
    struct il__workflows workflows;
    struct il__policies policies;
    struct il__policies trials;    /* asked beside them, and never heard (trial.h); evaluate NULL: none */
    struct il__store store;
    struct il__tally tally; /* without a store: what is counted over the runs of this host */
    /* IL_CONFLICT: a witness knows of more than this store holds of its chain or of the run, which is a copy of an
     * earlier day; any other code: it cannot be trusted at all. NULL: nobody is asked. */
    enum il_code (*witness)(void *ctx, struct il_str run_id, struct il_error *err); void *witness_ctx;
    enum il_code (*kill_switch)(void *ctx, struct il_error *err); void *kill_switch_ctx; /* IL_OK: off. NULL: none */
    struct il_str config_digest;   /* of the configuration the host was set up from; absent: none */
    struct il__approver *approvers;
    size_t approver_count;
    bool approvers_sign;    /* they have keys: a decision that is not signed is none */
    struct il__approver_port approver_port; /* grants at the server (grant.h) */
    struct il__grant_wait *grants;
    uint64_t grant_token;

    struct il_run *runs;
    struct il_run *queue_first, *queue_last;   /* to move */
    struct il_run *line_first, *line_last;     /* for the lease */
    struct il_run *lease_holder;
    struct il_run *ready_first, *ready_last;   /* to resume or to close; any number may end at once */
    struct il_run *flush_first, *flush_last;   /* wait for the disk; one flush is for all of them */
    struct il_run **heap; size_t heap_count, heap_cap;              /* by wake_ms; heap[0] unused */
    uint32_t run_count, freed, moving, waiting, in_flight;
    struct il__op *ops; size_t op_cap;
    struct il__arrived *done_first, *done_last;
    struct il__now arrived; /* of the answer that is being taken */
    struct il__latch *latches;
    bool emergency;
    bool look_again;        /* letters were left that could not be taken */
    size_t gone_after;      /* the process ends, as it were, with this record of a run (il__engine_gone); 0: never */
    bool ticking;
    bool clearing;          /* the host is being freed: nobody waits for an answer any more */
    struct il__buf body, event_json, record, part, claims; /* scratch */
};

enum il_code il__engine_init(struct il__engine *e, struct il__mem *mem, const struct il_host_options *options,
                             struct il_error *err) IL_MUST_USE;
/* Ends what moves or waits, then frees everything. */
void il__engine_clear(struct il__engine *e);
/* For scenarios: has the process ended with the last record of this run? From there on it writes nothing and asks for
 * nothing; il__engine_forget makes an end of it. Records of policies on trial are not counted. */
bool il__engine_gone(const struct il_run *run);
/* As if the process ended here: runs and requests in flight are gone, nothing is noted, sent or given back; the runtime
 * and the store stay, and what comes for a request that was in flight finds nobody. Not from a tick. */
void il__engine_forget(struct il__engine *e);
enum il_code il__engine_tick(struct il__engine *e, uint32_t budget_us, struct il_tick *out, struct il_error *err);
/* The sink for adapters: queues the completion for the next tick; may be called inside `begin`. */
enum il_code il__engine_complete(struct il__engine *e, const struct il__answer_in *answer, struct il_error *err);
/* A copy of an answer, with the time at which it came; freed by whoever takes it. */
enum il_code il__arrived_new(struct il__engine *e, const struct il__answer_in *answer, struct il__arrived **out,
                             struct il_error *err) IL_MUST_USE;
/* The sink for the approver port. No token of a runtime means anything here, nor one of here there. */
enum il_code il__engine_granted(struct il__engine *e, const struct il__answer_in *answer, struct il_error *err);

enum il_code il__run_new(struct il__engine *e, const struct il_run_options *options, struct il_run **out,
                         struct il_error *err) IL_MUST_USE;
/* The same with an id that was made before (il__run_new_id), as the successor of another run. */
enum il_code il__run_new_as(struct il__engine *e, const struct il_run_options *options, const char *id,
                            struct il_str supersedes, struct il_run **out, struct il_error *err);
/* Its pieces, which resume shares. A run belongs to the engine's list once it is enlisted. */
enum il_code il__run_new_id(struct il__engine *e, char out[40], struct il_error *err) IL_MUST_USE;
enum il_code il__run_alloc(struct il__engine *e, struct il_run **out, struct il_error *err) IL_MUST_USE;
enum il_code il__run_take_identity(struct il_run *run, const struct il_run_options *o, struct il_error *err)
    IL_MUST_USE;
enum il_code il__run_pin_workflow(struct il_run *run, struct il_error *err) IL_MUST_USE;
enum il_code il__run_take_proposal(struct il_run *run, struct il_str json, struct il_error *err) IL_MUST_USE;
void il__run_enlist(struct il_run *run);
/* A waiting run that outlives this host: it is left in the store. */
bool il__run_stays(const struct il_run *run);
/* Forgets a waiting run, which goes on waiting in the store. IL_CONFLICT: it does not wait, or there is no store. */
enum il_code il__run_leave(struct il_run *run, struct il_error *err);
/* Allowed at any time, also from a callback: with `later` nothing but a note is made, for the next tick. */
void il__run_free(struct il_run *run, bool later);
/* Gives the memory back; for a run that ended and has nothing in flight. */
void il__run_destroy(struct il_run *run);
enum il_code il__run_answer(struct il_run *run, struct il_str json, bool require_request_id, struct il_error *err);
enum il_code il__run_decide(struct il_run *run, const struct il_decision *decision, struct il_error *err);
/* Asks the approver port for the grant of the open request; on IL_OK `done` hears the end exactly once. */
enum il_code il__run_obtain_grant(struct il_run *run, struct il_str request_id, struct il_str action_digest,
                                  struct il_str policy_digest, il_done_fn done, void *ctx, struct il_error *err);
enum il_code il__run_cancel(struct il_run *run, struct il_str reason, struct il_error *err);
enum il_code il__run_document(struct il_run *run, struct il_str *out, struct il_error *err);
enum il_code il__run_card(struct il_run *run, struct il_str *out, struct il_error *err);
void il__run_summary(const struct il_run *run, struct il_summary *out);

enum il_code il__engine_stop(struct il__engine *e, enum il_op op, struct il_str session_id, struct il_str reason,
                             il_done_fn done, void *ctx, struct il_error *err);
/* Only the latch of it: for who may not enter now. False: no memory for one session, every session is stopped. */
bool il__engine_latch(struct il__engine *e, enum il_op op, struct il_str session_id);
/* The runtime answered (or never will). */
void il__control_answer(struct il__engine *e, struct il__control *control, const struct il__answer_in *answer);
enum il_code il__engine_lift(struct il__engine *e, struct il_str session_id, struct il_error *err);

#endif
