/* Many processes on one store file: owner locks, claims, fences, one chain, and death at any moment. */
#include "base/limits.h"
#include "shelf.h"
#include "store/sqlite_inside.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct shelf shelf, other;

/* A process with a handle of its own, which says what it has to say into `out`. */
struct child {
    pid_t pid;
    int out, in; /* ends of the parent: what it said; what lets it go on */
};

/* What a child does, by number: it is this program again, since SQLite does not survive a fork. */
enum role { OWN_ONE, LEAVE_RUNS, CLAIM_ALL, MAKE_MANY, WRITE_ON };
enum { CHILD_OUT = 3, CHILD_IN = 4 };

static struct child start(enum role role, const char *path, int n)
{
    int said[2], told[2];
    char role_text[16], n_text[16];
    if (pipe2(said, O_CLOEXEC) || pipe2(told, O_CLOEXEC)) exit(1);
    snprintf(role_text, sizeof role_text, "%d", (int)role);
    snprintf(n_text, sizeof n_text, "%d", n);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int out = fcntl(said[1], F_DUPFD, 10), in = fcntl(told[0], F_DUPFD, 10);
        if (dup2(out, CHILD_OUT) < 0 || dup2(in, CHILD_IN) < 0) _exit(9);
        close(out);
        close(in);
        execl("/proc/self/exe", "store_process_test", role_text, path, n_text, (char *)NULL);
        _exit(9);
    }
    close(said[1]);
    close(told[0]);
    return (struct child){ pid, said[0], told[1] };
}

static void say(int fd, uint64_t word)
{
    if (write(fd, &word, sizeof word) != (ssize_t)sizeof word) _exit(9);
}

static bool hear_word(int fd, uint64_t *word)
{
    return read(fd, word, sizeof *word) == (ssize_t)sizeof *word;
}

