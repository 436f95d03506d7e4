/* Punycode, RFC 3492 §6.2, on one label (punycode.h). */
#include "check/punycode.h"

#include "base/utf8.h"
#include "check/nfc.h"

#include <stdint.h>

enum { BASE = 36, TMIN = 1, TMAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST_CODE = 128, LABEL_MAX = 63 };

static uint32_t adapt(uint32_t delta, uint32_t count, bool first)
{
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / count;
    for (; delta > ((BASE - TMIN) * TMAX) / 2; k += BASE) delta /= BASE - TMIN;
    return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}

static uint32_t digit_of(char c)
{
    if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a');
    return c >= '0' && c <= '9' ? (uint32_t)(c - '0' + 26) : BASE;
}

/* One variable-length number added to `*i`; false when it ends early or runs over. */
static bool read_delta(struct il_str s, size_t *at, uint32_t bias, uint32_t *i)
{
    uint64_t weight = 1, sum = *i;
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t digit = *at < s.len ? digit_of(s.ptr[(*at)++]) : BASE;
        if (digit == BASE) return false;
        sum += digit * weight;
        if (sum > UINT32_MAX) return false;
        uint32_t t = k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;
        if (digit < t) break;
        weight *= BASE - t;
        if (weight > UINT32_MAX) return false;
    }
    *i = (uint32_t)sum;
    return true;
}

/* The number of code points, 0 when it is no Punycode. */
static size_t decode(struct il_str s, uint32_t out[LABEL_MAX])
{
    size_t basic = s.len, count = 0;
    while (basic > 0 && s.ptr[basic - 1] != '-') basic--;
    for (; count + 1 < basic; count++) out[count] = (unsigned char)s.ptr[count];
    uint32_t code = FIRST_CODE, bias = FIRST_BIAS, i = 0;
    for (size_t at = basic; at < s.len;) {
        uint32_t old = i;
        if (count == LABEL_MAX || !read_delta(s, &at, bias, &i)) return 0;
        uint32_t points = (uint32_t)count + 1;
        bias = adapt(i - old, points, old == 0);
        if (i / points > 0x10FFFF - code) return 0;
        code += i / points;
        i %= points;
        memmove(out + i + 1, out + i, (count - i) * sizeof *out);
        out[i++] = code;
        count++;
    }
    return count;
}

bool il__punycode_ok(struct il_str label)
{
    uint32_t points[LABEL_MAX];
    char text[4 * LABEL_MAX];
    size_t len = 0, other = 0;
    if (label.len > LABEL_MAX || label.len < 5) return false;
    size_t count = decode((struct il_str){ label.ptr + 4, label.len - 4 }, points);
    for (size_t i = 0; i < count; i++) {
        if (!il__point_is_visible((int32_t)points[i])) return false;
        if (points[i] >= 0x80) other++;
        /* Sharp s and final sigma are what they are, though they fold to other letters. */
        if (points[i] == 0xDF || points[i] == 0x3C2) points[i] = 'a';
        len += il__utf8_write(points[i], text + len);
    }
    return other > 0 && il__text_is_folded((struct il_str){ text, len });
}
