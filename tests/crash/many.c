/* Many waiting runs on one file (crash.h), made, listed, expired and resumed; what it took in time and memory. */
#include "crash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { BATCH = 500, RESUMED = 20 };

struct listed { size_t count, waiting; char last[40]; char (*ids)[40]; size_t cap; };

static struct paths paths;
static struct scene scene = { .name = "many", .kind = WORLD_PLAIN, .asks = true };
static int tests, wrong;

static void ok(bool good, const char *what, size_t got)
{
    printf("%s %d - %s (%zu)\n", good ? "ok" : "not ok", ++tests, what, got);
    if (!good) wrong++;
}

static int64_t step(const char *what, int64_t since)
{
    struct rusage use;
    int64_t now = crash_now_ms();
    (void)getrusage(RUSAGE_SELF, &use);
    printf("# %-28s %8.2f s   peak %ld MB\n", what, (double)(now - since) / 1000, use.ru_maxrss / 1024);
    return crash_now_ms();
}

static bool go(struct life *l, il_run **runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        l->run = runs[i];
        if (!life_go(l)) return false;
    }
    return true;
}

/* So many waiting runs, a batch at a time: one flush is for all of a batch. */
static bool make(struct life *l, size_t count)
{
    il_run *runs[BATCH];
    struct il_error err = IL_ERROR_INIT;
    for (size_t done = 0; done < count; done += BATCH) {
        size_t n = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < n; i++) {
            if (!life_start(l)) return false;
            runs[i] = l->run;
        }
        if (!go(l, runs, n)) return false;
        for (size_t i = 0; i < n; i++)
            if (il_run_leave(runs[i], &err)) {
                (void)snprintf(fate->message, sizeof fate->message, "leave: %.600s", err.message);
                return false;
            }
    }
    return true;
}

static bool see(void *ctx, const struct il_store_row *row)
{
    struct listed *l = ctx;
    if (l->count < l->cap) (void)snprintf(l->ids[l->count], 40, "%.*s", (int)row->run_id.len, row->run_id.ptr);
    l->count++;
    l->waiting += row->state == IL_ROW_WAITING;
    return true;
}

static struct listed list(il_store *store, bool waiting, int64_t before_ms, char (*ids)[40], size_t cap)
{
    struct listed l = { .ids = ids, .cap = cap };
    struct il_store_filter f = IL_STORE_FILTER_INIT;
    struct il_error err = IL_ERROR_INIT;
    f.by_state = waiting;
    f.state = IL_ROW_WAITING;
    f.expires_before_ms = before_ms;
    if (il_store_list(store, &f, see, &l, &err)) printf("# list: %s\n", err.message);
    return l;
}

/* Resumes each of `ids`, moves all of a batch together, frees them; how many ended with this status. */
static size_t resume_all(struct life *l, char (*ids)[40], size_t count, const char *status)
{
    il_run *runs[BATCH];
    struct il_error err = IL_ERROR_INIT;
    size_t good = 0;
    for (size_t done = 0; done < count; done += BATCH) {
        size_t n = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < n; i++) {
            if (life_resume(l, ids[done + i], &err)) return good;
            runs[i] = l->run;
        }
        for (int64_t until = crash_now_ms() + 30000; crash_now_ms() < until && life_tick(l);) {
            size_t ended = 0;
            for (size_t i = 0; i < n; i++) ended += il_run_state(runs[i]) == IL_RUN_ENDED;
            if (ended == n) break;
        }
        for (size_t i = 0; i < n; i++) {
            struct il_summary s = { .size = sizeof s };
            il_run_summary(runs[i], &s);
            good += strcmp(s.status, status) == 0;
            il_run_free(runs[i]);
        }
    }
    return good;
}

static int64_t wall_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void expire(char (*ids)[40], size_t count)
{
    struct life l;
    scene.shift_ms = 3600000; /* an hour later */
    if (!life_open(&l, &scene, &paths, false)) return;
    size_t good = resume_all(&l, ids, count, "expired");
    ok(good == count, "the overdue ones are resumed and end expired", good);
    life_close(&l);
    scene.shift_ms = 0;
}

static void all(size_t count, char (*ids)[40])
{
    struct life l;
    int64_t t = crash_now_ms();
    const size_t soon = count / 2;
    scene.ttl_ms = 1800000; /* half an hour: overdue an hour later */
    bool good = life_open(&l, &scene, &paths, false) && make(&l, soon);
    scene.ttl_ms = 4 * 3600000;
    good = good && make(&l, count - soon);
    ok(good, "runs are made, wait and are left", count);
    if (!good) printf("# %s\n", fate->message);
    life_close(&l);
    t = step("made", t);
    il_store *store = crash_store(paths.store);
    struct listed every = list(store, false, 0, NULL, 0);
    ok(every.count == count && every.waiting == count, "all are listed, and wait", every.count);
    t = step("listed", t);
    struct listed late = list(store, true, wall_ms() + 3600000, ids, count);
    ok(late.count == soon, "those that an hour expires are listed", late.count);
    t = step("listed those that expire", t);
    struct listed rest = list(store, true, 0, ids, 0);
    (void)rest;
    expire(ids, late.count);
    t = step("expired", t);
    struct listed left = list(store, true, 0, ids, count);
    ok(left.count == count - soon, "the others wait still", left.count);
    size_t n = left.count < RESUMED ? left.count : RESUMED;
    struct il_error err = IL_ERROR_INIT;
    for (size_t i = 0; i < n; i++)
        if (life_leave_letter(store, ids[i], "approve", &err)) printf("# letter: %s\n", err.message);
    il_store_close(store);
    if (!life_open(&l, &scene, &paths, false)) return;
    size_t done = resume_all(&l, ids, n, "committed_unverified");
    ok(done == n, "some are approved, resumed and done", done);
    life_close(&l);
    (void)step("approved and resumed", t);
}

/* crash many [COUNT] */
int many_main(int argc, char **argv)
{
    size_t count = argc > 0 ? strtoul(argv[0], NULL, 10) : 2000;
    char *source = crash_slurp("lua/workflows/reference.lua");
    char (*ids)[40] = calloc(count, sizeof *ids);
    scene.workflow = source;
    crash_paths(&paths, "many", false);
    fate = crash_shared(sizeof *fate);
    if (!ids || mkdir(paths.dir, 0700)) return 1;
    all(count, ids);
    struct stat st;
    if (!stat(paths.store, &st)) printf("# the file has %lld MB\n", (long long)st.st_size / 1048576);
    crash_clean(&paths);
    free(ids);
    free(source);
    printf("1..%d\n", tests);
    return wrong ? 1 : 0;
}
