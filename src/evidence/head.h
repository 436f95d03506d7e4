/* Signed heads: one line that pins a whole store at one moment, {"head":{...},"signature":"..."}. The head names the
 * end of the store-level chain, and through `root` and `tips` the end of every run. The line is the body of a link in
 * the store, and stands outside, with a witness. A tip is one line {last, records, root, run}; the tips of a head, one
 * line each in the order of their run ids, are the payload of its link.
 * Uses signatures, trees and canonical text. Reads and writes texts only; must never decide whom to believe. */
#ifndef IL_EVIDENCE_HEAD_H
#define IL_EVIDENCE_HEAD_H

#include "evidence/chain.h"
#include "wire/sign.h"

#define IL__HEAD_TYPE "interlock/head/v1"
enum { IL__STORE_ID = 33 };

struct il__head {
    char store[IL__STORE_ID];
    uint64_t links;                   /* of the store-level chain, before the head's own */
    uint8_t hash[IL__SHA256_BYTES];   /* of the last of them; zeros when there are none */
    uint64_t runs, records;
    uint8_t tips[IL__SHA256_BYTES];   /* SHA-256 of the tips, as they stand in the payload */
    uint8_t root[IL__SHA256_BYTES];   /* of the tree over the tips; zeros when there are none */
    struct il__instant at;
    struct il__public_key key;
    bool signed_by_key;               /* decoding: the signature is that key's, whosever the key is */
    uint8_t line[IL__SHA256_BYTES];   /* SHA-256 of the line */
};

/* Appends the line, signed; `head->key` and what follows it are set. */
enum il_code il__head_write(struct il__head *head, struct il__digest *digest, const struct il__sign_key *key,
                            struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* Reads a line, which must be canonical, from `text`. `decode`: it is none. A wrong signature is no failure. */
enum il_code il__head_read(struct il__head *head, struct il__mem *mem, struct il__digest *digest, struct il_str text,
                           struct il_error *err) IL_MUST_USE;

struct il__tip {
    struct il_str run;                /* slice of what was read, or of the reader's document */
    uint64_t records;
    uint8_t last[IL__SHA256_BYTES], root[IL__SHA256_BYTES];
};
/* Appends the line, with its line feed. */
void il__tip_write(const struct il__tip *tip, struct il__buf *out);
/* Reads the line, without line feed; `tip->run` lives in `line`, which the caller's doc holds: clear it after use.
 * `decode`: it is none, or not as il__tip_write has it. */
enum il_code il__tip_read(struct il__tip *tip, struct il__chain_line *line, struct il__mem *mem, struct il_str text,
                          struct il_error *err) IL_MUST_USE;
/* The next line of `*rest`, without its line feed, which must be there; false at the end, or when it is not. */
bool il__next_line(struct il_str *rest, struct il_str *line);

#endif
