/* The append-only, hash-chained journal of one run: checkpoint, preview channel, audit trail. A record is one line of
 * canonical JSON; it covers received bytes by their SHA-256, and its own SHA-256 is the next record's `prev`. Records
 * are never changed or removed. Knows nothing of what they mean. */
#ifndef IL_RUN_JOURNAL_H
#define IL_RUN_JOURNAL_H

#include "base/buf.h"
#include "base/clock.h"
#include "wire/digest.h"

struct il__record {
    struct il_str text;    /* canonical; owned by the journal */
    struct il_str payload; /* received bytes, or absent */
    uint8_t hash[IL__SHA256_BYTES];
    bool aside;            /* of a policy on trial: counted apart from the run's own */
};

/* Kept back from `run_records` and `run_journal_bytes`, so that a script that fills the journal cannot keep a receipt
 * out of it. */
enum { IL__JOURNAL_SPARE_RECORDS = 64, IL__JOURNAL_SPARE_BYTES = 17 * 1024 * 1024 };

struct il__journal {
    struct il__mem *mem;
    struct il__digest *digest;
    struct il__record *records;
    size_t count, cap, bytes;
    size_t aside_count, aside_bytes; /* of these: records aside (limits trial_records, trial_bytes) */
    bool aside;      /* what is appended now stands aside */
    bool spare_open; /* the last IL__JOURNAL_SPARE_* may be used: for what follows a send, and for the end */
    struct il__buf scratch;
};

void il__journal_init(struct il__journal *journal, struct il__mem *mem, struct il__digest *digest);
void il__journal_clear(struct il__journal *journal);
/* Appends {at, body, boot, bootId, fence, kind, payload?, prev, run, seq}. `body` is one canonical JSON object. Limits:
 * run_records, run_journal_bytes. On failure nothing is appended. */
enum il_code il__journal_append(struct il__journal *journal, const char *kind, struct il_str run_id, struct il__now now,
                                const char *boot_id, uint64_t fence, struct il_str body, struct il_str payload,
                                struct il_error *err) IL_MUST_USE;
/* Takes the last record back: it could not be kept where it had to be. */
void il__journal_drop_last(struct il__journal *journal);
/* Appends a record as it was stored, without looking at it; il__journal_verify looks. */
enum il_code il__journal_load(struct il__journal *journal, struct il_str text, struct il_str payload,
                              const uint8_t hash[IL__SHA256_BYTES], struct il_error *err) IL_MUST_USE;
/* Record `at`, which was loaded, stands aside. */
void il__journal_set_aside(struct il__journal *journal, size_t at);
/* Recomputes the chain, and with `payloads` the digest of every payload; object `journal`, field `hash`, `prev` or
 * `payload` of the record that does not fit. */
enum il_code il__journal_verify(const struct il__journal *journal, bool payloads, struct il_error *err) IL_MUST_USE;

#endif
