/* SPEC §3: binds what the runtime returned to the request that produced it. One function per row of the table, the
 * checks in its order, the fields under its names. */
#ifndef IL_CHECK_BIND_H
#define IL_CHECK_BIND_H

#include "check/checker.h"
#include "contract/action.h"
#include "contract/lease.h"
#include "contract/receipt.h"
#include "contract/reservation.h"

/* What was proposed and sent: the host's ids and the proposal with its effective operation. */
struct il__asked {
    struct il_str session_id, principal_id, agent_id, execution_group_id, action_id, operation;
    const struct il__proposal *proposal;
};

/* "envelope, on preview and again at execute". `own_digest` is our computation of args_digest, absent where the
 * runtime's rule cannot be computed. */
void il__check_envelope(struct il__checker *ck, const struct il__envelope *env, struct il_str own_digest,
                        struct il__instant now);
/* "envelope against what was proposed". */
void il__check_echo(struct il__checker *ck, const struct il__envelope *env, const struct il__asked *asked);
/* The lease, boundaries included (check/boundary.h). */
void il__check_lease(struct il__checker *ck, const struct il__lease *lease, const struct il__envelope *env,
                     struct il__instant now);
void il__check_reservation(struct il__checker *ck, const struct il__reservation *res, const struct il__envelope *env,
                           struct il__instant now);
void il__check_receipt(struct il__checker *ck, const struct il__receipt *receipt, const struct il__envelope *env);

#endif
