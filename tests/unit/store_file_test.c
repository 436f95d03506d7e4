/* The store file (src/store/sqlite*): which files are refused and left as they are, permissions, versions, what a flush
 * costs, long lists, and what happens to the log. */
#include "base/limits.h"
#include "shelf.h"
#include "store/sqlite_inside.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shelf shelf, other;
static char folder[64], path[96];

static void begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/il-files-XXXXXX");
    if (!mkdtemp(folder)) exit(1);
    snprintf(path, sizeof path, "%s/store.db", folder);
}

static void end(void)
{
    shelf_remove(folder);
}

static void put(const char *name, const void *bytes, size_t len, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len || fchmod(fd, mode)) exit(1);
    close(fd);
}

/* Opening fails, says what is wrong in these words, and leaves the file as it was. */
static void refused(const char *words, const char *what)
{
    size_t before = 0, after = 0;
    struct stat st;
    bool readable = lstat(path, &st) == 0 && S_ISREG(st.st_mode);
    char *was = readable ? tap_slurp(path, &before) : NULL;
    char beside[128];
    snprintf(beside, sizeof beside, "%s.owners", path);
    bool owners = access(beside, F_OK) == 0;
    for (int i = 0; i < 3; i++) {
        enum il_code code = shelf_try(&shelf, path, i == 0, i == 2);
        tap_int(code, IL_STORE, "%s is no store (%s)", what, i == 0 ? "create" : i == 1 ? "open" : "read");
        tap_ok(strstr(shelf.err.message, words) && strstr(shelf.err.message, "store.db"),
               "and that is what is said: %s", shelf.err.message);
        if (!code) shelf_close(&shelf);
    }
    char *is = readable ? tap_slurp(path, &after) : NULL;
    tap_ok(before == after && (!before || memcmp(was, is, before) == 0), "%s is left as it was", what);
    tap_ok((access(beside, F_OK) == 0) == owners, "and nothing was put beside it");
    free(was);
    free(is);
}

static void sql(const char *text)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    if (sqlite3_open(path, &db) || sqlite3_exec(db, text, NULL, NULL, &why))
        tap_ok(false, "%s: %s", text, why ? why : "?");
    sqlite3_free(why);
    sqlite3_close(db);
}

static void make_store(void)
{
    if (shelf_try(&shelf, path, true, false)) tap_ok(false, "a store is made: %s", shelf.err.message);
    shelf_run(&shelf, "r1");
    shelf_close(&shelf);
}

static void test_foreign(void)
{
    char junk[8192];
    memset(junk, 'x', sizeof junk);
    begin();
    put(path, junk, sizeof junk, 0600);
    refused("is not a store", "a file of something else");
    put(path, junk, 20, 0600);
    refused("is not a store", "a short file");
    unlink(path);
    sql("PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES(1)");
    chmod(path, 0600);
    refused("another application's file", "a file of another application");
    unlink(path);
    sql("PRAGMA application_id=1; CREATE TABLE run(x)");
    chmod(path, 0600);
    refused("another application's file", "a file with another number");
    unlink(path);
    make_store();
    sql("PRAGMA user_version=99");
    refused("newer version: its format is 99, this version reads up to 2", "a file of a newer version");
    sql("PRAGMA user_version=0");
    tap_int(shelf_try(&shelf, path, true, false), IL_STORE, "a store without a version");
    tap_ok(strstr(shelf.err.message, "damaged") != NULL, "is damaged: %s", shelf.err.message);
    sql("PRAGMA user_version=2; DROP TABLE letter");
    tap_int(shelf_try(&shelf, path, true, false), IL_STORE, "a store without a table");
    tap_ok(strstr(shelf.err.message, "damaged") != NULL, "is damaged: %s", shelf.err.message);
    end();
    begin();
    if (mkdir(path, 0700)) exit(1);
    refused("is a directory", "a directory");
    rmdir(path);
    if (mkfifo(path, 0600)) exit(1);
    refused("not a regular file", "a pipe");
    unlink(path);
    if (symlink("elsewhere", path)) exit(1);
    refused("symbolic link", "a link");
    end();
}

