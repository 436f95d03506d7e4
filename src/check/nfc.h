/* Unicode normalization for comparing texts (owns libutf8proc): NFC, and the folding that hosts and file names need.
 * Bounded: the room is the caller's, and a character has at most nfc_marks marks, so that sorting them stays linear. */
#ifndef IL_CHECK_NFC_H
#define IL_CHECK_NFC_H

#include "base/str.h"

#include <stdint.h>

/* The room that a text of `len` bytes needs: as many items. */
#define IL__NFC_ROOM(len) (2 * (len) + 4)

/* `text` in NFC as code points in `room`, which has `size` items; `*count` of them. False: `*why` is a static text (not
 * UTF-8, too many marks, no room). */
bool il__nfc_points(struct il_str text, int32_t *room, size_t size, size_t *count, const char **why);
/* Writes code points as UTF-8 into `out` of `size` bytes; the length, or SIZE_MAX when they do not fit. */
size_t il__nfc_write(const int32_t *points, size_t count, char *out, size_t size);
/* The lower-case form of one code point by its upper-case one, as file systems that ignore case compare. */
int32_t il__fold_point(int32_t point);
/* Is it a letter, mark, number, sign or symbol: no control or format character, blank, or unassigned one? */
bool il__point_is_visible(int32_t point);
/* Is the text (at most 252 bytes) its own NFKC case folding, without ignorable characters? */
bool il__text_is_folded(struct il_str text);

#endif
