/* Ed25519 over OpenSSL's EVP interface, and the texts of keys, written and read here: the two DER forms are constants,
 * so that no decoder of the library ever sees a key file, nor asks a terminal for a password. Every copy of a seed is
 * wiped where it is made. */
#include "wire/sign.h"

#include "base/error.h"
#include "base/secret.h"
#include "wire/base64.h"
#include "wire/digest.h"

#include <openssl/evp.h>
#include <stdio.h>

static const char object[] = "key";

/* RFC 8410 §7 and §4: what stands before the 32 bytes of a private and of a public key. */
static const uint8_t private_der[] = { 0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                       0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20 };
static const uint8_t public_der[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };

struct form {
    const char *label;
    const uint8_t *prefix;
    size_t prefix_len;
};
static const struct form private_form = { "PRIVATE KEY", private_der, sizeof private_der };
static const struct form public_form = { "PUBLIC KEY", public_der, sizeof public_der };
enum { DER_MAX = sizeof private_der + IL__KEY_BYTES, DER_TEXT = IL__BASE64_ROOM(DER_MAX) };

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

enum il_code il__sign_key_from_seed(struct il__sign_key *key, const uint8_t seed[IL__KEY_BYTES], struct il_error *err)
{
    size_t len = IL__KEY_BYTES;
    memmove(key->seed, seed, IL__KEY_BYTES);
    EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key_ex(NULL, "ED25519", NULL, key->seed, IL__KEY_BYTES);
    const bool made = pkey && EVP_PKEY_get_raw_public_key(pkey, key->public.raw, &len) == 1 && len == IL__KEY_BYTES;
    EVP_PKEY_free(pkey);
    if (made) return IL_OK;
    il__sign_key_clear(key);
    return il__fail_at(err, IL_UNSUPPORTED, object, "", "the library of ciphers makes no Ed25519 key");
}

enum il_code il__sign_key_new(struct il__sign_key *key, il_random_fn random, void *ctx, struct il_error *err)
{
    uint8_t seed[IL__KEY_BYTES] = { 0 };
    enum il_code code;
    il__sign_key_clear(key);
    if ((random ? random : il__random_system)(ctx, seed, sizeof seed) != 0)
        code = il__fail_at(err, IL_UNSUPPORTED, object, "", "no random bytes to make a key of");
    else
        code = il__sign_key_from_seed(key, seed, err);
    il__secret_wipe(seed, sizeof seed);
    return code;
}

void il__sign_key_clear(struct il__sign_key *key)
{
    il__secret_wipe(key, sizeof *key);
}

enum il_code il__sign(const struct il__sign_key *key, struct il_str text, uint8_t out[IL__SIGNATURE_BYTES],
                      struct il_error *err)
{
    size_t len = IL__SIGNATURE_BYTES;
    EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key_ex(NULL, "ED25519", NULL, key->seed, IL__KEY_BYTES);
    EVP_MD_CTX *ctx = pkey ? EVP_MD_CTX_new() : NULL;
    const unsigned char *bytes = (const unsigned char *)(text.ptr ? text.ptr : "");
    const bool made = ctx && EVP_DigestSignInit_ex(ctx, NULL, NULL, NULL, NULL, pkey, NULL) == 1 &&
                      EVP_DigestSign(ctx, out, &len, bytes, text.len) == 1 && len == IL__SIGNATURE_BYTES;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);
    if (made) return IL_OK;
    memset(out, 0, IL__SIGNATURE_BYTES);
    return il__fail_at(err, IL_UNSUPPORTED, object, "", "the library of ciphers makes no Ed25519 signature");
}

bool il__sign_check(const struct il__public_key *key, struct il_str text, struct il_str signature)
{
    if (!signature.ptr || signature.len != IL__SIGNATURE_BYTES) return false;
    EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key_ex(NULL, "ED25519", NULL, key->raw, IL__KEY_BYTES);
    EVP_MD_CTX *ctx = pkey ? EVP_MD_CTX_new() : NULL;
    const bool good = ctx && EVP_DigestVerifyInit_ex(ctx, NULL, NULL, NULL, NULL, pkey, NULL) == 1 &&
                      EVP_DigestVerify(ctx, (const unsigned char *)signature.ptr, signature.len,
                                       (const unsigned char *)(text.ptr ? text.ptr : ""), text.len) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);
    return good;
}

/* ---- PEM --------------------------------------------------------------------------------------------------------- */

static size_t pem_write(const struct form *form, const uint8_t raw[IL__KEY_BYTES], char out[IL__KEY_PEM])
{
    uint8_t der[DER_MAX];
    char text[DER_TEXT];
    memcpy(der, form->prefix, form->prefix_len);
    memcpy(der + form->prefix_len, raw, IL__KEY_BYTES);
    il__base64_write(der, form->prefix_len + IL__KEY_BYTES, text);
    const int n =
        snprintf(out, IL__KEY_PEM, "-----BEGIN %s-----\n%s\n-----END %s-----\n", form->label, text, form->label);
    il__secret_wipe(der, sizeof der);
    il__secret_wipe(text, sizeof text);
    return (size_t)n;
}

/* Takes the next line that is not empty, without its CR; false at the end. */
static bool take_line(struct il_str *rest, struct il_str *line)
{
    while (rest->len > 0) {
        const char *nl = memchr(rest->ptr, '\n', rest->len);
        const size_t n = nl ? (size_t)(nl - rest->ptr) : rest->len;
        *line = (struct il_str){ rest->ptr, n };
        rest->ptr += nl ? n + 1 : n;
        rest->len -= nl ? n + 1 : n;
        if (line->len > 0 && line->ptr[line->len - 1] == '\r') line->len--;
        if (line->len > 0) return true;
    }
    return false;
}

