/* A growing text with a sticky failure: append freely, ask once at the end. Also the three ways a text leaves the
 * program: escaped for a terminal, as a JSON string, as XML character data. Bounded by IL__CLI_TEXT_BYTES.
 * Must never print. */
#ifndef IL_CLI_TEXT_H
#define IL_CLI_TEXT_H

#include "include/interlock.h"

struct il__text {
    char *ptr;       /* NUL-terminated behind `len` when not NULL */
    size_t len, cap;
    bool failed;     /* out of memory or over the limit; what was added since is lost */
};
#define IL__TEXT_INIT { NULL, 0, 0, false }

/* Room for `len` more bytes behind the text, or NULL (and the text has failed). */
char *il__text_reserve(struct il__text *text, size_t len);
void il__text_add(struct il__text *text, const void *bytes, size_t len);
void il__text_str(struct il__text *text, struct il_str s);
void il__text_puts(struct il__text *text, const char *z);
void il__text_printf(struct il__text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Control, bidi, invisible and malformed characters become visible: \n, \x1b, \u{202e}. Printable text and backslashes
 * stay as they are, so text that was escaped before passes unchanged. */
void il__text_escaped(struct il__text *text, struct il_str s);
/* A JSON string with its quotes; malformed UTF-8 becomes U+FFFD. An absent `s` is null. */
void il__text_json(struct il__text *text, struct il_str s);
/* XML character data, also fit for an attribute in double quotes; what XML cannot hold is escaped as above. */
void il__text_xml(struct il__text *text, struct il_str s);
/* What was written so far, owned by the text; never absent. */
struct il_str il__text_get(const struct il__text *text);
void il__text_reset(struct il__text *text); /* empties, keeps the memory and the failure */
void il__text_clear(struct il__text *text); /* frees; can be used again */

/* One character: its code point and length in bytes, or -1 and 1 where the bytes are no UTF-8. `len` > 0. */
int32_t il__text_next(const char *ptr, size_t len, size_t *used);
/* The string of a NUL-terminated text; NULL is absent. */
struct il_str il__text_of(const char *z);
bool il__text_same(struct il_str a, const char *z);

#endif
