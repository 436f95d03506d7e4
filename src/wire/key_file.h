/* Private keys in files: one PKCS#8 PEM file that only its owner can read. Uses sign.h and the file system. Must never
 * overwrite a file, and must never take a key that somebody else could have read or put there. */
#ifndef IL_WIRE_KEY_FILE_H
#define IL_WIRE_KEY_FILE_H

#include "wire/sign.h"

/* Reads the key of `path`, following links. Refused with `invalid_request`, naming the path: what cannot be opened or
 * is no regular file, what belongs to another user than the process runs as, what group or others may use in any way,
 * what is longer than a key; with `decode` what holds no private key. On failure `key` is wiped. */
enum il_code il__key_file_read(struct il_str path, struct il__sign_key *key, struct il_error *err) IL_MUST_USE;
/* Creates `path` with mode 0600 and writes the key, through to the disk. `conflict` when something is there already, a
 * dangling link included; `store` when writing fails, and then nothing is left behind. */
enum il_code il__key_file_write(struct il_str path, const struct il__sign_key *key, struct il_error *err) IL_MUST_USE;

#endif
