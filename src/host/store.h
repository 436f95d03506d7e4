/* The public handle of a store: one of src/store behind it, with memory, digest and guard of its own. */
#ifndef IL_HOST_STORE_H
#define IL_HOST_STORE_H

#include "run/store.h"

struct il_store {
    struct il__mem mem;
    struct il__digest *digest;
    struct il__store port;
    bool inside; /* a callback of this store is being called */
};

/* Every public function that calls the port begins and ends with these; IL_CONFLICT: called from a callback. */
enum il_code il__store_enter(il_store *store, const char *function, struct il_error *err) IL_MUST_USE;
enum il_code il__store_leave(il_store *store, enum il_code code);
/* The port; valid until il_store_close. */
struct il__store il__store_port(il_store *store);

#endif
