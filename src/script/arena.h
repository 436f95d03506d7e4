/* The memory of one sandbox: a fixed region, cut into pages of 1 KiB. Small blocks come from pages of one size class,
 * larger ones are runs of pages; a page whose last block is freed is free again. The region is compact from its start,
 * so few pages are ever touched. Uses nothing; NULL means full, and the sandbox then kills: Lua is never refused. */
#ifndef IL_SCRIPT_ARENA_H
#define IL_SCRIPT_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { IL__PAGE_BYTES = 1024, IL__SMALL_BYTES = 512, IL__SIZE_CLASSES = 16 };

/* One page of the region. */
struct il__page {
    uint8_t kind;        /* 0 free, 1 run head, 2 run tail, 3 and up: size class + 3 */
    uint8_t used, fresh; /* slots in use; slots taken at least once (the free list is only of those) */
    uint8_t free;        /* first slot of the free list + 1; 0: none */
    uint16_t next, prev; /* list of pages of this class with room: page + 1; 0: none */
    uint32_t run;        /* pages of the run, at its head */
};

struct il__heap {
    char *base;              /* aligned to a page */
    size_t pages;
    struct il__page *page;   /* one for each page */
    uint64_t *map;           /* one bit for each page: in use */
    size_t used_pages, peak_pages;
    uint16_t room[IL__SIZE_CLASSES]; /* first page with room: page + 1 */
};

/* Bytes that il__heap_init needs for `pages` pages, and how it lays them out: `region` is cleared where needed. */
size_t il__heap_region_bytes(size_t pages);
void il__heap_init(struct il__heap *heap, void *region, size_t pages);
/* NULL when there is no room. Aligned to 16. `size` is not 0. */
void *il__heap_alloc(struct il__heap *heap, size_t size);
/* NULL when there is no room for a growth (the old block stays); a shrink never fails. */
void *il__heap_resize(struct il__heap *heap, void *ptr, size_t old, size_t size);
void il__heap_free(struct il__heap *heap, void *ptr);

#endif
