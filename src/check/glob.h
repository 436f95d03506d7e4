/* Globs over whole texts, by characters: `*` any run within a segment, `**` any run across segments, `?` one character,
 * `[a-z]` and `[!a-z]` one of a set, `\` the next character as it is. Segments are parted by `/`, which only itself and
 * `**` match; a whole segment `**` in front of another may be no segment at all. Case counts.
 * Pure: no memory taken, no recursion, at most pattern times text steps. */
#ifndef IL_CHECK_GLOB_H
#define IL_CHECK_GLOB_H

#include "base/str.h"

enum il__glob { IL__GLOB_DIFFERS, IL__GLOB_MATCHES, IL__GLOB_MALFORMED };

/* MALFORMED: `*why` is a static sentence part such as "the pattern ends inside [ ]", about the pattern or the text (not
 * UTF-8, or past rule_pattern_bytes and rule_text_bytes). */
enum il__glob il__glob_match(struct il_str pattern, struct il_str text, const char **why);

#endif