static void test_missing(void)
{
    begin();
    tap_int(shelf_try(&shelf, path, false, false), IL_STORE, "a missing store is not made unasked");
    tap_ok(strstr(shelf.err.message, "missing") != NULL, "but called missing: %s", shelf.err.message);
    tap_int(shelf_try(&shelf, path, true, true), IL_STORE, "nor for reading");
    tap_ok(access(path, F_OK) != 0, "there is none");
    put(path, "", 0, 0600);
    tap_int(shelf_try(&shelf, path, false, false), IL_STORE, "an empty file is no store");
    tap_ok(strstr(shelf.err.message, "empty") != NULL, "but called empty: %s", shelf.err.message);
    tap_int(shelf_try(&shelf, path, true, false), IL_OK, "one that may be made grows from it");
    shelf_close(&shelf);
    tap_int(shelf_try(&shelf, "/no/such/folder/store.db", true, false), IL_STORE, "a folder that is missing");
    tap_ok(strstr(shelf.err.message, "No such file") != NULL, "is named: %s", shelf.err.message);
    tap_int(shelf_try(&shelf, "", true, false), IL_STORE, "no path at all");
    tap_int(shelf_try(&shelf, "/tmp/", true, false), IL_STORE, "a folder");
    tap_int(shelf_try(&shelf, "/proc/store.db", true, false), IL_STORE, "a place where nothing can be made");
    end();
}

static mode_t mode_of(const char *end_of_name)
{
    char name[400];
    struct stat st;
    snprintf(name, sizeof name, "%s%s", path, end_of_name);
    return stat(name, &st) ? 0 : st.st_mode & 07777;
}

static void test_permissions(void)
{
    char owner[160];
    mode_t masks[] = { 0, 0777 };
    for (int i = 0; i < 2; i++) {
        begin();
        mode_t old = umask(masks[i]);
        tap_int(shelf_try(&shelf, path, true, false), IL_OK, "a store is made under umask %03o", (unsigned)masks[i]);
        shelf_run(&shelf, "r1");
        umask(old);
        snprintf(owner, sizeof owner, ".owners/%s", ((struct il__sqlite *)shelf.store.self)->owner);
        tap_int(mode_of(""), 0600, "the file is its owner's alone");
        tap_int(mode_of("-wal"), 0600, "so is its log");
        tap_int(mode_of("-shm"), 0600, "its lock table");
        tap_int(mode_of(".owners"), 0700, "the folder of owners");
        tap_int(mode_of(owner), 0600, "the owner file");
        shelf_close(&shelf);
        end();
    }
    begin();
    make_store();
    chmod(path, 0644);
    refused("chmod 600", "a file that others can read");
    chmod(path, 0600);
    char name[128];
    snprintf(name, sizeof name, "%s-wal", path);
    put(name, "", 0, 0666);
    tap_int(shelf_try(&shelf, path, true, false), IL_STORE, "a log that others can write");
    tap_ok(strstr(shelf.err.message, "store.db-wal is not a file of its owner alone") != NULL, "is refused: %s",
           shelf.err.message);
    unlink(name);
    snprintf(name, sizeof name, "%s.other", path);
    if (link(path, name)) exit(1);
    refused("hard link", "a file with two names");
    unlink(name);
    tap_int(shelf_try(&shelf, path, false, false), IL_OK, "afterwards it opens");
    chmod(path, 0644);
    shelf_close(&shelf);
    end();
}

/* Without the rights of root, which sees no permissions. Answers through the exit status. */
static int as_nobody(int (*fn)(void))
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(99);
        _exit(fn());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int says_read_only(void)
{
    if (shelf_try(&shelf, path, true, false) != IL_STORE) return 1;
    return strstr(shelf.err.message, "cannot be written") ? 0 : 2;
}

static int reads(void)
{
    if (shelf_try(&shelf, path, false, true)) return printf("# %s\n", shelf.err.message), fflush(stdout), 1;
    if (strcmp(shelf_list(&shelf, NULL), "r1 0 moving\n") != 0) return 2;
    if (strcmp(shelf_load(&shelf, "r1"), "0/1 r1:0\n") != 0) return 3;
    if (shelf_create(&shelf, "r2") != IL_STORE || shelf_latch(&shelf, "s", true) != IL_STORE) return 4;
    if (shelf_submit(&shelf, "r1", "answer", "{}") != IL_STORE || !strstr(shelf.err.message, "read only")) return 5;
    uint64_t fence = 0;
    if (shelf_claim(&shelf, "r1", &fence) != IL_STORE || shelf_append(&shelf, "r1", 1, 1) != IL_STORE) return 6;
    shelf_close(&shelf);
    return 0;
}

static int cannot_make(void)
{
    return shelf_try(&shelf, path, true, false) == IL_STORE && strstr(shelf.err.message, "cannot be made") ? 0 : 1;
}

