/* What a witness kept of a store, and the keys that its heads are believed by: read from the files that the user names.
 * Used by `audit` and `resume`. Must never believe a head itself. */
#ifndef IL_CLI_WITNESS_H
#define IL_CLI_WITNESS_H

#include "cli/command.h"

struct il__witness {
    struct il_text keys[IL__CLI_OPTION_VALUES];
    struct il_str list[IL__CLI_OPTION_VALUES]; /* the same, for the library */
    size_t count;
    struct il__text text;
    bool given;
};

/* Reads the public keys of option `keys`, and the file of --witness; with `may_be_new` that file need not be there, and
 * may be empty. 0, or the exit status after a report. Clear it whatever comes back. */
int il__witness_read(struct il__io *io, const struct il__args *args, const char *keys, bool may_be_new,
                     struct il__witness *out);
void il__witness_clear(struct il__witness *witness);

#endif
