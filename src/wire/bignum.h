/* Natural numbers of a fixed size, for the exact cases of reading and printing doubles. On the stack, no allocation.
 * The callers' numbers stay below 4096 bits; an operation that would pass the capacity drops the excess, never writes
 * past it. */
#ifndef IL_WIRE_BIGNUM_H
#define IL_WIRE_BIGNUM_H

#include <stdint.h>

enum { IL__BIG_LIMBS = 160 };

struct il__big {
    uint32_t n; /* limbs in use; the highest is not 0 */
    uint32_t limb[IL__BIG_LIMBS];
};

void il__big_set(struct il__big *a, uint64_t v);
/* a = a * mul + add. */
void il__big_mul_add(struct il__big *a, uint32_t mul, uint32_t add);
void il__big_mul_pow5(struct il__big *a, uint32_t exponent);
void il__big_shift(struct il__big *a, uint32_t bits); /* left */
int il__big_cmp(const struct il__big *a, const struct il__big *b);
/* How a + b compares with c. */
int il__big_cmp_sum(const struct il__big *a, const struct il__big *b, const struct il__big *c);
/* a -= b, which must not be larger. */
void il__big_sub(struct il__big *a, const struct il__big *b);

#endif
