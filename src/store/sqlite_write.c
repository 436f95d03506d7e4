/* Transactions: what was noted goes to the file, whole runs at a time. `write` commits with synchronous=NORMAL, which
 * waits for no disk; `flush` commits with FULL, which waits once. Must never forget or reorder what a failed commit did
 * not write. */
#include "store/sqlite_inside.h"

#include "base/error.h"
#include "base/limits.h"

/* ---- transactions ---- */

static int set_level(struct il__sqlite *s, bool full)
{
    if (s->full == full) return SQLITE_OK;
    int rc = il__sql_exec(s, full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
    if (!rc) s->full = full;
    return rc;
}

/* After a failed sync the kernel may have dropped pages of the log that earlier commits left to it, and a later sync
 * would not say so. So the log, which can still be read, is first copied to the main file and synced there. */
static enum il_code sync_again(struct il__sqlite *s, struct il_error *err)
{
    int in_log = 0, copied = 0;
    int rc = set_level(s, true);
    if (!rc) rc = sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_FULL, &in_log, &copied);
    if (!rc && in_log != copied) rc = SQLITE_BUSY;
    if (rc) return il__sqlite_fail(s, rc, "saving its log after a failed sync", err);
    s->sync_failed = false;
    return IL_OK;
}

enum il_code il__sqlite_begin(struct il__sqlite *s, bool full, struct il_error *err)
{
    if (full && s->sync_failed) {
        enum il_code code = sync_again(s, err);
        if (code) return code;
    }
    int rc = set_level(s, full);
    if (!rc) rc = il__sql_run(il__sql(s, IL__SQL_BEGIN));
    return rc ? il__sqlite_fail(s, rc, "beginning to write", err) : IL_OK;
}

void il__sqlite_rollback(struct il__sqlite *s)
{
    if (!sqlite3_get_autocommit(s->db)) (void)il__sql_run(il__sql(s, IL__SQL_ROLLBACK));
}

enum il_code il__sqlite_commit(struct il__sqlite *s, struct il_error *err)
{
    int rc = il__sql_run(il__sql(s, IL__SQL_COMMIT));
    if (!rc) {
        s->unflushed = !s->full;
        return IL_OK;
    }
    if ((rc & 0xff) == SQLITE_IOERR) s->sync_failed = true;
    enum il_code code = il__sqlite_fail(s, rc, "writing", err);
    il__sqlite_rollback(s);
    return code;
}

enum il_code il__sqlite_prime(struct il__sqlite *s, struct il_error *err)
{
    bool unflushed = s->unflushed;
    enum il_code code = il__sqlite_begin(s, false, err);
    if (code) return code;
    int rc = il__sql_run(il__sql(s, IL__SQL_TOUCH));
    code = rc ? il__sqlite_fail(s, rc, "writing", err) : il__sqlite_commit(s, err);
    il__sqlite_rollback(s);
    if (!code) s->unflushed = unflushed;
    return code;
}

/* The log goes to the main file each time it has grown by `bytes`. What cannot be done now, for another process that
 * reads, is done the next time. */
static void checkpoint(struct il__sqlite *s, int64_t bytes)
{
    enum { PAGE = 4096 };
    int in_log = 0, copied = 0;
    if (s->wal_frames < s->wal_tried) s->wal_tried = 0;
    if ((int64_t)(s->wal_frames - s->wal_tried) * PAGE <= bytes || set_level(s, false)) return;
    s->wal_tried = s->wal_frames;
    int rc = sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
    if ((rc & 0xff) == SQLITE_IOERR) s->sync_failed = true;
    if (!rc && in_log == copied) (void)il__sqlite_prime(s, NULL);
}

/* ---- the chain ---- */

