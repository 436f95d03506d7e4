/* Base64 and base64url (RFC 4648 §4 and §5). Reading is strict: one text for each sequence of bytes, so that a text can
 * be compared instead of what it stands for. No blanks, no line breaks, no bits beyond the last byte. Base64 is padded,
 * base64url is not. Allocates nothing; never looks a byte up in a table, so a secret leaves no trace in a cache. */
#ifndef IL_WIRE_BASE64_H
#define IL_WIRE_BASE64_H

#include "base/str.h"

#include <stdint.h>

/* The room that `len` bytes need as text, in either form, with a NUL behind it. */
#define IL__BASE64_ROOM(len) (((len) + 2) / 3 * 4 + 1)

/* Writes the text and a NUL to `out` of IL__BASE64_ROOM(len); returns the length of the text. */
size_t il__base64_write(const void *bytes, size_t len, char *out);
size_t il__base64url_write(const void *bytes, size_t len, char *out);
/* True when `text` is the text of at most `cap` bytes, which then stand in `out`, their number in `*len`. Otherwise
 * false, `*len` 0, and `out` holds nothing of use. An absent text is none; the empty text stands for no bytes. */
bool il__base64_read(struct il_str text, void *out, size_t cap, size_t *len);
bool il__base64url_read(struct il_str text, void *out, size_t cap, size_t *len);

#endif
