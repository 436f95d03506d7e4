/* The salts of records: made when they are first asked for, in one transaction for a run. Must never change one that is
 * there. */
#include "store/sqlite_inside.h"

#include "base/error.h"
#include "base/secret.h"

/* The first record from `from` on without a salt; SQLITE_DONE: none. */
static int lacking(struct il__sqlite *s, int64_t key, int64_t from, int64_t *seq)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_SALT_LACK);
    il__sql_int(stmt, 1, key);
    il__sql_int(stmt, 2, from);
    int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) *seq = sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    return rc;
}

static int make_one(struct il__sqlite *s, int64_t key, int64_t seq)
{
    uint8_t salt[IL__STORE_SALT];
    if (s->random(s->random_ctx, salt, sizeof salt)) return SQLITE_ABORT;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_SALT_NEW);
    il__sql_int(stmt, 1, key);
    il__sql_int(stmt, 2, seq);
    il__sql_str(stmt, 3, (struct il_str){ (const char *)salt, sizeof salt });
    int rc = il__sql_run(stmt);
    il__secret_wipe(salt, sizeof salt);
    return rc;
}

static enum il_code make(struct il__sqlite *s, int64_t key, struct il_error *err)
{
    int64_t seq = 0;
    int rc = lacking(s, key, 0, &seq);
    if (rc == SQLITE_DONE) return IL_OK;
    enum il_code code = il__sqlite_writable(s, err);
    if (!code) code = il__sqlite_begin(s, true, err);
    if (code) return code;
    while ((rc = lacking(s, key, seq, &seq)) == SQLITE_ROW)
        if ((rc = make_one(s, key, seq++))) break;
    code = rc == SQLITE_DONE ? il__sqlite_commit(s, err) : il__sqlite_fail(s, rc, "writing salts", err);
    il__sqlite_rollback(s);
    return code;
}

enum il_code il__sqlite_salts(void *self, struct il_str run_id, il__store_salt_fn fn, void *ctx, struct il_error *err)
{
    struct il__sqlite *s = self;
    int64_t key = 0;
    int rc;
    enum il_code code = il__sqlite_key(s, run_id, &key, err);
    if (!code) code = make(s, key, err);
    if (code) return code;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_SALTS);
    il__sql_int(stmt, 1, key);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct il_str salt = il__sql_get(stmt, 1);
        if (salt.len != IL__STORE_SALT) break;
        if (!fn(ctx, (uint64_t)sqlite3_column_int64(stmt, 0), (const uint8_t *)salt.ptr)) break;
    }
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) code = il__sqlite_fail(s, rc, "reading salts", err);
    sqlite3_reset(stmt);
    return code;
}