int il__sqlite_chain_head(struct il__sqlite *s, struct il__chain_head *head)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_LINK_HEAD);
    *head = (struct il__chain_head){ 0, { 0 } };
    int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        struct il_str hash = il__sql_get(stmt, 1);
        head->next = (uint64_t)sqlite3_column_int64(stmt, 0) + 1;
        if (hash.len == sizeof head->prev) memcpy(head->prev, hash.ptr, hash.len);
    }
    int reset = sqlite3_reset(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? reset : rc;
}

int il__sqlite_chain_add(struct il__sqlite *s, const struct il__chain_head *head, struct il_str payload,
                         const uint8_t hash[IL__SHA256_BYTES])
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_LINK_NEW);
    il__sql_int(stmt, 1, (int64_t)head->next);
    il__sql_str(stmt, 2, il__buf_get(&s->scratch));
    il__sql_str(stmt, 3, payload);
    il__sql_str(stmt, 4, (struct il_str){ (const char *)hash, IL__SHA256_BYTES });
    return il__sql_run(stmt);
}

/* ---- batches: each function gives SQLITE_OK, or an error; *lost when the run is not ours to write ---- */

static int put_run(struct il__sqlite *s, const struct il__store_row *row, bool *lost)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_NEW);
    il__sql_str(stmt, 1, row->run_id);
    il__sql_z(stmt, 2, s->owner);
    il__sql_int(stmt, 3, row->state);
    il__sql_str(stmt, 4, row->status);
    il__sql_str(stmt, 5, row->request_id);
    il__sql_int(stmt, 6, row->created_ms);
    il__sql_int(stmt, 7, row->expires_ms);
    il__sql_str(stmt, 8, row->tool);
    il__sql_str(stmt, 9, row->mode);
    il__sql_str(stmt, 10, row->session_id);
    il__sql_str(stmt, 11, row->principal);
    il__sql_str(stmt, 12, row->tenant);
    int rc = il__sql_run(stmt);
    *lost = !rc && sqlite3_changes(s->db) == 0;
    return rc;
}

static int put_created(struct il__sqlite *s, const struct il__batch *batch, bool *lost)
{
    struct il__chain_head head;
    uint8_t hash[IL__SHA256_BYTES];
    int rc = put_run(s, &batch->create->row, lost);
    if (rc || *lost) return rc;
    if ((rc = il__sqlite_chain_head(s, &head))) return rc;
    const uint8_t *first = batch->records->record.hash;
    if (il__chain_run(s->digest, &s->scratch, &head, &batch->create->row, first, hash, NULL)) return SQLITE_NOMEM;
    return il__sqlite_chain_add(s, &head, IL_STR_NONE, hash);
}

static int put_record(struct il__sqlite *s, const struct il__store_record *record, bool *lost)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_NEXT);
    il__sql_str(stmt, 1, record->run_id);
    il__sql_z(stmt, 2, s->owner);
    il__sql_int(stmt, 3, (int64_t)record->fence);
    il__sql_int(stmt, 4, (int64_t)record->seq);
    int rc = sqlite3_step(stmt);
    int64_t key = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    *lost = rc == SQLITE_DONE;
    int reset = sqlite3_reset(stmt);
    if (rc != SQLITE_ROW) return rc == SQLITE_DONE ? reset : rc;
    if (reset) return reset;
    stmt = il__sql(s, IL__SQL_RECORD_NEW);
    il__sql_int(stmt, 1, key);
    il__sql_int(stmt, 2, (int64_t)record->seq);
    il__sql_int(stmt, 3, (int64_t)record->fence);
    il__sql_str(stmt, 4, record->text);
    il__sql_str(stmt, 5, record->payload);
    il__sql_str(stmt, 6, (struct il_str){ (const char *)record->hash, sizeof record->hash });
    rc = il__sql_run(stmt);
    *lost = (rc & 0xff) == SQLITE_CONSTRAINT;
    return *lost ? SQLITE_OK : rc;
}

