/* UTF-8 sequences, read strictly and written. Used by the error texts and by the JSON reader.
 * Must never read past the length it was given. */
#include "base/utf8.h"

static int tail(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
    }
    return 1;
}

size_t il__utf8_read(const unsigned char *p, size_t left, uint32_t *cp)
{
    uint32_t c = 0;
    size_t n = 0;
    if (left == 0) return 0;
    if (p[0] < 0x80) {
        c = p[0];
        n = 1;
    } else if (p[0] >= 0xC2 && p[0] <= 0xDF && left >= 2 && tail(p + 1, 1)) {
        c = ((uint32_t)(p[0] & 0x1F) << 6) | (p[1] & 0x3FU);
        n = 2;
    } else if ((p[0] & 0xF0) == 0xE0 && left >= 3 && tail(p + 1, 2)) {
        c = ((uint32_t)(p[0] & 0x0F) << 12) | ((uint32_t)(p[1] & 0x3F) << 6) | (p[2] & 0x3FU);
        if (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF)) return 0;
        n = 3;
    } else if (p[0] >= 0xF0 && p[0] <= 0xF4 && left >= 4 && tail(p + 1, 3)) {
        c = ((uint32_t)(p[0] & 0x07) << 18) | ((uint32_t)(p[1] & 0x3F) << 12) | ((uint32_t)(p[2] & 0x3F) << 6) |
            (p[3] & 0x3FU);
        if (c < 0x10000 || c > 0x10FFFF) return 0;
        n = 4;
    }
    if (n != 0 && cp) *cp = c;
    return n;
}

size_t il__utf8_write(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | (cp >> 6));
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | (cp >> 12));
        out[1] = (char)(0x80 | ((cp >> 6) & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (cp >> 18));
    out[1] = (char)(0x80 | ((cp >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((cp >> 6) & 0x3F));
    out[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}
