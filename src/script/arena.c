/* The allocator of a sandbox: size classes over pages, runs of pages for the rest, a bitmap to find them.
 * Uses its region only. Must never call out: it runs below the collector, and what it answers must be repeatable. */
#include "script/arena.h"

#include <string.h>

enum { PAGE_FREE, PAGE_RUN, PAGE_TAIL, PAGE_CLASS };

static const uint16_t class_bytes[IL__SIZE_CLASSES] = { 16,  32,  48,  64,  80,  96,  112, 128,
                                                        160, 192, 224, 256, 320, 384, 448, 512 };

static size_t class_of(size_t size)
{
    if (size <= 128) return (size - 1) / 16;
    size_t c = 8;
    while (class_bytes[c] < size) c++;
    return c;
}

static size_t pages_of(size_t size)
{
    return (size + IL__PAGE_BYTES - 1) / IL__PAGE_BYTES;
}

static size_t align_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t map_words(size_t pages)
{
    return (pages + 63) / 64;
}

size_t il__heap_region_bytes(size_t pages)
{
    size_t meta = align_up(pages * sizeof(struct il__page), 64) + map_words(pages) * sizeof(uint64_t);
    return meta + IL__PAGE_BYTES + pages * IL__PAGE_BYTES;
}

void il__heap_init(struct il__heap *heap, void *region, size_t pages)
{
    char *at = region;
    size_t table = align_up(pages * sizeof(struct il__page), 64);
    size_t map = map_words(pages) * sizeof(uint64_t);
    memset(heap, 0, sizeof *heap);
    memset(at, 0, table + map);
    heap->page = region;
    heap->map = (uint64_t *)(void *)(at + table);
    uintptr_t first = (uintptr_t)(at + table + map);
    heap->base = at + table + map + (align_up(first, IL__PAGE_BYTES) - first);
    heap->pages = pages;
}

/* The first page from `at` whose bit equals `used`, or the number of pages. */
static size_t next_page(const struct il__heap *heap, size_t at, int used)
{
    while (at < heap->pages) {
        uint64_t word = heap->map[at / 64];
        if (!used) word = ~word;
        word >>= at % 64;
        if (word != 0) {
            at += (size_t)__builtin_ctzll(word);
            return at < heap->pages ? at : heap->pages;
        }
        at += 64 - at % 64;
    }
    return heap->pages;
}

static void set_bits(struct il__heap *heap, size_t at, size_t count, int used)
{
    for (size_t i = at; i < at + count; i++) {
        uint64_t bit = (uint64_t)1 << (i % 64);
        if (used) heap->map[i / 64] |= bit;
        else heap->map[i / 64] &= ~bit;
    }
}

static void take_pages(struct il__heap *heap, size_t at, size_t count)
{
    set_bits(heap, at, count, 1);
    heap->used_pages += count;
    if (heap->used_pages > heap->peak_pages) heap->peak_pages = heap->used_pages;
}

static void give_pages(struct il__heap *heap, size_t at, size_t count)
{
    set_bits(heap, at, count, 0);
    memset(&heap->page[at], 0, count * sizeof heap->page[0]);
    heap->used_pages -= count;
}

/* First fit; the number of pages when there is no such run. */
static size_t find_run(const struct il__heap *heap, size_t count)
{
    size_t at = next_page(heap, 0, 0);
    while (at + count <= heap->pages) {
        size_t end = next_page(heap, at, 1);
        if (end - at >= count) return at;
        at = next_page(heap, end, 0);
    }
    return heap->pages;
}

static void *alloc_run(struct il__heap *heap, size_t size)
{
    size_t count = pages_of(size);
    if (count == 0 || count > heap->pages) return NULL;
    size_t at = find_run(heap, count);
    if (at == heap->pages) return NULL;
    take_pages(heap, at, count);
    for (size_t i = at; i < at + count; i++) heap->page[i].kind = PAGE_TAIL;
    heap->page[at].kind = PAGE_RUN;
    heap->page[at].run = (uint32_t)count;
    return heap->base + at * IL__PAGE_BYTES;
}

