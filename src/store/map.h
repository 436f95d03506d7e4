/* A map from text to pointer, for what the store looks up by run id. The keys belong to the values: a value must
 * outlive its entry. Nothing is removed singly. */
#ifndef IL_STORE_MAP_H
#define IL_STORE_MAP_H

#include "base/mem.h"

struct il__map_slot {
    struct il_str key; /* absent: free */
    void *value;
};
struct il__map {
    struct il__mem *mem;
    struct il__map_slot *slots;
    size_t cap, count; /* cap is a power of two, at most three quarters full */
};

void il__map_init(struct il__map *map, struct il__mem *mem);
void il__map_clear(struct il__map *map);
/* Forgets the entries and keeps the memory. */
void il__map_reset(struct il__map *map);
/* NULL: not there. */
void *il__map_get(const struct il__map *map, struct il_str key);
/* `key` is present and not there yet. False: out of memory, nothing changed. */
bool il__map_put(struct il__map *map, struct il_str key, void *value) IL_MUST_USE;

#endif
