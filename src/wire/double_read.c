/* Decimal to double in three stages: exact arithmetic on doubles for short numbers (Clinger 1990), a 128-bit interval
 * that holds the value for nearly all others, and exact comparison with the midpoint for the rest.
 * Uses bignum. Must never depend on the locale or on the rounding of the C library. */
#include "wire/double.h"

#include "wire/bignum.h"

#include <float.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 u128;

enum { DIGITS_FAST = 19, DIGITS_EXACT = 800, STEP = 27, FIRST_STEP = -13 };

/* 10^(27 n), n from -13: the top 128 bits, cut off, and the exponent of their lowest bit. */
static const struct {
    uint64_t hi, lo;
    int16_t exponent;
} coarse[] = {
    { 0x8049a4ac0c5811aeU, 0x205b896d777d6278U, -1293 },
    { 0xcf42894a5dce35eaU, 0x52064cac828675b9U, -1204 },
    { 0xa76c582338ed2621U, 0xaf2af2b80af6f24eU, -1114 },
    { 0x873e4f75e2224e68U, 0x5a7744a6e804a291U, -1024 },
    { 0xda7f5bf590966848U, 0xaf39a475506a899eU, -935 },
    { 0xb080392cc4349decU, 0xbd8d794d96aacfb3U, -845 },
    { 0x8e938662882af53eU, 0x547eb47b7282ee9cU, -755 },
    { 0xe65829b3046b0afaU, 0x0cb4a5a3112a5112U, -666 },
    { 0xba121a4650e4ddebU, 0x92f34d62616ce413U, -576 },
    { 0x964e858c91ba2655U, 0x3a6a07f8d510f86fU, -486 },
    { 0xf2d56790ab41c2a2U, 0xfae27299423fb9c3U, -397 },
    { 0xc428d05aa4751e4cU, 0xaa97e14c3c26b886U, -307 },
    { 0x9e74d1b791e07e48U, 0x775ea264cf55347dU, -217 },
    { 0x8000000000000000U, 0x0000000000000000U, -127 },
    { 0xcecb8f27f4200f3aU, 0x0000000000000000U, -38 },
    { 0xa70c3c40a64e6c51U, 0x999090b65f67d924U, 52 },
    { 0x86f0ac99b4e8dafdU, 0x69a028bb3ded71a3U, 142 },
    { 0xda01ee641a708de9U, 0xe80e6f4820cc9495U, 231 },
    { 0xb01ae745b101e9e4U, 0x5ec05dcff72e7f8fU, 321 },
    { 0x8e41ade9fbebc27dU, 0x14588f13be847307U, 411 },
    { 0xe5d3ef282a242e81U, 0x8f1668c8a86da5faU, 500 },
    { 0xb9a74a0637ce2ee1U, 0x6d953e2bd7173692U, 590 },
    { 0x95f83d0a1fb69cd9U, 0x4abdaf101564f98eU, 680 },
    { 0xf24a01a73cf2dccfU, 0xbc633b39673c8cecU, 769 },
    { 0xc3b8358109e84f07U, 0x0a862f80ec4700c8U, 859 },
    { 0x9e19db92b4e31ba9U, 0x6c07a2c26a8346d1U, 949 },
};

/* What a number's text says: w * 10^exponent, or a little more when `cut`. */
struct decimal {
    bool negative, cut;
    uint64_t w;
    int64_t exponent;
    int64_t magnitude; /* the value is below 10^magnitude and at least 10^(magnitude-1) */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int64_t read_exponent(const char *p, const char *end)
{
    int64_t e = 0;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && is_digit(*p); p++) {
        if (e < 1000000000) e = e * 10 + (*p - '0');
    }
    return negative ? -e : e;
}

static struct decimal scan(struct il_str text)
{
    struct decimal d = { false, false, 0, 0, 0 };
    const char *p = text.ptr;
    const char *end = text.ptr + text.len;
    int n = 0; /* significant digits in w */
    bool point = false;
    if (p < end && *p == '-') {
        d.negative = true;
        p++;
    }
    for (; p < end && (is_digit(*p) || *p == '.'); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (n == DIGITS_FAST) {
            d.cut = d.cut || *p != '0';
            d.exponent += point ? 0 : 1;
            continue;
        }
        d.w = d.w * 10 + (uint64_t)(*p - '0');
        if (d.w != 0) n++;
        d.exponent -= point ? 1 : 0;
    }
    if (p < end) d.exponent += read_exponent(p + 1, end);
    d.magnitude = d.exponent + n;
    return d;
}

/* The bits of the double nearest to m * 2^exponent, ties to even; m is not 0. */
static uint64_t round_bits(u128 m, int exponent)
{
    int top = 127;
    while (!(m >> 127)) {
        m <<= 1;
        exponent--;
    }
    int of_value = exponent + top; /* 2^of_value <= value */
    if (of_value > 1023) return (uint64_t)0x7FF << 52;
    int keep = of_value >= -1022 ? 53 : 53 - (-1022 - of_value);
    if (keep < 0) return 0;
    uint64_t mantissa = keep == 0 ? 0 : (uint64_t)(m >> (128 - keep));
    u128 rest = keep == 0 ? m : m << keep;
    u128 half = (u128)1 << 127;
    if (rest > half || (rest == half && (mantissa & 1))) mantissa++;
    if (of_value < -1022) return mantissa;
    return ((uint64_t)(of_value + 1022) << 52) + mantissa; /* a carry moves into the exponent */
}

