/* Stop latches in memory (latches.h): a short list, looked through from its start. */
#include "store/latches.h"

#include "base/error.h"

void il__latches_init(struct il__latches *l, struct il__mem *mem)
{
    *l = (struct il__latches){ .mem = mem };
}

static void free_one(struct il__latches *l, struct il_str session)
{
    if (session.ptr) il__mem_free(l->mem, (void *)(uintptr_t)session.ptr, session.len + 1);
}

void il__latches_clear(struct il__latches *l)
{
    for (size_t i = 0; i < l->count; i++) free_one(l, l->items[i]);
    il__mem_free(l->mem, l->items, l->cap * sizeof *l->items);
    il__latches_init(l, l->mem);
}

static size_t place(const struct il__latches *l, struct il_str session)
{
    size_t i = 0;
    while (i < l->count && !il__str_eq(l->items[i], session)) i++;
    return i;
}

bool il__latches_has(const struct il__latches *l, struct il_str session)
{
    return place(l, session) < l->count;
}

static bool add(struct il__latches *l, struct il_str session)
{
    if (l->count == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 16;
        struct il_str *items = il__mem_resize(l->mem, l->items, l->cap * sizeof *items, cap * sizeof *items);
        if (!items) return false;
        l->items = items;
        l->cap = cap;
    }
    if (session.ptr) {
        char *copy = il__mem_zalloc(l->mem, 1, session.len + 1);
        if (!copy) return false;
        if (session.len) memcpy(copy, session.ptr, session.len);
        session.ptr = copy;
    }
    l->items[l->count++] = session;
    return true;
}

enum il_code il__latches_set(struct il__latches *l, struct il_str session, bool on, bool *changed, struct il_error *err)
{
    size_t i = place(l, session);
    if (on == (i < l->count)) return IL_OK;
    *changed = true;
    if (on) return add(l, session) ? IL_OK : il__fail(err, IL_OUT_OF_MEMORY, "no memory for the store");
    free_one(l, l->items[i]);
    l->items[i] = l->items[--l->count];
    return IL_OK;
}
