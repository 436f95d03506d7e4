/* SPEC §5: the runtime's route, and what the host's policies add. Nothing here can lower anything: every function is
 * monotone, and a verdict variable starts as deny. */
#ifndef IL_CHECK_VERDICT_H
#define IL_CHECK_VERDICT_H

#include "contract/action.h"

enum il__route { IL__ROUTE_BLOCKED, IL__ROUTE_APPROVAL, IL__ROUTE_ALLOWED };
extern const char *const il__route_names[]; /* "blocked", "approval", "allowed" */

/* The runtime's route. `*reason` (static or a slice of the preview) says why it is blocked: the blocker, else
 * `policy_denied`; absent otherwise. */
enum il__route il__route_of(const struct il__preview *preview, bool accept_standing_grants, struct il_str *reason);

enum il__phase { IL__PHASE_PROPOSE, IL__PHASE_PREVIEW, IL__PHASE_APPROVE, IL__PHASE_EXECUTE };
extern const char *const il__phase_names[];
enum il__level { IL__LEVEL_ADVISORY, IL__LEVEL_SOFT, IL__LEVEL_HARD };
extern const char *const il__level_names[];
enum il__verdict { IL__VERDICT_NONE, IL__VERDICT_ASK, IL__VERDICT_DENY }; /* in order of strictness */
extern const char *const il__verdict_names[];

/* One unit of a counter that the core keeps (SPEC I2 (b)): a policy counts the action against it. */
struct il__claim {
    struct il_str key;        /* "bundle/key": no two bundles share a counter */
    int64_t most;             /* units within `per_ms` */
    int64_t per_ms;
    bool refuses;             /* the core denies when none is left; false: only counted, the policy decides */
    bool none_left;           /* the verdict was given because of it, and says so */
};

/* "limit KEY: 20 of 20 used within 1h", in `out` of `size` bytes, ended and cut; its length. */
size_t il__claim_reason(const struct il__claim *claim, char *out, size_t size);

/* What one policy said in one phase, before its level is applied. */
struct il__said {
    enum il__verdict verdict;
    bool error;               /* raised, over its limits, or no verdict: counts as deny at max(level, soft) */
    enum il__level level;
    struct il_str policy;     /* "bundle/policy" */
    struct il_str code;       /* machine-readable, may be absent */
    struct il_str reason;
    struct il_str remedy;     /* may be absent */
    int64_t approvers;        /* of an ask, at least 1 */
    int64_t timeout_ms;       /* of an ask; 0: the default */
    struct il__strs roles;    /* of an ask */
    int line;                 /* of the script, 0 unknown */
    struct il_str file;       /* that `line` is of, as messages name it; absent: unknown. Not journaled */
    struct il_str asked;      /* canonical JSON array: what history and limits answered; absent: nothing was asked */
    const struct il__claim *claims; /* units to be consumed at execute; `key` and items live as long as `policy` */
    size_t claim_count;
};

/* What it amounts to. */
struct il__ruled {
    enum il__verdict verdict; /* NONE, ASK (a need), or DENY (the run is blocked) */
    bool advisory;            /* reported only; verdict is NONE then */
    bool override_;           /* an ask in place of a soft deny: one approver, mandatory reason, recorded `override` */
    int64_t approvers;
    struct il_str reason;     /* `policy_error` where the policy failed, else the policy's */
};
/* Applies level and phase: soft deny becomes an override ask (not in execute and approve); ask in execute and
 * in approve counts as deny (nobody can be asked any more); in execute a soft deny ends the run unless `overridden` (a
 * decision of this run overrode the same policy and code), an error there is never overridden. */
struct il__ruled il__rule(const struct il__said *said, enum il__phase phase, bool overridden);
/* The stricter of two verdicts. */
enum il__verdict il__verdict_max(enum il__verdict a, enum il__verdict b);

#endif
