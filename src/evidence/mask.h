/* Masking values of a document: each is replaced by {"masked":"hmac-sha256:HEX"}, an HMAC under the salt of its record
 * over its place, a line feed and its bytes. Who has the salt can check a guess; nobody else can. Also knows the bearer
 * tickets: lease and grant ids, wherever they stand. Must never write what it was told to mask. */
#ifndef IL_EVIDENCE_MASK_H
#define IL_EVIDENCE_MASK_H

#include "base/buf.h"
#include "wire/digest.h"
#include "wire/json.h"

enum { IL__SALT_BYTES = 32 };

struct il__mask {
    struct il__mem *mem;
    struct il__digest *digest;
    const struct il_str *pointers; /* RFC 6901, each below the body and below the payload; limit audit_masks */
    size_t pointer_count;
    bool show_tickets;
    struct il_str *tickets;        /* as they stand in documents, collected from a run */
    size_t ticket_count, ticket_cap;
    struct il__arena arena;        /* the tickets */
};

void il__mask_init(struct il__mask *mask, struct il__mem *mem, struct il__digest *digest);
void il__mask_clear(struct il__mask *mask);
/* Forgets the tickets. */
void il__mask_begin(struct il__mask *mask);
/* Remembers the tickets of one record: of its text (`record`) or of its payload. */
enum il_code il__mask_learn(struct il__mask *mask, struct il__json *doc, bool record, struct il_error *err) IL_MUST_USE;
/* Appends the document without blanks, masked below node `root`, whose place is called `place` ("/body"). */
enum il_code il__mask_write(const struct il__mask *mask, struct il__json *doc, uint32_t root, const char *place,
                            const uint8_t salt[IL__SALT_BYTES], struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* For what is no JSON: the mask of the whole, or with nothing to mask its bytes as base64. */
enum il_code il__mask_bytes(const struct il__mask *mask, struct il_str bytes, const char *place,
                            const uint8_t salt[IL__SALT_BYTES], struct il__buf *out, struct il_error *err) IL_MUST_USE;
/* A pointer of RFC 6901: empty, or each part behind a slash, with no ~ but ~0 and ~1. */
bool il__mask_is_pointer(struct il_str pointer);

#endif
