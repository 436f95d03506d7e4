/* The runs of a store that want a person: those that wait, soonest expiry first, and those whose process ended while
 * they moved. Bounded: of more rows than are asked for, the latest are counted and not kept.
 * Uses the list of the library. Must never write to the store. */
#ifndef IL_CLI_PENDING_ROWS_H
#define IL_CLI_PENDING_ROWS_H

#include "cli/shelf.h"

struct il__pending {
    struct il__shelf_row *rows[IL__CLI_PENDING_ROWS]; /* made when first needed, kept between readings */
    size_t most, count;
    size_t waiting, still;   /* all that there are: waiting for an answer; standing still */
    bool failed;             /* out of memory */
};

/* `most`: how many rows are kept, at most IL__CLI_PENDING_ROWS. */
void il__pending_init(struct il__pending *pending, size_t most);
enum il_code il__pending_read(struct il__pending *pending, il_store *store, struct il_error *err);
void il__pending_clear(struct il__pending *pending);
/* True for a run that moved when its process ended. */
bool il__pending_still(const struct il_store_row *row);
/* One row as a JSON object. */
void il__pending_json(struct il__text *text, const struct il_store_row *row, int64_t now_ms);

#endif
