/* The keys that tokens are checked with: a local JWK Set, read once. Uses contract/jwks.h for the document and
 * wire/jwk.h for the keys. Keys never come from a token, nor from the net. */
#ifndef IL_CHECK_JWKS_H
#define IL_CHECK_JWKS_H

#include "base/mem.h"
#include "wire/jwk.h"

struct il__jwks;

/* Reads a set: every key of it must be OKP with Ed25519, EC with P-256, or RSA, for signatures; a private member, two
 * keys of one `kid`, and, where there are more keys than one, a key without `kid` are refused. `decode`, object
 * `identity keys`, the place as JSON pointer; or out_of_memory. */
enum il_code il__jwks_new(struct il__mem *mem, struct il_str json, struct il__jwks **out,
                          struct il_error *err) IL_MUST_USE;
void il__jwks_free(struct il__jwks *set); /* NULL is accepted */
size_t il__jwks_count(const struct il__jwks *set);
/* The key of that name; the only key also for an absent `kid`, and for any when it has no name itself. NULL: there is
 * none. */
const struct il__jwk *il__jwks_find(const struct il__jwks *set, struct il_str kid);

#endif
