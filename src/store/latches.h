/* The stop latches of the store in memory: sessions, and everything. Uses base. */
#ifndef IL_STORE_LATCHES_H
#define IL_STORE_LATCHES_H

#include "base/mem.h"

struct il__latches {
    struct il__mem *mem;
    struct il_str *items; /* pieces of their own; absent: everything */
    size_t count, cap;
};

void il__latches_init(struct il__latches *latches, struct il__mem *mem);
void il__latches_clear(struct il__latches *latches);
bool il__latches_has(const struct il__latches *latches, struct il_str session);
/* `*changed` becomes true when this changes anything. */
enum il_code il__latches_set(struct il__latches *latches, struct il_str session, bool on, bool *changed,
                             struct il_error *err);

#endif
