/* Signing a head of a store, and proving to somebody who has no store that a record was in it. Uses the audit: must
 * never sign or prove what does not hold. */
#ifndef IL_EVIDENCE_PROOF_H
#define IL_EVIDENCE_PROOF_H

#include "base/clock.h"
#include "evidence/audit.h"

#define IL__PROOF_TYPE "interlock/proof/v1"

/* What a call works with. */
struct il__audit_call {
    struct il__mem *mem;
    struct il__digest *digest;
    const struct il__store *store;
    const struct il_audit_options *options;
};

/* Audits, signs, adds the link, appends the line to `out`. Fails as il_audit_head does. */
enum il_code il__store_head(const struct il__audit_call *call, const struct il__sign_key *key,
                            const struct il__clock *clock, struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* Appends the proof of record `seq` of the run of the options. Fails as il_audit_proof does. */
enum il_code il__proof_write(const struct il__audit_call *call, uint64_t seq, struct il__buf *out,
                             struct il_error *err) IL_MUST_USE;
/* Checks a proof; needs no store. Fails as il_audit_check_proof does. */
enum il_code il__proof_check(struct il__mem *mem, struct il__digest *digest, struct il_str proof,
                             const struct il__public_key *keys, size_t key_count, struct il__buf *out,
                             struct il_error *err) IL_MUST_USE;

#endif
