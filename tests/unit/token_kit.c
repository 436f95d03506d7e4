/* Keys and tokens for tests (token_kit.h). */
#include "token_kit.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool ok)
{
    if (!ok) abort();
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *out = malloc(size);
    need(out != NULL);
    (void)snprintf(out, size, "%s%s%s", a, b, c);
    return out;
}

char *token_base64url(const void *bytes, size_t len)
{
    unsigned char *out = malloc(len * 4 / 3 + 8);
    need(out != NULL);
    int n = EVP_EncodeBlock(out, bytes, (int)len);
    while (n > 0 && out[n - 1] == '=') out[--n] = '\0';
    for (int i = 0; i < n; i++)
        if (out[i] == '+') out[i] = '-';
        else if (out[i] == '/') out[i] = '_';
    return (char *)out;
}

struct signer signer_new(enum il__jwk_alg alg)
{
    EVP_PKEY *pkey = alg == IL__JWK_EDDSA   ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")
                     : alg == IL__JWK_ES256 ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
                                            : EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
    need(pkey != NULL);
    return (struct signer){ alg, pkey };
}

void signer_free(struct signer *signer)
{
    EVP_PKEY_free(signer->pkey);
    signer->pkey = NULL;
}

static char *number(const struct signer *s, const char *param, int size)
{
    unsigned char bytes[1024];
    BIGNUM *bn = NULL;
    need(EVP_PKEY_get_bn_param(s->pkey, param, &bn) == 1);
    int len = size ? size : BN_num_bytes(bn);
    need(BN_bn2binpad(bn, bytes, len) == len);
    BN_free(bn);
    return token_base64url(bytes, (size_t)len);
}

char *signer_jwk(const struct signer *s, const char *kid, const char *more)
{
    char text[4096], name[128] = "";
    char *a = NULL, *b = NULL;
    if (s->alg == IL__JWK_EDDSA) {
        unsigned char raw[32];
        size_t len = sizeof raw;
        need(EVP_PKEY_get_raw_public_key(s->pkey, raw, &len) == 1);
        a = token_base64url(raw, len);
        b = join("", "", "");
    } else {
        bool ec = s->alg == IL__JWK_ES256;
        a = number(s, ec ? OSSL_PKEY_PARAM_EC_PUB_X : OSSL_PKEY_PARAM_RSA_N, ec ? 32 : 0);
        b = number(s, ec ? OSSL_PKEY_PARAM_EC_PUB_Y : OSSL_PKEY_PARAM_RSA_E, ec ? 32 : 0);
    }
    static const char *const forms[] = { "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%s\"%s%s%s}",
                                         "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"%s%s}",
                                         "{\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"%s\"%s%s}" };
    if (kid) (void)snprintf(name, sizeof name, ",\"kid\":\"%s\"", kid);
    (void)snprintf(text, sizeof text, forms[s->alg], a, b, name, more ? more : "");
    free(a);
    free(b);
    return join(text, "", "");
}

char *signer_set(const struct signer *signers, size_t count)
{
    char *list = join("", "", "");
    for (size_t i = 0; i < count; i++) {
        char kid[32];
        (void)snprintf(kid, sizeof kid, "k%zu", i);
        char *key = signer_jwk(&signers[i], count > 1 ? kid : NULL, NULL), *longer = join(list, i ? "," : "", key);
        free(key);
        free(list);
        list = longer;
    }
    char *set = join("{\"keys\":[", list, "]}");
    free(list);
    return set;
}

char *token_input(const char *header, const char *claims)
{
    char *a = token_base64url(header, strlen(header)), *b = token_base64url(claims, strlen(claims));
    char *out = join(a, ".", b);
    free(a);
    free(b);
    return out;
}

char *token_with(const char *header, const char *claims, const char *third)
{
    char *input = token_input(header, claims), *out = join(input, ".", third);
    free(input);
    return out;
}

/* DER to r and s, 32 bytes each. */
static size_t raw_pair(unsigned char *sig, size_t len)
{
    const unsigned char *at = sig;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)len);
    need(pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), sig, 32) == 32 &&
         BN_bn2binpad(ECDSA_SIG_get0_s(pair), sig + 32, 32) == 32);
    ECDSA_SIG_free(pair);
    return 64;
}

char *token_sign(const struct signer *s, const char *header, const char *claims)
{
    unsigned char sig[1024];
    size_t len = sizeof sig;
    char *input = token_input(header, claims);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    need(EVP_DigestSignInit_ex(ctx, NULL, s->alg == IL__JWK_EDDSA ? NULL : "SHA256", NULL, NULL, s->pkey, NULL) == 1 &&
         EVP_DigestSign(ctx, sig, &len, (const unsigned char *)input, strlen(input)) == 1);
    EVP_MD_CTX_free(ctx);
    if (s->alg == IL__JWK_ES256) len = raw_pair(sig, len);
    char *third = token_base64url(sig, len), *out = join(input, ".", third);
    free(third);
    free(input);
    return out;
}

char *token_hmac(const char *secret, const char *header, const char *claims)
{
    unsigned char mac[32];
    unsigned len = sizeof mac;
    char *input = token_input(header, claims);
    need(HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)input, strlen(input), mac, &len) !=
         NULL);
    char *third = token_base64url(mac, len), *out = join(input, ".", third);
    free(third);
    free(input);
    return out;
}
