/* Schoolbook arithmetic on small natural numbers, 32 bits a limb, lowest first. Used by double_read and double_text.
 * Must never write past the fixed capacity. */
#include "wire/bignum.h"

#include <string.h>

static void push_limb(struct il__big *a, uint32_t v)
{
    if (v != 0 && a->n < IL__BIG_LIMBS) a->limb[a->n++] = v;
}

void il__big_set(struct il__big *a, uint64_t v)
{
    a->n = 0;
    if (v >> 32) {
        a->limb[a->n++] = (uint32_t)v;
        push_limb(a, (uint32_t)(v >> 32));
    } else {
        push_limb(a, (uint32_t)v);
    }
}

void il__big_mul_add(struct il__big *a, uint32_t mul, uint32_t add)
{
    uint64_t carry = add;
    for (uint32_t i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * mul;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push_limb(a, (uint32_t)carry);
}

void il__big_mul_pow5(struct il__big *a, uint32_t exponent)
{
    static const uint32_t small[] = { 1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125,
                                      244140625 };
    for (; exponent >= 13; exponent -= 13) il__big_mul_add(a, 1220703125U, 0);
    il__big_mul_add(a, small[exponent], 0);
}

void il__big_shift(struct il__big *a, uint32_t bits)
{
    uint32_t limbs = bits / 32;
    if (a->n == 0) return;
    if (bits % 32 != 0) il__big_mul_add(a, 1U << (bits % 32), 0);
    if (limbs == 0) return;
    if (limbs > IL__BIG_LIMBS - a->n) limbs = IL__BIG_LIMBS - a->n;
    memmove(a->limb + limbs, a->limb, a->n * sizeof a->limb[0]);
    memset(a->limb, 0, limbs * sizeof a->limb[0]);
    a->n += limbs;
}

int il__big_cmp(const struct il__big *a, const struct il__big *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (uint32_t i = a->n; i > 0; i--) {
        if (a->limb[i - 1] != b->limb[i - 1]) return a->limb[i - 1] < b->limb[i - 1] ? -1 : 1;
    }
    return 0;
}

int il__big_cmp_sum(const struct il__big *a, const struct il__big *b, const struct il__big *c)
{
    struct il__big sum;
    const struct il__big *longer = a->n >= b->n ? a : b;
    const struct il__big *other = a->n >= b->n ? b : a;
    uint64_t carry = 0;
    if (longer->n + 1 < c->n) return -1;
    sum.n = longer->n;
    for (uint32_t i = 0; i < longer->n; i++) {
        carry += (uint64_t)longer->limb[i] + (i < other->n ? other->limb[i] : 0);
        sum.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push_limb(&sum, (uint32_t)carry);
    return il__big_cmp(&sum, c);
}

void il__big_sub(struct il__big *a, const struct il__big *b)
{
    int64_t carry = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        carry += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    while (a->n > 0 && a->limb[a->n - 1] == 0) a->n--;
}
