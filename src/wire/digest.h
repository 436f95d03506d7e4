/* SHA-256, HMAC-SHA-256; owns OpenSSL. The EVP_MD is fetched once per context, not per call. */
#ifndef IL_WIRE_DIGEST_H
#define IL_WIRE_DIGEST_H

#include "base/mem.h"

#include <stdint.h>

enum { IL__SHA256_BYTES = 32, IL__SHA256_HEX = 65, IL__DIGEST_TEXT = 72 }; /* "sha256:" + 64 hex + NUL */

/* One per host; holds the fetched algorithm and a reusable context. One digest at a time: any call below ends what
 * il__sha256_begin began. A digest that the library fails to compute comes out as random bytes, equal to nothing. */
struct il__digest;
/* NULL: out of memory, or the library offers no SHA-256. */
struct il__digest *il__digest_new(struct il__mem *mem);
void il__digest_free(struct il__digest *digest);

void il__sha256(struct il__digest *d, struct il_str bytes, uint8_t out[IL__SHA256_BYTES]);
/* Lowercase hex, NUL-terminated. */
void il__sha256_hex(struct il__digest *d, struct il_str bytes, char out[IL__SHA256_HEX]);
/* "sha256:" and the hex. */
void il__sha256_text(struct il__digest *d, struct il_str bytes, char out[IL__DIGEST_TEXT]);
void il__hex(const uint8_t *bytes, size_t len, char *out); /* out: 2*len+1 */
/* Piecewise. */
void il__sha256_begin(struct il__digest *d);
void il__sha256_add(struct il__digest *d, const void *bytes, size_t len);
void il__sha256_end(struct il__digest *d, uint8_t out[IL__SHA256_BYTES]);
/* RFC 2104. */
void il__hmac_sha256(struct il__digest *d, struct il_str key, struct il_str bytes, uint8_t out[IL__SHA256_BYTES]);
/* Unpredictable bytes from the system; 0 on success. */
int il__random_system(void *ctx, void *buf, size_t len);

#endif
