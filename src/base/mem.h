/* The only allocator: every byte the core holds is taken and given back here, over the embedder's callback or the C
 * library. Counts bytes, peaks and calls, enforces a limit, and can be told to fail the n-th call (for tests).
 * Must never be bypassed: no other file calls malloc, realloc or free. */
#ifndef IL_BASE_MEM_H
#define IL_BASE_MEM_H

#include "base/str.h"

#include <stdint.h>

struct il__mem {
    il_alloc_fn fn;        /* never NULL after il__mem_init */
    void *ctx;
    size_t limit_bytes;    /* 0: none */
    size_t in_use_bytes, peak_bytes;
    uint64_t calls;        /* allocations and growths so far */
    uint64_t fail_at;      /* the call with this number fails; 0: none */
};

/* NULL `fn` means the C library. */
void il__mem_init(struct il__mem *mem, il_alloc_fn fn, void *ctx, size_t limit_bytes);
/* NULL on failure. The memory is not cleared. `size` of 0 yields NULL. */
void *il__mem_alloc(struct il__mem *mem, size_t size);
/* Cleared memory for `count` items of `size`; overflow-checked. */
void *il__mem_zalloc(struct il__mem *mem, size_t count, size_t size);
/* Resizes; on failure NULL and the old block stays valid. `old` is the size given before (0 with NULL `ptr`). */
void *il__mem_resize(struct il__mem *mem, void *ptr, size_t old, size_t size);
/* NULL is accepted. */
void il__mem_free(struct il__mem *mem, void *ptr, size_t size);

/* A bump arena over `mem`: many small pieces, freed all at once. Used by decoded objects. */
struct il__arena {
    struct il__mem *mem;
    struct il__arena_block *head;
};
void il__arena_init(struct il__arena *arena, struct il__mem *mem);
/* Aligned to 16, cleared. NULL on failure. Valid until il__arena_clear. */
void *il__arena_alloc(struct il__arena *arena, size_t size);
/* A copy of `s`, NUL-terminated behind its length. `*out` is IL_STR_NONE when `s` is absent. */
enum il_code il__arena_str(struct il__arena *arena, struct il_str s, struct il_str *out) IL_MUST_USE;
void il__arena_clear(struct il__arena *arena);

#endif
