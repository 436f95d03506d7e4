/* Heap sort over items of any small size (sort.h). Must never allocate. */
#include "base/sort.h"

#include <string.h>

struct heap {
    unsigned char *items;
    size_t size;
    bool (*before)(void *ctx, const void *a, const void *b);
    void *ctx;
};

static void swap(const struct heap *h, size_t a, size_t b)
{
    unsigned char keep[IL__SORT_ITEM_MAX];
    memcpy(keep, h->items + a * h->size, h->size);
    memcpy(h->items + a * h->size, h->items + b * h->size, h->size);
    memcpy(h->items + b * h->size, keep, h->size);
}

static bool before(const struct heap *h, size_t a, size_t b)
{
    return h->before(h->ctx, h->items + a * h->size, h->items + b * h->size);
}

/* Moves item `root` down among the first `len` until both below it come before it. */
static void sift(const struct heap *h, size_t root, size_t len)
{
    for (size_t child; (child = 2 * root + 1) < len; root = child) {
        if (child + 1 < len && before(h, child, child + 1)) child++;
        if (!before(h, root, child)) return;
        swap(h, root, child);
    }
}

void il__sort(void *items, size_t count, size_t size, bool (*before_fn)(void *ctx, const void *a, const void *b),
              void *ctx)
{
    const struct heap h = { items, size, before_fn, ctx };
    if (size > IL__SORT_ITEM_MAX) return;
    for (size_t root = count / 2; root-- > 0;) sift(&h, root, count);
    for (size_t len = count; len-- > 1;) {
        swap(&h, 0, len);
        sift(&h, 0, len);
    }
}
