/* What is counted over runs (base/tally.h), without a store, in memory and in a file, sentence by sentence; against a
 * model; and two processes that race for the last unit. */
#include "base/error.h"
#include "base/limits.h"
#include "base/tally.h"
#include "shelf.h"
#include "store/sqlite_inside.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { TALLY, MEMORY, FILED, KINDS };
static const char *const KIND[] = { "tally", "memory", "file" };

/* One of the three keepers. */
struct keeper {
    enum kind kind;
    struct shelf shelf;
    struct il__mem mem;
    struct il__tally tally;
    struct il_error err;
};
static struct keeper k;
static const int64_t NOW = INT64_C(1796061600000), HOUR = 3600000, KEPT = IL__LIMIT_KEPT_S * INT64_C(1000);

static void open_keeper(enum kind kind)
{
    k = (struct keeper){ .kind = kind, .err = IL_ERROR_INIT };
    il__mem_init(&k.mem, NULL, NULL, 0);
    il__tally_init(&k.tally, &k.mem);
    if (kind != TALLY) shelf_open(&k.shelf, kind == FILED);
}

static void close_keeper(void)
{
    il__tally_clear(&k.tally);
    tap_int((long long)k.mem.in_use_bytes, 0, "%s: every byte is given back", KIND[k.kind]);
    if (k.kind != TALLY) shelf_close(&k.shelf);
}

static struct il__unit unit(const char *key, int64_t most, int64_t per_ms)
{
    return (struct il__unit){ il__str(key), most, per_ms };
}

static enum il_code spend_all(const char *run, const struct il__unit *units, size_t count, int64_t now)
{
    const struct il__store *s = &k.shelf.store;
    k.err = (struct il_error)IL_ERROR_INIT;
    return k.kind == TALLY ? il__tally_spend(&k.tally, il__str(run), units, count, now, &k.err)
                           : s->ops->spend(s->self, il__str(run), units, count, now, &k.err);
}

static enum il_code spend(const char *run, const char *key, int64_t most, int64_t now)
{
    const struct il__unit one = unit(key, most, HOUR);
    return spend_all(run, &one, 1, now);
}

static struct il__unit_use used(const char *key, int64_t most, int64_t per_ms, const char *but, int64_t now)
{
    const struct il__unit one = unit(key, most, per_ms);
    const struct il__store *s = &k.shelf.store;
    struct il__unit_use use = { -1, -1 };
    if (k.kind == TALLY) return il__tally_used(&k.tally, &one, il__str(but), now);
    s->ops->used(s->self, &one, il__str(but), now, &use, NULL);
    return use;
}

static int64_t count(const char *key, int64_t now)
{
    return used(key, 0, HOUR, NULL, now).count;
}

static const char *shown(const char *kind)
{
    static char text[64];
    snprintf(text, sizeof text, "%s", kind);
    return text;
}

/* ---- units ---- */

static void test_units(enum kind kind)
{
    const char *is = shown(KIND[kind]);
    open_keeper(kind);
    tap_int(spend("r1", "a", 2, NOW), IL_OK, "%s: a unit is taken", is);
    tap_int(spend("r1", "a", 2, NOW + 1), IL_OK, "%s: and once more by the same run", is);
    tap_int(count("a", NOW), 1, "%s: which is still one", is);
    tap_int(spend("r2", "a", 2, NOW + 1000), IL_OK, "%s: the last one", is);
    tap_int(spend("r3", "a", 2, NOW + 2000), IL_POLICY_DENIED, "%s: there is no other", is);
    tap_str(il__str(k.err.field), "a", "%s: the key is named", is);
    tap_int(count("a", NOW + 2000), 2, "%s: and nothing was taken", is);
    tap_int(spend("r2", "a", 1, NOW + 2000), IL_OK, "%s: who has one is not asked again", is);
    tap_int(used("a", 2, HOUR, "r1", NOW + 2000).count, 1, "%s: a run does not count against itself", is);
    tap_int(count("b", NOW), 0, "%s: another key is another counter", is);
    struct il__unit_use use = used("a", 2, HOUR, NULL, NOW + 2000);
    tap_int(use.leaves_ms, NOW, "%s: the first one leaves first", is);
    tap_int(used("a", 1, HOUR, NULL, NOW + 2000).leaves_ms, NOW + 1000, "%s: where more are used than allowed, a later",
            is);
    tap_int(used("a", 3, HOUR, NULL, NOW + 2000).leaves_ms, 0, "%s: none has to leave where one is free", is);
    tap_int(spend("r3", "a", 2, NOW + HOUR - 1), IL_POLICY_DENIED, "%s: up to the end of its time a unit counts", is);
    tap_int(spend("r3", "a", 2, NOW + HOUR), IL_OK, "%s: not at it", is);
    tap_int(spend("r4", "a", 2, NOW + HOUR), IL_POLICY_DENIED, "%s: one left, one came", is);
    tap_int(spend("r4", "a", 0, NOW + HOUR), IL_OK, "%s: what is only counted is never refused", is);
    tap_int(count("a", NOW + HOUR), 3, "%s: and counted", is);
    tap_int(spend("r5", "a", 3, NOW - 10 * HOUR), IL_POLICY_DENIED, "%s: a clock that went back frees nothing", is);
    tap_int(count("a", NOW - 10 * HOUR), 4, "%s: units of the future count", is);
    close_keeper();
}

