/* What anybody may leave: letters for the owner of a run, stop latches, links of the store-level chain. Each is on the
 * disk before its call returns. */
#include "store/sqlite_inside.h"

#include "base/error.h"
#include "base/limits.h"

/* Ends the transaction: commits, or takes back what was done. */
static enum il_code end(struct il__sqlite *s, enum il_code code, int rc, const char *doing, struct il_error *err)
{
    if (!code && rc) code = il__sqlite_fail(s, rc, doing, err);
    if (!code) code = il__sqlite_commit(s, err);
    il__sqlite_rollback(s);
    return code;
}

static enum il_code may_submit(struct il__sqlite *s, struct il_str run_id, int64_t *key, struct il_error *err)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_STATE);
    il__sql_str(stmt, 1, run_id);
    int rc = sqlite3_step(stmt);
    bool ended = rc == SQLITE_ROW && sqlite3_column_int(stmt, 1) == IL__ROW_ENDED;
    if (rc == SQLITE_ROW) *key = sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    if (rc == SQLITE_DONE) return il__no_such_run(run_id, err);
    if (rc != SQLITE_ROW) return il__sqlite_fail(s, rc, "looking for a run", err);
    if (ended) return il__run_ended(run_id, err);
    stmt = il__sql(s, IL__SQL_LETTER_COUNT);
    il__sql_int(stmt, 1, *key);
    rc = sqlite3_step(stmt);
    int64_t count = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_reset(stmt);
    if (rc != SQLITE_ROW) return il__sqlite_fail(s, rc, "counting letters", err);
    return count < IL__LIMIT_STORE_LETTERS ? IL_OK : il__too_many_letters(err);
}

enum il_code il__sqlite_submit(void *self, struct il_str run_id, struct il_str kind, struct il_str body, int64_t at_ms,
                               struct il_error *err)
{
    struct il__sqlite *s = self;
    int64_t key = 0;
    int rc = SQLITE_OK;
    enum il_code code = il__sqlite_writable(s, err);
    if (!code) code = il__check_letter(kind, body, err);
    if (!code) code = il__sqlite_begin(s, true, err);
    if (code) return code;
    code = may_submit(s, run_id, &key, err);
    if (!code) {
        sqlite3_stmt *stmt = il__sql(s, IL__SQL_LETTER_NEW);
        il__sql_int(stmt, 1, key);
        il__sql_str(stmt, 2, kind);
        il__sql_str(stmt, 3, body);
        il__sql_int(stmt, 4, at_ms);
        rc = il__sql_run(stmt);
    }
    code = end(s, code, rc, "leaving a letter", err);
    if (!code) s->poked = true;
    return code;
}

enum il_code il__sqlite_latch(void *self, struct il_str session, bool on, struct il_error *err)
{
    struct il__sqlite *s = self;
    enum il_code code = il__sqlite_writable(s, err);
    if (!code) code = il__sqlite_begin(s, true, err);
    if (code) return code;
    sqlite3_stmt *stmt = il__sql(s, on ? IL__SQL_LATCH_SET : IL__SQL_LATCH_LIFT);
    il__sql_str(stmt, 1, session);
    if (!session.ptr) il__sql_int(stmt, 2, 1);
    int rc = il__sql_run(stmt);
    if (!rc) rc = il__sql_run(il__sql(s, IL__SQL_TOUCH)); /* also what another process set is on the disk now */
    code = end(s, IL_OK, rc, "setting a stop", err);
    if (!code) s->poked = true;
    return code;
}

enum il_code il__sqlite_link(void *self, struct il_str kind, struct il_str body, struct il_str payload, int64_t at_ms,
                             uint64_t *out_seq, struct il_error *err)
{
    struct il__sqlite *s = self;
    struct il__chain_head head;
    uint8_t hash[IL__SHA256_BYTES];
    enum il_code code = il__sqlite_writable(s, err);
    if (!code) code = il__sqlite_begin(s, true, err);
    if (code) return code;
    int rc = il__sqlite_chain_head(s, &head);
    if (!rc) code = il__chain_link(s->digest, &s->scratch, &head, kind, body, payload, at_ms, hash, err);
    if (!rc && !code) rc = il__sqlite_chain_add(s, &head, payload, hash);
    code = end(s, code, rc, "adding a link", err);
    if (!code && out_seq) *out_seq = head.next;
    return code;
}
