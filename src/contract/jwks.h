/* A set of public keys as a document: JWK Set (RFC 7517) with the public members of RFC 7518 §6 and RFC 8037 §2,
 * closed. Uses the schema engine. Whether the members make a key is src/check/jwks.h's to say. */
#ifndef IL_CONTRACT_JWKS_H
#define IL_CONTRACT_JWKS_H

#include "contract/schema.h"

struct il__jwk_doc {
    struct il_str kty, kid, alg, use;
    struct il__strs key_ops;
    struct il_str crv, x, y, n, e; /* base64url */
    struct il_str x5u, x5t, x5t_s256;
    struct il__strs x5c;
};

struct il__jwks_doc {
    struct il__objects keys; /* of struct il__jwk_doc */
};
extern const struct il__schema il__jwks_schema;

#endif