static void test_lists(enum kind kind)
{
    const char *is = shown(KIND[kind]);
    open_keeper(kind);
    spend("r0", "full", 1, NOW);
    const struct il__unit last_full[] = { unit("a", 5, HOUR), unit("b", 5, HOUR), unit("full", 1, HOUR) };
    tap_int(spend_all("r1", last_full, 3, NOW), IL_POLICY_DENIED, "%s: one of three is full", is);
    tap_str(il__str(k.err.field), "full", "%s: that one is named", is);
    tap_int(count("a", NOW) + count("b", NOW), 0, "%s: and none of the others is taken", is);
    tap_int(spend_all("r1", last_full, 2, NOW), IL_OK, "%s: without it they are", is);
    tap_int(count("a", NOW) + count("b", NOW), 2, "%s: both", is);
    const struct il__unit twice[] = { unit("a", 5, HOUR), unit("a", 1, 2 * HOUR) };
    tap_int(spend_all("r2", twice, 2, NOW), IL_POLICY_DENIED, "%s: two limits of one key: the second refuses", is);
    tap_int(spend_all("r2", twice, 1, NOW), IL_OK, "%s: the first alone would not", is);
    const struct il__unit both[] = { unit("c", 5, HOUR), unit("c", 2, 2 * HOUR) };
    tap_int(spend_all("r2", both, 2, NOW), IL_OK, "%s: where both have room", is);
    tap_int(count("c", NOW), 1, "%s: one unit is taken", is);
    struct il__unit many[IL__LIMIT_LIMIT_CLAIMS + 1];
    char keys[IL__LIMIT_LIMIT_CLAIMS + 1][16];
    for (size_t i = 0; i <= IL__LIMIT_LIMIT_CLAIMS; i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i);
        many[i] = unit(keys[i], 1, HOUR);
    }
    tap_int(spend_all("r3", many, IL__LIMIT_LIMIT_CLAIMS, NOW), IL_OK, "%s: limit_claims keys at once", is);
    tap_int(spend_all("r4", many, IL__LIMIT_LIMIT_CLAIMS + 1, NOW), IL_LIMIT_EXCEEDED, "%s: and not one more", is);
    tap_int(count("k0", NOW), 1, "%s: of which nothing is taken", is);
    close_keeper();
}

static void test_time(enum kind kind)
{
    const char *is = shown(KIND[kind]);
    open_keeper(kind);
    spend("r1", "a", 0, NOW);
    spend("r2", "a", 0, NOW + 1);
    tap_int(used("a", 0, KEPT, NULL, NOW + KEPT - 1).count, 2, "%s: kept: a unit is there for its time", is);
    spend("r3", "b", 0, NOW + KEPT - 1);
    tap_int(used("a", 0, KEPT, NULL, NOW + KEPT - 1).count, 2, "%s: also when another one is taken then", is);
    spend("r4", "b", 0, NOW + KEPT);
    tap_int(used("a", 0, 2 * KEPT, NULL, NOW + KEPT).count, 1, "%s: and is forgotten at its end", is);
    spend("r1", "a", 0, NOW + KEPT);
    tap_int(used("a", 0, 2 * KEPT, NULL, NOW + KEPT).count, 2, "%s: then the same run has none", is);
    close_keeper();
}

