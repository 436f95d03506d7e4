/* A store in one SQLite file, for many processes: WAL, owner locks, fences. The page is src/store/README.md. */
#ifndef IL_STORE_SQLITE_H
#define IL_STORE_SQLITE_H

#include "run/store.h"

struct il__sqlite_options {
    struct il__mem *mem;
    struct il__digest *digest; /* both outlive the store */
    il_random_fn random;
    void *random_ctx;
    struct il_str path;
    bool create;               /* make the file (0600) when there is none; else that is IL_STORE */
    bool read_only;            /* nothing is written and nothing is owned */
    uint32_t busy_ms;          /* 0: limit store_busy_ms */
};

/* IL_STORE names the file and what is wrong: missing, not a store, made by a newer version, on a network file system,
 * open to others, damaged, no permission, no space. A file that is no store is never written to. */
enum il_code il__sqlite_open(const struct il__sqlite_options *options, struct il__store *out,
                             struct il_error *err) IL_MUST_USE;
/* "3.40.1". Static. */
const char *il__sqlite_version(void);

#endif