/* Lets it go on until its end, or kills it; its exit status, or the signal as a negative number. */
static int finish(struct child *child, bool kill_it)
{
    int status = 0;
    if (kill_it) kill(child->pid, SIGKILL);
    close(child->in);
    waitpid(child->pid, &status, 0);
    close(child->out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void wait_to_go_on(int fd)
{
    char c;
    (void)!read(fd, &c, 1);
}

/* ---- one owner at a time ---- */

static int own_one(const char *path, int n)
{
    (void)n;
    if (shelf_try(&other, path, false, false)) return 1;
    shelf_run(&other, "r1");
    say(CHILD_OUT, 1);
    wait_to_go_on(CHILD_IN);
    bool lost = shelf_owns(&other, "r1", 1) == IL_CONFLICT;
    shelf_append(&other, "r1", 1, 1);
    return shelf_write(&other) == IL_CONFLICT && lost && shelf_create(&other, "r2") == IL_CONFLICT ? 0 : 2;
}

static bool tell_owned(void *ctx, const struct il__store_row *row)
{
    *(bool *)ctx = row->owned;
    return true;
}

static bool is_owned(void)
{
    const struct il__store_filter every = { .most = 0 };
    bool owned = false;
    shelf.store.ops->list(shelf.store.self, &every, tell_owned, &owned, NULL);
    return owned;
}

static int owner_files(const char *path, char last[160])
{
    char folder[128];
    int count = 0;
    snprintf(folder, sizeof folder, "%s.owners", path);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(last, 160, "%.110s/%.40s", folder, entry->d_name);
        count++;
    }
    if (dir) closedir(dir);
    return count;
}

static void test_owner(void)
{
    uint64_t word, fence = 0;
    char file[160];
    shelf_open(&shelf, true);
    struct child child = start(OWN_ONE, shelf.path, 0);
    tap_ok(hear_word(child.out, &word), "another process owns a run");
    tap_ok(is_owned(), "the list says so");
    tap_int(shelf_claim(&shelf, "r1", &fence), IL_CONFLICT, "it is not taken while that lives");
    tap_ok(strstr(shelf.err.message, "living process") != NULL, "and that is the reason: %s", shelf.err.message);
    kill(child.pid, SIGSTOP);
    nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
    tap_int(shelf_claim(&shelf, "r1", &fence), IL_CONFLICT, "nor while it is stopped, however long");
    tap_ok(is_owned(), "it counts as living");
    tap_int(finish(&child, true), -SIGKILL, "it is killed");
    tap_ok(!is_owned(), "the list says that nobody owns the run");
    tap_int(owner_files(shelf.path, file), 1, "its owner file stays until somebody takes the run");
    tap_int(shelf_claim(&shelf, "r1", &fence), IL_OK, "it is taken");
    tap_int((long long)fence, 2, "with the next fence");
    tap_int(owner_files(shelf.path, file), 1, "its owner file is gone, ours is there");
    tap_int(shelf_records(&shelf, "r1"), 1, "what it wrote is there");
    shelf_close(&shelf);
}

/* The owner lives, but its file was removed: it has to notice. */
static void test_lost_lock(void)
{
    uint64_t word, fence = 0;
    char file[160];
    shelf_open(&shelf, true);
    struct child child = start(OWN_ONE, shelf.path, 0);
    (void)hear_word(child.out, &word);
    tap_int(owner_files(shelf.path, file), 1, "an owner has a file");
    unlink(file);
    tap_int(shelf_claim(&shelf, "r1", &fence), IL_OK, "without it its runs are anybody's");
    tap_int(finish(&child, false), 0, "and it writes, makes and owns nothing any more");
    tap_int(shelf_records(&shelf, "r1"), 1, "what it tried to write is not there");
    char moved[128];
    snprintf(moved, sizeof moved, "%s.moved", shelf.path);
    tap_int(shelf_owns(&shelf, "r1", fence), IL_OK, "the new owner owns it");
    if (rename(shelf.path, moved)) exit(1);
    tap_int(shelf_owns(&shelf, "r1", fence), IL_CONFLICT, "until the store is another file");
    if (rename(moved, shelf.path)) exit(1);
    tap_int(shelf_owns(&shelf, "r1", fence), IL_OK, "and again when it is back");
    shelf_close(&shelf);
}

/* ---- owner files come and go ---- */

static int leave_runs(const char *path, int n)
{
    if (shelf_try(&other, path, false, false)) return 1;
    for (int i = 0; i < (n > 1 ? n : 1); i++) {
        char id[16];
        snprintf(id, sizeof id, n ? "r%d" : "ended", i);
        shelf_create(&other, id);
        shelf_append(&other, id, 0, 1);
        if (!n) shelf_index(&other, id, IL__ROW_ENDED, "completed", NULL, 0);
    }
    if (shelf_write(&other)) return 2;
    say(CHILD_OUT, 1);
    wait_to_go_on(CHILD_IN);
    return 0;
}

static void test_owner_files(void)
{
    uint64_t word, fence;
    char file[160];
    shelf_open(&shelf, true);
    tap_int(owner_files(shelf.path, file), 0, "who owns nothing has no owner file");
    struct child child = start(LEAVE_RUNS, shelf.path, 0);
    (void)hear_word(child.out, &word);
    finish(&child, true);
    tap_int(owner_files(shelf.path, file), 1, "who is killed leaves one");
    shelf_open_again(&other, &shelf);
    tap_int(owner_files(shelf.path, file), 0, "the next opening removes it when its runs have ended");
    shelf_close(&other);
    child = start(LEAVE_RUNS, shelf.path, 2);
    (void)hear_word(child.out, &word);
    finish(&child, true);
    shelf_open_again(&other, &shelf);
    tap_int(owner_files(shelf.path, file), 1, "it stays while a run waits");
    shelf_claim(&other, "r0", &fence);
    tap_int(owner_files(shelf.path, file), 2, "or another");
    shelf_claim(&other, "r1", &fence);
    tap_int(owner_files(shelf.path, file), 1, "and goes with the last");
    shelf_index(&other, "r0", IL__ROW_ENDED, "completed", NULL, 0);
    shelf_index(&other, "r1", IL__ROW_ENDED, "completed", NULL, 0);
    shelf_write(&other);
    shelf_close(&other);
    tap_int(owner_files(shelf.path, file), 0, "closing removes one's own when all has ended");
    tap_ok(IL__LIMIT_STORE_OWNERS >= 1000, "store_owners: an opening looks through many");
    shelf_close(&shelf);
}

/* ---- races ---- */

static int claim_all(const char *path, int n)
{
    if (shelf_try(&other, path, false, false)) return 1;
    wait_to_go_on(CHILD_IN);
    uint64_t won = 0;
    for (int i = 0; i < n; i++) {
        char id[16];
        uint64_t fence = 0;
        snprintf(id, sizeof id, "r%d", i);
        enum il_code code = shelf_claim(&other, id, &fence);
        if (code && code != IL_CONFLICT) return 2;
        if (code) continue;
        shelf_append(&other, id, 1, fence);
        if (fence != 2 || shelf_write(&other)) return 3;
        won++;
    }
    say(CHILD_OUT, won);
    char c;
    (void)!read(CHILD_IN, &c, 1); /* lives until all have tried */
    return 0;
}

static void test_race(void)
{
    enum { RACERS = 4, RUNS = 1000 };
    uint64_t word, won = 0;
    struct child racers[RACERS];
    shelf_open(&shelf, true);
    struct child child = start(LEAVE_RUNS, shelf.path, RUNS);
    (void)hear_word(child.out, &word);
    finish(&child, true);
    for (int i = 0; i < RACERS; i++) racers[i] = start(CLAIM_ALL, shelf.path, RUNS);
    for (int i = 0; i < RACERS; i++) (void)!write(racers[i].in, "x", 1);
    int winners = 0, bad = 0, twice = 0;
    for (int i = 0; i < RACERS; i++) {
        if (!hear_word(racers[i].out, &word)) word = 0;
        won += word;
        winners += word > 0;
    }
    for (int i = 0; i < RACERS; i++) bad += finish(&racers[i], false) != 0;
    for (int i = 0; i < RUNS; i++) {
        char id[16];
        snprintf(id, sizeof id, "r%d", i);
        twice += shelf_records(&shelf, id) != 2;
    }
    tap_int((long long)won, RUNS, "of %d processes that race for %d runs, each run has one winner", RACERS, RUNS);
    tap_int(twice + bad, 0, "which wrote the next record");
    tap_note("%d processes won some", winners);
    shelf_close(&shelf);
}

static int make_many(const char *path, int n)
{
    wait_to_go_on(CHILD_IN);
    if (shelf_try(&other, path, true, false)) return printf("# %s\n", other.err.message), 1;
    for (int i = 0; i < 50; i++) {
        char id[16];
        snprintf(id, sizeof id, "p%d-%d", n, i);
        shelf_create(&other, id);
        shelf_append(&other, id, 0, 1);
        enum il_code code = i % 10 ? shelf_write(&other) : shelf_flush(&other);
        for (int tries = 0; code == IL_STORE && tries < 50; tries++) code = shelf_write(&other);
        if (code) return printf("# %s\n", other.err.message), 2;
        if (i % 10 == 0 && shelf_submit(&other, id, "answer", "{}")) return printf("# %s\n", other.err.message), 3;
    }
    return 0;
}

static void test_one_chain(void)
{
    enum { MAKERS = 4 };
    struct child makers[MAKERS];
    char folder[64], path[96];
    snprintf(folder, sizeof folder, "/tmp/il-makers-XXXXXX");
    if (!mkdtemp(folder)) exit(1);
    snprintf(path, sizeof path, "%s/store.db", folder);
    int bad = 0;
    for (int i = 0; i < MAKERS; i++) makers[i] = start(MAKE_MANY, path, i);
    for (int i = 0; i < MAKERS; i++) (void)!write(makers[i].in, "x", 1);
    for (int i = 0; i < MAKERS; i++) bad += finish(&makers[i], false) != 0;
    tap_int(bad, 0, "%d processes make one store at the same moment, and use it", MAKERS);
    tap_int(shelf_try(&shelf, path, false, false), IL_OK, "it opens");
    tap_ok(shelf_chain_holds(&shelf), "their chain never forks");
    shelf_links(&shelf, 0);
    tap_int((long long)shelf.items, MAKERS * 50, "and has each run once");
    shelf_close(&shelf);
    shelf_remove(folder);
}

/* ---- death at any moment ---- */

static int write_on(const char *path, int n)
{
    char id[16];
    if (shelf_try(&other, path, false, false)) return 1;
    snprintf(id, sizeof id, "k%d", n);
    for (uint64_t seq = 0;; seq++) {
        if (seq == 0) shelf_create(&other, id);
        shelf_append(&other, id, seq, 1);
        if (seq % 7 == 3) shelf_append(&other, id, ++seq, 1);
        if (seq % 5 ? shelf_write(&other) : shelf_flush(&other)) return 2;
        say(CHILD_OUT, seq + 1);
    }
}

static void test_kill(void)
{
    int rounds = getenv("LONG") ? 1000 : 40, missing = 0, broken = 0, refused = 0, written = 0;
    shelf_open(&shelf, true);
    srand(7);
    for (int i = 0; i < rounds; i++) {
        char id[16];
        uint64_t word, told = 0, fence = 0;
        struct child child = start(WRITE_ON, shelf.path, i);
        struct pollfd p = { child.out, POLLIN, 0 };
        (void)poll(&p, 1, 5000);
        nanosleep(&(struct timespec){ 0, (rand() % 8000) * 1000 }, NULL);
        kill(child.pid, SIGKILL);
        while (hear_word(child.out, &word)) told = word;
        finish(&child, true);
        snprintf(id, sizeof id, "k%d", i);
        int there = shelf_records(&shelf, id);
        if (there < 0 && told) broken++;
        if (there >= 0 && (uint64_t)there < told) missing++;
        written += there > 0 ? there : 0;
        if (there <= 0) continue;
        refused += shelf_claim(&shelf, id, &fence) != IL_OK || fence != 2;
        shelf_append(&shelf, id, (uint64_t)there, 2);
        refused += shelf_write(&shelf) != IL_OK;
    }
    tap_int(broken, 0, "killed at any moment, no run is broken (%d records)", written);
    tap_int(missing, 0, "what a write was good for is there");
    tap_int(refused, 0, "and the run goes on where it was");
    tap_ok(shelf_chain_holds(&shelf), "the chain holds");
    tap_ok(written > rounds, "they did write");
    shelf_close(&shelf);
}

static int act(enum role role, const char *path, int n)
{
    static int (*const roles[])(const char *, int) = { own_one, leave_runs, claim_all, make_many, write_on };
    return roles[role](path, n);
}

int main(int argc, char **argv)
{
    if (argc == 4) _exit(act((enum role)(argv[1][0] - '0'), argv[2], (int)strtol(argv[3], NULL, 10)));
    test_owner();
    test_lost_lock();
    test_owner_files();
    test_race();
    test_one_chain();
    test_kill();
    return tap_done();
}