static bool row(void *ctx, const struct il__unit_row *r)
{
    char *out = ctx;
    size_t len = strlen(out);
    snprintf(out + len, 400 - len, "%.*s %lld %lld %lld %lld\n", IL_STR_FMT(r->key), (long long)r->hour,
             (long long)r->day, (long long)r->kept, (long long)(r->latest_ms - NOW));
    return out[0] != 'z';
}

static void test_rows(enum kind kind)
{
    char text[400] = "";
    const struct il__store *s = &k.shelf.store;
    open_keeper(kind);
    spend("r1", "b", 0, NOW - 30 * HOUR);
    spend("r2", "b", 0, NOW - 2 * HOUR);
    spend("r3", "b", 0, NOW - HOUR + 1);
    spend("r4", "a", 0, NOW - HOUR);
    spend("r5", "old", 0, NOW - KEPT);
    if (kind == TALLY) il__tally_units(&k.tally, NOW, row, text);
    else s->ops->units(s->self, NOW, row, text, NULL);
    tap_str(il__str(text), "a 0 1 1 -3600000\nb 1 2 3 -3599999\n", "%s: what was consumed, by key", KIND[kind]);
    close_keeper();
}

static enum il_code remember(const struct il__past *past);
static struct il__past past(const char *run, unsigned outcome, int64_t at);
static struct il__past_seen recall(struct il__past_query q);

/* So many units as may be kept, and one more. */
static void test_full(void)
{
    char run[24], key[24];
    open_keeper(TALLY);
    int failed = 0;
    for (int i = 0; i < IL__LIMIT_LIMIT_UNITS; i++) {
        snprintf(run, sizeof run, "r%d", i);
        snprintf(key, sizeof key, "k%d", i % 200);
        failed += spend(run, key, 0, NOW) != IL_OK;
    }
    tap_int(failed, 0, "limit_units units are kept");
    const struct il__unit two[] = { unit("x", 0, HOUR), unit("y", 0, HOUR) };
    tap_int(spend_all("more", two, 2, NOW), IL_LIMIT_EXCEEDED, "and not one more: %s", k.err.message);
    tap_ok(strstr(k.err.field, "limit_units") != NULL, "by name");
    tap_int(count("x", NOW), 0, "nothing was taken");
    tap_int(spend_all("more", two, 2, NOW + KEPT), IL_OK, "until those are old");
    close_keeper();
}

/* The same in a file, where rows are put beside the door. */
static void test_full_file(void)
{
    open_keeper(FILED);
    struct il__sqlite *s = k.shelf.store.self;
    char sql[240];
    snprintf(sql, sizeof sql, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
             "INSERT INTO unit(key, run, at_ms) SELECT x'6b', CAST(i AS BLOB), %lld FROM n", IL__LIMIT_LIMIT_UNITS - 1,
             (long long)NOW);
    tap_int(sqlite3_exec(s->db, sql, NULL, NULL, NULL), SQLITE_OK, "all units but one");
    tap_int(spend("last", "a", 0, NOW), IL_OK, "limit_units: the last unit");
    tap_int(spend("more", "a", 0, NOW), IL_LIMIT_EXCEEDED, "no other");
    sqlite3_exec(s->db, "DELETE FROM unit WHERE id = 500", NULL, NULL, NULL);
    tap_int(spend("more", "a", 0, NOW), IL_OK, "it is counted how many there are, not how many there were");
    close_keeper();
}

