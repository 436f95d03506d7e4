/* Tables, migrations and statements of the store file. Texts are BLOBs: ids and bodies may hold any byte, and what
 * comes back must be what went in. Must never run SQL that holds a value from outside. */
#include "store/sqlite_inside.h"

#include "base/error.h"

/* Step n brings a file from version n to n + 1. A step that has been released is never changed. */
const char *const il__sqlite_steps[] = {
    "CREATE TABLE store(one INTEGER PRIMARY KEY CHECK(one = 1), id BLOB NOT NULL, touched INTEGER NOT NULL) STRICT;"
    "CREATE TABLE run(key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, owner BLOB NOT NULL,"
    " fence INTEGER NOT NULL CHECK(fence > 0), records INTEGER NOT NULL CHECK(records >= 0),"
    " state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 2), status BLOB, request BLOB,"
    " created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL, tool BLOB, mode BLOB, session BLOB, principal BLOB,"
    " tenant BLOB) STRICT;"
    "CREATE INDEX run_state ON run(state, id);"
    "CREATE INDEX run_owner ON run(owner) WHERE state <> 2;"
    "CREATE TABLE record(run INTEGER NOT NULL, seq INTEGER NOT NULL, fence INTEGER NOT NULL, text BLOB NOT NULL,"
    " payload BLOB, hash BLOB NOT NULL CHECK(length(hash) = 32), PRIMARY KEY(run, seq)) STRICT;"
    "CREATE TABLE letter(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, kind BLOB NOT NULL,"
    " body BLOB NOT NULL, at_ms INTEGER NOT NULL) STRICT;"
    "CREATE INDEX letter_run ON letter(run, id);"
    "CREATE TABLE latch(session BLOB UNIQUE, every INTEGER UNIQUE,"
    " CHECK((session IS NULL) <> (every IS NULL))) STRICT;"
    "CREATE TABLE link(seq INTEGER PRIMARY KEY, text BLOB NOT NULL, payload BLOB,"
    " hash BLOB NOT NULL CHECK(length(hash) = 32)) STRICT;"
    "CREATE TABLE salt(run INTEGER NOT NULL, seq INTEGER NOT NULL, salt BLOB NOT NULL CHECK(length(salt) = 32),"
    " PRIMARY KEY(run, seq)) STRICT, WITHOUT ROWID;",

    "CREATE TABLE unit(id INTEGER PRIMARY KEY, key BLOB NOT NULL, run BLOB NOT NULL, at_ms INTEGER NOT NULL,"
    " UNIQUE(key, run)) STRICT;"
    "CREATE INDEX unit_time ON unit(key, at_ms);"
    "CREATE INDEX unit_age ON unit(at_ms);"
    "CREATE TABLE past(id INTEGER PRIMARY KEY, run BLOB NOT NULL UNIQUE, session BLOB NOT NULL, tool BLOB NOT NULL,"
    " app BLOB, class INTEGER NOT NULL CHECK(class BETWEEN 0 AND 31),"
    " outcome INTEGER NOT NULL CHECK(outcome BETWEEN 0 AND 31), at_ms INTEGER NOT NULL) STRICT;"
    "CREATE INDEX past_time ON past(at_ms);"
    "CREATE INDEX past_session ON past(session, at_ms);",
};
const size_t il__sqlite_step_count = sizeof il__sqlite_steps / sizeof *il__sqlite_steps;

#define RECALL \
    "SELECT count(*), max(at_ms), (SELECT max(id) FROM past) - (SELECT min(id) FROM past) + 1 >= ?8" \
    " AND (SELECT min(at_ms) FROM past) > ?1 FROM past WHERE at_ms > ?1 AND (?2 = 0 OR (?2 >> outcome) & 1)" \
    " AND (?3 = 0 OR (?3 >> class) & 1) AND (?4 IS NULL OR tool = ?4) AND (?5 IS NULL OR app = ?5)" \
    " AND (?7 IS NULL OR run <> ?7)"

