/* What the files of the SQLite store share: the handle, the statements, transactions. Nobody else includes it, but for
 * tests of migrations. SQLite keeps memory of its own, from its own allocator: replacing that is global to the process
 * and so not ours to do; page cache, row length and temporary tables are bounded for each connection instead. */
#ifndef IL_STORE_SQLITE_INSIDE_H
#define IL_STORE_SQLITE_INSIDE_H

#include "store/chain.h"
#include "store/noted.h"
#include "store/sqlite.h"

#include <sqlite3.h>

enum { IL__STORE_PATH_MAX = 4096, IL__STORE_APPLICATION = 0x496c6b31 }; /* "Ilk1" */

/* Every statement, prepared once (sqlite_schema.c). */
enum il__sql {
    IL__SQL_BEGIN,
    IL__SQL_COMMIT,
    IL__SQL_ROLLBACK,
    IL__SQL_TOUCH,        /* writes one page, of no meaning */
    IL__SQL_ID,
    IL__SQL_DATA_VERSION,
    IL__SQL_RUN_NEW,
    IL__SQL_RUN_STATE,    /* key, state, owner, fence */
    IL__SQL_RUN_CLAIM,
    IL__SQL_RUN_INDEX,
    IL__SQL_RUN_NEXT,     /* guards and counts one record; key */
    IL__SQL_OWNER_USED,
    IL__SQL_LIST,
    IL__SQL_LIST_STATE,
    IL__SQL_RECORD_NEW,
    IL__SQL_RECORDS,
    IL__SQL_LETTER_NEW,
    IL__SQL_LETTER_COUNT,
    IL__SQL_LETTER_TAKE,
    IL__SQL_LETTERS,
    IL__SQL_LATCH_SET,
    IL__SQL_LATCH_LIFT,
    IL__SQL_LATCHED,
    IL__SQL_LINK_HEAD,
    IL__SQL_LINK_NEW,
    IL__SQL_LINKS,
    IL__SQL_SALT_LACK,    /* the first record of a run that has none */
    IL__SQL_SALT_NEW,
    IL__SQL_SALTS,
    IL__SQL_UNIT_HAS,
    IL__SQL_UNIT_USED,
    IL__SQL_UNIT_LEAVES,
    IL__SQL_UNIT_NEW,
    IL__SQL_UNIT_PRUNE,
    IL__SQL_UNIT_SPAN,
    IL__SQL_UNIT_COUNT,
    IL__SQL_UNITS,
    IL__SQL_PAST_NEW,
    IL__SQL_PAST_PRUNE,
    IL__SQL_PAST_RECALL,
    IL__SQL_PAST_RECALL_SESSION, /* by the index of sessions */
    IL__SQL_COUNT
};

struct il__sqlite {
    struct il__mem *mem;
    struct il__digest *digest;
    il_random_fn random;
    void *random_ctx;
    bool read_only;
    uint32_t busy_ms;
    char path[IL__STORE_PATH_MAX];     /* absolute, without links */
    char shown[160];                   /* for messages */
    sqlite3 *db;
    sqlite3_stmt *sql[IL__SQL_COUNT];
    char id[33];

    char owner[33];                    /* empty: this handle owns nothing yet */
    int owner_fd;                      /* holds the lock; -1: none */

    struct il__noted noted;
    struct il__buf scratch;
    bool full;                         /* PRAGMA synchronous: FULL, else NORMAL */
    bool unflushed;                    /* committed since the last flush, without waiting for the disk */
    bool sync_failed;                  /* what was not flushed then may be gone from the log: see sync_again */
    int wal_frames, wal_tried;         /* in the log: as of the last commit here, as of the last checkpoint */
    bool poked;                        /* a letter or a latch went through this handle */
    bool version_known;
    int64_t version;                   /* PRAGMA data_version at the last `changed` */
};

/* ---- sqlite.c ---- */
/* Turns a result of SQLite into an error that names the file, what was being done and why it failed. */
enum il_code il__sqlite_fail(struct il__sqlite *s, int rc, const char *doing, struct il_error *err);
enum il_code il__sqlite_damaged(struct il__sqlite *s, const char *what, struct il_error *err);
enum il_code il__sqlite_writable(struct il__sqlite *s, struct il_error *err);

/* ---- sqlite_file.c ---- */
/* Resolves and checks the path, and makes the file when it may. */
enum il_code il__sqlite_file(struct il__sqlite *s, const struct il__sqlite_options *options, struct il_error *err);
/* Can nobody write here, so that it can be read without locks? (No write-ahead log, and a folder that takes no files.)
 */
bool il__sqlite_still(const struct il__sqlite *s);
/* Looks at the open file without a transaction: a store, empty, or something else that must not be touched. */
enum il_code il__sqlite_header(struct il__sqlite *s, bool create, bool *empty, struct il_error *err);