static void test_past_full_file(void)
{
    open_keeper(FILED);
    struct il__sqlite *s = k.shelf.store.self;
    struct il__past_query any = { .after_ms = NOW - KEPT };
    char sql[300];
    snprintf(sql, sizeof sql, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
             "INSERT INTO past(run, session, tool, class, outcome, at_ms) SELECT CAST(i AS BLOB), x'73', x'74', 1, 0, "
             "%lld FROM n", IL__LIMIT_HISTORY_ENTRIES, (long long)NOW);
    tap_int(sqlite3_exec(s->db, sql, NULL, NULL, NULL), SQLITE_OK, "history_entries runs");
    tap_int(recall(any).count, IL__LIMIT_HISTORY_ENTRIES, "are recalled");
    struct il__past p = past("r1", IL__PAST_VERIFIED, NOW + 1);
    tap_int(remember(&p), IL_OK, "another one");
    tap_int(recall(any).count, IL__LIMIT_HISTORY_ENTRIES, "puts the oldest out");
    tap_int(recall(any).latest_ms, NOW + 1, "and is there");
    tap_ok(recall(any).cut, "whoever asks about that time is told that not all of it is known");
    any.after_ms = NOW;
    tap_ok(!recall(any).cut && recall(any).count == 1, "of a later time all is known");
    /* One that began long ago and failed just now is not the oldest. */
    sqlite3_exec(s->db, "UPDATE past SET outcome = 2, at_ms = at_ms + 5 WHERE id = (SELECT min(id) FROM past)", NULL,
                 NULL, NULL);
    p = past("r2", IL__PAST_VERIFIED, NOW + 6);
    tap_int(remember(&p), IL_OK, "another one");
    any.outcomes = 1u << IL__PAST_FAILED;
    tap_int(recall(any).count, 1, "a failure of a moment ago is not pushed out by its run's early beginning");
    close_keeper();
}

/* ---- outcomes ---- */

static enum il_code remember(const struct il__past *past)
{
    const struct il__store *s = &k.shelf.store;
    char id[64];
    if (k.kind == TALLY) return il__tally_remember(&k.tally, past, &k.err);
    snprintf(id, sizeof id, "%.*s", IL_STR_FMT(past->run_id));
    if (shelf_records(&k.shelf, id) < 0) {
        shelf_create(&k.shelf, id);
        shelf_append(&k.shelf, id, 0, 1);
    } else {
        shelf_append(&k.shelf, id, (uint64_t)shelf_records(&k.shelf, id), 1);
    }
    enum il_code code = s->ops->remember(s->self, past, &k.err);
    return code ? code : shelf_write(&k.shelf);
}

static struct il__past past(const char *run, unsigned outcome, int64_t at)
{
    return (struct il__past){ .run_id = il__str(run), .session_id = IL_STR("s1"), .tool = IL_STR("click"),
                              .app = IL_STR("mail"), .outcome = outcome, .action_class = 2, .at_ms = at };
}

static struct il__past_seen recall(struct il__past_query q)
{
    const struct il__store *s = &k.shelf.store;
    struct il__past_seen seen = { .count = -1 };
    if (k.kind == TALLY) return il__tally_recall(&k.tally, &q);
    s->ops->recall(s->self, &q, &seen, NULL);
    return seen;
}