static int cannot_own(void)
{
    if (shelf_try(&shelf, path, false, false) != IL_STORE) return 1;
    return strstr(shelf.err.message, "store.db") ? 0 : 2;
}

static void test_read_only(void)
{
    begin();
    make_store();
    if (geteuid() == 0 && (chown(path, 65534, 65534) || chown(folder, 65534, 65534))) exit(1);
    tap_int(as_nobody(reads), 0, "a store is read where it may be written");
    char beside[128];
    snprintf(beside, sizeof beside, "%s.owners", path);
    shelf_remove(beside);
    chmod(path, 0400);
    tap_int(as_nobody(says_read_only), 0, "a read-only file is not opened for writing, and says so");
    tap_int(as_nobody(reads), 0, "it is read");
    chmod(path, 0600);
    unlink("store.db-shm");
    snprintf(beside, sizeof beside, "%s-shm", path);
    unlink(beside);
    snprintf(beside, sizeof beside, "%s-wal", path);
    unlink(beside);
    chmod(folder, 0500);
    tap_int(as_nobody(reads), 0, "a store in a read-only folder is read");
    tap_ok(access(beside, F_OK) != 0, "without a log beside it");
    tap_int(as_nobody(cannot_own), 0, "and not opened for writing");
    chmod(folder, 0700);
    unlink(path);
    chmod(folder, 0500);
    tap_int(as_nobody(cannot_make), 0, "none can be made in a read-only folder");
    chmod(folder, 0700);
    end();
}

static void test_truncated(void)
{
    begin();
    if (shelf_try(&shelf, path, true, false)) exit(1);
    for (int i = 0; i < 200; i++) {
        char id[16];
        snprintf(id, sizeof id, "r%03d", i);
        shelf_run(&shelf, id);
    }
    shelf_close(&shelf);
    size_t len = 0;
    char *bytes = tap_slurp(path, &len);
    int clear = 0, tried = 0, whole = 0;
    for (size_t cut = 0; cut < len; cut += 3511) {
        put(path, bytes, cut, 0600);
        enum il_code code = shelf_try(&shelf, path, false, false);
        if (!code) {
            code = strcmp(shelf_list(&shelf, NULL), "error") == 0 ? shelf.err.code : IL_OK;
            struct il_error err = shelf.err;
            whole += !code && shelf.items == 200;
            shelf_close(&shelf);
            shelf.err = err;
        }
        clear += code == IL_STORE && strstr(shelf.err.message, "store.db") != NULL;
        tried++;
    }
    tap_int(whole, 0, "a store that was cut short never looks whole");
    tap_int(clear, tried, "it is refused each time");
    put(path, bytes, len, 0600);
    tap_int(shelf_try(&shelf, path, false, false), IL_OK, "the whole one opens");
    shelf_close(&shelf);
    free(bytes);
    end();
}

/* Any byte of the file changed: an error or the truth of that byte, but never a crash or an endless loop. */
static void test_scratched(void)
{
    begin();
    make_store();
    size_t len = 0;
    char *bytes = tap_slurp(path, &len);
    unsigned seed = 1;
    int survived = 0, rounds = getenv("LONG") ? 3000 : 120;
    for (int i = 0; i < rounds; i++) {
        seed = seed * 1103515245u + 12345u;
        size_t at = i < 100 ? (size_t)i : (seed >> 8) % len;
        char was = bytes[at];
        bytes[at] = (char)(was ^ (char)(1 + (seed >> 24) % 255));
        put(path, bytes, len, 0600);
        if (!shelf_try(&shelf, path, false, false)) {
            uint64_t fence = 0;
            (void)shelf_list(&shelf, NULL);
            (void)shelf_load(&shelf, "r1");
            (void)shelf_links(&shelf, 0);
            (void)shelf_claim(&shelf, "r1", &fence);
            (void)shelf_submit(&shelf, "r1", "answer", "{}");
            shelf_close(&shelf);
        }
        bytes[at] = was;
        survived++;
    }
    tap_int(survived, rounds, "a scratched store is an error, not a crash");
    free(bytes);
    end();
}

