/* One governed action, from proposal to result: the state of a run, and the few functions that may change it.
 *
 * Who changes what: an object is kept by the `accept` of its step alone, after it was checked and journaled (preview.c,
 * hold.c, execute.c); `state.c` alone sets where the run stands; `step.c` holds the table of steps: when each may be
 * asked, what is checked before, what goes out, how the answer is taken. Scripts see a run only through the views of
 * src/script, which read what facts.h hands out. */
#ifndef IL_RUN_RUN_H
#define IL_RUN_RUN_H

#include "check/approve.h"
#include "check/args_digest.h"
#include "check/bind.h"
#include "check/fresh.h"
#include "check/outcome.h"
#include "check/scope.h"
#include "check/verdict.h"
#include "run/journal.h"
#include "run/policy.h"
#include "run/runtime.h"
#include "run/workflow.h"

struct il__engine;
/* `failed`: why the disk does not hold it; NULL: it does. */
typedef void (*il__then_fn)(struct il_run *run, struct il_error *failed);

/* Where a run stands; set by il__run_set_state only. */
#define IL__STATES(X) \
    X(QUEUED)    /* started, waits for its turn to move */ \
    X(READY)     /* the workflow can be resumed */ \
    X(BUSY)      /* requests of a step are in flight */ \
    X(IN_LINE)   /* waits for the one lease of the host */ \
    X(WAITING)   /* waits for people; no script is alive */ \
    X(CLOSING)   /* the workflow is over: the core verifies and releases */ \
    X(ENDED)
enum il__state {
#define IL__X(name) IL__STATE_##name,
    IL__STATES(IL__X)
#undef IL__X
    IL__STATE_COUNT
};

enum { IL__JOURNAL_VERSION = 1 }; /* of the records and their bodies (src/README.md) */

/* How a run ended (SPEC §7); IL__END_NONE while it has not. */
#define IL__ENDS(X) \
    X(NONE, "moving") X(COMPLETED, "completed") X(COMMITTED_UNVERIFIED, "committed_unverified") \
    X(VERIFICATION_FAILED, "verification_failed") X(PREVIEWED, "previewed") X(BLOCKED, "blocked") X(DENIED, "denied") \
    X(EXPIRED, "expired") X(REFUSED, "refused") X(CANCELLED, "cancelled") X(FAILED, "failed") \
    X(INDETERMINATE, "indeterminate")
enum il__end {
#define IL__X(name, text) IL__END_##name,
    IL__ENDS(IL__X)
#undef IL__X
    IL__END_COUNT
};
extern const char *const il__end_names[];

/* What has happened; bits of il_run.done, set by apply only. The step table is written in them. */
enum {
    IL__DID_PREVIEW = 1,     /* a preview was accepted and stands in the channel */
    IL__DID_RESERVE = 2,     /* reserve was asked and answered (perhaps with none) */
    IL__DID_LEASE = 4,       /* a lease was bound */
    IL__DID_SEND = 8,        /* the mutation may have left */
    IL__DID_RECEIPT = 16,    /* a receipt was bound */
    IL__DID_OUTCOME = 32,    /* the outcome is computed */
    IL__DID_ASK_LEASE = 64,  /* a lease was asked for */
    IL__DID_PROPOSE = 128    /* the policies' propose phase was asked */
};

struct il__held {                  /* something to give back */
    bool held;                     /* returned by the runtime and not yet given back */
    bool tried;                    /* one attempt each per process life */
    bool foreign;                  /* names another session or principal: reported, never released */
    struct il_str id;              /* its id, for the release; absent where none could be read */
    char room[160];                /* for all but very long ids: noting one must not need memory */
};

struct il__wait {                  /* the open request, if any */
    bool open;
    bool propose;                  /* before the preview: bound to the proposal digest alone */
    char request_id[40];
    struct il__deadline deadline;
};

enum { IL__SENDS_MAX = 2 };        /* the second only after `not_started` (SPEC §10) */
struct il__sending {               /* what a permit is for: its context */
    struct il_run *run;
    unsigned number;               /* of the send, from 1 */
};

struct il__counted {               /* what one policy counts the action against */
    struct il__claim claim;
    struct il_str policy;
    enum il__level level;          /* of the policy */
    bool told;                     /* people were asked to override this limit, by name */
};
struct il__trial_override { struct il_str policy, code, reason; }; /* a soft deny of a policy on trial */

struct il__answered {              /* one ask of the workflow */
    struct il__ask ask;
    size_t observed[3];            /* observe: the records of its answers, 0: none */
};

struct il_run {
    struct il__engine *engine;
    struct il_run *next;           /* all runs of the engine */
    struct il_run *next_queued, *prev_queued; /* the line of queued runs, or (next only) of the lease */
    struct il_run *next_ready;     /* runs to resume or to close */
    bool in_queue, in_ready;
    size_t heap_at;                /* place in the heap of deadlines, 0: none */
    int64_t wake_ms;               /* boot clock: when time alone changes something */
    char id[40], action_id[40];
    struct il__arena arena;        /* everything below that is text */
    bool freed;                    /* the handle was given back: free when ended and nothing is in flight */
    uint64_t fence;                /* which owner of the run this is; 0: it lives in memory alone */
    il__then_fn then;              /* what goes on when the records so far are on disk (durable.h) */
    struct il_run *next_flush;
    bool in_flush;
    int64_t created_ms;            /* wall clock of record 0 */
    uint64_t letter;               /* the letter being taken, 0: none */
    uint64_t last_letter;          /* the latest that was taken; it may lie in the store until its record is written */
    uint32_t in_flight;            /* requests not completed, late ones included */

