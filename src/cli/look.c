/* Finding members in well-formed JSON by scanning. Bounded by the text's length and IL__CLI_JSON_DEPTH. */
#include "cli/look.h"

#include "cli/limits.h"

#include <string.h>

static size_t skip_blank(struct il_str doc, size_t i)
{
    while (i < doc.len && (doc.ptr[i] == ' ' || doc.ptr[i] == '\n' || doc.ptr[i] == '\t' || doc.ptr[i] == '\r')) i++;
    return i;
}

/* The index behind the string that begins at `i`. */
static size_t skip_string(struct il_str doc, size_t i)
{
    for (i++; i < doc.len; i++) {
        if (doc.ptr[i] == '\\') i++;
        else if (doc.ptr[i] == '"') return i + 1;
    }
    return doc.len;
}

/* The index behind the value that begins at `i`. */
static size_t skip_value(struct il_str doc, size_t i)
{
    size_t depth = 0;
    while (i < doc.len) {
        char c = doc.ptr[i];
        if (c == '"') {
            i = skip_string(doc, i);
        } else if (c == '{' || c == '[') {
            depth++;
            i++;
            if (depth > (size_t)IL__CLI_JSON_DEPTH) return doc.len;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return i;
            depth--;
            i++;
        } else if (c == ',' && depth == 0) {
            return i;
        } else {
            i++;
            if (depth == 0)
                while (i < doc.len && !strchr(",]} \n\t\r", doc.ptr[i])) i++;
        }
        if (depth == 0) return i;
    }
    return doc.len;
}

bool il__look_next(struct il_str doc, size_t *at, struct il_str *name, struct il_str *value)
{
    size_t i = skip_blank(doc, *at);
    if (*at == 0) {
        if (i >= doc.len || (doc.ptr[i] != '{' && doc.ptr[i] != '[')) return false;
        i = skip_blank(doc, i + 1);
    } else if (i < doc.len && doc.ptr[i] == ',') {
        i = skip_blank(doc, i + 1);
    }
    if (i >= doc.len || doc.ptr[i] == '}' || doc.ptr[i] == ']') return false;
    bool object = doc.ptr[skip_blank(doc, 0)] == '{';
    if (name) *name = (struct il_str){ NULL, 0 };
    if (object) {
        size_t end = skip_string(doc, i);
        if (name) *name = (struct il_str){ doc.ptr + i, end - i };
        i = skip_blank(doc, end);
        if (i < doc.len && doc.ptr[i] == ':') i = skip_blank(doc, i + 1);
    }
    size_t end = skip_value(doc, i);
    *value = (struct il_str){ doc.ptr + i, end - i };
    *at = end;
    return end > i;
}

struct il_str il__look_get(struct il_str doc, const char *path)
{
    while (doc.ptr && path[0]) {
        const char *dot = strchr(path, '.');
        size_t len = dot ? (size_t)(dot - path) : strlen(path), at = 0;
        struct il_str name, value, found = { NULL, 0 };
        while (!found.ptr && il__look_next(doc, &at, &name, &value))
            if (name.ptr && name.len == len + 2 && memcmp(name.ptr + 1, path, len) == 0) found = value;
        doc = found;
        path += dot ? len + 1 : len;
    }
    return doc;
}

bool il__look_has(struct il_str doc, const char *path)
{
    struct il_str value = il__look_get(doc, path);
    return value.ptr && !il__text_same(value, "null");
}

/* ---- strings ---- */

static uint32_t hex4(const char *s)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : (uint32_t)((c | 32) - 'a' + 10);
        value = value << 4 | (digit & 15);
    }
    return value;
}

static void add_utf8(struct il__text *out, uint32_t c)
{
    char bytes[4];
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint32_t lead[5] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = len; i-- > 1; c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(lead[len] | c);
    il__text_add(out, bytes, len);
}

/* The escape behind the backslash at `i`; the index behind it. */
static size_t add_escape(struct il__text *out, struct il_str s, size_t i)
{
    static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
    char c = i + 1 < s.len ? s.ptr[i + 1] : '\\';
    const char *at = strchr(names, c);
    if (c != 'u' || i + 6 > s.len) {
        il__text_add(out, at && c ? &values[at - names] : &c, 1);
        return i + 2;
    }
    uint32_t high = hex4(s.ptr + i + 2);
    if (high >= 0xd800 && high <= 0xdbff && i + 12 <= s.len && s.ptr[i + 6] == '\\' && s.ptr[i + 7] == 'u') {
        uint32_t low = hex4(s.ptr + i + 8);
        if (low >= 0xdc00 && low <= 0xdfff) {
            add_utf8(out, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            return i + 12;
        }
    }
    add_utf8(out, high >= 0xd800 && high <= 0xdfff ? 0xfffd : high);
    return i + 6;
}

void il__look_text(struct il__text *out, struct il_str value)
{
    if (!value.ptr || il__text_same(value, "null")) return;
    if (value.len < 2 || value.ptr[0] != '"') {
        il__text_str(out, value);
        return;
    }
    struct il_str s = { value.ptr + 1, value.len - 2 };
    for (size_t i = 0; i < s.len;) {
        if (s.ptr[i] == '\\') {
            i = add_escape(out, s, i);
            continue;
        }
        const char *next = memchr(s.ptr + i, '\\', s.len - i);
        size_t len = next ? (size_t)(next - (s.ptr + i)) : s.len - i;
        il__text_add(out, s.ptr + i, len);
        i += len;
    }
}

bool il__look_is(struct il_str value, const char *z)
{
    size_t len = strlen(z);
    return value.ptr && value.len == len + 2 && value.ptr[0] == '"' && memcmp(value.ptr + 1, z, len) == 0;
}

void il__look_member(struct il__text *out, struct il_str doc, const char *before, const char *name, const char *after)
{
    struct il__text part = IL__TEXT_INIT;
    if (!il__look_has(doc, name)) return;
    il__look_text(&part, il__look_get(doc, name));
    il__text_puts(out, before);
    il__text_escaped(out, il__text_get(&part));
    il__text_puts(out, after);
    il__text_clear(&part);
}
