/* Writing JSON into a buffer: compact, in call order, strings escaped as RFC 8785 asks (shortest form; lone surrogates
 * cannot occur, invalid UTF-8 becomes U+FFFD). The buffer's sticky error carries failure. */
#ifndef IL_WIRE_JSON_WRITE_H
#define IL_WIRE_JSON_WRITE_H

#include "base/buf.h"

#include <stdint.h>

struct il__json_writer {
    struct il__buf *buf;
    uint64_t comma; /* bit n: the container at depth n already has an element */
    uint8_t depth;  /* at most 63 */
};

void il__jw_init(struct il__json_writer *w, struct il__buf *buf);
void il__jw_object(struct il__json_writer *w);
void il__jw_object_end(struct il__json_writer *w);
void il__jw_array(struct il__json_writer *w);
void il__jw_array_end(struct il__json_writer *w);
void il__jw_key(struct il__json_writer *w, const char *name);
void il__jw_key_str(struct il__json_writer *w, struct il_str name);
void il__jw_str(struct il__json_writer *w, struct il_str s);   /* absent: null */
void il__jw_z(struct il__json_writer *w, const char *z);       /* NULL: null */
void il__jw_int(struct il__json_writer *w, int64_t v);
void il__jw_double(struct il__json_writer *w, double v);       /* RFC 8785 number form; not finite: sticky error */
void il__jw_bool(struct il__json_writer *w, bool v);
void il__jw_null(struct il__json_writer *w);
void il__jw_raw(struct il__json_writer *w, struct il_str json); /* one complete value, as it stands */
/* Key and value at once; absent texts are left out altogether. */
void il__jw_member_str(struct il__json_writer *w, const char *name, struct il_str s);
void il__jw_member_z(struct il__json_writer *w, const char *name, const char *z);
void il__jw_member_int(struct il__json_writer *w, const char *name, int64_t v);
void il__jw_member_bool(struct il__json_writer *w, const char *name, bool v);

/* One code point of a string, escaped where it must be; a lone surrogate as \udxxx. */
void il__json_put_char(struct il__buf *buf, uint32_t cp);

/* The RFC 8785 / ECMAScript shortest form of a finite double, locale-free; returns the length. -0 is "0". */
size_t il__double_text(double v, char buf[32]);

#endif