static void test_migration(void)
{
    enum { THERE = 2 }; /* steps */
    const char *steps[THERE + 2] = { [THERE] = "CREATE TABLE extra(x INTEGER) STRICT; INSERT INTO extra VALUES(7)",
                                     [THERE + 1] = "UPDATE extra SET x = x + 1" };
    const char *bad[THERE + 1] = { [THERE] = "CREATE TABLE half(x); CREATE TABLE run(x)" };
    tap_int((long long)il__sqlite_step_count, THERE, "as many steps as this test knows of");
    for (size_t i = 0; i < THERE; i++) steps[i] = bad[i] = il__sqlite_steps[i];
    begin();
    make_store();
    if (shelf_try(&shelf, path, false, false)) exit(1);
    struct il__sqlite *s = shelf.store.self;
    struct il_error err = IL_ERROR_INIT;
    tap_int(il__sqlite_migrate(s, bad, THERE + 1, &err), IL_STORE, "a migration that fails");
    tap_ok(strstr(err.message, "already exists") != NULL, "says why: %s", err.message);
    tap_str(il__str(shelf_list(&shelf, NULL)), "r1 0 moving\n", "and changes nothing");
    tap_int(sqlite3_exec(s->db, "SELECT * FROM half", NULL, NULL, NULL), SQLITE_ERROR, "nothing half done");
    tap_int(il__sqlite_migrate(s, steps, THERE + 2, NULL), IL_OK, "an older file is brought to this version");
    tap_int(il__sqlite_migrate(s, steps, THERE + 2, NULL), IL_OK, "once");
    tap_int(sqlite3_exec(s->db, "SELECT 1/(x = 8) FROM extra WHERE x = 8", NULL, NULL, NULL), SQLITE_OK,
            "step by step");
    tap_int(sqlite3_exec(s->db, "CREATE TABLE never(x CHECK(0)); INSERT INTO never SELECT 1 FROM extra WHERE x <> 8",
                         NULL, NULL, NULL),
            SQLITE_OK, "each step once");
    tap_str(il__str(shelf_load(&shelf, "r1")), "0/1 r1:0\n", "runs stay");
    tap_int(shelf_try(&other, path, false, false), IL_STORE, "and this version knows a newer file");
    s->read_only = true;
    err = (struct il_error)IL_ERROR_INIT;
    const char *more[THERE + 3];
    memcpy(more, steps, sizeof steps);
    more[THERE + 2] = "SELECT 1";
    tap_int(il__sqlite_migrate(s, more, THERE + 3, &err), IL_STORE, "reading does not migrate");
    tap_ok(strstr(err.message, "older version") != NULL, "but says what to do: %s", err.message);
    s->read_only = false;
    shelf_close(&shelf);
    end();
}

/* A file of the first format, as it was released, with a run in it. */
static void test_first_format(void)
{
    static const char run[] =
        "INSERT INTO store VALUES(1, CAST('00112233445566778899aabbccddeeff' AS BLOB), 0);"
        "INSERT INTO run(id, owner, fence, records, state, status, created_ms, expires_ms)"
        " VALUES(x'7231', CAST('0123456789abcdef0123456789abcdef' AS BLOB), 3, 1, 1, CAST('waiting' AS BLOB), 5, 0);"
        "INSERT INTO record(run, seq, fence, text, hash) VALUES(1, 0, 3, x'7b7d', zeroblob(32));"
        "PRAGMA application_id=1231842097; PRAGMA user_version=1; PRAGMA journal_mode=WAL";
    begin();
    sql(il__sqlite_steps[0]);
    sql(run);
    chmod(path, 0600);
    tap_int(shelf_try(&shelf, path, false, true), IL_STORE, "a file of the first format is not read as it is");
    tap_int(shelf_try(&shelf, path, false, false), IL_OK, "who may write brings it up to date: %s", shelf.err.message);
    tap_str(il__str(shelf_list(&shelf, NULL)), "r1 1 waiting\n", "its runs are there");
    tap_str(il__str(shelf_load(&shelf, "r1")), "0/3 {}\n", "with their records");
    uint64_t fence = 0;
    tap_int(shelf_claim(&shelf, "r1", &fence), IL_OK, "and are taken over");
    tap_int((long long)fence, 4, "as before");
    const struct il__unit unit = { IL_STR("k"), 1, 1000 };
    const struct il__store *s = &shelf.store;
    tap_int(s->ops->spend(s->self, IL_STR("r1"), &unit, 1, 5000, NULL), IL_OK, "units can be counted");
    tap_int(s->ops->spend(s->self, IL_STR("r2"), &unit, 1, 5000, NULL), IL_POLICY_DENIED, "from then on");
    shelf_close(&shelf);
    tap_int(shelf_try(&shelf, path, false, true), IL_OK, "then it can be read only");
    tap_int(shelf.store.ops->spend(shelf.store.self, IL_STR("r3"), &unit, 1, 9000, &shelf.err), IL_STORE,
            "which takes no unit: %s", shelf.err.message);
    shelf_close(&shelf);
    end();
}

