/* The one place that takes and gives back memory: over the embedder's callback, or the C library. Counts, limits, and
 * fails on demand. Also the bump arena. Must never be bypassed, and never hands out memory past the limit. */
#include "base/mem.h"

#include <stdlib.h>

static void *libc_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    (void)ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

void il__mem_init(struct il__mem *mem, il_alloc_fn fn, void *ctx, size_t limit_bytes)
{
    *mem = (struct il__mem){ .fn = fn ? fn : libc_alloc, .ctx = fn ? ctx : NULL, .limit_bytes = limit_bytes };
}

void *il__mem_resize(struct il__mem *mem, void *ptr, size_t old, size_t size)
{
    if (!ptr) old = 0;
    if (size == 0) {
        il__mem_free(mem, ptr, old);
        return NULL;
    }
    if (size > old) {
        mem->calls++;
        if (mem->calls == mem->fail_at) return NULL;
        size_t grow = size - old;
        if (size > PTRDIFF_MAX || grow > SIZE_MAX - mem->in_use_bytes) return NULL; /* no object is larger */
        if (mem->limit_bytes != 0 && mem->in_use_bytes + grow > mem->limit_bytes) return NULL;
    }
    void *fresh = mem->fn(mem->ctx, ptr, old, size);
    if (!fresh) return NULL;
    mem->in_use_bytes = mem->in_use_bytes - old + size;
    if (mem->in_use_bytes > mem->peak_bytes) mem->peak_bytes = mem->in_use_bytes;
    return fresh;
}

void *il__mem_alloc(struct il__mem *mem, size_t size)
{
    return size == 0 ? NULL : il__mem_resize(mem, NULL, 0, size);
}

void *il__mem_zalloc(struct il__mem *mem, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    void *ptr = il__mem_alloc(mem, count * size);
    if (ptr) memset(ptr, 0, count * size);
    return ptr;
}

void il__mem_free(struct il__mem *mem, void *ptr, size_t size)
{
    if (!ptr) return;
    (void)mem->fn(mem->ctx, ptr, size, 0);
    mem->in_use_bytes -= size;
}

/* Blocks double from 1 KiB to 64 KiB; a piece that would waste much of one gets a block of its own behind the head. */
struct il__arena_block {
    struct il__arena_block *next;
    size_t size; /* of the whole block, this header included */
    size_t used;
};

enum { ARENA_ALIGN = 16, ARENA_FIRST = 1024, ARENA_LAST = 65536 };

void il__arena_init(struct il__arena *arena, struct il__mem *mem)
{
    *arena = (struct il__arena){ .mem = mem };
}

static size_t align_gap(const struct il__arena_block *block)
{
    uintptr_t at = (uintptr_t)block + block->used;
    return (size_t)(-at & (ARENA_ALIGN - 1));
}

static void *take(struct il__arena_block *block, size_t size)
{
    size_t gap = align_gap(block);
    if (gap > block->size - block->used || size > block->size - block->used - gap) return NULL;
    void *piece = (char *)block + block->used + gap;
    block->used += gap + size;
    return memset(piece, 0, size);
}

void *il__arena_alloc(struct il__arena *arena, size_t size)
{
    const size_t frame = sizeof(struct il__arena_block) + ARENA_ALIGN;
    if (size == 0) size = 1;
    if (size > SIZE_MAX - frame) return NULL;
    void *piece = arena->head ? take(arena->head, size) : NULL;
    if (piece) return piece;
    size_t want = ARENA_FIRST;
    if (arena->head) want = arena->head->size < ARENA_LAST / 2 ? arena->head->size * 2 : ARENA_LAST;
    if (want < ARENA_FIRST) want = ARENA_FIRST;
    bool own = size + frame > want / 4;
    if (own) want = size + frame;
    struct il__arena_block *block = il__mem_alloc(arena->mem, want);
    if (!block) return NULL;
    *block = (struct il__arena_block){ .size = want, .used = sizeof *block };
    if (own && arena->head) {
        block->next = arena->head->next;
        arena->head->next = block;
    } else {
        block->next = arena->head;
        arena->head = block;
    }
    return take(block, size);
}

enum il_code il__arena_str(struct il__arena *arena, struct il_str s, struct il_str *out)
{
    if (!s.ptr) {
        *out = IL_STR_NONE;
        return IL_OK;
    }
    char *copy = s.len < SIZE_MAX ? il__arena_alloc(arena, s.len + 1) : NULL;
    if (!copy) return IL_OUT_OF_MEMORY;
    if (s.len > 0) memcpy(copy, s.ptr, s.len);
    *out = (struct il_str){ copy, s.len };
    return IL_OK;
}

void il__arena_clear(struct il__arena *arena)
{
    struct il__arena_block *block = arena->head;
    arena->head = NULL;
    while (block) {
        struct il__arena_block *next = block->next;
        il__mem_free(arena->mem, block, block->size);
        block = next;
    }
}
