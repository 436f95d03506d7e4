/* Who a token says to be: a JSON Web Token (RFC 7519, JWS compact form of RFC 7515) held against local keys and what
 * the host expects of it (SPEC §8). Pure: no clock, no net. A token proves nothing before all of it passed. */
#ifndef IL_CHECK_JWT_H
#define IL_CHECK_JWT_H

#include "check/jwks.h"
#include "check/scope.h"

enum { IL__JWT_LEEWAY_MS = 60000 }; /* clocks differ: for nbf, iat and exp */

struct il__jwt_rules {
    const struct il__jwks *keys;
    struct il_str issuer, audience; /* must be those of the token; never absent */
    struct il_str tenant_claim;     /* the claim that names the tenant; absent: tokens name none */
};

/* Checks `token` at `now`. On IL_OK `out` holds what it says, in `arena`: `sub` as principal, the tenant, those of the
 * scopes that a mode asks for, and `exp` with the leeway as the end. A token that is no token is `decode`, object
 * `identity token`, with the part and place in `field`. Every other refusal has object `identity` and the claim or
 * header member in `field`: tenant_mismatch for the tenant's, else principal_mismatch. Nothing of the token's
 * signature is ever shown. */
enum il_code il__jwt_check(struct il__mem *mem, const struct il__jwt_rules *rules, struct il_str token,
                           struct il__instant now, struct il__arena *arena, struct il__identity *out,
                           struct il_error *err) IL_MUST_USE;

#endif
