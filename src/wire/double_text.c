/* Double to text, as ECMAScript and RFC 8785 §3.2.2.3 write it: the shortest digits that read back as the same double,
 * the closest of these, without a locale. Short decimals by checked double arithmetic, all others by exact free-format
 * printing (Steele and White 1990; Burger and Dybvig 1996). Uses bignum. */
#include "wire/json_write.h"

#include "wire/bignum.h"

#include <float.h>

/* The value is 0.DIGITS * 10^point. */
struct digits {
    char text[24];
    int n;
    int point;
};

static void from_integer(uint64_t v, struct digits *out)
{
    char text[24];
    int n = 0;
    for (; v > 0; v /= 10) text[n++] = (char)('0' + v % 10);
    out->point = n;
    out->n = 0;
    while (n > 0) out->text[out->n++] = text[--n];
    while (out->n > 1 && out->text[out->n - 1] == '0') out->n--;
}

/* Decimals of at most 15 digits are told apart by a double, and n / 10^k is then rounded correctly: when it gives the
 * value back with the smallest k, n holds the shortest digits. */
static bool from_short_decimal(double v, struct digits *out)
{
    double scale = 1;
    if (FLT_EVAL_METHOD != 0 || v >= 1e15 || v < 1e-5) return false;
    for (int k = 0; k <= 20; k++, scale *= 10) {
        double scaled = v * scale;
        if (scaled >= 1e15) return false;
        double whole = (double)(uint64_t)(scaled + 0.5);
        if (whole / scale != v) continue;
        from_integer((uint64_t)whole, out);
        out->point -= k;
        return true;
    }
    return false;
}

/* The state of free-format printing: value = r / s, and half the gaps to the neighbours, m_plus / s and m_minus / s. */
struct printing {
    struct il__big r, s, m_plus, m_minus;
    bool even; /* the ends of the interval read back as the value too */
};

static void times_ten(struct printing *p)
{
    il__big_mul_add(&p->r, 10, 0);
    il__big_mul_add(&p->m_plus, 10, 0);
    il__big_mul_add(&p->m_minus, 10, 0);
}

static void begin(struct printing *p, uint64_t mantissa, int exponent)
{
    bool narrow_below = mantissa == (uint64_t)1 << 52 && exponent > -1074;
    uint32_t extra = narrow_below ? 2 : 1;
    il__big_set(&p->r, mantissa);
    il__big_set(&p->s, 1);
    il__big_set(&p->m_plus, 1);
    il__big_set(&p->m_minus, 1);
    il__big_shift(&p->r, (exponent > 0 ? (uint32_t)exponent : 0) + extra);
    il__big_shift(&p->s, (exponent < 0 ? (uint32_t)-exponent : 0) + extra);
    il__big_shift(&p->m_plus, (exponent > 0 ? (uint32_t)exponent : 0) + extra - 1);
    il__big_shift(&p->m_minus, exponent > 0 ? (uint32_t)exponent : 0);
    p->even = (mantissa & 1) == 0;
}

/* Scales so that the first digit is r * 10 / s; returns the decimal point's place. */
static int scale(struct printing *p, uint64_t mantissa, int exponent)
{
    int top = 63 - __builtin_clzll(mantissa) + exponent;
    int point = (int)(((int64_t)top * 1292913986) >> 32); /* floor(top * log10(2)), at most one too small */
    if (point >= 0) {
        il__big_mul_pow5(&p->s, (uint32_t)point);
        il__big_shift(&p->s, (uint32_t)point);
    } else {
        struct il__big *scaled[] = { &p->r, &p->m_plus, &p->m_minus };
        for (int i = 0; i < 3; i++) {
            il__big_mul_pow5(scaled[i], (uint32_t)-point);
            il__big_shift(scaled[i], (uint32_t)-point);
        }
    }
    for (;;) {
        int order = il__big_cmp_sum(&p->r, &p->m_plus, &p->s);
        if (order < 0 || (order == 0 && !p->even)) return point;
        il__big_mul_add(&p->s, 10, 0);
        point++;
    }
}

static void from_exact(uint64_t mantissa, int exponent, struct digits *out)
{
    struct printing p;
    begin(&p, mantissa, exponent);
    out->point = scale(&p, mantissa, exponent);
    out->n = 0;
    for (;;) {
        times_ten(&p);
        int digit = 0;
        while (il__big_cmp(&p.r, &p.s) >= 0) {
            il__big_sub(&p.r, &p.s);
            digit++;
        }
        int below = il__big_cmp(&p.r, &p.m_minus);
        int above = il__big_cmp_sum(&p.r, &p.m_plus, &p.s);
        bool low = below < 0 || (below == 0 && p.even);
        bool high = above > 0 || (above == 0 && p.even);
        if (low && high) { /* both would do: the closer, of equally close ones the even */
            int half = il__big_cmp_sum(&p.r, &p.r, &p.s);
            high = half > 0 || (half == 0 && digit % 2 == 1);
        }
        out->text[out->n++] = (char)('0' + digit + (high ? 1 : 0));
        if (low || high || out->n == 18) return;
    }
}

static char *copy(char *to, const char *from, int n)
{
    for (int i = 0; i < n; i++) *to++ = from[i];
    return to;
}

static char *zeros(char *to, int n)
{
    for (int i = 0; i < n; i++) *to++ = '0';
    return to;
}

/* ECMA-262 Number::toString, steps 6 to 10. */
static char *layout(char *to, const struct digits *d)
{
    if (d->point >= d->n && d->point <= 21) return zeros(copy(to, d->text, d->n), d->point - d->n);
    if (d->point > 0 && d->point <= 21) {
        to = copy(to, d->text, d->point);
        *to++ = '.';
        return copy(to, d->text + d->point, d->n - d->point);
    }
    if (d->point > -6 && d->point <= 0) {
        *to++ = '0';
        *to++ = '.';
        return copy(zeros(to, -d->point), d->text, d->n);
    }
    *to++ = d->text[0];
    if (d->n > 1) {
        *to++ = '.';
        to = copy(to, d->text + 1, d->n - 1);
    }
    int e = d->point - 1;
    *to++ = 'e';
    *to++ = e < 0 ? '-' : '+';
    if (e < 0) e = -e;
    if (e >= 100) *to++ = (char)('0' + e / 100);
    if (e >= 10) *to++ = (char)('0' + e / 10 % 10);
    *to++ = (char)('0' + e % 10);
    return to;
}

size_t il__double_text(double v, char buf[32])
{
    struct digits d;
    uint64_t bits = 0;
    char *to = buf;
    memcpy(&bits, &v, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)((bits >> 52) & 0x7FF);
    if (biased == 0x7FF || (bits << 1) == 0) { /* not finite has no text: callers refuse it first */
        buf[0] = '0';
        buf[1] = 0;
        return 1;
    }
    if (bits >> 63) {
        *to++ = '-';
        v = -v;
    }
    if (v < 9007199254740992.0 && v == (double)(uint64_t)v) {
        from_integer((uint64_t)v, &d);
    } else if (!from_short_decimal(v, &d)) {
        if (biased != 0) fraction |= (uint64_t)1 << 52;
        from_exact(fraction, (biased == 0 ? 1 : biased) - 1075, &d);
    }
    to = layout(to, &d);
    *to = 0;
    return (size_t)(to - buf);
}
