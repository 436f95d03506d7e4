/* Public keys that check signatures of tokens: Ed25519 (RFC 8037), P-256 and RSA (RFC 7518 §6), one algorithm each.
 * Owns OpenSSL's side of it. A key checks with the algorithm it was made for and with no other, so that nobody can
 * have a public RSA key taken for the secret of an HMAC. */
#ifndef IL_WIRE_JWK_H
#define IL_WIRE_JWK_H

#include "base/mem.h"

#include <stdint.h>

enum il__jwk_alg { IL__JWK_EDDSA, IL__JWK_ES256, IL__JWK_RS256, IL__JWK_ALG_COUNT };
extern const char *const il__jwk_alg_names[]; /* "EdDSA", "ES256", "RS256", NULL */

enum { IL__JWK_RSA_BITS_LEAST = 2048, IL__JWK_RSA_BITS_MOST = 8192 };

struct il__jwk;

/* A key from its members as bytes: `a` is x (Ed25519, P-256) or n (RSA), `b` is y (P-256) or e (RSA), else absent.
 * NULL, and `*why` a static text: the wrong length, a point that is not on the curve, a modulus of fewer than 2048 or
 * more than 8192 bits or with a leading zero, an exponent that is even, 1, or longer than 8 bytes; "out of memory". */
struct il__jwk *il__jwk_new(struct il__mem *mem, enum il__jwk_alg alg, struct il_str a, struct il_str b,
                            const char **why);
void il__jwk_free(struct il__jwk *key); /* NULL is accepted */
enum il__jwk_alg il__jwk_alg(const struct il__jwk *key);
/* True when `signature` (RFC 7518 §3: raw r and s for ES256) is this key's over `text`. */
bool il__jwk_verify(const struct il__jwk *key, struct il_str text, struct il_str signature);

#endif
