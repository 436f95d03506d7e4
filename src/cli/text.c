/* Growing texts and the escapes for terminal, JSON and XML.
 * Uses only the C library; its memory comes from il__cli_resize (mem.c).
 * Must never pass a control character of foreign text to a terminal. */
#include "cli/text.h"

#include "cli/limits.h"
#include "cli/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *il__text_reserve(struct il__text *text, size_t len)
{
    if (text->failed) return NULL;
    if (len >= (size_t)IL__CLI_TEXT_BYTES - text->len) {
        text->failed = true;
        return NULL;
    }
    size_t need = text->len + len + 1;
    if (need > text->cap) {
        size_t cap = text->cap < 256 ? 256 : text->cap;
        while (cap < need) cap *= 2;
        char *ptr = il__cli_resize(text->ptr, cap);
        if (!ptr) {
            text->failed = true;
            return NULL;
        }
        text->ptr = ptr;
        text->cap = cap;
    }
    return text->ptr + text->len;
}

void il__text_add(struct il__text *text, const void *bytes, size_t len)
{
    char *to = il__text_reserve(text, len);
    if (!to) return;
    if (len) memcpy(to, bytes, len);
    to[len] = '\0';
    text->len += len;
}

void il__text_str(struct il__text *text, struct il_str s)
{
    il__text_add(text, s.ptr, s.len);
}

void il__text_puts(struct il__text *text, const char *z)
{
    il__text_add(text, z, strlen(z));
}

void il__text_printf(struct il__text *text, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *to = len < 0 ? NULL : il__text_reserve(text, (size_t)len);
    if (!to) return;
    va_start(args, fmt);
    vsnprintf(to, (size_t)len + 1, fmt, args);
    va_end(args);
    text->len += (size_t)len;
}

int32_t il__text_next(const char *ptr, size_t len, size_t *used)
{
    const unsigned char *s = (const unsigned char *)ptr;
    *used = 1;
    if (s[0] < 0x80) return s[0];
    size_t more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : 1;
    static const int32_t least[4] = { 0, 0x80, 0x800, 0x10000 };
    if (s[0] < 0xc2 || s[0] > 0xf4 || more >= len) return -1;
    int32_t c = s[0] & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) return -1;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return -1;
    *used = more + 1;
    return c;
}

/* Characters that a terminal obeys, hides or reorders text by. */
static bool unsafe(int32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x61c || c == 0x180e ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

static void escape_one(struct il__text *text, int32_t c, unsigned char byte)
{
    if (c == '\n') il__text_puts(text, "\\n");
    else if (c == '\r') il__text_puts(text, "\\r");
    else if (c == '\t') il__text_puts(text, "\\t");
    else if (c < 0x80) il__text_printf(text, "\\x%02x", (unsigned)byte);
    else il__text_printf(text, "\\u{%x}", (unsigned)c);
}

void il__text_escaped(struct il__text *text, struct il_str s)
{
    size_t from = 0;
    for (size_t i = 0, used = 0; i < s.len; i += used) {
        int32_t c = il__text_next(s.ptr + i, s.len - i, &used);
        if (c >= 0 && !unsafe(c)) continue;
        il__text_add(text, s.ptr + from, i - from);
        escape_one(text, c, (unsigned char)s.ptr[i]);
        from = i + used;
    }
    if (from < s.len) il__text_add(text, s.ptr + from, s.len - from);
}

void il__text_json(struct il__text *text, struct il_str s)
{
    if (!s.ptr) {
        il__text_puts(text, "null");
        return;
    }
    il__text_puts(text, "\"");
    size_t from = 0;
    for (size_t i = 0, used = 0; i < s.len; i += used) {
        int32_t c = il__text_next(s.ptr + i, s.len - i, &used);
        if (c >= 0 && !unsafe(c) && c != '"' && c != '\\') continue;
        il__text_add(text, s.ptr + from, i - from);
        if (c == '"' || c == '\\') il__text_printf(text, "\\%c", (char)c);
        else if (c == '\n') il__text_puts(text, "\\n");
        else if (c == '\r') il__text_puts(text, "\\r");
        else if (c == '\t') il__text_puts(text, "\\t");
        else if (c < 0) il__text_puts(text, "\xef\xbf\xbd");
        else if (c < 0x10000) il__text_printf(text, "\\u%04x", (unsigned)c);
        else il__text_add(text, s.ptr + i, used);
        from = i + used;
    }
    if (from < s.len) il__text_add(text, s.ptr + from, s.len - from);
    il__text_puts(text, "\"");
}

void il__text_xml(struct il__text *text, struct il_str s)
{
    for (size_t i = 0, used = 0; i < s.len; i += used) {
        int32_t c = il__text_next(s.ptr + i, s.len - i, &used);
        if (c == '&') il__text_puts(text, "&amp;");
        else if (c == '<') il__text_puts(text, "&lt;");
        else if (c == '>') il__text_puts(text, "&gt;");
        else if (c == '"') il__text_puts(text, "&quot;");
        else if (c == '\n') il__text_puts(text, "&#10;");
        else if (c < 0 || unsafe(c) || c == 0xfffe || c == 0xffff) escape_one(text, c, (unsigned char)s.ptr[i]);
        else il__text_add(text, s.ptr + i, used);
    }
}

struct il_str il__text_get(const struct il__text *text)
{
    return (struct il_str){ text->ptr ? text->ptr : "", text->len };
}

void il__text_reset(struct il__text *text)
{
    text->len = 0;
    if (text->ptr) text->ptr[0] = '\0';
}

void il__text_clear(struct il__text *text)
{
    il__cli_resize(text->ptr, 0);
    *text = (struct il__text)IL__TEXT_INIT;
}

struct il_str il__text_of(const char *z)
{
    return (struct il_str){ z, z ? strlen(z) : 0 };
}

bool il__text_same(struct il_str a, const char *z)
{
    return a.ptr && a.len == strlen(z) && memcmp(a.ptr, z, a.len) == 0;
}
