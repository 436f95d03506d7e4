/* Signed decisions (SPEC §6): made from what a run waits for, and held against it. Pure: decides over the document, the
 * approver's key, what the run holds, and now. Every refusal of a check is `approval_mismatch`, object `signed
 * decision`. */
#ifndef IL_CHECK_DECISION_H
#define IL_CHECK_DECISION_H

#include "base/buf.h"
#include "check/checker.h"
#include "contract/decision.h"
#include "wire/sign.h"

/* What is decided on; what a decision says must be exactly this. */
struct il__decision_facts {
    struct il_str host, run, request;
    struct il_str action_digest, policy_digest; /* absent in a propose wait */
    struct il_str host_policy_digest;           /* absent: no policies */
    struct il_str proposal_digest, card_digest;
};

struct il__decision_read {
    struct il__json doc;
    struct il__signed_decision said; /* slices of `doc` */
    struct il__buf text;             /* the canonical text that the signature is over */
};
/* Reads {decision, signature, keyId}; `in` must be zeroed. `decode` on failure; il__decision_clear follows either way.
 */
enum il_code il__decision_read(struct il__decision_read *in, struct il__mem *mem, struct il_str json,
                               struct il_error *err) IL_MUST_USE;
void il__decision_clear(struct il__decision_read *in);

/* Fields `keyId` and `signature`: it is this key's, over exactly what was read. */
void il__check_signed(struct il__checker *ck, const struct il__decision_read *in, const struct il__public_key *key);
/* Every member against the facts: type, host, run, request (never shown), digests, issued_at and expires_at readable,
 * not expired. `consumed`: of a request that is over only a deny is taken, and its digests are of a card that is gone;
 * they are not compared then, but for the proposal's. */
void il__check_decided(struct il__checker *ck, const struct il__decided *said, const struct il__decision_facts *facts,
                       bool consumed, struct il__instant now);

/* Appends the signed document. `said->type` is filled in here. */
enum il_code il__decision_sign(const struct il__decided *said, const struct il__sign_key *key, struct il__mem *mem,
                               struct il__buf *out, struct il_error *err) IL_MUST_USE;

#endif
