/* Compact JSON in call order. Failure is sticky in the buffer; nesting past 63 fails like a full buffer.
 * Uses buf. Must never write text that the strict reader would refuse. */
#include "wire/json_write.h"

#include "base/utf8.h"

enum { DEPTH_MAX = 63 };

void il__jw_init(struct il__json_writer *w, struct il__buf *buf)
{
    *w = (struct il__json_writer){ .buf = buf };
}

static void fail(struct il__json_writer *w)
{
    if (w->buf->code == IL_OK) w->buf->code = IL_LIMIT_EXCEEDED;
}

/* A comma before every element but the first of its container. */
static void separate(struct il__json_writer *w)
{
    uint64_t bit = (uint64_t)1 << w->depth;
    if (w->depth > 0 && (w->comma & bit)) il__buf_putc(w->buf, ',');
    w->comma |= bit;
}

static void enter(struct il__json_writer *w, char bracket)
{
    separate(w);
    if (w->depth == DEPTH_MAX) {
        fail(w);
        return;
    }
    il__buf_putc(w->buf, bracket);
    w->depth++;
    w->comma &= ~((uint64_t)1 << w->depth);
}

static void leave(struct il__json_writer *w, char bracket)
{
    if (w->depth == 0) {
        fail(w);
        return;
    }
    w->depth--;
    il__buf_putc(w->buf, bracket);
}

void il__jw_object(struct il__json_writer *w)
{
    enter(w, '{');
}

void il__jw_object_end(struct il__json_writer *w)
{
    leave(w, '}');
}

void il__jw_array(struct il__json_writer *w)
{
    enter(w, '[');
}

void il__jw_array_end(struct il__json_writer *w)
{
    leave(w, ']');
}

/* RFC 8785 §3.2.2.2, ECMA-262 QuoteJSONString. */
void il__json_put_char(struct il__buf *buf, uint32_t cp)
{
    static const char letters[] = "btn-fr"; /* for 8 to 13; 11 has none */
    char text[4] = { '\\', 0, 0, 0 };
    if (cp == '"' || cp == '\\') {
        text[1] = (char)cp;
        il__buf_add(buf, text, 2);
    } else if (cp >= 8 && cp <= 13 && cp != 11) {
        text[1] = letters[cp - 8];
        il__buf_add(buf, text, 2);
    } else if (cp < 0x20 || (cp >= 0xD800 && cp <= 0xDFFF)) {
        il__buf_printf(buf, "\\u%04x", (unsigned)cp);
    } else {
        il__buf_add(buf, text, il__utf8_write(cp, text));
    }
}

/* What is plain goes over in one piece. */
static void put_quoted(struct il__buf *buf, struct il_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t from = 0;
    il__buf_putc(buf, '"');
    for (size_t i = 0; i < s.len;) {
        size_t n = p[i] >= 0x80 ? il__utf8_read(p + i, s.len - i, NULL) : 1;
        if (n != 0 && p[i] >= 0x20 && p[i] != '"' && p[i] != '\\') {
            i += n;
            continue;
        }
        il__buf_add(buf, p + from, i - from);
        il__json_put_char(buf, n == 0 ? 0xFFFD : p[i]);
        from = ++i;
    }
    if (s.len > from) il__buf_add(buf, p + from, s.len - from);
    il__buf_putc(buf, '"');
}

void il__jw_key_str(struct il__json_writer *w, struct il_str name)
{
    separate(w);
    put_quoted(w->buf, name);
    il__buf_putc(w->buf, ':');
    w->comma &= ~((uint64_t)1 << w->depth); /* the value that follows takes no comma */
}

void il__jw_key(struct il__json_writer *w, const char *name)
{
    il__jw_key_str(w, il__str(name));
}

void il__jw_raw(struct il__json_writer *w, struct il_str json)
{
    separate(w);
    if (json.len == 0) fail(w);
    il__buf_str(w->buf, json);
}

void il__jw_null(struct il__json_writer *w)
{
    il__jw_raw(w, IL_STR("null"));
}

void il__jw_bool(struct il__json_writer *w, bool v)
{
    il__jw_raw(w, v ? IL_STR("true") : IL_STR("false"));
}

void il__jw_str(struct il__json_writer *w, struct il_str s)
{
    if (!s.ptr) {
        il__jw_null(w);
        return;
    }
    separate(w);
    put_quoted(w->buf, s);
}

void il__jw_z(struct il__json_writer *w, const char *z)
{
    il__jw_str(w, il__str(z));
}

void il__jw_int(struct il__json_writer *w, int64_t v)
{
    char text[24];
    size_t n = sizeof text;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do text[--n] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (v < 0) text[--n] = '-';
    il__jw_raw(w, (struct il_str){ text + n, sizeof text - n });
}

void il__jw_double(struct il__json_writer *w, double v)
{
    char text[32];
    if (v - v != 0) {
        fail(w);
        return;
    }
    size_t len = il__double_text(v, text);
    il__jw_raw(w, (struct il_str){ text, len });
}

void il__jw_member_str(struct il__json_writer *w, const char *name, struct il_str s)
{
    if (!s.ptr) return;
    il__jw_key(w, name);
    il__jw_str(w, s);
}

void il__jw_member_z(struct il__json_writer *w, const char *name, const char *z)
{
    il__jw_member_str(w, name, il__str(z));
}

void il__jw_member_int(struct il__json_writer *w, const char *name, int64_t v)
{
    il__jw_key(w, name);
    il__jw_int(w, v);
}

void il__jw_member_bool(struct il__json_writer *w, const char *name, bool v)
{
    il__jw_key(w, name);
    il__jw_bool(w, v);
}