static const char *const texts[IL__SQL_COUNT] = {
    [IL__SQL_BEGIN] = "BEGIN IMMEDIATE",
    [IL__SQL_COMMIT] = "COMMIT",
    [IL__SQL_ROLLBACK] = "ROLLBACK",
    [IL__SQL_TOUCH] = "UPDATE store SET touched = touched + 1",
    [IL__SQL_ID] = "SELECT id FROM store",
    [IL__SQL_DATA_VERSION] = "PRAGMA data_version",
    [IL__SQL_RUN_NEW] =
        "INSERT INTO run(id, owner, fence, records, state, status, request, created_ms, expires_ms, tool, mode,"
        " session, principal, tenant) VALUES(?1, ?2, 1, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        " ON CONFLICT(id) DO NOTHING",
    [IL__SQL_RUN_STATE] = "SELECT key, state, owner, fence FROM run WHERE id = ?1",
    [IL__SQL_RUN_CLAIM] = "UPDATE run SET owner = ?2, fence = fence + 1 WHERE id = ?1",
    [IL__SQL_RUN_INDEX] =
        "UPDATE run SET state = ?3, status = ?4, request = ?5, expires_ms = ?6 WHERE id = ?1 AND owner = ?2",
    [IL__SQL_RUN_NEXT] =
        "UPDATE run SET records = records + 1 WHERE id = ?1 AND owner = ?2 AND fence = ?3 AND records = ?4"
        " RETURNING key",
    [IL__SQL_OWNER_USED] = "SELECT 1 FROM run WHERE owner = ?1 AND state <> 2 LIMIT 1",
    [IL__SQL_LIST] =
        "SELECT id, state, status, request, created_ms, expires_ms, tool, mode, session, principal, tenant,"
        " fence, records, owner, (SELECT count(*) FROM letter WHERE letter.run = run.key) FROM run"
        " WHERE id > ?1 AND (?2 = 0 OR (expires_ms <> 0 AND expires_ms < ?2))"
        " ORDER BY id LIMIT ?3",
    [IL__SQL_LIST_STATE] =
        "SELECT id, state, status, request, created_ms, expires_ms, tool, mode, session, principal, tenant,"
        " fence, records, owner, (SELECT count(*) FROM letter WHERE letter.run = run.key) FROM run"
        " WHERE id > ?1 AND (?2 = 0 OR (expires_ms <> 0 AND expires_ms < ?2))"
        " AND state = ?4 ORDER BY id LIMIT ?3",
    [IL__SQL_RECORD_NEW] = "INSERT INTO record(run, seq, fence, text, payload, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [IL__SQL_RECORDS] = "SELECT seq, fence, text, payload, hash FROM record WHERE run = ?1 ORDER BY seq",
    [IL__SQL_LETTER_NEW] = "INSERT INTO letter(run, kind, body, at_ms) VALUES(?1, ?2, ?3, ?4)",
    [IL__SQL_LETTER_COUNT] = "SELECT count(*) FROM letter WHERE run = ?1",
    [IL__SQL_LETTER_TAKE] =
        "DELETE FROM letter WHERE id = ?1 AND run = (SELECT key FROM run WHERE id = ?2 AND owner = ?3)",
    [IL__SQL_LETTERS] = "SELECT id, kind, body, at_ms FROM letter WHERE run = ?1 ORDER BY id",
    [IL__SQL_LATCH_SET] = "INSERT INTO latch(session, every) VALUES(?1, ?2) ON CONFLICT DO NOTHING",
    [IL__SQL_LATCH_LIFT] = "DELETE FROM latch WHERE session IS ?1 AND every IS ?2",
    [IL__SQL_LATCHED] = "SELECT session IS NULL FROM latch WHERE every = 1 OR session = ?1 ORDER BY 1 DESC",
    [IL__SQL_LINK_HEAD] = "SELECT seq, hash FROM link ORDER BY seq DESC LIMIT 1",
    [IL__SQL_LINK_NEW] = "INSERT INTO link(seq, text, payload, hash) VALUES(?1, ?2, ?3, ?4)",
    [IL__SQL_LINKS] = "SELECT seq, text, payload, hash FROM link WHERE seq >= ?1 ORDER BY seq",
    [IL__SQL_SALT_LACK] =
        "SELECT seq FROM record r WHERE run = ?1 AND seq >= ?2 AND"
        " NOT EXISTS(SELECT 1 FROM salt s WHERE s.run = r.run AND s.seq = r.seq) ORDER BY seq LIMIT 1",
    [IL__SQL_SALT_NEW] = "INSERT INTO salt(run, seq, salt) VALUES(?1, ?2, ?3)",
    [IL__SQL_SALTS] = "SELECT seq, salt FROM salt WHERE run = ?1 ORDER BY seq",
    [IL__SQL_UNIT_HAS] = "SELECT 1 FROM unit WHERE key = ?1 AND run = ?2",
    [IL__SQL_UNIT_USED] = "SELECT count(*) FROM unit WHERE key = ?1 AND at_ms > ?2 AND (?3 IS NULL OR run <> ?3)",
    [IL__SQL_UNIT_LEAVES] =
        "SELECT at_ms FROM unit WHERE key = ?1 AND at_ms > ?2 AND (?3 IS NULL OR run <> ?3)"
        " ORDER BY at_ms DESC LIMIT 1 OFFSET ?4",
    [IL__SQL_UNIT_NEW] = "INSERT INTO unit(key, run, at_ms) VALUES(?1, ?2, ?3) ON CONFLICT(key, run) DO NOTHING",
    [IL__SQL_UNIT_PRUNE] = "DELETE FROM unit WHERE at_ms <= ?1",
    [IL__SQL_UNIT_SPAN] = "SELECT max(id) - min(id) + 1 FROM unit", /* at least as many as there are */
    [IL__SQL_UNIT_COUNT] = "SELECT count(*) FROM unit",
    [IL__SQL_UNITS] =
        "SELECT key, sum(at_ms > ?1), sum(at_ms > ?2), count(*), max(at_ms) FROM unit WHERE at_ms > ?3"
        " GROUP BY key ORDER BY key",
    [IL__SQL_PAST_NEW] =
        "INSERT INTO past(run, session, tool, app, class, outcome, at_ms) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT(run) DO UPDATE SET outcome = excluded.outcome, at_ms = excluded.at_ms",
    [IL__SQL_PAST_PRUNE] = /* of those that came first only what is older than all that stay */
        "DELETE FROM past WHERE at_ms <= ?1 OR (id <= (SELECT max(id) FROM past) - ?2 AND at_ms <="
        " (SELECT at_ms FROM past WHERE id > (SELECT max(id) FROM past) - ?2 ORDER BY at_ms LIMIT 1))",
    [IL__SQL_PAST_RECALL] = RECALL,
    [IL__SQL_PAST_RECALL_SESSION] = RECALL " AND session = ?6",
};

