/* Constant-time comparison and wiping. Uses explicit_bzero of the C library, which the optimiser keeps.
 * Must never branch on the content of a secret. */
#include "base/secret.h"

bool il__secret_eq(struct il_str a, struct il_str b)
{
    if (!a.ptr || !b.ptr || a.len != b.len) return false;
    volatile unsigned char diff = 0;
    for (size_t i = 0; i < a.len; i++) diff |= (unsigned char)(a.ptr[i] ^ b.ptr[i]);
    return diff == 0;
}

void il__secret_wipe(void *ptr, size_t len)
{
    if (ptr && len > 0) explicit_bzero(ptr, len);
}
