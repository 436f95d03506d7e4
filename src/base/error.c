/* Fills in a caller-owned error: the first one wins, texts from outside come out visible, and cut texts end at a whole
 * unit. Also the names of codes, operations and effects. Never allocates. */
#include "base/error.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

const char *il_code_name(enum il_code code)
{
    static const char *const names[] = {
#define IL_X(name, text) text,
        IL_CODES(IL_X)
#undef IL_X
    };
    _Static_assert(sizeof names / sizeof names[0] == IL_CODE_COUNT, "one name per code");
    return (unsigned)code < IL_CODE_COUNT ? names[code] : "unknown";
}

const char *il_op_name(enum il_op op)
{
    static const char *const names[] = {
#define IL_X(name, text) text,
        IL_OPS(IL_X)
#undef IL_X
    };
    _Static_assert(sizeof names / sizeof names[0] == IL_OP_COUNT, "one name per operation");
    return (unsigned)op < IL_OP_COUNT ? names[op] : "unknown";
}

const char *il_effect_name(enum il_effect effect)
{
    static const char *const names[] = {
#define IL_X(name, text) text,
        IL_EFFECTS(IL_X)
#undef IL_X
    };
    _Static_assert(sizeof names / sizeof names[0] == IL_EFFECT_COUNT, "one name per effect");
    return (unsigned)effect < IL_EFFECT_COUNT ? names[effect] : "unknown";
}

/* What a reader cannot see, or what reorders what he sees: bidi controls, joiners, fillers, separators, selectors and
 * tags. The selectors U+FE0E and U+FE0F (text or picture) stay. */
