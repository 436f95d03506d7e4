/* A growing byte buffer with a sticky error: append freely, ask once at the end. Bounded by `limit`. */
#ifndef IL_BASE_BUF_H
#define IL_BASE_BUF_H

#include "base/mem.h"

struct il__buf {
    struct il__mem *mem;
    char *ptr;             /* NUL-terminated behind `len` when not NULL */
    size_t len, cap, limit; /* limit in bytes; 0: none */
    enum il_code code;     /* IL_OK, or what went wrong first: out_of_memory or limit_exceeded */
};

void il__buf_init(struct il__buf *buf, struct il__mem *mem, size_t limit);
void il__buf_clear(struct il__buf *buf);   /* frees; the buffer can be used again */
void il__buf_reset(struct il__buf *buf);   /* empties, keeps the memory, forgets the error */
void il__buf_add(struct il__buf *buf, const void *bytes, size_t len);
void il__buf_str(struct il__buf *buf, struct il_str s);
void il__buf_puts(struct il__buf *buf, const char *z);
void il__buf_putc(struct il__buf *buf, char c);
void il__buf_printf(struct il__buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes room for `len` bytes and returns where to write them, or NULL (sticky error). il__buf_commit adds them. */
char *il__buf_reserve(struct il__buf *buf, size_t len);
void il__buf_commit(struct il__buf *buf, size_t len);
/* What was written so far, owned by the buffer. */
struct il_str il__buf_get(const struct il__buf *buf);
/* The sticky error as a code, setting `err`. */
enum il_code il__buf_check(const struct il__buf *buf, struct il_error *err) IL_MUST_USE;

#endif
