/* Whose bundles are loaded (SPEC §5): a bundle is signed by a DSSE envelope, bundle.sig, over a statement of its name,
 * version, files and digest, parameters aside. With keys a bundle must carry a signature of one of them; without, one
 * that is there must at least state this very bundle. Uses evidence/dsse.h. Must never let a bundle pass that it could
 * not check. */
#ifndef IL_HOST_BUNDLE_TRUST_H
#define IL_HOST_BUNDLE_TRUST_H

#include "script/bundle.h"
#include "wire/sign.h"

#define IL__BUNDLE_TYPE "application/vnd.interlock.policy-bundle+json"

struct il__bundle_trust {
    struct il__mem *mem;
    struct il__public_key keys[IL__LIMIT_BUNDLE_KEYS];
    size_t count; /* 0: no key is trusted, and none is asked for */
};

/* Takes the texts of public keys (sign.h) in place of those that are there; on failure they stay. `mem` outlives it. */
enum il_code il__bundle_trust_set(struct il__bundle_trust *trust, struct il__mem *mem, const struct il_str *keys,
                                  size_t count, struct il_error *err) IL_MUST_USE;
/* May this bundle be loaded? `ctx` is a struct il__bundle_trust: the `admit` of il__policy_set_options.
 * IL_POLICY_ERROR: no; `err` names the file and what is wrong with it. */
enum il_code il__bundle_trust_check(void *ctx, const struct il__bundle *bundle, struct il_error *err) IL_MUST_USE;
/* The id of the key that signed it, "" when none is trusted or it is not signed by one; a bundle that was checked. */
enum il_code il__bundle_trust_signer(struct il__bundle_trust *trust, const struct il__bundle *bundle,
                                     char id[IL__KEY_ID], struct il_error *err) IL_MUST_USE;
/* Appends the envelope for bundle.sig. */
enum il_code il__bundle_trust_sign(struct il__mem *mem, const struct il__bundle *bundle, const struct il__sign_key *key,
                                   struct il__buf *out, struct il_error *err) IL_MUST_USE;

#endif