static bool is_mark(struct il_str line, const char *which, const char *label)
{
    char mark[48];
    snprintf(mark, sizeof mark, "-----%s %s-----", which, label);
    return il__str_eq(line, il__str(mark));
}

/* One block of the form, and in it one line: both forms are shorter than the 64 characters of a line (RFC 7468). */
static bool pem_read(const struct form *form, struct il_str pem, uint8_t raw[IL__KEY_BYTES])
{
    struct il_str rest = pem, line[4] = { IL_STR_NONE, IL_STR_NONE, IL_STR_NONE, IL_STR_NONE };
    uint8_t der[DER_MAX];
    size_t len = 0, lines = 0;
    if (!pem.ptr) return false;
    while (lines < 4 && take_line(&rest, &line[lines])) lines++;
    const bool good = lines == 3 && is_mark(line[0], "BEGIN", form->label) && is_mark(line[2], "END", form->label) &&
                      il__base64_read(line[1], der, sizeof der, &len) && len == form->prefix_len + IL__KEY_BYTES &&
                      memcmp(der, form->prefix, form->prefix_len) == 0;
    if (good) memcpy(raw, der + form->prefix_len, IL__KEY_BYTES);
    il__secret_wipe(der, sizeof der);
    return good;
}

enum il_code il__sign_key_from_pem(struct il__sign_key *key, struct il_str pem, struct il_error *err)
{
    uint8_t seed[IL__KEY_BYTES] = { 0 };
    enum il_code code;
    il__sign_key_clear(key);
    if (pem_read(&private_form, pem, seed)) code = il__sign_key_from_seed(key, seed, err);
    else code = il__fail_at(err, IL_DECODE, object, "", "not a private Ed25519 key: PKCS#8 in PEM, unencrypted");
    il__secret_wipe(seed, sizeof seed);
    return code;
}

size_t il__sign_key_pem(const struct il__sign_key *key, char out[IL__KEY_PEM])
{
    return pem_write(&private_form, key->seed, out);
}

/* ---- public keys ------------------------------------------------------------------------------------------------- */

/* The y of the points whose order divides 8. Whoever "signs" for one of these needs no secret. */
static const uint8_t low_order[][IL__KEY_BYTES] = {
    { 0 },
    { 1 },
    { 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
      0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
    { 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
      0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
    { 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
};

/* False for y of 2^255 - 19 or more, which is a smaller y in another spelling. */
static bool is_reduced(const uint8_t y[IL__KEY_BYTES])
{
    for (size_t i = IL__KEY_BYTES - 1; i > 0; i--) {
        if (y[i] != (i == IL__KEY_BYTES - 1 ? 0x7f : 0xff)) return true;
    }
    return y[0] < 0xed;
}

static enum il_code admit(struct il__public_key *key, const uint8_t raw[IL__KEY_BYTES], struct il_error *err)
{
    uint8_t y[IL__KEY_BYTES];
    memcpy(y, raw, sizeof y);
    y[IL__KEY_BYTES - 1] &= 0x7f; /* the sign of x */
    if (!is_reduced(y)) return il__fail_at(err, IL_DECODE, object, "", "a second spelling of an Ed25519 key");
    for (size_t i = 0; i < sizeof low_order / sizeof low_order[0]; i++) {
        if (memcmp(y, low_order[i], sizeof y) == 0)
            return il__fail_at(err, IL_DECODE, object, "", "an Ed25519 key for which anybody can make signatures");
    }
    memcpy(key->raw, raw, sizeof key->raw);
    return IL_OK;
}

void il__public_key_text(const struct il__public_key *key, char out[IL__KEY_TEXT])
{
    il__base64_write(key->raw, sizeof key->raw, out);
}

enum il_code il__public_key_from_text(struct il__public_key *key, struct il_str text, struct il_error *err)
{
    uint8_t raw[IL__KEY_BYTES];
    size_t len = 0;
    if (!il__base64_read(text, raw, sizeof raw, &len) || len != sizeof raw)
        return il__fail_at(err, IL_DECODE, object, "", "not a public Ed25519 key: 32 bytes in base64, 44 characters");
    return admit(key, raw, err);
}

size_t il__public_key_pem(const struct il__public_key *key, char out[IL__KEY_PEM])
{
    return pem_write(&public_form, key->raw, out);
}

enum il_code il__public_key_from_pem(struct il__public_key *key, struct il_str pem, struct il_error *err)
{
    uint8_t raw[IL__KEY_BYTES];
    if (pem_read(&public_form, pem, raw)) return admit(key, raw, err);
    return il__fail_at(err, IL_DECODE, object, "", "not a public Ed25519 key in PEM");
}

enum il_code il__public_key_read(struct il__public_key *key, struct il_str text, struct il_error *err)
{
    static const char begin[] = "-----BEGIN";
    const bool pem = text.ptr && text.len >= sizeof begin && memcmp(text.ptr, begin, sizeof begin - 1) == 0;
    return pem ? il__public_key_from_pem(key, text, err) : il__public_key_from_text(key, text, err);
}

bool il__public_key_eq(const struct il__public_key *a, const struct il__public_key *b)
{
    return memcmp(a->raw, b->raw, sizeof a->raw) == 0;
}

void il__public_key_id(const struct il__public_key *key, char out[IL__KEY_ID])
{
    char hex[IL__SHA256_HEX];
    il_sha256_hex((struct il_str){ (const char *)key->raw, sizeof key->raw }, hex);
    memcpy(out, hex, IL__KEY_ID - 1);
    out[IL__KEY_ID - 1] = '\0';
}
