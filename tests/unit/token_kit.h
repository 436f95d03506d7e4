/* For tests of tokens: fresh keys of each algorithm, as members of a key set, and tokens signed with them. All texts
 * are of malloc; what fails ends the program. */
#ifndef TOKEN_KIT_H
#define TOKEN_KIT_H

#include "wire/jwk.h"

struct signer {
    enum il__jwk_alg alg;
    void *pkey;
};

struct signer signer_new(enum il__jwk_alg alg);
void signer_free(struct signer *signer);
/* The public key as a JWK; `kid` NULL: none; `more` are members with a comma in front, or NULL. */
char *signer_jwk(const struct signer *signer, const char *kid, const char *more);
/* A set of the `count` keys k0, k1...; one key alone has no name. */
char *signer_set(const struct signer *signers, size_t count);
char *token_base64url(const void *bytes, size_t len);
/* base64url(header).base64url(claims) */
char *token_input(const char *header, const char *claims);
/* Input and signature. */
char *token_sign(const struct signer *signer, const char *header, const char *claims);
/* Input and an HMAC-SHA-256 with `secret`. */
char *token_hmac(const char *secret, const char *header, const char *claims);
/* Input and this as the third part. */
char *token_with(const char *header, const char *claims, const char *third);

#endif
