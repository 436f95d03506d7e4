/* Opening and closing the store file, its errors, and the port's table (sqlite.h). Must never change a file before it
 * is known to be a store. */
#include "store/sqlite_inside.h"

#include "base/error.h"
#include "base/limits.h"

#include <sqlite3.h>
#include <unistd.h>

const char *il__sqlite_version(void)
{
    return sqlite3_libversion();
}

/* ---- errors ---- */

static const char *system_text(struct il__sqlite *s)
{
    int number = s->db ? sqlite3_system_errno(s->db) : 0;
    const char *text = number ? strerrordesc_np(number) : NULL;
    return text ? text : "no further reason";
}

static enum il_code busy(struct il__sqlite *s, const char *doing, struct il_error *err)
{
    return il__fail_at(err, IL_STORE, "store", "", "%s is busy: %s waited %u ms for another process", s->shown,
                       doing, (unsigned)s->busy_ms);
}

enum il_code il__sqlite_damaged(struct il__sqlite *s, const char *what, struct il_error *err)
{
    return il__fail_at(err, IL_STORE, "store", "", "%s is damaged: %s", s->shown, what);
}

enum il_code il__sqlite_fail(struct il__sqlite *s, int rc, const char *doing, struct il_error *err)
{
    const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
    switch (rc & 0xff) {
    case SQLITE_NOMEM: return il__fail(err, IL_OUT_OF_MEMORY, "%s: no memory for %s", s->shown, doing);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return busy(s, doing, err);
    case SQLITE_FULL: why = "the disk is full"; break;
    case SQLITE_READONLY: why = "it is read-only"; break;
    case SQLITE_PERM:
    case SQLITE_AUTH: why = "no permission"; break;
    case SQLITE_NOTADB: why = "it is not a store"; break;
    case SQLITE_CORRUPT: return il__sqlite_damaged(s, sqlite3_errstr(rc), err);
    case SQLITE_IOERR:
        return il__fail_at(err, IL_STORE, "store", "", "%s: %s failed: input or output error (%d): %s", s->shown,
                           doing, rc, system_text(s));
    case SQLITE_CANTOPEN:
        return il__fail_at(err, IL_STORE, "store", "", "%s: %s failed: a file cannot be opened: %s", s->shown,
                           doing, system_text(s));
    default: break;
    }
    return il__fail_at(err, IL_STORE, "store", "", "%s: %s failed: %s", s->shown, doing, why);
}

enum il_code il__sqlite_writable(struct il__sqlite *s, struct il_error *err)
{
    if (!s->read_only) return IL_OK;
    return il__fail_at(err, IL_STORE, "store", "", "%s was opened to be read only", s->shown);
}

/* ---- notes ---- */

static enum il_code note_create(void *self, const struct il__store_row *row, struct il_error *err)
{
    struct il__sqlite *s = self;
    enum il_code code = il__sqlite_writable(s, err);
    if (code) return code;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_RUN_STATE);
    il__sql_str(stmt, 1, row->run_id);
    int rc = sqlite3_step(stmt);
    sqlite3_reset(stmt);
    if (rc == SQLITE_ROW) return il__run_known(row->run_id, err);
    if (rc != SQLITE_DONE) return il__sqlite_fail(s, rc, "looking for a run", err);
    code = il__sqlite_own(s, err);
    return code ? code : il__noted_create(&s->noted, row, err);
}

static enum il_code note_append(void *self, const struct il__store_record *record, struct il_error *err)
{
    struct il__sqlite *s = self;
    enum il_code code = il__sqlite_writable(s, err);
    return code ? code : il__noted_append(&s->noted, record, err);
}

static enum il_code note_index(void *self, const struct il__store_row *row, struct il_error *err)
{
    struct il__sqlite *s = self;
    enum il_code code = il__sqlite_writable(s, err);
    return code ? code : il__noted_index(&s->noted, row, err);
}

static enum il_code note_consume(void *self, struct il_str run_id, uint64_t letter, struct il_error *err)
{
    struct il__sqlite *s = self;
    enum il_code code = il__sqlite_writable(s, err);
    return code ? code : il__noted_consume(&s->noted, run_id, letter, err);
}

