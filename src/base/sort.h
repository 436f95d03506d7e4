/* Sorting in place: heap sort, so no memory and no input that makes it slow. Equal items keep no order. */
#ifndef IL_BASE_SORT_H
#define IL_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

enum { IL__SORT_ITEM_MAX = 64 }; /* bytes of one item at most */

/* Sorts `count` items of `size` bytes each, so that before(ctx, b, a) holds for no a in front of b. `before` must be a
 * strict order. */
void il__sort(void *items, size_t count, size_t size, bool (*before)(void *ctx, const void *a, const void *b),
              void *ctx);

#endif