static void list_add(struct il__heap *heap, size_t class, size_t at)
{
    struct il__page *page = &heap->page[at];
    page->prev = 0;
    page->next = heap->room[class];
    if (page->next) heap->page[page->next - 1].prev = (uint16_t)(at + 1);
    heap->room[class] = (uint16_t)(at + 1);
}

static void list_drop(struct il__heap *heap, size_t class, size_t at)
{
    struct il__page *page = &heap->page[at];
    if (page->prev) heap->page[page->prev - 1].next = page->next;
    else heap->room[class] = page->next;
    if (page->next) heap->page[page->next - 1].prev = page->prev;
    page->next = page->prev = 0;
}

static void *alloc_small(struct il__heap *heap, size_t class)
{
    size_t at;
    if (heap->room[class]) {
        at = heap->room[class] - 1u;
    } else {
        at = next_page(heap, 0, 0);
        if (at == heap->pages) return NULL;
        take_pages(heap, at, 1);
        heap->page[at] = (struct il__page){ .kind = (uint8_t)(PAGE_CLASS + class) };
        list_add(heap, class, at);
    }
    struct il__page *page = &heap->page[at];
    size_t bytes = class_bytes[class];
    char *start = heap->base + at * IL__PAGE_BYTES;
    char *slot;
    if (page->free) {
        slot = start + (page->free - 1u) * bytes;
        page->free = (uint8_t)*slot; /* a free slot starts with the number of the next one */
    } else {
        slot = start + page->fresh * bytes;
        page->fresh++;
    }
    page->used++;
    if (!page->free && (page->fresh + 1u) * bytes > IL__PAGE_BYTES) list_drop(heap, class, at);
    return slot;
}

void *il__heap_alloc(struct il__heap *heap, size_t size)
{
    return size <= IL__SMALL_BYTES ? alloc_small(heap, class_of(size)) : alloc_run(heap, size);
}

static void free_small(struct il__heap *heap, size_t at, char *slot)
{
    struct il__page *page = &heap->page[at];
    size_t class = (size_t)page->kind - PAGE_CLASS;
    size_t bytes = class_bytes[class];
    int was_full = !page->free && (page->fresh + 1u) * bytes > IL__PAGE_BYTES;
    *slot = (char)page->free;
    page->free = (uint8_t)((size_t)(slot - (heap->base + at * IL__PAGE_BYTES)) / bytes + 1);
    page->used--;
    if (was_full) list_add(heap, class, at);
    if (page->used == 0) {
        list_drop(heap, class, at);
        give_pages(heap, at, 1);
    }
}

void il__heap_free(struct il__heap *heap, void *ptr)
{
    size_t at = (size_t)((char *)ptr - heap->base) / IL__PAGE_BYTES;
    if (heap->page[at].kind >= PAGE_CLASS) free_small(heap, at, ptr);
    else give_pages(heap, at, heap->page[at].run);
}

/* Shrinks or grows a run where it stands; 0 when it has to move. */
static int resize_run(struct il__heap *heap, size_t at, size_t size)
{
    size_t have = heap->page[at].run, want = pages_of(size);
    if (size <= IL__SMALL_BYTES || want > heap->pages - at) return 0;
    if (want < have) give_pages(heap, at + want, have - want);
    if (want > have) {
        size_t room = next_page(heap, at + have, 1) - (at + have);
        if (room < want - have) return 0;
        take_pages(heap, at + have, want - have);
        for (size_t i = at + have; i < at + want; i++) heap->page[i].kind = PAGE_TAIL;
    }
    heap->page[at].run = (uint32_t)want;
    return 1;
}

void *il__heap_resize(struct il__heap *heap, void *ptr, size_t old, size_t size)
{
    size_t at = (size_t)((char *)ptr - heap->base) / IL__PAGE_BYTES;
    uint8_t kind = heap->page[at].kind;
    if (kind >= PAGE_CLASS) {
        if (size <= IL__SMALL_BYTES && class_of(size) == (size_t)kind - PAGE_CLASS) return ptr;
    } else if (resize_run(heap, at, size)) {
        return ptr;
    }
    void *moved = il__heap_alloc(heap, size);
    if (!moved) return size <= old ? ptr : NULL;
    memcpy(moved, ptr, old < size ? old : size);
    il__heap_free(heap, ptr);
    return moved;
}
