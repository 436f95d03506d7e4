/* Units of limits and outcomes of runs in the store file (base/tally.h says what they are). A unit is looked for and
 * taken in one immediate transaction, so that of two processes that race for the last one has it. */
#include "store/sqlite_inside.h"

#include "base/error.h"
#include "base/limits.h"

static int64_t kept_after(int64_t now_ms)
{
    return now_ms - IL__LIMIT_KEPT_S * INT64_C(1000);
}

/* The integer in the first column of a statement with one row; 0 where it is NULL. */
static int get_int(sqlite3_stmt *stmt, int64_t *out)
{
    int rc = sqlite3_step(stmt);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    int reset = sqlite3_reset(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? reset : rc;
}

/* ---- units ---- */

static int count_units(struct il__sqlite *s, const struct il__unit *unit, struct il_str but_run, int64_t now_ms,
                       int64_t *count)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_UNIT_USED);
    il__sql_str(stmt, 1, unit->key);
    il__sql_int(stmt, 2, now_ms - unit->per_ms);
    il__sql_str(stmt, 3, but_run);
    return get_int(stmt, count);
}

enum il_code il__sqlite_used(void *self, const struct il__unit *unit, struct il_str but_run, int64_t now_ms,
                             struct il__unit_use *out, struct il_error *err)
{
    struct il__sqlite *s = self;
    *out = (struct il__unit_use){ 0, 0 };
    int rc = count_units(s, unit, but_run, now_ms, &out->count);
    if (!rc && unit->most && out->count >= unit->most) {
        sqlite3_stmt *stmt = il__sql(s, IL__SQL_UNIT_LEAVES);
        il__sql_str(stmt, 1, unit->key);
        il__sql_int(stmt, 2, now_ms - unit->per_ms);
        il__sql_str(stmt, 3, but_run);
        il__sql_int(stmt, 4, unit->most - 1);
        rc = get_int(stmt, &out->leaves_ms);
    }
    return rc ? il__sqlite_fail(s, rc, "counting units", err) : IL_OK;
}

static int has_unit(struct il__sqlite *s, struct il_str key, struct il_str run_id, bool *has)
{
    int64_t one = 0;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_UNIT_HAS);
    il__sql_str(stmt, 1, key);
    il__sql_str(stmt, 2, run_id);
    int rc = get_int(stmt, &one);
    *has = one != 0;
    return rc;
}

/* Has every unit that the run lacks room? */
static enum il_code check_units(struct il__sqlite *s, struct il_str run_id, const struct il__unit *units, size_t count,
                                int64_t now_ms, struct il_error *err)
{
    for (size_t i = 0; i < count; i++) {
        bool has = false;
        int64_t used = 0;
        int rc = has_unit(s, units[i].key, run_id, &has);
        if (!rc && !has && units[i].most) rc = count_units(s, &units[i], IL_STR_NONE, now_ms, &used);
        if (rc) return il__sqlite_fail(s, rc, "counting units", err);
        if (!has && units[i].most && used >= units[i].most) return il__unit_none_left(&units[i], err);
    }
    return IL_OK;
}

/* Whether `count` more fit. The units are counted only where their ids say that there may be too many. */
static enum il_code check_room(struct il__sqlite *s, size_t count, struct il_error *err)
{
    int64_t there = 0, most = IL__LIMIT_LIMIT_UNITS - (int64_t)count;
    int rc = get_int(il__sql(s, IL__SQL_UNIT_SPAN), &there);
    if (!rc && there > most) rc = get_int(il__sql(s, IL__SQL_UNIT_COUNT), &there);
    if (rc) return il__sqlite_fail(s, rc, "counting units", err);
    return there > most ? il__units_full(err) : IL_OK;
}

static enum il_code put_units(struct il__sqlite *s, struct il_str run_id, const struct il__unit *units, size_t count,
                              int64_t now_ms, struct il_error *err)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < count && !rc; i++) {
        sqlite3_stmt *stmt = il__sql(s, IL__SQL_UNIT_NEW);
        il__sql_str(stmt, 1, units[i].key);
        il__sql_str(stmt, 2, run_id);
        il__sql_int(stmt, 3, now_ms);
        rc = il__sql_run(stmt);
    }
    return rc ? il__sqlite_fail(s, rc, "writing units", err) : IL_OK;
}

