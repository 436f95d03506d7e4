/* A decision that its author signed (SPEC §6): {decision, signature, keyId}, all closed. The signature is over the
 * canonical text (RFC 8785) of the member `decision`. Uses the schema engine. What it says is held against the run, and
 * the signature against the key, in src/check/decision.h. */
#ifndef IL_CONTRACT_DECISION_H
#define IL_CONTRACT_DECISION_H

#include "contract/approval.h"

#define IL__DECISION_TYPE "interlock/decision/v1"

struct il__decided {
    struct il_str type, host, run, request;
    struct il_str action_digest, policy_digest; /* absent before a preview; then null stands in the document */
    struct il_str host_policy_digest;           /* absent: the host has no policies */
    struct il_str proposal_digest, card_digest;
    int decision; /* enum il__decision */
    struct il_str reason; /* absent: none was given */
    struct il_str approver, issued_at, expires_at;
};
extern const struct il__schema il__decided_schema;

struct il__signed_decision {
    const struct il__decided *decision;
    struct il_str signature; /* base64 */
    struct il_str key_id;
};
extern const struct il__schema il__signed_decision_schema;

#endif
