/* A disk that fails: each write, sync, read, lock and opening of a file fails once, as full, broken or half
 * done, for every n. What a store says it wrote is there, what it could not write is still noted, and it says why. */
#include "shelf.h"
#include "store/sqlite_inside.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a file system of SQLite over the real one ---- */

enum fault { FULL, BROKEN, SHORT, NO_SYNC, NO_READ, NO_OPEN, NO_LOCK, FAULTS };
static const char *const FAULT_NAMES[FAULTS] = { "a full disk",       "a write that fails",
                                                 "half a write",      "a sync that fails",
                                                 "a read that fails", "a file that cannot be opened",
                                                 "a lock that fails" };
struct disk {
    enum fault fault;
    long at, seen;   /* the n-th operation of its kind fails; 0: none */
    long lasts;      /* so many in a row */
    long writes, syncs;
    bool fired;
};
static struct disk disk;

struct file {
    sqlite3_file base;
    sqlite3_file *real; /* behind it */
};

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)f)->real;
}

static bool fails(enum fault fault)
{
    if (disk.fault != fault || !disk.at) return false;
    disk.seen++;
    bool now = disk.seen >= disk.at && disk.seen < disk.at + disk.lasts;
    disk.fired = disk.fired || now;
    return now;
}

static int f_close(sqlite3_file *f) { return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK; }
static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return fails(NO_READ) ? SQLITE_IOERR_READ : real(f)->pMethods->xRead(real(f), to, n, at);
}
static int f_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    disk.writes++;
    if (fails(FULL)) return SQLITE_FULL;
    if (fails(BROKEN)) return SQLITE_IOERR_WRITE;
    if (fails(SHORT)) {
        (void)real(f)->pMethods->xWrite(real(f), from, n / 2, at);
        return SQLITE_IOERR_WRITE;
    }
    return real(f)->pMethods->xWrite(real(f), from, n, at);
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    return real(f)->pMethods->xTruncate(real(f), n);
}
static int f_sync(sqlite3_file *f, int flags)
{
    disk.syncs++;
    return fails(NO_SYNC) ? SQLITE_IOERR_FSYNC : real(f)->pMethods->xSync(real(f), flags);
}
static int f_size(sqlite3_file *f, sqlite3_int64 *n) { return real(f)->pMethods->xFileSize(real(f), n); }
static int f_lock(sqlite3_file *f, int level)
{
    return fails(NO_LOCK) ? SQLITE_IOERR_LOCK : real(f)->pMethods->xLock(real(f), level);
}
static int f_unlock(sqlite3_file *f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
static int f_reserved(sqlite3_file *f, int *out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
static int f_control(sqlite3_file *f, int op, void *arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
static int f_sector(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }
static int f_device(sqlite3_file *f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
static int f_map(sqlite3_file *f, int region, int size, int extend, void volatile **out)
{
    return real(f)->pMethods->xShmMap(real(f), region, size, extend, out);
}
static int f_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
    return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}
static void f_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int f_unmap(sqlite3_file *f, int remove_it) { return real(f)->pMethods->xShmUnmap(real(f), remove_it); }

static const sqlite3_io_methods METHODS = { 2,         f_close, f_read,   f_write,    f_truncate, f_sync,   f_size,
                                            f_lock,    f_unlock, f_reserved, f_control, f_sector, f_device, f_map,
                                            f_shm_lock, f_barrier, f_unmap, NULL, NULL };

static int v_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
    sqlite3_vfs *below = vfs->pAppData;
    struct file *file = (struct file *)f;
    file->real = (sqlite3_file *)(file + 1);
    file->base.pMethods = NULL;
    if (fails(NO_OPEN)) return SQLITE_CANTOPEN;
    int rc = below->xOpen(below, name, file->real, flags, out);
    if (!rc) file->base.pMethods = &METHODS;
    return rc;
}

static sqlite3_vfs shim;

static void use_shim(void)
{
    sqlite3_vfs *below = sqlite3_vfs_find(NULL);
    shim = *below;
    shim.zName = "failing";
    shim.pNext = NULL;
    shim.pAppData = below;
    shim.szOsFile = below->szOsFile + (int)sizeof(struct file);
    shim.xOpen = v_open;
    sqlite3_vfs_register(&shim, 1);
}

/* ---- what is done while it fails ---- */

static struct shelf shelf;
static int wrong; /* answers that are neither success nor a clear error */

static bool ok(enum il_code code)
{
    if (code && (code != IL_STORE || !strstr(shelf.err.message, "store.db"))) {
        tap_note("%s %ld: %d %s", FAULT_NAMES[disk.fault], disk.at, (int)code, shelf.err.message);
        wrong++;
    }
    return !code;
}

/* Again until it works: a fault passes, and nothing may be lost by it. */
#define UNTIL_OK(call)                                            \
    do {                                                          \
        int tries_ = 0;                                           \
        while (!ok(call) && ++tries_ < 20) {}                     \
        if (tries_ == 20) wrong++;                                \
    } while (0)

static bool scene(const char *path)
{
    UNTIL_OK(shelf_create(&shelf, "r1"));
    UNTIL_OK(shelf_append(&shelf, "r1", 0, 1));
    UNTIL_OK(shelf_write(&shelf));
    UNTIL_OK(shelf_append(&shelf, "r1", 1, 1));
    UNTIL_OK(shelf_flush(&shelf));
    UNTIL_OK(shelf_submit(&shelf, "r1", "answer", "{}"));
    UNTIL_OK(shelf_append(&shelf, "r1", 2, 1));
    uint64_t letter = 0;
    const char *letters = "error";
    for (int i = 0; i < 20 && strcmp(letters, "error") == 0; i++) letters = shelf_letters(&shelf, "r1");
    letter = strtoull(letters, NULL, 10);
    size_t waiting = shelf.items; /* a letter whose sync failed may be there all the same, and again */
    for (size_t i = 0; i < waiting; i++) UNTIL_OK(shelf_consume(&shelf, "r1", letter + i));
    UNTIL_OK(shelf_index(&shelf, "r1", IL__ROW_WAITING, "waiting", "q", 5));
    UNTIL_OK(shelf_write(&shelf));
    UNTIL_OK(shelf_latch(&shelf, "s1", true));
    UNTIL_OK(shelf_create(&shelf, "r2"));
    UNTIL_OK(shelf_append(&shelf, "r2", 0, 1));
    UNTIL_OK(shelf_flush(&shelf));
    disk.at = 0;
    bool good = shelf_records(&shelf, "r1") == 3 && shelf_records(&shelf, "r2") == 1 && shelf_chain_holds(&shelf) &&
                strcmp(shelf_list(&shelf, NULL), "r1 1 waiting\nr2 0 moving\n") == 0 && waiting >= 1;
    shelf_letters(&shelf, "r1");
    good = good && shelf.items == 0 && strcmp(shelf_latched(&shelf, "s1"), "session") == 0;
    shelf_close(&shelf);
    if (shelf_try(&shelf, path, false, false)) return false;
    good = good && shelf_records(&shelf, "r1") == 3 && shelf_records(&shelf, "r2") == 1 && shelf_chain_holds(&shelf);
    shelf_close(&shelf);
    return good;
}

static void test_fault(enum fault fault, long lasts)
{
    char folder[64], path[96];
    int lost = 0, rounds = 0;
    wrong = 0;
    for (long n = 1; n < 2000; n++) {
        snprintf(folder, sizeof folder, "/tmp/il-fault-XXXXXX");
        if (!mkdtemp(folder)) exit(1);
        snprintf(path, sizeof path, "%s/store.db", folder);
        disk = (struct disk){ .fault = fault, .at = n, .lasts = lasts };
        int tries = 0;
        while (!ok(shelf_try(&shelf, path, true, false)) && ++tries < 20) {}
        if (tries == 20 || !scene(path)) {
            lost++;
            tap_note("%s: at %ld for %ld", FAULT_NAMES[fault], n, lasts);
        }
        bool fired = disk.fired;
        shelf_remove(folder);
        rounds++;
        if (!fired) break;
    }
    tap_int(lost, 0, "%s, %ld in a row, at each of %d places: nothing is lost", FAULT_NAMES[fault], lasts, rounds - 1);
    tap_int(wrong, 0, "and each time it is said");
    tap_ok(rounds > 1, "it did happen");
}

/* ---- what a flush costs ---- */

static long syncs_of(enum il_code (*fn)(struct shelf *))
{
    long before = disk.syncs;
    if (fn(&shelf)) return -1;
    return disk.syncs - before;
}

static void test_costs(void)
{
    disk = (struct disk){ .at = 0 };
    shelf_open(&shelf, true);
    shelf_create(&shelf, "r1");
    shelf_append(&shelf, "r1", 0, 1);
    tap_int(syncs_of(shelf_write), 0, "a write waits for no disk");
    shelf_append(&shelf, "r1", 1, 1);
    tap_int(syncs_of(shelf_flush), 1, "a flush waits once");
    tap_int(syncs_of(shelf_flush), 0, "a flush of nothing new does not");
    shelf_append(&shelf, "r1", 2, 1);
    tap_int(syncs_of(shelf_write), 0, "what was written");
    tap_int(syncs_of(shelf_flush), 1, "is flushed with one wait");
    tap_int(syncs_of(shelf_flush), 0, "once");
    for (int i = 0; i < 20; i++) {
        char id[16];
        snprintf(id, sizeof id, "g%d", i);
        shelf_create(&shelf, id);
        shelf_append(&shelf, id, 0, 1);
        shelf_index(&shelf, id, IL__ROW_WAITING, "waiting", "q", 1);
    }
    tap_int(syncs_of(shelf_flush), 1, "many runs share one");
    long before = disk.syncs;
    shelf_submit(&shelf, "r1", "answer", "{}");
    tap_int(disk.syncs - before, 1, "a letter is one");
    before = disk.syncs;
    shelf_latch(&shelf, "s", true);
    tap_int(disk.syncs - before, 1, "a stop is one");
    before = disk.syncs;
    shelf_latch(&shelf, "s", true);
    tap_int(disk.syncs - before, 1, "the same stop again, too: it may have been written by who did not wait");
    before = disk.writes;
    shelf_load(&shelf, "r1");
    shelf_list(&shelf, NULL);
    tap_int(disk.writes - before, 0, "reading writes nothing");
    shelf_close(&shelf);
}

/* A fault of the log's copying into the main file: a flush after it still holds. */
static void test_log_copy(void)
{
    size_t len = 400000;
    char *bytes = malloc(len);
    memset(bytes, 'p', len);
    for (int fault = 0; fault < 4; fault++) {
        shelf_open(&shelf, true);
        shelf_run(&shelf, "r1");
        int errors = 0;
        for (uint64_t i = 1; i < 30; i++) {
            char text[32];
            snprintf(text, sizeof text, "r1:%llu", (unsigned long long)i);
            disk = (struct disk){ .fault = (enum fault)fault, .at = (long)(i * 7 % 200) + 1, .lasts = 1 };
            shelf_append_text(&shelf, "r1", i, 1, il__str(text), (struct il_str){ bytes, len });
            for (int tries = 0; tries < 9 && (i % 3 ? shelf_write(&shelf) : shelf_flush(&shelf)); tries++) errors++;
        }
        disk.at = 0;
        tap_int(shelf_flush(&shelf), IL_OK, "%s while the log is copied", FAULT_NAMES[fault]);
        shelf_reopen(&shelf);
        tap_int(shelf_records(&shelf, "r1"), 30, "loses nothing (%d errors)", errors);
        shelf_close(&shelf);
    }
    free(bytes);
}

int main(void)
{
    use_shim();
    test_costs();
    for (enum fault fault = 0; fault < FAULTS; fault++) {
        test_fault(fault, 1);
        if (fault != NO_READ) test_fault(fault, 3);
    }
    test_log_copy();
    return tap_done();
}
