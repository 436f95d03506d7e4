/* Journals as they leave the store: a line of JSON for each record, values masked. Reads records, and the salts,
 * through the store port. Must never let a ticket or a masked value out. */
#ifndef IL_EVIDENCE_EXPORT_H
#define IL_EVIDENCE_EXPORT_H

#include "evidence/mask.h"
#include "evidence/proof.h"

/* As il_audit_export; the options of `call` are not looked at. */
enum il_code il__export(const struct il__audit_call *call, const struct il_export_options *options, il_line_fn fn,
                        void *ctx, struct il_error *err) IL_MUST_USE;
/* As il_audit_salt. */
enum il_code il__export_salt(const struct il__audit_call *call, struct il_str run_id, uint64_t seq,
                             uint8_t salt[IL__SALT_BYTES], struct il_error *err) IL_MUST_USE;

#endif
