/* Base64 by arithmetic (base64.h). Every group of four characters is read in one place, and the last group refuses what
 * writing would not have written. Must never accept two texts for the same bytes. */
#include "wire/base64.h"

struct alphabet {
    char c62, c63;
    bool padded;
};
static const struct alphabet standard = { '+', '/', true };
static const struct alphabet url = { '-', '_', false };

/* The character of a value below 64. Counts each range that the value lies past, without a branch on it. */
static char letter(const struct alphabet *a, unsigned v)
{
    unsigned c = v + 'A';
    c += (unsigned)(v > 25) * ('a' - 'A' - 26U);
    c -= (unsigned)(v > 51) * ('a' + 26U - '0');
    c = v == 62 ? (unsigned)a->c62 : c;
    return (char)(v == 63 ? (unsigned)a->c63 : c);
}

/* The value of a character, 64 for one that is none of the alphabet. */
static unsigned value(const struct alphabet *a, char ch)
{
    unsigned v = 64;
    v = ch >= 'A' && ch <= 'Z' ? (unsigned)(ch - 'A') : v;
    v = ch >= 'a' && ch <= 'z' ? (unsigned)(ch - 'a') + 26 : v;
    v = ch >= '0' && ch <= '9' ? (unsigned)(ch - '0') + 52 : v;
    v = ch == a->c62 ? 62 : v;
    return ch == a->c63 ? 63 : v;
}

static size_t write_text(const struct alphabet *a, const uint8_t *p, size_t len, char *out)
{
    char *to = out;
    for (; len >= 3; len -= 3, p += 3) {
        *to++ = letter(a, p[0] >> 2);
        *to++ = letter(a, (p[0] & 3U) << 4 | p[1] >> 4);
        *to++ = letter(a, (p[1] & 15U) << 2 | p[2] >> 6);
        *to++ = letter(a, p[2] & 63U);
    }
    if (len > 0) {
        const unsigned second = len == 2 ? p[1] : 0;
        *to++ = letter(a, p[0] >> 2);
        *to++ = letter(a, (p[0] & 3U) << 4 | second >> 4);
        if (len == 2) *to++ = letter(a, (second & 15U) << 2);
        else if (a->padded) *to++ = '=';
        if (a->padded) *to++ = '=';
    }
    *to = '\0';
    return (size_t)(to - out);
}

/* Reads `n` characters (2 to 4) that stand for n - 1 bytes. False: a foreign character, or bits that stand for none. */
static bool read_group(const struct alphabet *a, const char *p, size_t n, uint8_t *to)
{
    unsigned bits = 0, foreign = 0;
    for (size_t i = 0; i < 4; i++) {
        const unsigned v = i < n ? value(a, p[i]) : 0;
        foreign |= v & 64U;
        bits = bits << 6 | (v & 63U);
    }
    for (size_t i = 0; i + 1 < n; i++) to[i] = (uint8_t)(bits >> (16 - 8 * i));
    return foreign == 0 && (n == 4 || (bits & (n == 2 ? 0xFFFFU : 0xFFU)) == 0);
}

static bool read_text(const struct alphabet *a, struct il_str text, uint8_t *out, size_t cap, size_t *len)
{
    size_t n = text.len, got = 0;
    *len = 0;
    if (!text.ptr || (a->padded && n % 4 != 0)) return false;
    if (a->padded && n > 0 && text.ptr[n - 1] == '=') n--;
    if (n < text.len && text.ptr[n - 1] == '=') n--;
    if (n % 4 == 1 || n / 4 * 3 + (n % 4 ? n % 4 - 1 : 0) > cap) return false;
    for (size_t at = 0; at < n; at += 4) {
        const size_t take = n - at < 4 ? n - at : 4;
        if (!read_group(a, text.ptr + at, take, out + got)) return false;
        got += take - 1;
    }
    *len = got;
    return true;
}

size_t il__base64_write(const void *bytes, size_t len, char *out)
{
    return write_text(&standard, bytes, len, out);
}

size_t il__base64url_write(const void *bytes, size_t len, char *out)
{
    return write_text(&url, bytes, len, out);
}

bool il__base64_read(struct il_str text, void *out, size_t cap, size_t *len)
{
    return read_text(&standard, text, out, cap, len);
}

bool il__base64url_read(struct il_str text, void *out, size_t cap, size_t *len)
{
    return read_text(&url, text, out, cap, len);
}