enum il_code il__sqlite_spend(void *self, struct il_str run_id, const struct il__unit *units, size_t count,
                              int64_t now_ms, struct il_error *err)
{
    struct il__sqlite *s = self;
    if (count > IL__LIMIT_LIMIT_CLAIMS) return il__units_full(err);
    enum il_code code = il__sqlite_writable(s, err);
    if (!code) code = il__sqlite_begin(s, false, err);
    if (code) return code;
    sqlite3_stmt *prune = il__sql(s, IL__SQL_UNIT_PRUNE);
    il__sql_int(prune, 1, kept_after(now_ms));
    int rc = il__sql_run(prune);
    if (rc) code = il__sqlite_fail(s, rc, "writing units", err);
    if (!code) code = check_units(s, run_id, units, count, now_ms, err);
    if (!code) code = check_room(s, count, err);
    if (!code) code = put_units(s, run_id, units, count, now_ms, err);
    if (!code) code = il__sqlite_commit(s, err);
    il__sqlite_rollback(s);
    return code;
}

enum il_code il__sqlite_units(void *self, int64_t now_ms, il__unit_fn fn, void *ctx, struct il_error *err)
{
    enum { HOUR_MS = 3600000, DAY_MS = 86400000 };
    struct il__sqlite *s = self;
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_UNITS);
    il__sql_int(stmt, 1, now_ms - HOUR_MS);
    il__sql_int(stmt, 2, now_ms - DAY_MS);
    il__sql_int(stmt, 3, kept_after(now_ms));
    int rc;
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const struct il__unit_row row = { il__sql_get(stmt, 0), sqlite3_column_int64(stmt, 1),
                                          sqlite3_column_int64(stmt, 2), sqlite3_column_int64(stmt, 3),
                                          sqlite3_column_int64(stmt, 4) };
        if (!fn(ctx, &row)) break;
    }
    enum il_code code = rc == SQLITE_ROW || rc == SQLITE_DONE ? IL_OK : il__sqlite_fail(s, rc, "reading units", err);
    sqlite3_reset(stmt);
    return code;
}

/* ---- outcomes ---- */

int il__sqlite_put_past(struct il__sqlite *s, const struct il__past *past)
{
    sqlite3_stmt *stmt = il__sql(s, IL__SQL_PAST_NEW);
    il__sql_str(stmt, 1, past->run_id);
    il__sql_str(stmt, 2, past->session_id);
    il__sql_str(stmt, 3, past->tool);
    il__sql_str(stmt, 4, past->app);
    il__sql_int(stmt, 5, past->action_class);
    il__sql_int(stmt, 6, past->outcome);
    il__sql_int(stmt, 7, past->at_ms);
    int rc = il__sql_run(stmt);
    if (rc) return rc;
    stmt = il__sql(s, IL__SQL_PAST_PRUNE);
    il__sql_int(stmt, 1, kept_after(past->at_ms));
    il__sql_int(stmt, 2, IL__LIMIT_HISTORY_ENTRIES);
    return il__sql_run(stmt);
}

enum il_code il__sqlite_recall(void *self, const struct il__past_query *query, struct il__past_seen *out,
                               struct il_error *err)
{
    struct il__sqlite *s = self;
    const bool one = il__str_present(query->session_id);
    sqlite3_stmt *stmt = il__sql(s, one ? IL__SQL_PAST_RECALL_SESSION : IL__SQL_PAST_RECALL);
    il__sql_int(stmt, 1, query->after_ms);
    il__sql_int(stmt, 2, query->outcomes);
    il__sql_int(stmt, 3, query->classes);
    il__sql_str(stmt, 4, query->tool);
    il__sql_str(stmt, 5, query->app);
    if (one) il__sql_str(stmt, 6, query->session_id);
    il__sql_str(stmt, 7, query->but_run);
    il__sql_int(stmt, 8, IL__LIMIT_HISTORY_ENTRIES);
    int rc = sqlite3_step(stmt);
    *out = (struct il__past_seen){ 0, 0, true };
    if (rc == SQLITE_ROW)
        *out = (struct il__past_seen){ sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1),
                                       sqlite3_column_int(stmt, 2) != 0 };
    int reset = sqlite3_reset(stmt);
    if (rc != SQLITE_ROW) return il__sqlite_fail(s, rc, "reading outcomes", err);
    return reset ? il__sqlite_fail(s, reset, "reading outcomes", err) : IL_OK;
}
