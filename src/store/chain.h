/* The texts of the store-level chain: one line of canonical JSON each, which names the SHA-256 of the one before. */
#ifndef IL_STORE_CHAIN_H
#define IL_STORE_CHAIN_H

#include "base/buf.h"
#include "run/store.h"

/* Where the next link goes. */
struct il__chain_head {
    uint64_t next;                      /* its seq */
    uint8_t prev[IL__SHA256_BYTES];     /* hash of the one before; unused while next is 0 */
};

/* Writes the link of a new run, whose first record has this hash, and the link's own hash. */
enum il_code il__chain_run(struct il__digest *digest, struct il__buf *text, const struct il__chain_head *head,
                           const struct il__store_row *row, const uint8_t first[IL__SHA256_BYTES],
                           uint8_t hash[IL__SHA256_BYTES], struct il_error *err);
/* Writes any other link; `payload` may be absent. */
enum il_code il__chain_link(struct il__digest *digest, struct il__buf *text, const struct il__chain_head *head,
                            struct il_str kind, struct il_str body, struct il_str payload, int64_t at_ms,
                            uint8_t hash[IL__SHA256_BYTES], struct il_error *err);

#endif