enum il_code il__sqlite_prepare(struct il__sqlite *s, struct il_error *err)
{
    for (enum il__sql i = 0; i < IL__SQL_COUNT; i++) {
        int rc = sqlite3_prepare_v3(s->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &s->sql[i], NULL);
        if (rc == SQLITE_ERROR) return il__sqlite_damaged(s, "its tables are not those of a store", err);
        if (rc) return il__sqlite_fail(s, rc, "reading its tables", err);
    }
    return IL_OK;
}

sqlite3_stmt *il__sql(struct il__sqlite *s, enum il__sql which)
{
    sqlite3_reset(s->sql[which]);
    sqlite3_clear_bindings(s->sql[which]);
    return s->sql[which];
}

/* The bindings below fail for want of memory or for a length that no limit lets through; the statement then fails its
 * NOT NULL, or the value is refused when it runs. */
void il__sql_str(sqlite3_stmt *stmt, int at, struct il_str text)
{
    if (text.ptr) (void)sqlite3_bind_blob64(stmt, at, text.ptr, text.len, SQLITE_STATIC);
}

void il__sql_z(sqlite3_stmt *stmt, int at, const char *z)
{
    il__sql_str(stmt, at, il__str(z));
}

void il__sql_int(sqlite3_stmt *stmt, int at, int64_t value)
{
    (void)sqlite3_bind_int64(stmt, at, value);
}

struct il_str il__sql_get(sqlite3_stmt *stmt, int column)
{
    if (sqlite3_column_type(stmt, column) == SQLITE_NULL) return IL_STR_NONE;
    const char *bytes = sqlite3_column_blob(stmt, column);
    size_t len = (size_t)sqlite3_column_bytes(stmt, column);
    return (struct il_str){ bytes ? bytes : "", bytes ? len : 0 };
}

