/* Keys and signatures over OpenSSL's EVP interface, see jwk.h. Must never take a signature for good when the library
 * fails: whatever is not a clear yes is a no. */
#include "wire/jwk.h"

#include "wire/base64.h"
#include "wire/sign.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <string.h>

enum { P256_BYTES = 32, E_BYTES = 8, DER_BYTES = 80 };

const char *const il__jwk_alg_names[] = { "EdDSA", "ES256", "RS256", NULL };
_Static_assert(sizeof il__jwk_alg_names / sizeof *il__jwk_alg_names == IL__JWK_ALG_COUNT + 1, "a name each");

struct il__jwk {
    struct il__mem *mem;
    enum il__jwk_alg alg;
    EVP_PKEY *pkey;
};

static const unsigned char *bytes_of(struct il_str s)
{
    return (const unsigned char *)s.ptr;
}

/* ---- keys ---- */

static EVP_PKEY *from_params(const char *type, OSSL_PARAM_BLD *build)
{
    EVP_PKEY *pkey = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *ctx = params ? EVP_PKEY_CTX_new_from_name(NULL, type, NULL) : NULL;
    if (ctx && EVP_PKEY_fromdata_init(ctx) == 1) (void)EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_PUBLIC_KEY, params);
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    return pkey;
}

/* Read as any other public key: one of the few points for which anybody can sign is none. */
static EVP_PKEY *ed25519_key(struct il_str x)
{
    char text[IL__KEY_TEXT];
    struct il__public_key key;
    if (x.len != IL__KEY_BYTES) return NULL;
    (void)il__base64_write(x.ptr, x.len, text);
    if (il__public_key_from_text(&key, il__str(text), NULL)) return NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key.raw, sizeof key.raw);
}

/* The point is checked, too: on the curve, and not at infinity. */
static EVP_PKEY *p256_key(struct il_str x, struct il_str y)
{
    unsigned char point[1 + 2 * P256_BYTES] = { 4 };
    EVP_PKEY *pkey = NULL;
    memcpy(point + 1, x.ptr, P256_BYTES);
    memcpy(point + 1 + P256_BYTES, y.ptr, P256_BYTES);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (build && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) == 1)
        pkey = from_params("EC", build);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX *ctx = pkey ? EVP_PKEY_CTX_new(pkey, NULL) : NULL;
    if (!ctx || EVP_PKEY_public_check(ctx) != 1) {
        EVP_PKEY_free(pkey);
        pkey = NULL;
    }
    EVP_PKEY_CTX_free(ctx);
    return pkey;
}

static EVP_PKEY *rsa_key(struct il_str n, struct il_str e)
{
    EVP_PKEY *pkey = NULL;
    BIGNUM *modulus = BN_bin2bn(bytes_of(n), (int)n.len, NULL), *exponent = BN_bin2bn(bytes_of(e), (int)e.len, NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (build && modulus && exponent && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
        pkey = from_params("RSA", build);
    OSSL_PARAM_BLD_free(build);
    BN_free(modulus);
    BN_free(exponent);
    return pkey;
}

/* A static text of what is wrong with the members of an RSA key, or NULL. */
static const char *rsa_fault(struct il_str n, struct il_str e)
{
    if (!n.len || !n.ptr[0]) return "n has a leading zero, or is empty";
    size_t bits = n.len * 8;
    for (unsigned top = (unsigned char)n.ptr[0]; top < 128; top <<= 1) bits--;
    if (bits < IL__JWK_RSA_BITS_LEAST) return "an RSA key has at least 2048 bits";
    if (bits > IL__JWK_RSA_BITS_MOST) return "an RSA key has at most 8192 bits";
    if (!(n.ptr[n.len - 1] & 1)) return "n is even";
    if (!e.len || !e.ptr[0] || e.len > E_BYTES) return "e is empty, has a leading zero, or is longer than 8 bytes";
    if (!(e.ptr[e.len - 1] & 1) || (e.len == 1 && e.ptr[0] == 1)) return "e is even, or 1";
    return NULL;
}

static EVP_PKEY *make(enum il__jwk_alg alg, struct il_str a, struct il_str b, const char **why)
{
    switch (alg) {
    case IL__JWK_EDDSA:
        *why = "x is no Ed25519 key of 32 bytes";
        return ed25519_key(a);
    case IL__JWK_ES256:
        *why = "x and y of a P-256 key have 32 bytes each";
        if (a.len != P256_BYTES || b.len != P256_BYTES) return NULL;
        *why = "x and y are not a point of P-256";
        return p256_key(a, b);
    case IL__JWK_RS256:
        if ((*why = rsa_fault(a, b))) return NULL;
        *why = "n and e are no RSA key";
        return rsa_key(a, b);
    case IL__JWK_ALG_COUNT: break;
    }
    *why = "there is no such algorithm";
    return NULL;
}

struct il__jwk *il__jwk_new(struct il__mem *mem, enum il__jwk_alg alg, struct il_str a, struct il_str b,
                            const char **why)
{
    EVP_PKEY *pkey = make(alg, a, b, why);
    if (!pkey) return NULL;
    struct il__jwk *key = il__mem_zalloc(mem, 1, sizeof *key);
    if (!key) {
        *why = "out of memory";
        EVP_PKEY_free(pkey);
        return NULL;
    }
    *key = (struct il__jwk){ mem, alg, pkey };
    return key;
}

void il__jwk_free(struct il__jwk *key)
{
    if (!key) return;
    EVP_PKEY_free(key->pkey);
    il__mem_free(key->mem, key, sizeof *key);
}

enum il__jwk_alg il__jwk_alg(const struct il__jwk *key)
{
    return key->alg;
}

/* ---- signatures ---- */

static bool verify(const struct il__jwk *key, struct il_str text, const unsigned char *sig, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const char *md = key->alg == IL__JWK_EDDSA ? NULL : "SHA256";
    bool good = ctx && EVP_DigestVerifyInit_ex(ctx, NULL, md, NULL, NULL, key->pkey, NULL) == 1 &&
                EVP_DigestVerify(ctx, sig, len, bytes_of(text), text.len) == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}

/* RFC 7518 §3.4: r and s, 32 bytes each; OpenSSL wants them in DER. */
static bool verify_es256(const struct il__jwk *key, struct il_str text, struct il_str sig)
{
    unsigned char der[DER_BYTES], *at = der;
    if (sig.len != 2 * P256_BYTES) return false;
    BIGNUM *r = BN_bin2bn(bytes_of(sig), P256_BYTES, NULL);
    BIGNUM *s = BN_bin2bn(bytes_of(sig) + P256_BYTES, P256_BYTES, NULL);
    ECDSA_SIG *pair = ECDSA_SIG_new();
    if (!r || !s || !pair || ECDSA_SIG_set0(pair, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        ECDSA_SIG_free(pair);
        return false;
    }
    int len = i2d_ECDSA_SIG(pair, NULL);
    bool good = len > 0 && len <= DER_BYTES && i2d_ECDSA_SIG(pair, &at) == len && verify(key, text, der, (size_t)len);
    ECDSA_SIG_free(pair);
    return good;
}

bool il__jwk_verify(const struct il__jwk *key, struct il_str text, struct il_str signature)
{
    if (!text.ptr || !signature.len) return false;
    if (key->alg == IL__JWK_ES256) return verify_es256(key, text, signature);
    return verify(key, text, bytes_of(signature), signature.len);
}