static void test_past(enum kind kind)
{
    const char *is = shown(KIND[kind]);
    struct il__past_query any = { .after_ms = NOW - KEPT }, q = any;
    open_keeper(kind);
    struct il__past p = past("r1", IL__PAST_INDETERMINATE, NOW);
    tap_int(remember(&p), IL_OK, "%s: a run is remembered", is);
    tap_int(recall(any).count, 1, "%s: and recalled", is);
    p.outcome = IL__PAST_FAILED;
    p.at_ms = NOW + 500;
    remember(&p);
    tap_int(recall(any).count, 1, "%s: what becomes of it stands in its place", is);
    tap_int(recall(any).latest_ms, NOW + 500, "%s: with its time", is);
    q.outcomes = 1u << IL__PAST_INDETERMINATE;
    tap_int(recall(q).count, 0, "%s: it is not what it was", is);
    q.outcomes |= 1u << IL__PAST_FAILED;
    tap_int(recall(q).count, 1, "%s: but what it is", is);
    p = past("r2", IL__PAST_VERIFIED, NOW - 1000);
    p.tool = IL_STR("type");
    p.app = IL_STR_NONE;
    p.session_id = IL_STR("s2");
    p.action_class = 5;
    remember(&p);
    tap_int(recall(any).latest_ms, NOW + 500, "%s: the latest is the latest, not the last", is);
    const struct { struct il__past_query q; int64_t count; const char *what; } rows[] = {
        { { .tool = IL_STR("type") }, 1, "by tool" }, { { .tool = IL_STR("typ") }, 0, "by the whole tool" },
        { { .app = IL_STR("mail") }, 1, "by app, which may be absent" },
        { { .session_id = IL_STR("s2") }, 1, "by session" }, { { .classes = 1u << 5 | 1u << 7 }, 1, "by class" },
        { { .classes = 1u << 2 | 1u << 5 }, 2, "by classes" }, { { .but_run = IL_STR("r1") }, 1, "but one's own" },
        { { .session_id = IL_STR("s1"), .tool = IL_STR("type") }, 0, "by all at once" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        q = rows[i].q;
        q.after_ms = NOW - KEPT;
        tap_int(recall(q).count, rows[i].count, "%s: %s", is, rows[i].what);
    }
    q = (struct il__past_query){ .after_ms = NOW - 1000 };
    tap_int(recall(q).count, 1, "%s: by time: at the edge it is over", is);
    q.after_ms = NOW - 1001;
    tap_int(recall(q).count, 2, "%s: and a moment before it is not", is);
    p = past("r3", IL__PAST_VERIFIED, NOW - 1000 + KEPT);
    remember(&p);
    q.after_ms = NOW - 10 * KEPT;
    tap_int(recall(q).count, 2, "%s: what is older than the time that is kept is forgotten", is);
    close_keeper();
}

static void test_past_full(int many)
{
    struct il__past_query any = { .after_ms = NOW - KEPT };
    open_keeper(TALLY);
    int failed = 0;
    for (int i = 0; i < many; i++) {
        char run[24];
        snprintf(run, sizeof run, "r%d", i);
        const struct il__past p = past(run, IL__PAST_VERIFIED, NOW + i);
        failed += il__tally_remember(&k.tally, &p, &k.err) != IL_OK;
    }
    tap_int(failed, 0, "history_entries: however many runs there were");
    tap_int((long long)k.tally.past_count, IL__LIMIT_HISTORY_ENTRIES, "so many are kept");
    tap_int(recall(any).latest_ms, NOW + many - 1, "the latest ones");
    tap_ok(recall(any).cut, "whoever asks about what was put out is told so");
    any.after_ms = NOW + many - IL__LIMIT_HISTORY_ENTRIES;
    tap_ok(!recall(any).cut, "of what is kept all is known");
    close_keeper();
}

static void test_lost(void)
{
    open_keeper(FILED);
    const struct il__store *s = &k.shelf.store;
    struct il__past_query any = { .after_ms = NOW - KEPT };
    struct il__past p = past("r1", IL__PAST_INDETERMINATE, NOW);
    shelf_run(&k.shelf, "r1");
    s->ops->remember(s->self, &p, NULL);
    tap_int(recall(any).count, 0, "what is only noted is not there");
    shelf_append(&k.shelf, "r1", 7, 1);
    tap_int(shelf_write(&k.shelf), IL_CONFLICT, "a run that was lost");
    tap_int(recall(any).count, 0, "is not remembered");
    spend("r1", "a", 1, NOW);
    shelf_reopen(&k.shelf);
    tap_int(count("a", NOW), 1, "a unit is there when the process is not");
    close_keeper();
}

/* ---- against a model ---- */

enum { EVENTS = 1500, RUNS = 40, MAX = 4 };
struct event { int run; int64_t at; };

static uint32_t seed = 7;
static int pick(int below)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)below);
}

/* The most units of the model in any window: what no sequence may raise above MAX. */
static int fullest(const struct event *taken, int n, int64_t per)
{
    int most = 0;
    for (int i = 0; i < n; i++) {
        int in = 0;
        for (int j = 0; j < n; j++) in += taken[j].at > taken[i].at - per && taken[j].at <= taken[i].at;
        if (in > most) most = in;
    }
    return most;
}