    struct il__identity identity;
    struct il__deadline identity_deadline; /* set when the identity expires */
    struct il_str session_id, agent_id, group_id, operation;
    struct il_str workflow_name, workflow_source;
    struct il_str supersedes;      /* the run that this one renews; absent: none */
    char successor[40];            /* the run that renews this one, "": none */
    struct il__json proposal_doc;
    struct il__proposal proposal;
    char proposal_digest[IL__SHA256_HEX];

    enum il__state state;
    unsigned done;                 /* IL__DID_* */
    uint32_t steps, requests;      /* counted against run_steps and run_requests */

    /* Replay: the asks that the workflow has had answered, in order. */
    struct il__answered *asks;
    size_t ask_count, ask_cap, replay;
    const struct il__workflow_ops *workflow;
    void *workflow_self;
    const struct il__step *step;   /* the step in progress, NULL between steps */
    unsigned see_left;             /* observe: answers still missing */

    struct il__json observed[3];   /* capabilities, visual, semantic: the last answers */
    bool observed_set[3];

    struct il__json preview_doc;
    struct il__preview preview;
    bool judged_preview;           /* the policies' preview phase is over */
    unsigned entries;              /* of the preview channel; exactly one, or nothing goes on (I1) */
    char envelope_digest[IL__SHA256_HEX]; /* canonical text of the accepted envelope, unknown members included (I11) */
    char own_args_digest[IL__SHA256_HEX]; /* "" where the runtime's rule cannot be computed */
    struct il__deadline envelope_deadline;
    enum il__route route;
    struct il_str block_reason;    /* why the run is blocked: the blocker, policy_denied, policy_error */
    bool policy_blocked;
    struct il_error block_error;   /* the policy's reason; code IL_OK: the runtime's route blocks */

    struct il__counted *claims;    /* of all phases; room for IL__LIMIT_LIMIT_CLAIMS, made with the first */
    size_t claim_count;
    struct il__strs units;         /* the keys of which the intent consumed a unit */
    bool remembered;               /* the history knows of it, from its intent on */
    struct il__tried *tried;       /* what bundles on trial would have otherwise (trial.h): the first of them */
    size_t tried_kept, tried_count;
    struct il__trial_override *trial_overrides;
    size_t trial_override_count;

    /* Needs and votes of the propose wait come first, those of the later wait after them. */
    struct il__need *needs;        /* room for IL__LIMIT_NEEDS, made with the first policy */
    size_t need_count, propose_needs;
    struct il__vote *votes;        /* room for IL__LIMIT_DECISIONS */
    size_t vote_count, propose_votes;
    struct il__wait wait;
    bool denied_late;              /* a deny came after the send was begun: it holds back what has not left */
    bool runtime_met;              /* the runtime need was answered */
    struct il_str grant_id;        /* with this grant; absent: runtime-held */
    struct il__json answer_doc;
    struct il__answer answer;      /* the answer that met it, checked again at execute */
    struct il__deadline grant_deadline;

    struct il__json reservation_doc;
    struct il__reservation reservation;
    struct il__deadline reservation_deadline;
    bool has_reservation;          /* bound */
    struct il__held reserved;
    struct il__json lease_doc;
    struct il__lease lease;
    struct il__lease lease_shown;  /* to scripts: its id is a digest prefix (SPEC §9) */
    char lease_mask[24];
    struct il__deadline lease_deadline;
    bool has_lease;                /* bound */
    struct il__held leased;
    bool holds_line;               /* this run is the one that may hold the host's lease */

    unsigned sends;                /* so many have left or wait to */
    struct il__sending sending[IL__SENDS_MAX];
    enum il_code send_failed; /* why there is no receipt yet: transport, timeout, runtime, decode, identity_mismatch */
    bool recovered;                /* recover was asked since the last send */
    struct il__json receipt_doc;
    struct il__receipt receipt;
    struct il__json evidence_doc;  /* what the port's verify returned */
    bool has_evidence;
    struct il__outcome_detail outcome;
    enum il_effect effect;

    enum il__end end;
    struct il_error error;         /* the first failure; its cleanup members a release failure */
    bool restoring;                /* being rebuilt from its journal: nothing is noted, told or asked */
    bool barred;                   /* resumed: what the policies say now forbids a second send */
    bool reloading, tightened;     /* other bundles than before are asked; they added a need */
    bool stopped;                  /* restored: it was over before its process ended */
    unsigned open_ops;             /* restored: bits of enum il_op whose request has no answer in the journal */
    struct il__instant asked_at;   /* restored: when the last of them went out */
    struct il__instant last_wall;  /* restored: of the last record */
    bool rebooted;                 /* resumed in another boot: only the wall clock counts for what came before */
    struct il__policies policies;  /* that judge it (reload.h) */
    char policies_digest[IL__DIGEST_TEXT]; /* of the bundles that judged last, "" without */
    bool cancelled;                /* asked to end before the send */
    bool release_failed;
    bool closed;                   /* its end stands in the journal */
    struct il__journal journal;
    struct il__buf document;       /* il_run_document */
    struct il__buf card;
    char card_digest[IL__SHA256_HEX];
};

#endif
