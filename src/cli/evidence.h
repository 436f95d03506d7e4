/* What the commands on evidence share: reading keys, and the exit status of an answer of the library. */
#ifndef IL_CLI_EVIDENCE_H
#define IL_CLI_EVIDENCE_H

#include "cli/command.h"

/* The exit status of an error about evidence: 9 where it was read and does not hold, 65 where it cannot be read, else
 * 8. */
int il__evidence_status(enum il_code code);
/* A public key from the text of a file, as below; the library's errors. */
enum il_code il__evidence_key_of(struct il_str file, struct il_text *out, char id[17], struct il_error *err);
/* Reads a public key from the file at `path` into `out`: alone (base64 or PEM), or as `key` of a line for an approvers
 * file. `id` gets its id. 0, or the exit status after one line on stderr (with `json`, a document on stdout). */
int il__evidence_public_key(struct il__io *io, bool json, const char *path, struct il_text *out, char id[17]);
/* Reads a private key from a file that nobody else can use. */
int il__evidence_private_key(struct il__io *io, bool json, const char *path, struct il_text *out);
/* A text of the library. */
static inline struct il_str il__evidence_str(const struct il_text *text)
{
    return (struct il_str){ text->ptr, text->len };
}

#endif
