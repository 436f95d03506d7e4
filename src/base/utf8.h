/* One UTF-8 sequence at a time, by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
 * Allocates nothing and never reads past the given length. */
#ifndef IL_BASE_UTF8_H
#define IL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length (1 to 4) of the valid sequence that starts at `p`, with its code point in `*cp` (may be NULL); 0 when
 * there is none within `left` bytes. */
size_t il__utf8_read(const unsigned char *p, size_t left, uint32_t *cp);
/* Writes `cp` (at most U+10FFFF; a surrogate comes out as its three bytes) and returns the length, 1 to 4. */
size_t il__utf8_write(uint32_t cp, char out[4]);

#endif
