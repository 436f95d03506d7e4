/* The store file as commands use it: opened, one run of it looked up, and what was pinned when the run began.
 * Uses the store functions of the library. Must never make a file that nobody asked for. */
#ifndef IL_CLI_SHELF_H
#define IL_CLI_SHELF_H

#include "cli/command.h"

#define IL__STORE_OPTION(about) { "store", "FILE", false, about }

#define IL__TENANT_OPTION { "tenant", "T", false, "The tenant of who does this; the run must be of the same." }

enum il__shelf_mode { IL__SHELF_READ, IL__SHELF_WRITE, IL__SHELF_MAKE };

/* One run as a list shows it; the texts live in `text`. */
struct il__shelf_row {
    struct il__text text;
    struct il_store_row row;
};

/* Opens the file of --store. 0, or the exit status after a report; `*out` is then NULL. */
int il__shelf_open(struct il__io *io, const struct il__args *args, enum il__shelf_mode mode, il_store **out);
/* The same of the file that another option names. */
int il__shelf_open_at(struct il__io *io, bool json, const char *option, const char *path, enum il__shelf_mode mode,
                      il_store **out);
/* False: no memory. */
bool il__shelf_copy(struct il__shelf_row *to, const struct il_store_row *from);
void il__shelf_clear(struct il__shelf_row *row);
/* The run named by the only operand. 0, or the exit status after a report. */
int il__shelf_find(struct il__io *io, const struct il__args *args, il_store *store, struct il__shelf_row *out);
/* Who decides on a run or calls it off is of its tenant (SPEC §8); `tenant` NULL: of none. 0, or 1 after a report. */
int il__shelf_tenant(struct il__io *io, bool json, const struct il__shelf_row *row, const char *tenant);
/* The member `path` of the first record's body ("scopes", "runtime"), as raw JSON added to `out`. */
void il__shelf_pinned(il_store *store, struct il_str run_id, const char *path, struct il__text *out);
/* A host over the store that only reads: for the documents of its runs. 0, or 8 after a report. */
int il__shelf_host(struct il__io *io, const struct il__args *args, il_store *store, il_host **out);
/* A word of a command line as a shell takes it: quoted when it must be. */
void il__shelf_word(struct il__text *out, const char *word);
/* Reports a refusal in words: one line on stderr, or with `json` as a document; returns `status`. */
int il__shelf_refuse(struct il__io *io, bool json, enum il_code code, int status, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
