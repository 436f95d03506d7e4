/* Numbers for texts (ranks.h): slots are sorted by their texts, and a number is given to each run of equal ones. */
#include "evidence/ranks.h"

#include "base/sort.h"

void il__ranks_init(struct il__ranks *ranks, struct il__mem *mem)
{
    memset(ranks, 0, sizeof *ranks);
    ranks->mem = mem;
}

void il__ranks_clear(struct il__ranks *ranks)
{
    if (!ranks->mem) return;
    il__mem_free(ranks->mem, ranks->texts, ranks->room * sizeof *ranks->texts);
    il__mem_free(ranks->mem, ranks->numbers, ranks->count * sizeof *ranks->numbers);
    il__ranks_init(ranks, ranks->mem);
}

static bool grow(struct il__ranks *ranks)
{
    const size_t room = ranks->room ? 2 * ranks->room : 256;
    struct il_str *texts =
        il__mem_resize(ranks->mem, ranks->texts, ranks->room * sizeof *texts, room * sizeof *texts);
    if (!texts) return false;
    ranks->texts = texts;
    ranks->room = room;
    return true;
}

uint32_t il__ranks_add(struct il__ranks *ranks, struct il_str text)
{
    if (!text.ptr || ranks->failed) return IL__NO_RANK;
    if (ranks->count == ranks->room && !grow(ranks)) {
        ranks->failed = true;
        return IL__NO_RANK;
    }
    ranks->texts[ranks->count] = text;
    return (uint32_t)ranks->count++;
}

static bool text_before(void *ctx, const void *a, const void *b)
{
    const struct il_str *texts = ctx;
    const uint32_t *left = a, *right = b;
    return il__str_cmp(texts[*left], texts[*right]) < 0;
}

bool il__ranks_settle(struct il__ranks *ranks)
{
    if (ranks->failed) return false;
    if (ranks->count == 0) return true;
    uint32_t *order = il__mem_zalloc(ranks->mem, ranks->count, sizeof *order);
    ranks->numbers = il__mem_zalloc(ranks->mem, ranks->count, sizeof *ranks->numbers);
    ranks->failed = !order || !ranks->numbers;
    if (!ranks->failed) {
        for (uint32_t i = 0; i < ranks->count; i++) order[i] = i;
        il__sort(order, ranks->count, sizeof *order, text_before, ranks->texts);
        for (size_t i = 0; i < ranks->count; i++) {
            if (i > 0 && !il__str_eq(ranks->texts[order[i - 1]], ranks->texts[order[i]])) ranks->distinct++;
            ranks->numbers[order[i]] = ranks->distinct;
        }
        ranks->distinct++;
    }
    il__mem_free(ranks->mem, order, ranks->count * sizeof *order);
    return !ranks->failed;
}