static void test_model(enum kind kind)
{
    struct event taken[EVENTS];
    int n = 0, differ = 0, runs = 0;
    int64_t now = NOW, last = NOW;
    open_keeper(kind);
    for (int i = 0; i < EVENTS; i++) {
        now += pick(10) ? pick(40000) : -pick((int)(HOUR / 40)); /* the clock goes back now and then */
        char run[24];
        int id = pick(3) ? runs++ : pick(runs + 1);
        snprintf(run, sizeof run, "r%d", id);
        int in = 0, own = 0;
        for (int j = 0; j < n; j++) {
            in += taken[j].at > now - HOUR / 20;
            own |= taken[j].run == id;
        }
        const struct il__unit one = unit("m", MAX, HOUR / 20);
        enum il_code want = own || in < MAX ? IL_OK : IL_POLICY_DENIED;
        if (used("m", MAX, HOUR / 20, NULL, now).count != in) differ++;
        if (spend_all(run, &one, 1, now) != want) differ++;
        if (want == IL_OK && !own) taken[n++] = (struct event){ id, now };
        if (now > last) last = now;
    }
    tap_int(differ, 0, "%s: as the model says, %d times, %d units", KIND[kind], EVENTS, n);
    tap_ok(n > 100 && fullest(taken, n, HOUR / 20) <= MAX, "%s: never more than %d in any window", KIND[kind], MAX);
    close_keeper();
}

/* ---- processes ---- */

enum { ROUNDS = 120, RACERS = 2 };

static int take_last(struct shelf *shelf, int round, int me)
{
    char key[24], run[32];
    snprintf(key, sizeof key, "k%d", round);
    snprintf(run, sizeof run, "r%d-%d", round, me);
    const struct il__unit one = unit(key, 3, HOUR);
    enum il_code code = shelf->store.ops->spend(shelf->store.self, il__str(run), &one, 1, NOW, NULL);
    return code == IL_OK ? 1 : code == IL_POLICY_DENIED ? 0 : 100;
}

/* Says that it is there, waits for all to be there, tries, says how it went; round by round. */
static int racer(const char *path, int in, int out, int me)
{
    static struct shelf shelf;
    char byte = 0;
    if (shelf_try(&shelf, path, false, false)) return 3;
    for (int i = 0; i < ROUNDS; i++) {
        if (write(out, "r", 1) != 1 || read(in, &byte, 1) != 1) return 3;
        byte = (char)take_last(&shelf, i, me);
        if (write(out, &byte, 1) != 1) return 3;
    }
    return 0;
}

/* How many rounds had not exactly one winner. */
static int race(const char *path)
{
    int in[RACERS][2], out[RACERS][2], wrong = 0;
    pid_t pids[RACERS];
    char byte = 0;
    for (int i = 0; i < RACERS; i++) {
        if (pipe(in[i]) || pipe(out[i])) return ROUNDS;
        if ((pids[i] = fork()) == 0) _exit(racer(path, in[i][0], out[i][1], i));
    }
    for (int round = 0; round < ROUNDS; round++) {
        int won = 0;
        for (int i = 0; i < RACERS; i++) won += read(out[i][0], &byte, 1) == 1 ? 0 : 100;
        for (int i = 0; i < RACERS; i++) won += write(in[(i + round) % RACERS][1], "g", 1) == 1 ? 0 : 100;
        for (int i = 0; i < RACERS; i++) won += read(out[i][0], &byte, 1) == 1 ? byte : 100;
        wrong += won != 1;
    }
    for (int i = 0; i < RACERS; i++) {
        int status = 0;
        wrong += waitpid(pids[i], &status, 0) < 0 || status != 0;
        close(in[i][0]), close(in[i][1]), close(out[i][0]), close(out[i][1]);
    }
    return wrong;
}

static void test_race(void)
{
    char path[96];
    int wrong = 0;
    open_keeper(FILED);
    for (int i = 0; i < ROUNDS; i++) { /* all but one unit of three are gone */
        char key[24];
        snprintf(key, sizeof key, "k%d", i);
        spend("first", key, 3, NOW);
        spend("second", key, 3, NOW);
    }
    snprintf(path, sizeof path, "%s", k.shelf.path);
    wrong = race(path);
    tap_int(wrong, 0, "of two processes that race for the last unit one has it, %d times", ROUNDS);
    close_keeper();
}

int main(void)
{
    for (enum kind kind = TALLY; kind < KINDS; kind++) {
        test_units(kind);
        test_lists(kind);
        test_time(kind);
        test_rows(kind);
        test_past(kind);
        test_model(kind);
    }
    test_full();
    test_full_file();
    test_past_full_file();
    test_past_full(IL__LIMIT_HISTORY_ENTRIES + 10);
    test_lost();
    test_race();
    return tap_done();
}