static void test_reopen(void)
{
    shelf_open(&shelf, true);
    char id[33];
    snprintf(id, sizeof id, "%s", shelf.store.ops->id(shelf.store.self).ptr);
    shelf_run(&shelf, "r1");
    shelf_submit(&shelf, "r1", "answer", "{}");
    shelf_latch(&shelf, "s1", true);
    shelf_append(&shelf, "r1", 1, 1);
    shelf_reopen(&shelf);
    tap_str(shelf.store.ops->id(shelf.store.self), id, "a store keeps its id");
    tap_int(shelf_records(&shelf, "r1"), 1, "what was written is there, what was only noted is not");
    tap_str(il__str(shelf_letters(&shelf, "r1")), "1 answer {}\n", "letters stay");
    tap_str(il__str(shelf_latched(&shelf, "s1")), "session", "and stops");
    tap_int(shelf_owns(&shelf, "r1", 1), IL_CONFLICT, "the run has no owner any more");
    uint64_t fence = 0;
    tap_int(shelf_claim(&shelf, "r1", &fence), IL_OK, "and can be claimed");
    tap_int((long long)fence, 2, "with the next fence");
    tap_int(shelf_owns(&shelf, "r1", 2), IL_OK, "then it is owned");
    shelf_append(&shelf, "r1", 1, 1);
    tap_int(shelf_write(&shelf), IL_CONFLICT, "the old fence writes nothing");
    shelf_append(&shelf, "r1", 1, 2);
    tap_int(shelf_write(&shelf), IL_OK, "the new one does");
    shelf_close(&shelf);
}

static void test_two_handles(void)
{
    shelf_open(&shelf, true);
    shelf_run(&shelf, "r1");
    shelf_open_again(&other, &shelf);
    (void)shelf.store.ops->changed(shelf.store.self);
    uint64_t fence = 0;
    tap_int(shelf_claim(&other, "r1", &fence), IL_CONFLICT, "a run of another handle of this process is not taken");
    tap_ok(strstr(other.err.message, "living") != NULL, "since that one lives: %s", other.err.message);
    shelf_append(&other, "r1", 1, 1);
    tap_int(shelf_write(&other), IL_CONFLICT, "nor is it written by who does not own it");
    tap_int(shelf_submit(&other, "r1", "answer", "{}"), IL_OK, "a letter may be left");
    tap_ok(shelf.store.ops->changed(shelf.store.self), "the owner sees that something changed");
    tap_ok(!shelf.store.ops->changed(shelf.store.self), "once");
    shelf_run(&other, "r2");
    tap_int(shelf_create(&shelf, "r2"), IL_CONFLICT, "an id that the other used is known");
    shelf_create(&shelf, "r3");
    shelf_append(&shelf, "r3", 0, 1);
    shelf_run(&other, "r3");
    tap_int(shelf_write(&shelf), IL_CONFLICT, "of two who note the same id one is refused");
    tap_ok(shelf_chain_holds(&shelf), "the chain of both is one");
    shelf_close(&other);
    shelf_append(&shelf, "r1", 1, 1);
    tap_int(shelf_flush(&shelf), IL_OK, "when the other is closed, this one goes on");
    tap_int(shelf_claim(&shelf, "r2", &fence), IL_OK, "and takes what it left");
    tap_int((long long)fence, 2, "with the next fence");
    shelf_close(&shelf);
}

static void test_busy(void)
{
    shelf_open(&shelf, true);
    shelf_run(&shelf, "r1");
    shelf_open_again(&other, &shelf);
    struct il__sqlite *s = other.store.self, *waits = shelf.store.self;
    tap_int(waits->busy_ms, IL__LIMIT_STORE_BUSY_MS, "store_busy_ms: is how long it waits unless told otherwise");
    waits->busy_ms = 300;
    sqlite3_busy_timeout(waits->db, 300);
    sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    shelf_append(&shelf, "r1", 1, 1);
    tap_int(shelf_write(&shelf), IL_STORE, "another's transaction is waited for, not for ever");
    tap_ok(strstr(shelf.err.message, "busy") && strstr(shelf.err.message, "300 ms"), "%s", shelf.err.message);
    tap_int(shelf_flush(&shelf), IL_STORE, "nor is it flushed");
    sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    tap_int(shelf_write(&shelf), IL_OK, "then it is written");
    tap_int(shelf_records(&shelf, "r1"), 2, "once");
    shelf_close(&other);
    shelf_close(&shelf);
}

