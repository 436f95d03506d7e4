/* Signed statements: a DSSE envelope (Dead Simple Signing Envelope 1.0) with Ed25519 signatures over its payload and
 * the type of its payload, so that one kind of statement is never taken for another. Uses wire/sign. Must never hand
 * out a payload that the given key did not sign, but by il__dsse_peek. */
#ifndef IL_EVIDENCE_DSSE_H
#define IL_EVIDENCE_DSSE_H

#include "wire/sign.h"

/* Appends the envelope {payload, payloadType, signatures [{keyid, sig}]} with one signature; base64 throughout. */
enum il_code il__dsse_sign(struct il__mem *mem, const struct il__sign_key *key, struct il_str type,
                           struct il_str payload, struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* Appends the payload of `envelope` to `out`, after one of its signatures (at most dsse_signatures) proved to be the
 * key's over payload and `type`. Key ids in it are hints for people and decide nothing; members that it does not know
 * are ignored. Refused: `decode` what is no envelope (the place in `field`), `identity_mismatch` another payload type
 * (payloadType) or no signature of this key (signatures), `limit_exceeded`. */
enum il_code il__dsse_open(struct il__mem *mem, const struct il__public_key *key, struct il_str type,
                           struct il_str envelope, struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* Appends the payload of an envelope of this `type`, whoever signed it or nobody: good for one thing, comparing it with
 * a text that is known. `id` (may be NULL) gets the key id that the first signature names, a hint; "" when there is
 * none. Refused as above. */
enum il_code il__dsse_peek(struct il__mem *mem, struct il_str type, struct il_str envelope, struct il__buf *out,
                           char id[IL__KEY_ID], struct il_error *err) IL_MUST_USE;

#endif
