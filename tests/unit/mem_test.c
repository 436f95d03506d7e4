/* The allocator and the arena: counts, limit, failure on demand, alignment, nothing left behind. */
#include "base/mem.h"

#include "tap.h"

#include <stdlib.h>

/* An embedder's allocator that checks the sizes it is told. */
struct checked {
    size_t live;
    bool wrong;
};

static void *checked_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    struct checked *c = ctx;
    size_t *block = ptr ? (size_t *)ptr - 2 : NULL;
    if (block ? block[0] != old_size : old_size != 0) c->wrong = true;
    c->live = c->live - old_size + new_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, new_size + 2 * sizeof(size_t));
    if (!block) abort();
    block[0] = new_size;
    return block + 2;
}

static void counting(void)
{
    struct checked c = { 0, false };
    struct il__mem mem;
    il__mem_init(&mem, checked_alloc, &c, 0);
    char *a = il__mem_alloc(&mem, 100);
    char *b = il__mem_zalloc(&mem, 10, 5);
    tap_int((long long)mem.in_use_bytes, 150, "bytes in use");
    tap_ok(b && b[0] == 0 && b[49] == 0, "zalloc clears");
    a = il__mem_resize(&mem, a, 100, 300);
    tap_int((long long)mem.in_use_bytes, 350, "after growth");
    a = il__mem_resize(&mem, a, 300, 10);
    tap_int((long long)mem.in_use_bytes, 60, "after shrinking");
    tap_int((long long)mem.peak_bytes, 350, "the peak stays");
    tap_int((long long)mem.calls, 3, "allocations and growths are counted, shrinking is not");
    tap_int((long long)c.live, 60, "the callback agrees");
    il__mem_free(&mem, a, 10);
    il__mem_free(&mem, b, 50);
    il__mem_free(&mem, NULL, 0);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
    tap_ok(!c.wrong, "the callback was always told the true old size");
}

static void zero_and_overflow(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 0);
    tap_ok(il__mem_alloc(&mem, 0) == NULL, "alloc of 0 is NULL");
    tap_ok(il__mem_zalloc(&mem, 0, 8) == NULL, "zalloc of 0 items is NULL");
    tap_ok(il__mem_zalloc(&mem, SIZE_MAX / 8 + 2, 8) == NULL, "zalloc refuses a product that overflows");
    tap_ok(il__mem_alloc(&mem, SIZE_MAX) == NULL, "a size that no machine has is NULL");
    void *p = il__mem_alloc(&mem, 8);
    tap_ok(il__mem_resize(&mem, p, 8, 0) == NULL, "resize to 0 frees");
    p = il__mem_resize(&mem, NULL, 0, 16);
    tap_ok(p != NULL, "resize of NULL allocates");
    il__mem_free(&mem, p, 16);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
}

static void limit_and_failure(void)
{
    struct il__mem mem;
    il__mem_init(&mem, NULL, NULL, 100);
    char *a = il__mem_alloc(&mem, 100);
    tap_ok(a != NULL, "exactly the limit is given");
    tap_ok(il__mem_alloc(&mem, 1) == NULL, "one byte more is not");
    tap_ok(il__mem_resize(&mem, a, 100, 101) == NULL, "nor as a growth");
    if (a) a[99] = 'x';
    tap_ok(a && a[99] == 'x', "the old block stays valid");
    il__mem_free(&mem, a, 100);
    il__mem_init(&mem, NULL, NULL, 0);
    mem.fail_at = 2;
    a = il__mem_alloc(&mem, 8);
    tap_ok(a != NULL, "the first call succeeds");
    tap_ok(il__mem_alloc(&mem, 8) == NULL, "the second fails as told");
    void *b = il__mem_alloc(&mem, 8);
    tap_ok(b != NULL, "the third succeeds again");
    il__mem_free(&mem, a, 8);
    il__mem_free(&mem, b, 8);
    tap_int((long long)mem.in_use_bytes, 0, "nothing left");
}

static void arena_pieces(void)
{
    struct il__mem mem;
    struct il__arena arena;
    bool aligned = true;
    bool cleared = true;
    bool apart = true;
    unsigned char *last = NULL;
    size_t last_size = 0;
    il__mem_init(&mem, NULL, NULL, 0);
    il__arena_init(&arena, &mem);
    for (size_t i = 0; i < 3000; i++) {
        size_t size = i % 97 == 0 ? i * 40 : i % 61;
        unsigned char *p = il__arena_alloc(&arena, size);
        if (!p) abort();
        aligned = aligned && (uintptr_t)p % 16 == 0;
        for (size_t k = 0; k < size; k++) cleared = cleared && p[k] == 0;
        memset(p, 0xA5, size);
        for (size_t k = 0; k < last_size; k++) apart = apart && last[k] == 0xA5;
        last = p;
        last_size = size;
    }
    tap_ok(aligned, "pieces are aligned to 16");
    tap_ok(cleared, "pieces are cleared");
    tap_ok(apart, "pieces do not overlap");
    struct il_str copy = IL_STR("x");
    tap_int(il__arena_str(&arena, (struct il_str){ "a\0b", 3 }, &copy), IL_OK, "copying a text");
    tap_ok(copy.len == 3 && memcmp(copy.ptr, "a\0b", 4) == 0, "whole, with a NUL behind");
    tap_int(il__arena_str(&arena, IL_STR_NONE, &copy), IL_OK, "copying an absent text");
    tap_ok(copy.ptr == NULL && copy.len == 0, "stays absent");
    tap_int(il__arena_str(&arena, IL_STR(""), &copy), IL_OK, "copying an empty text");
    tap_ok(copy.ptr != NULL && copy.len == 0, "stays empty, not absent");
    tap_ok(il__arena_alloc(&arena, SIZE_MAX - 4) == NULL, "an impossible size is NULL");
    il__arena_clear(&arena);
    tap_int((long long)mem.in_use_bytes, 0, "clear gives all back");
    mem.fail_at = mem.calls + 1;
    tap_ok(il__arena_alloc(&arena, 10) == NULL, "out of memory is NULL");
    mem.fail_at = mem.calls + 1;
    copy = IL_STR("kept");
    tap_int(il__arena_str(&arena, IL_STR("abc"), &copy), IL_OUT_OF_MEMORY, "and a code for texts");
    tap_str(copy, "kept", "the output is untouched");
    il__arena_clear(&arena);
    il__arena_clear(&arena);
}

int main(void)
{
    counting();
    zero_and_overflow();
    limit_and_failure();
    arena_pieces();
    return tap_done();
}