static enum il_code note_past(void *self, const struct il__past *past, struct il_error *err)
{
    struct il__sqlite *s = self;
    enum il_code code = il__sqlite_writable(s, err);
    return code ? code : il__noted_remember(&s->noted, past, err);
}

static struct il_str store_id(void *self)
{
    const struct il__sqlite *s = self;
    return il__str(s->id);
}

/* ---- open and close ---- */

/* The path as a URI that promises SQLite that nobody writes. */
static void immutable_uri(const struct il__sqlite *s, char *out)
{
    static const char head[] = "file:", tail[] = "?immutable=1", digits[] = "0123456789ABCDEF";
    memcpy(out, head, sizeof head - 1);
    out += sizeof head - 1;
    for (const unsigned char *p = (const unsigned char *)s->path; *p; p++) {
        *out++ = '%';
        *out++ = digits[*p >> 4];
        *out++ = digits[*p & 15];
    }
    memcpy(out, tail, sizeof tail);
}

static enum il_code open_file(struct il__sqlite *s, struct il_error *err)
{
    char uri[IL__STORE_PATH_MAX * 3 + 32];
    const char *name = s->path;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW;
    flags |= s->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (s->read_only && il__sqlite_still(s)) {
        immutable_uri(s, uri);
        name = uri;
        flags |= SQLITE_OPEN_URI;
    }
    int rc = sqlite3_open_v2(name, &s->db, flags, NULL);
    return rc ? il__sqlite_fail(s, rc, "opening it", err) : IL_OK;
}

/* Nothing in the file is code, and nothing in it may use more than it needs. */
static enum il_code harden(struct il__sqlite *s, struct il_error *err)
{
    static const struct {
        int what, value;
    } config[] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },       { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
                   { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },  { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
                   { SQLITE_DBCONFIG_DQS_DML, 0 },         { SQLITE_DBCONFIG_DQS_DDL, 0 },
                   { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 } };
    static const struct {
        int what, value;
    } limits[] = { { SQLITE_LIMIT_LENGTH, IL__LIMIT_STORE_PENDING_BYTES * 2 }, { SQLITE_LIMIT_ATTACHED, 0 },
                   { SQLITE_LIMIT_SQL_LENGTH, 65536 },                         { SQLITE_LIMIT_COLUMN, 64 },
                   { SQLITE_LIMIT_EXPR_DEPTH, 64 },                            { SQLITE_LIMIT_COMPOUND_SELECT, 8 },
                   { SQLITE_LIMIT_WORKER_THREADS, 0 },                         { SQLITE_LIMIT_TRIGGER_DEPTH, 1 } };
    char sql[160];
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof config / sizeof *config; i++)
        rc = sqlite3_db_config(s->db, config[i].what, config[i].value, (int *)NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) sqlite3_limit(s->db, limits[i].what, limits[i].value);
    sqlite3_snprintf(sizeof sql, sql, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY;"
                     " PRAGMA cache_size=-%d; PRAGMA synchronous=FULL", IL__LIMIT_STORE_CACHE_BYTES / 1024);
    if (!rc) rc = sqlite3_busy_timeout(s->db, (int)s->busy_ms);
    if (!rc) rc = sqlite3_wal_autocheckpoint(s->db, 0);
    if (!rc) rc = il__sql_exec(s, sql);
    s->full = true;
    return rc ? il__sqlite_fail(s, rc, "opening it", err) : IL_OK;
}

static int count_frames(void *ctx, sqlite3 *db, const char *name, int frames)
{
    struct il__sqlite *s = ctx;
    (void)db;
    (void)name;
    s->wal_frames = frames;
    return SQLITE_OK;
}

