/* The audit of a whole store: every chain recomputed, held against the heads that stand in it and those that a witness
 * kept outside. Reads through the store port, one run at a time. Must never call a store intact of which it, or what it
 * was given, knows better; and must never write. */
#ifndef IL_EVIDENCE_AUDIT_H
#define IL_EVIDENCE_AUDIT_H

#include "evidence/links.h"

struct il__audit {
    struct il__mem *mem;
    struct il__digest *digest;
    const struct il__store *store;
    const struct il_audit_options *options;
    struct il__public_key *keys;         /* decoded */
    size_t key_count;
    struct il__head *witness;            /* decoded, of any store */
    size_t witness_count, witness_cap;
    struct il__links links;
    struct il__chain chain;
    bool broken;                         /* the store-level chain: runs cannot be held against it */
    size_t heads_checked, links_at_start;
    struct il_audit_summary summary;
    struct il_error first;               /* the first of the worst findings, as an error */
    struct il__buf *tips;                /* NULL, or where the tips of all runs go */
    uint8_t (*leaves)[IL__SHA256_BYTES]; /* with `tips`: of the tree over them */
    size_t leaf_count, leaf_cap;
};

/* The options must outlive the audit. `extra` (may be NULL) is one more key. Fails as il_audit_verify does. */
enum il_code il__audit_init(struct il__audit *audit, struct il__mem *mem, struct il__digest *digest,
                            const struct il__store *store, const struct il_audit_options *options,
                            const struct il__public_key *extra, struct il_error *err) IL_MUST_USE;
void il__audit_clear(struct il__audit *audit);
enum il_code il__audit_run(struct il__audit *audit, struct il_error *err) IL_MUST_USE;
bool il__audit_believes(const struct il__audit *audit, const struct il__head *head);
/* IL_OK when the verdict was that the store is intact, else IL_CONFLICT. */
enum il_code il__audit_holds(const struct il__audit *audit, struct il_error *err) IL_MUST_USE;

#endif