int il__sql_run(sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt), reset = sqlite3_reset(stmt);
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? reset : rc;
}

int il__sql_exec(struct il__sqlite *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL);
}

/* ---- migrations ---- */

static int ask(struct il__sqlite *s, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
    if (!rc) rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) *out = sqlite3_column_int64(stmt, 0);
    int end = sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? end : rc;
}

/* What the file is now, inside the transaction: another process may have been here first. */
static enum il_code version_now(struct il__sqlite *s, size_t count, size_t *version, struct il_error *err)
{
    int64_t application = 0, user = 0, tables = 0;
    int rc = ask(s, "PRAGMA application_id", &application);
    if (!rc) rc = ask(s, "PRAGMA user_version", &user);
    if (!rc) rc = ask(s, "SELECT count(*) FROM sqlite_schema", &tables);
    if (rc) return il__sqlite_fail(s, rc, "reading its version", err);
    if (application != IL__STORE_APPLICATION && (application || user || tables))
        return il__fail_at(err, IL_STORE, "store", "", "%s is another application's file, not a store", s->shown);
    if (user < 0 || (uint64_t)user > count)
        return il__fail_at(err, IL_STORE, "store", "",
                           "%s was made by a newer version: its format is %lld, this version reads up to %zu", s->shown,
                           (long long)user, count);
    if (application == IL__STORE_APPLICATION && !user) return il__sqlite_damaged(s, "it has no version", err);
    *version = (size_t)user;
    return IL_OK;
}

static enum il_code give_id(struct il__sqlite *s, struct il_error *err)
{
    uint8_t bytes[16];
    char hex[33], sql[96];
    if (s->random(s->random_ctx, bytes, sizeof bytes))
        return il__fail_at(err, IL_STORE, "random", "bytes", "the random source failed");
    il__hex(bytes, sizeof bytes, hex);
    sqlite3_snprintf(sizeof sql, sql, "INSERT INTO store VALUES(1, CAST('%s' AS BLOB), 0)", hex);
    int rc = il__sql_exec(s, sql);
    return rc ? il__sqlite_fail(s, rc, "making its tables", err) : IL_OK;
}

static enum il_code climb(struct il__sqlite *s, const char *const *steps, size_t count, struct il_error *err)
{
    char sql[96];
    size_t version = 0;
    enum il_code code = version_now(s, count, &version, err);
    if (code || version == count) return code;
    bool fresh = version == 0;
    for (; version < count; version++) {
        int rc = il__sql_exec(s, steps[version]);
        if (rc) return il__sqlite_fail(s, rc, "making its tables", err);
    }
    sqlite3_snprintf(sizeof sql, sql, "PRAGMA application_id=%d; PRAGMA user_version=%d", IL__STORE_APPLICATION,
                     (int)count);
    int rc = il__sql_exec(s, sql);
    if (rc) return il__sqlite_fail(s, rc, "making its tables", err);
    return fresh ? give_id(s, err) : IL_OK;
}

static enum il_code only_this(struct il__sqlite *s, size_t count, struct il_error *err)
{
    size_t version = 0;
    enum il_code code = version_now(s, count, &version, err);
    if (code || version == count) return code;
    return il__fail_at(err, IL_STORE, "store", "",
                       "%s was made by an older version: open it for writing once to bring it up to date", s->shown);
}

enum il_code il__sqlite_migrate(struct il__sqlite *s, const char *const *steps, size_t count, struct il_error *err)
{
    if (s->read_only) return only_this(s, count, err);
    int rc = il__sql_exec(s, "BEGIN IMMEDIATE");
    if (rc) return il__sqlite_fail(s, rc, "opening it", err);
    enum il_code code = climb(s, steps, count, err);
    if (!code && (rc = il__sql_exec(s, "COMMIT"))) code = il__sqlite_fail(s, rc, "making its tables", err);
    if (!sqlite3_get_autocommit(s->db)) (void)il__sql_exec(s, "ROLLBACK");
    return code;
}
