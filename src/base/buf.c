/* The growing buffer: doubles, keeps a NUL behind its content, and remembers the first failure instead of making every
 * caller ask. After a failure it takes nothing more. Uses mem only. */
#include "base/buf.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

void il__buf_init(struct il__buf *buf, struct il__mem *mem, size_t limit)
{
    *buf = (struct il__buf){ .mem = mem, .limit = limit };
}

void il__buf_clear(struct il__buf *buf)
{
    if (!buf) return;
    il__mem_free(buf->mem, buf->ptr, buf->cap);
    il__buf_init(buf, buf->mem, buf->limit);
}

void il__buf_reset(struct il__buf *buf)
{
    buf->len = 0;
    buf->code = IL_OK;
    if (buf->ptr) buf->ptr[0] = 0;
}

char *il__buf_reserve(struct il__buf *buf, size_t len)
{
    if (buf->code != IL_OK) return NULL;
    if (len >= SIZE_MAX - buf->len || (buf->limit != 0 && len > buf->limit - buf->len)) {
        buf->code = IL_LIMIT_EXCEEDED;
        return NULL;
    }
    size_t need = buf->len + len + 1;
    if (need > buf->cap) {
        size_t cap = buf->cap < 64 ? 64 : buf->cap;
        while (cap < need) cap = cap > SIZE_MAX / 2 ? need : cap * 2;
        char *fresh = il__mem_resize(buf->mem, buf->ptr, buf->cap, cap);
        if (!fresh) {
            buf->code = IL_OUT_OF_MEMORY;
            return NULL;
        }
        buf->ptr = fresh;
        buf->cap = cap;
        buf->ptr[buf->len] = 0;
    }
    return buf->ptr + buf->len;
}

void il__buf_commit(struct il__buf *buf, size_t len)
{
    if (buf->code != IL_OK || len == 0) return;
    buf->len += len;
    buf->ptr[buf->len] = 0;
}

void il__buf_add(struct il__buf *buf, const void *bytes, size_t len)
{
    if (len == 0) return;
    char *to = il__buf_reserve(buf, len);
    if (!to) return;
    memcpy(to, bytes, len);
    il__buf_commit(buf, len);
}

void il__buf_str(struct il__buf *buf, struct il_str s)
{
    il__buf_add(buf, s.ptr, s.len);
}

void il__buf_puts(struct il__buf *buf, const char *z)
{
    if (z) il__buf_add(buf, z, strlen(z));
}

void il__buf_putc(struct il__buf *buf, char c)
{
    il__buf_add(buf, &c, 1);
}

void il__buf_printf(struct il__buf *buf, const char *fmt, ...)
{
    va_list ap;
    va_list again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *to = n > 0 ? il__buf_reserve(buf, (size_t)n) : NULL;
    if (to) {
        (void)vsnprintf(to, (size_t)n + 1, fmt, again);
        il__buf_commit(buf, (size_t)n);
    } else if (n < 0 && buf->code == IL_OK) {
        buf->code = IL_LIMIT_EXCEEDED;
    }
    va_end(again);
    va_end(ap);
}

struct il_str il__buf_get(const struct il__buf *buf)
{
    return buf->ptr ? (struct il_str){ buf->ptr, buf->len } : IL_STR("");
}

enum il_code il__buf_check(const struct il__buf *buf, struct il_error *err)
{
    if (buf->code == IL_OK) return IL_OK;
    if (buf->code == IL_OUT_OF_MEMORY) return il__fail(err, buf->code, "out of memory");
    if (buf->limit != 0) return il__fail(err, buf->code, "the text exceeds its limit of %zu bytes", buf->limit);
    return il__fail(err, buf->code, "the text cannot be written");
}
