/* Ed25519 (RFC 8032): key pairs, signing, checking, and the texts that keys have: base64 of the 32 bytes and PEM for a
 * public key, PKCS#8 PEM for a private one. Uses OpenSSL, which this folder owns. A private key lies in one place, the
 * caller's `struct il__sign_key`, and is wiped by il__sign_key_clear; files are key_file.h. Must never print a private
 * key into an error, and must never take a public key that would make a signature easy to forge. */
#ifndef IL_WIRE_SIGN_H
#define IL_WIRE_SIGN_H

#include "base/buf.h"

#include <stdint.h>

enum {
    IL__KEY_BYTES = 32,       /* a public key, and the seed that a private key is made from */
    IL__SIGNATURE_BYTES = 64,
    IL__KEY_TEXT = 45,        /* base64 of a public key, with its NUL */
    IL__KEY_ID = 17,          /* 16 hex digits and a NUL */
    IL__KEY_PEM = 160         /* room for a key of either kind as PEM, with its NUL */
};

struct il__public_key {
    uint8_t raw[IL__KEY_BYTES];
};
struct il__sign_key {
    uint8_t seed[IL__KEY_BYTES]; /* secret */
    struct il__public_key public;
};

/* A fresh pair; `random` fills the seed (NULL: the system's generator). On failure `key` is wiped: `unsupported` when
 * random bytes or Ed25519 cannot be had. */
enum il_code il__sign_key_new(struct il__sign_key *key, il_random_fn random, void *ctx,
                              struct il_error *err) IL_MUST_USE;
/* The pair of a seed. */
enum il_code il__sign_key_from_seed(struct il__sign_key *key, const uint8_t seed[IL__KEY_BYTES],
                                    struct il_error *err) IL_MUST_USE;
/* Wipes. NULL is accepted. */
void il__sign_key_clear(struct il__sign_key *key);
/* PKCS#8 (RFC 8410 §7), unencrypted, as `openssl genpkey -algorithm ed25519` writes it. Reading takes one block and
 * nothing beside it but blank lines; anything else is `decode`, and says no more of the text than that. */
enum il_code il__sign_key_from_pem(struct il__sign_key *key, struct il_str pem, struct il_error *err) IL_MUST_USE;
/* Returns the length; the caller wipes `out`. */
size_t il__sign_key_pem(const struct il__sign_key *key, char out[IL__KEY_PEM]);

/* Signs `text`. `unsupported` when the library cannot; then `out` is zeroed, which is nobody's signature. */
enum il_code il__sign(const struct il__sign_key *key, struct il_str text, uint8_t out[IL__SIGNATURE_BYTES],
                      struct il_error *err) IL_MUST_USE;
/* True when `signature` is the key's over exactly `text`. Any other length than 64, and whatever the library cannot
 * check, is false. */
bool il__sign_check(const struct il__public_key *key, struct il_str text, struct il_str signature) IL_MUST_USE;

/* The texts of a public key. Reading refuses (`decode`, `err` says what) a wrong length, a second spelling, and the few
 * points of low order, for which anybody can make signatures. */
void il__public_key_text(const struct il__public_key *key, char out[IL__KEY_TEXT]);
enum il_code il__public_key_from_text(struct il__public_key *key, struct il_str text,
                                      struct il_error *err) IL_MUST_USE;
size_t il__public_key_pem(const struct il__public_key *key, char out[IL__KEY_PEM]);
enum il_code il__public_key_from_pem(struct il__public_key *key, struct il_str pem,
                                     struct il_error *err) IL_MUST_USE;
/* Either of them: a text that begins with "-----BEGIN" is PEM. */
enum il_code il__public_key_read(struct il__public_key *key, struct il_str text, struct il_error *err) IL_MUST_USE;
bool il__public_key_eq(const struct il__public_key *a, const struct il__public_key *b);
/* The first 16 hex digits of the SHA-256 of the 32 bytes: names a key, proves nothing. */
void il__public_key_id(const struct il__public_key *key, char out[IL__KEY_ID]);

#endif
