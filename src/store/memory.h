/* A store in memory: the same contract as the file, for as long as the store lives. Nothing outlives the process, so
 * `flush` is `write`, and every run is this store's own. */
#ifndef IL_STORE_MEMORY_H
#define IL_STORE_MEMORY_H

#include "run/store.h"

struct il__memory_store_options {
    struct il__mem *mem;
    struct il__digest *digest; /* both outlive the store */
    il_random_fn random;
    void *random_ctx;
};

enum il_code il__memory_store_new(const struct il__memory_store_options *options, struct il__store *out,
                                  struct il_error *err) IL_MUST_USE;

#endif
