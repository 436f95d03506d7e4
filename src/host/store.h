/* The public handle of a store: one of src/store behind it, with memory, digest and guard of its own. */
#ifndef IL_HOST_STORE_H
#define IL_HOST_STORE_H

#include "run/store.h"

/* The port; valid until il_store_close. */
struct il__store il__store_port(il_store *store);

#endif