static bool is_invisible(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        { 0x80, 0x9F },     { 0xAD, 0xAD },     { 0x34F, 0x34F },     { 0x61C, 0x61C },     { 0x115F, 0x1160 },
        { 0x17B4, 0x17B5 }, { 0x180B, 0x180F }, { 0x200B, 0x200F },   { 0x2028, 0x202E },   { 0x2060, 0x206F },
        { 0x3164, 0x3164 }, { 0xFE00, 0xFE0D }, { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 },   { 0xFFF0, 0xFFFB },
        { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (c >= ranges[i].first && c <= ranges[i].last) return true;
    }
    return false;
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of an escape that already stands at `p`, so that cutting an escaped text again leaves it whole; else 0. */
static size_t escape_at(const unsigned char *p, size_t left)
{
    if (left < 4 || p[0] != '\\') return 0;
    if (p[1] == 'x' && is_hex(p[2]) && is_hex(p[3])) return 4;
    if (p[1] != 'u' || p[2] != '{') return 0;
    size_t n = 3;
    while (n < left && n < 9 && is_hex(p[n])) n++;
    return n > 3 && n < left && p[n] == '}' ? n + 1 : 0;
}

/* Writes the visible form of what stands at `p` into `out` and its length into `*out_len`; returns what it consumed. */
static size_t unit(const unsigned char *p, size_t left, char out[16], size_t *out_len)
{
    uint32_t c = 0;
    size_t n = escape_at(p, left);
    if (n == 0) n = il__utf8_read(p, left, &c);
    else c = '\\';
    int len;
    if (n == 0) {
        n = 1;
        len = snprintf(out, 16, "\\x%02x", p[0]);
    } else if (c < 0x20 || c == 0x7f) {
        len = snprintf(out, 16, "\\x%02x", (unsigned)c);
    } else if (is_invisible(c)) {
        len = snprintf(out, 16, "\\u{%04X}", (unsigned)c);
    } else {
        memcpy(out, p, n);
        len = (int)n;
    }
    *out_len = (size_t)len;
    return n;
}

size_t il__escape(char *buf, size_t cap, struct il_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    const size_t max = cap > 0 ? cap - 1 : 0;
    const size_t dots = max < 3 ? max : 3;
    size_t len = 0;  /* written */
    size_t safe = 0; /* the last whole unit that leaves room for the dots */
    if (cap == 0) return 0;
    for (size_t i = 0; s.ptr && i < s.len;) {
        char out[16];
        size_t n = 0;
        i += unit(p + i, s.len - i, out, &n);
        if (len + n > max) {
            memcpy(buf + safe, "...", dots);
            len = safe + dots;
            break;
        }
        memcpy(buf + len, out, n);
        len += n;
        if (len + dots <= max) safe = len;
    }
    buf[len] = 0;
    return len;
}

void il__error_clear(struct il_error *err)
{
    if (err) *err = (struct il_error)IL_ERROR_INIT;
}

static bool is_free(const struct il_error *err)
{
    return err && err->code == IL_OK;
}

static void set_message(struct il_error *err, const char *fmt, va_list ap)
{
    char text[2 * sizeof err->message];
    int n = vsnprintf(text, sizeof text, fmt, ap);
    if (n < 0) n = 0;
    size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    il__escape(err->message, sizeof err->message, (struct il_str){ text, len });
}

__attribute__((format(printf, 2, 3))) static void set_messagef(struct il_error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_message(err, fmt, ap);
    va_end(ap);
}

enum il_code il__fail(struct il_error *err, enum il_code code, const char *fmt, ...)
{
    if (!is_free(err)) return code;
    va_list ap;
    va_start(ap, fmt);
    set_message(err, fmt, ap);
    va_end(ap);
    err->code = code;
    return code;
}

static void set_place(struct il_error *err, const char *object, const char *field)
{
    il__escape(err->object, sizeof err->object, il__str(object));
    il__escape(err->field, sizeof err->field, il__str(field));
}

/* How a value is named in a message. */
static const char *shown(struct il_str s, const char *escaped)
{
    if (!s.ptr) return "(absent)";
    return s.len == 0 ? "(empty)" : escaped;
}

enum il_code il__refuse(struct il_error *err, enum il_code code, const char *object, const char *field,
                        struct il_str expected, struct il_str actual)
{
    if (!is_free(err)) return code;
    set_place(err, object, field);
    il__escape(err->expected, sizeof err->expected, expected);
    il__escape(err->actual, sizeof err->actual, actual);
    set_messagef(err, "%s%s%s expected %s, got %s", err->object, err->object[0] ? ": " : "", err->field,
                 shown(expected, err->expected), shown(actual, err->actual));
    err->code = code;
    return code;
}

enum il_code il__fail_at(struct il_error *err, enum il_code code, const char *object, const char *field,
                         const char *fmt, ...)
{
    if (!is_free(err)) return code;
    char text[sizeof err->message];
    va_list ap;
    va_start(ap, fmt);
    set_message(err, fmt, ap);
    va_end(ap);
    memcpy(text, err->message, sizeof text);
    set_place(err, object, field);
    set_messagef(err, "%s%s%s%s%s", err->object, err->object[0] ? ": " : "", err->field, err->field[0] ? ": " : "",
                 text);
    err->code = code;
    return code;
}

void il__error_object(struct il_error *err, const char *object)
{
    if (!err || err->code == IL_OK || err->object[0] || !object || !object[0]) return;
    char text[sizeof err->message];
    memcpy(text, err->message, sizeof text);
    il__escape(err->object, sizeof err->object, il__str(object));
    set_messagef(err, "%s: %s", err->object, text);
}

void il__error_step(struct il_error *err, const char *step)
{
    if (!err || err->code == IL_OK || err->step[0]) return;
    il__escape(err->step, sizeof err->step, il__str(step));
}

void il__error_cleanup(struct il_error *err, const struct il_error *cleanup)
{
    if (!err || !cleanup || cleanup->code == IL_OK) return;
    if (err->code == IL_OK) {
        *err = *cleanup;
        return;
    }
    if (err->cleanup_code != IL_OK) return;
    err->cleanup_code = cleanup->code;
    il__escape(err->cleanup_step, sizeof err->cleanup_step, il__str(cleanup->step));
    il__escape(err->cleanup_message, sizeof err->cleanup_message, il__str(cleanup->message));
}