static enum il_code use_log(struct il__sqlite *s, struct il_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, "PRAGMA journal_mode=WAL", -1, &stmt, NULL);
    if (!rc) rc = sqlite3_step(stmt);
    struct il_str mode = rc == SQLITE_ROW ? il__sql_get(stmt, 0) : IL_STR_NONE;
    bool wal = il__str_eq_nocase(mode, IL_STR("wal"));
    int end = sqlite3_finalize(stmt);
    if (end || rc != SQLITE_ROW) return il__sqlite_fail(s, end ? end : rc, "opening its log", err);
    if (!wal) return il__fail_at(err, IL_STORE, "store", "", "%s cannot have a write-ahead log here", s->shown);
    sqlite3_wal_hook(s->db, count_frames, s);
    return IL_OK;
}

static enum il_code read_id(struct il__sqlite *s, struct il_error *err)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_ID);
    int rc = sqlite3_step(stmt);
    struct il_str id = rc == SQLITE_ROW ? il__sql_get(stmt, 0) : IL_STR_NONE;
    bool good = id.ptr && il__str_is_hex(id, 32);
    if (good) memcpy(s->id, id.ptr, 32);
    sqlite3_reset(stmt);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return il__sqlite_fail(s, rc, "reading its id", err);
    return good ? IL_OK : il__sqlite_damaged(s, "it has no id", err);
}

static enum il_code open_all(struct il__sqlite *s, const struct il__sqlite_options *options, struct il_error *err)
{
    bool empty = false;
    enum il_code code = il__sqlite_file(s, options, err);
    if (!code) code = open_file(s, err);
    if (!code) code = harden(s, err);
    if (!code) code = il__sqlite_header(s, options->create && !s->read_only, &empty, err);
    if (!code) code = il__sqlite_migrate(s, il__sqlite_steps, il__sqlite_step_count, err);
    if (!code && !s->read_only) code = use_log(s, err);
    if (!code) code = il__sqlite_prepare(s, err);
    if (!code) code = read_id(s, err);
    if (!code && !s->read_only) il__sqlite_sweep(s);
    return code;
}

static void close_all(struct il__sqlite *s)
{
    il__sqlite_disown(s);
    for (size_t i = 0; i < IL__SQL_COUNT; i++) sqlite3_finalize(s->sql[i]);
    sqlite3_close_v2(s->db);
    il__noted_clear(&s->noted);
    il__buf_clear(&s->scratch);
    struct il__mem *mem = s->mem;
    il__mem_free(mem, s, sizeof *s);
}

static void store_free(void *self)
{
    close_all(self);
}

static const struct il__store_ops OPS = {
    .create = note_create,
    .append = note_append,
    .index = note_index,
    .consume = note_consume,
    .remember = note_past,
    .write = il__sqlite_write,
    .flush = il__sqlite_flush,
    .owns = il__sqlite_owns,
    .claim = il__sqlite_claim,
    .spend = il__sqlite_spend,
    .used = il__sqlite_used,
    .recall = il__sqlite_recall,
    .units = il__sqlite_units,
    .load = il__sqlite_load,
    .list = il__sqlite_list,
    .submit = il__sqlite_submit,
    .salts = il__sqlite_salts,
    .letters = il__sqlite_letters,
    .changed = il__sqlite_changed,
    .latch = il__sqlite_latch,
    .latched = il__sqlite_latched,
    .link = il__sqlite_link,
    .links = il__sqlite_links,
    .id = store_id,
    .free = store_free,
};

enum il_code il__sqlite_open(const struct il__sqlite_options *options, struct il__store *out, struct il_error *err)
{
    struct il__sqlite *s = il__mem_zalloc(options->mem, 1, sizeof *s);
    if (!s) return il__fail(err, IL_OUT_OF_MEMORY, "no memory for the store");
    s->mem = options->mem;
    s->digest = options->digest;
    s->random = options->random;
    s->random_ctx = options->random_ctx;
    s->read_only = options->read_only;
    s->busy_ms = options->busy_ms ? options->busy_ms : IL__LIMIT_STORE_BUSY_MS;
    s->owner_fd = -1;
    il__noted_init(&s->noted, s->mem);
    il__buf_init(&s->scratch, s->mem, 0);
    enum il_code code = open_all(s, options, err);
    if (code) {
        close_all(s);
        return code;
    }
    *out = (struct il__store){ &OPS, s };
    return IL_OK;
}
