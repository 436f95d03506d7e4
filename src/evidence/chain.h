/* One run's chain of records, checked as they come: hash, payload, prev, seq, run and fence, each recomputed. Keeps the
 * hashes of one run (limit run_records) and nothing else of it. Must never believe what a record says of itself. */
#ifndef IL_EVIDENCE_CHAIN_H
#define IL_EVIDENCE_CHAIN_H

#include "base/rfc3339.h"
#include "run/store.h"
#include "wire/json.h"

struct il__chain {
    struct il__mem *mem;
    struct il__digest *digest;
    struct il_str run_id;          /* the caller's */
    uint8_t (*hashes)[IL__SHA256_BYTES];
    size_t count, cap;
    int64_t fence;                 /* of the last record */
    struct il__instant latest;     /* of all records so far */
};

void il__chain_init(struct il__chain *chain, struct il__mem *mem, struct il__digest *digest);
void il__chain_clear(struct il__chain *chain);
/* From the start, for this run. */
void il__chain_begin(struct il__chain *chain, struct il_str run_id);
/* Takes the next record. `*flaw` is NULL, or what does not hold, in words that follow "record N: "; such a record is
 * not taken. Fails for want of memory only. */
enum il_code il__chain_add(struct il__chain *chain, const struct il__store_record *record, const char **flaw,
                           struct il_error *err) IL_MUST_USE;

/* ---- shared with the other chain ---- */

/* A decoded line of a chain: a record, or a link of the store-level chain. */
struct il__chain_line {
    struct il__json doc;
    size_t members;
};
/* Decodes; `*flaw` as above. The caller clears `line->doc` whatever comes back. */
enum il_code il__chain_open(struct il__chain_line *line, struct il__mem *mem, struct il_str text, const char **flaw,
                            struct il_error *err) IL_MUST_USE;
/* A member of object `at`; absent when it is none of that type. */
struct il_str il__chain_text(struct il__chain_line *line, uint32_t at, const char *name);
bool il__chain_int(const struct il__chain_line *line, uint32_t at, const char *name, int64_t *out);
/* Is the member the lowercase hex of this hash? */
bool il__chain_is_hash(struct il__chain_line *line, uint32_t at, const char *name,
                       const uint8_t hash[IL__SHA256_BYTES]);
/* 64 lowercase hex digits. */
bool il__chain_unhex(struct il_str hex, uint8_t out[IL__SHA256_BYTES]);
/* Does `payload` belong to the line: both absent, or its hash the member? */
bool il__chain_payload(struct il__chain_line *line, struct il__digest *digest, struct il_str payload);
/* Room for one more element of `size` bytes. */
enum il_code il__chain_grow(struct il__mem *mem, void **items, size_t *cap, size_t count, size_t size,
                            struct il_error *err) IL_MUST_USE;

#endif