/* 10^exponent lies in [*power, *power + error] * 2^*binary. */
static int power_of_ten(int exponent, u128 *power, int *binary)
{
    static const uint64_t fives[STEP] = {
        1U, 5U, 25U, 125U, 625U, 3125U, 15625U, 78125U, 390625U, 1953125U, 9765625U, 48828125U, 244140625U,
        1220703125U, 6103515625U, 30517578125U, 152587890625U, 762939453125U, 3814697265625U, 19073486328125U,
        95367431640625U, 476837158203125U, 2384185791015625U, 11920928955078125U, 59604644775390625U,
        298023223876953125U, 1490116119384765625U,
    };
    int step = (exponent - FIRST_STEP * STEP) / STEP;
    int rest = exponent - (step + FIRST_STEP) * STEP;
    int shift = __builtin_clzll(fives[rest]);
    uint64_t fine = fives[rest] << shift;
    u128 low = (u128)coarse[step].lo * fine;
    u128 high = (u128)coarse[step].hi * fine + (low >> 64);
    *binary = coarse[step].exponent + rest - shift + 64;
    if (!(high >> 127)) {
        high = (high << 1) | ((low >> 63) & 1);
        --*binary;
    }
    *power = high;
    return step + FIRST_STEP == 0 || step + FIRST_STEP == 1 ? 0 : 4;
}

/* The top 128 bits of a * b, which has 192. */
static u128 multiply(u128 a, uint64_t b, bool *exact)
{
    u128 low = (u128)(uint64_t)a * b;
    *exact = (uint64_t)low == 0;
    return (u128)(uint64_t)(a >> 64) * b + (low >> 64);
}

/* How the exact value of the text compares with the midpoint of the doubles `bits` and `bits` + 1. */
static int compare_with_midpoint(struct il_str text, uint64_t bits)
{
    struct il__big value;
    struct il__big middle;
    int64_t exponent = 0;
    uint32_t n = 0;
    bool point = false;
    bool sticky = false;
    const char *p = text.ptr;
    const char *end = text.ptr + text.len;
    il__big_set(&value, 0);
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') point = true;
        if (!is_digit(*p)) continue;
        if (n < DIGITS_EXACT) {
            il__big_mul_add(&value, 10, (uint32_t)(*p - '0'));
            if (value.n > 0) n++;
            exponent -= point ? 1 : 0;
        } else {
            sticky = sticky || *p != '0';
            exponent += point ? 0 : 1;
        }
    }
    if (p < end) exponent += read_exponent(p + 1, end);
    if (sticky) {
        il__big_mul_add(&value, 10, 1);
        exponent--;
    }
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int64_t biased = (int64_t)(bits >> 52);
    if (biased != 0) fraction |= (uint64_t)1 << 52;
    int64_t binary = (biased == 0 ? 1 : biased) - 1075 - 1; /* the midpoint is (2 fraction + 1) * 2^binary */
    il__big_set(&middle, 2 * fraction + 1);
    if (exponent >= 0) il__big_mul_pow5(&value, (uint32_t)exponent);
    else il__big_mul_pow5(&middle, (uint32_t)-exponent);
    int64_t shift = exponent - binary;
    if (shift >= 0) il__big_shift(&value, (uint32_t)shift);
    else il__big_shift(&middle, (uint32_t)-shift);
    return il__big_cmp(&value, &middle);
}

static uint64_t read_bits(struct il_str text, const struct decimal *d)
{
    u128 power = 0;
    int binary = 0;
    bool exact = false;
    int shift = __builtin_clzll(d->w);
    int error = power_of_ten((int)d->exponent, &power, &binary);
    u128 low = multiply(power, d->w << shift, &exact);
    u128 high = low;
    uint64_t w = d->w << shift;
    if (d->cut) w += (uint64_t)1 << shift;
    if (error != 0 || d->cut || !exact) high = multiply(power + (unsigned)error, w, &exact) + 1;
    binary += 64 - shift;
    uint64_t bits = round_bits(low, binary);
    uint64_t upper = high < low ? (uint64_t)0x7FF << 52 : round_bits(high, binary);
    while (bits < upper) {
        int order = compare_with_midpoint(text, bits);
        if (order < 0 || (order == 0 && (bits & 1) == 0)) break;
        bits++;
        if (order == 0) break;
    }
    return bits;
}

double il__double_read(struct il_str text)
{
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    struct decimal d = scan(text);
    double value = 0;
    uint64_t bits = 0;
    if (FLT_EVAL_METHOD == 0 && !d.cut && d.w <= (uint64_t)1 << 53 && d.exponent >= -22 && d.exponent <= 22) {
        value = (double)d.w;
        value = d.exponent < 0 ? value / tens[-d.exponent] : value * tens[d.exponent];
        return d.negative ? -value : value;
    }
    if (d.w == 0 || d.magnitude < -323) bits = 0;
    else if (d.magnitude > 309) bits = (uint64_t)0x7FF << 52;
    else bits = read_bits(text, &d);
    if (d.negative) bits |= (uint64_t)1 << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}
