/* Texts as small numbers: equal texts get equal numbers, so that a long comparison is made once. Found by sorting, not
 * by hashing: no choice of texts makes it slow. Keeps the texts where they are; they must outlive it. */
#ifndef IL_EVIDENCE_RANKS_H
#define IL_EVIDENCE_RANKS_H

#include "base/mem.h"

struct il__ranks {
    struct il__mem *mem;
    struct il_str *texts;  /* by slot, in the order they were added */
    uint32_t *numbers;     /* by slot, once settled */
    size_t count, room;
    uint32_t distinct;     /* every number is below this */
    bool failed;           /* out of memory */
};
#define IL__NO_RANK UINT32_MAX /* the number and the slot of an absent text; it equals nothing, itself included */

void il__ranks_init(struct il__ranks *ranks, struct il__mem *mem);
void il__ranks_clear(struct il__ranks *ranks);
/* Returns the slot of `text`; IL__NO_RANK when it is absent, or out of memory (sticky). */
uint32_t il__ranks_add(struct il__ranks *ranks, struct il_str text);
/* Gives each text its number; nothing is added any more. False: out of memory, now or before. */
bool il__ranks_settle(struct il__ranks *ranks) IL_MUST_USE;
/* The number of what was added to `slot`. */
static inline uint32_t il__ranks_of(const struct il__ranks *ranks, uint32_t slot)
{
    return slot == IL__NO_RANK ? IL__NO_RANK : ranks->numbers[slot];
}

#endif
