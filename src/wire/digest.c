/* SHA-256 over OpenSSL's EVP interface, with the algorithm fetched once per context. With sign.c the only file that
 * sees OpenSSL. A digest that cannot be computed must never equal another: it comes out as unpredictable bytes. */
#include "wire/digest.h"

#include "base/secret.h"

#include <errno.h>
#include <openssl/evp.h>
#include <sys/random.h>

struct il__digest {
    struct il__mem *mem; /* NULL: on the stack */
    EVP_MD *sha256;
    EVP_MD_CTX *ctx;
    bool failed; /* since il__sha256_begin */
};

static void release(struct il__digest *d)
{
    EVP_MD_CTX_free(d->ctx);
    EVP_MD_free(d->sha256);
}

/* One digest is begun at once, so that later ones reuse what the library allocated. */
static bool fetch(struct il__digest *d)
{
    d->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    d->ctx = d->sha256 ? EVP_MD_CTX_new() : NULL;
    if (d->ctx && EVP_DigestInit_ex2(d->ctx, d->sha256, NULL) == 1) return true;
    release(d);
    return false;
}

struct il__digest *il__digest_new(struct il__mem *mem)
{
    struct il__digest *d = il__mem_zalloc(mem, 1, sizeof *d);
    if (!d) return NULL;
    d->mem = mem;
    if (!fetch(d)) {
        il__mem_free(mem, d, sizeof *d);
        return NULL;
    }
    return d;
}

void il__digest_free(struct il__digest *digest)
{
    if (!digest) return;
    release(digest);
    il__mem_free(digest->mem, digest, sizeof *digest);
}

void il__sha256_begin(struct il__digest *d)
{
    d->failed = EVP_DigestInit_ex2(d->ctx, d->sha256, NULL) != 1;
}

void il__sha256_add(struct il__digest *d, const void *bytes, size_t len)
{
    if (len > 0 && !d->failed) d->failed = EVP_DigestUpdate(d->ctx, bytes, len) != 1;
}

void il__sha256_end(struct il__digest *d, uint8_t out[IL__SHA256_BYTES])
{
    unsigned len = 0;
    if (!d->failed) d->failed = EVP_DigestFinal_ex(d->ctx, out, &len) != 1 || len != IL__SHA256_BYTES;
    if (d->failed) (void)il__random_system(NULL, out, IL__SHA256_BYTES);
    d->failed = true; /* until the next begin */
}

void il__sha256(struct il__digest *d, struct il_str bytes, uint8_t out[IL__SHA256_BYTES])
{
    il__sha256_begin(d);
    il__sha256_add(d, bytes.ptr, bytes.len);
    il__sha256_end(d, out);
}

void il__hex(const uint8_t *bytes, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

void il__sha256_hex(struct il__digest *d, struct il_str bytes, char out[IL__SHA256_HEX])
{
    uint8_t raw[IL__SHA256_BYTES];
    il__sha256(d, bytes, raw);
    il__hex(raw, sizeof raw, out);
}

void il__sha256_text(struct il__digest *d, struct il_str bytes, char out[IL__DIGEST_TEXT])
{
    memcpy(out, "sha256:", 7);
    il__sha256_hex(d, bytes, out + 7);
}

void il_sha256_hex(struct il_str bytes, char out[65])
{
    struct il__digest d = { NULL, NULL, NULL, false };
    uint8_t raw[IL__SHA256_BYTES];
    if (fetch(&d)) {
        il__sha256(&d, bytes, raw);
        release(&d);
    } else {
        (void)il__random_system(NULL, raw, sizeof raw);
    }
    il__hex(raw, sizeof raw, out);
}

void il__hmac_sha256(struct il__digest *d, struct il_str key, struct il_str bytes, uint8_t out[IL__SHA256_BYTES])
{
    enum { BLOCK = 64 };
    uint8_t inner[BLOCK] = { 0 };
    uint8_t outer[BLOCK];
    if (key.len > BLOCK) il__sha256(d, key, inner);
    else if (key.len > 0) memcpy(inner, key.ptr, key.len);
    for (int i = 0; i < BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    il__sha256_begin(d);
    il__sha256_add(d, inner, BLOCK);
    il__sha256_add(d, bytes.ptr, bytes.len);
    il__sha256_end(d, out);
    il__sha256_begin(d);
    il__sha256_add(d, outer, BLOCK);
    il__sha256_add(d, out, IL__SHA256_BYTES);
    il__sha256_end(d, out);
    il__secret_wipe(inner, BLOCK);
    il__secret_wipe(outer, BLOCK);
}

int il__random_system(void *ctx, void *buf, size_t len)
{
    unsigned char *to = buf;
    (void)ctx;
    while (len > 0) {
        ssize_t n = getrandom(to, len, 0);
        if (n < 0 && errno != EINTR) return -1;
        if (n < 0) continue;
        to += n;
        len -= (size_t)n;
    }
    return 0;
}