static int cache_kib(struct il__sqlite *s)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(s->db, "PRAGMA cache_size", -1, &stmt, NULL);
    int value = sqlite3_step(stmt) == SQLITE_ROW ? -sqlite3_column_int(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return value;
}

static off_t size_of(const char *end_of_name)
{
    char name[160];
    struct stat st;
    snprintf(name, sizeof name, "%s%s", shelf.path, end_of_name);
    return stat(name, &st) ? -1 : st.st_size;
}

static void test_log(void)
{
    shelf_open(&shelf, true);
    tap_int(cache_kib(shelf.store.self), IL__LIMIT_STORE_CACHE_BYTES / 1024, "store_cache_bytes: is what SQLite keeps");
    shelf_run(&shelf, "r1");
    size_t len = 200000;
    char *bytes = malloc(len);
    memset(bytes, 'p', len);
    const struct il_str payload = { bytes, len };
    off_t most = 0;
    for (uint64_t i = 1; i < 150; i++) {
        char text[32];
        snprintf(text, sizeof text, "r1:%llu", (unsigned long long)i);
        shelf_append_text(&shelf, "r1", i, 1, il__str(text), payload);
        if (shelf_write(&shelf)) break;
        if (size_of("-wal") > most) most = size_of("-wal");
    }
    tap_int(shelf.err.code, IL_OK, "30 MB are written");
    tap_ok(most < IL__LIMIT_STORE_WAL_BYTES + 1000000, "store_wal_bytes: the log stays short: %lld", (long long)most);
    tap_int(shelf_records(&shelf, "r1"), 150, "nothing is missing");
    free(bytes);
    shelf_close(&shelf);
}

static bool never(void *ctx, const struct il__store_row *row)
{
    size_t *count = ctx;
    *count += row->run_id.len == 7 && row->state == IL__ROW_WAITING && row->owned;
    return true;
}

static void test_many_rows(void)
{
    int many = 100000;
    shelf_open(&shelf, true);
    sqlite3_exec(((struct il__sqlite *)shelf.store.self)->db, "PRAGMA cache_size=-20000", NULL, NULL, NULL);
    for (int i = 0; i < many; i++) {
        char id[16];
        snprintf(id, sizeof id, "r%06d", (int)((unsigned)i * 7919u % 100000u));
        shelf_create(&shelf, id);
        shelf_append(&shelf, id, 0, 1);
        shelf_index(&shelf, id, IL__ROW_WAITING, "waiting", "q", 1000 + i);
        if (i % 5000 == 4999 && shelf_write(&shelf)) break;
    }
    tap_int(shelf.err.code, IL_OK, "%d runs wait", many);
    shelf_reopen(&shelf);
    struct rusage before, after;
    size_t count = 0, held = shelf.mem.in_use_bytes;
    uint64_t fence = 0;
    shelf_claim(&shelf, "r000000", &fence);
    getrusage(RUSAGE_SELF, &before);
    struct il__store_filter f = { .by_state = true, .state = IL__ROW_WAITING };
    tap_int(shelf.store.ops->list(shelf.store.self, &f, never, &count, NULL), IL_OK, "they are listed");
    getrusage(RUSAGE_SELF, &after);
    tap_int((long long)count, 1, "one of them is owned by a living process");
    tap_ok(after.ru_maxrss - before.ru_maxrss < 8192, "in bounded memory: %ld KiB more",
           after.ru_maxrss - before.ru_maxrss);
    tap_ok(shelf.mem.in_use_bytes <= held + 4096, "and none of ours");
    f = (struct il__store_filter){ .by_state = true, .state = IL__ROW_WAITING, .expires_before_ms = 1003 };
    (void)shelf_list(&shelf, &f);
    tap_int((long long)shelf.items, 3, "by time");
    f = (struct il__store_filter){ .by_state = true, .state = IL__ROW_WAITING, .after = IL_STR("r099989"), .most = 20 };
    (void)shelf_list(&shelf, &f);
    tap_int((long long)shelf.items, 10, "the last page");
    shelf_close(&shelf);
}

int main(void)
{
    test_foreign();
    test_missing();
    test_permissions();
    test_read_only();
    test_truncated();
    test_scratched();
    test_migration();
    test_first_format();
    test_reopen();
    test_two_handles();
    test_busy();
    test_log();
    test_many_rows();
    return tap_done();
}