static int put_index(struct il__sqlite *s, const struct il__store_row *row, bool *lost)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_INDEX);
    il__sql_str(stmt, 1, row->run_id);
    il__sql_z(stmt, 2, s->owner);
    il__sql_int(stmt, 3, row->state);
    il__sql_str(stmt, 4, row->status);
    il__sql_str(stmt, 5, row->request_id);
    il__sql_int(stmt, 6, row->expires_ms);
    int rc = il__sql_run(stmt);
    *lost = !rc && sqlite3_changes(s->db) == 0;
    return rc;
}

static int take_letter(struct il__sqlite *s, struct il_str run_id, uint64_t letter, bool *lost)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_LETTER_TAKE);
    il__sql_int(stmt, 1, (int64_t)letter);
    il__sql_str(stmt, 2, run_id);
    il__sql_z(stmt, 3, s->owner);
    int rc = il__sql_run(stmt);
    *lost = !rc && sqlite3_changes(s->db) == 0;
    return rc;
}

static int put_batch(struct il__sqlite *s, struct il__batch *batch)
{
    int rc = batch->create ? put_created(s, batch, &batch->lost) : SQLITE_OK;
    for (const struct il__noted_record *r = batch->records; r && !rc && !batch->lost; r = r->next)
        rc = put_record(s, &r->record, &batch->lost);
    if (!rc && !batch->lost && batch->index) rc = put_index(s, &batch->index->row, &batch->lost);
    for (const struct il__noted_letter *l = batch->letters; l && !rc && !batch->lost; l = l->next)
        rc = take_letter(s, batch->run_id, l->id, &batch->lost);
    if (!rc && !batch->lost && batch->past) rc = il__sqlite_put_past(s, &batch->past->past);
    return rc;
}

/* One attempt; *again when a run turned out to be lost: then the others are written without it. */
static enum il_code attempt(struct il__sqlite *s, bool full, bool *again, struct il_error *err)
{
    enum il_code code = il__sqlite_begin(s, full, err);
    if (code) return code;
    *again = false;
    int rc = SQLITE_OK, before = sqlite3_total_changes(s->db);
    for (struct il__batch *b = s->noted.batches; b && !rc && !*again; b = b->next) {
        if (!il__batch_ready(b) || b->lost) continue;
        rc = put_batch(s, b);
        *again = b->lost;
    }
    if (!rc && full && !*again && sqlite3_total_changes(s->db) == before)
        rc = il__sql_run(il__sql(s, IL__SQL_TOUCH)); /* a commit of nothing would wait for nothing */
    if (!rc && !*again) return il__sqlite_commit(s, err);
    if (rc) code = il__sqlite_fail(s, rc, "writing", err);
    il__sqlite_rollback(s);
    return code;
}

static enum il_code settle(struct il__sqlite *s, struct il_error *err)
{
    struct il_error lost = IL_ERROR_INIT;
    for (struct il__batch *b = s->noted.batches; b; b = b->next) {
        if (b->lost) il__lost_run(b->run_id, &lost);
        b->done = il__batch_ready(b);
    }
    il__noted_settle(&s->noted);
    if (lost.code && err && !err->code) *err = lost;
    return lost.code;
}

static enum il_code write_noted(struct il__sqlite *s, bool full, struct il_error *err)
{
    bool again = true;
    enum il_code code = IL_OK;
    while (again && !code) code = attempt(s, full, &again, err);
    return code ? code : settle(s, err);
}

enum il_code il__sqlite_write(void *self, struct il_error *err)
{
    struct il__sqlite *s = self;
    if (!il__noted_any(&s->noted)) return IL_OK;
    checkpoint(s, IL__LIMIT_STORE_WAL_BYTES);
    return write_noted(s, false, err);
}

enum il_code il__sqlite_flush(void *self, struct il_error *err)
{
    struct il__sqlite *s = self;
    if (!il__noted_any(&s->noted) && !s->unflushed && !s->sync_failed) return IL_OK;
    checkpoint(s, (int64_t)IL__LIMIT_STORE_WAL_BYTES * 16); /* only where nobody ever writes without a flush */
    return write_noted(s, true, err);
}
