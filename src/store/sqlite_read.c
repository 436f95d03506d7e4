/* What anybody may read: records, rows, letters, links, latches; row by row, so that memory does not grow with the
 * store. Each reading sees one state of the file. */
#include "store/sqlite_inside.h"

#include "base/error.h"

enum il_code il__sqlite_key(struct il__sqlite *s, struct il_str run_id, int64_t *key, struct il_error *err)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_STATE);
    il__sql_str(stmt, 1, run_id);
    int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) *key = sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    if (rc == SQLITE_DONE) return il__no_such_run(run_id, err);
    return rc == SQLITE_ROW ? IL_OK : il__sqlite_fail(s, rc, "looking for a run", err);
}

/* How a listing ended: at its end, by its callback (SQLITE_ROW), or badly. */
static enum il_code listed(struct il__sqlite *s, sqlite3_stmt *stmt, int rc, const char *doing, struct il_error *err)
{
    enum il_code code = rc == SQLITE_DONE || rc == SQLITE_ROW ? IL_OK : il__sqlite_fail(s, rc, doing, err);
    sqlite3_reset(stmt);
    return code;
}

enum il_code il__sqlite_load(void *self, struct il_str run_id, il__store_record_fn fn, void *ctx, struct il_error *err)
{
    struct il__sqlite *s = self;
    int64_t key = 0;
    int rc;
    enum il_code code = il__sqlite_key(s, run_id, &key, err);
    if (code) return code;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RECORDS);
    il__sql_int(stmt, 1, key);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct il__store_record record = { run_id, (uint64_t)sqlite3_column_int64(stmt, 0),
                                           (uint64_t)sqlite3_column_int64(stmt, 1), il__sql_get(stmt, 2),
                                           il__sql_get(stmt, 3), { 0 } };
        struct il_str hash = il__sql_get(stmt, 4);
        if (hash.len == sizeof record.hash) memcpy(record.hash, hash.ptr, hash.len);
        if (!fn(ctx, &record)) break;
    }
    return listed(s, stmt, rc, "reading a run", err);
}

/* Whether owners live, remembered for one listing: runs of one owner are many and its rows are anywhere. */
enum { KNOWN_OWNERS = 64 };
struct owners {
    char id[KNOWN_OWNERS][33];
    bool lives[KNOWN_OWNERS];
};

static bool owned(struct il__sqlite *s, struct owners *known, struct il_str owner)
{
    if (!il__str_is_hex(owner, 32)) return false;
    size_t at = ((unsigned char)owner.ptr[30] * 31u + (unsigned char)owner.ptr[31]) % KNOWN_OWNERS;
    if (memcmp(known->id[at], owner.ptr, 32) != 0) {
        memcpy(known->id[at], owner.ptr, 32);
        known->lives[at] = il__sqlite_lives(s, owner);
    }
    return known->lives[at];
}

static struct il__store_row row_of(sqlite3_stmt *stmt)
{
    return (struct il__store_row){
        .run_id = il__sql_get(stmt, 0),
        .state = (enum il__row_state)sqlite3_column_int(stmt, 1),
        .status = il__sql_get(stmt, 2),
        .request_id = il__sql_get(stmt, 3),
        .created_ms = sqlite3_column_int64(stmt, 4),
        .expires_ms = sqlite3_column_int64(stmt, 5),
        .tool = il__sql_get(stmt, 6),
        .mode = il__sql_get(stmt, 7),
        .session_id = il__sql_get(stmt, 8),
        .principal = il__sql_get(stmt, 9),
        .tenant = il__sql_get(stmt, 10),
        .fence = (uint64_t)sqlite3_column_int64(stmt, 11),
        .records = (uint64_t)sqlite3_column_int64(stmt, 12),
        .letters = (uint64_t)sqlite3_column_int64(stmt, 14),
    };
}

enum il_code il__sqlite_list(void *self, const struct il__store_filter *filter, il__store_row_fn fn, void *ctx,
                             struct il_error *err)
{
    struct il__sqlite *s = self;
    struct owners known;
    int rc;
    memset(&known, 0, sizeof known);
    sqlite3_stmt *stmt = il__sql(s, filter->by_state ? IL__SQL_LIST_STATE : IL__SQL_LIST);
    il__sql_str(stmt, 1, filter->after.ptr ? filter->after : IL_STR(""));
    il__sql_int(stmt, 2, filter->expires_before_ms);
    il__sql_int(stmt, 3, filter->most ? (int64_t)filter->most : -1);
    if (filter->by_state) il__sql_int(stmt, 4, filter->state);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct il__store_row row = row_of(stmt);
        row.owned = owned(s, &known, il__sql_get(stmt, 13));
        if (!fn(ctx, &row)) break;
    }
    return listed(s, stmt, rc, "listing runs", err);
}

enum il_code il__sqlite_letters(void *self, struct il_str run_id, il__store_letter_fn fn, void *ctx,
                                struct il_error *err)
{
    struct il__sqlite *s = self;
    int64_t key = 0;
    int rc;
    enum il_code code = il__sqlite_key(s, run_id, &key, err);
    if (code) return code;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_LETTERS);
    il__sql_int(stmt, 1, key);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const struct il__store_letter letter = { (uint64_t)sqlite3_column_int64(stmt, 0), il__sql_get(stmt, 1),
                                                 il__sql_get(stmt, 2), sqlite3_column_int64(stmt, 3) };
        if (!fn(ctx, &letter)) break;
    }
    return listed(s, stmt, rc, "reading letters", err);
}

enum il_code il__sqlite_links(void *self, uint64_t from, il__store_link_fn fn, void *ctx, struct il_error *err)
{
    struct il__sqlite *s = self;
    int rc;
    if (from > INT64_MAX) return IL_OK;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_LINKS);
    il__sql_int(stmt, 1, (int64_t)from);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct il__store_link link = { (uint64_t)sqlite3_column_int64(stmt, 0), il__sql_get(stmt, 1),
                                       il__sql_get(stmt, 2), { 0 } };
        struct il_str hash = il__sql_get(stmt, 3);
        if (hash.len == sizeof link.hash) memcpy(link.hash, hash.ptr, hash.len);
        if (!fn(ctx, &link)) break;
    }
    return listed(s, stmt, rc, "reading the chain", err);
}

enum il_code il__sqlite_latched(void *self, struct il_str session, bool *on, bool *all, struct il_error *err)
{
    struct il__sqlite *s = self;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_LATCHED);
    il__sql_str(stmt, 1, session);
    int rc = sqlite3_step(stmt);
    bool stopped = rc == SQLITE_ROW, every = stopped && sqlite3_column_int(stmt, 0);
    enum il_code code = listed(s, stmt, rc, "reading the stops", err);
    if (code) return code;
    *on = stopped;
    *all = every;
    return IL_OK;
}

/* A failure counts as a change: who looks then gets the error. */
bool il__sqlite_changed(void *self)
{
    struct il__sqlite *s = self;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_DATA_VERSION);
    int rc = sqlite3_step(stmt);
    int64_t version = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_reset(stmt);
    bool changed = rc != SQLITE_ROW || s->poked || !s->version_known || version != s->version;
    s->poked = false;
    s->version_known = rc == SQLITE_ROW;
    s->version = version;
    return changed;
}
