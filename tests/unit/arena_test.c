/* The arena of a sandbox against a plain model: random blocks keep their bytes, nothing overlaps, all room comes back.
 */
#include "script/arena.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { PAGES = 256, BLOCKS = 600, STEPS = 60000 };

struct block {
    unsigned char *ptr;
    size_t size;
    unsigned char fill;
};

static uint32_t seed = 12345;

static uint32_t pick(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static size_t any_size(void)
{
    switch (pick(4)) {
    case 0: return 1 + pick(64);
    case 1: return 1 + pick(600);
    case 2: return 1 + pick(5000);
    default: return 1 + pick(128);
    }
}

static bool intact(const struct block *b)
{
    for (size_t i = 0; i < b->size; i++)
        if (b->ptr[i] != b->fill) return false;
    return true;
}

static void put(struct block *b, void *ptr, size_t size)
{
    b->ptr = ptr;
    b->size = size;
    b->fill = (unsigned char)pick(256);
    memset(ptr, b->fill, size);
}

static void test_random(struct il__heap *heap)
{
    static struct block blocks[BLOCKS];
    bool kept = true, aligned = true, shrinks = true;
    size_t refused = 0;
    for (int step = 0; step < STEPS; step++) {
        struct block *b = &blocks[pick(BLOCKS)];
        if (!b->ptr) {
            size_t size = any_size();
            void *p = il__heap_alloc(heap, size);
            if (p) put(b, p, size);
            else refused++;
            aligned = aligned && (uintptr_t)p % 16 == 0;
        } else if (pick(3) == 0) {
            kept = kept && intact(b);
            il__heap_free(heap, b->ptr);
            b->ptr = NULL;
        } else {
            size_t size = any_size(), both = size < b->size ? size : b->size;
            unsigned char *p = il__heap_resize(heap, b->ptr, b->size, size);
            if (!p) {
                refused++;
                shrinks = shrinks && size > b->size;
                kept = kept && intact(b);
                continue;
            }
            b->ptr = p;
            b->size = both;
            kept = kept && intact(b);
            put(b, p, size);
        }
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (!blocks[i].ptr) continue;
        kept = kept && intact(&blocks[i]);
        il__heap_free(heap, blocks[i].ptr);
    }
    tap_ok(kept, "every block kept its bytes");
    tap_ok(aligned, "every block is aligned to 16");
    tap_ok(shrinks, "a shrink never fails");
    tap_ok(refused > 0, "the region was full at times (%zu)", refused);
    tap_int((long long)heap->used_pages, 0, "all pages came back");
}

int main(void)
{
    struct il__heap heap;
    char *region = malloc(il__heap_region_bytes(PAGES));
    il__heap_init(&heap, region, PAGES);
    tap_ok(heap.base + PAGES * IL__PAGE_BYTES <= region + il__heap_region_bytes(PAGES),
           "the pages lie inside the region");
    test_random(&heap);
    void *whole = il__heap_alloc(&heap, PAGES * IL__PAGE_BYTES);
    tap_ok(whole != NULL, "then one block can take it all");
    tap_ok(il__heap_alloc(&heap, 1) == NULL, "and nothing more");
    whole = il__heap_resize(&heap, whole, PAGES * IL__PAGE_BYTES, 1025);
    tap_int((long long)heap.used_pages, 2, "a shrink gives pages back");
    whole = il__heap_resize(&heap, whole, 1025, 8000);
    tap_int((long long)heap.used_pages, 8, "a growth takes them in place");
    il__heap_free(&heap, whole);
    free(region);
    return tap_done();
}
