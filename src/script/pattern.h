/* Lua's pattern language by a matcher that pays for every step: no recursion, a fixed stack of choices, the C locale's
 * classes. Uses state.h for the charge. Must never run unpaid over a subject, a set or a capture. */
#ifndef IL_SCRIPT_PATTERN_H
#define IL_SCRIPT_PATTERN_H

#include "script/state.h"

enum { IL__CAPTURES = 32, IL__CAPTURE_OPEN = -1, IL__CAPTURE_POSITION = -2 };

struct il__match {
    struct il__sandbox *sb;
    const char *src, *src_end, *pat_end;
    const char *fault; /* static text: what is malformed; NULL: nothing */
    int level;         /* captures */
    struct {
        const char *at;
        ptrdiff_t len; /* or IL__CAPTURE_OPEN, IL__CAPTURE_POSITION */
    } capture[IL__CAPTURES];
};

/* Where the match of pattern `p` that starts at `s` ends, or NULL: no match, or a fault. Resets captures. */
const char *il__match_run(struct il__match *m, const char *s, const char *p);
/* The first occurrence of needle, or NULL. */
const char *il__match_plain(struct il__sandbox *sb, const char *s, size_t len, const char *needle, size_t needle_len);

#endif
