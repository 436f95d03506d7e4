/* Open addressing with linear probing (map.h). Uses base alone. Must never hand out an entry for another key. */
#include "store/map.h"

void il__map_init(struct il__map *map, struct il__mem *mem)
{
    *map = (struct il__map){ .mem = mem };
}

void il__map_clear(struct il__map *map)
{
    il__mem_free(map->mem, map->slots, map->cap * sizeof *map->slots);
    il__map_init(map, map->mem);
}

void il__map_reset(struct il__map *map)
{
    if (map->count) memset(map->slots, 0, map->cap * sizeof *map->slots);
    map->count = 0;
}

/* FNV-1a: the keys are ids that this side makes. */
static size_t hash(struct il_str key)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < key.len; i++) h = (h ^ (unsigned char)key.ptr[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of `key`, or the free one where it would go; the map is never full. */
static struct il__map_slot *find(const struct il__map *map, struct il_str key)
{
    size_t at = hash(key) & (map->cap - 1);
    while (map->slots[at].key.ptr && !il__str_eq(map->slots[at].key, key)) at = (at + 1) & (map->cap - 1);
    return &map->slots[at];
}

void *il__map_get(const struct il__map *map, struct il_str key)
{
    if (!map->count || !key.ptr) return NULL;
    return find(map, key)->value;
}

static bool grow(struct il__map *map)
{
    struct il__map wider = { map->mem, NULL, map->cap ? map->cap * 2 : 16, map->count };
    wider.slots = il__mem_zalloc(map->mem, wider.cap, sizeof *wider.slots);
    if (!wider.slots) return false;
    for (size_t i = 0; i < map->cap; i++) {
        if (map->slots[i].key.ptr) *find(&wider, map->slots[i].key) = map->slots[i];
    }
    il__mem_free(map->mem, map->slots, map->cap * sizeof *map->slots);
    *map = wider;
    return true;
}

bool il__map_put(struct il__map *map, struct il_str key, void *value)
{
    if (map->count >= map->cap / 4 * 3 && !grow(map)) return false;
    *find(map, key) = (struct il__map_slot){ key, value };
    map->count++;
    return true;
}