/* ---- sqlite_schema.c ---- */
extern const char *const il__sqlite_steps[];
extern const size_t il__sqlite_step_count;
/* Brings the file from its version to `count`, in one transaction. Read-only: it must have that version. */
enum il_code il__sqlite_migrate(struct il__sqlite *s, const char *const *steps, size_t count, struct il_error *err);
enum il_code il__sqlite_prepare(struct il__sqlite *s, struct il_error *err);
/* The statement, reset and without values. */
sqlite3_stmt *il__sql(struct il__sqlite *s, enum il__sql which);
/* Absent is NULL; the text must stay until the statement has run. */
void il__sql_str(sqlite3_stmt *stmt, int at, struct il_str text);
void il__sql_z(sqlite3_stmt *stmt, int at, const char *z);
void il__sql_int(sqlite3_stmt *stmt, int at, int64_t value);
struct il_str il__sql_get(sqlite3_stmt *stmt, int column);
/* Runs a statement that gives no rows that matter; SQLITE_OK when it went through. */
int il__sql_run(sqlite3_stmt *stmt);
/* Runs SQL that stands for itself. */
int il__sql_exec(struct il__sqlite *s, const char *sql);

/* ---- sqlite_write.c ---- */
/* BEGIN IMMEDIATE, so that whatever is read in it stays true. `full`: its commit waits for the disk. */
enum il_code il__sqlite_begin(struct il__sqlite *s, bool full, struct il_error *err);
enum il_code il__sqlite_commit(struct il__sqlite *s, struct il_error *err);
void il__sqlite_rollback(struct il__sqlite *s);
/* One page into the log without a flush, so that the log's own head is on the disk before a flush is counted. */
enum il_code il__sqlite_prime(struct il__sqlite *s, struct il_error *err);
enum il_code il__sqlite_write(void *self, struct il_error *err);
enum il_code il__sqlite_flush(void *self, struct il_error *err);
/* Inside a transaction: the end of the store-level chain. */
int il__sqlite_chain_head(struct il__sqlite *s, struct il__chain_head *head);
int il__sqlite_chain_add(struct il__sqlite *s, const struct il__chain_head *head, struct il_str payload,
                         const uint8_t hash[IL__SHA256_BYTES]);

/* ---- sqlite_owner.c ---- */
enum il_code il__sqlite_own(struct il__sqlite *s, struct il_error *err); /* makes and locks the owner file, once */
void il__sqlite_disown(struct il__sqlite *s);                             /* at close */
void il__sqlite_sweep(struct il__sqlite *s); /* owner files of the dead that nobody needs */
enum il_code il__sqlite_claim(void *self, struct il_str run_id, uint64_t *fence, struct il_error *err);
enum il_code il__sqlite_owns(void *self, struct il_str run_id, uint64_t fence, struct il_error *err);
/* Does a living process hold this owner's lock? */
bool il__sqlite_lives(struct il__sqlite *s, struct il_str owner);

/* ---- sqlite_read.c ---- */
enum il_code il__sqlite_load(void *self, struct il_str run_id, il__store_record_fn fn, void *ctx, struct il_error *err);
enum il_code il__sqlite_list(void *self, const struct il__store_filter *filter, il__store_row_fn fn, void *ctx,
                             struct il_error *err);
enum il_code il__sqlite_letters(void *self, struct il_str run_id, il__store_letter_fn fn, void *ctx,
                                struct il_error *err);
enum il_code il__sqlite_links(void *self, uint64_t from, il__store_link_fn fn, void *ctx, struct il_error *err);
/* The number of a run in the file. */
enum il_code il__sqlite_key(struct il__sqlite *s, struct il_str run_id, int64_t *key, struct il_error *err);
enum il_code il__sqlite_latched(void *self, struct il_str session, bool *on, bool *all, struct il_error *err);
bool il__sqlite_changed(void *self);

/* ---- sqlite_salt.c ---- */
enum il_code il__sqlite_salts(void *self, struct il_str run_id, il__store_salt_fn fn, void *ctx, struct il_error *err);

/* ---- sqlite_tally.c ---- */
enum il_code il__sqlite_spend(void *self, struct il_str run_id, const struct il__unit *units, size_t count,
                              int64_t now_ms, struct il_error *err);
enum il_code il__sqlite_used(void *self, const struct il__unit *unit, struct il_str but_run, int64_t now_ms,
                             struct il__unit_use *out, struct il_error *err);
enum il_code il__sqlite_recall(void *self, const struct il__past_query *query, struct il__past_seen *out,
                               struct il_error *err);
enum il_code il__sqlite_units(void *self, int64_t now_ms, il__unit_fn fn, void *ctx, struct il_error *err);
/* Inside a transaction. */
int il__sqlite_put_past(struct il__sqlite *s, const struct il__past *past);

/* ---- sqlite_inbox.c ---- */
enum il_code il__sqlite_submit(void *self, struct il_str run_id, struct il_str kind, struct il_str body, int64_t at_ms,
                               struct il_error *err);
enum il_code il__sqlite_latch(void *self, struct il_str session, bool on, struct il_error *err);
enum il_code il__sqlite_link(void *self, struct il_str kind, struct il_str body, struct il_str payload, int64_t at_ms,
                             uint64_t *out_seq, struct il_error *err);

#endif
