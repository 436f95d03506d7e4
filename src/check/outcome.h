/* SPEC §7: the outcome of a run from the receipt, the declared postcondition and the verification evidence. Absence of
 * evidence is never evidence of success. */
#ifndef IL_CHECK_OUTCOME_H
#define IL_CHECK_OUTCOME_H

#include "contract/action.h"
#include "contract/receipt.h"
#include "contract/session.h"

enum il__outcome { IL__FAILED, IL__COMMITTED_UNVERIFIED, IL__VERIFIED };
extern const char *const il__outcome_names[]; /* "Failed", "CommittedUnverified", "Verified" */

struct il__outcome_detail {
    enum il__outcome outcome;
    bool verified, committed;
    const char *status;       /* "completed", "committed_unverified", "verification_failed" */
    enum il_effect effect;    /* of the receipt: committed, none (rejected), unknown (interrupted, indeterminate) */
    bool retry_safe;
    char detail[240];         /* why it is short of Verified; empty for Verified */
    bool server_event;        /* evidence: "server_event" */
};

/* `evidence` is what the port's verify returned (absent: nothing); `events` (count may be 0) are the session's events.
 * `receipt` must be bound already. */
struct il__outcome_detail il__outcome_of(const struct il__receipt *receipt, const struct il__postcondition *declared,
                                         struct il__any evidence, const struct il__event *const *events,
                                         size_t event_count, bool accept_server_verification);
/* One piece of evidence against the table: the `verification` object itself. */
enum il__outcome il__outcome_of_evidence(const struct il__postcondition *declared, struct il__any verification);

#endif
