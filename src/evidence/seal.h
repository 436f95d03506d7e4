/* Evaluation receipts (SPEC §9): sealed with a digest over their canonical text, checked with every claim they make,
 * signed in an envelope beside them. Uses the contract of evaluation receipts and dsse.h. A seal proves that nothing
 * was changed since, and nothing else: only a signature says who stands behind it. */
#ifndef IL_EVIDENCE_SEAL_H
#define IL_EVIDENCE_SEAL_H

#include "wire/sign.h"

/* The type of the payload in the envelope of a signed receipt. */
#define IL__RECEIPT_TYPE "application/vnd.interlock.evaluation-receipt+json"

/* Appends the sealed receipt, as canonical text (members sorted by their UTF-8 bytes, no blanks). `receipt` may have
 * any receiptDigest, or none; it is replaced. Refused with `decode` what is no receipt, or claims too little. */
enum il_code il__receipt_seal(struct il__mem *mem, struct il_str receipt, struct il__buf *out,
                              struct il_error *err) IL_MUST_USE;
/* Checks a sealed receipt: its form, every claim and the digest. `decode`: no strict JSON object at all.
 * `identity_mismatch`: it was read and does not hold; field, expected and actual say what. On IL_OK the canonical text
 * is appended to `out` (may be NULL). */
enum il_code il__receipt_verify(struct il__mem *mem, struct il_str receipt, struct il__buf *out,
                                struct il_error *err) IL_MUST_USE;
/* Appends the envelope with the key's signature over a sealed receipt, which is verified first. */
enum il_code il__receipt_sign(struct il__mem *mem, struct il_str receipt, const struct il__sign_key *key,
                              struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* Verifies the receipt, then that `envelope` holds the key's signature over it, whatever blanks the receipt has.
 * `identity_mismatch` as in il__receipt_verify and il__dsse_open, and with the field `payload` where another receipt
 * was signed. */
enum il_code il__receipt_check_signature(struct il__mem *mem, struct il_str receipt, struct il_str envelope,
                                         const struct il__public_key *key, struct il_error *err) IL_MUST_USE;

#endif
