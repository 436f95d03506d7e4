/* What stands in for the SQLite store in a build without it (BUILD=minimal): every opening is refused by name. Must
 * never be linked beside sqlite.c. */
#include "store/sqlite.h"

#include "base/error.h"

enum il_code il__sqlite_open(const struct il__sqlite_options *options, struct il__store *out, struct il_error *err)
{
    (void)options;
    (void)out;
    return il__fail_at(err, IL_UNSUPPORTED, "store", "path",
                       "this build has no SQLite: a store is kept in memory (no path), or the library is built whole");
}

const char *il__sqlite_version(void)
{
    return "not in this build";
}
